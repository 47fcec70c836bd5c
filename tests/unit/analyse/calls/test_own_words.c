/* Programs may use words that OTP uses: these messages get no label, least of all one that can be
 * hidden. And pg is recognised by what it does. */
#include "analyse/calls/correlate.h"
#include "etf_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct seen {
    struct correlate *correlate;
    struct ds_conn conn;
    char label[32], to_title[64], to_name[32];
    bool is_hidden;
    uint64_t num_titles;
    int64_t now_ns;
};

static void on_record(void *context, const struct record *record)
{
    struct seen *seen = context;
    const struct note *note = &record->note;
    if (record->call != NULL || record->monitor != NULL)
        return;
    snprintf(seen->label, sizeof seen->label, "%s", note->label != NULL ? note->label : "");
    seen->is_hidden = note->group != NULL && note->group[0] != '\0';
    seen->num_titles = note->to_titles != NULL ? note->to_titles->num : 0;
    snprintf(seen->to_title, sizeof seen->to_title, "%.*s",
             seen->num_titles != 0 ? (int)note->to_titles->text[0].len : 0,
             seen->num_titles != 0 ? note->to_titles->text[0].data : "");
    snprintf(seen->to_name, sizeof seen->to_name, "%.*s", (int)note->to_name.len,
             note->to_name.data != NULL ? note->to_name.data : "");
}

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void start(struct seen *seen)
{
    struct correlate_config config = {.emit = on_record, .monitors = true, .context = seen,
                                      .names = true, .owners = true, .keep = 1000};
    config.limits[DS_LIMIT_CALLS] = config.limits[DS_LIMIT_MONITORS] = 100;
    config.limits[DS_LIMIT_NAMES] = 100;
    etf_reset();
    memset(seen, 0, sizeof *seen);
    seen->conn.number = 1;
    seen->conn.end[0].node = text("a@h");
    seen->conn.end[1].node = text("b@h");
    seen->correlate = correlate_new(&config);
    assert_non_null(seen->correlate);
}

static void stop(struct seen *seen)
{
    correlate_end(seen->correlate);
    correlate_free(seen->correlate);
}

static void message(struct seen *seen, int code, unsigned dir, struct ds_term from,
                    struct ds_term to, struct ds_term ref, struct ds_term payload)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .dir = (uint8_t)dir, .frame = 1,
                             .ts_ns = seen->now_ns += 1000, .conn = &seen->conn};
    event.message.code = code;
    event.message.op = ds_op_find(code);
    event.message.role[DS_ROLE_FROM] = from;
    event.message.role[DS_ROLE_TO] = to;
    event.message.role[DS_ROLE_REF] = ref;
    event.message.payload = payload;
    correlate_event(seen->correlate, &event);
}

/* say sends a message from process id of node a (dir 0) or b to a process of the other node. */
static void say(struct seen *seen, unsigned dir, uint32_t from, uint32_t to, struct ds_term payload)
{
    message(seen, 22, dir, etf_pid(dir == 0 ? "a@h" : "b@h", from),
            etf_pid(dir == 0 ? "b@h" : "a@h", to), (struct ds_term){0}, payload);
}

static void say_name(struct seen *seen, unsigned dir, uint32_t from, const char *to,
                     struct ds_term payload)
{
    message(seen, 6, dir, etf_pid(dir == 0 ? "a@h" : "b@h", from), etf_atom(to),
            (struct ds_term){0}, payload);
}

static struct ds_term cast(struct ds_term what)
{
    return etf_tuple(2, etf_atom("$gen_cast"), what);
}

