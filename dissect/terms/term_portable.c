/*
 * term_portable.c - a copy of a term that every node reads: the maps that none does, as they have a key
 * twice, are found beforehand.
 */
#include "term_copy.h"
#include "term_twice.h"

bool ds_term_copy_portable(const struct ds_term *term, struct ds_buffer *out)
{
    struct term_twice twice;
    if (term->data == NULL || term->damaged)
        return false;
    const enum term_twice_status status =
        term_twice_find(&twice, term, 0, TERM_ZEROS_EQUAL, out->is_stopped);
    if (status != TERM_TWICE_OK) {
        out->failed |= status == TERM_TWICE_FAILED;
        return false;
    }
    const bool ok = term_copy(term, &twice, out);
    term_twice_free(&twice);
    return ok;
}
