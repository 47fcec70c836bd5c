/*
 * test_conversations.c - what two nodes say, written down as bytes in
 * conversations/NAME.txt, and what is to be made of it in NAME.out.
 *
 *     = channel [late] [latin1]    two bare channels, or
 *     = connection                 a distribution connection with its handshake
 *     = limit NAME N               a limit other than the default
 *     = raw                        each frame is reported as well
 *     > 00 "text" 61*9             bytes that end 0 sends: hexadecimal, text, a byte 9 times
 *     > { 83 44 00 ... }           a frame: its 4-byte length is put before it
 *     < ...                        bytes that end 1 sends
 *     !> 12 [cut|cap]              12 bytes of end 0 are missing here
 *     # a comment
 *
 * Each line of bytes is fed at once, from memory that ends at an unreadable page. Of every
 * conversation it is checked as well that single bytes give the same events, that every
 * beginning of it is safe, that every failing allocation is survived, and that no memory is
 * left behind. DISTSNIFF_UPDATE=1 in the environment writes the .out files.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "channel_harness.h"
#include "failing_alloc.h"
#include "guard_page.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>

enum { MAX_STEPS = 4096, MAX_BYTES = 1 << 22, MAX_LINE = 1 << 20 };

struct step {
    int dir;
    bool is_gap;
    enum tcp_gap why;
    uint64_t gap_len;
    size_t start, len; /* in bytes */
};

static struct conversation {
    bool connection, late, latin1, raw;
    uint64_t limits[DS_LIMIT_COUNT]; /* 0: the default */
    struct step steps[MAX_STEPS];
    size_t num_steps;
    uint8_t bytes[MAX_BYTES];
    size_t len;
} conv;

static char line[MAX_LINE];

static void add_byte(unsigned byte)
{
    assert_true(conv.len < MAX_BYTES);
    conv.bytes[conv.len++] = (uint8_t)byte;
}

static void end_frame(size_t start)
{
    size_t len = conv.len - start - 4;
    for (int i = 0; i < 4; i++)
        conv.bytes[start + (size_t)i] = (uint8_t)(len >> (24 - 8 * i));
}

static void parse_bytes(const char *at)
{
    size_t frame = 0;
    for (; *at != '\0'; at++) {
        if (isspace((unsigned char)*at)) {
            continue;
        } else if (*at == '{') {
            frame = conv.len;
            for (int i = 0; i < 4; i++)
                add_byte(0);
        } else if (*at == '}') {
            end_frame(frame);
        } else if (*at == '"') {
            for (at++; *at != '"' && *at != '\0'; at++)
                add_byte((unsigned char)*at);
        } else {
            unsigned byte;
            unsigned long times = 1;
            if (sscanf(at, "%2x", &byte) != 1)
                fail_msg("no byte: %s", at);
            at++;
            if (at[1] == '*') {
                char *end;
                times = strtoul(at + 2, &end, 10);
                at = end - 1;
            }
            while (times-- != 0)
                add_byte(byte);
        }
    }
}

static void parse_setting(const char *at)
{
    char name[40];
    unsigned long long value;
    if (sscanf(at, " limit %39s %llu", name, &value) == 2) {
        for (int limit = 0; limit < DS_LIMIT_COUNT; limit++) {
            if (strcmp(ds_limit_name((enum ds_limit)limit), name) == 0)
                conv.limits[limit] = value;
        }
    } else if (strstr(at, "raw") != NULL) {
        conv.raw = true;
    } else {
        conv.connection = strstr(at, "connection") != NULL;
        conv.late = strstr(at, "late") != NULL;
        conv.latin1 = strstr(at, "latin1") != NULL;
    }
}

static void parse_line(const char *at)
{
    struct step *step = &conv.steps[conv.num_steps];
    *step = (struct step){.start = conv.len};
    if (*at == '=') {
        parse_setting(at + 1);
    } else if (*at == '>' || *at == '<') {
        step->dir = *at == '<';
        parse_bytes(at + 1);
        step->len = conv.len - step->start;
        conv.num_steps++;
    } else if (*at == '!') {
        unsigned long long len;
        char why[8] = "";
        step->is_gap = true;
        step->dir = at[1] == '<';
        assert_true(sscanf(at + 2, "%llu %7s", &len, why) >= 1);
        step->gap_len = len;
        step->why = strcmp(why, "cut") == 0   ? TCP_GAP_SNAPLEN
                    : strcmp(why, "cap") == 0 ? TCP_GAP_CAP
                                              : TCP_GAP_LOST;
        conv.num_steps++;
    }
    assert_true(conv.num_steps < MAX_STEPS);
}

static void read_conversation(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s: cannot be read", path);
    conv.connection = conv.late = conv.latin1 = conv.raw = false;
    conv.num_steps = conv.len = 0;
    memset(conv.limits, 0, sizeof conv.limits);
    while (fgets(line, MAX_LINE, file) != NULL)
        parse_line(line);
    fclose(file);
}

