/*
 * test_epmd.c - every message of the EPMD protocol, made by hand from the protocol's description:
 * whole, in pieces, truncated and malformed.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dist/epmd.h"
#include "failing_alloc.h"
#include "fake_conn.h"
#include "guard_page.h"

/* step is one event on a connection. */
struct step {
    enum { END, SEND, GAP, CUT, FIN } what;
    int dir;
    const char *bytes;
    size_t len;
};

#define REQUEST(text) {SEND, 0, text, sizeof text - 1}
#define REPLY(text) {SEND, 1, text, sizeof text - 1}
#define CLIENT_FIN {FIN, 0, NULL, 0}
#define SERVER_FIN {FIN, 1, NULL, 0}

struct conversation {
    const char *name;
    struct step steps[8];
    const char *expected; /* up to the close */
    const char *at_close;
};

#define CLOSED "> conn closed\n"
#define ALICE_REQ "\0\x12\x78\xc3\x50\x4d\0\0\x06\0\x05\0\x05" "alice\0\0"
#define ALICE_REQ_TEXT                                                                             \
    "port 50000 alice\n> alive2_req name=alice port=50000 type=77 high=6 low=5\n"

static const struct conversation conversations[] = {
    {"registration",
     {REQUEST(ALICE_REQ), REPLY("\x76\0\x12\x34\x56\x78"), CLIENT_FIN, SERVER_FIN},
     ALICE_REQ_TEXT "< alive2_x_resp creation=305419896\n",
     "> conn closed: the registration ends\n"},
    {"registration, old answer",
     {REQUEST(ALICE_REQ), REPLY("\x79\0\0\x03")},
     ALICE_REQ_TEXT "< alive2_resp creation=3\n",
     "> conn closed: the registration ends\n"},
    {"registration refused",
     {REQUEST(ALICE_REQ), REPLY("\x76\x01\0\0\0\0")},
     ALICE_REQ_TEXT "< alive2_x_resp result=1\n",
     CLOSED},
    {"registration with an extra field",
     {REQUEST("\0\x13\x78\xc3\x50\x48\0\0\x06\0\x05\0\x03" "bob\0\x03xyz")},
     "port 50000 bob\n> alive2_req name=bob port=50000 type=72 high=6 low=5 extra=xyz\n",
     "> conn closed: the registration ends\n"},
    {"look-up",
     {REQUEST("\0\x06\x7a" "alice"),
      REPLY("\x77\0\xc3\x50\x4d\0\0\x06\0\x05\0\x05" "alice\0\0"), SERVER_FIN, CLIENT_FIN},
     "> port_please2_req name=alice\nport 50000 alice\n"
     "< port2_resp name=alice port=50000 type=77 high=6 low=5\n",
     CLOSED},
    {"look-up failed",
     {REQUEST("\0\x06\x7a" "alice"), REPLY("\x77\x01"), SERVER_FIN},
     "> port_please2_req name=alice\n< port2_resp result=1\n",
     CLOSED},
    {"the answer was captured before the request",
     {REPLY("\x77\x01"), REQUEST("\0\x06\x7a" "alice")},
     "< port2_resp result=1\n> port_please2_req name=alice\n",
     CLOSED},
    {"names in latin-1, and in UTF-8",
     {REQUEST("\0\x04\x7a" "b\xe9\xff"),
      REPLY("\x77\0\xc3\x50\x4d\0\0\x06\0\x05\0\x03" "b\xe9\xff\0\0"),
      REQUEST("\0\x04\x7a" "b\xc3\xa9"), SERVER_FIN},
     "> port_please2_req name=b\xc3\xa9\xc3\xbf\nport 50000 b\xc3\xa9\xc3\xbf\n"
     "< port2_resp name=b\xc3\xa9\xc3\xbf port=50000 type=77 high=6 low=5\n"
     "> port_please2_req name=b\xc3\xa9\n",
     CLOSED},
    {"a list with names in latin-1, and in UTF-8",
     {REQUEST("\0\x01n"),
      REPLY("\0\0\x11\x11name b\xe9 at port 50000\nname \xc3\xa9 at port 40000\n"),
      SERVER_FIN},
     "> names_req\nport 50000 b\xc3\xa9\nport 40000 \xc3\xa9\n"
     "< names_resp epmd=4369 [b\xc3\xa9 50000 -1 active] "
     "[\xc3\xa9 40000 -1 active]\n",
     CLOSED},
    {"names",
     {REQUEST("\0\x01n"),
      REPLY("\0\0\x11\x11name alice at port 50000\nname b at port 7 at port 40000\n"),
      SERVER_FIN},
     "> names_req\nport 50000 alice\nport 40000 b at port 7\n"
     "< names_resp epmd=4369 [alice 50000 -1 active] [b at port 7 40000 -1 active]\n",
     CLOSED},
    {"no names",
     {REQUEST("\0\x01n"), REPLY("\0\0\x11\x11"), SERVER_FIN},
     "> names_req\n< names_resp epmd=4369\n",
     CLOSED},
    {"the last port, and one behind it",
     {REQUEST("\0\x01n"),
      REPLY("\0\0\x11\x11" "name bob at port 65535\nname eve at port 65536\n"), SERVER_FIN},
     "> names_req\nport 65535 bob\n"
     "< names_resp epmd=4369 [bob 65535 -1 active] !malformed at 27: not a line of a list of nodes\n",
     CLOSED},
    {"dump",
     {REQUEST("\0\x01" "d"),
      REPLY("\0\0\x11\x11" "active name     <alice> at port 50000, fd = 5\n"
            "old/unused name <b> at port 40000, fd = -1 \nactive name c at port 3, fd = 6\n"
            "active name carol at port 4, fd = 7\nactive name <dave at port 5, fd = 8\n"
            "active name erin> at port 6, fd = 9\n"),
      SERVER_FIN},
     "> dump_req\nport 50000 alice\nport 3 c\nport 4 carol\nport 5 <dave\nport 6 erin>\n"
     "< dump_resp epmd=4369 [alice 50000 5 active] "
     "[b 40000 -1 old] [c 3 6 active] [carol 4 7 active] [<dave 5 8 active] [erin> 6 9 active]\n",
     CLOSED},
    {"empty dump",
     {REQUEST("\0\x01" "d"), REPLY("\0\0\x11\x11"), SERVER_FIN},
     "> dump_req\n< dump_resp epmd=4369\n",
     CLOSED},
    {"kill",
     {REQUEST("\0\x01k"), REPLY("OK"), SERVER_FIN},
     "> kill_req\n< kill_resp raw=OK\n",
     CLOSED},
    {"stop",
     {REQUEST("\0\x06salice"), REPLY("STOPPED"), SERVER_FIN},
     "> stop_req name=alice\n< stop_resp raw=STOPPED\n",
     CLOSED},
    {"stop, not there",
     {REQUEST("\0\x06salice"), REPLY("NOEXIST"), SERVER_FIN},
     "> stop_req name=alice\n< stop_resp raw=NOEXIST\n",
     CLOSED},
    {"two requests in one piece",
     {REQUEST("\0\x01n\0\x01" "d")},
     "> names_req\n> dump_req\n",
     CLOSED},
    {"unknown request",
     {REQUEST("\0\x02" "Zz")},
     "> unknown !malformed at 2: no request begins like this\n",
     CLOSED},
    {"empty request",
     {REQUEST("\0\0")},
     "> unknown !malformed at 2: an empty request\n",
     CLOSED},
    {"request without the name",
     {REQUEST("\0\x01z")},
     "> port_please2_req name= !malformed at 3: no name\n",
     CLOSED},
    {"request with bytes left over",
     {REQUEST("\0\x03nxy")},
     "> names_req !malformed at 3: bytes after the end of the request\n",
     CLOSED},
    {"name longer than the request",
     {REQUEST("\0\x12\x78\xc3\x50\x4d\0\0\x06\0\x05\0\x08" "alice\0\0")},
     "> alive2_req port=50000 type=77 high=6 low=5 !malformed at 13: the name is not whole\n",
     CLOSED},
    {"registration without anything",
     {REQUEST("\0\x01\x78")},
     "> alive2_req !malformed at 3: no port\n",
     CLOSED},
    {"unknown reply",
     {REQUEST("\0\x01n"), REPLY("HTTP/1.1")},
     "> names_req\n< unknown !malformed at 0: no reply begins like this\n",
     CLOSED},
    {"reply that is almost right",
     {REQUEST("\0\x01k"), REPLY("OX")},
     "> kill_req\n< unknown !malformed at 0: no reply begins like this\n",
     CLOSED},
    {"a line that is none",
     {REQUEST("\0\x01n"), REPLY("\0\0\x11\x11name a at port 5\nname b at harbour 6\n"),
      SERVER_FIN},
     "> names_req\nport 5 a\n< names_resp epmd=4369 [a 5 -1 active] "
     "!malformed at 21: not a line of a list of nodes\n",
     CLOSED},
    {"a line cut short",
     {REQUEST("\0\x01n"), REPLY("\0\0\x11\x11name a at port 5\nname b at po"), SERVER_FIN},
     "> names_req\nport 5 a\n< names_resp epmd=4369 [a 5 -1 active] "
     "!malformed at 21: the list ends inside a line\n",
     CLOSED},
    {"a port that is none",
     {REQUEST("\0\x01n"), REPLY("\0\0\x11\x11name a at port 65536\n"), SERVER_FIN},
     "> names_req\n< names_resp epmd=4369 !malformed at 4: not a line of a list of nodes\n",
     CLOSED},
    {"the answer ends inside",
     {REQUEST("\0\x06\x7a" "alice"), REPLY("\x77\0\xc3\x50\x4d"), SERVER_FIN},
     "> port_please2_req name=alice\n< port2_resp port=50000 type=77 !malformed at 5: "
     "the connection ended inside a message\n",
     CLOSED},
    {"a lost request",
     {{GAP, 0, NULL, 10}, REQUEST("\0\x01n")},
     "> gap 10 !gap at 0: bytes are missing here\n> names_req\n",
     CLOSED},
    {"a list with a hole",
     {REQUEST("\0\x01n"), REPLY("\0\0\x11\x11name a at port 5\nname"), {GAP, 1, NULL, 20},
      REPLY(" 7\n")},
     "> names_req\n< names_resp epmd=4369 [a 5 -1 active] !gap at 25: bytes are missing here\n"
     "< gap 20 !gap at 0: bytes are missing here\n",
     CLOSED},
    {"a list cut by the snap length",
     {REQUEST("\0\x01n"), REPLY("\0\0\x11\x11name a at port 5\n"), {CUT, 1, NULL, 9},
      SERVER_FIN},
     "> names_req\n"
     "< names_resp epmd=4369 [a 5 -1 active] !truncated at 21: bytes are missing here\n"
     "< gap 9 !truncated at 0: bytes are missing here\n",
     CLOSED},
    {"a request behind a hole that is none",
     {{GAP, 0, NULL, 10}, REQUEST("lice")},
     "> gap 10 !gap at 0: bytes are missing here\n"
     "> unknown !joined_late at 4: the beginning was not captured\n",
     CLOSED},
};
enum { NUM_CONVERSATIONS = sizeof conversations / sizeof conversations[0] };

