/*
 * test_decoder_state.c - a new session that reads the packets of ds_session_snapshot must decode
 * what follows as the session that saw everything. Each capture is split at many places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "conn/conn.h"
#include "failing_alloc.h"
#include "capture/pseudo_packet.h"
#include "dist/decoder_state.h"

#include <distsniff/dissect.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PACKETS = 8192 };

static struct ds_packet packets[MAX_PACKETS];
static size_t num_packets;

static void load(const char *name)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    pcap_t *pcap = pcap_open_offline(name, error);
    assert_non_null(pcap);
    const uint32_t link_type = pcap_datalink(pcap) == DLT_EN10MB       ? 1
                               : pcap_datalink(pcap) == DLT_LINUX_SLL2 ? 276
                                                                       : 113;
    for (num_packets = 0; num_packets < MAX_PACKETS && pcap_next_ex(pcap, &header, &data) == 1;
         num_packets++) {
        uint8_t *copy = malloc(header->caplen);
        assert_non_null(copy);
        memcpy(copy, data, header->caplen);
        packets[num_packets] = (struct ds_packet){
            .ts_ns = header->ts.tv_sec * 1000000000LL + header->ts.tv_usec * 1000,
            .frame = num_packets + 1,
            .link_type = link_type,
            .data = copy,
            .cap_len = header->caplen,
            .len = header->len,
        };
    }
    pcap_close(pcap);
    assert_true(num_packets > 100);
}

static void unload(void)
{
    while (num_packets != 0)
        free((void *)(uintptr_t)packets[--num_packets].data);
}

/* The secrets of a capture, NULL for one without TLS. */
static struct ds_keylog *keylog;

static void load_secrets(const char *name)
{
    char bytes[512];
    size_t len;
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    keylog = ds_keylog_new(1000);
    assert_non_null(keylog);
    while ((len = fread(bytes, 1, sizeof bytes, file)) != 0)
        ds_keylog_add(keylog, bytes, len);
    ds_keylog_end(keylog);
    fclose(file);
}

static void unload_secrets(void)
{
    ds_keylog_free(keylog);
    keylog = NULL;
}

/* reader is a session and its events for the packets from a certain one on. */
struct reader {
    struct ds_session *session;
    struct ds_buffer said;
    uint64_t from; /* frame */
    uint64_t num_messages;
};

static uint64_t num_likely;

static void say(void *context, const struct ds_event *event)
{
    struct reader *r = context;
    if (event->frame < r->from || event->type != DS_EVENT_MESSAGE)
        return;
    ds_buffer_printf(&r->said, "%llu %u %u %llu ", (unsigned long long)event->frame,
                     event->conn->end[0].port, event->dir, (unsigned long long)event->message.size);
    ds_term_print(&event->message.control, NULL, &r->said);
    ds_buffer_add(&r->said, " ", 1);
    ds_term_print(&event->message.payload, NULL, &r->said);
    ds_buffer_printf(&r->said, " %d %u %u\n", event->fault.kind, event->likely_atoms,
                     event->unknown_atoms);
    num_likely += event->likely_atoms;
    r->num_messages++;
}

static void begin(uint64_t from, bool remember, struct reader *r)
{
    struct ds_config config;
    ds_config_init(&config);
    *r = (struct reader){.from = from};
    config.on_event = say;
    config.context = r;
    config.remember = remember;
    config.keylog = keylog;
    r->session = ds_session_new(&config);
    assert_non_null(r->session);
}

static void end(struct reader *r)
{
    ds_session_end(r->session);
    ds_session_free(r->session);
    assert_false(r->said.failed);
}

static bool failing; /* allocations do */

struct handing {
    struct ds_session *to;
    uint32_t link_type;
    uint64_t num;
    struct ds_buffer buffer;
};