/* feed feeds bytes to a direction, from memory that ends at an unreadable page. */
static void feed(struct harness *h, int dir, const uint8_t *bytes, size_t len)
{
    struct guard_page guard = guard_page_copy(bytes, len);
    assert_non_null(guard.bytes);
    harness_feed(h, dir, guard.bytes, len);
    guard_page_free(&guard);
}

/* run plays the first max_bytes of the conversation, at most chunk bytes at a time. */
static void run(struct harness *h, size_t max_bytes, size_t chunk)
{
    harness_init(h);
    for (int limit = 0; limit < DS_LIMIT_COUNT; limit++) {
        if (conv.limits[limit] != 0)
            h->env.config.limits[limit] = conv.limits[limit];
    }
    h->env.memcap.max = h->env.config.limits[DS_LIMIT_MEMORY];
    h->env.config.raw = conv.raw;
    if (conv.connection)
        harness_open_connection(h);
    else
        harness_open_channels(h, conv.late, conv.latin1);
    for (size_t s = 0; s < conv.num_steps; s++) {
        const struct step *step = &conv.steps[s];
        if (step->is_gap) {
            harness_gap(h, step->dir, step->gap_len, step->why);
            continue;
        }
        for (size_t i = 0; i < step->len && step->start + i < max_bytes; i += chunk) {
            size_t len = step->len - i < chunk ? step->len - i : chunk;
            if (len > max_bytes - step->start - i)
                len = max_bytes - step->start - i;
            feed(h, step->dir, conv.bytes + step->start + i, len);
        }
    }
    harness_end(h);
}

static void finish(struct harness *h)
{
    assert_true(h->env.stats.no_memory <= failing_alloc_count()); /* each is counted once */
    assert_int_equal(harness_free(h), 0);
}

static void check_golden(const char *path, const struct harness *h)
{
    const char *update = getenv("DISTSNIFF_UPDATE");
    FILE *file = fopen(path, update != NULL ? "w+" : "r");
    if (file == NULL)
        fail_msg("%s: cannot be opened", path);
    if (update != NULL)
        fwrite(h->out.data, 1, h->out.len, file);
    rewind(file);
    const char *at = h->out.data;
    const char *end = at + h->out.len;
    for (int number = 1; fgets(line, MAX_LINE, file) != NULL; number++) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        size_t len = eol != NULL ? (size_t)(eol + 1 - at) : 0;
        if (len != strlen(line) || memcmp(at, line, len) != 0)
            fail_msg("%s:%d:\nexpected %sgot      %.*s", path, number, line, (int)len, at);
        at += len;
    }
    if (at != end)
        fail_msg("%s: more than expected:\n%.*s", path, (int)(end - at), at);
    fclose(file);
}

static void run_whole(void *context)
{
    struct harness h;
    (void)context;
    run(&h, SIZE_MAX, SIZE_MAX / 2);
    finish(&h);
}

static void check(const char *name)
{
    char path[300];
    struct harness whole, other;
    snprintf(path, sizeof path, "conversations/%s.txt", name);
    read_conversation(path);
    assert_true(conv.num_steps != 0);

    run(&whole, SIZE_MAX, SIZE_MAX / 2);
    assert_false(whole.out.failed);
    snprintf(path, sizeof path, "conversations/%s.out", name);
    check_golden(path, &whole);

    static const size_t chunks[] = {1, 7, 100};
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        run(&other, SIZE_MAX, chunks[i]);
        if (other.out.len != whole.out.len ||
            memcmp(other.out.data, whole.out.data, other.out.len) != 0)
            fail_msg("%s: other events in pieces of %zu bytes:\n%.*s", name, chunks[i],
                     (int)other.out.len, other.out.data);
        finish(&other);
    }
    finish(&whole);

    /* Every prefix; of a long conversation, some 500 of them. */
    size_t stride = conv.len / 500 + 1;
    for (size_t len = 0; len < conv.len; len += stride) {
        run(&other, len, SIZE_MAX / 2);
        finish(&other);
    }
    if (conv.len < 8192)
        assert_true(failing_alloc_each(run_whole, NULL) > 0);
}

static int is_conversation(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 4 && strcmp(entry->d_name + len - 4, ".txt") == 0;
}

static void test_one(void **state)
{
    check(*state);
}

int main(void)
{
    static struct CMUnitTest tests[256];
    struct dirent **entries;
    int num = scandir("conversations", &entries, is_conversation, alphasort);
    if (num <= 0 || num > 256) {
        fputs("no conversations\n", stderr);
        return 1;
    }
    for (int i = 0; i < num; i++) {
        char *name = entries[i]->d_name;
        name[strlen(name) - 4] = '\0';
        tests[i] = (struct CMUnitTest){.name = name, .test_func = test_one,
                                       .initial_state = name};
    }
    int failed = _cmocka_run_group_tests("conversations", tests, (size_t)num, NULL, NULL);
    for (int i = 0; i < num; i++)
        free(entries[i]);
    free(entries);
    return failed;
}
