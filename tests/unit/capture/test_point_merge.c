/* Several capture points: a conversation is played, each point captures it with its own clock and
 * losses, and the merged output must be the conversation. */
#include "capture/clocks.h"
#include "capture/dedup.h"
#include "capture/packet_id.h"
#include "capture/point_merge.h"
#include "capture/overlap_scan.h"
#include "failing_alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_PACKETS = 40000, MAX_POINTS = 3, FRAME_LEN = 20 + 20 + 40, LINKTYPE_RAW = 101 };
static const int64_t START = 1700000000000000000;

/* sent is one packet as it was on the wire. */
struct sent {
    int64_t at_ns; /* true time when it left */
    uint8_t bytes[FRAME_LEN];
    uint32_t len;
    uint8_t from, to; /* hosts */
    uint32_t number;  /* in the payload, so that the test knows it again */
};

/* seen is the same packet as one point captured it. */
struct seen {
    int64_t at_ns;
    uint32_t sent;
};

static struct sent sent[MAX_PACKETS];
static size_t num_sent;
static struct seen seen[MAX_POINTS][MAX_PACKETS];
static size_t num_seen[MAX_POINTS];
static uint64_t random_state;

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double random_share(void)
{
    return (double)(random_number() >> 11) / 9007199254740992.0;
}

static void put(uint8_t *at, uint32_t value, int len)
{
    for (int i = 0; i < len; i++)
        at[i] = (uint8_t)(value >> (8 * (len - 1 - i)));
}

/* send puts a packet on the wire. */
static void send_packet(int64_t at_ns, uint8_t from, uint8_t to, uint32_t seq, uint32_t ack,
                        uint8_t flags, uint32_t payload_len)
{
    struct sent *s = &sent[num_sent];
    uint16_t ports[] = {4369, (uint16_t)(40000 + from + to)};
    memset(s, 0, sizeof *s);
    *s = (struct sent){.at_ns = at_ns, .from = from, .to = to, .number = (uint32_t)num_sent};
    s->len = 40 + payload_len;
    s->bytes[0] = 0x45;
    put(s->bytes + 2, s->len, 2);
    put(s->bytes + 4, (uint32_t)num_sent, 2);
    s->bytes[8] = 64;
    s->bytes[9] = 6;
    put(s->bytes + 12, 0x0a000000u | from, 4);
    put(s->bytes + 16, 0x0a000000u | to, 4);
    put(s->bytes + 20, ports[from > to], 2);
    put(s->bytes + 22, ports[from < to], 2);
    put(s->bytes + 24, seq, 4);
    put(s->bytes + 28, ack, 4);
    s->bytes[32] = 0x50;
    s->bytes[33] = flags;
    put(s->bytes + 34, 8192, 2);
    if (payload_len >= 4)
        put(s->bytes + 40, (uint32_t)num_sent, 4);
    num_sent++;
}

enum { SYN = 2, ACK = 16 };

/* talk plays calls between two hosts: question, answer, and bare acknowledgements, with some
 * retransmissions. */
static void talk(uint8_t a, uint8_t b, size_t calls, int64_t start_ns, int64_t span_ns,
                 int64_t delay_ns)
{
    uint32_t seq_a = 0xfffff000u, seq_b = 77;
    int64_t now = start_ns;
    send_packet(now, a, b, seq_a++, 0, SYN, 0);
    send_packet(now += delay_ns + 3000, b, a, seq_b++, seq_a, SYN | ACK, 0);
    send_packet(now += delay_ns + 3000, a, b, seq_a, seq_b, ACK, 0);
    for (size_t i = 0; i < calls; i++) {
        int64_t pause = span_ns / (int64_t)calls;
        now += (int64_t)((double)pause * random_share());
        uint32_t question = 4 + (uint32_t)(random_number() % 30);
        uint32_t answer = 4 + (uint32_t)(random_number() % 30);
        send_packet(now, a, b, seq_a, seq_b, ACK, question);
        if (i % 50 == 49) { /* lost on the way, perhaps: the same again */
            sent[num_sent] = sent[num_sent - 1];
            sent[num_sent++].at_ns = now += 200000000;
        }
        seq_a += question;
        now += delay_ns + 2000 + (int64_t)(20000 * random_share());
        send_packet(now, b, a, seq_b, seq_a, ACK, answer);
        seq_b += answer;
        now += delay_ns + 2000;
        send_packet(now, a, b, seq_a, seq_b, ACK, 0);
    }
}

