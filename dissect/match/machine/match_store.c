/*
 * match_store.c - stores computed terms, encoded like those sent, in the arena of the run.
 */
#include "match/machine/match_view.h"

#include <distsniff/encode.h>
#include <math.h>

/* store makes a view of the term in a buffer, and releases the buffer. Long terms count as more
 * steps, so that the terms computed for a message take a few megabytes at most. */
static bool store(struct run *run, struct ds_buffer *term, struct view *out)
{
    if (!run_step(run, term->len / RUN_BYTES_A_STEP)) {
        ds_buffer_free(term);
        return false;
    }
    uint8_t *copy = term->failed ? NULL : arena_alloc(&run->arena, term->len);
    if (copy != NULL) {
        memcpy(copy, term->data, term->len);
        *out = (struct view){.kind = VIEW_TERM, .at = cursor_make(copy, term->len)};
    }
    ds_buffer_free(term);
    return copy != NULL || run_fail(run, RUN_NO_MEMORY);
}

bool view_store_float(struct run *run, double real, struct view *out)
{
    struct ds_buffer term = {0};
    if (!isfinite(real))
        return run_fail(run, RUN_BAD);
    ds_encode_float(&term, real);
    return store(run, &term, out);
}

bool view_store_integer(struct run *run, const uint8_t *bytes, size_t len, bool negative,
                        struct view *out)
{
    struct ds_buffer term = {0};
    ds_encode_integer(&term, negative, bytes, len);
    return store(run, &term, out);
}
