/*
 * test_keylog.c - the lines of a key log: which are accepted, counted as invalid, repeated or
 * useless; incomplete lines; none costs more than others; and lines are reported as used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "conn/conn.h"
#include "failing_alloc.h"
#include "tls/keylog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char line[1024];

/* make_line makes a line with a name, a random of that many digits and a secret of that many. */
static const char *make_line(const char *name, int random, int secret)
{
    snprintf(line, sizeof line, "%s %0*d %0*d", name, random, 7, secret, 9);
    return line;
}

static void add(struct ds_keylog *keylog, const char *text)
{
    ds_keylog_add(keylog, text, strlen(text));
    ds_keylog_end(keylog);
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int random, secret;
        unsigned secrets, malformed, unused;
    } lines[] = {
        {"CLIENT_RANDOM", 64, 96, 1, 0, 0},
        {"CLIENT_RANDOM", 64, 64, 0, 1, 0},
        {"CLIENT_RANDOM", 62, 96, 0, 1, 0},
        {"CLIENT_RANDOM", 66, 96, 0, 1, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 64, 1, 0, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 96, 1, 0, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 95, 0, 1, 0},
        {"CLIENT_TRAFFIC_SECRET_0", 64, 128, 0, 1, 0},
        {"CLIENT_TRAFFIC_SECRET_999999", 64, 96, 1, 0, 0},
        {"CLIENT_TRAFFIC_SECRET_1000000", 64, 96, 0, 0, 1},
        {"CLIENT_TRAFFIC_SECRET_", 64, 96, 0, 0, 1},
        {"EXPORTER_SECRET", 64, 96, 0, 0, 1},
        {"DISTSNIFF_WRITE_KEY_4866", 24, 64, 1, 0, 0},
        {"DISTSNIFF_WRITE_KEY_4866", 24, 32, 0, 1, 0},
        {"DISTSNIFF_WRITE_KEY_4866", 24, 66, 0, 1, 0},
        {"DISTSNIFF_WRITE_KEY_4866", 24, 128, 0, 1, 0},
        {"DISTSNIFF_WRITE_KEY_4866", 22, 64, 0, 1, 0},
        {"DISTSNIFF_WRITE_KEY_4866", 26, 64, 0, 1, 0},
        {"DISTSNIFF_WRITE_KEY_4865", 24, 32, 1, 0, 0},
        {"DISTSNIFF_WRITE_KEY_4865", 24, 64, 0, 1, 0},
        {"DISTSNIFF_WRITE_KEY_49199", 24, 32, 1, 0, 0},
        {"DISTSNIFF_WRITE_KEY_49191", 24, 32, 0, 1, 0}, /* CBC: it has a MAC as well */
        {"DISTSNIFF_WRITE_KEY_1", 24, 64, 0, 1, 0},
        {"DISTSNIFF_WRITE_KEY_70402", 24, 64, 0, 1, 0}, /* 4866 of 16 bits */
        {"DISTSNIFF_WRITE_KEY_", 24, 64, 0, 0, 1},
        {"client_random", 64, 96, 0, 1, 0},
        {"", 64, 96, 0, 1, 0},
        {"# CLIENT_RANDOM", 64, 96, 0, 0, 0},
        {"CLIENT_RANDOM", 64, 500, 0, 1, 0},
        {"\xef\xbb\xbf""CLIENT_RANDOM", 64, 96, 1, 0, 0}, /* as some editors begin a file */
        {"\xef\xbb\xbf# CLIENT_RANDOM", 64, 96, 0, 0, 0},
        {"\xef\xbb\xbf", 64, 96, 0, 1, 0},
        {"\xef\xbb""CLIENT_RANDOM", 64, 96, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct ds_keylog *keylog = ds_keylog_new(10);
        const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
        add(keylog, make_line(lines[i].name, lines[i].random, lines[i].secret));
        assert_int_equal(stats->secrets, lines[i].secrets);
        assert_int_equal(stats->malformed, lines[i].malformed);
        assert_int_equal(stats->unused, lines[i].unused);
        add(keylog, line);
        assert_int_equal(stats->repeated, lines[i].secrets);
        ds_keylog_free(keylog);
    }
}

