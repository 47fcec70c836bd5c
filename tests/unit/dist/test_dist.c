/*
 * test_dist.c - handshakes made by hand from the protocol's description: how each of them goes,
 * ends and fails; every prefix of them; failing memory.
 */
#include "dist_world.h"
#include "failing_alloc.h"
#include "guard_page.h"

#define FLAGS_TEXT " flags=d07df7fbd"
#define SEND_NAME_TEXT                                                                             \
    "> conn open\n> send_name version=6" FLAGS_TEXT " name=alice@h creation=1\n"
#define STATUS_TEXT "< status status=ok\n"
#define CHALLENGE_TEXT                                                                             \
    "port 40002 bob@h\n< challenge version=6" FLAGS_TEXT " name=bob@h creation=2 challenge=10\n"
#define BEGIN_TEXT SEND_NAME_TEXT STATUS_TEXT CHALLENGE_TEXT
#define REPLY_TEXT "> challenge_reply challenge=11 digest=55..62"
#define REPLY_OTHER_TEXT "> challenge_reply challenge=11 digest=2b..de"
#define ACK_TEXT "< challenge_ack digest=06..cb"
#define ACK_OTHER_TEXT "< challenge_ack digest=b4..23"

static const struct conversation conversations[] = {
    {"version 6",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_SECRET), B(ACK_SECRET), A("12345"), A_FIN,
      B_FIN},
     BEGIN_TEXT REPLY_TEXT "\n> channel\n" ACK_TEXT
     "\n< channel\n> conn up\n> channel had 5 bytes\n> conn closed: closed by alice@h\n"},
    {"messages right behind the handshake",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK), B(CHALLENGE), A(REPLY_SECRET), B(ACK_SECRET "1234567"), B_FIN},
     BEGIN_TEXT REPLY_TEXT "\n> channel\n" ACK_TEXT
     "\n< channel\n> conn up\n< channel had 7 bytes\n< conn closed: closed by bob@h\n"},
    {"version 5 on both sides",
     false, false, NULL,
     {A(SEND_NAME_5), B(STATUS_OK), B(CHALLENGE_5), A(REPLY_SECRET), B(ACK_SECRET), B_RESET},
     "> conn open\n> send_name version=5 flags=ff7fbd name=alice@h\n" STATUS_TEXT
     "port 40002 bob@h\n< challenge version=5 flags=ff7fbd name=bob@h challenge=10\n" REPLY_TEXT
     "\n> channel\n" ACK_TEXT "\n< channel\n> conn up\n< conn closed: reset by bob@h\n"},
    {"version 5 with a complement",
     false, false, NULL,
     {A(SEND_NAME_5), B(STATUS_OK), B(CHALLENGE),
      A("\0\x09" "c\0\0\0\x0d\0\0\0\x07" REPLY_SECRET), B(ACK_SECRET), A_FIN},
     "> conn open\n> send_name version=5 flags=ff7fbd name=alice@h\n" STATUS_TEXT CHALLENGE_TEXT
     "> complement flags=d00000000 creation=7\n" REPLY_TEXT "\n> channel\n" ACK_TEXT
     "\n< channel\n> conn up\n> conn closed: closed by alice@h\n"},
    {"names in latin-1, and in UTF-8",
     false, false, NULL,
     {A("\0\x0en\0\x05\x00\xff\x7f\xbd" "alic\xe9@h"), B(STATUS_OK),
      B("\0\x19N" FLAGS "\0\0\0\x0a\0\0\0\x02\0\x06" "b\xc3\xa9@h."), A_FIN},
     "> conn open\n> send_name version=5 flags=ff7fbd name=alic\xc3\xa9@h\n" STATUS_TEXT
     "port 40002 b\xc3\xa9@h.\n< challenge version=6" FLAGS_TEXT
     " name=b\xc3\xa9@h. creation=2 challenge=10\n"
     "> conn failed: closed by alic\xc3\xa9@h after challenge\n"},
    {"dynamic name",
     false, false, NULL,
     {A("\0\x10N\0\0\0\x0f\x07\xdf\x7f\xbd\0\0\0\0\0\x01h"),
      B("\0\x12snamed:\0\x05" "dyn@h\0\0\0\x09"), B(CHALLENGE), A(REPLY_SECRET), B(ACK_SECRET),
      A_FIN},
     "> conn open\n> send_name version=6 flags=f07df7fbd name=h\n"
     "< status name=dyn@h creation=9 status=named:\n" CHALLENGE_TEXT REPLY_TEXT
     "\n> channel\n" ACK_TEXT "\n< channel\n> conn up\n> conn closed: closed by dyn@h\n"},
    {"latin-1 atoms, when one side does not know UTF-8",
     false, false, NULL,
     {A("\0\x0en\0\x05\x00\xfe\x7f\xbd" "alice@h"), B(STATUS_OK), B(CHALLENGE_5),
      A(REPLY_SECRET), B(ACK_SECRET), A_FIN},
     "> conn open\n> send_name version=5 flags=fe7fbd name=alice@h\n" STATUS_TEXT
     "port 40002 bob@h\n< challenge version=5 flags=ff7fbd name=bob@h challenge=10\n" REPLY_TEXT
     "\n> channel\n> channel latin1\n" ACK_TEXT
     "\n< channel\n< channel latin1\n> conn up\n> conn closed: closed by alice@h\n"},
    {"bytes after the name are allowed",
     false, false, NULL,
     {A("\0\x19N" FLAGS "\0\0\0\x01\0\x07" "alice@hxyz"), A_FIN},
     SEND_NAME_TEXT "> conn failed: closed by alice@h after send_name\n"},
    {"ok_simultaneous",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x10sok_simultaneous"), B(CHALLENGE), A_RESET},
     SEND_NAME_TEXT "< status status=ok_simultaneous\n" CHALLENGE_TEXT
     "> conn failed: reset by alice@h after challenge\n"},
    {"nok",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x04snok"), B_FIN},
     SEND_NAME_TEXT "< status status=nok\n< conn failed: simultaneous connect: 10.0.0.2:40002 "
     "answered nok, it is connecting to alice@h itself\n"},
    {"not allowed",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x0csnot_allowed"), B_FIN},
     SEND_NAME_TEXT "< status status=not_allowed\n"
     "< conn failed: refused: 10.0.0.2:40002 answered not_allowed to alice@h\n"},
    {"alive, true",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x06salive"), A("\0\x05strue"), B(CHALLENGE), A(REPLY_SECRET),
      B(ACK_SECRET), A_FIN},
     SEND_NAME_TEXT "< status status=alive\n> status_reply status=true\n" CHALLENGE_TEXT
     REPLY_TEXT "\n> channel\n" ACK_TEXT
     "\n< channel\n> conn up\n> conn closed: closed by alice@h\n"},
    {"alive, false",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x06salive"), A("\0\x06sfalse"), A_FIN},
     SEND_NAME_TEXT "< status status=alive\n> status_reply status=false\n"
     "> conn failed: abandoned by alice@h: 10.0.0.2:40002 has a connection with it already "
     "(alive, false)\n"},
    {"alive, no answer",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x06salive"), B_FIN},
     SEND_NAME_TEXT "< status status=alive\n< conn failed: closed by 10.0.0.2:40002 after "
     "10.0.0.2:40002 answered alive: it has a connection with alice@h already\n"},
    {"right cookie",
     false, false, "secret",
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_SECRET), B(ACK_SECRET), B_FIN},
     BEGIN_TEXT REPLY_TEXT " cookie=ok\n> channel\n" ACK_TEXT
     " cookie=ok\n< channel\n> conn up\n< conn closed: closed by bob@h\n"},
    {"wrong cookie, not known here",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_OTHER), B_FIN},
     BEGIN_TEXT REPLY_OTHER_TEXT
     "\n> channel\n< conn failed: closed by bob@h after challenge_reply: most likely a wrong "
     "cookie\n"},
    {"wrong cookie of the initiator",
     false, false, "secret",
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_OTHER), B_FIN},
     BEGIN_TEXT REPLY_OTHER_TEXT
     " cookie=wrong (made with another cookie by the initiator alice@h)\n> channel\n"
     "< conn failed: wrong cookie: closed by bob@h, the digest of alice@h was made with "
     "another\n"},
    {"wrong cookie of the acceptor, seen by its closing",
     false, false, "secret",
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_SECRET), B_FIN},
     BEGIN_TEXT REPLY_TEXT
     " cookie=ok\n> channel\n< conn failed: wrong cookie: closed by bob@h, although the digest "
     "of alice@h was made with the cookie given\n"},
    {"wrong cookie of the acceptor, seen by its digest",
     false, false, "secret",
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_SECRET), B(ACK_OTHER), A_FIN},
     BEGIN_TEXT REPLY_TEXT " cookie=ok\n> channel\n" ACK_OTHER_TEXT
     " cookie=wrong (made with another cookie by the acceptor bob@h)\n< channel\n"
     "> conn failed: wrong cookie: closed by alice@h, the digest of bob@h was made with "
     "another\n"},
    {"flags of before OTP 25 are missing",
     false, false, NULL,
     {A("\0\x16N\0\0\0\x0d\x03\xdd\x7f\xad\0\0\0\x01\0\x07" "alice@h"), B_FIN},
     "> conn open\n> send_name version=6 flags=d03dd7fad name=alice@h creation=1\n"
     "< conn failed: closed by 10.0.0.2:40002 after send_name: alice@h lacks FUN_TAGS, MAP_TAG, "
     "mandatory since OTP 25\n"},
    {"flags of OTP 26 are missing",
     false, false, NULL,
     {A("\0\x16N\0\0\0\x09\x05\xdf\x7f\xbd\0\0\0\x01\0\x07" "alice@h"), B_FIN},
     "> conn open\n> send_name version=6 flags=905df7fbd name=alice@h creation=1\n"
     "< conn failed: closed by 10.0.0.2:40002 after send_name: alice@h lacks UNLINK_ID, V4_NC, "
     "mandatory since OTP 26\n"},
    {"the acceptor's flags are missing",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK "\0\x18N\0\0\0\x0d\x03\xdf\x7b\xbd\0\0\0\x0a\0\0\0\x02\0\x05"
                      "bob@h"), A_FIN},
     SEND_NAME_TEXT STATUS_TEXT "port 40002 bob@h\n"
     "< challenge version=6 flags=d03df7bbd name=bob@h creation=2 challenge=10\n"
     "> conn failed: closed by alice@h after challenge: bob@h lacks BIT_BINARIES, mandatory "
     "since OTP 25\n"},
    {"who has too few flags closes itself",
     false, false, NULL,
     {A("\0\x16N\0\0\0\x0d\x03\xdd\x7f\xad\0\0\0\x01\0\x07" "alice@h"), A_FIN},
     "> conn open\n> send_name version=6 flags=d03dd7fad name=alice@h creation=1\n"
     "> conn failed: closed by alice@h after send_name\n"},
    {"the acceptor, who has too few, closes after its challenge",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK "\0\x18N\0\0\0\x0d\x03\xdf\x7b\xbd\0\0\0\x0a\0\0\0\x02\0\x05"
                      "bob@h"), B_FIN},
     SEND_NAME_TEXT STATUS_TEXT "port 40002 bob@h\n"
     "< challenge version=6 flags=d03df7bbd name=bob@h creation=2 challenge=10\n"
     "< conn failed: closed by bob@h after challenge\n"},
    {"the initiator closes after its reply",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A(REPLY_SECRET), A_FIN},
     BEGIN_TEXT REPLY_TEXT "\n> channel\n> conn failed: closed by alice@h after challenge_reply\n"},
    {"the initiator closes after an old send_name",
     false, false, NULL,
     {A(SEND_NAME_5), A_FIN},
     "> conn open\n> send_name version=5 flags=ff7fbd name=alice@h\n"
     "> conn failed: closed by alice@h after send_name\n"},
    {"old send_name",
     false, false, NULL,
     {A(SEND_NAME_5), B_FIN},
     "> conn open\n> send_name version=5 flags=ff7fbd name=alice@h\n"
     "< conn failed: closed by 10.0.0.2:40002 upon an old send_name (n): OTP 25 and later take "
     "only the new one (N)\n"},
    {"closed after status",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK), B_FIN},
     SEND_NAME_TEXT STATUS_TEXT "< conn failed: closed by 10.0.0.2:40002 after status\n"},
    {"closed without a word",
     false, false, NULL,
     {A_FIN},
     "> conn failed: closed by 10.0.0.1:40001 before the first message\n"},
    {"the capture ends inside a message",
     false, false, NULL,
     {A("\0\x16N\0\0")},
     "> conn open\n> send_name version=6 !gap at 5: the capture ended inside a message\n"
     "> conn open_at_end\n"},
    {"the connection ends inside a message",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x18N\0"), B_FIN},
     SEND_NAME_TEXT
     "< challenge version=6 !malformed at 4: the connection ended inside a message\n"
     "< conn failed: closed by 10.0.0.2:40002 after send_name\n"},
    {"an unknown status",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x05swhat"), B_FIN},
     SEND_NAME_TEXT "< status status=what !malformed at 3: unknown status\n"
     "< conn failed: closed by 10.0.0.2:40002 after status\n"},
    {"an answer that is none",
     false, false, NULL,
     {A(SEND_NAME), B("\0\x06salive"), A("\0\x04" "sfoo"), A_FIN},
     SEND_NAME_TEXT "< status status=alive\n"
     "> status_reply status=foo !malformed at 3: neither true nor false\n"
     "> conn failed: closed by alice@h after status_reply\n"},
    {"a name longer than the message",
     false, false, NULL,
     {A("\0\x16N" FLAGS "\0\0\0\x01\0\x08" "alice@h"), A_FIN},
     "> conn open\n> send_name version=6" FLAGS_TEXT
     " creation=1 !malformed at 17: the name is longer than the message\n"
     "> conn failed: closed by 10.0.0.1:40001 after send_name\n"},
    {"a digest too short",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A("\0\x07r\0\0\0\x0b" "xy"), B_FIN},
     BEGIN_TEXT "> challenge_reply challenge=11 !malformed at 7: the digest does not have 16 bytes\n"
     "> channel\n"
     "< conn failed: closed by bob@h after challenge_reply: most likely a wrong cookie\n"},
    {"a digest too long",
     false, false, NULL,
     {A(SEND_NAME), B(STATUS_OK CHALLENGE), A("\0\x16r\0\0\0\x0b" "0123456789abcdef" "x"), B_FIN},
     BEGIN_TEXT "> challenge_reply challenge=11 digest=30..66 !malformed at 23: bytes after the digest\n"
     "> channel\n"
     "< conn failed: closed by bob@h after challenge_reply: most likely a wrong cookie\n"},
    {"a version of the protocol that never existed",
     false, false, NULL,
     {A("\0\x0en\1\0\0\0\0\0" "alice@h"), A_FIN},
     "> conn open\n> send_name !malformed at 5: a protocol version that never existed\n"
     "> conn failed: closed by 10.0.0.1:40001 after send_name\n"},
    {"an empty message",
     false, false, NULL,
     {A("\0\0"), A(SEND_NAME), A_FIN},
     "> conn open\n> unknown !malformed at 2: an empty handshake message\n"
     "> send_name version=6" FLAGS_TEXT " name=alice@h creation=1\n"
     "> conn failed: closed by alice@h after send_name\n"},
    {"an empty message before others in one piece",
     false, false, NULL,
     {A("\0\0" SEND_NAME), A_FIN},
     "> conn open\n> unknown !malformed at 2: an empty handshake message\n"
     "> send_name version=6" FLAGS_TEXT " name=alice@h creation=1\n"
     "> conn failed: closed by alice@h after send_name\n"},
    {"one byte that begins no message",
     false, true, NULL,
     {A("\0\1z" SEND_NAME), A_FIN},
     "> conn open\n> unknown !malformed at 2: no handshake message begins like this\n"
     "> conn failed: closed by 10.0.0.1:40001: no handshake\n"},
    {"something else on the port",
     false, true, NULL,
     {A("GET / HTTP/1.0\r\n\r\n"), B("\0\x03sok"), B_FIN},
     "> conn open\n> unknown !malformed at 2: no handshake message begins like this\n"
     "< status status=ok\n< conn failed: closed by 10.0.0.2:40002: no handshake\n"},
    {"TLS",
     false, false, NULL,
     {A("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"), B("\x16\x03\x03\0\x7a\x02"), A_FIN, B_FIN},
     "> conn open: TLS: encrypted, cannot be decoded\n> conn closed: closed by 10.0.0.1:40001\n"},
    {"like TLS, of a version that is none",
     false, false, NULL,
     {A("\x16\x04\x01\x02\0\x01\0\x01\xfc\x03\x03"), A_FIN},
     "> conn open\n> unknown !malformed at 2: no handshake message begins like this\n"
     "> conn failed: closed by 10.0.0.1:40001: no handshake\n"},
    {"a lost status",
     false, true, NULL,
     {A(SEND_NAME), {GAP, 1, NULL, 5}, B(CHALLENGE), A(REPLY_SECRET), B(ACK_SECRET), A_FIN},
     SEND_NAME_TEXT "< gap 5 !gap at 0: bytes of the handshake are missing\n" CHALLENGE_TEXT
     REPLY_TEXT "\n> channel\n" ACK_TEXT
     "\n< channel\n> conn up\n> conn closed: closed by alice@h\n"},
    {"a hole inside a message, and only messages behind",
     false, true, NULL,
     {A(SEND_NAME), B("\0\x18N\0"), {GAP, 1, NULL, 50}, B("\0\0\0\x05\x83" "Dxyz"), B_FIN},
     SEND_NAME_TEXT "< challenge version=6 !gap at 4: bytes are missing here\n"
     "< gap 50 !gap at 0: bytes of the handshake are missing\n"
     "> conn up: a part of the handshake was not captured\n< channel, late\n"
     "< channel had 9 bytes\n< conn closed: closed by 10.0.0.2:40002\n"},
    {"joined before the challenge",
     true, true, NULL,
     {B(CHALLENGE), A(REPLY_SECRET), B(ACK_SECRET)},
     "port 40002 bob@h\n> conn open\n"
     "< challenge version=6" FLAGS_TEXT " name=bob@h creation=2 challenge=10\n" REPLY_TEXT
     "\n> channel\n" ACK_TEXT "\n< channel\n> conn up\n> conn open_at_end\n"},
    {"joined late, the acceptor's packet first",
     true, true, NULL,
     {A(STATUS_OK CHALLENGE), B(REPLY_SECRET), A(ACK_SECRET)},
     "< conn open\n> status status=ok\nport 40001 bob@h\n"
     "> challenge version=6" FLAGS_TEXT " name=bob@h creation=2 challenge=10\n"
     "< challenge_reply challenge=11 digest=55..62\n< channel\n"
     "> challenge_ack digest=06..cb\n> channel\n< conn up\n< conn open_at_end\n"},
    {"joined late",
     true, true, NULL,
     {A("xyz\x83xyz"), B("\0\0\0\0"), {GAP, 0, NULL, 3}, B_FIN, A_FIN},
     "> conn joined_late: the capture began after the handshake\n> channel, late\n"
     "< channel, late\n> channel gap 3\n> channel had 7 bytes\n< channel had 4 bytes\n"
     "< conn closed: closed by 10.0.0.2:40002\n"},
    {"only the initiator's half is captured",
     false, false, NULL,
     {A(SEND_NAME), A(REPLY_SECRET), A("12345"), A_FIN},
     SEND_NAME_TEXT REPLY_TEXT "\n> channel\n> conn up: the other direction was not captured\n"
     "> channel had 5 bytes\n> conn closed: closed by alice@h\n"},
};
enum { NUM_CONVERSATIONS = sizeof conversations / sizeof conversations[0] };

