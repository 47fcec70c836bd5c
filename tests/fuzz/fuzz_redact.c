/*
 * fuzz_redact.c - redacts any bytes as a term. The first byte chooses what is redacted; the term
 * follows. If the check accepts the term, it accepts the redacted one, too, and both have the same
 * shape. For a damaged term, redaction only has to end.
 */
#include "same_shape.h"
#include "term_samples.h"
#include "redact/redact_values.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static struct redact_values *values_of(uint32_t what)
{
    static struct redact_values *made[1 << REDACT_WHAT_COUNT];
    if (made[what] == NULL) {
        const struct redact_config options = {.what = what, .keep = {.word = {"keep*"}, .num = 1}};
        made[what] = redact_values_new(&options);
        must(made[what] != NULL);
    }
    return made[what];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const struct term_env env = {samples_atoms, SAMPLES_NUM_ATOMS};
    struct cursor bytes = cursor_make(data, len);
    uint8_t choice;
    if (!cursor_read_u8(&bytes, &choice))
        return 0;
    struct redact_values *values = values_of(choice & ((1u << REDACT_WHAT_COUNT) - 1));
    struct cursor at = bytes;
    uint32_t unknown = 0, inferred = 0, new_unknown = 0;
    const bool ok = term_check(&at, &env, &unknown, &inferred, NULL) == TERM_OK;
    struct ds_term term = samples_term(bytes.at, cursor_left(&bytes));
    term.len = ok ? cursor_offset(&at, &bytes) : term.len;
    struct ds_buffer out = {0};
    const enum ds_rewrite_status status = redact_rewrite(values, &term, false, &out);
    must(!redact_values_failed(values));
    must(status == (ok ? DS_REWRITE_OK : DS_REWRITE_DAMAGED));
    if (ok) {
        const struct ds_term copy = samples_term((const uint8_t *)out.data, out.len);
        struct cursor copy_at = cursor_make(copy.data, copy.len);
        must(term_check(&copy_at, &env, &new_unknown, &inferred, NULL) == TERM_OK);
        must(cursor_left(&copy_at) == 0 && new_unknown <= unknown);
        must(shape_same(&term, &copy));
    }
    ds_buffer_free(&out);
    return 0;
}
