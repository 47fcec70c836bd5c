/*
 * test_packet_recorder_connections.c - many connections, some of which are selected whole: what is
 * kept with these, and what is forgotten. A peer is one end of a made conversation.
 */
#include "recorder_bench.h"

struct talk {
    struct bench *bench;
    uint64_t frame;
    uint16_t client_port, server_port;
    uint32_t seq[2];
};

static void say(struct talk *t, int from, uint8_t flags, const void *bytes, size_t len)
{
    struct ds_buffer buffer = {0};
    struct ds_packet packet;
    const struct ds_addr addr[2] = {{4, {10, 0, 0, 1}}, {4, {10, 0, 0, 2}}};
    const uint16_t port[2] = {t->client_port, t->server_port};
    const struct ds_segment segment = {
        .src = addr[from],
        .dst = addr[1 - from],
        .src_port = port[from],
        .dst_port = port[1 - from],
        .seq = t->seq[from],
        .ack = t->seq[1 - from],
        .window = 1000,
        .flags = flags,
        .payload = bytes,
        .payload_len = (uint32_t)len,
    };
    assert_true(pseudo_packet(&segment, (int64_t)t->frame * 1000000, 1, &buffer, &packet));
    packet.frame = ++t->frame;
    t->seq[from] += (uint32_t)len + ((flags & 3) != 0);
    take(t->bench, &packet);
    ds_buffer_free(&buffer);
}

static void connect_to(struct talk *t, uint16_t client_port, uint16_t server_port)
{
    t->client_port = client_port;
    t->server_port = server_port;
    t->seq[0] = 1000 + (uint32_t)t->frame;
    t->seq[1] = 2000 + (uint32_t)t->frame;
    say(t, 0, 2, NULL, 0);
    say(t, 1, 18, NULL, 0);
    say(t, 0, 16, NULL, 0);
}

static void hang_up(struct talk *t)
{
    say(t, 0, 17, NULL, 0);
    say(t, 1, 17, NULL, 0);
    say(t, 0, 16, NULL, 0);
}

/* Asks EPMD for bob, who listens on port. */
static void ask_epmd(struct talk *t, uint16_t client_port, uint16_t port)
{
    uint8_t answer[] = {119, 0, 0, 0, 77, 0, 0, 6, 0, 5, 0, 3, 'b', 'o', 'b', 0, 0};
    answer[2] = (uint8_t)(port >> 8);
    answer[3] = (uint8_t)port;
    connect_to(t, client_port, 4369);
    say(t, 0, 24, "\0\4zbob", 6);
    say(t, 1, 24, answer, sizeof answer);
    hang_up(t);
}

enum { ASKING = 8 }; /* packets */

static void writes_exchanges_without_end(void **state)
{
    (void)state;
    for (int is_live = 0; is_live < 2; is_live++) {
        struct bench b;
        struct ds_stats stats = {0};
        uint64_t hash;
        prepare(&b, is_live != 0);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_CONNECTIONS] = 200;
        b.select_from = 1;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        for (uint16_t i = 0; i < 3000; i++)
            ask_epmd(&t, (uint16_t)(10000 + i), 5000);
        assert_true(b.recorder->store.conns.num <= KEEP_LINGERING);
        assert_int_equal(b.recorder->store.used, 0);
        end(&b);
        recorder_add_stats(b.recorder, &stats);
        assert_int_equal(stats.no_memory, 0);
        assert_int_equal(stats.limits_hit[DS_LIMIT_KEPT], 0);
        clean_up(&b);
        assert_int_equal(read_file(file_name, &hash), 3000 * ASKING);
    }
}

/* The same ports again are another connection. */
static void parts_connections_of_the_same_ports(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct bench b;
        uint64_t hash;
        prepare(&b, i % 2 != 0);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_KEPT] = i / 2 != 0 ? 1000000 : 4000;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        for (int j = 0; j < 20; j++) {
            b.select_from = j % 5 == 3 ? 1 : 0;
            ask_epmd(&t, 10000, 5000);
        }
        b.select_from = 0;
        end(&b);
        clean_up(&b);
        assert_int_equal(read_file(file_name, &hash), 4 * ASKING);
    }
}

/* A connection that turns out to have another protocol uses no room, and is in no snapshot. */
static void forgets_other_protocols(void **state)
{
    struct bench b;
    (void)state;
    prepare(&b, true);
    b.options.connections_file = file_name;
    assert_true(begin(&b));
    struct talk t = {.bench = &b};
    for (uint16_t i = 0; i < 300; i++) {
        connect_to(&t, (uint16_t)(10000 + i), 80);
        say(&t, 0, 24, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 37);
        say(&t, 1, 24, "HTTP/1.1 200 OK\r\n\r\n", 19);
        hang_up(&t);
    }
    assert_int_equal(b.recorder->store.used, 0);
    assert_int_equal(b.recorder->store.conns.num, 0);
    assert_int_equal(ds_session_stats(b.recorder->past)->tcp_connections, 0);
    recorder_write_state(b.recorder, NULL, 0);
    assert_int_equal(b.recorder->writer.size, sizeof(struct pcap_file_header));
    end(&b);
    clean_up(&b);
}

