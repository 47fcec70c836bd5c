/*
 * test_host_merge.c - packets of several hosts by time. A line is what happens, a word each:
 *
 *   a10    host a sends a packet of the 10th second; it is stored when it arrives
 *   @12    it is the 12th second now
 *   =a10   this packet is given out, and no other before it
 *   =-     nothing more is given out
 *   ^      the servers were away, and are back
 *   ~20    it becomes the 20th second, and at each one on the way it is looked who is silent
 *   ?a-b+  since that was asked last, a has fallen silent and b is back, in this order
 *   a10!   what is before the ! is late; a10* the same packet has been there; a10> its time is ahead
 *   a10+   the packet before it is missing; a9- that is the missing one
 */
#include "send/nats/host_merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static int64_t now_ns;
static char changes[64]; /* of who is silent */

/* Of each host, by its first letter: the last frame number, and those by second. */
static uint64_t frames[128], frame_at[128][128];

static enum host_merge_result add_frame(struct host_merge *merge, const char *name, int64_t second,
                                        uint64_t frame, uint32_t cap_len)
{
    static uint8_t bytes[4096];
    size_t number;
    const struct ds_packet packet = {
        .ts_ns = second * SECOND, .frame = frame, .data = bytes, .cap_len = cap_len, .len = 5000};
    return host_merge_add(merge, (struct ds_text){name, strlen(name)}, &packet, now_ns, now_ns, &number);
}

static enum host_merge_result add(struct host_merge *merge, const char *name, int64_t second, uint32_t cap_len)
{
    return add_frame(merge, name, second, ++frames[name[0] & 127], cap_len);
}

/* look checks which hosts are silent, once a second until then. */
static void look(struct host_merge *merge, int64_t until_s)
{
    size_t number;
    while (now_ns < until_s * SECOND) {
        now_ns += SECOND;
        while (host_merge_silence(merge, now_ns, &number)) {
            const struct host_merge_host *host = host_merge_host(merge, number);
            strcat(strcat(changes, host->name), host->is_silent ? "-" : "+");
        }
    }
}

static void step(struct host_merge *merge, const char *word)
{
    struct ds_packet packet;
    size_t host;
    char given[HOST_MERGE_NAME + 16] = "-", name[2] = {word[0]};
    if (word[0] == '@') {
        now_ns = atoll(word + 1) * SECOND;
        return;
    }
    if (word[0] == '^') {
        host_merge_outage(merge, now_ns);
        return;
    }
    if (word[0] == '~') {
        look(merge, atoll(word + 1));
        return;
    }
    if (word[0] == '?') {
        assert_string_equal(changes, word + 1);
        changes[0] = '\0';
        return;
    }
    if (word[0] == '=') {
        if (host_merge_next(merge, now_ns, &packet, &host))
            snprintf(given, sizeof given, "%s%d", host_merge_host(merge, host)->name,
                     (int)(packet.ts_ns / SECOND));
        assert_string_equal(given, word + 1);
        return;
    }
    const char last = word[strlen(word) - 1];
    const enum host_merge_result wanted = last == '!'   ? HOST_MERGE_LATE
                                          : last == '*' ? HOST_MERGE_COPY
                                          : last == '>' ? HOST_MERGE_AHEAD
                                                        : HOST_MERGE_TAKEN;
    const long long second = atoll(word + 1);
    uint64_t *frame = &frames[name[0] & 127], *known = &frame_at[name[0] & 127][second & 127];
    *frame += last == '+' ? 2 : last == '*' || last == '-' ? 0 : 1;
    *known = last == '*' ? *known : *frame - (last == '-');
    assert_int_equal(add_frame(merge, name, second, *known, 4), wanted);
}

/* goes plays a line; packets wait for two seconds, and a host is silent after twenty. */
static void goes(const char *line)
{
    const struct host_merge_config config = {
        .lateness_ns = 2 * SECOND, .max_bytes = 1 << 20, .silence_ns = 20 * SECOND};
    struct host_merge *merge = host_merge_new(&config);
    changes[0] = '\0';
    memset(frames, 0, sizeof frames);
    char *words = strdup(line), *rest = words;
    now_ns = 0;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        if (word[0] != '\0')
            step(merge, word);
    }
    free(words);
    host_merge_free(merge);
}

