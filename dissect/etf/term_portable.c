/*
 * term_portable.c - copies a term so that every node can read it. It first finds the maps that no
 * node reads because they have a duplicate key.
 */
#include "etf/duplicate_keys.h"
#include "etf/term_copy.h"

bool ds_term_copy_portable(const struct ds_term *term, struct ds_buffer *out)
{
    struct duplicate_keys twice;
    if (term->data == NULL || term->damaged)
        return false;
    const enum duplicate_keys_status status =
        duplicate_keys_find(&twice, term, 0, TERM_ZEROS_EQUAL, out->is_stopped);
    if (status != DUPLICATE_KEYS_OK) {
        out->failed |= status == DUPLICATE_KEYS_FAILED;
        return false;
    }
    const bool ok = term_copy(term, &twice, out);
    duplicate_keys_free(&twice);
    return ok;
}
