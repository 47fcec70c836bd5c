/*
 * test_tls_late.c - messages that were captured before their keys came are reported as if the keys
 * had been there: at their time, with their packet, in the order in which both ends sent them. The
 * connections are real.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/pseudo_packet.h"
#include "failing_alloc.h"

#include <distsniff/dissect.h>
#include <distsniff/tcp_stats.h>
#include <pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define NEVER UINT64_MAX

enum { MAX_PACKETS = 400, MAX_TOLD = 600, MAX_LINES = 32, MAX_CONNS = 32, LINE_MAX = 512, BYTES_MAX = 1 << 20 };

static struct capture {
    uint64_t num;
    struct ds_packet packets[MAX_PACKETS];
    uint8_t *bytes;
    size_t len;
    char lines[MAX_LINES][LINE_MAX]; /* of the key log */
    int num_lines;
} capture;

/* told is the place and time of an event. */
struct told {
    int64_t ts_ns, stalled_ns;
    uint64_t frame, len;
    uint64_t end_seq, tcp;
    int type, dir;
    bool is_final;
};

/* telling is how a session gets the capture, and its result. */
struct telling {
    uint64_t keys_at[2]; /* packet from which on secrets come when they are wanted; 0: never */
    uint64_t want_at;    /* packet from which on the secrets come once they are asked for; 0: never */
    uint64_t hand_at;    /* packet from which on another session continues, which is observed; 0: none */
    uint64_t first;      /* packet */
    uint64_t drop[2];    /* packets that are missing, from the first up to the second */
    uint64_t swap;       /* packet that comes after the next one; 0: none */
    uint64_t pause_at;
    int64_t pause_ns;
    uint64_t until;      /* the first packet that is missing; 0: none */
    uint64_t buffer, connections; /* time of the clock after the last packet; 0: none */
    int64_t clock_ns;    /* reported by then */
    size_t num_by_clock; /* told by then */
    size_t num_at[2];    /* messages that were reported when the secrets came */
    struct told told[MAX_TOLD];
    size_t num;
    bool has_tls[MAX_CONNS];
    struct ds_tcp_side ends[2];
};