static void one_host_waits_for_itself(void **state)
{
    (void)state;
    goes("@11 a10 =- a11 =a10 =- @12 =- @13 =a11 =-");
    goes("@10 a10 a9 a8 @12 =a8 =a9 =a10 =-"); /* it sends unacknowledged packets again */
}

static void all_have_spoken_of_a_later_moment(void **state)
{
    (void)state;
    goes("@12 a10 b9 =- a11 =- b11 =b9 =a10 =- b12 =- a12 =a11 =b11 =- @14 =a12 =b12 =-");
}

static void a_silent_host_is_waited_for_two_seconds(void **state)
{
    (void)state;
    goes("@1 b1 @10 a10 =b1 =- @11 =- @12 =a10 =-");
    goes("@1 b1 @10 a10 =b1 @11 b9 =- @12 =b9 =a10 =-");
    goes("@1 b1 @10 a10 =b1 @12 =a10 b9! b10 =- @14 =b10 =-");
}

static void copies_are_left_out(void **state)
{
    (void)state;
    goes("@10 a9 a10 a9* a10* =a9 @13 =a10 =-");
}

static void clocks_that_differ_are_waited_for(void **state)
{
    (void)state;
    /* b's clock is three seconds behind. */
    goes("@10 a10 b7 =- @11 a11 b8 =b7 =- @14 =- @15 =b8 =a10 =- @16 =a11 =-");
    /* A host that sends nothing for a minute does not delay others, whatever its last packet was. */
    goes("@1000 a1000 b10 =- @1059 =- @1060 =b10 =a1000 =- a1003 a1060 =- @1062 =a1003 =a1060 =-");
}

static void hosts_that_catch_up_are_waited_for(void **state)
{
    (void)state;
#define BEGIN "@10 a10 b10 @11 a11 b11 =a10 =b10 =- "
    /* b has published nothing for a while, and now publishes its backlog, more slowly than a. */
    goes(BEGIN "@20 a20 =a11 =b11 =- @22 b12 =b12 =- @23 b13 =b13 @24 =- b14 =b14 =- @26 a26 b25 =a20 =- "
         "@28 =b25 =a26 =-");
    /* It may pause for five seconds. */
    goes(BEGIN "@20 a20 =a11 =b11 =- @22 b12 =b12 =- @26 =- @27 =a20 =-");
    /* It has caught up when it is late by half of the wait for others. */
    goes(BEGIN "@20 a20 =a11 =b11 =- @22 b12 =b12 =- @24 a22 b22 =a20 =- @26 =- b25 =a22 =b22 =-");
    /* It is late by no more than the wait for others. */
    goes(BEGIN "@20 a20 =a11 =b11 =- @22 b20 =a20 =- @24 =b20 =-");
    /* The wait for it ends after a minute. */
    goes(BEGIN "@40 a40 =a11 =b11 =- @44 b12 =b12 =- @48 b13 =b13 =- @52 b14 =b14 =- @56 b15 =b15 =- @60 b16 =b16 =- "
         "@64 b17 =b17 =- @68 b18 =b18 =- @72 b19 =b19 =- @76 b20 =b20 =- @80 b21 =b21 =- @84 b22 =b22 =- "
         "@88 b23 =b23 =- @92 b24 =b24 =- @96 b25 =b25 =- @99 =- @100 =a40 =-");
#undef BEGIN
}

static void servers_that_are_back_are_waited_for(void **state)
{
    (void)state;
#define BEGIN "@10 a10 b10 c10 @11 a11 b11 c11 =a10 =b10 =c10 =- @12 ^ a12 b12 =- @14 =- "
    goes(BEGIN "@31 =- @32 =a11 =b11 =c11 =a12 =b12 =-");
    goes(BEGIN "c12 =a11 =b11 =c11 =a12 =b12 =- @16 =c12 =-");
#undef BEGIN
    /* What was captured while nobody's packets were stored shows that they were away. */
    goes("@10 a10 b10 @11 a11 b11 =a10 =b10 =- @13 =a11 =b11 @20 a12 a13 =- @23 =- b12 =- b13 =a12 =b12 =- @28 =a13 =b13 =-");
    goes("@10 a10 b10 @11 a11 b11 =a10 =b10 =- @13 =a11 =b11 @20 a20 =- @22 =a20 =-"); /* nobody had anything */
    /* A host that had not published for a minute is not waited for. */
    goes("@10 c10 @80 a80 b80 =c10 =- @81 ^ a81 b81 =- @82 =a80 =b80 =- @83 =a81 =b81 =-");
}