static void hand_on(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct handing *h = context;
    struct ds_packet packet;
    if (keylog != NULL) {
        /* The snapshot contains no message in clear. */
        static const char *const words[] = {"$gen_call", "net_kernel", "erlang"};
        for (size_t i = 0; i < sizeof words / sizeof words[0] && segment->payload_len != 0; i++)
            assert_null(memmem(segment->payload, segment->payload_len, words[i], strlen(words[i])));
    }
    const bool made = pseudo_packet(segment, ts_ns, h->link_type, &h->buffer, &packet);
    assert_true(made || failing);
    if (!made) {
        ds_buffer_free(&h->buffer);
        return;
    }
    assert_int_equal(packet.past.kind != DS_SNAPSHOT_NONE, true);
    ds_session_packet(h->to, &packet);
    h->num++;
}

static const char *const captures[] = {"otp25.pcap",      "frag-29.pcap",   "links-sll2.pcap",
                                       "otp27-ops.pcap",  "otp29-ops.pcap", "cnode.pcap",
                                       "links-vxlan.pcap"};

static uint64_t num_compared, num_given, num_wrong_without;

enum { NONE_LOST = MAX_PACKETS };

/* part_at splits the capture; if lost is before first, that packet is missing. */
static void part_at(size_t first, bool with_past, size_t lost)
{
    struct reader before, after;
    begin(packets[0].frame, true, &before);
    for (size_t i = 0; i < first; i++) {
        if (i != lost)
            ds_session_packet(before.session, &packets[i]);
    }
    before.from = packets[first].frame;
    before.said.len = 0;
    before.num_messages = 0;
    begin(packets[first].frame, false, &after);
    struct handing handing = {.to = after.session, .link_type = packets[0].link_type};
    if (with_past)
        ds_session_snapshot(before.session, NULL, hand_on, &handing);
    ds_buffer_free(&handing.buffer);
    for (size_t i = first; i < num_packets; i++) {
        ds_session_packet(before.session, &packets[i]);
        ds_session_packet(after.session, &packets[i]);
    }
    end(&before);
    end(&after);
    ds_buffer_add(&before.said, "", 1);
    ds_buffer_add(&after.said, "", 1);
    num_compared += before.num_messages;
    num_given += handing.num;
    if (with_past)
        assert_string_equal(after.said.data, before.said.data);
    else
        num_wrong_without += strcmp(after.said.data, before.said.data) != 0;
    ds_buffer_free(&before.said);
    ds_buffer_free(&after.said);
}

static void parted(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof captures / sizeof captures[0]; c++) {
        char name[64];
        snprintf(name, sizeof name, "../pcaps/%s", captures[c]);
        load(name);
        const size_t step = num_packets / 11 + 1;
        for (size_t first = 1; first < num_packets; first += step)
            part_at(first, true, NONE_LOST);
        part_at(num_packets / 2, false, NONE_LOST);
        unload();
    }
    assert_true(num_compared > 1000 && num_given > 1000);
    assert_true(num_wrong_without >= 3); /* or there would be nothing to it */
}

/* An atom that is likely after lost packets is likely after their snapshot, too, and none becomes
 * certain. */
static void parted_after_a_loss(void **state)
{
    static const char *const some[] = {"otp25.pcap", "otp27-ops.pcap", "links-sll2.pcap"};
    (void)state;
    num_likely = 0;
    for (size_t c = 0; c < sizeof some / sizeof some[0]; c++) {
        char name[64];
        snprintf(name, sizeof name, "../pcaps/%s", some[c]);
        load(name);
        size_t lost = num_packets / 3;
        while (packets[lost].len < 140)
            lost++;
        for (size_t first = num_packets * 2 / 3; first < num_packets - 20; first += num_packets / 7)
            part_at(first, true, lost);
        unload();
    }
    assert_true(num_likely > 10);
}

static const char *const sealed[] = {"tls-29", "tls12-25", "tls-renewed-29", "tls12-renewed-25"};

