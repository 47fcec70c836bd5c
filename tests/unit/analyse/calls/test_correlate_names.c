/*
 * test_correlate_names.c - what messages of global and pg reveal about names: which senders are
 * believed, and which events remove a name.
 */
#include "correlate_world.h"

static void send_to(struct seen *seen, unsigned dir, struct ds_term from, struct ds_term to,
                    struct ds_term payload)
{
    message(seen, &(struct message){.code = to.data[0] == 119 ? 6 : 22, .dir = dir, .from = from,
                                    .to = to, .payload = payload});
}

/* is_called checks the names of a process by sending a message to it. */
static void is_called(struct seen *seen, struct ds_term pid, unsigned dir, const char *titles)
{
    send_to(seen, dir, etf_pid("x@h", 99), pid, etf_atom("hello"));
    assert_string_equal(seen->to_titles, titles);
}

static struct ds_term one(struct ds_term term)
{
    return etf_list(1, term, etf_nil());
}

static struct ds_term cast(struct ds_term request)
{
    return etf_tuple(2, etf_atom("$gen_cast"), request);
}

/* global, by calls and casts. */
static void names_of_global(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term server = etf_atom("global_name_server"), me = etf_pid("a@h", 1);
    const struct ds_term shop = etf_pid("b@h", 20), bank = etf_pid("b@h", 21);
    ask_as(&seen, 0, me, server, alias_tag("a@h", 1),
           etf_tuple(4, etf_atom("register"), etf_atom("shop"), shop, etf_atom("m")));
    is_called(&seen, shop, 0, "global:shop ");
    is_called(&seen, bank, 0, "");
    ask_as(&seen, 0, me, server, alias_tag("a@h", 2), etf_tuple(2, etf_atom("unregister"), etf_atom("shop")));
    is_called(&seen, shop, 0, "");
    send_to(&seen, 0, me, server,
            cast(etf_tuple(5, etf_atom("exchange"), etf_atom("a@h"),
                           etf_list(2, etf_tuple(3, etf_atom("shop"), shop, etf_atom("m")),
                                    etf_tuple(3, etf_atom("bank"), bank, etf_atom("m")), etf_nil()),
                           etf_nil(), etf_int(1))));
    is_called(&seen, shop, 0, "global:shop ");
    is_called(&seen, bank, 0, "global:bank ");
    send_to(&seen, 0, me, server,
            cast(etf_tuple(7, etf_atom("resolved"), etf_atom("a@h"),
                           etf_list(2, etf_tuple(2, etf_atom("delete"), etf_atom("shop")),
                                    etf_tuple(2, etf_atom("insert"),
                                              etf_tuple(3, etf_atom("till"), bank, etf_atom("m"))),
                                    etf_nil()),
                           etf_nil(), etf_nil(), etf_nil(), etf_int(1))));
    is_called(&seen, shop, 0, "");
    is_called(&seen, bank, 0, "global:till global:bank ");
    stop(&seen);
}

/* A scope of pg is believed about the processes of its own node in its present incarnation, and
 * nothing else is. */
