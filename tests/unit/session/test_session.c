/*
 * test_session.c - whole packets through a session: which protocol each connection is recognised
 * as, and how long that is tried.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <distsniff/dissect.h>

#include "failing_alloc.h"

enum { LINK_IPV4 = 228, HEADERS_LEN = 40, MAX_PAYLOAD = 60000, LOG_LEN = 8192,
       STREAM_LEN = 512 };
enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };

struct world {
    struct ds_session *session;
    uint64_t frame;
    uint16_t port[2];
    uint32_t seq[2];
    size_t log_len;
    char log[LOG_LEN];
    size_t stream_len[2];
    char stream[2][STREAM_LEN]; /* all DATA of a direction, up to the cap */
};
static struct world world;

static void say(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct world *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(&w->log[w->log_len], LOG_LEN - w->log_len, format, args);
    va_end(args);
    if (len > 0 && (size_t)len < LOG_LEN - w->log_len)
        w->log_len += (size_t)len;
}

static void say_data(struct world *w, const struct ds_event *e)
{
    const char *way = e->dir == 0 ? ">" : "<";
    size_t *len = &w->stream_len[e->dir];
    if (e->bytes == NULL) {
        say(w, "%s missing %u: %s\n", way, (unsigned)e->data.missing,
            ds_fault_kind_name(e->fault.kind));
        return;
    }
    assert_int_equal(e->data.missing, 0);
    assert_int_equal(e->ts_ns, e->frame * 1000000);
    say(w, "%s data %zu of packet %u\n", way, e->bytes_len, (unsigned)e->frame);
    if (e->bytes_len <= STREAM_LEN - *len) {
        memcpy(&w->stream[e->dir][*len], e->bytes, e->bytes_len);
        *len += e->bytes_len;
    }
}

static void on_event(void *context, const struct ds_event *e)
{
    struct world *w = context;
    switch (e->type) {
    case DS_EVENT_EPMD:
        say(w, "%s\n", ds_epmd_op_name(e->epmd.op));
        break;
    case DS_EVENT_HANDSHAKE:
        say(w, "%s\n", ds_handshake_step_name(e->handshake.step));
        break;
    case DS_EVENT_CONN:
        say(w, "conn %s\n", ds_conn_state_name(e->change.state));
        break;
    case DS_EVENT_MESSAGE:
        say(w, "%s\n", e->message.op != NULL ? e->message.op->name : "unknown");
        break;
    case DS_EVENT_TICK:
        say(w, "tick\n");
        break;
    case DS_EVENT_GAP:
        say(w, "gap\n");
        break;
    case DS_EVENT_LOOKUP:
        say(w, "lookup %s %.*s\n", e->lookup.is_answer ? "answer" : "question",
            (int)e->lookup.name.len, e->lookup.name.data);
        break;
    case DS_EVENT_PART:
        say(w, "part %u, %u left\n", (unsigned)e->part.num, (unsigned)e->part.left);
        break;
    case DS_EVENT_STALL:
    case DS_EVENT_STREAM:
    case DS_EVENT_DATA:
        say_data(w, e);
        break;
    case DS_EVENT_FRAME:
        say(w, "frame %s\n", ds_frame_kind_name(e->frame_sent.kind));
        break;
    }
}

static void on_port(void *context, uint16_t port, struct ds_text name)
{
    say(context, "port %u %.*s\n", (unsigned)port, (int)name.len, name.data);
}

static void put_u16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put_u32(uint8_t *at, uint32_t value)
{
    put_u16(at, value >> 16);
    put_u16(at + 2, value & 0xffff);
}

static void send_packet(struct world *w, int dir, uint8_t flags, const void *bytes, size_t len)
{
    static uint8_t packet[HEADERS_LEN + MAX_PAYLOAD];
    memset(packet, 0, HEADERS_LEN);
    packet[0] = 0x45;
    put_u16(&packet[2], (unsigned)(HEADERS_LEN + len));
    packet[8] = 64;
    packet[9] = 6;
    put_u32(&packet[12], 0x0a000001u + (unsigned)dir);
    put_u32(&packet[16], 0x0a000002u - (unsigned)dir);
    put_u16(&packet[20], w->port[dir]);
    put_u16(&packet[22], w->port[1 - dir]);
    put_u32(&packet[24], w->seq[dir]);
    put_u32(&packet[28], w->seq[1 - dir]);
    packet[32] = 5 << 4;
    packet[33] = flags;
    put_u16(&packet[34], 65535);
    if (len != 0)
        memcpy(&packet[HEADERS_LEN], bytes, len);
    w->seq[dir] += (uint32_t)len + ((flags & (SYN | FIN)) != 0);
    struct ds_packet p = {
        .ts_ns = (int64_t)++w->frame * 1000000,
        .frame = w->frame,
        .link_type = LINK_IPV4,
        .data = packet,
        .cap_len = (uint32_t)(HEADERS_LEN + len),
        .len = (uint32_t)(HEADERS_LEN + len),
    };
    ds_session_packet(w->session, &p);
}

