/*
 * redact_keep.c - see redact_keep.h. Patterns become PCRE2 regular expressions, anchored at the ends at
 * which the pattern has no *. A match that would take too long counts as none: the text is redacted,
 * and counted.
 */
#include "redact/redact_keep.h"

#include "core/bounded_regex.h"
#include "core/complain.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

struct redact_keep {
    struct bounded_regex *regexes[MAX_WORDS];
    size_t num_regexes;
    uint64_t num_given_up;
};

static const char *const otp_atoms[] = {
#define OTP_ATOM(text) text,
#include "redact/otp_atoms.def"
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

bool redact_keep_is_otp(struct ds_text atom)
{
    return bsearch(&atom, otp_atoms, sizeof otp_atoms / sizeof otp_atoms[0],
                   sizeof otp_atoms[0], compare_atom) != NULL;
}

static bool complain_pattern(const char *pattern, const char *why)
{
    complain("--redact-keep '%s': %s: * stands for any characters, ? for one, [ab] for one of "
             "a set, and \\ before them for themselves",
             pattern, why);
    return false;
}

static bool no_memory(void)
{
    complain("out of memory");
    return false;
}

static bool add_pattern(struct redact_keep *kept, const char *pattern)
{
    PCRE2_UCHAR *regex = NULL, why[128];
    PCRE2_SIZE len = 0;
    struct regex_error wrong;
    const uint32_t options = PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR | PCRE2_CONVERT_UTF;
    int error = pcre2_pattern_convert((PCRE2_SPTR)pattern, strlen(pattern), options, &regex,
                                      &len, NULL);
    if (error == PCRE2_ERROR_NOMEMORY)
        return no_memory();
    if (error != 0) {
        const bool has_why =
            pcre2_get_error_message(error, why, sizeof why) != PCRE2_ERROR_BADDATA;
        return complain_pattern(pattern, has_why ? (const char *)why : "no pattern");
    }
    struct bounded_regex *made =
        bounded_regex_new((const char *)regex, len, PCRE2_UTF, &wrong);
    pcre2_converted_pattern_free(regex);
    if (made == NULL)
        return wrong.column == 0 ? no_memory() : complain_pattern(pattern, wrong.what);
    kept->regexes[kept->num_regexes++] = made;
    return true;
}

struct redact_keep *redact_keep_new(const struct string_list *patterns)
{
    struct redact_keep *kept = calloc(1, sizeof *kept);
    if (kept == NULL) {
        no_memory();
        return NULL;
    }
    for (size_t i = 0; i < patterns->num; i++) {
        if (!add_pattern(kept, patterns->word[i])) {
            redact_keep_free(kept);
            return NULL;
        }
    }
    return kept;
}

bool redact_keep_is_named(struct redact_keep *kept, struct ds_text text)
{
    if (text.len > REDACT_KEEP_MAX_LEN)
        return false;
    for (size_t i = 0; i < kept->num_regexes; i++) {
        const enum regex_result result =
            bounded_regex_search(kept->regexes[i], text.data, text.len);
        kept->num_given_up += result == REGEX_GAVE_UP;
        if (result == REGEX_YES)
            return true;
    }
    return false;
}

uint64_t redact_keep_num_given_up(const struct redact_keep *kept)
{
    return kept->num_given_up;
}

void redact_keep_free(struct redact_keep *kept)
{
    if (kept == NULL)
        return;
    while (kept->num_regexes != 0)
        bounded_regex_free(kept->regexes[--kept->num_regexes]);
    free(kept);
}
