/*
 * test_sockets.c - connections beside the distribution: the events of each, however the bytes are
 * segmented, cut at any place, with gaps, joined late, larger than allowed, or of another protocol.
 */
#include "failing_alloc.h"
#include "fake_conn.h"
#include "sockets/socket.h"
#include "conn/proto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct fake f;

/* on_event logs an event, a line each. */
static void on_event(void *context, const struct ds_event *e)
{
    struct fake *fake = context;
    if (e->type == DS_EVENT_CONN || e->type == DS_EVENT_GAP) {
        fake_on_event(context, e);
        return;
    }
    assert_string_equal(e->conn->proto, fake->conn.proto->name);
    fake_log(fake, "%c ", e->dir == 0 ? '>' : '<');
    if (e->type == DS_EVENT_STREAM) {
        fake_log(fake, "%s %" PRIu64, e->stream.what, e->stream.bytes);
        if (e->stream.has_offset)
            fake_log(fake, " offset %" PRIu64 " epoch %" PRIu64 " %u/%u at %" PRId64,
                     e->stream.offset, e->stream.epoch, e->stream.records, e->stream.entries,
                     e->stream.written_ns);
    } else {
        struct ds_buffer text = {0};
        assert_int_equal(e->type, DS_EVENT_MESSAGE);
        assert_string_equal(e->message.op->name, "socket_send");
        if (e->message.payload.data != NULL)
            ds_term_print(&e->message.payload, NULL, &text);
        fake_log(fake, "%.*s, %" PRIu64, (int)text.len, text.data != NULL ? text.data : "",
                 e->message.size);
        ds_buffer_free(&text);
        for (int role = 0; role < DS_ROLE_COUNT; role++) {
            if (e->message.role[role].data != NULL)
                fake_log(fake, " %s", ds_role_name((enum ds_role)role));
        }
    }
    if (e->fault.kind != DS_FAULT_NONE)
        fake_log(fake, " !%s: %s", ds_fault_kind_name(e->fault.kind), e->fault.what);
    fake_log(fake, "\n");
}

static void begin(const struct socket_proto *kind, bool syn)
{
    assert_true(fake_begin(&f));
    f.env.config.on_event = on_event;
    assert_true(fake_open(&f, &kind->proto, 40001, 6042, syn));
}

static void end(const char *log)
{
    fake_close(&f, TCP_CLOSE_FIN);
    assert_string_equal(f.log, log);
    assert_int_equal(fake_finish(&f), 0);
}

#define SEND(dir, text) fake_send(&f, dir, text, sizeof(text) - 1)

/* What each protocol sends, according to its source code. */
#define TOKEN "0123456789abcdef0123456789abcdef"
#define CHUNK(data_len)                                                                            \
    "\x50\0\0\2\0\0\0\3"                                                                           \
    "\0\0\x01\x8c\0\0\0\0"                                                                         \
    "\0\0\0\0\0\0\0\7"                                                                             \
    "\0\0\0\0\0\0\0\x2a"                                                                           \
    "\1\2\3\4" data_len "\0\0\0\1\2\0\0\0"
static const char osiris_bytes[] = TOKEN CHUNK("\0\0\0\4") "fidatat" CHUNK("\0\0\0\0") "fit";
static const char osiris_log[] = "> conn open\n"
                                 "> token 32\n"
                                 "> chunk 55 offset 42 epoch 7 3/2 at 1700807049216000000\n"
                                 "> chunk 51 offset 42 epoch 7 3/2 at 1700807049216000000\n"
                                 "> conn closed: closed by 10.0.0.1:40001\n";

#define PID "\x58\x77\5a@one\0\0\0\5\0\0\0\0\0\0\0\1"
#define REF "\x5a\0\1\x77\5a@one\0\0\0\1\0\0\0\x09"
#define CHALLENGE "\x83h\2w\x16gen_rpc_authenticate_cm\0\0\0\2hi\0\5b@two"
#define CALL "\x83h\2h\4w\4callw\1mw\1fjh\2" PID REF
#define REPLY "\x83h\3w\4callh\2" PID REF "w\2ok"
/* bytes is what is sent; put appends to it, put_packet with a length of four bytes first. */
static struct ds_buffer bytes;

static void put(const char *text, size_t len)
{
    ds_buffer_add(&bytes, text, len);
}
#define PUT(text) put(text, sizeof(text) - 1)

static void put_packet(const char *text, size_t len)
{
    const char head[] = {0, (char)(len >> 16), (char)(len >> 8), (char)len};
    put(head, sizeof head);
    put(text, len);
}
#define PACKET(text) put_packet(text, sizeof(text) - 1)