static bool begin_with(struct world *w, bool raw)
{
    struct ds_config config;
    ds_config_init(&config);
    config.raw = raw;
    config.on_event = on_event;
    config.on_port = on_port;
    config.context = w;
    *w = (struct world){.seq = {1000, 2000}};
    w->session = ds_session_new(&config);
    return w->session != NULL;
}

static bool begin(struct world *w)
{
    return begin_with(w, false);
}

static void open_ports(struct world *w, uint16_t from, uint16_t to, bool syn)
{
    w->port[0] = from;
    w->port[1] = to;
    if (!syn)
        return;
    send_packet(w, 0, SYN, NULL, 0);
    send_packet(w, 1, SYN | ACK, NULL, 0);
    send_packet(w, 0, ACK, NULL, 0);
}

#define A(text) send_packet(&world, 0, ACK, text, sizeof(text) - 1)
#define B(text) send_packet(&world, 1, ACK, text, sizeof(text) - 1)

static void close_both(struct world *w)
{
    send_packet(w, 0, FIN | ACK, NULL, 0);
    send_packet(w, 1, FIN | ACK, NULL, 0);
    send_packet(w, 0, ACK, NULL, 0);
}

static void end(struct world *w)
{
    ds_session_end(w->session);
}

#define FLAGS "\0\0\0\x0d\x07\x5f\x5f\xbd" /* no headers, no fragments */
#define SEND_NAME "\0\x16N" FLAGS "\0\0\0\x01\0\x07" "alice@h"
#define STATUS_OK "\0\x03sok"
#define CHALLENGE "\0\x18N" FLAGS "\0\0\0\x0a\0\0\0\x02\0\x05" "bob@h"
#define REPLY "\0\x15r\0\0\0\x0b" "0123456789abcdef"
#define ACKNOWLEDGE "\0\x11" "a0123456789abcdef"
/* {6, <0.85.0>, '', rex} and {a, b}, without the cache. */
#define ALICE_PID "Xw\x07" "alice@h\0\0\0\x55\0\0\0\0\0\0\0\x01"
#define REG_SEND "\0\0\0\x2ap\x83h\4a\6" ALICE_PID "w\0w\3rex\x83h\2a\1a\2"
#define TICK "\0\0\0\0"

static void handshake(void)
{
    A(SEND_NAME);
    B(STATUS_OK CHALLENGE);
    A(REPLY);
    B(ACKNOWLEDGE);
}

static void run_conversation(void *context)
{
    (void)context;
    if (!begin(&world))
        return;
    open_ports(&world, 40001, 4369, true);
    A("\0\4\x7a" "bob");
    B("\x77\0\xc3\x50\x4d\0\0\x06\0\x05\0\x03" "bob\0\0");
    close_both(&world);
    open_ports(&world, 40002, 50000, true);
    handshake();
    A(REG_SEND TICK);
    B(REG_SEND);
    close_both(&world);
    end(&world);
    ds_session_free(world.session);
}

static void test_conversation(void **state)
{
    (void)state;
    run_conversation(NULL);
    assert_string_equal(world.log,
                        "port_please2_req\nport 50000 bob\nport2_resp\nconn closed\n"
                        "conn open\nsend_name\nstatus\nchallenge\nchallenge_reply\n"
                        "challenge_ack\nconn up\nreg_send\ntick\nreg_send\n"
                        "conn half_closed\nconn closed\n");
}

static void test_stats(void **state)
{
    (void)state;
    assert_true(begin(&world));
    open_ports(&world, 40002, 50000, true);
    handshake();
    A(REG_SEND TICK);
    const struct ds_stats *stats = ds_session_stats(world.session);
    assert_int_equal(stats->packets, 8);
    assert_int_equal(stats->bytes, 8 * HEADERS_LEN + 24 + 5 + 26 + 23 + 19 + 46 + 4);
    assert_int_equal(stats->connections, 1);
    assert_int_equal(stats->tcp_connections, 1);
    assert_int_equal(stats->handshakes, 1);
    assert_int_equal(stats->messages, 1);
    assert_int_equal(stats->message_bytes, 46);
    assert_int_equal(stats->ticks, 1);
    assert_int_equal(stats->faults, 0);
    ds_session_free(world.session); /* without its end: nothing is left behind */
}

