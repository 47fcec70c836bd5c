/*
 * test_prefilter.c - the search for a word in the bytes of a message, before its text is made,
 * skips no message of any capture whose text has the word, in Erlang's and in Elixir's syntax. It
 * looks for some words of the captures, and parts of them, in each message, and for words of each
 * message's own text.
 */
#include "analyse/calls/correlate.h"
#include "capture/capture.h"
#include "core/term_show.h"
#include "output/event_text.h"
#include "select/match_regex.h"

#include <distsniff/dissect.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NUM_WORDS = 400, WORD_LEN = 24, WORDS_APART = 97, MAX_PACKETS = 6000, OWN_WORDS = 4096 };

struct run {
    struct correlate *correlate;
    struct event_text *printer;
    struct ds_buffer text;
    char words[NUM_WORDS][WORD_LEN];
    size_t num_words, num_seen;
    struct match_regex *regexes[NUM_WORDS]; /* NULL while words are collected */
    uint64_t num_matches, num_passed_over;
    struct {
        char word[WORD_LEN];
        struct match_regex *regex;
    } own[OWN_WORDS]; /* a hash table, while there is room */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* take_word keeps some of the words, every second one without its first letter. */
static void take_word(struct run *run, const char *word, size_t len)
{
    if (len < 4 || len >= WORD_LEN || run->num_words == NUM_WORDS ||
        ++run->num_seen % WORDS_APART != 0)
        return;
    const size_t skip = run->num_words % 2;
    char *copy = run->words[run->num_words];
    memcpy(copy, word + skip, len - skip);
    copy[len - skip] = '\0';
    for (size_t i = 0; i < run->num_words; i++) {
        if (strcmp(run->words[i], copy) == 0)
            return;
    }
    run->num_words++;
}

static void collect(struct run *run)
{
    const char *text = run->text.data;
    for (size_t at = 0; at < run->text.len;) {
        size_t len = 0;
        while (at + len < run->text.len && is_letter(text[at + len]))
            len++;
        take_word(run, text + at, len);
        at += len + 1;
    }
}

static void check(struct run *run, const struct record *record)
{
    for (size_t i = 0; i < run->num_words; i++) {
        const bool matches = memmem(run->text.data, run->text.len, run->words[i],
                                    strlen(run->words[i])) != NULL;
        const bool may = match_regex_may(run->regexes[i], record);
        if (matches && !may)
            fail_msg("'%s' is in: %.*s", run->words[i], (int)run->text.len, run->text.data);
        run->num_matches += matches;
        run->num_passed_over += !may;
    }
}

/* own_regex returns the expression for a word; NULL if there is no room for it. */
static struct match_regex *own_regex(struct run *run, const char *word, size_t len)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < len; i++)
        hash = hash * 31 + (uint8_t)word[i];
    for (size_t tries = 0; tries < 16; tries++) {
        const size_t at = (hash + tries) % OWN_WORDS;
        char *have = run->own[at].word;
        if (have[0] == '\0') {
            memcpy(have, word, len);
            run->own[at].regex = match_regex_new(have, false);
            assert_non_null(run->own[at].regex);
        }
        if (strlen(have) == len && memcmp(have, word, len) == 0)
            return run->own[at].regex;
    }
    return NULL;
}

/* check_own looks for each word of a message's text in the message. */
static void check_own(struct run *run, const struct record *record)
{
    const char *text = run->text.data;
    for (size_t at = 0; at < run->text.len;) {
        size_t len = 0;
        while (at + len < run->text.len && is_letter(text[at + len]))
            len++;
        struct match_regex *regex =
            len >= 3 && len < WORD_LEN ? own_regex(run, text + at, len) : NULL;
        if (regex != NULL && !match_regex_may(regex, record))
            fail_msg("'%.*s' is in: %.*s", (int)len, text + at, (int)run->text.len, text);
        at += len + 1;
    }
}

static void on_record(void *context, const struct record *record)
{
    struct run *run = context;
    if (record->event == NULL || record->call != NULL)
        return;
    struct ds_event event = *record->event;
    struct record stalled = *record;
    stalled.event = &event;
    if (event.type == DS_EVENT_MESSAGE)
        event.message.stalled_ns = 5000000000;
    run->text.len = 0;
    event_text_print(run->printer, &stalled, &run->text);
    assert_false(run->text.failed);
    if (run->regexes[0] == NULL) {
        collect(run);
        check_own(run, &stalled);
    } else {
        check(run, &stalled);
    }
}

static void on_event(void *context, const struct ds_event *event)
{
    correlate_event(((struct run *)context)->correlate, event);
}

static void read_capture(struct run *run, const char *name)
{
    struct capture capture;
    struct ds_config config;
    struct ds_packet packet;
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = run;
    struct correlate_config correlate = {
        .emit = on_record, .context = run, .keep = 65536, .names = true,
        .owners = true};
    memcpy(correlate.limits, config.limits, sizeof correlate.limits);
    const char *files[] = {name};
    const struct capture_config config_of_capture = {.read_files = files, .num_read_files = 1};
    assert_true(capture_open(&capture, &config_of_capture));
    assert_true(capture_begin(&capture));
    run->correlate = correlate_new(&correlate);
    struct ds_session *session = ds_session_new(&config);
    assert_true(run->correlate != NULL && session != NULL);
    for (int i = 0; i < MAX_PACKETS && capture_next(&capture, &packet) == CAPTURE_PACKET; i++)
        ds_session_packet(session, &packet);
    ds_session_end(session);
    correlate_end(run->correlate);
    ds_session_free(session);
    correlate_free(run->correlate);
    capture_close(&capture);
}

static void check_capture(const char *name, uint64_t *num_matches, uint64_t *num_passed_over)
{
    struct run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->printer = event_text_new();
    assert_non_null(run->printer);
    read_capture(run, name);
    for (size_t i = 0; i < run->num_words; i++) {
        run->regexes[i] = match_regex_new(run->words[i], false);
        assert_non_null(run->regexes[i]);
    }
    if (run->num_words != 0)
        read_capture(run, name);
    *num_matches += run->num_matches;
    *num_passed_over += run->num_passed_over;
    for (size_t i = 0; i < run->num_words; i++)
        match_regex_free(run->regexes[i]);
    for (size_t i = 0; i < OWN_WORDS; i++)
        match_regex_free(run->own[i].regex);
    ds_buffer_free(&run->text);
    event_text_free(run->printer);
    free(run);
}

static void passes_over_nothing_that_matches(void **state)
{
    uint64_t num_matches = 0, num_passed_over = 0;
    glob_t found;
    (void)state;
    assert_int_equal(glob("../pcaps/*.pcap*", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 15);
    for (int syntax = 0; syntax < DS_SYNTAX_NUM; syntax++) {
        term_show_use((enum ds_syntax)syntax);
        for (size_t i = 0; i < found.gl_pathc; i++)
            check_capture(found.gl_pathv[i], &num_matches, &num_passed_over);
    }
    globfree(&found);
    assert_true(num_matches > 10000);
    assert_true(num_passed_over > 10000); /* the prefilter is effective */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_over_nothing_that_matches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