/* What servers did not acknowledge is sent again, and comes after later packets of its host. */
static void packets_that_are_missing_are_waited_for(void **state)
{
    (void)state;
    goes("@13 a10 b10 =- a12+ b12 =a10 =b10 =- @16 =- a11- =a11 =a12 =b12 =-");
    goes("@13 a10 a13+ =a10 =- @17 =- @19 a12- =a12 =a13 =-"); /* its own later ones wait, too */
    goes("@13 a10 a13+ =a10 =- @19 =- @20 =a13 a12-! =-"); /* seven seconds, and no longer */
    goes("@13 a10 a13+ =a10 =- @20 a14 =a13 @22 =a14 =- a16+ =- @28 =- a15- =a15 =a16 =-"); /* each */
    goes("@13 a10 b10 a13+ =- b13 =a10 =b10 =- @16 =- @20 =a13 =b13 =-"); /* others wait, too */
}

/* At first it is not known which hosts there are. */
static void hosts_that_are_not_known_yet_are_waited_for(void **state)
{
    const struct host_merge_config config = {
        .lateness_ns = 2 * SECOND, .max_bytes = 1 << 20, .begin_ns = 2 * SECOND};
    struct host_merge *merge = host_merge_new(&config);
    struct ds_packet packet;
    size_t number;
    (void)state;
    now_ns = 12 * SECOND;
    assert_int_equal(add_frame(merge, "a", 10, 1, 4), HOST_MERGE_TAKEN);
    assert_int_equal(add_frame(merge, "a", 12, 2, 4), HOST_MERGE_TAKEN);
    assert_false(host_merge_next(merge, now_ns, &packet, &number));
    now_ns = 13 * SECOND;
    assert_int_equal(add_frame(merge, "b", 9, 1, 4), HOST_MERGE_TAKEN);
    assert_int_equal(add_frame(merge, "b", 13, 2, 4), HOST_MERGE_TAKEN);
    assert_false(host_merge_next(merge, now_ns, &packet, &number));
    now_ns = 14 * SECOND;
    for (int64_t second = 9; second < 11; second++) {
        assert_true(host_merge_next(merge, now_ns, &packet, &number));
        assert_int_equal(packet.ts_ns, second * SECOND);
    }
    host_merge_free(merge);
    /* Of what was stored before, two seconds are enough, however soon they are read. */
    merge = host_merge_new(&config);
    for (int64_t second = 10; second < 13; second++) {
        const struct ds_packet one = {.ts_ns = second * SECOND, .frame = (uint64_t)second};
        assert_false(host_merge_next(merge, now_ns, &packet, &number));
        assert_int_equal(host_merge_add(merge, (struct ds_text){"a", 1}, &one, second * SECOND, now_ns, &number),
                         HOST_MERGE_TAKEN);
    }
    assert_true(host_merge_next(merge, now_ns, &packet, &number));
    host_merge_free(merge);
}

/* A publisher that is started again counts from 1. */
static void frame_numbers_begin_again(void **state)
{
    const struct host_merge_config config = {.lateness_ns = 2 * SECOND, .max_bytes = 1 << 20};
    struct host_merge *merge = host_merge_new(&config);
    struct ds_packet packet;
    size_t number;
    (void)state;
    now_ns = 100 * SECOND;
    assert_int_equal(add_frame(merge, "a", 10, 500, 4), HOST_MERGE_TAKEN);
    assert_int_equal(add_frame(merge, "a", 11, 501, 4), HOST_MERGE_TAKEN);
    assert_int_equal(add_frame(merge, "a", 12, 1, 4), HOST_MERGE_TAKEN);
    assert_int_equal(add_frame(merge, "a", 13, 2, 4), HOST_MERGE_TAKEN);
    for (int64_t second = 10; second < 13; second++) {
        assert_true(host_merge_next(merge, now_ns, &packet, &number));
        assert_int_equal(packet.ts_ns, second * SECOND);
    }
    host_merge_free(merge);
}

