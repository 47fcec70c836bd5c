/*
 * fuzz_packet.c - link layers, IP, tunnels, fragments and TCP reassembly.
 *
 * The input is a series of packets: kind 1 (the lower half an index into the table of link
 * types below, the last one cut by the snap length; the upper half lets time pass), length 2
 * big-endian, the packet. What is checked besides
 * memory: nothing is reported of a connection after its end, the length of a gap is
 * sensible, and nothing stays held.
 */
#include "net/packet.h"
#include "tcp/tcp.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { CUT = 15 };
static const uint32_t link_types[16] = {1,   113, 276, 0, 108, 101, 12,  14,
                                        228, 229, 147, 1, 1,   276, 101, [CUT] = 101};

static char open_mark; /* user of an open connection */

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void on_open(void *context, struct tcp_conn_view *view)
{
    (void)context;
    check(view->user == NULL);
    view->user = &open_mark;
}

static void on_data(void *context, struct tcp_conn_view *view, int dir, struct cursor data)
{
    uint64_t *sum = context;
    uint8_t byte;
    check(view->user == &open_mark && (dir == 0 || dir == 1) && cursor_left(&data) > 0);
    while (cursor_read_u8(&data, &byte)) {
        *sum += byte;
        if (byte == 0xf0 && view->port[0] == 0xf0f0)
            tcp_table_forget(view);
    }
}

static void on_gap(void *context, struct tcp_conn_view *view, int dir, uint64_t len, enum tcp_gap why)
{
    (void)context;
    (void)why;
    check(view->user == &open_mark && (dir == 0 || dir == 1));
    check(len > 0 && len <= INT32_MAX);
}

static void on_end(void *context, struct tcp_conn_view *view, int dir)
{
    (void)context;
    check(view->user == &open_mark && (dir == 0 || dir == 1));
}

static void on_close(void *context, struct tcp_conn_view *view, enum tcp_close why)
{
    (void)context;
    (void)why;
    check(view->user == &open_mark);
    view->user = NULL;
}

/* has_all returns whether link_types has each row of link_types.def: new rows are to be tried, too. */
static bool has_all(void)
{
    static const uint32_t rows[] = {
#define LINK_TYPE(id, number, ...) number,
#include <distsniff/link_types.def>
#undef LINK_TYPE
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t at = 0;
        while (at < CUT && link_types[at] != rows[i])
            at++;
        if (at == CUT)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct tcp_events events = {on_open, on_data, on_gap,
                                             on_end,  on_end,  on_close, NULL, NULL, NULL,
                                             NULL,    NULL,    NULL,     NULL};
    uint64_t limits[DS_LIMIT_COUNT] = {[DS_LIMIT_CONNECTIONS] = 8, [DS_LIMIT_BUFFER] = 4096};
    struct ds_stats stats = {0};
    struct memcap memcap = {.max = 20000};
    struct packet_decoder decoder;
    uint64_t sum = 0, hits = 0;
    struct cursor at = cursor_make(data, len), bytes;
    struct ds_packet packet = {.frame = 0};
    uint8_t kind;
    uint16_t packet_len, src, dst;

    check(has_all());
    check(packet_decoder_init(&decoder, &memcap, 4, &hits));
    struct tcp_table *table = tcp_table_new(&events, &sum, &memcap, limits, &stats);
    check(table != NULL);
    while (cursor_read_u8(&at, &kind) && cursor_read_u16(&at, &packet_len)) {
        if (packet_len > cursor_left(&at))
            packet_len = (uint16_t)cursor_left(&at);
        if (!cursor_child(&at, packet_len, &bytes))
            break;
        /* A copy in a block of its own, so that the sanitizer notices a read beyond its end. */
        uint8_t *copy = malloc(packet_len != 0 ? packet_len : 1);
        if (copy == NULL || !cursor_read_bytes(&bytes, copy, packet_len))
            abort();
        packet.ts_ns += (int64_t)(kind >> 4) * (kind >> 4) * 10000000;
        packet.frame++;
        packet.link_type = link_types[kind & 15];
        packet.data = copy;
        packet.cap_len = packet_len;
        packet.len = packet_len + ((kind & 15) == CUT ? 20u : 0);
        struct segment segment;
        const enum packet_status status = packet_decode(&decoder, &packet, &segment);
        if (status == PACKET_SEGMENT)
            tcp_table_feed(table, &segment);
        else if (status == PACKET_ICMP)
            tcp_table_icmp(table, &segment, &decoder.icmp);
        else if ((packet.frame & 7) == 0)
            tcp_table_time(table, packet.ts_ns);
        (void)ds_packet_ports(&packet, &src, &dst);
        (void)ds_packet_opens(&packet);
        free(copy);
        check(memcap.used <= memcap.max);
    }
    tcp_table_end(table);
    tcp_table_free(table);
    packet_decoder_free(&decoder);
    check(memcap.used == 0);
    return 0;
}
