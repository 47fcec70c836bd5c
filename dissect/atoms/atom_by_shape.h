/*
 * atom_by_shape.h - atoms of the application that a slot may mean, by the contexts in which it was seen
 * (atom_shape_fit.h).
 */
#ifndef DISSECT_ATOM_BY_SHAPE_H
#define DISSECT_ATOM_BY_SHAPE_H

#include "atoms/atom_candidates.h"

/* by_shape_add adds atoms of the application, for the contexts that they were seen in. */
void by_shape_add(struct judge *judge);

/* by_shape_weigh adds what the contexts of the slot say, to all candidates. Returns the bits by which any
 * other atom is less likely, as what is new in such contexts is rare there. */
double by_shape_weigh(struct judge *judge);

/* by_shape_is_likely says whether an atom that only contexts speak for is likely: against any that was
 * not counted, and against the next one of these contexts, from which nothing tells it but how often
 * each stands there. */
bool by_shape_is_likely(struct judge *judge, double weight, double all);

#endif