static enum tcp_close close_of(const struct conversation *c)
{
    enum tcp_close why = TCP_CLOSE_CAPTURE;
    for (const struct step *step = c->steps; step->what != END; step++) {
        if (step->what == FIN)
            why = TCP_CLOSE_FIN;
        else if (step->what == RESET)
            why = TCP_CLOSE_RESET;
    }
    return why;
}

/* take_half_close removes the line of the first FIN, if there is one: it came at once, and the last
 * line repeats it. */
static void take_half_close(char *log)
{
    static const char mark[] = " conn half_closed: ";
    char reason[512], last[600];
    char *line = strstr(log, mark);
    if (line == NULL)
        return;
    const char dir = *--line;
    char *rest = strchr(line, '\n') + 1;
    const char *text = line + sizeof mark;
    snprintf(reason, sizeof reason, "%.*s", (int)(rest - text), text);
    for (int failed = 0; failed < 2; failed++) {
        snprintf(last, sizeof last, "%c conn %s: %s", dir, failed ? "failed" : "closed", reason);
        const size_t len = strlen(last), rest_len = strlen(rest);
        if (rest_len >= len && strcmp(rest + rest_len - len, last) == 0) {
            memmove(line, rest, rest_len + 1);
            return;
        }
    }
    fail_msg("%s", log);
}