struct place {
    uint8_t host;    /* captures what this host sends and receives; 0: everything */
    int64_t ahead_ns;
    double drift;
    double loss;
};

static int by_capture(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static void capture(size_t point, struct place place, int64_t delay_ns)
{
    num_seen[point] = 0;
    for (size_t i = 0; i < num_sent; i++) {
        if (place.host != 0 && sent[i].from != place.host && sent[i].to != place.host)
            continue;
        if (random_share() < place.loss)
            continue;
        int64_t at = sent[i].at_ns;
        if (sent[i].from != place.host) /* sooner or later, at least delay_ns */
            at += delay_ns + (int64_t)(2000 * random_share());
        at += place.ahead_ns + llround(place.drift * (double)(at - START));
        seen[point][num_seen[point]++] = (struct seen){at, (uint32_t)i};
    }
    qsort(seen[point], num_seen[point], sizeof seen[point][0], by_capture);
}

static struct ds_packet packet_of(size_t point, size_t i, uint32_t snaplen)
{
    const struct sent *s = &sent[seen[point][i].sent];
    return (struct ds_packet){
        .ts_ns = seen[point][i].at_ns,
        .link_type = LINKTYPE_RAW,
        .data = s->bytes,
        .len = s->len,
        .cap_len = s->len < snaplen ? s->len : snaplen,
    };
}

static uint32_t snaplens[MAX_POINTS];
static bool is_listed[MAX_POINTS];

static bool look(struct overlap_scan *survey, size_t num_points)
{
    if (!overlap_scan_init(survey, num_points))
        return false;
    for (size_t p = 0; p < num_points; p++) {
        survey->points[p].is_listed = is_listed[p];
        for (size_t i = 0; i < num_seen[p]; i++) {
            struct ds_packet packet = packet_of(p, i, snaplens[p]);
            overlap_scan_packet(survey, p, &packet);
        }
    }
    return overlap_scan_end(survey);
}

/* shown is the output. */
static uint32_t num_shown[MAX_PACKETS]; /* by the number in the payload */
static size_t num_out, num_cut, num_backwards;
static uint32_t furthest[8][8];
static bool connected[8][8];
static size_t num_too_early; /* packets that were shown before the packets that they acknowledge */
static int64_t last_out_ns;

static uint32_t get(const uint8_t *at, int len)
{
    uint32_t value = 0;
    for (int i = 0; i < len; i++)
        value = value << 8 | at[i];
    return value;
}

static void note_packet(const struct ds_packet *packet)
{
    uint8_t from = packet->data[15], to = packet->data[19];
    uint32_t seq = get(packet->data + 24, 4), ack = get(packet->data + 28, 4);
    uint8_t flags = packet->data[33];
    num_out++;
    num_cut += packet->cap_len != packet->len;
    num_backwards += packet->ts_ns < last_out_ns;
    last_out_ns = packet->ts_ns;
    if (packet->cap_len >= 44)
        num_shown[get(packet->data + 40, 4)]++;
    if ((flags & ACK) != 0 && connected[to][from] && seq_is_after(ack, furthest[to][from]))
        num_too_early++;
    uint32_t end = seq + packet->len - 40 + (flags & SYN) / SYN;
    if (!connected[from][to] || seq_is_after(end, furthest[from][to]))
        furthest[from][to] = end;
    connected[from][to] = true;
}

static void note_all(struct point_merge *points)
{
    struct ds_packet packet;
    while (point_merge_pop(points, &packet))
        note_packet(&packet);
}

/* merge puts the captures together, as the program does. */
static void merge(const struct overlap_scan *survey, size_t num_points, bool correct)
{
    size_t next[MAX_POINTS] = {0};
    struct point_merge *points = point_merge_new(survey, correct);
    assert_non_null(points);
    memset(num_shown, 0, sizeof num_shown);
    memset(connected, 0, sizeof connected);
    num_out = num_cut = num_backwards = num_too_early = 0;
    last_out_ns = 0;
    for (;;) {
        size_t first = num_points;
        int64_t least = 0;
        for (size_t p = 0; p < num_points; p++) {
            if (next[p] == num_seen[p])
                continue;
            int64_t at = point_merge_time(points, p, seen[p][next[p]].at_ns);
            if (first == num_points || at < least) {
                first = p;
                least = at;
            }
        }
        if (first == num_points)
            break;
        struct ds_packet packet = packet_of(first, next[first]++, snaplens[first]);
        point_merge_push(points, first, &packet);
        note_all(points);
    }
    point_merge_end(points);
    note_all(points);
    point_merge_free(points);
}

static void set_up(uint64_t seed)
{
    random_state = seed * 2654435761u + 1;
    num_sent = 0;
    for (int i = 0; i < MAX_POINTS; i++)
        snaplens[i] = 65535;
}

static void check_ahead(const struct overlap_scan *survey, size_t point, const struct place *places)
{
    const struct overlap_scan_point *p = &survey->points[point];
    double most = 0;
    for (size_t i = 0; i < num_seen[point]; i++) {
        int64_t at = seen[point][i].at_ns;
        const struct place *place = &places[point], *reference = &places[p->group];
        /* the true time of that stamp, and the reference's clock at that time */
        double truth = (double)(at - START - place->ahead_ns) / (1 + place->drift);
        double expected = truth + (double)reference->ahead_ns + reference->drift * truth;
        double got = (double)(overlap_scan_correct(survey, point, at) - START);
        most = fmax(most, fabs(got - expected));
    }
    assert_true(most <= p->uncertainty_ns);
}

/* check_once checks that all with a payload came out once. */
static void check_once(void)
{
    size_t num[MAX_PACKETS] = {0};
    for (size_t i = 0; i < num_sent; i++)
        num[get(sent[i].bytes + 40, 4)] += sent[i].len > 40;
    for (size_t i = 1; i < num_sent; i++) {
        if (num[i] != num_shown[i])
            fail_msg("packet %zu: sent %zu times, shown %u times", i, num[i], num_shown[i]);
    }
}

static void two_points_are_one(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        set_up(seed);
        talk(1, 2, 300, START, 10000000000, 40000);
        const struct place places[] = {{1, 5000000, 0, 0}, {2, -3217000000, 0, 0}};
        capture(0, places[0], 40000);
        capture(1, places[1], 40000);
        struct overlap_scan survey;
        assert_true(look(&survey, 2));
        assert_int_equal(survey.points[1].group, 0);
        assert_int_equal(survey.points[1].clock.state, CLOCK_KNOWN);
        assert_true(survey.points[1].uncertainty_ns < 60000);
        check_ahead(&survey, 1, places);
        merge(&survey, 2, true);
        assert_int_equal(num_out, num_sent);
        check_once();
        assert_int_equal(num_too_early, 0);
        assert_int_equal(num_backwards, 0);
        merge(&survey, 2, false); /* as the clocks have it: still each packet once */
        assert_int_equal(num_out, num_sent);
        overlap_scan_free(&survey);
    }
}

