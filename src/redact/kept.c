/*
 * kept.c - see kept.h. PCRE2 makes regular expressions of the patterns, anchored at both ends
 * where the pattern does not begin or end with a *, and bounds what matching one may cost: a
 * text that would take longer does not match.
 */
#include "kept.h"

#include "complain.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 100000 };

struct kept {
    pcre2_code *codes[MAX_WORDS];
    size_t num_codes;
    pcre2_match_data *match;
    pcre2_match_context *limits;
};

static const char *const otp_atoms[] = {
#define OTP_ATOM(text) text,
#include "otp_atoms.def"
#undef OTP_ATOM
};

static int compare_atom(const void *key, const void *line)
{
    const struct ds_text *text = key;
    const char *atom = *(const char *const *)line;
    const size_t len = strlen(atom);
    const int order = memcmp(text->data, atom, text->len < len ? text->len : len);
    return order != 0 ? order : (text->len > len) - (text->len < len);
}

bool kept_is_otp(struct ds_text atom)
{
    return bsearch(&atom, otp_atoms, sizeof otp_atoms / sizeof otp_atoms[0],
                   sizeof otp_atoms[0], compare_atom) != NULL;
}

static bool complain_pattern(const char *pattern, int error)
{
    PCRE2_UCHAR why[128];
    if (error == PCRE2_ERROR_NOMEMORY ||
        pcre2_get_error_message(error, why, sizeof why) == PCRE2_ERROR_BADDATA)
        complain("out of memory");
    else
        complain("--redact-keep '%s': %s: * stands for any characters, ? for one, [ab] for one of "
                 "a set, and \\ before them for themselves",
                 pattern, (const char *)why);
    return false;
}

static bool add_pattern(struct kept *kept, const char *pattern)
{
    PCRE2_UCHAR *regex = NULL;
    PCRE2_SIZE len = 0, offset;
    const uint32_t options = PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR | PCRE2_CONVERT_UTF;
    int error = pcre2_pattern_convert((PCRE2_SPTR)pattern, strlen(pattern), options, &regex,
                                      &len, NULL);
    if (error != 0)
        return complain_pattern(pattern, error);
    pcre2_code *code = pcre2_compile(regex, len, PCRE2_UTF, &error, &offset, NULL);
    pcre2_converted_pattern_free(regex);
    if (code == NULL)
        return complain_pattern(pattern, error);
    kept->codes[kept->num_codes++] = code;
    return true;
}

struct kept *kept_new(const struct words *patterns)
{
    struct kept *kept = calloc(1, sizeof *kept);
    bool ok = kept != NULL;
    if (ok) {
        kept->match = pcre2_match_data_create(1, NULL);
        kept->limits = pcre2_match_context_create(NULL);
        ok = kept->match != NULL && kept->limits != NULL;
    }
    if (!ok) {
        complain("out of memory");
        kept_free(kept);
        return NULL;
    }
    pcre2_set_match_limit(kept->limits, MAX_STEPS);
    for (size_t i = 0; i < patterns->num; i++) {
        if (!add_pattern(kept, patterns->word[i])) {
            kept_free(kept);
            return NULL;
        }
    }
    return kept;
}

bool kept_is_named(struct kept *kept, struct ds_text text)
{
    if (text.len > KEPT_MAX_LEN)
        return false;
    for (size_t i = 0; i < kept->num_codes; i++) {
        if (pcre2_match(kept->codes[i], (PCRE2_SPTR)text.data, text.len, 0, 0, kept->match,
                        kept->limits) >= 0)
            return true;
    }
    return false;
}

void kept_free(struct kept *kept)
{
    if (kept == NULL)
        return;
    while (kept->num_codes != 0)
        pcre2_code_free(kept->codes[--kept->num_codes]);
    pcre2_match_data_free(kept->match);
    pcre2_match_context_free(kept->limits);
    free(kept);
}