static void test_conversations(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_CONVERSATIONS; i++) {
        const struct conversation *c = &conversations[i];
        for (int by_byte = 0; by_byte < (c->whole ? 1 : 2); by_byte++) {
            print_message("%s%s\n", c->name, by_byte ? ", byte by byte" : "");
            assert_true(begin(c));
            for (const struct step *step = c->steps; step->what != END; step++)
                do_step(step, by_byte);
            fake_close(&fake, close_of(c));
            take_half_close(fake.log);
            assert_string_equal(fake.log, c->expected);
            assert_int_equal(fake.num_finals, 1);
            assert_int_equal(fake_finish(&fake), 0);
        }
    }
}

/* Every prefix of every conversation, against an unreadable page. */
static void test_prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_CONVERSATIONS; i++) {
        const struct conversation *c = &conversations[i];
        for (size_t last = 0; c->steps[last].what != END; last++) {
            if (c->steps[last].what != SEND)
                continue;
            for (size_t len = 0; len < c->steps[last].len; len++) {
                assert_true(begin(c));
                for (size_t s = 0; s < last; s++)
                    do_step(&c->steps[s], false);
                struct guard_page guard = guard_page_copy(c->steps[last].bytes, len);
                assert_non_null(guard.bytes);
                if (len != 0)
                    fake_send(&fake, c->steps[last].dir, guard.bytes, len);
                guard_page_free(&guard);
                fake_close(&fake, len % 2 != 0 ? TCP_CLOSE_CAPTURE : TCP_CLOSE_RESET);
                assert_int_equal(fake.num_finals, 1);
                assert_int_equal(fake_finish(&fake), 0);
            }
        }
    }
}