/* The same for messages in TLS, for a session that has the secrets. */
static void parted_in_tls(void **state)
{
    (void)state;
    num_compared = num_given = num_wrong_without = 0;
    for (size_t c = 0; c < sizeof sealed / sizeof sealed[0]; c++) {
        char name[64];
        snprintf(name, sizeof name, "../pcaps/%s.pcap", sealed[c]);
        load(name);
        snprintf(name, sizeof name, "../pcaps/%s.keys", sealed[c]);
        load_secrets(name);
        for (size_t first = 1; first < num_packets; first += num_packets / 29 + 1)
            part_at(first, true, NONE_LOST);
        part_at(num_packets / 2, false, NONE_LOST);
        unload_secrets();
        unload();
    }
    assert_true(num_compared > 1000 && num_given > 1000);
    assert_int_equal(num_wrong_without, 4);
}

static void remember_all(void *context)
{
    struct reader r;
    struct ds_config config;
    (void)context;
    ds_config_init(&config);
    memset(&r, 0, sizeof r);
    config.remember = true;
    config.keylog = keylog;
    if ((r.session = ds_session_new(&config)) == NULL)
        return;
    for (size_t i = 0; i < 120 && i < num_packets; i++)
        ds_session_packet(r.session, &packets[i]);
    struct handing handing = {.link_type = packets[0].link_type};
    handing.to = ds_session_new(&config);
    if (handing.to != NULL)
        ds_session_snapshot(r.session, NULL, hand_on, &handing);
    ds_buffer_free(&handing.buffer);
    ds_session_free(handing.to);
    ds_session_free(r.session);
}

static void without_memory(void **state)
{
    (void)state;
    load("../pcaps/frag-29.pcap");
    failing = true;
    assert_true(failing_alloc_each(remember_all, NULL) > 20);
    unload();
    load("../pcaps/tls12-25.pcap");
    load_secrets("../pcaps/tls12-25.keys");
    assert_true(failing_alloc_each(remember_all, NULL) > 20);
    unload_secrets();
    unload();
}

/* A peer's influence on the snapshot. */

static struct dissect_ctx make_env(void)
{
    struct dissect_ctx env = {.memcap = {.max = 64 * 1024 * 1024}};
    return env;
}

static struct dist_header fragment_of(uint64_t sequence, bool is_first, uint64_t number)
{
    return (struct dist_header){
        .type = is_first ? HEADER_FIRST : HEADER_FURTHER, .sequence = sequence, .fragment = number};
}

/* Each of these would have to pass all others. */
static void finds_messages_among_many_fragments(void **state)
{
    enum { NUM = 200000 };
    static uint8_t bytes[40];
    const struct cursor frame = cursor_make(bytes, sizeof bytes);
    struct dissect_ctx env = make_env();
    (void)state;
    struct decoder_state *past = decoder_state_new(&env);
    assert_non_null(past);
    for (uint64_t i = 0; i < NUM; i++) {
        const struct dist_header header = fragment_of(7, i == 0, NUM + 1 - i);
        decoder_state_add_frame(past, &env, 0, 0, frame, sizeof bytes, &header);
    }
    const uint64_t used = env.memcap.used;
    for (uint64_t i = 0; i < NUM; i++) {
        const struct dist_header unknown = fragment_of(1000 + i, false, 5);
        const struct dist_header last = fragment_of(1000 + i, false, 1);
        decoder_state_add_frame(past, &env, 0, 0, frame, sizeof bytes, &unknown);
        decoder_state_add_frame(past, &env, 0, 0, frame, sizeof bytes, &last);
        decoder_state_finish(past, &env, 0, 1000 + i);
    }
    assert_int_equal(env.memcap.used, used);
    decoder_state_finish(past, &env, 1, 7); /* the direction of the other end */
    assert_int_equal(env.memcap.used, used);
    decoder_state_finish(past, &env, 0, 7);
    assert_true(env.memcap.used < used / NUM + sizeof(struct decoder_state));
    decoder_state_free(past, &env);
    assert_int_equal(env.memcap.used, 0);
    assert_int_equal(env.memcap.hits, 0);
}