static void load(const char *name)
{
    char path[96], error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    snprintf(path, sizeof path, "../pcaps/%s.pcap", name);
    pcap_t *pcap = pcap_open_offline(path, error);
    assert_non_null(pcap);
    capture.num = 0;
    capture.len = 0;
    capture.num_lines = 0;
    free(capture.bytes);
    capture.bytes = malloc(BYTES_MAX);
    assert_non_null(capture.bytes);
    while (pcap_next_ex(pcap, &header, &data) == 1) {
        assert_true(capture.num < MAX_PACKETS && capture.len + header->caplen < BYTES_MAX);
        memcpy(capture.bytes + capture.len, data, header->caplen);
        capture.packets[capture.num] = (struct ds_packet){
            .ts_ns = header->ts.tv_sec * SECOND + header->ts.tv_usec * 1000,
            .frame = capture.num + 1,
            .link_type = (uint32_t)pcap_datalink(pcap),
            .data = capture.bytes + capture.len,
            .cap_len = header->caplen,
            .len = header->len,
        };
        capture.num++;
        capture.len += header->caplen;
    }
    pcap_close(pcap);
    snprintf(path, sizeof path, "../pcaps/%s.keys", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (capture.num_lines < MAX_LINES && fgets(capture.lines[capture.num_lines], LINE_MAX, file) != NULL)
        capture.num_lines++;
    fclose(file);
}

static void on_event(void *context, const struct ds_event *event)
{
    struct telling *t = context;
    if (event->conn->link != NULL && event->conn->tls != NULL)
        memcpy(t->ends, event->conn->link->side, sizeof t->ends);
    assert_true(t->num < MAX_TOLD);
    t->told[t->num++] = (struct told){
        .ts_ns = event->ts_ns,
        .stalled_ns = event->type == DS_EVENT_MESSAGE ? event->message.stalled_ns : 0,
        .frame = event->frame,
        .len = event->type == DS_EVENT_MESSAGE ? event->message.size
               : event->type == DS_EVENT_GAP   ? event->gap.bytes
                                               : 0,
        .end_seq = event->has_seq ? event->end_seq : 0,
        .tcp = event->conn->tcp,
        .type = (int)event->type,
        .dir = event->dir,
        .is_final = event->type == DS_EVENT_CONN && event->change.final,
    };
    t->has_tls[event->conn->tcp % MAX_CONNS] |= event->conn->tls != NULL;
}

static void add_keys(struct ds_keylog *keylog, int of)
{
    for (int i = 0; i < capture.num_lines; i++) {
        if ((strncmp(capture.lines[i], "SERVER_", 7) == 0) == (of == 1))
            ds_keylog_add(keylog, capture.lines[i], strlen(capture.lines[i]));
    }
}

static struct ds_keylog *wanted;
static bool is_there_soon; /* the secrets are wanted */

static void on_want(void *context)
{
    (void)context;
    for (int of = 0; of < 2 && is_there_soon; of++)
        add_keys(wanted, of);
    is_there_soon = false;
}

static void feed(struct telling *t, struct ds_session *session, uint64_t i)
{
    struct ds_packet packet = capture.packets[i];
    if (i < t->first || (t->until != 0 && i >= t->until) || (i >= t->drop[0] && i < t->drop[1]))
        return;
    if (t->pause_ns != 0 && i >= t->pause_at)
        packet.ts_ns += t->pause_ns;
    ds_session_packet(session, &packet);
}

/* handing passes the snapshot of one session to another. */
struct handing {
    struct ds_session *to;
    struct ds_buffer buffer;
};

static void hand_on(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct handing *handing = context;
    struct ds_packet packet;
    assert_true(pseudo_packet(segment, ts_ns, capture.packets[0].link_type, &handing->buffer,
                              &packet));
    ds_session_packet(handing->to, &packet);
}

static struct ds_session *hand_over(struct ds_session *from, const struct ds_config *config)
{
    struct handing handing = {.to = ds_session_new(config)};
    assert_non_null(handing.to);
    ds_session_snapshot(from, NULL, hand_on, &handing);
    ds_buffer_free(&handing.buffer);
    ds_session_free(from);
    return handing.to;
}

static size_t count(const struct telling *t, int type)
{
    size_t num = 0;
    for (size_t i = 0; i < t->num; i++)
        num += t->told[i].type == type;
    return num;
}

static void tell(void *context)
{
    struct telling *t = context;
    struct ds_config config;
    struct ds_keylog *keylog = ds_keylog_new(1000);
    if (keylog == NULL)
        return;
    wanted = keylog;
    is_there_soon = false;
    ds_keylog_on_want(keylog, on_want, NULL);
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = t;
    config.keylog = keylog;
    config.keylog_grows = true;
    config.facts = true;
    config.remember = t->hand_at != 0;
    if (t->buffer != 0)
        config.limits[DS_LIMIT_BUFFER] = t->buffer;
    if (t->connections != 0)
        config.limits[DS_LIMIT_CONNECTIONS] = t->connections;
    t->num = 0;
    memset(t->has_tls, 0, sizeof t->has_tls);
    struct ds_session *session = ds_session_new(&config);
    for (uint64_t i = 0; session != NULL && i <= capture.num; i++) {
        for (int of = 0; of < 2; of++) {
            if (i != t->keys_at[of])
                continue;
            t->num_at[of] = count(t, DS_EVENT_MESSAGE);
            add_keys(keylog, of);
        }
        if (i != 0 && i == t->hand_at) {
            session = hand_over(session, &config);
            t->num = 0;
        }
        if (i == capture.num)
            break;
        if (i != 0 && i == t->want_at)
            is_there_soon = true;
        const bool is_swapped = t->swap != 0 && i == t->swap;
        if (is_swapped)
            feed(t, session, i + 1);
        if (t->swap == 0 || i != t->swap + 1)
            feed(t, session, i);
    }
    if (session != NULL && t->clock_ns != 0)
        ds_session_time(session, capture.packets[(t->until != 0 ? t->until : capture.num) - 1].ts_ns + t->clock_ns);
    t->num_by_clock = t->num;
    if (session != NULL)
        ds_session_end(session);
    ds_session_free(session);
    ds_keylog_free(keylog);
}

/* is_rising returns whether the messages in TLS come in the order of their packets. */
static bool is_rising(const struct telling *t)
{
    uint64_t frame = 0;
    for (size_t i = 0; i < t->num; i++) {
        if (!t->has_tls[t->told[i].tcp % MAX_CONNS])
            continue;
        if (t->told[i].frame < frame)
            return false;
        frame = t->told[i].frame;
    }
    return true;
}

/* next_of returns the next event of a connection, or NULL. */
static const struct told *next_of(const struct telling *t, uint64_t tcp, size_t *at)
{
    while (*at < t->num) {
        if (t->told[(*at)++].tcp == tcp)
            return &t->told[*at - 1];
    }
    return NULL;
}

/* assert_alike: each connection has the same events, and those with TLS are in one order. Others
 * may come earlier. */
static void assert_alike(const struct telling *a, const struct telling *b, uint64_t at)
{
    for (uint64_t tcp = 1; tcp < MAX_CONNS; tcp++) {
        const struct told *x, *y;
        size_t at_a = 0, at_b = 0;
        do {
            x = next_of(a, tcp, &at_a);
            y = next_of(b, tcp, &at_b);
            if ((x == NULL) != (y == NULL) || (x != NULL && memcmp(x, y, sizeof *x) != 0))
                fail_msg("keys before packet %u: TCP %u, frame %u is %u", (unsigned)at, (unsigned)tcp,
                         x != NULL ? (unsigned)x->frame : 0, y != NULL ? (unsigned)y->frame : 0);
        } while (x != NULL);
    }
    assert_int_equal(a->num, b->num);
    assert_int_equal(is_rising(a), is_rising(b)); /* some came in another order */
    for (int end = 0; end < 2; end++) {
        assert_int_equal(a->ends[end].tick_intervals, b->ends[end].tick_intervals);
        assert_int_equal(a->ends[end].tick_max_ns, b->ends[end].tick_max_ns);
        assert_int_equal(a->ends[end].stalled_ns, b->ends[end].stalled_ns);
    }
}

/* same_as_early compares the result with one whose secrets were there from the start, whenever they
 * come. */
static void same_as_early(struct telling as, uint64_t step)
{
    static struct telling early, late;
    early = late = as;
    early.keys_at[0] = early.keys_at[1] = 0;
    tell(&early);
    assert_true(count(&early, DS_EVENT_MESSAGE) > 50);
    for (uint64_t at = 1; at <= capture.num; at += step) {
        late.keys_at[0] = late.keys_at[1] = at;
        tell(&late);
        assert_alike(&early, &late, at);
    }
}

static const char *const names[] = {"tls12-25", "tls-29", "tls12-renewed-25", "tls-renewed-29"};
enum { NUM_NAMES = sizeof names / sizeof names[0] };

static void whenever_the_keys_come(void **state)
{
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        load(names[i]);
        same_as_early((struct telling){0}, 9);
    }
}