static void groups_of_pg(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    const struct ds_term scope = etf_pid("a@h", 10), liar = etf_pid("a@h", 11), peer = etf_pid("b@h", 10);
    const struct ds_term mine = etf_pid("a@h", 20), other = etf_pid("b@h", 20);
    const struct ds_term earlier = etf_pid_of(etf_atom("a@h"), 21, 6), also = etf_pid("a@h", 22);
    const struct ds_term work = etf_atom("work"), rest = etf_atom("rest");
    const struct ds_term join = etf_tuple(4, etf_atom("join"), scope, work,
                                          etf_list(3, mine, other, earlier, etf_nil()));
    send_to(&seen, 0, scope, peer, join); /* it is not known yet to be a scope */
    is_called(&seen, mine, 1, "");
    send_to(&seen, 0, liar, etf_atom("pg"), etf_tuple(2, etf_atom("discover"), scope));
    send_to(&seen, 0, scope, peer, join);
    send_to(&seen, 0, liar, peer, join);
    is_called(&seen, mine, 1, "");
    send_to(&seen, 0, scope, etf_atom("pg"), etf_tuple(2, etf_atom("discover"), scope));
    send_to(&seen, 0, scope, peer, join);
    is_called(&seen, mine, 1, "pg:work ");
    is_called(&seen, other, 0, "");
    is_called(&seen, earlier, 1, "");
    send_to(&seen, 0, liar, peer, etf_tuple(4, etf_atom("leave"), scope, mine, one(work)));
    is_called(&seen, mine, 1, "pg:work ");
    send_to(&seen, 0, scope, peer, etf_tuple(4, etf_atom("leave"), scope, mine, one(work)));
    is_called(&seen, mine, 1, "");
    send_to(&seen, 0, scope, peer,
            etf_tuple(3, etf_atom("update"), scope,
                      one(etf_tuple(3, work, etf_list(2, mine, also, etf_nil()), etf_nil()))));
    is_called(&seen, mine, 1, "pg:work ");
    send_to(&seen, 0, scope, peer,
            etf_tuple(3, etf_atom("update"), scope, one(etf_tuple(3, work, etf_nil(), mine))));
    is_called(&seen, mine, 1, "");
    is_called(&seen, also, 1, "pg:work ");
    send_to(&seen, 0, scope, peer, /* all that it has */
            cast(etf_tuple(3, etf_atom("sync"), scope, one(etf_tuple(2, rest, one(mine))))));
    is_called(&seen, mine, 1, "pg:rest ");
    is_called(&seen, also, 1, "");
    stop(&seen);
}

/* A scope with another name than pg's is recognised by its answer. */
static void other_scopes(void **state)
{
    struct seen seen;
    (void)state;
    for (int answers = 0; answers < 2; answers++) {
        start(&seen);
        const struct ds_term scope = etf_pid("a@h", 10), peer = etf_pid("b@h", 10);
        const struct ds_term mine = etf_pid("a@h", 20), theirs = etf_pid("b@h", 20);
        send_to(&seen, 0, scope, etf_atom("mesh"), etf_tuple(2, etf_atom("discover"), scope));
        send_to(&seen, 0, scope, peer, etf_tuple(4, etf_atom("join"), scope, etf_atom("work"), mine));
        is_called(&seen, mine, 1, "");
        if (answers)
            send_to(&seen, 1, peer, scope,
                    cast(etf_tuple(3, etf_atom("sync"), peer,
                                   one(etf_tuple(2, etf_atom("work"), one(theirs))))));
        is_called(&seen, theirs, 0, answers ? "pg:mesh:work " : "");
        send_to(&seen, 0, scope, peer, etf_tuple(4, etf_atom("join"), scope, etf_atom("work"), mine));
        is_called(&seen, mine, 1, answers ? "pg:mesh:work " : "");
        stop(&seen);
    }
}

/* Which process receives messages to a name, after a process answered for it, and messages to the
 * alias of a call. */
static void who_has_what_is_sent_to(void **state)
{
    struct seen seen;
    (void)state;
    start(&seen);
    ask(&seen, 1);
    assert_false(seen.note.has_to_pid); /* no process has answered for the name yet */
    answer(&seen, 1);
    assert_true(seen.note.has_to_pid);
    assert_int_equal(seen.note.to_id, 1); /* the caller's alias */
    send_to(&seen, 0, etf_pid("a@h", 7), etf_atom("echo"), etf_atom("hello"));
    assert_true(seen.note.has_to_pid);
    assert_int_equal(seen.note.to_id, 50);
    assert_int_equal(seen.note.to_serial, 0);
    send_to(&seen, 0, etf_pid("a@h", 7), etf_atom("nobody"), etf_atom("hello"));
    assert_false(seen.note.has_to_pid);
    send_to(&seen, 1, etf_pid("b@h", 7), etf_atom("echo"), etf_atom("hello")); /* on the other node */
    assert_false(seen.note.has_to_pid);
    send_to(&seen, 0, etf_pid("a@h", 7), etf_pid("b@h", 50), etf_atom("hello")); /* a pid says it */
    assert_false(seen.note.has_to_pid);
    answer(&seen, 9); /* of a call that was not captured */
    assert_false(seen.note.has_to_pid);
    stop(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_global),
        cmocka_unit_test(groups_of_pg),
        cmocka_unit_test(other_scopes),
        cmocka_unit_test(who_has_what_is_sent_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