static void run_once(void *context)
{
    const struct conversation *c = context;
    if (begin(c)) {
        for (const struct step *step = c->steps; step->what != END; step++)
            do_step(step, true);
        fake_close(&fake, close_of(c));
        assert_int_equal(fake.num_finals, 1);
    } else {
        conn_forget_nodes(&fake.conn);
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

/* The capture begins with the SYN-ACK: the first message shows which end is the initiator. */
static void test_syn_ack_alone(void **state)
{
    (void)state;
    assert_true(fake_begin(&fake));
    assert_true(fake_open_half(&fake, &dist_proto, 40001, 40002, false, true));
    fake_send(&fake, 1, STATUS_OK CHALLENGE, sizeof(STATUS_OK CHALLENGE) - 1);
    fake_send(&fake, 0, REPLY_SECRET, sizeof REPLY_SECRET - 1);
    assert_non_null(strstr(fake.log, "< status status=ok\n"));
    assert_non_null(strstr(fake.log, "< challenge "));
    assert_non_null(strstr(fake.log, "> challenge_reply "));
    assert_memory_equal(fake.conn.view.end[1].node.data, "bob@h", 5);
    fake_close(&fake, TCP_CLOSE_CAPTURE);
    assert_int_equal(fake_finish(&fake), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversations),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_syn_ack_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
