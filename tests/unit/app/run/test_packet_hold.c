/*
 * test_packet_hold.c - packets wait while their atoms are unknown: how long, in which order, how
 * many.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "app/run/packet_hold.h"
#include "failing_alloc.h"
#include "packet_maker.h"

#include <stdio.h>

#define SECOND INT64_C(1000000000)

enum { LINK_IPV4 = 228, ACK = 16, TCP = 6, LOG_LEN = 512 };

/* {6, <alice@h.85.0>, '', rex} without the cache, and with a payload whose atom is in slot 7, which
 * no message has defined. */
#define PID "Xw\7alice@h\0\0\0\x55\0\0\0\0\0\0\0\1"
#define KNOWN "\0\0\0\x2ap\x83h\4a\6" PID "w\0w\3rex\x83h\2a\1a\2"
#define UNKNOWN "\0\0\0\x28\x83\x44\1\0\7h\4a\6" PID "w\0w\3rexR\0"

struct world {
    struct packet_hold *hold;
    struct ds_session *session;
    struct maker maker;
    uint32_t seq[2];
    uint64_t frame;
    char log[LOG_LEN]; /* the numbers of the packets that were released */
};
static struct world world;
static struct ds_config config;

static void take(void *context, const struct ds_packet *packet)
{
    struct world *w = context;
    const size_t len = strlen(w->log);
    snprintf(&w->log[len], LOG_LEN - len, "%u ", (unsigned)packet->frame);
    (void)ds_session_packet(w->session, packet);
}

/* begin makes a world in which max_bytes may wait; false if memory ran out. */
static bool begin(uint64_t max_bytes)
{
    static const uint16_t ports[] = {0x5678};
    memset(&world, 0, sizeof world);
    ds_config_init(&config);
    config.dist_ports = ports;
    config.num_dist_ports = 1;
    config.atom_memory = ds_atom_memory_new(4);
    world.session = ds_session_new(&config);
    const struct packet_hold_config hold = {.hold_ns = 10 * SECOND, .max_bytes = max_bytes, .session = &config,
                                            .beside = world.session, .take = take, .context = &world};
    world.hold = world.session != NULL && config.atom_memory != NULL ? packet_hold_new(&hold) : NULL;
    if (world.hold != NULL)
        return true;
    ds_session_free(world.session);
    ds_atom_memory_free(config.atom_memory);
    return false;
}

static void end(void)
{
    packet_hold_free(world.hold);
    ds_session_free(world.session);
    ds_atom_memory_free(config.atom_memory);
}

/* make makes the next packet of a direction. Header checksums are not checked. */
static struct ds_packet make(struct maker *m, int dir, const void *bytes, size_t len)
{
    maker_start(m, bytes, len);
    maker_tcp(m, world.seq[dir], world.seq[1 - dir], ACK, 0);
    maker_ip4(m, TCP);
    world.seq[dir] += (uint32_t)len;
    uint8_t *head = maker_bytes(m);
    for (int i = 0; i < 4 && dir == 1; i++) { /* swap addresses and ports */
        const uint8_t from = head[12 + i];
        head[12 + i] = head[16 + i];
        head[16 + i] = from;
    }
    for (int i = 0; i < 2 && dir == 1; i++) {
        const uint8_t from = head[20 + i];
        head[20 + i] = head[22 + i];
        head[22 + i] = from;
    }
    return maker_packet(m, LINK_IPV4);
}

/* join lets both ends send something that shows which protocol they speak. */
static void join(void)
{
    for (int i = 0; i < 6; i++) {
        struct ds_packet packet = make(&world.maker, i % 2, KNOWN KNOWN, sizeof KNOWN KNOWN - 1);
        packet.frame = ++world.frame;
        packet.ts_ns = (i - 6) * SECOND; /* no packet waits for earlier ones any more */
        packet_hold_packet(world.hold, &packet);
    }
    packet_hold_end(world.hold);
    assert_string_equal(world.log, "1 2 3 4 5 6 ");
    world.log[0] = '\0';
    world.frame = 0;
}

/* send_past gives the hold a packet of that time; past: what kind of pseudo packet it is. */
static void send_past(int64_t ts_ns, const void *bytes, size_t len, uint8_t past)
{
    struct ds_packet packet = make(&world.maker, 0, bytes, len);
    packet.ts_ns = ts_ns;
    packet.frame = ++world.frame;
    packet.past.kind = past;
    packet_hold_packet(world.hold, &packet);
}

/* SEND also lets it be read: a packet is not read while earlier ones may come, until the clock is
 * later. */
#define SEND(s, bytes) \
    (send_past((s) * SECOND, bytes, sizeof(bytes) - 1, DS_SNAPSHOT_NONE), \
     (void)packet_hold_time(world.hold, (s) * SECOND + SECOND / 10))