static void put_gen_rpc(void)
{
    bytes.len = 0;
    PACKET(CHALLENGE);
    PACKET(CALL);
    PACKET("\x83h\4w\4castw\1mw\1fj");
    PACKET("\x83w\4ping");
}
static const char gen_rpc_log[] = "> conn open\n"
                                  "> {gen_rpc_authenticate_c,<<\"hi\">>}, 45\n"
                                  "> {{call,m,f,[]},{<a@one.5.0>,#Ref<a@one.9>}}, 62 from\n"
                                  "> {cast,m,f,[]}, 20\n"
                                  "> ping, 11\n"
                                  "> conn closed: closed by a@one\n";

static void put_vernemq(void)
{
    bytes.len = 0;
    PUT("vmq-connect");
    PACKET("\x83w\5a@one");
    PUT("vmq-send\0\0\0\x15msg\0\0\0\4\x83w\1xenq\0\0\0\3\x83"
        "a\7");
}
static const char vernemq_log[] = "> conn open\n"
                                  "> a@one, 23\n"
                                  "> x, 11\n"
                                  "> 7, 10\n"
                                  "> conn closed: closed by a@one\n";

static void put_partisan(void)
{
    bytes.len = 0;
    PACKET("\x83h\3w\5hellow\5a@onew\4chan");
    PACKET("\x83h\3w\x0f"
           "forward_messagew\1sw\1m");
}
static const char partisan_log[] = "> conn open\n"
                                   "> {hello,a@one,chan}, 27\n"
                                   "> {forward_message,s,m}, 30\n"
                                   "> conn closed: closed by a@one\n";

static void put_riak(void)
{
    bytes.len = 0;
    PACKET("\4\x83l\0\0\0\1h\2w\x09vnode_modw\1kj");
    PACKET("\0xxxxxxxxxxxxxxxxxxxx");
    PACKET("\1ab");
    PACKET("\3sync");
}
static const char riak_log[] = "> conn open\n"
                               "> [{vnode_mod,k}], 28\n"
                               "> init 25\n"
                               "> object 7\n"
                               "> sync 9\n"
                               "> conn closed: closed by 10.0.0.1:40001\n";

static void put_osiris(void)
{
    bytes.len = 0;
    put(osiris_bytes, sizeof osiris_bytes - 1);
}

static const struct protocol {
    const struct socket_proto *kind;
    void (*put)(void);
    const char *log;
} protocols[] = {
    {&socket_osiris, put_osiris, osiris_log},    {&socket_gen_rpc, put_gen_rpc, gen_rpc_log},
    {&socket_vernemq, put_vernemq, vernemq_log}, {&socket_partisan, put_partisan, partisan_log},
    {&socket_riak_handoff, put_riak, riak_log},
};
enum { NUM_PROTOCOLS = sizeof protocols / sizeof protocols[0] };

/* For any segments, the events are the same. */
static void any_segments(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_PROTOCOLS; i++) {
        const struct protocol *p = &protocols[i];
        p->put();
        begin(p->kind, true);
        fake_send(&f, 0, bytes.data, bytes.len);
        end(p->log);
        begin(p->kind, true);
        for (size_t at = 0; at < bytes.len; at++)
            fake_send(&f, 0, bytes.data + at, 1);
        end(p->log);
        for (size_t cut = 1; cut < bytes.len; cut++) {
            begin(p->kind, true);
            fake_send(&f, 0, bytes.data, cut);
            fake_send(&f, 0, bytes.data + cut, bytes.len - cut);
            end(p->log);
        }
    }
}

/* The first bytes identify the protocol, as many as it needs, and no prefix is read beyond its end. */
static void prefixes(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_PROTOCOLS; i++) {
        const struct protocol *p = &protocols[i];
        bool is_known = false;
        p->put();
        for (size_t cut = 1; cut <= bytes.len; cut++) {
            const struct proto *found = NULL;
            uint8_t *copy = malloc(cut);
            assert_non_null(copy);
            memcpy(copy, bytes.data, cut);
            begin(p->kind, true);
            const enum proto_guess guess =
                proto_find(&f.env, &f.conn, 0, cursor_make(copy, cut), &found);
            if (guess == PROTO_YES)
                assert_ptr_equal(found, &p->kind->proto);
            else
                assert_int_equal(guess, is_known ? PROTO_YES : PROTO_MORE);
            is_known |= guess == PROTO_YES;
            fake_send(&f, 0, copy, cut);
            fake_close(&f, TCP_CLOSE_CAPTURE);
            assert_int_equal(fake_finish(&f), 0);
            free(copy);
        }
        assert_true(is_known);
    }
}