static void one_point_fills_in_what_the_other_missed(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        set_up(seed);
        talk(1, 2, 300, START, 10000000000, 1000);
        for (size_t i = 0; i < num_sent; i++)
            sent[i].at_ns += sent[i].from == 2 ? -1000 : 0;
        const struct place places[] = {{1, 0, 0, 0.1}, {2, 700000000, 0, 0.1}};
        capture(0, places[0], 1000);
        capture(1, places[1], 1000);
        /* packets that both missed */
        static bool at_all[MAX_PACKETS];
        memset(at_all, 0, sizeof at_all);
        size_t num_at_all = 0;
        for (int p = 0; p < 2; p++) {
            for (size_t i = 0; i < num_seen[p]; i++) {
                num_at_all += !at_all[seen[p][i].sent];
                at_all[seen[p][i].sent] = true;
            }
        }
        struct overlap_scan survey;
        assert_true(look(&survey, 2));
        merge(&survey, 2, true);
        for (size_t i = 0; i < num_sent; i++) {
            if (sent[i].len > 40 && at_all[i])
                assert_true(num_shown[sent[i].number] >= 1);
        }
        /* of a retransmitted packet each point may have missed another copy */
        assert_in_range(num_out, num_at_all - 3, num_at_all);
        assert_int_equal(num_backwards, 0);
        overlap_scan_free(&survey);
    }
}

/* Only their receiver captured the requests, and its clock is estimated too late: without waiting
 * for them, the replies would come first. */