static void users_own(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1), ref = etf_ref("a@h", 9), x = etf_atom("x");
    const struct ds_term own[] = {
        etf_tuple(4, etf_atom("join"), me, etf_atom("room1"), etf_atom("alice")),
        etf_tuple(4, etf_atom("leave"), me, etf_nil(), etf_list(1, x, etf_nil())),
        etf_tuple(2, etf_atom("discover"), me),
        etf_tuple(3, etf_atom("discover"), me, etf_int(1)),
        etf_tuple(3, etf_atom("update"), me, etf_nil()),
        etf_tuple(3, etf_atom("sync"), me, x),
        etf_tuple(4, etf_atom("log"), etf_atom("info"), x, etf_raw("\x74\0\0\0\0", 5)),
        etf_tuple(5, etf_atom("log"), etf_atom("info"), x, x, etf_raw("\x74\0\0\0\0", 5)),
        etf_tuple(4, etf_atom("trace"), me, etf_atom("started"), x),
        etf_tuple(5, etf_atom("trace"), me, etf_atom("started"), x, x),
        etf_tuple(3, etf_atom("seq_trace"), x, x),
        etf_tuple(3, me, ref, etf_tuple(3, etf_atom("get"), etf_int(5), x)),
        etf_tuple(3, me, ref, etf_tuple(3, etf_atom("lists"), etf_atom("seq"), etf_nil())),
        etf_tuple(2, etf_atom("notify"), x),
        etf_tuple(2, etf_list(1, x, etf_nil()), etf_int(1)),
        etf_tuple(2, etf_list(1, x, x), etf_int(1)),
        etf_tuple(3, me, etf_tuple(2, me, ref), x),
        etf_tuple(2, etf_atom("init"), x),
        etf_tuple(2, etf_atom("code_server"), x),
        etf_tuple(2, etf_atom("rex"), x),
        etf_tuple(3, etf_atom("features_reply"), etf_atom("c@h"), x),
        etf_tuple(3, etf_atom("mnesia_locker"), etf_atom("c@h"), x),
        etf_tuple(2, me, etf_atom("no_more")),
        etf_tuple(2, me, etf_tuple(2, etf_atom("first"), etf_int(3))),
        etf_tuple(2, etf_pid("a@h", 5),
                  etf_tuple(9, etf_atom("etop_info"), x, x, x, x, x, x, x, x)),
        etf_tuple(2, etf_atom("delete"), x),
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        say(&seen, 0, 1, 2, own[i]);
        assert_string_equal(seen.label, "");
        say_name(&seen, 0, 1, "room", own[i]);
        assert_string_equal(seen.label, "");
        assert_false(seen.is_hidden);
    }
    /* A cast is only a cast. */
    say(&seen, 0, 1, 2, cast(etf_tuple(3, etf_atom("sync"), me, etf_nil())));
    assert_string_equal(seen.label, "gen:cast");
    assert_false(seen.is_hidden);
    say(&seen, 0, 1, 2, cast(etf_tuple(3, etf_atom("queue_event"), x, x)));
    assert_string_equal(seen.label, "gen:cast");
    say(&seen, 0, 2, 1, x);
    assert_string_equal(seen.to_name, ""); /* no process has the name room */
    stop(&seen);
}

/* The same forms, when earlier messages prove what they are. */
static void proved(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1), server = etf_pid("b@h", 2);
    const struct ds_term ref = etf_ref("a@h", 9), other = etf_ref("a@h", 10);
    const struct ds_term mfa = etf_tuple(3, etf_atom("lists"), etf_atom("seq"), etf_nil());
    message(&seen, 19, 0, me, server, ref, (struct ds_term){0});
    say(&seen, 0, 1, 2, etf_tuple(3, me, ref, mfa));
    assert_string_equal(seen.label, "Task");
    message(&seen, 19, 0, me, server, other, (struct ds_term){0});
    say(&seen, 0, 1, 2, etf_tuple(3, me, etf_ref("a@h", 11), mfa)); /* another reference */
    assert_string_equal(seen.label, "");
    message(&seen, 19, 0, me, server, other, (struct ds_term){0});
    say(&seen, 0, 1, 2, etf_tuple(3, me, etf_tuple(2, me, other), etf_atom("which_handlers")));
    assert_string_equal(seen.label, "gen_event:call");
    say(&seen, 0, 1, 2, etf_tuple(3, me, etf_tuple(2, me, etf_list(1, etf_atom("alias"), ref)),
                                  etf_atom("which_handlers")));
    assert_string_equal(seen.label, "gen_event:call");
    stop(&seen);
}

/* Messages that need proof: mnesia runs, and the sender speaks for itself; which call a monitor
 * belongs to. */
