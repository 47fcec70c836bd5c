/*
 * test_dist_stream_ops.c - every operation of ops.def as a channel reports it: its roles; and that
 * it is unknown if a role has a wrong term or is missing.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "channel_harness.h"
#include "op_frames.h"

/* The callback checks events against this. */
static struct expected {
    const struct ds_op *op; /* NULL: no event must be reported */
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
    uint32_t set = 0;
    for (int role = 0; role < DS_ROLE_COUNT; role++) {
        if (!present[role])
            assert_null(message->role[role].data);
        set |= (uint32_t)present[role] << role;
    }
    assert_int_equal(message->role_set, set);
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
    enum {
        NUM_OPS = 0
#define OP(code, id, name, kind, roles, payload, from, ref) +1
#include <distsniff/ops.def>
#undef OP
    };
    unsigned num_ops = 0;
    (void)state;
    for (int64_t code = -1; code <= 300; code++) {
        const struct ds_op *op = ds_op_find(code);
        if (op == NULL)
            continue;
        num_ops++;
        assert_int_equal(op->code, code);
        check_frame(frame, op_frame(frame, op, -1, false), op, DS_FAULT_NONE);

        size_t num = num_roles(op->roles);
        for (size_t i = 0; i < num; i++) {
            /* A float is valid only for a reason, a token and unused elements. */
            char letter = op->roles[i];
            if (strchr("Rk_?", letter) == NULL && strchr(op->roles, '?') == NULL)
                check_frame(frame, op_frame(frame, op, (int)i, false), NULL, DS_FAULT_MALFORMED);
        }
        if (num != 0 && strchr(op->roles, '?') == NULL)
            check_frame(frame, op_frame(frame, op, -1, true), NULL, DS_FAULT_MALFORMED);
    }
    assert_int_equal(num_ops, NUM_OPS);
}

/* The roles of one message are not in the next. */
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
        harness_feed(&h, 0, frame, op_frame(frame, op, -1, false));
        assert_int_equal(expected.num_events, 1);
        if (num_roles(op->roles) == 0 || strchr(op->roles, '?') != NULL)
            continue;
        expected = (struct expected){NULL, DS_FAULT_MALFORMED, 0};
        harness_feed(&h, 0, frame, op_frame(frame, op, -1, true));
        assert_int_equal(expected.num_events, 1);
    }
    harness_end(&h);
    assert_int_equal(harness_free(&h), 0);
}

/* Each op has as many elements as letters, without those behind a '?'. */
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

/* The kind of a message is its op's kind; for altact_sig_send its flags decide between two. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_op),
        cmocka_unit_test(test_roles_fit),
        cmocka_unit_test(test_ops_in_a_row),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