/* A message that begins again, and one that is never finished. */
static void gives_up_what_begins_again(void **state)
{
    static uint8_t bytes[40];
    const struct cursor frame = cursor_make(bytes, sizeof bytes);
    struct dissect_ctx env = make_env();
    (void)state;
    struct decoder_state *past = decoder_state_new(&env);
    assert_non_null(past);
    const struct dist_header first = fragment_of(7, true, 3);
    const struct dist_header second = fragment_of(7, false, 2);
    decoder_state_add_frame(past, &env, 0, 0, frame, sizeof bytes, &first);
    const uint64_t used = env.memcap.used;
    for (int i = 0; i < 1000; i++) {
        decoder_state_add_frame(past, &env, 0, 0, frame, sizeof bytes, &second);
        decoder_state_add_frame(past, &env, 0, 0, frame, sizeof bytes, &first);
    }
    assert_int_equal(env.memcap.used, used);
    decoder_state_free(past, &env);
    assert_int_equal(env.memcap.used, 0);
}

static int count_pieces(const struct decoder_state *past)
{
    int num = 0;
    for (const struct state_piece *piece = past->oldest; piece != NULL; piece = piece->newer)
        num++;
    return num;
}

static struct dist_header naming(uint8_t type, uint32_t slot, enum ds_atom_state state)
{
    struct dist_header header = {.type = type, .sequence = 7, .fragment = 2, .num_refs = 1};
    header.num_new = state == DS_ATOM_KNOWN;
    header.refs[0] =
        (struct ds_atom){.slot = slot, .state = state, .is_new = state == DS_ATOM_KNOWN};
    return header;
}

/* A fragmented message means the atoms that its slots had when it began: these stay known even if
 * the slots have changed. */
static void keeps_what_an_open_message_refers_to(void **state)
{
    static uint8_t bytes[40];
    const struct cursor frame = cursor_make(bytes, sizeof bytes);
    const struct dist_header gives = naming(HEADER_PLAIN, 300, DS_ATOM_KNOWN);
    const struct dist_header refers = naming(HEADER_FIRST, 300, DS_ATOM_UNKNOWN);
    (void)state;
    for (int gap = 0; gap < 2; gap++) {
        struct dissect_ctx env = make_env();
        struct decoder_state *past = decoder_state_new(&env);
        assert_non_null(past);
        decoder_state_add_frame(past, &env, 1, 0, frame, sizeof bytes, &gives);
        decoder_state_add_frame(past, &env, 2, 0, frame, sizeof bytes, &refers);
        assert_int_equal(count_pieces(past), 2);
        if (gap)
            decoder_state_forget_slots(past, &env, 0, ATOM_ALL_SEGMENTS);
        else
            decoder_state_add_frame(past, &env, 3, 0, frame, sizeof bytes, &gives);
        assert_int_equal(past->oldest->ts_ns, gap ? 2 : 1); /* it would seem to be still so */
        assert_int_equal(count_pieces(past), gap ? 1 : 3);
        decoder_state_finish(past, &env, 0, 7);
        assert_int_equal(count_pieces(past), gap ? 0 : 1);
        decoder_state_free(past, &env);
        assert_int_equal(env.memcap.used, 0);
    }
}

static void keeps_few_handshake_messages(void **state)
{
    static uint8_t bytes[1000];
    struct dissect_ctx env = make_env();
    (void)state;
    struct decoder_state *past = decoder_state_new(&env);
    assert_non_null(past);
    for (int i = 0; i < 10000; i++)
        decoder_state_add_handshake(past, &env, 0, 0, cursor_make(bytes, sizeof bytes));
    assert_true(env.memcap.used < 100 * sizeof bytes);
    decoder_state_free(past, &env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parted),
        cmocka_unit_test(parted_after_a_loss),
        cmocka_unit_test(parted_in_tls),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(finds_messages_among_many_fragments),
        cmocka_unit_test(gives_up_what_begins_again),
        cmocka_unit_test(keeps_what_an_open_message_refers_to),
        cmocka_unit_test(keeps_few_handshake_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