/* On a connection that was joined late, parsing starts with a segment that begins with a unit. */
static void late(void **state)
{
    (void)state;
    begin(&socket_gen_rpc, false);
    SEND(0, "the middle of something");
    bytes.len = 0;
    PACKET(REPLY);
    fake_send(&f, 1, bytes.data, bytes.len);
    bytes.len = 0;
    PACKET(CALL);
    fake_send(&f, 0, bytes.data, bytes.len);
    end("< conn joined_late: the capture began after its beginning\n"
        "< {call,{<a@one.5.0>,#Ref<a@one.9>},ok}, 57 to\n"
        "> gap 23 !joined_late at 0: no unit was found in these bytes\n"
        "> {{call,m,f,[]},{<a@one.5.0>,#Ref<a@one.9>}}, 62 from\n"
        "> conn closed: closed by a@one\n");
    begin(&socket_osiris, false);
    SEND(0, "data");
    SEND(0, CHUNK("\0\0\0\0") "fit");
    end("> conn joined_late: the capture began after its beginning\n"
        "> gap 4 !joined_late at 0: no unit was found in these bytes\n"
        "> chunk 51 offset 42 epoch 7 3/2 at 1700807049216000000\n"
        "> conn closed: closed by 10.0.0.1:40001\n");
    begin(&socket_riak_handoff, false); /* its units look like others */
    put_riak();
    fake_send(&f, 0, bytes.data, bytes.len);
    end("");
}

/* A gap within skipped data costs nothing else; elsewhere the next unit is searched for. */
static void gaps(void **state)
{
    (void)state;
    begin(&socket_osiris, true);
    SEND(0, TOKEN CHUNK("\0\0\0\4") "f");
    fake_gap(&f, 0, 5, TCP_GAP_LOST);
    SEND(0, "t" CHUNK("\0\0\0\0") "fi");
    fake_gap(&f, 0, 8, TCP_GAP_SNAPLEN);
    SEND(0, "no chunk");
    SEND(0, CHUNK("\0\0\0\0") "fit");
    end("> conn open\n"
        "> token 32\n"
        "> gap 5 !gap at 0: bytes are missing here\n"
        "> chunk 55 offset 42 epoch 7 3/2 at 1700807049216000000\n"
        "> gap 8 !truncated at 0: bytes are missing here\n"
        "> gap 8 !truncated at 0: no unit was found in these bytes\n"
        "> chunk 51 offset 42 epoch 7 3/2 at 1700807049216000000\n"
        "> conn closed: closed by 10.0.0.1:40001\n");
    begin(&socket_gen_rpc, true);
    put_gen_rpc();
    fake_send(&f, 0, bytes.data, 50);
    fake_gap(&f, 0, 3, TCP_GAP_LOST);
    fake_send(&f, 0, bytes.data + 53, bytes.len - 53);
    bytes.len = 0;
    PACKET(CALL);
    fake_send(&f, 0, bytes.data, bytes.len);
    end("> conn open\n"
        "> {gen_rpc_authenticate_c,<<\"hi\">>}, 45\n"
        "> gap 8 !gap at 0: bytes are missing here\n"
        "> gap 85 !gap at 0: no unit was found in these bytes\n"
        "> {{call,m,f,[]},{<a@one.5.0>,#Ref<a@one.9>}}, 62 from\n"
        "> conn closed: closed by a@one\n");
}

/* A unit larger than --max-message is skipped; one of exactly that size is read. A chunk may have
 * any length. */
static void caps(void **state)
{
    (void)state;
    for (uint64_t max = 61; max <= 62; max++) {
        begin(&socket_gen_rpc, true);
        f.env.config.limits[DS_LIMIT_MESSAGE] = max;
        put_gen_rpc();
        for (size_t at = 0; at < bytes.len; at++)
            fake_send(&f, 0, bytes.data + at, 1);
        end(max == 62 ? gen_rpc_log
                      : "> conn open\n"
                        "> {gen_rpc_authenticate_c,<<\"hi\">>}, 45\n"
                        "> , 62 !cap: larger than a message may be\n"
                        "> {cast,m,f,[]}, 20\n"
                        "> ping, 11\n"
                        "> conn closed: closed by 10.0.0.1:40001\n");
        assert_int_equal(f.env.stats.limits_hit[DS_LIMIT_MESSAGE], max == 61);
    }
    begin(&socket_osiris, true);
    f.env.config.limits[DS_LIMIT_MESSAGE] = 32;
    SEND(0, osiris_bytes);
    end(osiris_log);
    begin(&socket_gen_rpc, true); /* no memory to hold an incomplete unit */
    f.env.memcap.max = 100;
    put_gen_rpc();
    fake_send(&f, 0, bytes.data, 44);
    fake_close(&f, TCP_CLOSE_CAPTURE);
    assert_string_equal(
        f.log, "> conn open\n> gap 44 !cap at 0: bytes are missing here\n> conn open_at_end\n");
    assert_int_equal(fake_finish(&f), 0);
}

/* Bytes of another protocol cost a probe and are not reported. In the middle of a connection they
 * are. */
