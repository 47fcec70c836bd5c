/*
 * test_channel.c - what conversations as text cannot say of channels: every operation of
 * ops.def, the search on hostile and random bytes, and the caps on memory. All else of
 * channels is in test_conversations.c.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "channel_harness.h"
#include "ops.h"
#include "resync.h"

#include <time.h>
#include <zlib.h>

#define PID_A "\x58\x77\x01" "a\0\0\0\1\0\0\0\0\0\0\0\7"
#define PID_B "\x58\x77\x01" "b\0\0\0\2\0\0\0\0\0\0\0\7"
#define REF_A "\x5a\0\3\x77\x01" "a\0\0\0\7\0\0\0\1\0\0\0\2\0\0\0\3"
#define MFA "\x68\3\x77\1m\x77\1f\x61\2"
#define TOKEN "\x68\5\x61\1\x61\2\x61\3" PID_A "\x61\4"
#define BYTES(literal) literal, sizeof(literal) - 1

/* A term for each role, and its text. */
static const struct sample {
    char letter;
    const char *bytes;
    size_t len;
    const char *text;
} SAMPLES[] = {
    {'f', BYTES(PID_A), "<a.1.0>"},        {'t', BYTES(PID_B), "<b.2.0>"},
    {'k', BYTES(TOKEN), "{1,2,3,<a.1.0>,4}"}, {'r', BYTES(REF_A), "#Ref<a.3.2.1>"},
    {'F', BYTES("\x61\2"), "2"},           {'g', BYTES(PID_B), "<b.2.0>"},
    {'m', BYTES(MFA), "{m,f,2}"},          {'o', BYTES("\x6a"), "[]"},
    {'i', BYTES("\x61\x2a"), "42"},        {'x', BYTES(PID_B), "<b.2.0>"},
    {'R', BYTES("\x77\4gone"), "gone"},    {'_', BYTES("\x77\0"), "''"},
};

static const struct sample *sample_of(char letter)
{
    for (size_t i = 0; i < sizeof SAMPLES / sizeof SAMPLES[0]; i++) {
        if (SAMPLES[i].letter == letter)
            return &SAMPLES[i];
    }
    fail_msg("no sample for %c", letter);
    return NULL;
}

static size_t num_roles(const char *roles)
{
    size_t num = 0;
    for (; *roles != '\0'; roles++)
        num += *roles != '?';
    return num;
}

/* build makes a frame of the operation: changed, the element that is replaced by a float
 * (-1: none); without_last leaves the last element out. */
static size_t build(uint8_t *out, const struct ds_op *op, int changed, bool without_last)
{
    struct ds_buffer frame = {0};
    size_t num = num_roles(op->roles) - (without_last ? 1 : 0);
    const char head[] = {0, 0, 0, 0, (char)131, 68, 0, 104, (char)(num + 1), 97, (char)op->code};
    ds_buffer_add(&frame, head, sizeof head);
    size_t i = 0;
    for (const char *role = op->roles; *role != '\0' && i < num; role++) {
        if (*role == '?')
            continue;
        const struct sample *sample = sample_of(*role);
        if ((int)i == changed)
            ds_buffer_add(&frame, "\x46\x40\0\0\0\0\0\0\0", 9);
        else
            ds_buffer_add(&frame, sample->bytes, sample->len);
        i++;
    }
    if (op->has_payload)
        ds_buffer_add(&frame, "\x77\2hi", 4);
    assert_false(frame.failed);
    assert_true(frame.len < 256);
    memcpy(out, frame.data, frame.len);
    out[3] = (uint8_t)(frame.len - 4);
    size_t len = frame.len;
    ds_buffer_free(&frame);
    return len;
}

/* What the callback checks an event against. */
static struct expected {
    const struct ds_op *op; /* NULL: none must be reported */
    enum ds_fault_kind fault;
    unsigned num_events;
} expected;

static void assert_text(const struct ds_term *term, const char *text)
{
    struct ds_buffer out = {0};
    assert_true(ds_term_print(term, NULL, &out));
    assert_int_equal(out.len, strlen(text));
    assert_memory_equal(out.data, text, out.len);
    ds_buffer_free(&out);
}