static void gone(const char *log)
{
    assert_string_equal(world.log, log);
    world.log[0] = '\0';
}

/* A packet without unknown atoms waits for earlier packets, and hardly longer. */
static void waits_for_its_atoms(void **state)
{
    (void)state;
    assert_true(begin(100000));
    join();
    SEND(1, KNOWN);
    SEND(2, KNOWN);
    gone("1 ");
    SEND(3, UNKNOWN);
    SEND(4, KNOWN);
    gone("2 ");
    SEND(12, UNKNOWN);
    SEND(5, KNOWN); /* time goes back */
    gone("");
    SEND(13, KNOWN); /* ten later */
    gone("3 4 ");
    SEND(22, KNOWN);
    gone("5 6 7 ");
    packet_hold_end(world.hold);
    gone("8 ");
    ds_session_end(world.session);
    assert_int_equal(ds_session_stats(world.session)->unknown_atoms, 2);
    end();
}

/* No packet waits for a clock that is set back, or for one time stamp that is far ahead. */
static void waits_for_no_clock(void **state)
{
    (void)state;
    assert_true(begin(100000));
    join();
    SEND(3600, UNKNOWN);
    send_past(3600 * SECOND - 300000000, KNOWN, sizeof KNOWN - 1, DS_SNAPSHOT_NONE); /* out of order */
    gone("");
    SEND(10, UNKNOWN);
    gone("1 2 ");
    SEND(19, KNOWN);
    gone("");
    SEND(20, KNOWN);
    gone("3 4 ");
    end();
}

/* While no packet comes, the clock decides, and the session learns no later time than that. */
static void waits_by_the_clock(void **state)
{
    (void)state;
    assert_true(begin(100000));
    join();
    SEND(1, KNOWN);
    assert_int_equal(packet_hold_time(world.hold, 2 * SECOND), 2 * SECOND);
    SEND(3, UNKNOWN);
    assert_int_equal(packet_hold_time(world.hold, 4 * SECOND), 3 * SECOND); /* now it is read */
    gone("1 ");
    assert_int_equal(packet_hold_time(world.hold, 12 * SECOND), 3 * SECOND);
    gone("");
    assert_int_equal(packet_hold_time(world.hold, 13 * SECOND), 13 * SECOND);
    gone("2 ");
    end();
}

/* If too many bytes wait, the oldest packets are released; this is counted. */
static void is_bounded(void **state)
{
    struct ds_stats stats = {0};
    (void)state;
    assert_true(begin(3 * 250));
    join();
    SEND(1, KNOWN);
    for (int i = 2; i <= 20; i++)
        SEND(1, UNKNOWN);
    packet_hold_add_stats(world.hold, &stats);
    const uint64_t num_early = stats.limits_hit[DS_LIMIT_HELD];
    assert_in_range(20 - num_early, 2, 5);
    char last[8];
    snprintf(last, sizeof last, "%u ", (unsigned)num_early);
    assert_string_equal(world.log + strlen(world.log) - strlen(last), last);
    packet_hold_end(world.hold);
    gone("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 ");
    end();
    /* A packet that is larger than the cap does not wait. */
    assert_true(begin(1));
    join();
    SEND(1, KNOWN);
    SEND(2, UNKNOWN);
    gone("1 2 ");
    end();
}

/* Pseudo packets have no present time: no packet waits for them or with them. */
static void the_past_does_not_wait(void **state)
{
    (void)state;
    assert_true(begin(100000));
    join();
    SEND(1, KNOWN);
    SEND(2, UNKNOWN);
    send_past(3 * SECOND, KNOWN, sizeof KNOWN - 1, DS_SNAPSHOT_NONE + 1);
    gone("1 2 3 ");
    end();
}

/* Without memory nothing is lost, and the order stays. */
static void send_all(void *context)
{
    struct ds_stats stats = {0};
    (void)context;
    if (!begin(100000))
        return;
    SEND(1, KNOWN);
    for (int i = 2; i <= 5; i++)
        SEND(i, UNKNOWN);
    packet_hold_end(world.hold);
    gone("1 2 3 4 5 ");
    packet_hold_add_stats(world.hold, &stats);
    assert_true(stats.no_memory == 0 || failing_alloc_failed());
    end();
}

static void survives_without_memory(void **state)
{
    (void)state;
    send_all(NULL);
    assert_true(failing_alloc_each(send_all, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_its_atoms),  cmocka_unit_test(waits_by_the_clock), cmocka_unit_test(waits_for_no_clock),
        cmocka_unit_test(is_bounded),           cmocka_unit_test(the_past_does_not_wait),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