/* Lost and reordered packets between those that wait. */
static void around_gaps_and_disorder(void **state)
{
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        load(names[i]);
        for (uint64_t at = 70; at < 82; at += 3) {
            same_as_early((struct telling){.drop = {at, at + 4}}, 60);
            same_as_early((struct telling){.swap = at}, 60);
        }
    }
}

/* head_len returns the length of the Ethernet, IPv4 and TCP headers. */
static size_t head_len(const uint8_t *data)
{
    const uint8_t *tcp = data + 14 + (data[14] & 15) * 4;
    return (size_t)(tcp - data) + (tcp[12] >> 4) * 4;
}

static size_t whole_len(const uint8_t *data)
{
    return 14 + (size_t)(data[16] << 8 | data[17]);
}

static uint32_t seq_of(const uint8_t *data)
{
    const uint8_t *seq = data + 14 + (data[14] & 15) * 4 + 4;
    return (uint32_t)seq[0] << 24 | (uint32_t)seq[1] << 16 | (uint32_t)seq[2] << 8 | seq[3];
}

/* goes_on returns whether the segment b follows the segment a. */
static bool goes_on(const uint8_t *a, const uint8_t *b)
{
    const size_t len = whole_len(a) - head_len(a);
    return len != 0 && whole_len(b) != head_len(b) && memcmp(a + 26, b + 26, 12) == 0 &&
           seq_of(b) == seq_of(a) + len;
}

