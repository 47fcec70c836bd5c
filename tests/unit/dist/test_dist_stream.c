/*
 * test_dist_stream.c - properties of channels that conversations as text cannot test: the search on
 * hostile and random bytes, and events about atoms and their texts. test_dist_stream_ops.c tests
 * operations, test_dist_stream_caps.c caps on memory, test_conversations.c the rest.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "channel_harness.h"
#include "dist/resync.h"
#include "failing_alloc.h"
#include "op_frames.h"

#include <time.h>

static void test_probe(void **state)
{
    uint8_t bytes[600] = {0};
    size_t skip = 99;
    (void)state;
    size_t len = op_frame(bytes + 40, ds_op_find(22), -1, false);
    /* Behind 40 zeros, which could be ticks. */
    assert_int_equal(dist_stream_probe(cursor_make(bytes, 40 + len), &skip), PROTO_YES);
    assert_int_equal(skip, 40);
    for (size_t cut = 0; cut < len; cut++)
        assert_int_equal(dist_stream_probe(cursor_make(bytes, 40 + cut), &skip), PROTO_MORE);
    /* No frame follows. */
    memset(bytes + 40 + len, 0xff, 6);
    assert_int_equal(dist_stream_probe(cursor_make(bytes, 40 + len + 6), &skip), PROTO_MORE);
    /* A tick alone proves nothing. */
    assert_int_equal(dist_stream_probe(cursor_make(bytes, 4), &skip), PROTO_MORE);
}

static uint64_t random_state = 88172645463325252u;

static uint8_t random_byte(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint8_t)(random_state >> 32);
}

static void fail_on_message(void *context, const struct ds_event *event)
{
    (void)context;
    assert_int_not_equal(event->type, DS_EVENT_MESSAGE);
    assert_int_not_equal(event->type, DS_EVENT_TICK);
}