static void check_roles(const struct ds_message *message)
{
    bool present[DS_ROLE_COUNT] = {false};
    for (const char *letter = message->op->roles; *letter != '\0'; letter++) {
        if (*letter == '_' || *letter == '?')
            continue;
        enum ds_role role = op_role(*letter);
        assert_true(role < DS_ROLE_COUNT);
        assert_text(&message->role[role], sample_of(*letter)->text);
        present[role] = true;
    }
    for (int role = 0; role < DS_ROLE_COUNT; role++) {
        if (!present[role])
            assert_null(message->role[role].data);
    }
    assert_int_equal(message->token.present, present[DS_ROLE_TOKEN]);
    if (message->token.present) {
        assert_int_equal(message->token.flags, 1);
        assert_text(&message->token.label, "2");
        assert_int_equal(message->token.serial, 3);
        assert_text(&message->token.from, "<a.1.0>");
        assert_int_equal(message->token.previous, 4);
    }
    if (message->op->has_payload)
        assert_text(&message->payload, "hi");
    else
        assert_null(message->payload.data);
}

static void check_event(void *context, const struct ds_event *event)
{
    (void)context;
    expected.num_events++;
    assert_int_equal(event->type, DS_EVENT_MESSAGE);
    assert_int_equal(event->fault.kind, expected.fault);
    assert_ptr_equal(event->message.op, expected.op);
    assert_non_null(event->message.control.data);
    assert_int_equal(event->bytes_len, event->message.size);
    if (expected.op != NULL)
        check_roles(&event->message);
}

static void check_frame(const uint8_t *frame, size_t len, const struct ds_op *op,
                        enum ds_fault_kind fault)
{
    struct harness h;
    harness_init(&h);
    h.env.config.on_event = check_event;
    harness_open_channels(&h, false, false);
    expected = (struct expected){op, fault, 0};
    harness_feed(&h, 0, frame, len);
    assert_int_equal(expected.num_events, 1);
    assert_int_equal(h.conn.view.counters[0].frames, 1);
    assert_int_equal(h.env.stats.messages, 1);
    harness_end(&h);
    assert_int_equal(expected.num_events, 1);
    assert_int_equal(harness_free(&h), 0);
}

static void test_every_op(void **state)
{
    uint8_t frame[256];
    unsigned num_ops = 0;
    (void)state;
    for (int64_t code = -1; code <= 300; code++) {
        const struct ds_op *op = ds_op_find(code);
        if (op == NULL)
            continue;
        num_ops++;
        assert_int_equal(op->code, code);
        check_frame(frame, build(frame, op, -1, false), op, DS_FAULT_NONE);

        size_t num = num_roles(op->roles);
        for (size_t i = 0; i < num; i++) {
            /* A float is nothing that a role may be, but a reason, a token or unused. */
            char letter = op->roles[i];
            if (strchr("Rk_?", letter) == NULL && strchr(op->roles, '?') == NULL)
                check_frame(frame, build(frame, op, (int)i, false), NULL, DS_FAULT_MALFORMED);
        }
        if (num != 0 && strchr(op->roles, '?') == NULL)
            check_frame(frame, build(frame, op, -1, true), NULL, DS_FAULT_MALFORMED);
    }
    assert_int_equal(num_ops, 31);
}