static uint32_t add_words(uint32_t sum, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

/* set_sums sets the checksums of a packet; that of TCP as if it were left to the network card. */
static void set_sums(uint8_t *data)
{
    uint8_t *ip = data + 14;
    const size_t ip_len = (ip[0] & 15) * 4u, tcp_len = whole_len(data) - 14 - ip_len;
    const uint8_t rest[] = {0, 6, (uint8_t)(tcp_len >> 8), (uint8_t)tcp_len};
    ip[10] = ip[11] = 0;
    const uint32_t header = add_words(0, ip, ip_len) ^ 0xffff;
    const uint32_t pseudo = add_words(add_words(0, ip + 12, 8), rest, sizeof rest);
    ip[10] = (uint8_t)(header >> 8);
    ip[11] = (uint8_t)header;
    ip[ip_len + 16] = (uint8_t)(pseudo >> 8);
    ip[ip_len + 17] = (uint8_t)pseudo;
}

/* join joins two consecutive segments into one, and returns how often it did. */
static unsigned join(void)
{
    unsigned num = 0;
    for (uint64_t i = 0; i + 1 < capture.num; i++) {
        const uint8_t *one = capture.packets[i].data, *next = capture.packets[i + 1].data;
        if (!goes_on(one, next))
            continue;
        const size_t more = whole_len(next) - head_len(next), len = whole_len(one) + more;
        uint8_t *both = capture.bytes + capture.len;
        assert_true(capture.len + len < BYTES_MAX && len < 1 << 16);
        memcpy(both, one, whole_len(one));
        memcpy(both + whole_len(one), next + head_len(next), more);
        both[16] = (uint8_t)((len - 14) >> 8);
        both[17] = (uint8_t)(len - 14);
        set_sums(both);
        capture.len += len;
        capture.packets[i].data = both;
        capture.packets[i].cap_len = capture.packets[i].len = (uint32_t)len;
        capture.num--;
        memmove(&capture.packets[i + 1], &capture.packets[i + 2],
                (capture.num - i - 1) * sizeof capture.packets[0]);
        num++;
    }
    return num;
}

/* Of several records in one segment, each ends at its own place. */
static void several_in_a_segment(void **state)
{
    unsigned num = 0;
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        load(names[i]);
        num += join();
        same_as_early((struct telling){0}, 23);
    }
    assert_true(num > 10);
}

/* Messages that wait when another session takes over are not reported by that session, even if it
 * has keys then. */
static void another_takes_over(void **state)
{
    static struct telling early, late;
    size_t num_waiting = 0;
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        load(names[i]);
        for (uint64_t at = 60; at < 90; at += 7) {
            early = late = (struct telling){.hand_at = at};
            tell(&early);
            late.keys_at[0] = late.keys_at[1] = at + 10;
            tell(&late);
            assert_true(count(&early, DS_EVENT_MESSAGE) > 5);
            assert_int_equal(count(&late, DS_EVENT_MESSAGE), count(&early, DS_EVENT_MESSAGE));
            for (size_t k = 0; k < late.num; k++) {
                if (late.told[k].type == DS_EVENT_MESSAGE)
                    assert_true(late.told[k].frame > at);
            }
            num_waiting += late.num_at[0] == 0;
        }
    }
    assert_true(num_waiting > 10);
}

/* Messages of one end wait for the keys of the other. */
static void one_end_waits_for_the_other(void **state)
{
    static struct telling early, late;
    (void)state;
    load("tls-29");
    early = (struct telling){0};
    tell(&early);
    for (uint64_t at = 10; at < capture.num - 40; at += 13) {
        for (int first = 0; first < 2; first++) {
            late = (struct telling){0};
            late.keys_at[first] = at;
            late.keys_at[1 - first] = at + 40;
            tell(&late);
            assert_alike(&early, &late, at);
        }
    }
}

