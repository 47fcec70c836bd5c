/*
 * test_pending_messages.c - messages that still have consequences: which are kept, for how long,
 * and how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "default_limits.h"
#include "etf_maker.h"
#include "failing_alloc.h"
#include "keep/pending_messages.h"

enum { MS = 1000000 };

static struct ds_conn conn;
static int64_t now_ns;

static void use_conn(uint64_t number)
{
    conn = (struct ds_conn){.number = number};
    for (unsigned i = 0; i < 2; i++) {
        conn.end[i].addr = (struct ds_addr){4, {10, 0, 0, (uint8_t)(1 + i)}};
        conn.end[i].port = (uint16_t)(i == 0 ? 1000 + number : 4370);
        conn.end[i].node = (struct ds_text){i == 0 ? "a@h" : "b@h", 3};
    }
}

static bool begin(struct pending_messages *o)
{
    uint64_t limits[DS_LIMIT_COUNT];
    default_limits(limits);
    use_conn(1);
    now_ns = 1000 * (int64_t)MS;
    etf_reset();
    return pending_messages_init(o, NULL, limits);
}

static void send(struct pending_messages *o, unsigned dir, int code, struct ds_term control,
                 struct ds_term from, struct ds_term to, struct ds_term ref, struct ds_term payload)
{
    struct ds_event event = {
        .type = DS_EVENT_MESSAGE, .dir = (uint8_t)dir, .ts_ns = now_ns, .conn = &conn};
    event.message.code = code;
    event.message.op = ds_op_find(code);
    event.message.control = control;
    event.message.role[DS_ROLE_FROM] = from;
    event.message.role[DS_ROLE_TO] = to;
    event.message.role[DS_ROLE_REF] = ref;
    event.message.payload = payload;
    pending_messages_event(o, &event);
}

static const struct ds_term none;

static void ask(struct pending_messages *o, uint32_t pid, uint32_t ref, struct ds_term request)
{
    const struct ds_term me = etf_pid("a@h", pid), echo = etf_atom("echo");
    send(o, 0, 6, etf_tuple(4, etf_int(6), me, etf_atom(""), echo), me, echo, none,
         etf_tuple(3, etf_atom("$gen_call"),
                   etf_tuple(2, me, etf_list(1, etf_atom("alias"), etf_ref("a@h", ref))), request));
}

static void answer(struct pending_messages *o, uint32_t ref)
{
    const struct ds_term me = etf_pid("b@h", 50), to = etf_ref("a@h", ref);
    send(o, 1, 33, etf_tuple(3, etf_int(33), me, to), me, to, none,
         etf_tuple(2, etf_list(1, etf_atom("alias"), to), etf_atom("ok")));
}

static void watch(struct pending_messages *o, uint32_t pid, uint32_t ref)
{
    const struct ds_term me = etf_pid("a@h", pid), echo = etf_atom("echo");
    const struct ds_term tag = etf_ref("a@h", ref);
    send(o, 0, 19, etf_tuple(4, etf_int(19), me, echo, tag), me, echo, tag, none);
}

/* The exported messages. */
static size_t num_given, given_len;

static void on_given(void *context, const struct pending_message *opening)
{
    (void)context;
    num_given++;
    given_len += opening->len;
}

static size_t count(const struct pending_messages *o, int64_t since_ns)
{
    num_given = given_len = 0;
    pending_messages_write(o, conn.end, since_ns, on_given, NULL);
    return num_given;
}

/* A request is kept until it is answered, and so is its monitor. */
static void keeps_what_is_open(void **state)
{
    struct pending_messages o;
    (void)state;
    assert_true(begin(&o));
    watch(&o, 1, 1);
    assert_int_equal(count(&o, 0), 1); /* it may still have consequences */
    assert_int_equal(count(&o, now_ns), 1);
    assert_int_equal(count(&o, now_ns + 1), 0);
    ask(&o, 1, 1, etf_atom("hi"));
    assert_int_equal(count(&o, INT64_MAX), 2);
    assert_int_equal(given_len, o.used);
    use_conn(2);
    assert_int_equal(count(&o, 0), 0);
    use_conn(1);
    const struct ds_endpoint other_way[2] = {conn.end[1], conn.end[0]};
    num_given = 0;
    pending_messages_write(&o, other_way, INT64_MAX, on_given, NULL);
    assert_int_equal(num_given, 2);
    ask(&o, 2, 2, etf_atom("ho"));
    assert_int_equal(count(&o, INT64_MAX), 3);
    answer(&o, 1);
    assert_int_equal(count(&o, INT64_MAX), 1);
    answer(&o, 2);
    assert_int_equal(count(&o, INT64_MAX), 0);
    assert_int_equal(o.used, 0);
    assert_int_equal(o.num_dropped, 0);
    pending_messages_free(&o);
}

/* A monitor belongs to the request of the same caller, on the same connection, within a tenth of a
 * second: the latest one, once. */
