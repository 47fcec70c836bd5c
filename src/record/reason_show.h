/*
 * reason_show.h - shows why something failed, in the syntax of this run: in Elixir's syntax as Elixir
 * does, ** (ArithmeticError) bad argument in arithmetic expression.
 */
#ifndef SRC_REASON_SHOW_H
#define SRC_REASON_SHOW_H

#include <distsniff/term.h>

/* reason_show appends a reason. is_error: it is known to be the reason of a raised error; otherwise it
 * counts as one if a stack trace follows it, as when an error ends a process. In Elixir's syntax,
 * exceptions, errors and exits are shown like Exception.format_exit/1 does, but in one line and with
 * the stack trace as a term; reasons for which that adds nothing, such as :normal and :killed, are
 * shown as terms. Returns false when memory ran out. */
bool reason_show(const struct ds_term *reason, bool is_error,
                 const struct ds_term_print_options *options, struct ds_buffer *out);

#endif
