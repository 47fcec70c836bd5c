/*
 * match_regex.c - see match_regex.h.
 *
 * The needle is a word of at least three ASCII letters that is part of every match, and that gets into
 * the text of a message in one way only: from an atom, a string or a binary, which contains its bytes
 * unchanged. So:
 * - it comes only from patterns without groups, alternatives, classes and escapes;
 * - letters that may end an escape for the preceding character (\n, \xFF) are left off;
 * - words that the text itself adds, and words that may be hexadecimal, are not needles;
 * - a string may be sent as a list of integers, with a tag before each character: that form is searched
 *   for, too.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "select/match_regex.h"

#include "core/complain.h"
#include "core/term_show.h"
#include "output/text_words.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum { NEEDLE_MIN = 3, NEEDLE_MAX = 64 };

enum { TAG_SMALL_INTEGER = 97, TAG_INTEGER = 98 };

struct match_regex {
    struct bounded_regex *search;
    size_t needle_len; /* 0: there is no needle */
    char needle[NEEDLE_MAX];
    size_t rare; /* index of its rarest letter, which is searched for first */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_hex_letter(char c)
{
    return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* escape_tail_len returns how many letters at the beginning of a word may belong to an escape for
 * another character: n of \n, xFF of \xFF, uFEFF of \uFEFF. */
static size_t escape_tail_len(const char *word, size_t len)
{
    size_t tail = word[0] == 'x' || word[0] == 'u';
    const size_t end = tail + (word[0] == 'u' ? 4 : 2);
    while (tail < len && tail < end && is_hex_letter(word[tail]))
        tail++;
    return tail == 0 && strchr("antrvbfed", word[0]) != NULL ? 1 : tail;
}

static void offer_needle(struct match_regex *regex, const char *word, size_t len)
{
    char text[NEEDLE_MAX];
    const size_t tail = len != 0 ? escape_tail_len(word, len) : 0;
    word += tail;
    len -= tail;
    if (len >= NEEDLE_MAX)
        len = NEEDLE_MAX - 1;
    if (len < NEEDLE_MIN || len <= regex->needle_len)
        return;
    size_t num_hex = 0;
    for (size_t i = 0; i < len; i++)
        num_hex += is_hex_letter(word[i]);
    memcpy(text, word, len);
    text[len] = '\0';
    if (num_hex == len || text_words_have(text))
        return;
    memcpy(regex->needle, text, len + 1);
    regex->needle_len = len;
}

/* rareness ranks letters by their frequency, which includes the tags of terms. */
static size_t rareness(char letter)
{
    static const char letters[] = "ahwelmnjtkRXdsoirbcu_pgfyvxzq";
    return strcspn(letters, (const char[]){letter, '\0'});
}

static void find_needle(struct match_regex *regex, const char *pattern)
{
    if (pattern[strcspn(pattern, "|()[]{}\\")] != '\0')
        return;
    while (*pattern != '\0') {
        size_t len = 0;
        while (is_letter(pattern[len]))
            len++;
        const bool last_is_optional = pattern[len] == '*' || pattern[len] == '?';
        offer_needle(regex, pattern, len - (len != 0 && last_is_optional));
        pattern += len + (pattern[len] != '\0');
    }
    for (size_t i = 1; i < regex->needle_len; i++) {
        if (rareness(regex->needle[i]) > rareness(regex->needle[regex->rare]))
            regex->rare = i;
    }
}

struct match_regex *match_regex_compile(const char *pattern, bool ignore_case,
                                        struct regex_error *error)
{
    *error = (struct regex_error){0, "out of memory"};
    struct match_regex *regex = calloc(1, sizeof *regex);
    if (regex == NULL)
        return NULL;
    const uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
                           (ignore_case ? PCRE2_CASELESS : 0);
    regex->search = bounded_regex_new(pattern, strlen(pattern), flags, error);
    if (regex->search == NULL) {
        match_regex_free(regex);
        return NULL;
    }
    if (!ignore_case)
        find_needle(regex, pattern);
    return regex;
}

struct match_regex *match_regex_new(const char *pattern, bool ignore_case)
{
    struct regex_error error;
    const size_t len = strlen(pattern);
    if (len > MAX_REGEX_LEN) {
        complain("-e takes an expression of at most %d bytes, not %zu", MAX_REGEX_LEN, len);
        return NULL;
    }
    struct match_regex *regex = match_regex_compile(pattern, ignore_case, &error);
    if (regex == NULL && error.column != 0)
        complain("-e '%s': column %zu: %s", pattern, error.column, error.what);
    else if (regex == NULL)
        complain("%s", error.what);
    return regex;
}

void match_regex_free(struct match_regex *regex)
{
    if (regex == NULL)
        return;
    bounded_regex_free(regex->search);
    free(regex);
}

/* is_listed says whether the bytes from `at` on, where the needle's rare letter is, may be part of a
 * list of characters that contains the needle. It examines the following bytes: enough to exclude
 * nearly everything else. */
static bool is_listed(const struct match_regex *regex, const uint8_t *bytes, size_t len, size_t at)
{
    /* No node sends characters below 256 in four bytes; if one does, the text is searched. */
    static const uint8_t wide[] = {TAG_INTEGER, 0, 0, 0};
    if (at >= sizeof wide && memcmp(bytes + at - sizeof wide, wide, sizeof wide) == 0)
        return true;
    if (at == 0 || bytes[at - 1] != TAG_SMALL_INTEGER)
        return false;
    at++;
    for (size_t i = regex->rare + 1; i < regex->needle_len; i++, at += 2) {
        if (at < len && bytes[at] == TAG_INTEGER)
            return true;
        if (len - at < 2 || bytes[at] != TAG_SMALL_INTEGER ||
            bytes[at + 1] != (uint8_t)regex->needle[i])
            return false;
    }
    return true;
}

static bool search(const struct match_regex *regex, const void *text, size_t len, bool is_term)
{
    const uint8_t *bytes = text;
    const size_t rare = regex->rare;
    const int letter = regex->needle[rare];
    for (size_t at = 0; at < len; at++) {
        const uint8_t *hit = memchr(bytes + at, letter, len - at);
        if (hit == NULL)
            return false;
        at = (size_t)(hit - bytes);
        if (at >= rare && len - at >= regex->needle_len - rare &&
            memcmp(hit - rare, regex->needle, regex->needle_len) == 0)
            return true;
        if (is_term && is_listed(regex, bytes, len, at))
            return true;
    }
    return false;
}

static bool text_has(const struct match_regex *regex, const void *text, size_t len)
{
    return len >= regex->needle_len && search(regex, text, len, false);
}

static bool term_may(const struct match_regex *regex, const struct ds_term *term)
{
    return term->len >= regex->needle_len && search(regex, term->data, term->len, true);
}

static bool atoms_have(const struct match_regex *regex, const struct ds_term *term)
{
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        if (text_has(regex, term->atoms[i].text, term->atoms[i].len))
            return true;
    }
    return false;
}

