/*
 * distsniff/match.h - matches messages and calls against patterns that a user writes, as in redbug and
 * recon:
 *
 *     {leave, {cat, Name}, Town} when Town =/= {town, <<"Minsk">>}
 *     cat_traveler:enter({cat, <<"Tihon">>}, _) -> return
 *
 * A pattern has the meaning of the head of a function clause in Erlang, except that '_' is the same as
 * _. It may contain variables (a variable that appears twice matches equal terms), maps with some of
 * their keys, tails of lists and strings, and segments of binaries. Guards work as in Erlang; a guard
 * that fails does not match. Mod:Fun(Args), Mod:Fun/Arity and Mod:Fun match calls, all other patterns
 * match terms. A single atom matches both: of calls, it is the module.
 *
 * A pattern is compiled once into a flat program (match_program.h) that runs over the bytes of a term:
 * it builds no data, and the depth of peers' terms causes no recursion. pattern.h is a smaller matcher,
 * for the table otp.def.
 */
#ifndef DISTSNIFF_MATCH_H
#define DISTSNIFF_MATCH_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

enum { DS_MATCH_MAX_LEN = 4096, DS_MATCH_MAX_NESTING = 64, DS_MATCH_MAX_VARIABLES = 64 };

struct ds_match;

/* ds_match_error says what is wrong with a pattern, and where. */
struct ds_match_error {
    size_t column; /* of the byte, from 1; 0: the error has no place, such as lack of memory */
    char what[160];
};

/* ds_match_compile returns the compiled pattern of text. The caller frees it with ds_match_free. NULL
 * if text is not a pattern: then *error is set. */
struct ds_match *ds_match_compile(const char *text, struct ds_match_error *error);
void ds_match_free(struct ds_match *match);

/* What the pattern is matched against, and whether it ends in "-> return". */
bool ds_match_is_for_terms(const struct ds_match *match);
bool ds_match_is_for_calls(const struct ds_match *match);
bool ds_match_wants_return(const struct ds_match *match);

enum ds_match_result {
    DS_MATCH_NO,
    DS_MATCH_YES,
    DS_MATCH_GAVE_UP,   /* the match took too long */
    DS_MATCH_NO_MEMORY,
};

/* ds_match_run_term matches a term against the pattern, ds_match_run_call a call: args is the list of
 * its arguments, absent if they are unknown. A ds_match belongs to one thread at a time. */
enum ds_match_result ds_match_run_term(struct ds_match *match, const struct ds_term *term);
enum ds_match_result ds_match_run_call(struct ds_match *match, const struct ds_term *mod,
                                 const struct ds_term *fun, const struct ds_term *args);

DS_END_PUBLIC

#endif
