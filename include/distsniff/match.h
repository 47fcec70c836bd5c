/*
 * distsniff/match.h - messages and calls held against what a user writes, as redbug and recon do:
 *
 *     {leave, {cat, Name}, Town} when Town =/= {town, <<"Minsk">>}
 *     cat_traveler:enter({cat, <<"Tihon">>}, _) -> return
 *
 * A pattern means what the head of a function clause means in Erlang, but for '_', which is as good
 * as _: terms with `_` and variables, of which the same stands for the same; maps by some of their
 * keys; tails of lists and strings; binaries in segments. A guard means what it means there, and
 * one that fails does not match. Mod:Fun(Args), Mod:Fun/Arity and Mod:Fun are held against calls,
 * all else against terms; an atom alone against both, then meaning a module.
 *
 * A pattern is compiled once into a flat program (match_program.h), which is run over the bytes of
 * a term; nothing is built, and nothing recurses on what a peer sent. pattern.h is the smaller
 * sister of this, for the table otp.def.
 */
#ifndef DISTSNIFF_MATCH_H
#define DISTSNIFF_MATCH_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

enum { DS_MATCH_MAX_LEN = 4096, DS_MATCH_MAX_NESTING = 64, DS_MATCH_MAX_VARIABLES = 64 };

struct ds_match;

/* ds_match_error is what is wrong with a pattern, and where. */
struct ds_match_error {
    size_t column; /* of the byte, from 1; 0 when the place is not to blame: no memory */
    char what[160];
};

/* ds_match_compile returns the pattern that text stands for, to be freed with ds_match_free; NULL
 * with *error filled in when it stands for none. */
struct ds_match *ds_match_compile(const char *text, struct ds_match_error *error);
void ds_match_free(struct ds_match *match);

/* What it is held against, and whether it ends in "-> return". */
bool ds_match_is_for_terms(const struct ds_match *match);
bool ds_match_is_for_calls(const struct ds_match *match);
bool ds_match_wants_return(const struct ds_match *match);

enum ds_match_result {
    DS_MATCH_NO,
    DS_MATCH_YES,
    DS_MATCH_GAVE_UP,   /* it would have taken too long */
    DS_MATCH_NO_MEMORY,
};

/* ds_match_run_term holds a term against the pattern, ds_match_run_call a call: args is the list of
 * the arguments, absent when they are not known. A match is for one thread at a time. */
enum ds_match_result ds_match_run_term(struct ds_match *match, const struct ds_term *term);
enum ds_match_result ds_match_run_call(struct ds_match *match, const struct ds_term *mod,
                                 const struct ds_term *fun, const struct ds_term *args);

DS_END_PUBLIC

#endif