static bool titles_have(const struct match_regex *regex, const struct titles *titles)
{
    for (size_t i = 0; titles != NULL && i < titles->num; i++) {
        const struct ds_text title = titles_text(titles, i, term_show_syntax());
        if (text_has(regex, title.data, title.len))
            return true;
    }
    return false;
}

bool match_regex_may(const struct match_regex *regex, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    const struct note *note = &record->note;
    if (regex->needle_len == 0 || event->type != DS_EVENT_MESSAGE || m->control.data == NULL ||
        event->fault.kind != DS_FAULT_NONE || event->unknown_atoms != 0 ||
        event->inferred_atoms != 0 || event->likely_atoms != 0 || event->address_atoms != 0)
        return true;
    const struct ds_endpoint *end = event->conn->end;
    return term_may(regex, &m->payload) || term_may(regex, &m->control) ||
           atoms_have(regex, &m->control) ||
           (m->payload.atoms != m->control.atoms && atoms_have(regex, &m->payload)) ||
           text_has(regex, end[0].node.data, end[0].node.len) ||
           text_has(regex, end[1].node.data, end[1].node.len) ||
           text_has(regex, note->from_name.data, note->from_name.len) ||
           text_has(regex, note->to_name.data, note->to_name.len) ||
           titles_have(regex, note->from_titles) || titles_have(regex, note->to_titles) ||
           (m->op != NULL && text_has(regex, m->op->name, strlen(m->op->name))) ||
           (note->label != NULL && text_has(regex, note->label, strlen(note->label)));
}

enum regex_result match_regex_text(struct match_regex *regex, const char *text, size_t len)
{
    return bounded_regex_search(regex->search, text, len);
}