static struct fake fake;

static void do_step(struct fake *f, const struct step *step, bool by_byte)
{
    switch (step->what) {
    case END:
        break;
    case SEND:
        if (!by_byte) {
            fake_send(f, step->dir, step->bytes, step->len);
            break;
        }
        for (size_t i = 0; i < step->len; i++)
            fake_send(f, step->dir, &step->bytes[i], 1);
        break;
    case GAP:
    case CUT:
        fake_gap(f, step->dir, step->len, step->what == GAP ? TCP_GAP_LOST : TCP_GAP_SNAPLEN);
        break;
    case FIN:
        fake_fin(f, step->dir);
        break;
    }
}

static void play(struct fake *f, const struct conversation *c, bool by_byte)
{
    for (const struct step *step = c->steps; step->what != END; step++)
        do_step(f, step, by_byte);
}

/* Some conversations are reported only if their pieces arrive whole. */
static bool needs_whole_pieces(const struct conversation *c)
{
    return c->steps[0].what == GAP;
}

static void test_conversations(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_CONVERSATIONS; i++) {
        const struct conversation *c = &conversations[i];
        for (int by_byte = 0; by_byte < (needs_whole_pieces(c) ? 1 : 2); by_byte++) {
            print_message("%s%s\n", c->name, by_byte ? ", byte by byte" : "");
            assert_true(fake_begin(&fake));
            assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, true));
            play(&fake, c, by_byte);
            char expected[4096];
            snprintf(expected, sizeof expected, "%s%s", c->expected, c->at_close);
            fake_close(&fake, TCP_CLOSE_FIN);
            assert_string_equal(fake.log, expected);
            assert_int_equal(fake.num_finals, 1);
            assert_int_equal(fake_finish(&fake), 0);
        }
    }
}