static void somebody_else(void **state)
{
    (void)state;
    static const char http[] =
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n and more of that kind, which is longer than a token";
    for (size_t i = 0; i < NUM_PROTOCOLS; i++) {
        const struct proto *found;
        begin(protocols[i].kind, true);
        f.tcp.port[1] = 6042;
        assert_int_equal(
            proto_find(&f.env, &f.conn, 0, cursor_make(http, sizeof http - 1), &found), PROTO_NO);
        SEND(0, http);
        SEND(1, http);
        end("");
    }
    begin(&socket_partisan, true);
    put_partisan();
    fake_send(&f, 0, bytes.data, bytes.len);
    SEND(0, "\0\0\0\1x");
    fake_send(&f, 0, bytes.data, bytes.len);
    end("> conn open\n"
        "> {hello,a@one,chan}, 27\n"
        "> {forward_message,s,m}, 30\n"
        "> , 5 !malformed: no unit of this protocol begins like this\n"
        "> {hello,a@one,chan}, 27\n"
        "> {forward_message,s,m}, 30\n"
        "> conn closed: closed by a@one\n");
}

static void no_answer(void **state)
{
    (void)state;
    begin(&socket_osiris, true);
    f.tcp.syn_seen[1] = false;
    for (f.tcp.num_syns = 2; f.tcp.num_syns <= 4; f.tcp.num_syns++)
        f.conn.proto->syn_again(&f.env, &f.conn);
    fake_close(&f, TCP_CLOSE_CAPTURE);
    assert_string_equal(
        f.log, "> conn failed: no answer to 3 SYNs in 0.0 s\n> conn open_at_end: no answer yet\n");
    assert_int_equal(fake_finish(&f), 0);
}

/* says: the distribution sends {Ref, return, {gen_tcp, host, Port}}. */
static void says(uint16_t port, const char *word)
{
    char text[64];
    const int len = snprintf(text, sizeof text, "h%cjw%creturnh%cw%c%sjb%c%c%c%c", 3, 6, 3,
                             (int)strlen(word), word, 0, 0, port >> 8, port & 255);
    struct ds_event event = {.type = DS_EVENT_MESSAGE};
    event.message.op = ds_op_find(28);
    event.message.code = 28;
    event.message.payload = (struct ds_term){.data = (const uint8_t *)text, .len = (size_t)len};
    assert_true(socket_places_may_name(&event));
    socket_places_learn(&f.env, &f.conn, &event);
}

static void places(void **state)
{
    (void)state;
    begin(&socket_vernemq, true);
    const struct ds_addr *here = &f.conn.view.end[0].addr;
    says(7000, "gen_udp");
    says(0, "gen_tcp");
    assert_null(socket_places_find(f.env.places, here, 7000));
    says(7000, "gen_tcp");
    says(7000, "ssl");
    assert_non_null(socket_places_find(f.env.places, here, 7000));
    assert_null(socket_places_find(f.env.places, &f.conn.view.end[1].addr, 7000));
    for (unsigned i = 1; i < SOCKET_PLACES_MAX; i++)
        says((uint16_t)(7000 + i), "ssl");
    assert_non_null(socket_places_find(f.env.places, here, 7000));
    f.log_len = 0;
    says(9000, "ssl");
    assert_string_equal(f.log, "port 9000 vernemq\n");
    assert_null(socket_places_find(f.env.places, here, 7000));
    assert_non_null(socket_places_find(f.env.places, here, 7001));
    assert_non_null(socket_places_find(f.env.places, here, 9000));
    fake_close(&f, TCP_CLOSE_CAPTURE);
    assert_int_equal(fake_finish(&f), 0);
}

static void no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_PROTOCOLS; i++) {
        bool has_failed = true;
        protocols[i].put();
        for (unsigned nth = 1; has_failed; nth++) {
            assert_true(fake_begin(&f));
            failing_alloc_at(nth);
            const bool is_open = fake_open(&f, &protocols[i].kind->proto, 40001, 6042, true);
            for (size_t at = 0; is_open && at < bytes.len; at += 7)
                fake_send(&f, 0, bytes.data + at, bytes.len - at < 7 ? bytes.len - at : 7);
            says(7000, "ssl");
            fake_close(&f, TCP_CLOSE_FIN);
            has_failed = failing_alloc_failed();
            failing_alloc_at(0);
            assert_int_equal(fake_finish(&f), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_segments),  cmocka_unit_test(prefixes),
        cmocka_unit_test(late),          cmocka_unit_test(gaps),
        cmocka_unit_test(caps),          cmocka_unit_test(no_answer),
        cmocka_unit_test(places),        cmocka_unit_test(no_memory),
        cmocka_unit_test(somebody_else),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ds_buffer_free(&bytes);
    return failed;
}