/* Fragments of UDP are kept until their protocol is known. */
static void forgets_fragments_of_udp(void **state)
{
    uint8_t bytes[14 + 20 + 16] = {
        [12] = 8, [13] = 0, [14] = 0x45, [17] = 36, [22] = 64, [23] = 17, [26] = 10, [30] = 11};
    struct bench b;
    (void)state;
    prepare(&b, true);
    b.options.connections_file = file_name;
    assert_true(begin(&b));
    for (uint64_t frame = 1; frame <= 1000; frame++) {
        const bool is_last = frame % 2 == 0;
        const struct ds_packet packet = {.ts_ns = (int64_t)frame * 1000,
                                         .frame = frame,
                                         .link_type = 1,
                                         .data = bytes,
                                         .cap_len = sizeof bytes,
                                         .len = sizeof bytes};
        bytes[18] = (uint8_t)((frame - 1) / 2); /* identification */
        bytes[19] = (uint8_t)((frame - 1) / 512);
        bytes[20] = is_last ? 0 : 0x20;
        bytes[21] = is_last ? 2 : 0; /* 16 bytes on */
        take(&b, &packet);
        assert_int_equal(b.recorder->store.conns.num, !is_last);
    }
    assert_int_equal(b.recorder->store.used, 0);
    end(&b);
    clean_up(&b);
}

/* A connection is kept with the EPMD exchange that led to it, not with those of others. */
static void knows_what_led_to_a_connection(void **state)
{
    static const uint8_t name[] = {0, 23, 'N', 0, 0,   0,   13,  7,   223, 127, 189, 0,  0,
                                   0, 1,  0,   8, 'a', 'l', 'i', 'c', 'e', '@', 'h', '1'};
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct bench b;
        uint64_t hash;
        prepare(&b, true);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_KEPT] = kept ? 1000000 : 20000;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        ask_epmd(&t, 10000, 5000);
        ask_epmd(&t, 10001, 5000);
        ask_epmd(&t, 10002, 5001);
        connect_to(&t, 10003, 5000);
        say(&t, 0, 24, name, sizeof name);
        const struct talk alice = t;
        for (uint16_t i = 0; i < 300; i++)
            ask_epmd(&t, (uint16_t)(20000 + i), 5002);
        b.select_from = t.frame + 1;
        t.client_port = alice.client_port;
        t.server_port = alice.server_port;
        t.seq[0] = alice.seq[0];
        t.seq[1] = alice.seq[1];
        say(&t, 1, 24, "\0\3sok", 5);
        end(&b);
        clean_up(&b);
        /* The connection has a SYN, an acknowledgement and two messages, or a snapshot of them. */
        assert_in_range(read_file(file_name, &hash), ASKING + 4, ASKING + 5);
    }
}

/* The registration of a port is no lookup: it is not kept with connections to it, even between the
 * same hosts. */
static void a_registration_leads_nowhere(void **state)
{
    static const uint8_t name[] = {0, 23, 'N', 0, 0,   0,   13,  7,   223, 127, 189, 0,  0,
                                   0, 1,  0,   8, 'a', 'l', 'i', 'c', 'e', '@', 'h', '1'};
    static const uint8_t registers[] = {0, 16, 120, 19, 136, 77, 0, 0, 6, 0, 5, 0, 3, 'b', 'o', 'b',
                                        0, 0};
    (void)state;
    for (int is_server = 0; is_server < 2; is_server++) {
        struct bench b;
        uint64_t hash;
        prepare(&b, true);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_KEPT] = 1000000;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        connect_to(&t, 10000, 4369);
        say(&t, 0, 24, registers, sizeof registers);
        say(&t, 1, 24, "\166\0\0\0\0\1", 6);
        if (is_server)
            connect_to(&t, 5000, 10003);
        else
            connect_to(&t, 10003, 5000);
        b.select_from = t.frame + 1;
        say(&t, 0, 24, name, sizeof name);
        b.select_from = 0; /* without the end of the registration */
        end(&b);
        clean_up(&b);
        assert_int_equal(read_file(file_name, &hash), 4);
    }
}

/* Open connections to EPMD have no snapshot, and use no room of those that do. */
static void remembers_nothing_of_epmd(void **state)
{
    struct bench b;
    struct ds_stats stats = {0};
    (void)state;
    prepare(&b, true);
    b.options.connections_file = file_name;
    b.options.limits[DS_LIMIT_KEPT] = 20000;
    b.options.limits[DS_LIMIT_MEMORY] = 1000000;
    assert_true(begin(&b));
    struct talk t = {.bench = &b};
    for (uint16_t i = 0; i < 1000; i++) {
        connect_to(&t, (uint16_t)(10000 + i), 4369);
        say(&t, 0, 24, "\0\4zbob", 6);
    }
    recorder_add_stats(b.recorder, &stats);
    assert_int_equal(stats.limits_hit[DS_LIMIT_MEMORY], 0);
    end(&b);
    clean_up(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_exchanges_without_end),
        cmocka_unit_test(parts_connections_of_the_same_ports),
        cmocka_unit_test(forgets_other_protocols),
        cmocka_unit_test(forgets_fragments_of_udp),
        cmocka_unit_test(knows_what_led_to_a_connection),
        cmocka_unit_test(a_registration_leads_nowhere),
        cmocka_unit_test(remembers_nothing_of_epmd),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