static void nothing_is_answered_before_it_was_asked(void **test)
{
    (void)test;
    set_up(5);
    talk(1, 2, 500, START, 5000000000, 40000);
    capture(0, (struct place){1, 0, 0, 0}, 40000);
    capture(1, (struct place){2, 0, 0, 0}, 40000);
    struct overlap_scan survey;
    assert_true(look(&survey, 2));
    size_t kept = 0;
    for (size_t i = 0; i < num_seen[0]; i++) {
        if (sent[seen[0][i].sent].from != 1 || i % 5 != 0)
            seen[0][kept++] = seen[0][i];
    }
    num_seen[0] = kept;
    survey.points[1].clock.ahead_ns -= 1000000;
    merge(&survey, 2, true);
    assert_int_equal(num_out, num_sent);
    assert_int_equal(num_too_early, 0);
    assert_int_equal(num_backwards, 0);
    merge(&survey, 2, false); /* right clocks: right without waiting */
    assert_int_equal(num_too_early, 0);
    overlap_scan_free(&survey);
}

static void three_points_over_an_hour(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        set_up(seed);
        /* 1 and 3 never talk to each other: their clocks are compared by way of 2 */
        talk(1, 2, 2000, START, 3600000000000, 100000);
        talk(2, 3, 2000, START, 3600000000000, 100000);
        const struct place places[] = {
            {1, -90000000000, 20e-6, 0.01},
            {3, 400000000, -60e-6, 0.01},
            {2, 1200000, 0, 0.01},
        };
        for (size_t p = 0; p < 3; p++)
            capture(p, places[p], 100000);
        struct overlap_scan survey;
        assert_true(look(&survey, 3));
        assert_int_equal(survey.points[1].group, 0);
        assert_int_equal(survey.points[1].parent, 2);
        assert_int_equal(survey.points[2].parent, 0);
        assert_true(survey.points[1].uncertainty_ns < 500000);
        check_ahead(&survey, 1, places);
        check_ahead(&survey, 2, places);
        merge(&survey, 3, true);
        assert_int_equal(num_backwards, 0);
        assert_in_range(num_out, num_sent - 10, num_sent);
        struct ds_buffer text = {0};
        static const char *const names[] = {"one.pcap", "three.pcap", "two.pcap"};
        overlap_scan_report(&survey, names, &text);
        ds_buffer_add(&text, "", 1);
        assert_non_null(strstr(text.data, "one.pcap                  reference\n"));
        assert_non_null(strstr(text.data, "+90.3"));
        assert_non_null(strstr(text.data, "  -80.0"));
        ds_buffer_free(&text);
        overlap_scan_free(&survey);
    }
}

/* If the user has named no order, one host with a wrong clock does not move the others, be it the
 * first, the last, or the one by which the others are compared. */
static void the_reference_of_hosts_has_the_clock_in_the_middle(void **test)
{
    (void)test;
    static const int64_t wrongs[] = {-90000000000, 90000000000, -3000000, 3000000};
    for (size_t wrong = 0; wrong < 4; wrong++) {
        for (size_t bad = 0; bad < 3; bad++) {
            set_up(wrong + 1);
            talk(1, 2, 500, START, 60000000000, 100000);
            talk(2, 3, 500, START, 60000000000, 100000);
            talk(3, 1, 500, START, 60000000000, 100000);
            struct place places[] = {{1, 0, 0, 0}, {2, 1000000, 0, 0}, {3, -1000000, 0, 0}};
            /* {0, 1 ms, -1 ms}, with one replaced by a time before or after all. */
            static const size_t middles[2][3] = {{2, 2, 0}, {1, 0, 1}};
            const size_t middle = middles[wrongs[wrong] > 0][bad];
            places[bad].ahead_ns = wrongs[wrong];
            for (size_t p = 0; p < 3; p++) {
                is_listed[p] = true;
                capture(p, places[p], 100000);
            }
            struct overlap_scan survey;
            assert_true(look(&survey, 3));
            for (size_t p = 0; p < 3; p++) {
                assert_int_equal(survey.points[p].group, middle);
                assert_int_equal(survey.points[p].group_size, 3);
                assert_int_equal(overlap_scan_stranger(&survey, p), p);
            }
            assert_int_equal(survey.points[middle].parent, middle);
            assert_int_equal(overlap_scan_correct(&survey, middle, START), START);
            assert_true(fabs(overlap_scan_get_ahead(&survey, bad) -
                             (double)(wrongs[wrong] - places[middle].ahead_ns)) < 200000);
            merge(&survey, 3, true);
            assert_int_equal(num_out, num_sent);
            overlap_scan_free(&survey);
            /* A point that the user named is the reference, even if its clock is wrong. */
            is_listed[bad] = false;
            assert_true(look(&survey, 3));
            assert_int_equal(survey.points[middle].group, bad);
            overlap_scan_free(&survey);
            memset(is_listed, 0, sizeof is_listed);
        }
    }
}