/* A line may be whole, or come in pieces, or be as long as a disk. */
static void test_pieces(void **state)
{
    (void)state;
    char all[1024 + 3000], text[400];
    const size_t len = strlen(make_line("CLIENT_RANDOM", 64, 96));
    memcpy(text, line, len);
    memset(all, '\0', sizeof all);
    memcpy(all, text, len);
    memcpy(all + len, "\r\n", 2);
    all[sizeof all - len - 1] = '\r';
    text[len - 1] = '1'; /* the last letter decides its meaning */
    memcpy(all + sizeof all - len, text, len);
    for (size_t piece = 1; piece < sizeof all; piece += piece < 700 ? 1 : 97) {
        struct ds_keylog *keylog = ds_keylog_new(10);
        const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
        for (size_t at = 0; at < sizeof all; at += piece)
            ds_keylog_add(keylog, all + at, sizeof all - at < piece ? sizeof all - at : piece);
        ds_keylog_end(keylog);
        assert_int_equal(stats->secrets, 2);
        assert_int_equal(stats->malformed, 1);
        ds_keylog_free(keylog);
    }
}

/* Each prefix of a line: none is mistaken for another line. */
static void test_beginnings(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t may_be; /* length of a prefix that is a valid line for other suites */
    } lines[] = {{"CLIENT_RANDOM", 0}, {"SERVER_TRAFFIC_SECRET_0", 23 + 1 + 64 + 1 + 64}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const size_t whole = strlen(make_line(lines[i].name, 64, 96));
        for (size_t len = 0; len <= whole; len++) {
            struct ds_keylog *keylog = ds_keylog_new(10);
            const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
            const bool is_line = len == whole || (len != 0 && len == lines[i].may_be);
            ds_keylog_try(keylog, line, len);
            ds_keylog_try(keylog, line, len);
            assert_int_equal(stats->secrets, is_line);
            add(keylog, line);
            assert_int_equal(stats->secrets, is_line && len != whole ? 2 : 1);
            assert_int_equal(stats->malformed + stats->unused, 0);
            assert_int_equal(stats->repeated, len == whole);
            ds_keylog_free(keylog);
        }
    }
}

/* A candidate line is not part of an incomplete line, and one that is too long begins none. */
static void test_tried_between(void **state)
{
    (void)state;
    struct ds_keylog *keylog = ds_keylog_new(10);
    const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
    static char endless[2000];
    memset(endless, 'A', sizeof endless);
    ds_keylog_try(keylog, endless, sizeof endless);
    make_line("CLIENT_RANDOM", 64, 96);
    ds_keylog_add(keylog, line, 50);
    ds_keylog_try(keylog, line, strlen(line));
    assert_int_equal(stats->secrets, 0);
    ds_keylog_add(keylog, line + 50, strlen(line) - 50);
    ds_keylog_end(keylog);
    assert_int_equal(stats->secrets, 1);
    assert_int_equal(stats->malformed, 0);
    ds_keylog_free(keylog);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 4; n++) {
        struct ds_keylog *keylog = ds_keylog_new(10);
        assert_non_null(keylog);
        failing_alloc_at(n);
        ds_keylog_try(keylog, make_line("CLIENT_RANDOM", 64, 96), 14 + 65 + 96);
        failing_alloc_at(0);
        assert_int_equal(ds_keylog_stats(keylog)->no_memory, n <= 3);
        assert_int_equal(ds_keylog_stats(keylog)->secrets, n > 3);
        ds_keylog_free(keylog);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void count_line(void *context, uint64_t tcp, struct ds_text text)
{
    uint64_t *num = context;
    assert_int_equal(tcp, 5);
    assert_int_equal(text.data[text.len - 1], '\n');
    (*num)++;
}

/* Lines from an attacker: with one random, with randoms that begin alike, or one line with many
 * secrets. Each is added as fast as any other, beyond the cap, too, and so is each hello that names
 * them. */
static void test_strangers(void **state)
{
    enum { CAP = 20000, LINES = 3 * CAP };
    static const char *const kinds[] = {"one random", "one beginning", "one line"};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        const double begin = seconds();
        struct ds_keylog *keylog = ds_keylog_new(CAP);
        const struct dissect_ctx env = {.config = {.keylog = keylog, .keylog_notes = true}};
        uint8_t random[TLS_RANDOM_LEN] = {0};
        uint64_t num_given = 0, num_used = 0;
        for (unsigned i = 0; i < LINES; i++) {
            const unsigned number = kind == 1 ? i : 0;
            snprintf(line, sizeof line, "CLIENT_TRAFFIC_SECRET_%u %056d%08x %056d%08x", kind == 0 ? i : 0, 0,
                     number, 0, i);
            add(keylog, line);
            for (int n = 0; n < 4; n++)
                random[TLS_RANDOM_LEN - 1 - n] = (uint8_t)(number >> 8 * n);
            keylog_mark_used(&env, random, 5);
            keylog_mark_used(&env, random, 5);
            num_used = ds_keylog_used(keylog, num_used, count_line, &num_given);
        }
        assert_int_equal(ds_keylog_stats(keylog)->secrets, LINES);
        assert_int_equal(ds_keylog_stats(keylog)->dropped, kind == 2 ? 0 : LINES - CAP);
        assert_int_equal(num_used, LINES);
        assert_int_equal(num_given, LINES);
        ds_keylog_free(keylog);
        if (seconds() - begin > 5)
            fail_msg("%s: %g s", kinds[kind], seconds() - begin);
    }
}