static void what_was_stored_long_ago_is_read_faster(void **state)
{
    const struct host_merge_config config = {.lateness_ns = 2 * SECOND, .max_bytes = 1 << 20};
    struct host_merge *merge = host_merge_new(&config);
    const struct ds_text a = {"a", 1};
    struct ds_packet packet = {.ts_ns = 10 * SECOND}, given;
    size_t number;
    (void)state;
    assert_int_equal(host_merge_add(merge, a, &packet, 10 * SECOND, 500, &number), HOST_MERGE_TAKEN);
    packet.ts_ns = packet.ts_ns - SECOND;
    assert_int_equal(host_merge_add(merge, (struct ds_text){"b", 1}, &packet, 9 * SECOND, 500, &number),
                     HOST_MERGE_TAKEN);
    packet.ts_ns = 12 * SECOND;
    assert_int_equal(host_merge_add(merge, a, &packet, 12 * SECOND, 500, &number), HOST_MERGE_TAKEN);
    assert_true(host_merge_next(merge, 500, &given, &number)); /* the packet of b */
    assert_true(host_merge_next(merge, 500, &given, &number)); /* stored two seconds before the latest */
    assert_int_equal(given.ts_ns, 10 * SECOND);
    assert_false(host_merge_next(merge, 500, &given, &number));
    assert_true(host_merge_next(merge, 500 + 2 * SECOND, &given, &number));
    host_merge_free(merge);
}

static void the_future_waits_or_is_left_out(void **state)
{
    (void)state;
    /* It waits for its own time, and two seconds. A clock that is ahead makes no other host late. */
    goes("@10 a70 a71> =- @12 =- @71 =- @72 =a70 =-");
    goes("@10 b10 a30 =- @31 =- @32 =b10 =- b31 =- @51 =- @52 =a30 =- b52 =- @54 =b31 =-");
    goes("@10 a9000000000> =- a10 @12 =a10 =-");
}

static void times_beyond_all_clocks(void **state)
{
    const struct host_merge_config config = {.lateness_ns = 2 * SECOND, .max_bytes = 1 << 20};
    static const int64_t times[] = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};
    enum { NUM = sizeof times / sizeof times[0] };
    struct host_merge *merge = host_merge_new(&config);
    struct ds_packet given;
    size_t number;
    (void)state;
    for (int i = 0; i < NUM * NUM; i++) {
        const struct ds_packet packet = {.ts_ns = times[i / NUM], .frame = (uint64_t)i};
        (void)host_merge_add(merge, (struct ds_text){i % 2 == 0 ? "a" : "b", 1}, &packet, times[i % NUM], i,
                             &number);
        (void)host_merge_next(merge, i, &given, &number);
    }
    host_merge_free(merge);
}

static void bounds(void **state)
{
    const struct host_merge_config config = {.lateness_ns = 2 * SECOND, .max_bytes = 64 * 1024};
    struct host_merge *merge = host_merge_new(&config);
    struct ds_packet packet;
    size_t host;
    int num = 0;
    char name[32];
    (void)state;
    now_ns = 10 * SECOND;
    for (int i = 0; i < 32; i++)
        assert_int_equal(add(merge, "a", i, 4096), HOST_MERGE_TAKEN);
    while (host_merge_next(merge, now_ns, &packet, &host))
        num++; /* those that all have passed */
    assert_int_equal(num, 31);
    assert_false(host_merge_was_full(merge));
    assert_int_equal(add(merge, "b", 0, 4), HOST_MERGE_LATE);
    assert_int_equal(add(merge, "b", 30, 4), HOST_MERGE_TAKEN);
    for (int i = 32; i < 64; i++)
        assert_int_equal(add(merge, "a", i, 4096), HOST_MERGE_TAKEN);
    for (num = 0; host_merge_next(merge, now_ns, &packet, &host); num++)
        ;
    assert_in_range(num, 17, 19); /* 16 fit into 64 KiB, nearly */
    assert_true(host_merge_was_full(merge));
    assert_false(host_merge_was_full(merge));
    for (int i = 2; i < HOST_MERGE_HOSTS; i++) {
        snprintf(name, sizeof name, "host%d", i);
        assert_int_equal(add(merge, name, 60, 4), HOST_MERGE_TAKEN);
    }
    assert_int_equal(add(merge, "more", 60, 4), HOST_MERGE_MANY_HOSTS);
    assert_non_null(host_merge_host(merge, HOST_MERGE_HOSTS - 1));
    assert_null(host_merge_host(merge, HOST_MERGE_HOSTS));
    host_merge_free(merge);
}

