/*
 * fuzz_match.c - any bytes up to a NUL as a pattern of -m, any bytes behind it as the term that
 * is held against it, and as the arguments of a call. What compiles must give the same answer
 * again, and with a guard that says nothing; what does not must have a reason and a place within
 * the text.
 */
#include <distsniff/match.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct ds_atom atoms[] = {
    {.text = (const uint8_t *)"a", .len = 1, .state = DS_ATOM_KNOWN},
    {.state = DS_ATOM_UNKNOWN},
    {.text = (const uint8_t *)"b", .len = 1, .state = DS_ATOM_INFERRED},
};

static struct ds_term make_term(const void *bytes, size_t len)
{
    return (struct ds_term){.data = bytes, .len = len, .atoms = atoms,
                            .num_atoms = sizeof atoms / sizeof atoms[0]};
}

static enum ds_match_result run(struct ds_match *match, const struct ds_term *term)
{
    const struct ds_term mod = make_term("R\0", 2), fun = make_term("w\1f", 3);
    return ds_match_is_for_calls(match) ? ds_match_run_call(match, &mod, &fun, term)
                                        : ds_match_run_term(match, term);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char guard[] = " when true";
    const uint8_t *nul = len != 0 ? memchr(data, 0, len) : NULL;
    const size_t text_len = nul != NULL ? (size_t)(nul - data) : len;
    struct ds_match_error error = {0};
    /* In blocks of their own, so that the sanitizer notices a read beyond the end. */
    char *text = calloc(1, text_len + 1), *guarded = malloc(text_len + sizeof guard);
    must(text != NULL && guarded != NULL);
    if (text_len != 0)
        memcpy(text, data, text_len);
    const size_t term_len = nul != NULL ? len - text_len - 1 : 0;
    uint8_t *bytes = malloc(term_len + (term_len == 0));
    must(bytes != NULL);
    if (term_len != 0)
        memcpy(bytes, nul + 1, term_len);
    const struct ds_term term = make_term(bytes, term_len);

    struct ds_match *match = ds_match_compile(text, &error);
    if (match == NULL) {
        must(error.what[0] != '\0' && error.column >= 1 && error.column <= text_len + 1);
    } else {
        const enum ds_match_result result = run(match, &term);
        must(run(match, &term) == result && result != DS_MATCH_NO_MEMORY);
        ds_match_free(match);
        strcat(strcpy(guarded, text), guard);
        match = ds_match_compile(guarded, &error); /* it may have a guard, or end in a comment */
        if (match != NULL && strstr(guarded, guard) == guarded + text_len)
            must(run(match, &term) == result || result == DS_MATCH_GAVE_UP);
        ds_match_free(match);
    }
    free(bytes);
    free(guarded);
    free(text);
    return 0;
}