static void points_that_share_nothing_stay_as_they_are(void **test)
{
    (void)test;
    set_up(3);
    talk(1, 2, 100, START, 1000000000, 40000);
    talk(3, 4, 100, START, 1000000000, 40000);
    capture(0, (struct place){1, 0, 0, 0}, 40000);
    capture(1, (struct place){3, 700, 0, 0}, 40000);
    struct overlap_scan survey;
    assert_true(look(&survey, 2));
    assert_false(overlap_scan_has_points(&survey));
    assert_int_equal(overlap_scan_stranger(&survey, 1), 0);
    assert_int_equal(overlap_scan_stranger(&survey, 0), 0);
    assert_int_equal(overlap_scan_correct(&survey, 1, START), START);
    merge(&survey, 2, true);
    assert_int_equal(num_out, num_sent);
    overlap_scan_free(&survey);
}

/* Two consecutive files of one capture, with a retransmission in the second. */
static void files_in_a_row_are_no_points(void **test)
{
    (void)test;
    set_up(9);
    talk(1, 2, 100, START, 1000000000, 40000);
    sent[num_sent] = sent[num_sent - 2];
    sent[num_sent++].at_ns += 200000000;
    capture(0, (struct place){1, 0, 0, 0}, 40000);
    num_seen[1] = num_seen[0] / 2;
    num_seen[0] -= num_seen[1];
    memcpy(seen[1], seen[0] + num_seen[0], num_seen[1] * sizeof seen[0][0]);
    struct overlap_scan survey;
    assert_true(look(&survey, 2));
    assert_false(overlap_scan_has_points(&survey));
    assert_int_equal(overlap_scan_stranger(&survey, 1), 1);
    merge(&survey, 2, true);
    assert_int_equal(num_out, num_sent);
    overlap_scan_free(&survey);
}

static void whole_packets_replace_cut_ones(void **test)
{
    (void)test;
    for (int cut = 0; cut < 2; cut++) {
        set_up(21);
        talk(1, 2, 300, START, 10000000000, 40000);
        capture(0, (struct place){1, 0, 0, 0}, 40000);
        capture(1, (struct place){2, 123456789, 0, 0}, 40000);
        snaplens[cut] = 44;
        struct overlap_scan survey;
        assert_true(look(&survey, 2));
        assert_int_equal(survey.points[1].group, 0);
        merge(&survey, 2, true);
        assert_int_equal(num_out, num_sent);
        assert_int_equal(num_cut, 0);
        check_once();
        overlap_scan_free(&survey);
    }
}

static void samples_stay_bounded(void **test)
{
    (void)test;
    set_up(1);
    talk(1, 2, 5000, START, 60000000000, 40000);
    capture(0, (struct place){1, 0, 0, 0}, 40000);
    capture(1, (struct place){2, 99, 0, 0}, 40000);
    struct overlap_scan survey;
    assert_true(overlap_scan_init(&survey, 2));
    survey.max_samples = 500;
    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < num_seen[p]; i++) {
            struct ds_packet packet = packet_of(p, i, 65535);
            overlap_scan_packet(&survey, p, &packet);
        }
        assert_in_range(survey.points[p].num_samples, 200, 500);
    }
    assert_true(overlap_scan_end(&survey));
    assert_int_equal(survey.points[1].group, 0);
    assert_true(survey.points[1].clock.num_late + survey.points[1].clock.num_early > 150);
    overlap_scan_free(&survey);
}

