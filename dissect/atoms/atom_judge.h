/*
 * atom_judge.h - what a slot most likely means: see atom_book.h.
 */
#ifndef DISSECT_ATOM_JUDGE_H
#define DISSECT_ATOM_JUDGE_H

#include "atom_book.h"

/* atom_judge weighs the candidates of a slot; absent when none is likely. */
struct ds_text atom_judge(struct atom_book *book, uint16_t slot, uint64_t direction);

/* atom_judge_guess is atom_book_guess, of an empty guess. */
void atom_judge_guess(struct atom_book *book, uint16_t slot, uint64_t direction,
                      struct ds_guess *guess);

/* atom_judge_held is atom_book_judge_held. */
enum atom_held_verdict atom_judge_held(struct atom_book *book, uint16_t slot, uint64_t direction,
                                       struct atom_held *held, struct ds_text *out);

#endif