/* What one message has is not in the next. */
static void test_ops_in_a_row(void **state)
{
    uint8_t frame[256];
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.on_event = check_event;
    harness_open_channels(&h, false, false);
    for (int64_t code = 0; code < 64; code++) {
        const struct ds_op *op = ds_op_find(code);
        if (op == NULL)
            continue;
        expected = (struct expected){op, DS_FAULT_NONE, 0};
        harness_feed(&h, 0, frame, build(frame, op, -1, false));
        assert_int_equal(expected.num_events, 1);
        if (num_roles(op->roles) == 0 || strchr(op->roles, '?') != NULL)
            continue;
        expected = (struct expected){NULL, DS_FAULT_MALFORMED, 0};
        harness_feed(&h, 0, frame, build(frame, op, -1, true));
        assert_int_equal(expected.num_events, 1);
    }
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

/* Each op takes as many elements as it has letters, but for those behind a '?'. */
static void test_roles_fit(void **state)
{
    (void)state;
    for (int64_t code = 0; code < 64; code++) {
        const struct op *op = op_find(code);
        if (op == NULL)
            continue;
        const char *optional = strchr(op->face.roles, '?');
        const size_t all = num_roles(op->face.roles);
        const size_t fixed = optional != NULL ? (size_t)(optional - op->face.roles) : all;
        for (size_t num = 0; num < 10; num++)
            assert_true(op_fits(op, num) == (num >= fixed && num <= all));
        assert_false(op_fits(op, UINT64_MAX));
    }
    assert_true(op_fits(op_find(OP_ALTACT_SIG_SEND), 3));
    assert_true(op_fits(op_find(OP_ALTACT_SIG_SEND), 4));
    assert_false(op_fits(op_find(OP_ALTACT_SIG_SEND), 5));
    assert_int_equal(op_role('f'), DS_ROLE_FROM);
    assert_int_equal(op_role('_'), DS_ROLE_COUNT);
    assert_int_equal(op_role('\xe6'), DS_ROLE_COUNT);
    assert_string_equal(ds_op_find(22)->name, "send_sender");
    assert_null(ds_op_find(INT64_MIN));
    assert_null(ds_op_find(INT64_MAX));
}

/* What a message does is its op's kind; of altact_sig_send its flags say which of two. */
static void test_kinds(void **state)
{
    static const struct {
        int code;
        enum ds_op_kind kind;
    } kinds[] = {{2, DS_KIND_SEND},    {6, DS_KIND_SEND},        {34, DS_KIND_SEND},
                 {3, DS_KIND_EXIT},    {24, DS_KIND_EXIT},       {18, DS_KIND_EXIT2},
                 {27, DS_KIND_EXIT2},  {28, DS_KIND_DOWN},       {32, DS_KIND_SPAWNED},
                 {35, DS_KIND_UNLINK}, {36, DS_KIND_UNLINK_ACK}, {5, DS_KIND_OTHER}};
    static const struct {
        const char *flags; /* as sent */
        size_t len;
        enum ds_op_kind kind;
    } altacts[] = {{"a\x0f", 2, DS_KIND_SEND},
                   {"a\x10", 2, DS_KIND_EXIT2},
                   {"a\x11", 2, DS_KIND_EXIT2},
                   {"a\x20", 2, DS_KIND_SEND},
                   {"j", 1, DS_KIND_SEND}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct ds_message message = {.code = kinds[i].code, .op = ds_op_find(kinds[i].code)};
        assert_int_equal(ds_message_kind(&message), kinds[i].kind);
    }
    for (size_t i = 0; i < sizeof altacts / sizeof altacts[0]; i++) {
        struct ds_message message = {.code = 37, .op = ds_op_find(37)};
        message.role[DS_ROLE_FLAGS] =
            (struct ds_term){.data = (const uint8_t *)altacts[i].flags, .len = altacts[i].len};
        assert_int_equal(ds_message_kind(&message), altacts[i].kind);
    }
    const struct ds_message damaged = {.code = 2};
    assert_int_equal(ds_message_kind(&damaged), DS_KIND_UNKNOWN);
}

static void test_probe(void **state)
{
    uint8_t bytes[600] = {0};
    size_t skip = 99;
    (void)state;
    size_t len = build(bytes + 40, ds_op_find(22), -1, false);
    /* Behind 40 zeros, which could be ticks. */
    assert_int_equal(channel_probe(cursor_make(bytes, 40 + len), &skip), PROTO_YES);
    assert_int_equal(skip, 40);
    for (size_t cut = 0; cut < len; cut++)
        assert_int_equal(channel_probe(cursor_make(bytes, 40 + cut), &skip), PROTO_MORE);
    /* What follows is no frame. */
    memset(bytes + 40 + len, 0xff, 6);
    assert_int_equal(channel_probe(cursor_make(bytes, 40 + len + 6), &skip), PROTO_MORE);
    /* A tick alone proves nothing. */
    assert_int_equal(channel_probe(cursor_make(bytes, 4), &skip), PROTO_MORE);
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
        /* Half of it noise; half of it bytes of which frames are made. */
        static const uint8_t likely[] = {0, 0, 0, 131, 68, 69, 70, 112, 104, 97, 2, 88, 22};
        for (size_t i = 0; i < CHUNK_LEN; i++) {
            uint8_t byte = random_byte();
            chunk[i] = (done & 1) == 0 ? byte : likely[byte % sizeof likely];
        }
        harness_feed(&h, 0, chunk, CHUNK_LEN);
        assert_true(h.env.meter.used <= 3 * RESYNC_WINDOW_LEN);
    }
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

/* Frames within frames, each of which must be walked to its end to see that it is none: the
 * search must not take more than linear time. */
static void test_search_is_linear(void **state)
{
    /* A binary; in it the beginning of a frame of 192 KiB: {2, '', <b.2.0>} and a list of
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
    /* Much less than a second without sanitizers; ten without the credit. */
    print_message("%ld ms\n", (long)((after.tv_sec - before.tv_sec) * 1000 +
                                     (after.tv_nsec - before.tv_nsec) / 1000000));
    assert_true(after.tv_sec - before.tv_sec < 8);
    h.env.config.on_event = NULL;
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

static unsigned num_capped;

static void count_capped(void *context, const struct ds_event *event)
{
    (void)context;
    num_capped += event->fault.kind == DS_FAULT_CAP;
}

/* With next to no memory messages lose their ends, but nothing else happens. */
static void test_meter(void **state)
{
    uint8_t frame[256];
    struct harness h;
    (void)state;
    size_t len = build(frame, ds_op_find(22), -1, false);
    harness_init(&h);
    h.env.config.on_event = count_capped;
    h.env.meter.max = 16;
    num_capped = 0;
    harness_open_channels(&h, false, false);
    /* In one piece nothing is held. */
    harness_feed(&h, 0, frame, len);
    assert_int_equal(num_capped, 0);
    assert_int_equal(h.env.stats.messages, 1);
    /* In two pieces it is; the framing is lost when not even the length can be held. */
    harness_feed(&h, 0, frame, 20);
    harness_feed(&h, 0, frame + 20, len - 20);
    assert_true(h.env.meter.hits > 0);
    h.env.meter.max = 1 << 20;
    harness_feed(&h, 0, frame, len);
    harness_feed(&h, 0, frame, len);
    assert_int_equal(num_capped, 1);
    assert_true(h.env.stats.messages >= 3);
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

static uint64_t atom_bytes;
static uint32_t num_inferred;

static void note_atoms(void *context, const struct ds_event *event)
{
    (void)context;
    atom_bytes = event->message.atom_bytes;
    num_inferred = event->inferred_atoms;
}

/* The text of what is inferred counts as that of what was sent. */
static void test_bytes_of_inferred_atoms(void **state)
{
    /* A link from slot 5 to slot 6, which are new in the first one; and from slots 7 and 8. */
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

/* link_of makes a link between two pids, of the atoms in slots 5 and 6; is_new: that are called so. */
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

/* As long as no text has gone, messages say that their atoms' texts are where they were; but not what a
 * message brings itself, nor what is only likely. */
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
    channel_gap(h.channel[0], 100, TCP_GAP_LOST);
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

/* Who joined late is told once when all is known, and once more after it was lost. Two of the slots
 * that are used are known by their places. */
static void test_all_known(void **state)
{
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.on_all_known = on_all_known;
    num_told = 0;
    harness_open_channels(&h, false, false);
    for (unsigned round = 1; round <= 2; round++) {
        feed_slot(&h, 2037, false); /* a search finds a frame by the next one */
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
    /* Where nothing was lacking nothing is told. */
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

/* Fragments that there is no memory to hold are told one by one, each with its fault. */
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
    h.env.meter.max = 16;
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

/* Of a message larger than allowed so much is held as shows what it is, however much is allowed;
 * all of the largest one that is. */
static void test_oversized(void **state)
{
    enum { MAX_LEN = 2 << 20, CHUNK_LEN = 4096 };
    static const uint8_t zeros[CHUNK_LEN];
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        uint8_t head[128];
        struct harness h;
        const size_t head_len = build(head, ds_op_find(22), -1, false) - 4;
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
            if (h.env.meter.used > most)
                most = h.env.meter.used;
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
 * which the first such message (num 0) puts there: 2 bytes each, for 100 of text. */
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

/* feed_inflating sends 4000 zeros that are compressed to some 30 bytes. */
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

/* grown says whether the last message came with its terms, and that it has a cap's fault if not. */
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

/* What grows beyond the budget of its second loses its terms; the next second has its own. */
static void growth_has_a_budget_a_second(void **state)
{
    enum { NUM = 100, SECOND_NS = 1000 * 1000 * 1000 };
    struct harness h;
    (void)state;
    harness_init(&h);
    h.env.config.limits[DS_LIMIT_GROWTH] = 10000; /* for one such message, not for two */
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
    feed_growing(&h, 20); /* what does not grow beyond what is free is not touched */
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
        cmocka_unit_test(test_every_op),
        cmocka_unit_test(test_roles_fit),
        cmocka_unit_test(test_ops_in_a_row),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_no_frames_in_noise),
        cmocka_unit_test(test_search_is_linear),
        cmocka_unit_test(test_meter),
        cmocka_unit_test(test_fragments_without_memory), cmocka_unit_test(test_all_known),
        cmocka_unit_test(test_bytes_of_inferred_atoms),
        cmocka_unit_test(test_number_of_texts),
        cmocka_unit_test(test_oversized),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(growth_has_a_budget_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
