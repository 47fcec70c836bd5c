/*
 * term_copy.h - copies terms as standard external format: ds_term_copy_etf, and the core of
 * ds_term_copy_portable.
 */
#ifndef DISSECT_TERM_COPY_H
#define DISSECT_TERM_COPY_H

#include "etf/duplicate_maps.h"
#include "etf/term.h"

/* term_copy is ds_term_copy_etf; with twice, the maps of the term that have a duplicate key, it is
 * ds_term_copy_portable. */
bool term_copy(const struct ds_term *term, const struct duplicate_keys *twice, struct ds_buffer *out);

#endif