static void test_no_frames_in_noise(void **state)
{
    enum { NOISE_LEN = 4 << 20, CHUNK_LEN = 1448 };
    uint8_t chunk[CHUNK_LEN];
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.on_event = fail_on_message;
    harness_open_channels(&h, true, false);
    for (size_t done = 0; done < NOISE_LEN; done += CHUNK_LEN) {
        /* Half of the bytes are noise; the others are bytes that frames contain. */
        static const uint8_t likely[] = {0, 0, 0, 131, 68, 69, 70, 112, 104, 97, 2, 88, 22};
        for (size_t i = 0; i < CHUNK_LEN; i++) {
            uint8_t byte = random_byte();
            chunk[i] = (done & 1) == 0 ? byte : likely[byte % sizeof likely];
        }
        harness_feed(&h, 0, chunk, CHUNK_LEN);
        assert_true(h.env.memcap.used <= 3 * RESYNC_WINDOW_LEN);
    }
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

/* Frames within frames, each of which must be walked to its end to see that it is not one: the
 * search must be linear. */
static void test_search_is_linear(void **state)
{
    /* A binary that contains the beginning of a frame of 192 KiB: {2, '', <b.2.0>} and a list of
     * 4096 terms, the first of which is the next such binary. */
    static const char record[] = "\x6d\0\0\0\x22" "\0\3\0\0" "\x83\x44\0"
                                 "\x68\3\x61\2\x77\0" PID_B "\x6c\0\0\x10\0";
    enum { RECORD_LEN = sizeof record - 1, NUM_RECORDS = 8 * 1024 * 1024 / RECORD_LEN };
    struct harness h;
    struct timespec before, after;
    (void)state;
    assert_int_equal(RECORD_LEN, 5 + 0x22);
    harness_init(&h);
    h.env.config.on_event = fail_on_message;
    harness_open_channels(&h, true, false);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (size_t i = 0; i < NUM_RECORDS; i++)
        harness_feed(&h, 0, record, RECORD_LEN);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    /* Much less than a second without sanitizers; ten without the budget. */
    print_message("%ld ms\n", (long)((after.tv_sec - before.tv_sec) * 1000 +
                                     (after.tv_nsec - before.tv_nsec) / 1000000));
    assert_true(after.tv_sec - before.tv_sec < 8);
    h.env.config.on_event = NULL;
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

static unsigned num_messages, num_malformed;
static uint64_t num_bytes, num_gap_bytes, malformed_len;

static void count_events(void *context, const struct ds_event *event)
{
    (void)context;
    if (event->type == DS_EVENT_GAP) {
        num_gap_bytes += event->gap.bytes;
        assert_int_equal(event->fault.kind, DS_FAULT_MALFORMED);
    } else if (event->type == DS_EVENT_MESSAGE) {
        num_bytes += event->message.size;
        if (event->fault.kind == DS_FAULT_MALFORMED)
            malformed_len = event->message.size;
        num_malformed += event->fault.kind == DS_FAULT_MALFORMED;
        num_messages += event->fault.kind != DS_FAULT_MALFORMED;
    }
}

static void harness_init_counting(struct harness *h)
{
    harness_init(h);
    h->env.config.on_event = count_events;
    num_messages = num_malformed = 0;
    num_bytes = num_gap_bytes = 0;
    harness_open_channels(h, false, false);
}

/* put_head writes a frame's length, then {2, '', Pid}: a payload follows. */
static size_t put_head(uint8_t *to, uint32_t len)
{
    static const char control[] = "\x83\x44\0\x68\3\x61\2\x77\0" PID_B;
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(len >> (24 - 8 * i));
    memcpy(to + 4, control, sizeof control - 1);
    return 4 + sizeof control - 1;
}

/* A frame claims to be large and contains a small term: what follows is read and counted once,
 * however it is segmented, and nothing is counted that did not arrive. */
static void test_finds_the_way_back(void **state)
{
    enum { NUM = 100 };
    static const uint32_t announced[] = {20000, 1 << 20, 1 << 24, 1 << 30, 0x7ffffffb, 0x7ffffffc,
                                         UINT32_MAX};
    static uint8_t bytes[64 * 1024];
    struct harness h;
    (void)state;
    for (size_t i = 0; i < sizeof announced / sizeof announced[0]; i++) {
        for (size_t step = 1; step <= sizeof bytes; step *= 8) {
            size_t len = put_head(bytes, announced[i]);
            bytes[len++] = 97;
            bytes[len++] = 5;
            for (unsigned k = 0; k < NUM; k++)
                len += op_frame(bytes + len, ds_op_find(22), -1, false);
            harness_init_counting(&h);
            for (size_t done = 0; done < len; done += step)
                harness_feed(&h, 0, bytes + done, len - done < step ? len - done : step);
            /* All but the last, which nothing follows, were reported before the end. */
            assert_true(num_messages >= NUM - 1);
            harness_end(&h);
            assert_int_equal(num_messages, NUM);
            assert_int_equal(num_malformed, 1);
            assert_int_equal(malformed_len, announced[i] > 0x7ffffffb ? 4 : 6);
            assert_int_equal(num_bytes + num_gap_bytes, len);
            assert_int_equal(harness_free(&h), 0);
        }
    }
}

/* A frame whose terms end late, and one that a search finds and has to wait for: no later frame is
 * lost. */
static void test_finds_the_way_back_late(void **state)
{
    enum { LATE_LEN = 3000, NUM = 8000 };
    static uint8_t bytes[1 << 20];
    struct harness h;
    (void)state;
    for (int is_searched = 0; is_searched <= 1; is_searched++) {
        size_t len = 0;
        if (is_searched)
            len = put_head(bytes, UINT32_MAX);
        len += put_head(bytes + len, 1 << 20);
        if (is_searched) {
            bytes[len++] = 106;
        } else {
            memcpy(bytes + len, "\x6c\0\0\x0b\xb8", 5);
            memset(bytes + len + 5, 106, LATE_LEN + 1);
            len += 5 + LATE_LEN + 1;
        }
        for (unsigned k = 0; k < NUM; k++)
            len += op_frame(bytes + len, ds_op_find(22), -1, false);
        harness_init_counting(&h);
        for (size_t done = 0; done < len; done += 1448)
            harness_feed(&h, 0, bytes + done, len - done < 1448 ? len - done : 1448);
        assert_true(num_messages >= NUM - 1);
        harness_end(&h);
        assert_int_equal(num_messages, NUM);
        assert_int_equal(num_malformed, 1 + is_searched);
        assert_int_equal(num_bytes + num_gap_bytes, len);
        assert_int_equal(harness_free(&h), 0);
    }
}

/* The contents of a valid binary are never frames, however much they look like many: in a message
 * of the allowed length, in a longer one, or when the stream ends within it. */
static void test_nothing_within_a_legal_frame(void **state)
{
    enum { CHUNK_FRAMES = 200 };
    static uint8_t chunk[CHUNK_FRAMES * 256];
    static const uint32_t payloads[] = {3000, 300 * 1024, 17 << 20, 1 << 30};
    size_t chunk_len = 0;
    struct harness h;
    (void)state;
    for (unsigned k = 0; k < CHUNK_FRAMES; k++)
        chunk_len += op_frame(chunk + chunk_len, ds_op_find(22), -1, false);
    for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
        const uint32_t payload = payloads[i];
        const uint64_t goes_on = payload > 20 << 20 ? 20 << 20 : payload;
        uint8_t head[64];
        size_t len = put_head(head, 0);
        put_head(head, (uint32_t)len - 4 + 5 + payload);
        head[len++] = 109;
        for (int k = 0; k < 4; k++)
            head[len++] = (uint8_t)(payload >> (24 - 8 * k));
        harness_init_counting(&h);
        harness_feed(&h, 0, head, len);
        for (uint64_t done = 0; done < goes_on;) {
            size_t part = goes_on - done < chunk_len ? (size_t)(goes_on - done) : chunk_len;
            harness_feed(&h, 0, chunk, part);
            done += part;
            assert_int_equal(num_messages, done == payload);
        }
        harness_end(&h);
        assert_int_equal(num_messages, 1);
        assert_int_equal(num_malformed, 0);
        assert_int_equal(num_bytes, len + goes_on);
        assert_int_equal(harness_free(&h), 0);
    }
}

static uint8_t way_back[16 * 1024];
static size_t way_back_len;

static void run_way_back(void *context)
{
    const uint8_t *bytes = way_back;
    const size_t len = way_back_len;
    struct harness h;
    (void)context;
    harness_init(&h);
    h.env.config.on_event = NULL;
    harness_open_channels(&h, false, false);
    if (!h.broken) {
        for (size_t done = 0; done < len; done += 700)
            harness_feed(&h, 0, bytes + done, len - done < 700 ? len - done : 700);
        harness_end(&h);
    }
    assert_int_equal(harness_free(&h), 0);
}

static void test_way_back_without_memory(void **state)
{
    (void)state;
    size_t len = put_head(way_back, 1 << 20);
    memset(way_back + len, 106, 2100);
    len += 2100;
    for (unsigned k = 0; k < 20; k++)
        len += op_frame(way_back + len, ds_op_find(22), -1, false);
    way_back_len = len;
    assert_true(failing_alloc_each(run_way_back, NULL) >= 3);
}

static uint64_t atom_bytes;
static uint32_t num_inferred;

static void note_atoms(void *context, const struct ds_event *event)
{
    (void)context;
    atom_bytes = event->message.atom_bytes;
    num_inferred = event->inferred_atoms;
}

/* The text of an inferred atom counts like one that was sent. */
static void test_bytes_of_inferred_atoms(void **state)
{
    /* A link from slot 5 to slot 6, which the first message defines; and from slots 7 and 8. */
    static const uint8_t defines[] = {0,   0,  0,   49, 131, 68,  2,   0x88, 0,   5,   3,  'a', '@', 'h',
                                      6,   3,  'b', '@', 'h', 104, 3,   97,   1,   88,  82, 0,   0,   0,
                                      0,   1,  0,   0,   0,   0,   0,   0,    0,   7,   88, 82,  1,   0,
                                      0,   0,  1,   0,   0,   0,   0,   0,    0};
    uint8_t refers[64] = {0, 0, 0, 0, 131, 68, 2, 0, 0, 7, 8};
    enum { REFS_END = 19, NEW_REFS_END = 11 };
    uint8_t whole[sizeof defines + 2];
    struct harness h;
    (void)state;
    memcpy(whole, defines, sizeof defines);
    whole[sizeof defines] = 0;
    whole[sizeof defines + 1] = 7;
    whole[3] = sizeof whole - 4;
    memcpy(refers + NEW_REFS_END, whole + REFS_END, sizeof whole - REFS_END);
    const size_t refers_len = NEW_REFS_END + sizeof whole - REFS_END;
    refers[3] = (uint8_t)(refers_len - 4);
    harness_init(&h);
    h.env.config.on_event = note_atoms;
    harness_open_channels(&h, false, false);
    harness_feed(&h, 0, whole, sizeof whole);
    assert_int_equal(num_inferred, 0);
    assert_int_equal(atom_bytes, 6);
    harness_feed(&h, 0, refers, refers_len);
    assert_int_equal(num_inferred, 2);
    assert_int_equal(atom_bytes, 6);
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

static uint64_t atom_texts;
static unsigned num_likely;

static void note_texts(void *context, const struct ds_event *event)
{
    (void)context;
    if (event->type != DS_EVENT_MESSAGE)
        return;
    atom_texts = event->message.atom_texts;
    num_likely += event->likely_atoms != 0;
    assert_true(event->likely_atoms == 0 || atom_texts == 0);
}

/* link_of makes a link between two pids with the atoms in slots 5 and 6; is_new: it defines them. */
static size_t link_of(uint8_t *out, bool is_new, char first, char second)
{
    static const uint8_t pids[] = {104, 3, 97, 1, 88, 82, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7,
                                   88, 82, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7};
    const uint8_t known[] = {131, 68, 2, 0, 0, 5, 6};
    const uint8_t new[] = {131, 68, 2, 0x88, 0, 5, 3, (uint8_t)first, '@', 'h',
                           6, 3, (uint8_t)second, '@', 'h'};
    const size_t head_len = is_new ? sizeof new : sizeof known;
    memset(out, 0, 3);
    memcpy(out + 4, is_new ? new : known, head_len);
    memcpy(out + 4 + head_len, pids, sizeof pids);
    out[3] = (uint8_t)(head_len + sizeof pids);
    return 4 + head_len + sizeof pids;
}

/* While no text was freed, messages report that the texts of their atoms are where they were,
 * except for texts that the message brings, and likely ones. */
static void test_number_of_texts(void **state)
{
    uint8_t frame[64];
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.on_event = note_texts;
    harness_open_channels(&h, false, false);
    harness_feed(&h, 0, frame, link_of(frame, true, 'a', 'b'));
    assert_int_equal(atom_texts, 0);
    harness_feed(&h, 0, frame, link_of(frame, false, 0, 0));
    const uint64_t first = atom_texts;
    assert_int_not_equal(first, 0);
    harness_feed(&h, 0, frame, link_of(frame, false, 0, 0));
    assert_int_equal(atom_texts, first);
    harness_feed(&h, 0, frame, link_of(frame, true, 'c', 'b'));
    assert_int_equal(atom_texts, 0);
    harness_feed(&h, 0, frame, link_of(frame, false, 0, 0));
    assert_int_not_equal(atom_texts, 0);
    assert_int_not_equal(atom_texts, first);
    dist_stream_gap(h.channel[0], 100, TCP_GAP_LOST);
    for (int i = 0; i < 100; i++)
        harness_feed(&h, 0, frame, link_of(frame, false, 0, 0));
    assert_true(num_likely > 10);
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

static unsigned num_told;

static void on_all_known(void *context, const struct ds_conn *view, unsigned dir)
{
    (void)context;
    (void)view;
    assert_int_equal(dir, 0);
    num_told++;
}

/* feed_slot sends a message with an atom in a slot, defined there or not. */
static void feed_slot(struct harness *h, unsigned slot, bool defines)
{
    uint8_t frame[] = {0,  0, 0, 0,   131, 68, 1, (uint8_t)((defines ? 8 : 0) | slot / 256),
                       (uint8_t)slot, 1, 'x', 104, 3, 97, 1,
                       88, 119, 1, 'a', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7,
                       82, 0};
    enum { TEXT_AT = 9, TEXT_LEN = 2 };
    size_t len = sizeof frame;
    if (!defines) {
        memmove(frame + TEXT_AT, frame + TEXT_AT + TEXT_LEN, len - TEXT_AT - TEXT_LEN);
        len -= TEXT_LEN;
    }
    frame[3] = (uint8_t)(len - 4);
    harness_feed(h, 0, frame, len);
}

/* On a connection that was joined late, an event reports once that all atoms are known, and once
 * more after a loss. Two of the used slots are inferred from their places. */
static void test_all_known(void **state)
{
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.on_all_known = on_all_known;
    num_told = 0;
    harness_open_channels(&h, false, false);
    for (unsigned round = 1; round <= 2; round++) {
        feed_slot(&h, 2037, false); /* a search finds a frame by the one after it */
        feed_slot(&h, 2037, false);
        feed_slot(&h, 2037, false);
        for (unsigned slot = 0; slot < 2039 - 2; slot++) {
            assert_int_equal(num_told, round - 1);
            feed_slot(&h, slot, true);
        }
        assert_int_equal(num_told, round);
        feed_slot(&h, 2038, true);
        assert_int_equal(num_told, round);
        harness_gap(&h, 0, 100, TCP_GAP_LOST);
    }
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
    /* If no atom was unknown, there is no event. */
    harness_init(&h);
    h.env.config.on_all_known = on_all_known;
    num_told = 0;
    harness_open_channels(&h, false, false);
    for (unsigned slot = 0; slot < 2039; slot++)
        feed_slot(&h, slot, true);
    assert_int_equal(num_told, 0);
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_no_frames_in_noise),
        cmocka_unit_test(test_search_is_linear),
        cmocka_unit_test(test_finds_the_way_back),
        cmocka_unit_test(test_finds_the_way_back_late),
        cmocka_unit_test(test_nothing_within_a_legal_frame),
        cmocka_unit_test(test_way_back_without_memory),
        cmocka_unit_test(test_all_known),
        cmocka_unit_test(test_bytes_of_inferred_atoms),
        cmocka_unit_test(test_number_of_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
