/*
 * test_web.c - the basis of a served page: its host names, the addresses it listens on, and the
 * queues of its clients: short, whatever they do.
 */
#include "core/listen_address.h"
#include "failing_alloc.h"
#include "ui/web/web_clients.h"
#include "ui/web/web_http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void names_are_no_hosts(void **state)
{
    static const char *const safe[] = {"localhost",     "localhost:80", "127.0.0.1", "127.0.0.1:1",
                                       "10.0.0.7:8080", "[::1]",        "[::1]:80",  "[fe80::1]:9"};
    static const char *const unsafe[] = {
        "",         "evil.example",       "evil.example:80", "localhost.evil", "127.0.0.1.evil",
        "1.2.3",    "[::1",               "[]",              "[1.2.3.4]",      "::1",
        "[::1%lo]", "2130706433",         "0x7f.0.0.1",      "localhost ",     " localhost",
        ":80",      "[::1]x.example:80]", "1.2.3.4x",        "LOCALHOST.",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    (void)state;
    for (size_t i = 0; i < sizeof safe / sizeof safe[0]; i++)
        assert_true(web_http_host_is_safe(safe[i]));
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
        assert_false(web_http_host_is_safe(unsafe[i]));
    assert_false(web_http_host_is_safe(NULL));
}

static void addresses_are_read(void **state)
{
    struct listen_address address;
    struct listen_name name;
    (void)state;
    assert_true(listen_address_parse("--x", "0", &address));
    assert_true(listen_address_is_local(&address));
    const int fd = listen_address_open("--x", &address, &name);
    assert_true(fd >= 0);
    assert_int_equal(strncmp(name.text, "127.0.0.1:", 10), 0);
    assert_string_not_equal(name.text, "127.0.0.1:0");
    /* The same address again is in use. */
    assert_true(listen_address_parse("--x", name.text, &address));
    assert_int_equal(listen_address_open("--x", &address, &name), -1);
    close(fd);
    assert_true(listen_address_parse("--x", "0.0.0.0:65535", &address));
    assert_false(listen_address_is_local(&address));
    assert_true(listen_address_parse("--x", "[::1]:80", &address));
    assert_true(listen_address_is_local(&address));
    assert_true(listen_address_parse("--x", "[::]:80", &address));
    assert_false(listen_address_is_local(&address));
    assert_true(listen_address_parse("--x", "localhost:80", &address));
    assert_true(listen_address_is_local(&address));
    assert_false(listen_address_parse("--x", "65536", &address));
}

/* A connection is a counter of how often it sleeps. */
static void put_to_sleep(void *connection)
{
    ++*(int *)connection;
}

static void wake_up(void *connection)
{
    --*(int *)connection;
}

static const void *closed; /* a connection */

static bool is_closed(void *connection)
{
    return connection == closed;
}

static void begin(struct web_clients *clients, uint64_t max)
{
    web_clients_init(clients, max);
    clients->calls = (struct web_clients_calls){put_to_sleep, wake_up, is_closed};
}

static void tell(struct web_clients *clients, const char *data)
{
    struct web_text *text = web_text_new("state", data, strlen(data));
    assert_non_null(text);
    web_clients_send(clients, text);
}

/* assert_gets: that is sent to a client next, and no more. */
static void assert_gets(struct web_client *client, const char *wanted)
{
    char text[200] = "";
    size_t len = 0;
    while (len < strlen(wanted)) { /* three bytes at once */
        const ptrdiff_t more = web_client_read(client, text + len, 3);
        assert_in_range(more, 1, 3);
        len += (size_t)more;
    }
    assert_string_equal(text, wanted);
}

static void assert_sleeps(struct web_client *client, const int *asleep)
{
    char text[8];
    assert_int_equal(web_client_read(client, text, sizeof text), 0);
    assert_int_equal(*asleep, 1);
}

#define HELLO(number) "event: hello\ndata: welcome\nretry: 2000\nid: " number "\n\n"
#define STATE(data) "event: state\ndata: " data "\n\n"

static void the_latest_is_sent(void **state)
{
    struct web_clients clients;
    int one_sleeps = 0, other_sleeps = 0;
    char text[8];
    (void)state;
    begin(&clients, 2);
    struct web_client *one = web_clients_join(&clients, &one_sleeps, NULL);
    assert_gets(one, HELLO("1"));
    assert_sleeps(one, &one_sleeps);
    tell(&clients, "a");
    assert_int_equal(one_sleeps, 0);
    assert_int_equal(web_client_read(one, text, 5), 5);
    tell(&clients, "b"); /* while that is on its way */
    tell(&clients, "c");
    assert_gets(one, STATE("a") + 5);
    assert_false(web_clients_have_all(&clients));
    assert_gets(one, STATE("c"));
    assert_true(web_clients_have_all(&clients));
    assert_sleeps(one, &one_sleeps);
    /* A client that joins later begins with that; a third one is too many. */
    struct web_client *other = web_clients_join(&clients, &other_sleeps, "7");
    assert_gets(other, HELLO("2"));
    assert_gets(other, STATE("c"));
    assert_sleeps(other, &other_sleeps);
    assert_null(web_clients_join(&clients, &other_sleeps, NULL));
    assert_int_equal(web_clients_num_refused(&clients), 1);
    web_clients_ping(&clients);
    assert_gets(one, "event: ping\ndata: \n\n");
    assert_gets(other, "event: ping\ndata: \n\n");
    /* The end is sent after all unsent data, and nothing after it. */
    tell(&clients, "d");
    assert_gets(one, STATE("d"));
    web_clients_end(&clients);
    assert_gets(one, "event: end\ndata: \n\n");
    assert_gets(other, STATE("d") "event: end\ndata: \n\n");
    assert_int_equal(web_client_read(one, text, sizeof text), -1);
    assert_int_equal(web_client_read(other, text, sizeof text), -1);
    web_clients_leave(other);
    web_clients_leave(one);
    assert_int_equal(web_clients_num(&clients), 0);
    assert_null(clients.latest);
    assert_null(web_clients_join(&clients, &one_sleeps, NULL));
    web_clients_free(&clients);
}

/* A client that joins when the last one has just left waits for a state of its own, as the other's
 * is gone. */
static void who_begins_with_none_lacks_one(void **state)
{
    struct web_clients clients;
    int asleep = 0;
    (void)state;
    begin(&clients, 2);
    assert_false(web_clients_lack(&clients));
    struct web_client *one = web_clients_join(&clients, &asleep, NULL);
    assert_true(web_clients_lack(&clients));
    tell(&clients, "a");
    assert_false(web_clients_lack(&clients));
    struct web_client *other = web_clients_join(&clients, &asleep, NULL);
    assert_false(web_clients_lack(&clients)); /* it begins with that */
    web_clients_leave(one);
    web_clients_leave(other);
    one = web_clients_join(&clients, &asleep, NULL);
    assert_true(web_clients_lack(&clients));
    assert_gets(one, HELLO("3"));
    tell(&clients, "b");
    assert_gets(one, STATE("b"));
    assert_false(web_clients_lack(&clients));
    web_clients_leave(one);
    web_clients_join(&clients, &asleep, NULL);
    assert_true(web_clients_lack(&clients));
    web_clients_leave(clients.first); /* no client waits any more */
    assert_false(web_clients_lack(&clients));
    web_clients_free(&clients);
}

/* A closed browser makes room when that is needed, even if nothing is sent to it. */
static void the_gone_take_no_place(void **state)
{
    struct web_clients clients;
    int asleep[3] = {0};
    char text[8];
    (void)state;
    begin(&clients, 2);
    struct web_client *stays = web_clients_join(&clients, &asleep[0], NULL);
    struct web_client *goes = web_clients_join(&clients, &asleep[1], NULL);
    assert_gets(stays, HELLO("1"));
    assert_gets(goes, HELLO("2"));
    closed = &asleep[1];
    assert_null(web_clients_join(&clients, &asleep[2], NULL)); /* who is being sent something is here */
    assert_sleeps(stays, &asleep[0]);
    assert_sleeps(goes, &asleep[1]);
    struct web_client *comes = web_clients_join(&clients, &asleep[2], NULL);
    assert_non_null(comes);
    assert_int_equal(asleep[0], 1);
    assert_int_equal(asleep[1], 0); /* it wakes up to leave */
    assert_int_equal(web_clients_num(&clients), 2);
    assert_null(web_clients_join(&clients, &asleep[2], NULL)); /* it makes room once */
    tell(&clients, "a");
    assert_int_equal(web_client_read(goes, text, sizeof text), -1);
    assert_gets(comes, HELLO("3"));
    assert_gets(comes, STATE("a"));
    assert_gets(stays, STATE("a"));
    assert_true(web_clients_have_all(&clients));
    web_clients_leave(goes);
    assert_int_equal(web_clients_num(&clients), 2);
    assert_null(web_clients_join(&clients, &asleep[2], NULL));
    web_clients_leave(comes);
    web_clients_leave(stays);
    closed = NULL;
    web_clients_free(&clients);
}

static void the_dropped_are_told(void **state)
{
    struct web_clients clients;
    int asleep = 0;
    (void)state;
    begin(&clients, 1);
    for (unsigned i = 1; i <= WEB_DROPPED_KNOWN + 1; i++)
        web_clients_drop(&clients, 100 + i);
    static const struct {
        const char *id;
        bool is_known;
    } ids[] = {{"101", false}, {"102", true}, {"117", true}, {"118", false}, {"0", false}, {"", false}};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char text[200] = "";
        struct web_client *client = web_clients_join(&clients, &asleep, ids[i].id);
        assert_true(web_client_read(client, text, sizeof text - 1) > 0);
        assert_int_equal(strstr(text, "dropped") != NULL, ids[i].is_known);
        web_clients_leave(client);
    }
    web_clients_free(&clients);
}

static void look_on(void *context)
{
    struct web_clients clients;
    int asleep = 0;
    char text[400];
    (void)context;
    begin(&clients, 1);
    struct web_client *client = web_clients_join(&clients, &asleep, NULL);
    struct web_text *state = web_text_new("state", "a", 1);
    if (state != NULL)
        web_clients_send(&clients, state);
    web_clients_ping(&clients);
    web_clients_end(&clients);
    while (client != NULL && web_client_read(client, text, sizeof text) > 0)
        ;
    if (client != NULL)
        web_clients_leave(client);
    web_clients_free(&clients);
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_in_range(failing_alloc_each(look_on, NULL), 5, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_no_hosts), cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(the_latest_is_sent), cmocka_unit_test(who_begins_with_none_lacks_one),
        cmocka_unit_test(the_gone_take_no_place), cmocka_unit_test(the_dropped_are_told),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