/* If only one end has keys, its messages are reported after ten seconds without keys of the other. */
static void one_end_alone(void **state)
{
    static struct telling all, one;
    (void)state;
    load("tls-29");
    all = (struct telling){0};
    tell(&all);
    for (int end = 0; end < 2; end++) {
        one = (struct telling){.pause_at = 100, .pause_ns = 11 * SECOND};
        one.keys_at[end] = 0;
        one.keys_at[1 - end] = NEVER;
        tell(&one);
        assert_true(is_rising(&one));
        assert_in_range(count(&one, DS_EVENT_MESSAGE), 30, 70);
        assert_true(one.told[one.num / 2].ts_ns < capture.packets[120].ts_ns + SECOND);
    }
}

/* Beyond the cap, waiting records are given up at their place, with all that wait on the connection. */
static void little_room(void **state)
{
    static struct telling late;
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        load(names[i]);
        size_t least = MAX_TOLD, most = 0;
        for (uint64_t room = 100; room < 40000; room += room / 2) {
            late = (struct telling){.keys_at = {capture.num / 2, capture.num / 2}, .buffer = room};
            tell(&late);
            assert_true(is_rising(&late));
            const size_t num = count(&late, DS_EVENT_MESSAGE);
            assert_true(num >= most || num + 20 > most);
            least = num < least ? num : least;
            most = num > most ? num : most;
        }
        assert_true(least < most);
    }
}

/* A connection that was joined late is reported whenever its keys come, even if the key log is
 * empty until then. */
static void begun_late(void **state)
{
    static struct telling t;
    (void)state;
    load("tls-29");
    t = (struct telling){.drop = {20, 40}};
    tell(&t);
    const size_t all = count(&t, DS_EVENT_MESSAGE);
    assert_true(all > 80);
    for (uint64_t at = 60; at < 104; at += 7) {
        t = (struct telling){.drop = {20, 40}, .keys_at = {at, at}};
        tell(&t);
        assert_int_equal(count(&t, DS_EVENT_MESSAGE), all);
    }
}

/* Nothing is reported before both ends have keys, on a connection that was joined late, too. */
static void until_both_have_keys(void **state)
{
    static struct telling t;
    (void)state;
    load("tls-29");
    for (uint64_t from = 40; from < 48; from += 2) { /* TCP waits for the beginning, but not as long */
        for (int first = 0; first < 2; first++) {
            t = (struct telling){.drop = {20, from}};
            t.keys_at[first] = 88;
            t.keys_at[1 - first] = 100;
            tell(&t);
            assert_int_equal(t.num_at[1 - first], 0);
            assert_true(count(&t, DS_EVENT_MESSAGE) > 10);
        }
    }
}

/* All connections that the end of a capture closes are reported before those that are still open. */
static void closed_by_the_end(void **state)
{
    static struct telling t;
    (void)state;
    for (int i = 2; i < NUM_NAMES; i++) {
        unsigned num[2] = {0};
        load(names[i]);
        for (int has_keys = 0; has_keys < 2; has_keys++) {
            t = (struct telling){.keys_at = {NEVER, NEVER}, .until = 200};
            if (has_keys != 0)
                t.keys_at[0] = t.keys_at[1] = 0;
            tell(&t);
            for (size_t k = 0; k < t.num; k++)
                num[has_keys] += t.told[k].is_final;
            assert_true(is_rising(&t));
        }
        assert_true(num[1] >= 2);
        assert_int_equal(num[0], num[1]);
    }
}

/* While no packet comes, keys may come, or it may become too late for them. */
static void by_the_clock(void **state)
{
    static struct telling t;
    (void)state;
    load("tls-29");
    t = (struct telling){.until = 80, .keys_at = {80, 80}, .clock_ns = SECOND};
    tell(&t);
    assert_true(count(&t, DS_EVENT_MESSAGE) > 20);
    const size_t all = t.num_by_clock, last = t.num;
    assert_true(last - all < 5);
    assert_true(is_rising(&t));

    /* Closed, and without keys: the message that says so also waits for ten seconds. */
    load("tls-renewed-29");
    t = (struct telling){.until = 124, .keys_at = {NEVER, NEVER}, .clock_ns = 7 * SECOND};
    tell(&t);
    const size_t waiting = t.num - t.num_by_clock;
    assert_true(waiting > 0);
    t.clock_ns = 11 * SECOND;
    tell(&t);
    assert_true(t.num - t.num_by_clock < waiting);
    assert_true(is_rising(&t));
}