static void counts_what_each_point_saw(void **test)
{
    (void)test;
    struct dedup *dedup = dedup_new();
    uint32_t number = 17;
    assert_non_null(dedup);
    assert_false(dedup_is_copy(dedup, 1234, 0, &number));
    number = 18;
    assert_true(dedup_is_copy(dedup, 1234, 1, &number));
    assert_int_equal(number, 17);
    number = 19;
    assert_false(dedup_is_copy(dedup, 1234, 0, &number)); /* sent again */
    assert_true(dedup_is_copy(dedup, 1234, 1, &number));
    assert_int_equal(number, 19);
    assert_false(dedup_is_copy(dedup, 1234, 1, &number)); /* and again, a copy that 0 missed */
    assert_true(dedup_is_copy(dedup, 1234, 2, &number));
    assert_false(dedup_is_copy(dedup, 5678, 2, &number));
    dedup_free(dedup);
}

/* Nine packets whose counts share a bucket of eight: the one that was unused for longest is
 * forgotten, whichever it is. */
static void forgets_the_oldest_count(void **test)
{
    (void)test;
    struct dedup *dedup = dedup_new();
    uint32_t number = 1;
    const uint64_t bucket = UINT64_C(5) << 32;
    assert_non_null(dedup);
    for (uint64_t i = 0; i < 8; i++)
        assert_false(dedup_is_copy(dedup, bucket | i << 8, 0, &number));
    assert_true(dedup_is_copy(dedup, bucket | 0 << 8, 1, &number));
    assert_false(dedup_is_copy(dedup, bucket | 8 << 8, 0, &number));
    assert_true(dedup_is_copy(dedup, bucket | 0 << 8, 2, &number));
    for (uint64_t i = 2; i < 9; i++)
        assert_true(dedup_is_copy(dedup, bucket | i << 8, 2, &number));
    assert_false(dedup_is_copy(dedup, bucket | 1 << 8, 2, &number));
    dedup_free(dedup);
}

/* No capture would show this: every packet acknowledges later ones. */
static void stands_nonsense(void **test)
{
    (void)test;
    set_up(77);
    for (int i = 0; i < 20000; i++)
        send_packet(START + i * 100, 1 + i % 2, 2 - i % 2, (uint32_t)random_number(),
                    (uint32_t)random_number(), (uint8_t)random_number(), random_number() % 40);
    capture(0, (struct place){0, 0, 0, 0}, 0);
    capture(1, (struct place){0, 50, 0, 0}, 0);
    struct overlap_scan survey;
    assert_true(look(&survey, 2));
    merge(&survey, 2, true);
    assert_int_equal(num_out, num_sent);
    overlap_scan_free(&survey);
}

static void merge_once(void *context)
{
    struct overlap_scan survey;
    (void)context;
    if (look(&survey, 2)) {
        struct point_merge *points = point_merge_new(&survey, true);
        num_out = 0;
        for (size_t i = 0; points != NULL && i < num_seen[0]; i++) {
            struct ds_packet packet = packet_of(0, i, 65535);
            point_merge_push(points, 0, &packet);
            note_all(points);
        }
        if (points != NULL) {
            point_merge_end(points);
            note_all(points);
            assert_int_equal(num_out, num_seen[0]);
        }
        point_merge_free(points);
    } else {
        assert_true(failing_alloc_failed());
    }
    overlap_scan_free(&survey);
}

static void stands_failing_allocations(void **test)
{
    (void)test;
    set_up(1);
    talk(1, 2, 20, START, 1000000000, 40000);
    capture(0, (struct place){1, 0, 0, 0}, 40000);
    capture(1, (struct place){2, 0, 0, 0}, 40000);
    assert_true(failing_alloc_each(merge_once, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_each_point_saw),
        cmocka_unit_test(forgets_the_oldest_count),
        cmocka_unit_test(two_points_are_one),
        cmocka_unit_test(one_point_fills_in_what_the_other_missed),
        cmocka_unit_test(nothing_is_answered_before_it_was_asked),
        cmocka_unit_test(three_points_over_an_hour),
        cmocka_unit_test(the_reference_of_hosts_has_the_clock_in_the_middle),
        cmocka_unit_test(points_that_share_nothing_stay_as_they_are),
        cmocka_unit_test(files_in_a_row_are_no_points),
        cmocka_unit_test(whole_packets_replace_cut_ones),
        cmocka_unit_test(samples_stay_bounded),
        cmocka_unit_test(stands_nonsense),
        cmocka_unit_test(stands_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
