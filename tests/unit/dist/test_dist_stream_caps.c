/*
 * test_dist_stream_caps.c - a channel without memory, with messages larger than allowed, and with
 * terms that exceed their budget.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "channel_harness.h"
#include "op_frames.h"

#include <zlib.h>

static unsigned num_capped;

static void count_capped(void *context, const struct ds_event *event)
{
    (void)context;
    num_capped += event->fault.kind == DS_FAULT_CAP;
}

/* With hardly any memory, messages lose their ends, and nothing else happens. */
static void test_meter(void **state)
{
    uint8_t frame[256];
    struct harness h;
    (void)state;
    size_t len = op_frame(frame, ds_op_find(22), -1, false);
    harness_init(&h);
    h.env.config.on_event = count_capped;
    h.env.memcap.max = 16;
    num_capped = 0;
    harness_open_channels(&h, false, false);
    /* In one piece: nothing is held. */
    harness_feed(&h, 0, frame, len);
    assert_int_equal(num_capped, 0);
    assert_int_equal(h.env.stats.messages, 1);
    /* In two pieces: it is held; framing is lost if there is no memory even for the length. */
    harness_feed(&h, 0, frame, 20);
    harness_feed(&h, 0, frame + 20, len - 20);
    assert_true(h.env.memcap.hits > 0);
    h.env.memcap.max = 1 << 20;
    harness_feed(&h, 0, frame, len);
    harness_feed(&h, 0, frame, len);
    assert_int_equal(num_capped, 1);
    assert_true(h.env.stats.messages >= 3);
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

/* Fragments without memory to hold them are reported one by one, each with its fault. */
static void test_fragments_without_memory(void **state)
{
    static const uint8_t first[] = {0, 0, 0, 21, 131, 69, 0, 0, 0, 0, 0, 0, 0, 5,  0, 0,
                                    0, 0, 0, 0,  0,   2,  0, 104, 1};
    static const uint8_t further[] = {0, 0, 0, 19, 131, 70, 0, 0, 0, 0, 0, 0, 0, 5,
                                      0, 0, 0, 0,  0,   0,  0, 1, 'x'};
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.on_event = count_capped;
    h.env.memcap.max = 16;
    num_capped = 0;
    harness_open_channels(&h, false, false);
    harness_feed(&h, 0, first, sizeof first);
    assert_int_equal(h.env.stats.messages, 1);
    harness_feed(&h, 0, further, sizeof further);
    assert_int_equal(h.env.stats.messages, 2);
    assert_int_equal(num_capped, 2);
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

/* Of a message that is larger than allowed, its beginning is held so that it can be shown, whatever
 * the limit; of the largest allowed one, all is. */
static void test_oversized(void **state)
{
    enum { MAX_LEN = 2 << 20, CHUNK_LEN = 4096 };
    static const uint8_t zeros[CHUNK_LEN];
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        uint8_t head[128];
        struct harness h;
        const size_t head_len = op_frame(head, ds_op_find(22), -1, false) - 4;
        const uint32_t len = MAX_LEN - 4 + more, binary_len = len + 4 - (uint32_t)head_len - 5;
        const uint8_t binary[] = {109, (uint8_t)(binary_len >> 24), (uint8_t)(binary_len >> 16),
                                  (uint8_t)(binary_len >> 8), (uint8_t)binary_len};
        for (int i = 0; i < 4; i++)
            head[i] = (uint8_t)(len >> (24 - 8 * i));
        harness_init(&h);
        h.env.config.on_event = count_capped;
        h.env.config.limits[DS_LIMIT_MESSAGE] = MAX_LEN;
        num_capped = 0;
        harness_open_channels(&h, false, false);
        harness_feed(&h, 0, head, head_len);
        harness_feed(&h, 0, binary, sizeof binary);
        uint64_t most = 0;
        for (uint32_t left = binary_len; left != 0;) {
            const uint32_t now = left < CHUNK_LEN ? left : CHUNK_LEN;
            harness_feed(&h, 0, zeros, now);
            left -= now;
            if (h.env.memcap.used > most)
                most = h.env.memcap.used;
        }
        assert_int_equal(h.env.stats.messages, 1);
        assert_int_equal(num_capped, more);
        if (more != 0)
            assert_in_range(most, 1 << 19, 1 << 20);
        harness_end(&h);
        assert_int_equal(harness_free(&h), 0);
    }
}

/* feed_growing sends a list of num references to an atom of 100 characters in slot 0 of the cache,
 * which the first message (num 0) defines: 2 bytes each for 100 of text. */
static void feed_growing(struct harness *h, size_t num)
{
    static const char control[] = "\x68\4\x61\6" PID_A "\x77\0\x77\1r";
    uint8_t frame[1024];
    size_t len = 4;
    const uint8_t head[] = {131, 68, 1, num == 0 ? 8 : 0, 0};
    memcpy(frame + len, head, sizeof head);
    len += sizeof head;
    if (num == 0) {
        frame[len++] = 100;
        memset(frame + len, 'g', 100);
        len += 100;
    }
    memcpy(frame + len, control, sizeof control - 1);
    len += sizeof control - 1;
    frame[len++] = 108;
    for (int shift = 24; shift >= 0; shift -= 8)
        frame[len++] = (uint8_t)(num >> shift);
    for (size_t i = 0; i < num; i++) {
        frame[len++] = 82;
        frame[len++] = 0;
    }
    frame[len++] = 106;
    for (int i = 0; i < 4; i++)
        frame[i] = (uint8_t)((len - 4) >> (24 - 8 * i));
    harness_feed(h, 0, frame, len);
}

/* feed_inflating sends 4000 zeros, compressed to some 30 bytes. */
static void feed_inflating(struct harness *h)
{
    uint8_t term[4006] = {108, 0, 0, 0, 0}, packed[256], frame[512];
    static const char head[] = "\x83\x44\0\x68\4\x61\6" PID_A "\x77\0\x77\1r\x50\0\0\x0f\xa6";
    const size_t num = 2000;
    term[3] = (uint8_t)(num >> 8);
    term[4] = (uint8_t)num;
    for (size_t i = 0; i < num; i++)
        term[5 + 2 * i] = 97;
    term[4005] = 106;
    uLongf packed_len = sizeof packed;
    assert_int_equal(compress(packed, &packed_len, term, sizeof term), Z_OK);
    const size_t len = sizeof head - 1 + packed_len;
    frame[0] = frame[1] = 0;
    frame[2] = (uint8_t)(len >> 8);
    frame[3] = (uint8_t)len;
    memcpy(frame + 4, head, sizeof head - 1);
    memcpy(frame + 4 + sizeof head - 1, packed, packed_len);
    harness_feed(h, 0, frame, 4 + len);
}

/* grown returns whether the last message has its terms; if not, it must have a cap's fault. */
static bool grown(struct harness *h)
{
    ds_buffer_add(&h->out, "", 1);
    const bool whole = strstr(h->out.data, " payload=[") != NULL;
    const bool capped = strstr(h->out.data, " fault=cap at ") != NULL;
    if (whole == capped)
        fail_msg("%s", h->out.data);
    h->out.len = 0;
    return whole;
}

/* Terms beyond the budget of a second are dropped; the next second has a new budget. */
static void growth_has_a_budget_a_second(void **state)
{
    enum { NUM = 100, SECOND_NS = 1000 * 1000 * 1000 };
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.limits[DS_LIMIT_GROWTH] = 10000; /* enough for one such message, not for two */
    harness_open_channels(&h, false, false);
    h.tcp.now_ns = INT64_C(1700000000) * SECOND_NS;
    feed_growing(&h, 0);
    h.out.len = 0;
    feed_growing(&h, NUM);
    assert_true(grown(&h));
    h.tcp.now_ns += SECOND_NS - 1;
    feed_growing(&h, NUM);
    assert_false(grown(&h));
    assert_int_equal(h.env.stats.limits_hit[DS_LIMIT_GROWTH], 1);
    feed_growing(&h, 20); /* a term that fits into the rest of the budget is kept */
    assert_true(grown(&h));
    h.tcp.now_ns += 1;
    feed_growing(&h, NUM);
    assert_true(grown(&h));

    h.tcp.now_ns += SECOND_NS; /* compressed terms are charged to the same budget */
    feed_growing(&h, NUM);
    assert_true(grown(&h));
    h.env.config.limits[DS_LIMIT_GROWTH] = 7000;
    feed_inflating(&h);
    assert_false(grown(&h));
    assert_int_equal(h.env.stats.limits_hit[DS_LIMIT_GROWTH], 2);
    h.tcp.now_ns += SECOND_NS;
    feed_inflating(&h);
    assert_true(grown(&h));
    feed_growing(&h, NUM);
    assert_false(grown(&h));
    h.out.len = 0;
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meter),
        cmocka_unit_test(test_fragments_without_memory),
        cmocka_unit_test(test_oversized),
        cmocka_unit_test(growth_has_a_budget_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