/* A used secret is reported once, even if it was evicted in between; of two secrets for one random
 * the last one counts. */
static void test_used(void **state)
{
    (void)state;
    struct ds_keylog *keylog = ds_keylog_new(40);
    const struct dissect_ctx env = {.config = {.keylog = keylog, .keylog_notes = true}};
    uint8_t random[TLS_RANDOM_LEN] = {[TLS_RANDOM_LEN - 1] = 7};
    uint64_t num = 0;
    for (int i = 0; i < 60; i++) {
        char name[40];
        snprintf(name, sizeof name, "CLIENT_TRAFFIC_SECRET_%d", i);
        add(keylog, make_line(name, 64, 64));
        if (i == 2) {
            keylog_mark_used(&env, random, 5);
            assert_int_equal(ds_keylog_used(keylog, 0, count_line, &num), 3);
            assert_int_equal(num, 3);
            make_line("CLIENT_TRAFFIC_SECRET_0", 64, 64);
            line[strlen(line) - 1] = 'f';
            add(keylog, line);
            assert_int_equal(keylog_find(keylog, TLS_LABEL_CLIENT, 0, random)->secret[31], 0x0f);
        } else if (i == 19) {
            keylog_mark_used(&env, random, 5);
            assert_int_equal(ds_keylog_used(keylog, 3, count_line, &num), 3 + 18);
            assert_int_equal(num, 3 + 18);
        }
    }
    assert_int_equal(ds_keylog_stats(keylog)->dropped, 20);
    assert_null(keylog_find(keylog, TLS_LABEL_CLIENT, 19, random));
    assert_non_null(keylog_find(keylog, TLS_LABEL_CLIENT, 20, random));
    assert_int_equal(ds_keylog_used(keylog, 0, count_line, &num), 21);
    assert_int_equal(num, 21); /* those are dropped */
    keylog_mark_used(&env, random, 5);
    assert_int_equal(ds_keylog_used(keylog, 21, count_line, &num), 21 + 40);
    assert_int_equal(num, 21 + 40);
    ds_keylog_free(keylog);
}

/* Digits may be upper or lower case; their ASCII neighbours are not digits. */
static void test_digits(void **state)
{
    (void)state;
    for (int c = ' ' + 1; c < 0x7f; c++) {
        struct ds_keylog *keylog = ds_keylog_new(10);
        const char digits[] = {(char)c, '\0'};
        const bool is_digit = strchr("0123456789abcdefABCDEF", c) != NULL;
        const uint8_t random[TLS_RANDOM_LEN] = {[TLS_RANDOM_LEN - 1] = 7};
        make_line("CLIENT_RANDOM", 64, 96);
        line[strlen(line) - 1] = (char)c;
        add(keylog, line);
        const struct keylog_secret *found = keylog_find(keylog, TLS_LABEL_MASTER, 0, random);
        assert_int_equal(found != NULL, is_digit);
        assert_int_equal(ds_keylog_stats(keylog)->malformed, !is_digit);
        if (is_digit)
            assert_int_equal(found->secret[TLS_MASTER_LEN - 1], strtoul(digits, NULL, 16));
        ds_keylog_free(keylog);
    }
}

