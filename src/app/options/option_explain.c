/*
 * option_explain.c - --explain: the page of a finding, or one thing of a capture; and the options
 * that read the same packets again, for the commands at the end of reports.
 */
#include "app/options/option_explain.h"

#include "analyse/findings/finding_kinds.h"
#include "app/options/option_conflicts.h"
#include "app/options/option_set.h"
#include "app/options/option_values.h"
#include "core/complain.h"
#include "core/suggest.h"
#include "send/nats/nats_config.h"
#include "send/stream/stream_url.h"

#include <distsniff/term.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool set_page(struct options *o, const char *value)
{
    const char *names[FINDING_CODE_COUNT + EXPLAIN_COUNT];
    size_t num = 0;
    o->action = ACTION_EXPLAIN;
    o->explained = finding_kind_find(value);
    if (o->explained != NULL)
        return true;
    for (size_t i = 0; i < FINDING_CODE_COUNT; i++)
        names[num++] = finding_kind_at(i)->code;
    for (int kind = 0; kind < EXPLAIN_COUNT; kind++) {
        names[num++] = explain_kind_word(kind);
        if (strcmp(explain_kind_word(kind), value) == 0) {
            complain("--explain %s takes a number: --explain %s:1", value, value);
            return false;
        }
    }
    const char *nearest = suggest_find(value, strlen(value), names, num);
    complain(nearest != NULL ? "--explain: there is no finding %s; nearest: %s"
                             : "--explain: there is no finding %s: it takes a code such as DS101, or "
                               "call:N, finding:N, conn:N, message:N or packet:N",
             value, nearest);
    return false;
}

bool option_set_explain(struct options *o, const char *value)
{
    static const struct {
        const char *word;
        enum explain_kind kind;
    } others[] = {{"frame", EXPLAIN_PACKET}, {"link", EXPLAIN_CONN}};
    const char *words[EXPLAIN_COUNT];
    const char *colon = strchr(value, ':');
    if (colon == NULL)
        return set_page(o, value);
    const size_t len = (size_t)(colon - value);
    enum explain_kind kind = EXPLAIN_NOTHING;
    for (int i = 0; i < EXPLAIN_COUNT; i++) {
        words[i] = explain_kind_word(i);
        if (strlen(words[i]) == len && memcmp(words[i], value, len) == 0)
            kind = i;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strlen(others[i].word) == len && memcmp(others[i].word, value, len) == 0)
            kind = others[i].kind;
    }
    if (kind == EXPLAIN_NOTHING) {
        const char *nearest = suggest_find(value, len, words, EXPLAIN_COUNT);
        complain("--explain takes a code such as DS101, or call:N, finding:N, conn:N, message:N or "
                 "packet:N, not '%s'%s%s",
                 value, nearest != NULL ? "; nearest: " : "", nearest != NULL ? nearest : "");
        return false;
    }
    if (o->explain.asked) {
        complain("--explain shows one thing: it can be used only once");
        return false;
    }
    o->explain.asked = true;
    o->explain.kind = kind;
    return option_parse_number("--explain", colon + 1, 1, UINT64_MAX, &o->explain.number);
}

/* Options that decide what is decoded and how it is numbered, how names are written, and when to
 * stop. */
static const char *const carried[] = {
    "read", "input", "dist-port", "epmd-port", "no-follow", "filter-file", "cookie-file", "keylog-file",
    "labels", "static-atoms", "learned", "hold", "certain", "no-clock-correction", "syntax", "redact",
    "redact-keep", "redact-key-file", "until", "packets",
};

static bool is_carried(const struct option_line *line)
{
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++) {
        if (line->name != NULL && strcmp(carried[i], line->name) == 0)
            return true;
    }
    return false;
}

void option_explain_quote(struct ds_buffer *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        ds_buffer_add_text(out, word);
        return;
    }
    ds_buffer_add_text(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            ds_buffer_add_text(out, "'\\''");
        else
            ds_buffer_add(out, word, 1);
    }
    ds_buffer_add_text(out, "'");
}

static bool has_control(const char *word)
{
    for (; *word != '\0'; word++) {
        if ((unsigned char)*word < ' ' || *word == 0x7f)
            return true;
    }
    return false;
}

