/*
 * otp_read.c - reads lines in the form of otp.def from a text (see otp.h): there, the language is a
 * C macro; here, it has a parser.
 *
 *     LABEL(CALL, "", "chat:call", "", "{call, Tag::reference, From::pid, Request}")
 *
 * OTP means the same as LABEL. White space and comments are allowed between lines and words:
 * comments begin with slash and asterisk and end with asterisk and slash as in C, or go from % or
 * // to the end of the line. Adjacent strings are one; \" and \\ in them are " and \.
 */
#include <distsniff/otp.h>

#include "labels/pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORD = 64, MAX_PATTERN = 4096 };

static const char *const kind_names[DS_OTP_NUM_KINDS] = {
    [DS_OTP_CALL] = "CALL",
    [DS_OTP_REPLY] = "REPLY",
    [DS_OTP_WATCHED_CALL] = "WATCHED_CALL",
    [DS_OTP_WATCHED_REPLY] = "WATCHED_REPLY",
    [DS_OTP_TAGGED_CALL] = "TAGGED_CALL",
    [DS_OTP_CAST] = "CAST",
    [DS_OTP_INFO] = "INFO",
    [DS_OTP_PEER] = "PEER",
    [DS_OTP_IN_CALL] = "IN_CALL",
    [DS_OTP_IN_CAST] = "IN_CAST",
    [DS_OTP_IN_PEER] = "IN_PEER",
    [DS_OTP_SPAWN] = "SPAWN",
    [DS_OTP_SPAWN_CALL] = "SPAWN_CALL",
    [DS_OTP_SPAWN_CAST] = "SPAWN_CAST",
    [DS_OTP_RESULT] = "RESULT",
    [DS_OTP_FAILURE] = "FAILURE",
};

const char *ds_otp_kind_name(enum ds_otp_kind kind)
{
    return (unsigned)kind < DS_OTP_NUM_KINDS ? kind_names[kind] : NULL;
}

/* line_reader is the position of the parser. The strings of lines are stored in room, which is as
 * large as the text: they are shorter than their source. */
struct line_reader {
    const char *start, *at, *end;
    char *room;
    struct ds_otp_lines *lines;
    size_t cap_lines;
    struct ds_otp_read_error *error;
};

/* fail_at reports where the text is invalid, and what is expected there. */
static bool fail_at(struct line_reader *r, const char *at, const char *expected)
{
    *r->error = (struct ds_otp_read_error){.line = 1, .column = 1, .expected = expected};
    for (const char *c = r->start; c < at; c++) {
        r->error->column++;
        if (*c == '\n') {
            r->error->line++;
            r->error->column = 1;
        }
    }
    const char *end = at;
    while (end < r->end && (isalnum((unsigned char)*end) || *end == '_'))
        end++;
    r->error->word = (struct ds_text){at, (size_t)(end - at)};
    return false;
}

static bool begins(const struct line_reader *r, const char *word)
{
    const size_t len = strlen(word);
    return (size_t)(r->end - r->at) >= len && memcmp(r->at, word, len) == 0;
}

/* skip_space skips white space and comments. */
static bool skip_space(struct line_reader *r)
{
    for (;;) {
        if (r->at < r->end && isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (begins(r, "%") || begins(r, "//")) {
            const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
            r->at = end != NULL ? end : r->end;
        } else if (begins(r, "/*")) {
            const char *start = r->at;
            const char *end = memmem(start + 2, (size_t)(r->end - start - 2), "*/", 2);
            if (end == NULL)
                return fail_at(r, start, "an end of this comment");
            r->at = end + 2;
        } else {
            return true;
        }
    }
}

static bool expect(struct line_reader *r, char c, const char *expected)
{
    if (!skip_space(r))
        return false;
    if (r->at == r->end || *r->at != c)
        return fail_at(r, r->at, expected);
    r->at++;
    return true;
}

/* read_string reads one or more strings into room. If places is not NULL, it records the positions
 * of the characters, at most max_len, and of the end. */
static bool read_string(struct line_reader *r, size_t max_len, const char *what, const char **out,
                        const char **places)
{
    char *to = r->room;
    const char *first = NULL;
    *out = to;
    if (!skip_space(r))
        return false;
    if (r->at == r->end || *r->at != '"')
        return fail_at(r, r->at, what);
    first = r->at;
    while (r->at < r->end && *r->at == '"') {
        const char *start = r->at++;
        while (r->at < r->end && *r->at != '"' && *r->at != '\n') {
            if (*r->at == '\\' && r->end - r->at > 1)
                r->at++;
            if ((size_t)(to - r->room) == max_len)
                return fail_at(r, first,
                               max_len == MAX_WORD ? "a string of at most 64 bytes"
                                                   : "a pattern of at most 4096 bytes");
            if (places != NULL)
                places[to - r->room] = r->at;
            *to++ = *r->at++;
        }
        if (r->at == r->end || *r->at != '"')
            return fail_at(r, start, "an end of this string, in its line");
        r->at++;
        if (places != NULL)
            places[to - r->room] = r->at - 1;
        if (!skip_space(r))
            return false;
    }
    *to++ = '\0';
    if (memchr(r->room, '\0', (size_t)(to - r->room - 1)) != NULL)
        return fail_at(r, first, "a string without a byte of 0");
    r->room = to;
    return true;
}

/* is_plain: labels and groups consist of these characters everywhere, also in lists of --only. */
static bool is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if (!isalnum((unsigned char)*text) && strchr("_.:@-", *text) == NULL)
            return false;
    }
    return true;
}