static void test_others_are_forgotten(void **state)
{
    (void)state;
    assert_true(begin(&world));
    open_ports(&world, 40001, 80, true);
    A("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    B("HTTP/1.1 200 OK\r\n\r\n");
    A(SEND_NAME); /* too late to be a handshake */
    close_both(&world);
    open_ports(&world, 40002, 25, true);
    B("220 mail ESMTP\r\n");
    close_both(&world);
    end(&world);
    assert_string_equal(world.log, "");
    assert_int_equal(ds_session_stats(world.session)->connections, 0);
    assert_int_equal(ds_session_stats(world.session)->tcp_connections, 2);
    ds_session_free(world.session);
}

static void test_joined_late(void **state)
{
    (void)state;
    assert_true(begin(&world));
    open_ports(&world, 40002, 50000, false);
    A(TICK); /* proves nothing */
    B("the end of something long");
    A(REG_SEND REG_SEND);
    B(REG_SEND REG_SEND);
    end(&world);
    assert_string_equal(world.log, "conn joined_late\ngap\nreg_send\nreg_send\n"
                                   "gap\nreg_send\nreg_send\nconn open_at_end\n");
    ds_session_free(world.session);
}

/* The first bytes of the stream were lost, though the connection's SYN was not. */
static void test_first_bytes_lost(void **state)
{
    (void)state;
    assert_true(begin(&world));
    open_ports(&world, 40002, 50000, true);
    world.seq[0] += sizeof SEND_NAME - 1;
    B(STATUS_OK CHALLENGE);
    A(REPLY);
    B(ACKNOWLEDGE);
    A(REG_SEND);
    end(&world);
    /* The bytes after the gap waited a while for the missing ones. */
    assert_string_equal(world.log, "conn open\nstatus\nport 50000 bob@h\nchallenge\n"
                                   "challenge_ack\nconn up\ngap\nchallenge_reply\nreg_send\n"
                                   "conn open_at_end\n");
    ds_session_free(world.session);

    /* The whole handshake. */
    assert_true(begin(&world));
    open_ports(&world, 40002, 50000, true);
    world.seq[0] += 100;
    world.seq[1] += 100;
    A(REG_SEND REG_SEND);
    B(REG_SEND REG_SEND);
    end(&world);
    assert_non_null(strstr(world.log, "conn joined_late\nreg_send\nreg_send\n"));
    assert_non_null(strstr(world.log, "reg_send\nreg_send\nconn open_at_end\n"));
    ds_session_free(world.session);
}

/* If the bytes of a connection fit no known protocol, they are tried for a while, then dropped:
 * later ones are not read. If the port is known, they are tried longer. */
static void test_patience(void **state)
{
    (void)state;
    static char noise[1000];
    memset(noise, 'x', sizeof noise);
    for (int known = 0; known < 2; known++) {
        assert_true(begin(&world));
        if (known) {
            open_ports(&world, 40001, 4369, true);
            B("\x77\0\xc3\x50\x4d\0\0\x06\0\x05\0\x03" "bob\0\0");
            close_both(&world);
            world.log_len = 0;
        }
        open_ports(&world, 40002, 50000, false);
        for (int i = 0; i < 400; i++)
            send_packet(&world, 0, ACK, noise, sizeof noise);
        A(REG_SEND REG_SEND REG_SEND);
        end(&world);
        world.log[world.log_len] = '\0';
        if (known)
            assert_non_null(strstr(world.log, "conn joined_late"));
        else
            assert_string_equal(world.log, "");
        assert_int_equal(ds_session_stats(world.session)->limits_hit[DS_LIMIT_MEMORY], 0);
        ds_session_free(world.session);
    }
}

static void test_known_ports(void **state)
{
    (void)state;
    static const uint16_t ports[] = {50000, 50001};
    struct ds_config config;
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = &world;
    config.dist_ports = ports;
    config.num_dist_ports = 2;
    config.epmd_port = 5000;
    world = (struct world){.seq = {1, 1}};
    world.session = ds_session_new(&config);
    assert_non_null(world.session);
    /* A refused connection, then one without a handshake, then an EPMD on another port. */
    open_ports(&world, 40001, 50000, false);
    send_packet(&world, 0, SYN, NULL, 0);
    send_packet(&world, 1, RST | ACK, NULL, 0);
    open_ports(&world, 40002, 50001, true);
    A("GET / HTTP/1.1\r\n\r\n");
    close_both(&world);
    open_ports(&world, 40003, 5000, true);
    A("\0\x01n");
    close_both(&world);
    end(&world);
    assert_string_equal(world.log, "conn failed\nconn open\nunknown\nconn half_closed\nconn failed\n"
                                   "names_req\nconn closed\n");
    ds_session_free(world.session);
}

static void test_packets_of_no_use(void **state)
{
    (void)state;
    assert_true(begin(&world));
    struct ds_packet packet = {.frame = 1, .link_type = 9999, .data = (const uint8_t *)"x",
                               .cap_len = 1, .len = 100};
    ds_session_packet(world.session, &packet);
    const struct ds_stats *stats = ds_session_stats(world.session);
    assert_int_equal(stats->unknown_link, 1);
    assert_int_equal(stats->truncated_packets, 1);
    packet.link_type = LINK_IPV4;
    packet.len = 1;
    ds_session_packet(world.session, &packet);
    assert_int_equal(stats->malformed_packets + stats->not_tcp, 1);
    end(&world);
    end(&world); /* twice does no harm */
    ds_session_free(world.session);
    ds_session_free(NULL);
}

/* The bytes that the segments of a connection carried, in order, each byte once, with gaps; and the
 * frames in it, each after the message it completes. */
static void run_raw(void *context)
{
    (void)context;
    if (!begin_with(&world, true))
        return;
    open_ports(&world, 40002, 50000, true);
    A("\0\x16N\0"); /* not enough to recognise the protocol: packets 4 to 6 */
    A("\0\0\x0d\x07\x5f\x5f\xbd\0\0\0\x01\0");
    world.seq[0] -= 4;
    A("\0\0\x01\0\x07" "alice@h"); /* 4 of these again */
    B(STATUS_OK);
    B(CHALLENGE);
    A(REPLY);
    B(ACKNOWLEDGE);
    world.seq[1] += 7;
    A(REG_SEND TICK);
    B(REG_SEND); /* waits for the 7 bytes before it */
    end(&world);
    ds_session_free(world.session);
}

static void test_raw(void **state)
{
    (void)state;
    run_raw(NULL);
    assert_string_equal(world.log,
                        "> data 4 of packet 4\n> data 12 of packet 5\n> data 8 of packet 6\n"
                        "conn open\nsend_name\nframe handshake\n"
                        "< data 5 of packet 7\nstatus\nframe handshake\n"
                        "< data 26 of packet 8\nport 50000 bob@h\nchallenge\nframe handshake\n"
                        "> data 23 of packet 9\nchallenge_reply\nframe handshake\n"
                        "< data 19 of packet 10\nchallenge_ack\nframe handshake\nconn up\n"
                        "> data 50 of packet 11\nreg_send\nframe pass_through\ntick\nframe tick\n"
                        "< missing 7: gap\n< data 46 of packet 12\ngap\nreg_send\n"
                        "frame pass_through\nconn open_at_end\n");
    static const char forth[] = SEND_NAME REPLY REG_SEND TICK;
    static const char back[] = STATUS_OK CHALLENGE ACKNOWLEDGE REG_SEND;
    assert_int_equal(world.stream_len[0], sizeof forth - 1);
    assert_memory_equal(world.stream[0], forth, sizeof forth - 1);
    assert_int_equal(world.stream_len[1], sizeof back - 1);
    assert_memory_equal(world.stream[1], back, sizeof back - 1);
}

/* Bytes that were dropped before the protocol was recognised are reported as missing. */
static void test_raw_late(void **state)
{
    (void)state;
    static char noise[20000];
    memset(noise, 'x', sizeof noise);
    assert_true(begin_with(&world, true));
    open_ports(&world, 40002, 50000, false);
    send_packet(&world, 0, ACK, noise, sizeof noise);
    send_packet(&world, 0, ACK, noise, sizeof noise);
    B("a few bytes");
    A(REG_SEND REG_SEND);
    end(&world);
    assert_string_equal(world.log, "> missing 40000: cap\n< data 11 of packet 3\n"
                                   "> data 92 of packet 4\nconn joined_late\nreg_send\n"
                                   "frame pass_through\nreg_send\nframe pass_through\n"
                                   "gap\nconn open_at_end\n");
    ds_session_free(world.session);
}

/* The EPMD exchange was not captured. */
static void say_node(void *context, const struct ds_epmd_node *node)
{
    say(context, "%.*s at %u\n", (int)node->name.len, node->name.data, (unsigned)node->port);
}

static void test_epmd_names(void **state)
{
    static const struct {
        const char *answer;
        size_t len;
        const char *told, *wrong;
    } cases[] = {
#define ANSWER(bytes) bytes, sizeof(bytes) - 1
        {ANSWER("\0\0\x11\x11"), "", NULL},
        {ANSWER("\0\0\x11\x11name bob at port 50000\nname c@h at port 1\n"), "bob at 50000\nc@h at 1\n",
         NULL},
        {ANSWER("\0\0\x11"), "", "no port of the EPMD"},
        {ANSWER(""), "", "no port of the EPMD"},
        {ANSWER("\0\0\x11\x11name bob at port 50000\nname c at po"), "bob at 50000\n",
         "the list ends inside a line"},
        {ANSWER("\0\0\x11\x11name bob at port 65536\nname c at port 65535\n"), "c at 65535\n",
         "not a line of a list of nodes"},
        {ANSWER("\0\0\x11\x11HTTP/1.1 400 Bad Request\r\n"), "", "not a line of a list of nodes"},
        {ANSWER("\0\0\x11\x11" "active name     <bob> at port 50000, fd = 6\n"), "bob at 50000\n",
         "not a list of names"},
#undef ANSWER
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world = (struct world){0};
        const char *wrong = ds_epmd_names(cases[i].answer, cases[i].len, say_node, &world);
        assert_string_equal(world.log, cases[i].told);
        assert_string_equal(wrong != NULL ? wrong : "", cases[i].wrong != NULL ? cases[i].wrong : "");
    }
}

static void say_end(void *context, const struct ds_event *e)
{
    const struct ds_endpoint *end = e->conn->end;
    for (int i = 0; i < 2; i++)
        say(context, "%.*s%s", (int)end[i].node.len, end[i].node.data != NULL ? end[i].node.data : "",
            i == 0 ? " " : "\n");
}

static const struct ds_addr A_ADDR = {4, {10, 0, 0, 1}}, B_ADDR = {4, {10, 0, 0, 2}};

static void name_port(struct ds_addr addr, uint16_t port, const char *name)
{
    ds_session_name_port(world.session, &addr, port, (struct ds_text){name, strlen(name)});
}

static void send_and_settle(void)
{
    A(REG_SEND);
    ds_session_settle(world.session);
}

static void run_named_port(void *context)
{
    struct ds_config config;
    (void)context;
    ds_config_init(&config);
    config.on_event = say_end;
    config.on_port = on_port;
    config.context = &world;
    world = (struct world){.seq = {1000, 2000}};
    world.session = ds_session_new(&config);
    if (world.session == NULL)
        return;
    open_ports(&world, 40002, 50000, false);
    A(REG_SEND REG_SEND);
    B(TICK);
    ds_session_settle(world.session);
    name_port(A_ADDR, 50000, "other"); /* the same port of another host */
    name_port(B_ADDR, 50001, "other");
    name_port(B_ADDR, 0, "other");
    name_port(B_ADDR, 50000, "");
    world.log_len = 0;
    world.log[0] = '\0';
    send_and_settle();
    name_port(B_ADDR, 50000, "b\xf6" "b"); /* in latin-1, as before OTP 26 */
    name_port(B_ADDR, 50000, "b\xf6" "b");
    send_and_settle();
    name_port(A_ADDR, 40002, "liar@h"); /* not against the name in its own terms */
    send_and_settle();
    ds_session_end(world.session);
    name_port(B_ADDR, 50003, "late");
    ds_session_free(world.session);
}

static void test_named_port(void **state)
{
    (void)state;
    run_named_port(NULL);
    assert_string_equal(world.log, "alice@h \nalice@h b\xc3\xb6" "b\nport 40002 liar@h\nalice@h b\xc3\xb6" "b\n"
                                   "alice@h b\xc3\xb6" "b\nalice@h b\xc3\xb6" "b\n");
    assert_true(failing_alloc_each(run_named_port, NULL) >= 8);
}

static void test_raw_no_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_raw, NULL) >= 8);
}

static void test_no_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_conversation, NULL) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversation),
        cmocka_unit_test(test_stats),
        cmocka_unit_test(test_others_are_forgotten),
        cmocka_unit_test(test_joined_late),
        cmocka_unit_test(test_first_bytes_lost),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_known_ports),
        cmocka_unit_test(test_packets_of_no_use),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_raw_late),
        cmocka_unit_test(test_epmd_names),
        cmocka_unit_test(test_named_port),
        cmocka_unit_test(test_raw_no_memory),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