/* A host whose packets go backwards costs a bounded number of steps for each of them. */
static void backwards_is_late_at_last(void **state)
{
    const struct host_merge_config config = {.lateness_ns = 2 * SECOND, .max_bytes = 1 << 24};
    struct host_merge *merge = host_merge_new(&config);
    int num = 0;
    (void)state;
    now_ns = 100000 * SECOND;
    while (add(merge, "a", 50000 - num, 4) == HOST_MERGE_TAKEN)
        num++;
    assert_int_equal(num, 4096);
    assert_int_equal(add(merge, "a", 50000 - num, 4), HOST_MERGE_FAR);
    host_merge_free(merge);
}

static void hosts_fall_silent(void **state)
{
    (void)state;
    goes("~1 a1 b1 ~15 b15 ~20 ? ~21 ?a- b21 ~40 b40 ? a40 ~41 ?a+ b41 ~59 b59 ~60 ?a- ~61 ?"); /* once each */
    goes("~1 a1 b1 ~11 b11 ~20 ? ~22 ?"); /* no host has sent anything for half of that time */
    goes("~1 a1 ~90 ?");            /* no other host shows that time passes */
    goes("~1 a1 b1 ~20 b20 @23 ~24 b24 ~35 b35 ~42 ? ~44 ?a-"); /* the process that checks was delayed */
    goes("~1 a1 b1 ~9 b9 ~16 a0 b16 ~30 b30 ~35 ? ~36 ?a-"); /* late packets show that the host is there */
    goes("~1 a100000> b1 ~15 b15 ~25 b25 ~40 ?"); /* none of its packets was ever accepted */
}

/* The beginning of a silence is known when the host is back, whatever it has sent since. */
static void silence_has_a_beginning(void **state)
{
    const struct host_merge_config config = {
        .lateness_ns = 2 * SECOND, .max_bytes = 1 << 20, .silence_ns = 20 * SECOND};
    struct host_merge *merge = host_merge_new(&config);
    const struct host_merge_host *a = NULL;
    (void)state;
    assert_non_null(merge);
    now_ns = 0;
    for (int64_t second = 1; second <= 90; second++) {
        if (second < 3 || second == 45) /* silent from 2 and from 45 on */
            (void)add(merge, "a", second, 10);
        (void)add(merge, "b", second, 10);
        look(merge, second);
        a = host_merge_host(merge, 0);
        assert_int_equal(a->silent_since_ns, (second < 21 ? 0 : second < 64 ? 2 : 45) * SECOND);
    }
    assert_true(a->is_silent);
    host_merge_free(merge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_host_waits_for_itself),
        cmocka_unit_test(all_have_spoken_of_a_later_moment),
        cmocka_unit_test(a_silent_host_is_waited_for_two_seconds),
        cmocka_unit_test(copies_are_left_out),
        cmocka_unit_test(clocks_that_differ_are_waited_for),
        cmocka_unit_test(hosts_that_catch_up_are_waited_for),
        cmocka_unit_test(servers_that_are_back_are_waited_for),
        cmocka_unit_test(packets_that_are_missing_are_waited_for),
        cmocka_unit_test(hosts_that_are_not_known_yet_are_waited_for),
        cmocka_unit_test(frame_numbers_begin_again),
        cmocka_unit_test(what_was_stored_long_ago_is_read_faster),
        cmocka_unit_test(the_future_waits_or_is_left_out),
        cmocka_unit_test(times_beyond_all_clocks),
        cmocka_unit_test(bounds),
        cmocka_unit_test(hosts_fall_silent),
        cmocka_unit_test(silence_has_a_beginning),
        cmocka_unit_test(backwards_is_late_at_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