static void signs(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term me = etf_pid("a@h", 1), none = {0};
    const struct ds_term more = etf_tuple(2, me, etf_atom("more"));
    say_name(&seen, 0, 1, "mnesia_recover", etf_atom("x"));
    say(&seen, 0, 1, 2, more);
    assert_string_equal(seen.label, "mnesia_loader");
    say(&seen, 0, 3, 2, more);
    assert_string_equal(seen.label, "");
    message(&seen, 19, 0, me, etf_atom("global_name_server"), etf_ref("a@h", 7), none);
    assert_true(seen.is_hidden);
    message(&seen, 20, 0, me, etf_atom("global_name_server"), etf_ref("a@h", 7), none);
    assert_true(seen.is_hidden);
    message(&seen, 19, 0, me, etf_atom("rex"), etf_ref("a@h", 8), none);
    assert_false(seen.is_hidden); /* users' calls go there */
    message(&seen, 19, 0, me, etf_atom("shop"), etf_ref("a@h", 9), none);
    assert_false(seen.is_hidden);
    say_name(&seen, 0, 1, "global_name_server",
             etf_tuple(5, etf_atom("lost_connection"), me, me, me, me));
    assert_string_equal(seen.label, "global:lost_connection");
    assert_false(seen.is_hidden);
    message(&seen, 28, 1, etf_atom("global_name_server"), me, etf_ref("a@h", 7),
            etf_atom("noconnection"));
    assert_false(seen.is_hidden); /* it says why */
    stop(&seen);
}

static struct ds_term map_of(struct ds_term key, struct ds_term value)
{
    uint8_t bytes[400] = {116, 0, 0, 0, 1};
    assert_true(5 + key.len + value.len <= sizeof bytes);
    memcpy(bytes + 5, key.data, key.len);
    memcpy(bytes + 5 + key.len, value.data, value.len);
    return etf_raw(bytes, 5 + key.len + value.len);
}

static void assert_member(struct seen *seen, uint32_t id, const char *title)
{
    say(seen, 0, 1, id, etf_atom("x"));
    assert_string_equal(seen->to_title, title);
}

/* pg of OTP 28 and later, in a user's scope: a.88 and b.89. */
static void newer_groups(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term a = etf_pid("a@h", 88), b = etf_pid("b@h", 89), one = etf_pid("b@h", 50);
    const struct ds_term two = etf_pid("b@h", 51), nil = etf_nil(), group = etf_atom("workers");
    const struct ds_term both = etf_list(2, one, two, nil), first = etf_list(1, one, nil);
    const struct ds_term update[] = {
        etf_list(1, etf_tuple(3, group, both, nil), nil),
        etf_list(1, etf_tuple(3, group, nil, first), nil),
    };
    say_name(&seen, 0, 88, "own", etf_tuple(3, etf_atom("discover"), a, etf_int(1)));
    assert_string_equal(seen.label, ""); /* it may be anything */
    say(&seen, 1, 89, 88, etf_tuple(3, etf_atom("update"), b, update[0]));
    assert_string_equal(seen.label, "");
    assert_member(&seen, 50, "");
    say(&seen, 1, 89, 88, cast(etf_tuple(4, etf_atom("local_data"), b, etf_int(1),
                                         map_of(group, first))));
    assert_string_equal(seen.label, "pg:sync");
    assert_member(&seen, 50, "pg:own:workers");
    assert_member(&seen, 51, "");
    say(&seen, 0, 88, 89, etf_tuple(3, etf_atom("discover"), a, etf_int(1)));
    assert_string_equal(seen.label, "pg:discover");
    assert_string_equal(seen.to_name, "own");
    say(&seen, 1, 89, 88, etf_tuple(3, etf_atom("update"), b, update[0]));
    assert_string_equal(seen.label, "pg:update");
    assert_member(&seen, 51, "pg:own:workers");
    say(&seen, 1, 89, 88, etf_tuple(3, etf_atom("update"), b, update[1]));
    assert_member(&seen, 50, "pg:own:workers"); /* it had joined twice */
    say(&seen, 1, 89, 88, etf_tuple(3, etf_atom("update"), b, update[1]));
    assert_member(&seen, 50, "");
    assert_member(&seen, 51, "pg:own:workers");
    say(&seen, 1, 90, 88, etf_tuple(3, etf_atom("update"), b, update[0])); /* for another */
    assert_string_equal(seen.label, "");
    assert_member(&seen, 50, "");
    stop(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_own),
        cmocka_unit_test(proved),
        cmocka_unit_test(signs),
        cmocka_unit_test(newer_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