static bool read_kind(struct line_reader *r, enum ds_otp_kind *kind)
{
    if (!skip_space(r))
        return false;
    const char *start = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    for (int i = 0; i < DS_OTP_NUM_KINDS; i++) {
        if (strlen(kind_names[i]) == (size_t)(r->at - start) &&
            memcmp(kind_names[i], start, (size_t)(r->at - start)) == 0) {
            *kind = (enum ds_otp_kind)i;
            return true;
        }
    }
    fail_at(r, start, "a kind, such as CALL, REPLY, CAST or INFO");
    r->error->names = DS_OTP_NAMES_OF_KINDS;
    return false;
}

static bool read_pattern(struct line_reader *r, struct ds_otp_line *line)
{
    const char *places[MAX_PATTERN + 1];
    struct pattern_error error;
    if (!read_string(r, MAX_PATTERN, "a pattern in quotes", &line->pattern, places))
        return false;
    struct pattern *pattern =
        pattern_compile((struct ds_text){line->pattern, strlen(line->pattern)}, &error);
    if (pattern == NULL) {
        const char *at = places[error.column - 1];
        /* For a wrong type, report the word before the position. */
        const bool is_type = strncmp(error.expected, "a type", 6) == 0;
        while (is_type && at > r->start && isalnum((unsigned char)at[-1]))
            at--;
        fail_at(r, at, error.expected);
        if (is_type)
            r->error->names = DS_OTP_NAMES_OF_TYPES;
        return false;
    }
    pattern_free(pattern);
    return true;
}

static bool read_line(struct line_reader *r, struct ds_otp_line *line)
{
    const char *start = r->at;
    const char *words[] = {"LABEL", "OTP"};
    size_t i = 0;
    while (i < 2 && !begins(r, words[i]))
        i++;
    if (i == 2) {
        fail_at(r, start, "LABEL(kind, \"group\", \"label\", \"to\", \"pattern\")");
        r->error->names = DS_OTP_NAMES_OF_LINES;
        return false;
    }
    r->at += strlen(words[i]);
    if (!expect(r, '(', "a ( after LABEL") || !read_kind(r, &line->kind) ||
        !expect(r, ',', "a comma") || !skip_space(r))
        return false;
    start = r->at;
    if (!read_string(r, MAX_WORD, "a group in quotes, \"\" for your own", &line->group, NULL))
        return false;
    if (!is_plain(line->group))
        return fail_at(r, start, "a group of letters, digits, _ . : @ and -");
    if (!expect(r, ',', "a comma") || !skip_space(r))
        return false;
    start = r->at;
    if (!read_string(r, MAX_WORD, "a label in quotes", &line->label, NULL))
        return false;
    if (line->label[0] == '\0' || !is_plain(line->label))
        return fail_at(r, start, "a label of letters, digits, _ . : @ and -");
    return expect(r, ',', "a comma") &&
           read_string(r, MAX_WORD, "a registered name in quotes, \"\" for any", &line->to, NULL) &&
           expect(r, ',', "a comma") && read_pattern(r, line) && expect(r, ')', "a )");
}

static bool add_line(struct line_reader *r, const struct ds_otp_line *line, const char *at)
{
    struct ds_otp_lines *lines = r->lines;
    if (lines->num == DS_OTP_MAX_LINES)
        return fail_at(r, at, "at most 4096 lines");
    if (lines->num == r->cap_lines) {
        const size_t cap = r->cap_lines == 0 ? 16 : r->cap_lines * 2;
        struct ds_otp_line *all = realloc(lines->line, cap * sizeof *all);
        if (all == NULL)
            return fail_at(r, at, "more memory");
        lines->line = all;
        r->cap_lines = cap;
    }
    lines->line[lines->num++] = *line;
    return true;
}

bool ds_otp_read(struct ds_text text, struct ds_otp_lines *out, struct ds_otp_read_error *error)
{
    *out = (struct ds_otp_lines){0};
    out->texts = malloc(text.len + 1);
    struct line_reader r = {.start = text.data,
                            .at = text.data,
                            .end = text.data + text.len,
                            .room = out->texts,
                            .lines = out,
                            .error = error};
    bool ok = out->texts != NULL || fail_at(&r, r.start, "more memory");
    while (ok && (ok = skip_space(&r)) && r.at < r.end) {
        struct ds_otp_line line;
        const char *at = r.at;
        ok = read_line(&r, &line) && add_line(&r, &line, at);
    }
    if (!ok)
        ds_otp_lines_free(out);
    return ok;
}

void ds_otp_lines_free(struct ds_otp_lines *lines)
{
    free(lines->line);
    free(lines->texts);
    *lines = (struct ds_otp_lines){0};
}

const char *ds_otp_read_name(enum ds_otp_names names, size_t i)
{
    switch (names) {
    case DS_OTP_NAMES_OF_LINES:
        return i == 0 ? "LABEL" : NULL;
    case DS_OTP_NAMES_OF_KINDS:
        return i < DS_OTP_NUM_KINDS ? kind_names[i] : NULL;
    case DS_OTP_NAMES_OF_TYPES:
        return pattern_type_name(i);
    case DS_OTP_NAMES_OF_NOTHING:
        break;
    }
    return NULL;
}