/* Ten seconds are in time, a nanosecond more is not; nor does a clock that was set back matter. */
static void ten_seconds(void **state)
{
    enum { FIRST_SEALED = 25, UNTIL = 80 };
    static struct telling t;
    size_t num[2];
    (void)state;
    load("tls-29");
    const int64_t end_ns = capture.packets[FIRST_SEALED].ts_ns + 10 * SECOND;
    for (int more = 0; more < 2; more++) {
        t = (struct telling){.until = UNTIL, .keys_at = {NEVER, NEVER}};
        t.clock_ns = end_ns + more - capture.packets[UNTIL - 1].ts_ns;
        tell(&t);
        num[more] = t.num_by_clock;
    }
    assert_true(num[0] < num[1]);

    t = (struct telling){0};
    tell(&t);
    const size_t all = count(&t, DS_EVENT_MESSAGE);
    t = (struct telling){.pause_at = 60, .pause_ns = -3600 * SECOND, .keys_at = {90, 90}};
    tell(&t);
    assert_int_equal(count(&t, DS_EVENT_MESSAGE), all);
}

/* When a connection is closed, keys are requested, so that those that exist by then are in time. */
static void asked_for_at_the_close(void **state)
{
    static struct telling t;
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        load(names[i]);
        t = (struct telling){.keys_at = {NEVER, NEVER}, .want_at = 95};
        tell(&t);
        size_t num = 0;
        for (size_t k = 0; k < t.num_by_clock; k++)
            num += t.told[k].type == DS_EVENT_MESSAGE;
        assert_true(num > 50);
    }
}

/* A closed connection waits as long as the TCP table has room for it. */
static void no_place_to_wait(void **state)
{
    static struct telling t;
    size_t num[3] = {0};
    (void)state;
    load("tls-renewed-29");
    for (uint64_t i = 0; i < 3; i++) {
        t = (struct telling){.keys_at = {capture.num, capture.num}, .connections = i};
        tell(&t);
        num[i] = count(&t, DS_EVENT_MESSAGE);
    }
    assert_true(num[0] > num[1] && num[2] <= num[0]);
}

static void without_memory(void **state)
{
    static struct telling late;
    (void)state;
    load("tls-renewed-29");
    capture.num = 128;
    late = (struct telling){.keys_at = {127, 127}};
    tell(&late);
    const size_t all = count(&late, DS_EVENT_MESSAGE);
    assert_true(all > 10);
    failing_alloc_at(0);
    tell(&late);
    const unsigned long num = failing_alloc_count();
    bool is_less = false;
    for (unsigned long n = 1; n <= num; n++) {
        failing_alloc_at(n);
        tell(&late);
        failing_alloc_at(0);
        assert_true(is_rising(&late));
        is_less |= count(&late, DS_EVENT_MESSAGE) < all;
    }
    assert_true(is_less);
}

static int free_capture(void **state)
{
    (void)state;
    free(capture.bytes);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whenever_the_keys_come),
        cmocka_unit_test(around_gaps_and_disorder),
        cmocka_unit_test(several_in_a_segment),
        cmocka_unit_test(another_takes_over),
        cmocka_unit_test(one_end_waits_for_the_other),
        cmocka_unit_test(one_end_alone),
        cmocka_unit_test(little_room),
        cmocka_unit_test(begun_late),
        cmocka_unit_test(until_both_have_keys),
        cmocka_unit_test(closed_by_the_end),
        cmocka_unit_test(by_the_clock),
        cmocka_unit_test(ten_seconds),
        cmocka_unit_test(asked_for_at_the_close),
        cmocka_unit_test(no_place_to_wait),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, free_capture);
}