/* Every prefix of every conversation, before an unreadable page: no crash, no leak, and complete
 * messages are reported as before. */
static void test_prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_CONVERSATIONS; i++) {
        const struct conversation *c = &conversations[i];
        for (size_t last = 0; c->steps[last].what != END; last++) {
            for (size_t len = 0; len < c->steps[last].len; len++) {
                if (c->steps[last].what != SEND)
                    continue;
                assert_true(fake_begin(&fake));
                assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, true));
                for (size_t s = 0; s < last; s++)
                    do_step(&fake, &c->steps[s], false);
                struct guard_page guard = guard_page_copy(c->steps[last].bytes, len);
                assert_non_null(guard.bytes);
                fake_send(&fake, c->steps[last].dir, guard.bytes, len);
                guard_page_free(&guard);
                fake_close(&fake, TCP_CLOSE_CAPTURE);
                assert_int_equal(fake_finish(&fake), 0);
            }
        }
    }
}

static void run_once(void *context)
{
    const struct conversation *c = context;
    if (fake_begin(&fake)) {
        if (fake_open(&fake, &epmd_proto, 40001, 4369, true))
            play(&fake, c, true);
        fake_close(&fake, TCP_CLOSE_FIN);
        if (failing_alloc_failed() && fake.conn.view.number != 0)
            assert_int_equal(fake.num_finals, 1);
    }
    if (fake.env.registry != NULL)
        assert_int_equal(fake_finish(&fake), 0);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_CONVERSATIONS; i++) {
        struct conversation c = conversations[i];
        assert_true(failing_alloc_each(run_once, &c) >= 2);
    }
}