static bool can_be_read_again(const struct options *o)
{
    for (size_t i = 0; i < o->capture.num_read_files; i++) {
        const char *name = o->capture.read_files[i];
        if (strcmp(name, "-") == 0 || nats_is_url(name) || stream_is_url(name) || has_control(name))
            return false;
    }
    return o->capture.num_read_files != 0;
}

static char *detach_text(struct ds_buffer *out)
{
    ds_buffer_add(out, "", 1);
    if (out->failed) {
        ds_buffer_free(out);
        return NULL;
    }
    return out->data;
}

/* explain_kept sets the options that read the single file written by a live capture. */
static void explain_kept(struct options *o)
{
    const char *name = o->keep.write_file;
    struct ds_buffer out = {0};
    if (name == NULL || o->capture.num_read_files != 0 || strcmp(name, "-") == 0 || has_control(name) ||
        o->keep.trigger != NULL || o->keep.rotation.size != 0 || o->keep.rotation.seconds != 0)
        return;
    ds_buffer_add_text(&out, "-r ");
    option_explain_quote(&out, name);
    ds_buffer_add_text(&out, " ");
    o->kept = detach_text(&out);
}

static bool is_input(const struct option_line *line)
{
    return strcmp(line->name, "read") == 0 || strcmp(line->name, "input") == 0;
}

void option_explain_input(const struct option_given *given, struct ds_buffer *out)
{
    const char *name = given->line->name;
    const bool is_live = strcmp(name, "interface") == 0 || strcmp(name, "device") == 0;
    if ((!is_live && !is_input(given->line)) || given->value == NULL || has_control(given->value))
        return;
    ds_buffer_printf(out, "-%c ", given->line->letter);
    option_explain_quote(out, given->value);
    ds_buffer_add_text(out, " ");
}

void option_explain_commands_of(const struct options *o, const char *file, char **command, char **end)
{
    struct ds_buffer out = {0}, behind = {0};
    if (file != NULL && has_control(file))
        return;
    if (file != NULL) {
        ds_buffer_add_text(&out, "-r ");
        option_explain_quote(&out, file);
        ds_buffer_add_text(&out, " ");
    }
    for (size_t i = 0; i < o->num_given; i++) {
        const struct option_given *given = &o->given[i];
        if (!is_carried(given->line) || (file != NULL && is_input(given->line)))
            continue;
        if (given->line->letter != 0)
            ds_buffer_printf(&out, "-%c ", given->line->letter);
        else
            ds_buffer_printf(&out, "--%s%s", given->line->name, given->value != NULL ? "=" : " ");
        if (given->value != NULL) {
            option_explain_quote(&out, given->value);
            ds_buffer_add_text(&out, " ");
        }
    }
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        struct ds_config usual;
        ds_config_init(&usual);
        if (o->config.limits[i] != usual.limits[i])
            ds_buffer_printf(&out, "--max-%s=%" PRIu64 " ", ds_limit_name((enum ds_limit)i),
                             o->config.limits[i]);
    }
    if (o->follow.expression != NULL && o->follow.expression[0] != '\0') {
        ds_buffer_add_text(&behind, " ");
        option_explain_quote(&behind, o->follow.expression);
    }
    *command = detach_text(&out);
    *end = detach_text(&behind);
}

/* window_of returns the options --since and --until of this run. */
static char *window_of(const struct options *o)
{
    const struct {
        const char *option, *value;
    } ends[] = {{"--since ", o->ending.since_text}, {"--until ", o->ending.until_text}};
    struct ds_buffer out = {0};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (ends[i].value == NULL)
            continue;
        ds_buffer_add_text(&out, ends[i].option);
        option_explain_quote(&out, ends[i].value);
        ds_buffer_add_text(&out, " ");
    }
    return detach_text(&out);
}

void option_explain_commands(struct options *o)
{
    explain_kept(o);
    if (!can_be_read_again(o))
        return;
    option_explain_commands_of(o, NULL, &o->command, &o->behind);
    if (o->command != NULL && o->behind != NULL) {
        o->report.command = o->command;
        o->report.behind = o->behind;
        o->window = window_of(o);
        o->report.window = o->window;
    }
}
