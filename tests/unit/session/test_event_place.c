/*
 * test_event_place.c - the place in the stream where a message ended: behind all frames before it,
 * for any segments, and the same in a capture that joined late.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <distsniff/dissect.h>

#include <pcap/pcap.h>

enum { MAX_CONNS = 64, MAX_PLACES = 1 << 16 };

struct place {
    uint16_t port; /* of the sender */
    uint32_t seq;
};

struct seen {
    uint64_t pos[MAX_CONNS][2]; /* end of the frames so far */
    uint32_t base[MAX_CONNS][2];
    bool has_base[MAX_CONNS][2];
    struct ds_event last;
    struct place places[MAX_PLACES];
    size_t num_places, num_checked;
};

static void take_message(struct seen *seen, const struct ds_event *event)
{
    assert_true(event->has_seq);
    assert_true(seen->num_places < MAX_PLACES);
    seen->places[seen->num_places++] =
        (struct place){event->conn->end[event->dir].port, event->end_seq};
    seen->last = *event;
}

/* take_frame compares the place of the message that a frame completes with the bytes sent up to
 * there. */
static void take_frame(struct seen *seen, const struct ds_event *event)
{
    const uint64_t number = event->conn->number;
    const unsigned dir = event->dir;
    seen->pos[number][dir] += event->frame_sent.size;
    if (!event->frame_sent.completes || event->frame_sent.kind == DS_FRAME_HANDSHAKE ||
        !seen->has_base[number][dir])
        return;
    assert_int_equal(seen->last.end_seq - seen->base[number][dir],
                     (uint32_t)seen->pos[number][dir]);
    seen->num_checked++;
}

static void on_event(void *context, const struct ds_event *event)
{
    struct seen *seen = context;
    assert_true(event->conn->number < MAX_CONNS);
    if (event->type == DS_EVENT_HANDSHAKE && event->has_seq) {
        seen->has_base[event->conn->number][event->dir] = true;
        seen->base[event->conn->number][event->dir] = event->end_seq;
    }
    if (event->type == DS_EVENT_MESSAGE || event->type == DS_EVENT_TICK)
        take_message(seen, event);
    if (event->type == DS_EVENT_FRAME)
        take_frame(seen, event);
}

/* look reads a capture from its packet number skip on. */
static struct seen *look(const char *name, uint64_t skip)
{
    static char error[PCAP_ERRBUF_SIZE];
    struct seen *seen = calloc(1, sizeof *seen);
    pcap_t *pcap = pcap_open_offline(name, error);
    struct pcap_pkthdr *header;
    const u_char *data;
    struct ds_config config;
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = seen;
    config.raw = true;
    struct ds_session *session = ds_session_new(&config);
    assert_true(seen != NULL && pcap != NULL && session != NULL);
    for (uint64_t frame = 1; pcap_next_ex(pcap, &header, &data) == 1; frame++) {
        const struct ds_packet packet = {
            .ts_ns = header->ts.tv_sec * INT64_C(1000000000) + header->ts.tv_usec * INT64_C(1000),
            .frame = frame,
            .link_type = (uint32_t)pcap_datalink(pcap),
            .data = data,
            .cap_len = header->caplen,
            .len = header->len,
        };
        if (frame > skip)
            (void)ds_session_packet(session, &packet);
    }
    ds_session_end(session);
    ds_session_free(session);
    pcap_close(pcap);
    return seen;
}

static void behind_all_frames(void **state)
{
    static const char *const names[] = {"../pcaps/otp27-ops.pcap", "../pcaps/frag-29.pcap",
                                        "../pcaps/otp25.pcap"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct seen *seen = look(names[i], 0);
        assert_true(seen->num_checked > 100);
        free(seen);
    }
}

static bool is_in(const struct seen *seen, const struct place *place)
{
    for (size_t i = 0; i < seen->num_places; i++) {
        if (seen->places[i].port == place->port && seen->places[i].seq == place->seq)
            return true;
    }
    return false;
}

/* come_late starts at every step-th packet: the messages that it sees end at the same places as in
 * the whole capture. */
static void come_late(const char *name, uint64_t most, uint64_t step)
{
    size_t num = 0;
    struct seen *all = look(name, 0);
    for (uint64_t skip = step; skip < most; skip += step) {
        struct seen *late = look(name, skip);
        for (size_t i = 0; i < late->num_places; i++)
            assert_true(is_in(all, &late->places[i]));
        num += late->num_places;
        free(late);
    }
    assert_true(num > 500);
    free(all);
}

static void the_same_for_who_came_late(void **state)
{
    (void)state;
    come_late("../pcaps/otp25.pcap", 800, 61);
    come_late("../pcaps/frag-29.pcap", 900, 13); /* segments that are larger than one step of the search */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_all_frames),
        cmocka_unit_test(the_same_for_who_came_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