static struct ds_text find(uint16_t port)
{
    uint32_t creation = 0;
    return registry_find(fake.env.registry, &fake.tcp.addr[1], port, &creation);
}

/* A registration ends with its connection; a looked-up name stays. */
static void test_registration_ends(void **state)
{
    (void)state;
    uint32_t creation = 0;
    assert_true(fake_begin(&fake));
    assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, true));
    fake_send(&fake, 0, ALICE_REQ, sizeof ALICE_REQ - 1);
    fake_send(&fake, 1, "\x76\0\x12\x34\x56\x78", 6);
    struct ds_text name =
        registry_find(fake.env.registry, &fake.tcp.addr[1], 50000, &creation);
    assert_int_equal(name.len, 5);
    assert_memory_equal(name.data, "alice", 5);
    assert_int_equal(creation, 0x12345678);
    fake_close(&fake, TCP_CLOSE_RESET);
    assert_null(find(50000).data);

    assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, true));
    fake_send(&fake, 1, "\x77\0\xc3\x50\x4d\0\0\x06\0\x05\0\x03" "bob\0\0", 17);
    fake_close(&fake, TCP_CLOSE_FIN);
    assert_int_equal(find(50000).len, 3);
    assert_int_equal(fake_finish(&fake), 0);
}

static void test_nobody_there(void **state)
{
    (void)state;
    static const struct {
        enum tcp_close why;
        const char *expected;
    } cases[] = {
        {TCP_CLOSE_RESET, "< conn failed: connection refused: no EPMD there\n"},
        {TCP_CLOSE_SYN_TIMEOUT, "> conn failed: no answer\n"},
        {TCP_CLOSE_CAPTURE, ""}, /* the answer may still come */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(fake_begin(&fake));
        assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, true));
        fake.tcp.syn_seen[1] = false;
        fake.tcp.reset_dir = 1;
        fake_close(&fake, cases[i].why);
        assert_string_equal(fake.log, cases[i].expected);
        assert_int_equal(fake_finish(&fake), 0);
    }
}

