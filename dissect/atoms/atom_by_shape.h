/*
 * atom_by_shape.h - atoms of the application that a slot may mean, judged by the contexts in which
 * the slot was seen (atom_shape_fit.h).
 */
#ifndef DISSECT_ATOM_BY_SHAPE_H
#define DISSECT_ATOM_BY_SHAPE_H

#include "atoms/atom_candidates.h"

/* by_shape_add adds atoms of the application that were counted in the contexts of the slot. */
void by_shape_add(struct judge *judge);

/* by_shape_weigh adds the evidence of the slot's contexts to all candidates. Returns the bits by
 * which any other atom is less likely, as new atoms are rare in these contexts. */
double by_shape_weigh(struct judge *judge);

/* by_shape_is_likely says whether an atom that only contexts support is likely: compared with
 * any atom that was not counted, and with the next one of these contexts, which differs only in
 * how often it occurs in each. */
bool by_shape_is_likely(struct judge *judge, double weight, double all);

#endif