static void a_monitor_goes_with_its_request(void **state)
{
    static const struct {
        uint32_t pid;
        uint64_t conn;
        int64_t later_ns;
        size_t num;
    } cases[] = {
        {1, 1, 100 * MS, 2}, {1, 1, 100 * MS + 1, 1}, {2, 1, 0, 1}, {1, 2, 0, 1},
    };
    struct pending_messages o;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(begin(&o));
        watch(&o, 1, 1);
        now_ns += cases[i].later_ns;
        use_conn(cases[i].conn);
        ask(&o, cases[i].pid, 1, etf_atom("hi"));
        assert_int_equal(count(&o, INT64_MAX), cases[i].num);
        ask(&o, cases[i].pid, 2, etf_atom("hi")); /* the first request has used it */
        assert_int_equal(count(&o, INT64_MAX), cases[i].num + 1);
        pending_messages_free(&o);
    }
}

/* The number of monitors that wait for their requests is capped. */
static void only_the_latest_monitors_wait(void **state)
{
    struct pending_messages o;
    (void)state;
    assert_true(begin(&o));
    for (uint32_t i = 0; i <= MONITORS_PENDING; i++)
        watch(&o, i, i);
    assert_int_equal(count(&o, 0), MONITORS_PENDING);
    assert_int_equal(o.used, given_len);
    ask(&o, 0, 0, etf_atom("hi"));
    assert_int_equal(count(&o, INT64_MAX), 1);
    ask(&o, 1, 1, etf_atom("hi"));
    assert_int_equal(count(&o, INT64_MAX), 3);
    pending_messages_free(&o);
}

static struct ds_term long_binary(size_t len)
{
    static uint8_t bytes[OPENING_LEN + 100] = {109};
    etf_u32(bytes + 1, (uint32_t)len);
    return etf_raw(bytes, 5 + len);
}

/* A message is kept if it fits into a packet; of a longer one only its existence is known. */
static void messages_have_a_length(void **state)
{
    struct pending_messages o;
    (void)state;
    assert_true(begin(&o));
    ask(&o, 1, 1, long_binary(0));
    const size_t len = OPENING_LEN - o.used;
    etf_reset();
    ask(&o, 1, 2, long_binary(len));
    assert_int_equal(o.used, OPENING_LEN + OPENING_LEN - len);
    etf_reset();
    ask(&o, 1, 3, long_binary(len + 1));
    assert_int_equal(o.used, OPENING_LEN + OPENING_LEN - len);
    assert_int_equal(count(&o, INT64_MAX), 3);
    assert_int_equal(given_len, o.used);
    pending_messages_free(&o);
}

/* If there are too many, or they are too large, the oldest are dropped. */
static void drops_the_oldest(void **state)
{
    struct pending_messages o;
    (void)state;
    assert_true(begin(&o));
    for (uint32_t i = 0; i < PENDING_MESSAGES_MAX; i++) {
        etf_reset();
        ask(&o, 1, i, etf_atom("hi"));
    }
    assert_int_equal(o.num_dropped, 0);
    etf_reset();
    ask(&o, 1, PENDING_MESSAGES_MAX, etf_atom("hi"));
    assert_int_equal(o.num_dropped, 1);
    assert_int_equal(count(&o, INT64_MAX), PENDING_MESSAGES_MAX);
    answer(&o, 0);
    assert_int_equal(count(&o, INT64_MAX), PENDING_MESSAGES_MAX);
    answer(&o, 1);
    assert_int_equal(count(&o, INT64_MAX), PENDING_MESSAGES_MAX - 1);
    pending_messages_free(&o);

    assert_true(begin(&o));
    for (uint32_t i = 0; i < 1000; i++) {
        etf_reset();
        ask(&o, 1, i, long_binary(50000));
        assert_true(o.used <= PENDING_MESSAGES_BYTES);
    }
    assert_true(o.used > PENDING_MESSAGES_BYTES - 2 * OPENING_LEN);
    assert_int_equal(count(&o, INT64_MAX), 1000 - o.num_dropped);
    for (uint32_t i = 0; i < 1000; i++) {
        etf_reset();
        answer(&o, i);
    }
    assert_int_equal(o.used, 0);
    pending_messages_free(&o);
}

static void converse(void *context)
{
    struct pending_messages o;
    (void)context;
    if (begin(&o)) {
        watch(&o, 1, 1);
        ask(&o, 1, 1, etf_atom("hi"));
        (void)count(&o, INT64_MAX);
        answer(&o, 1);
        assert_true(count(&o, INT64_MAX) == 0 || failing_alloc_failed());
    }
    pending_messages_free(&o);
}

static void stands_failing_allocations(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(converse, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_is_open),
        cmocka_unit_test(a_monitor_goes_with_its_request),
        cmocka_unit_test(only_the_latest_monitors_wait),
        cmocka_unit_test(messages_have_a_length),
        cmocka_unit_test(drops_the_oldest),
        cmocka_unit_test(stands_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