static void test_joined_late(void **state)
{
    (void)state;
    assert_true(fake_begin(&fake));
    /* The first packet seen came from EPMD. */
    assert_true(fake_open(&fake, &epmd_proto, 4369, 40001, false));
    fake_send(&fake, 0, "\x77\x01", 2);
    fake_send(&fake, 1, "bob", 3);
    fake_send(&fake, 1, "\0\x01n", 3);
    fake_close(&fake, TCP_CLOSE_CAPTURE);
    assert_string_equal(fake.log, "> port2_resp result=1\n"
                                  "< unknown !joined_late at 3: the beginning was not captured\n"
                                  "< conn open_at_end\n");
    assert_int_equal(fake_finish(&fake), 0);

    /* A question has its end where the packet has. */
    for (size_t len = 3; len <= 4; len++) {
        assert_true(fake_begin(&fake));
        assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, false));
        fake_send(&fake, 0, "\0\x01nx", len);
        assert_int_equal(strncmp(fake.log, "> names_req\n", 12) == 0, len == 3);
        fake_close(&fake, TCP_CLOSE_CAPTURE);
        assert_int_equal(fake_finish(&fake), 0);
    }
}

/* A list that is longer than the cap is reported up to there, and the rest is not held. */
static void test_list_too_long(void **state)
{
    (void)state;
    static const char line[] = "name x at port 77\n";
    assert_true(fake_begin(&fake));
    assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, true));
    fake.env.config.on_event = NULL;
    fake_send(&fake, 1, "\0\0\x11\x11", 4);
    for (int i = 0; i < 100000; i++)
        fake_send(&fake, 1, line, sizeof line - 1);
    assert_int_equal(fake.env.stats.epmd_messages, 1);
    assert_int_equal(fake.env.stats.faults, 1);
    assert_int_equal(fake.env.memcap.used, 0);
    fake_close(&fake, TCP_CLOSE_FIN);
    assert_int_equal(fake_finish(&fake), 0);
}

/* With no room in the memory cap, a message in pieces is lost, and this is reported. */
static void test_no_room(void **state)
{
    (void)state;
    assert_true(fake_begin(&fake));
    fake.env.memcap.max = 10;
    assert_true(fake_open(&fake, &epmd_proto, 40001, 4369, true));
    fake_send(&fake, 0, "\0\x01n\0", 4);
    fake_send(&fake, 0, "\x01n", 2);
    fake_close(&fake, TCP_CLOSE_FIN);
    assert_string_equal(fake.log, "> names_req\n> unknown !cap at 1: no room to hold it\n" CLOSED);
    assert_int_equal(fake.env.memcap.hits, 1);
    assert_int_equal(fake_finish(&fake), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversations), cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_registration_ends),
        cmocka_unit_test(test_nobody_there),  cmocka_unit_test(test_joined_late),
        cmocka_unit_test(test_list_too_long), cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
