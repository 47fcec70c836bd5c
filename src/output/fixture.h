/*
 * fixture.h - the names of generated modules, which are those of their files.
 */
#ifndef SRC_FIXTURE_H
#define SRC_FIXTURE_H

#include <distsniff/term.h>

/* The number of clauses that erlc still compiles in some seconds. */
enum { FIXTURE_SENSIBLE = 5000 };

/* fixture_module returns what stands between the folder and the last dot of a file's name. */
struct ds_text fixture_module(const char *file);

/* Whether a module of Erlang's, or a test of Elixir's, can be written to the file; a complaint
 * when not. NULL is standard output. */
bool fixture_check_erl(const char *file);
bool fixture_check_exs(const char *file);

#endif