/* A line of 512 bytes is read, a longer one is not, in any number of pieces. */
static void test_longest(void **state)
{
    enum { LONGEST = 512 };
    static char text[LONGEST + 1];
    (void)state;
    memset(text, '0', sizeof text);
    memcpy(text, "OTHER ", 6);
    for (size_t part = 0; part <= LONGEST; part += 128) {
        struct ds_keylog *keylog = ds_keylog_new(10);
        const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
        ds_keylog_add(keylog, text, part);
        ds_keylog_add(keylog, text + part, LONGEST - part);
        ds_keylog_end(keylog);
        assert_int_equal(stats->unused, 1);
        ds_keylog_add(keylog, text, part);
        ds_keylog_add(keylog, text + part, LONGEST + 1 - part);
        ds_keylog_end(keylog);
        assert_int_equal(stats->unused, 1);
        assert_int_equal(stats->malformed, 1);
        add(keylog, make_line("CLIENT_RANDOM", 64, 96)); /* not part of the line that was too long */
        assert_int_equal(stats->secrets, 1);
        ds_keylog_free(keylog);
    }
}

/* add_numbered adds the secret of a random that ends with that byte. */
static void add_numbered(struct ds_keylog *keylog, unsigned number)
{
    snprintf(line, sizeof line, "CLIENT_RANDOM %062d%02x %094d%02x", 0, number, 0, number);
    add(keylog, line);
}

/* If there is no room, the oldest line is evicted, for any cap. */
static void test_oldest_goes(void **state)
{
    (void)state;
    for (unsigned cap = 0; cap <= 40; cap++) {
        struct ds_keylog *keylog = ds_keylog_new(cap);
        const struct ds_keylog_stats *stats = ds_keylog_stats(keylog);
        for (unsigned num = 1; num <= 100; num++) {
            add_numbered(keylog, num);
            assert_int_equal(stats->secrets, cap != 0 ? num : 0);
            assert_int_equal(stats->dropped, num > cap ? num - cap : 0);
            for (unsigned i = 0; i <= num; i++) {
                const uint8_t random[TLS_RANDOM_LEN] = {[TLS_RANDOM_LEN - 1] = (uint8_t)i};
                const struct keylog_secret *found = keylog_find(keylog, TLS_LABEL_MASTER, 0, random);
                assert_int_equal(found != NULL, i != 0 && i + cap > num);
                if (found != NULL)
                    assert_int_equal(found->secret[TLS_MASTER_LEN - 1], i);
            }
        }
        assert_int_equal(keylog_each(keylog, cap) == NULL, true);
        assert_int_equal(cap == 0 || keylog_each(keylog, cap - 1) != NULL, true);
        ds_keylog_free(keylog);
    }
}

static void add_text(void *context, uint64_t tcp, struct ds_text text)
{
    char *all = context;
    (void)tcp;
    strncat(all, text.data, text.len);
}

/* Used lines are reported unchanged, in order; of the secrets of one random, the newest first. */
static void test_used_in_order(void **state)
{
    struct ds_keylog *keylog = ds_keylog_new(10);
    struct dissect_ctx env = {.config = {.keylog = keylog}};
    char wanted[4000] = "", told[4000] = "", later[sizeof line + 1];
    uint8_t random[TLS_RANDOM_LEN] = {[TLS_RANDOM_LEN - 1] = 9};
    (void)state;
    add_numbered(keylog, 9);
    snprintf(later, sizeof later, "%s\n", line);
    add_numbered(keylog, 1); /* never used */
    add_numbered(keylog, 0xfe);
    snprintf(wanted, sizeof wanted, "%s\n", line);
    snprintf(line, sizeof line, "SERVER_TRAFFIC_SECRET_20 %062d%02x %062d%02x", 0, 9, 0, 3);
    add(keylog, line);
    keylog_mark_used(&env, random, 1); /* not recorded as it is not wanted */
    assert_int_equal(ds_keylog_used(keylog, 0, add_text, told), 0);
    env.config.keylog_notes = true;
    random[TLS_RANDOM_LEN - 1] = 0xfe;
    keylog_mark_used(&env, random, 1);
    random[TLS_RANDOM_LEN - 1] = 9;
    keylog_mark_used(&env, random, 2);
    strcat(strcat(strcat(wanted, line), "\n"), later);
    assert_int_equal(ds_keylog_used(keylog, 0, add_text, told), 3);
    assert_string_equal(told, wanted);
    told[0] = '\0';
    assert_int_equal(ds_keylog_used(keylog, 2, add_text, told), 3);
    assert_string_equal(told, later);
    ds_keylog_free(keylog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_tried_between),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_used),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_oldest_goes),
        cmocka_unit_test(test_used_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
