/*
 * mangle.c - rewrites a capture so that it says the same in another way: the decoder must
 * find the same messages in it (modes up to null), or know exactly what is missing (snap,
 * drop, late, half); of noise it only has to make something.
 *
 * usage: mangle MODE [N] IN OUT
 *
 * Reads Ethernet, Linux cooked (v1 and v2) and raw IP; writes Ethernet, unless the mode is
 * a link layer. What is not TCP passes as it is. Nothing here is random: the same input
 * gives the same output.
 */
#include <pcap/pcap.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ETHER_IP4 = 0x0800,
    ETHER_IP6 = 0x86dd,
    MAX_PACKET = 1 << 20,
    MAX_STREAMS = 1 << 16,
    TAIL_LEN = 32, /* bytes that overlap repeats from the segment before */
    FIN = 1,
    SYN = 2,
    ACK = 16,
};

/* packet is a captured packet without its link layer. */
struct packet {
    struct timeval ts; /* tv_usec holds nanoseconds */
    uint32_t wire_len; /* of the packet on the wire */
    uint32_t len;
    uint16_t ether_type;
    bool tcp;
    uint32_t tcp_at, payload_at;
    int stream; /* one direction of a connection */
    uint8_t *bytes;
};

struct stream {
    uint8_t addrs[32];
    uint8_t ports[4];
    uint8_t version;
    int peer; /* the other direction, -1 if not seen */
    bool started;
    uint32_t first_seq, max_seq;
    uint32_t shift; /* wrap: added to sequence numbers */
    uint32_t tail_len, tail_end;
    uint8_t tail[TAIL_LEN];
};

static struct packet *packets;
static size_t num_packets;
static struct stream streams[MAX_STREAMS];
static int num_streams;

static pcap_t *in;
static pcap_dumper_t *out;
static uint32_t snap_len = 262144;
static unsigned long number;  /* N of the mode */
static unsigned long counter; /* how often the mode was applied */

static void die(const char *what)
{
    fprintf(stderr, "mangle: %s\n", what);
    exit(1);
}

static uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value);
}

/* Reading. */

static int find_stream(const struct packet *p, bool reverse)
{
    uint8_t version = p->bytes[0] >> 4;
    uint32_t len = version == 4 ? 4 : 16, at = version == 4 ? 12 : 8;
    struct stream key = {.version = version};
    const uint8_t *src = p->bytes + at, *dst = src + len;
    const uint8_t *ports = p->bytes + p->tcp_at;
    memcpy(key.addrs, reverse ? dst : src, len);
    memcpy(key.addrs + 16, reverse ? src : dst, len);
    memcpy(key.ports, ports + (reverse ? 2 : 0), 2);
    memcpy(key.ports + 2, ports + (reverse ? 0 : 2), 2);
    for (int i = num_streams - 1; i >= 0; i--) {
        if (streams[i].version == version && memcmp(streams[i].ports, key.ports, 4) == 0 &&
            memcmp(streams[i].addrs, key.addrs, sizeof key.addrs) == 0)
            return i;
    }
    if (reverse)
        return -1;
    if (num_streams == MAX_STREAMS)
        die("too many connections");
    streams[num_streams] = key;
    streams[num_streams].peer = -1;
    return num_streams++;
}

/* find_tcp finds the TCP header and removes the bytes behind the IP packet. */
static void find_tcp(struct packet *p)
{
    uint32_t header_len, total_len;
    if (p->ether_type == ETHER_IP4 && p->len >= 20) {
        header_len = (p->bytes[0] & 15u) * 4;
        total_len = get16(p->bytes + 2);
        if (p->bytes[9] != 6 || (get16(p->bytes + 6) & 0x3fff) != 0 || header_len < 20)
            return;
    } else if (p->ether_type == ETHER_IP6 && p->len >= 40) {
        header_len = 40;
        total_len = get16(p->bytes + 4) + 40u;
        if (p->bytes[6] != 6)
            return;
    } else {
        return;
    }
    if (total_len < p->len && total_len > header_len)
        p->wire_len = p->len = total_len;
    if (p->len < header_len + 20 || p->wire_len != p->len)
        return;
    p->tcp_at = header_len;
    p->payload_at = header_len + (p->bytes[header_len + 12] >> 4) * 4u;
    if (p->payload_at > p->len)
        return;
    p->tcp = true;
    p->stream = find_stream(p, false);
    struct stream *stream = &streams[p->stream];
    if (stream->peer < 0) {
        stream->peer = find_stream(p, true);
        if (stream->peer >= 0)
            streams[stream->peer].peer = p->stream;
    }
}

/* link_len returns the length of the link layer, 0 for "skip this packet". */
static uint32_t link_len(int link_type, const uint8_t *bytes, uint32_t len, uint16_t *ether_type)
{
    static const struct {
        int link_type;
        uint32_t len, type_at;
    } links[] = {{DLT_EN10MB, 14, 12}, {DLT_LINUX_SLL, 16, 14}, {DLT_LINUX_SLL2, 20, 0}};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        uint32_t at = links[i].len;
        if (links[i].link_type != link_type || len < at)
            continue;
        *ether_type = get16(bytes + links[i].type_at);
        while (*ether_type == 0x8100 || *ether_type == 0x88a8) {
            if (len < at + 4)
                return 0;
            *ether_type = get16(bytes + at + 2);
            at += 4;
        }
        return at;
    }
    return 0;
}

static void read_all(void)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    size_t room = 0;
    int link_type = pcap_datalink(in);
    while (pcap_next_ex(in, &header, &bytes) == 1) {
        struct packet p = {.ts = header->ts, .stream = -1};
        uint32_t skip = 0;
        if (link_type == DLT_RAW) {
            p.ether_type = header->caplen > 0 && bytes[0] >> 4 == 6 ? ETHER_IP6 : ETHER_IP4;
        } else {
            skip = link_len(link_type, bytes, header->caplen, &p.ether_type);
            if (skip == 0)
                die("a packet of a link type that I do not read");
        }
        p.len = header->caplen - skip;
        p.wire_len = header->len - skip;
        p.bytes = malloc(p.len + 1);
        if (p.bytes == NULL)
            die("out of memory");
        memcpy(p.bytes, bytes + skip, p.len);
        find_tcp(&p);
        if (num_packets == room) {
            room = room * 2 + 1024;
            packets = realloc(packets, room * sizeof *packets);
            if (packets == NULL)
                die("out of memory");
        }
        packets[num_packets++] = p;
    }
}

/* Writing. */

static void write_frame(const struct packet *p, const uint8_t *frame, uint32_t len, uint32_t missing)
{
    struct pcap_pkthdr header = {
        .ts = p->ts,
        .caplen = len < snap_len ? len : snap_len,
        .len = len + missing,
    };
    pcap_dump((u_char *)out, &header, frame);
}

/* write_ip writes network bytes behind an Ethernet header that may have tags. */
static void write_ip(const struct packet *p, uint16_t ether_type, const uint8_t *bytes,
                     uint32_t len, int num_tags)
{
    static uint8_t frame[MAX_PACKET];
    static const uint8_t macs[12] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
    uint32_t at = sizeof macs;
    memcpy(frame, macs, sizeof macs);
    for (int i = num_tags; i > 0; i--) {
        put16(frame + at, i > 1 ? 0x88a8 : 0x8100);
        put16(frame + at + 2, 100 + (uint32_t)i);
        at += 4;
    }
    put16(frame + at, ether_type);
    at += 2;
    if (len > sizeof frame - at)
        die("packet too large");
    memcpy(frame + at, bytes, len);
    write_frame(p, frame, at + len, p->wire_len - p->len);
}

static void write_plain(const struct packet *p)
{
    write_ip(p, p->ether_type, p->bytes, p->len, 0);
}

static uint32_t add_words(uint32_t sum, const uint8_t *bytes, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

/* set_sums sets the checksums of an IP packet with TCP. */
static void set_sums(uint8_t *bytes, uint32_t tcp_at, uint32_t len)
{
    const bool is_ip4 = bytes[0] >> 4 == 4;
    const uint8_t rest[] = {0, 6, (uint8_t)((len - tcp_at) >> 8), (uint8_t)(len - tcp_at)};
    if (is_ip4) {
        put16(bytes + 10, 0);
        put16(bytes + 10, add_words(0, bytes, tcp_at) ^ 0xffff);
    }
    put16(bytes + tcp_at + 16, 0);
    uint32_t sum = add_words(0, bytes + (is_ip4 ? 12 : 8), is_ip4 ? 8 : 32);
    sum = add_words(add_words(sum, rest, sizeof rest), bytes + tcp_at, len - tcp_at);
    put16(bytes + tcp_at + 16, sum ^ 0xffff);
}

/* write_segment writes p with other bytes of its stream. */
static void write_segment(const struct packet *p, uint32_t seq, uint8_t flags,
                          const uint8_t *payload, uint32_t len)
{
    static uint8_t bytes[MAX_PACKET];
    memcpy(bytes, p->bytes, p->payload_at);
    memcpy(bytes + p->payload_at, payload, len);
    len += p->payload_at;
    put32(bytes + p->tcp_at + 4, seq);
    bytes[p->tcp_at + 13] = flags;
    if (p->ether_type == ETHER_IP4) {
        put16(bytes + 2, len <= 0xffff ? len : 0);
    } else {
        put16(bytes + 4, len - 40 <= 0xffff ? len - 40 : 0);
    }
    set_sums(bytes, p->tcp_at, len);
    write_ip(p, p->ether_type, bytes, len, 0);
}

static uint32_t payload_len(const struct packet *p)
{
    return p->tcp ? p->len - p->payload_at : 0;
}

static uint32_t seq_of(const struct packet *p)
{
    return get32(p->bytes + p->tcp_at + 4);
}

static uint8_t flags_of(const struct packet *p)
{
    return p->bytes[p->tcp_at + 13];
}

/* The modes. Each gets the packets in turn. */

/* swap_next swaps a segment with the next one of its stream, as a network does, unless the peer
 * sent data in between. */
static void swap_next(size_t i)
{
    for (size_t j = i + 1; j < num_packets && j < i + 20; j++) {
        struct packet *p = &packets[i], *q = &packets[j];
        if (!q->tcp || payload_len(q) == 0)
            continue;
        if (q->stream == streams[p->stream].peer)
            return;
        if (q->stream != p->stream)
            continue;
        if ((q->ts.tv_sec - p->ts.tv_sec) * 1000000000L + q->ts.tv_usec - p->ts.tv_usec > 50000000)
            return;
        struct packet kept = *p;
        struct timeval first = p->ts, second = q->ts;
        *p = *q;
        *q = kept;
        p->ts = first;
        q->ts = second;
        return;
    }
}

static void mangle_reorder(size_t i)
{
    if (payload_len(&packets[i]) > 0 && counter++ % 2 == 0)
        swap_next(i);
    write_plain(&packets[i]);
}

/* mangle_shuffle shuffles the packets of each window of N; the times keep their order. */
static void mangle_shuffle(size_t i)
{
    static uint64_t state = 1;
    const size_t first = i - i % number;
    const size_t end = first + number < num_packets ? first + number : num_packets;
    for (size_t j = end - 1; i == first && j > first; j--) {
        state = state * 6364136223846793005 + 1442695040888963407;
        struct packet *p = &packets[j], *q = &packets[first + (state >> 33) % (j - first + 1)];
        const struct packet kept = *p;
        const struct timeval times[] = {p->ts, q->ts};
        *p = *q;
        *q = kept;
        p->ts = times[0];
        q->ts = times[1];
    }
    write_plain(&packets[i]);
}

static void mangle_duplicate(size_t i)
{
    write_plain(&packets[i]);
    if (packets[i].tcp)
        write_plain(&packets[i]);
    if (i >= 3 && i % 5 == 0 && payload_len(&packets[i - 3]) > 0)
        write_plain(&packets[i - 3]);
}

static void mangle_overlap(size_t i)
{
    const struct packet *p = &packets[i];
    uint32_t len = payload_len(p);
    if (len == 0) {
        write_plain(p);
        return;
    }
    struct stream *stream = &streams[p->stream];
    uint32_t back = stream->tail_end == seq_of(p) ? stream->tail_len : 0;
    static uint8_t bytes[MAX_PACKET];
    memcpy(bytes, stream->tail, back);
    memcpy(bytes + back, p->bytes + p->payload_at, len);
    write_segment(p, seq_of(p) - back, flags_of(p), bytes, back + len);
    stream->tail_len = back + len < TAIL_LEN ? back + len : TAIL_LEN;
    memcpy(stream->tail, bytes + back + len - stream->tail_len, stream->tail_len);
    stream->tail_end = seq_of(p) + len;
}

static void mangle_resegment(size_t i)
{
    static const uint32_t lens[] = {1, 2, 3, 5, 8, 13, 4, 100, 1, 1, 37, 1000};
    const struct packet *p = &packets[i];
    uint32_t len = payload_len(p);
    if (len == 0)
        write_plain(p);
    for (uint32_t at = 0, part; at < len; at += part) {
        part = lens[counter++ % (sizeof lens / sizeof lens[0])];
        if (len > 20000)
            part *= 50;
        if (part > len - at)
            part = len - at;
        uint8_t flags = flags_of(p);
        if (at + part < len)
            flags &= (uint8_t)~FIN;
        write_segment(p, seq_of(p) + at, flags, p->bytes + p->payload_at + at, part);
    }
}

/* mangle_wrap makes the sequence numbers of every stream wrap in its middle. */
static void mangle_wrap(size_t i)
{
    if (i == 0) {
        for (size_t j = 0; j < num_packets; j++) {
            const struct packet *p = &packets[j];
            if (!p->tcp || (flags_of(p) & 4) != 0)
                continue;
            struct stream *stream = &streams[p->stream];
            uint32_t end = seq_of(p) + payload_len(p);
            if (!stream->started)
                stream->first_seq = stream->max_seq = seq_of(p);
            stream->started = true;
            if ((int32_t)(end - stream->max_seq) > 0)
                stream->max_seq = end;
            stream->shift = 0 - (stream->first_seq + (stream->max_seq - stream->first_seq) / 2);
        }
    }
    struct packet *p = &packets[i];
    if (p->tcp) {
        uint8_t *tcp = p->bytes + p->tcp_at;
        const struct stream *stream = &streams[p->stream];
        put32(tcp + 4, get32(tcp + 4) + stream->shift);
        if ((flags_of(p) & ACK) != 0 && stream->peer >= 0)
            put32(tcp + 8, get32(tcp + 8) + streams[stream->peer].shift);
    }
    write_plain(p);
}

static void mangle_vlan(size_t i)
{
    write_ip(&packets[i], packets[i].ether_type, packets[i].bytes, packets[i].len, 1);
}

static void mangle_qinq(size_t i)
{
    write_ip(&packets[i], packets[i].ether_type, packets[i].bytes, packets[i].len, 2);
}

/* mangle_ipfrag sends every IPv4 packet in fragments, every second one with the last fragment first. */
static void mangle_ipfrag(size_t i)
{
    static uint8_t bytes[MAX_PACKET];
    const struct packet *p = &packets[i];
    if (!p->tcp || p->ether_type != ETHER_IP4) {
        write_plain(p);
        return;
    }
    uint32_t header_len = p->tcp_at, len = p->len - header_len;
    uint32_t part = len / 20 > 24 ? len / 20 / 8 * 8 : 24;
    uint32_t num = (len + part - 1) / part;
    counter++;
    for (uint32_t j = 0; j < num; j++) {
        uint32_t at = (counter % 2 == 0 ? num - 1 - j : j) * part;
        uint32_t this_len = at + part < len ? part : len - at;
        memcpy(bytes, p->bytes, header_len);
        memcpy(bytes + header_len, p->bytes + header_len + at, this_len);
        put16(bytes + 2, header_len + this_len);
        put16(bytes + 4, (uint32_t)counter);
        put16(bytes + 6, at / 8 | (at + this_len < len ? 0x2000u : 0));
        struct packet piece = *p;
        piece.wire_len = piece.len = header_len + this_len;
        write_ip(&piece, ETHER_IP4, bytes, piece.len, 0);
    }
}

/* mangle_ipv6 rewrites IPv4 as IPv6, sometimes with an extension header. */
static void mangle_ipv6(size_t i)
{
    static uint8_t bytes[MAX_PACKET];
    static const uint8_t prefix[12] = {0x20, 0x01, 0x0d, 0xb8};
    const struct packet *p = &packets[i];
    if (!p->tcp || p->ether_type != ETHER_IP4) {
        write_plain(p);
        return;
    }
    uint32_t more = counter++ % 3 == 0 ? 16 : 0;
    uint32_t len = more + p->len - p->tcp_at;
    memset(bytes, 0, 56);
    bytes[0] = 0x60;
    put16(bytes + 4, len <= 0xffff ? len : 0);
    bytes[6] = more != 0 ? 60 : 6; /* destination options */
    bytes[7] = 64;
    memcpy(bytes + 8, prefix, sizeof prefix);
    memcpy(bytes + 20, p->bytes + 12, 4);
    memcpy(bytes + 24, prefix, sizeof prefix);
    memcpy(bytes + 36, p->bytes + 16, 4);
    bytes[40] = 6;
    bytes[41] = 1;
    memcpy(bytes + 40 + more, p->bytes + p->tcp_at, p->len - p->tcp_at);
    write_ip(p, ETHER_IP6, bytes, 40 + len, 0);
}

/* write_inside writes a packet inside IPv4 and header. */
static void write_inside(const struct packet *p, uint8_t protocol, const uint8_t *header,
                         uint32_t header_len, bool ethernet)
{
    static uint8_t bytes[MAX_PACKET];
    uint32_t at = 20;
    memset(bytes, 0, at);
    bytes[0] = 0x45;
    bytes[8] = 64;
    bytes[9] = protocol;
    put32(bytes + 12, 0xc0a80001);
    put32(bytes + 16, 0xc0a80002);
    memcpy(bytes + at, header, header_len);
    at += header_len;
    if (ethernet) {
        memset(bytes + at, 0, 12);
        put16(bytes + at + 12, p->ether_type);
        at += 14;
    }
    memcpy(bytes + at, p->bytes, p->len);
    at += p->len;
    put16(bytes + 2, at <= 0xffff ? at : 0);
    write_ip(p, ETHER_IP4, bytes, at, 0);
}

static void mangle_gre(size_t i)
{
    const struct packet *p = &packets[i];
    bool ethernet = counter++ % 2 == 0;
    uint8_t header[16] = {0};
    put16(header, ethernet ? 0x3000 : 0xb000);
    put16(header + 2, ethernet ? 0x6558 : p->ether_type);
    write_inside(p, 47, header, ethernet ? 12 : 16, ethernet);
}

static void mangle_vxlan(size_t i)
{
    uint8_t header[16] = {0};
    put16(header, 50000);
    put16(header + 2, 4789);
    uint32_t len = packets[i].len + 14 + 16;
    put16(header + 4, len <= 0xffff ? len : 0);
    header[8] = 0x08;
    header[14] = 42;
    write_inside(&packets[i], 17, header, sizeof header, true);
}

/* mangle_geneve writes an Ethernet frame, or the IP packet alone, behind options of 0 to 3 words. */
static void mangle_geneve(size_t i)
{
    const struct packet *p = &packets[i];
    const bool ethernet = counter % 2 == 0;
    const uint32_t options = 4 * (uint32_t)(counter++ % 4), header_len = 16 + options;
    uint8_t header[32] = {0};
    put16(header, 50000);
    put16(header + 2, 6081);
    const uint32_t len = p->len + (ethernet ? 14 : 0) + header_len;
    put16(header + 4, len <= 0xffff ? len : 0);
    header[8] = (uint8_t)(options / 4);
    put16(header + 10, ethernet ? 0x6558 : p->ether_type);
    header[14] = 42;
    if (options != 0) { /* of an experimental class */
        put16(header + 16, 0xfff0);
        header[19] = (uint8_t)(options / 4 - 1);
    }
    write_inside(p, 17, header, header_len, ethernet);
}

/* put_erspan begins GRE with a sequence number, and writes the version, VLAN and session of ERSPAN. */
static void put_erspan(uint8_t *header, uint32_t ether_type, uint32_t version)
{
    put16(header, 0x1000);
    put16(header + 2, ether_type);
    put32(header + 4, (uint32_t)++counter);
    put32(header + 8, version << 28 | 0x00640007);
}

static void mangle_erspan2(size_t i)
{
    uint8_t header[16] = {0};
    put_erspan(header, 0x88be, 1);
    write_inside(&packets[i], 47, header, sizeof header, true);
}

/* mangle_erspan3: every second packet has a platform specific subheader. */
static void mangle_erspan3(size_t i)
{
    uint8_t header[28] = {0};
    put_erspan(header, 0x22eb, 2);
    const bool has_more = counter % 2 == 0;
    put16(header + 18, has_more);
    write_inside(&packets[i], 47, header, has_more ? 28 : 20, true);
}

/* write_link writes a packet behind a link layer that is not Ethernet. */
static void write_link(const struct packet *p, const uint8_t *header, uint32_t header_len)
{
    static uint8_t frame[MAX_PACKET];
    memcpy(frame, header, header_len);
    memcpy(frame + header_len, p->bytes, p->len);
    write_frame(p, frame, header_len + p->len, p->wire_len - p->len);
}

static void mangle_sll(size_t i)
{
    uint8_t header[16] = {0, 0, 0, 1, 0, 6, 2};
    put16(header + 14, packets[i].ether_type);
    write_link(&packets[i], header, sizeof header);
}

static void mangle_null(size_t i)
{
    const struct packet *p = &packets[i];
    uint8_t header[4] = {0};
    if (p->ether_type != ETHER_IP4 && p->ether_type != ETHER_IP6)
        return;
    header[counter++ % 2 == 0 ? 0 : 3] = p->ether_type == ETHER_IP4 ? 2 : 30;
    write_link(p, header, sizeof header);
}

static void mangle_raw(size_t i)
{
    const struct packet *p = &packets[i];
    if (p->ether_type == ETHER_IP4 || p->ether_type == ETHER_IP6)
        write_link(p, (const uint8_t *)"", 0);
}

static void mangle_snap(size_t i)
{
    snap_len = (uint32_t)number;
    write_plain(&packets[i]);
}

/* mangle_drop drops every Nth packet that carries data. */
static void mangle_drop(size_t i)
{
    if (payload_len(&packets[i]) == 0 || ++counter % number != 0)
        write_plain(&packets[i]);
}

/* mangle_late drops the first N packets. */
static void mangle_late(size_t i)
{
    if (i >= number)
        write_plain(&packets[i]);
}

/* mangle_half keeps one direction of each connection: from the lower port, or with N = 2 from the
 * higher one. */
static void mangle_half(size_t i)
{
    const struct packet *p = &packets[i];
    if (!p->tcp) {
        write_plain(p);
        return;
    }
    const uint8_t *ports = p->bytes + p->tcp_at;
    if ((memcmp(ports, ports + 2, 2) < 0) == (number == 1))
        write_plain(p);
}

/* mangle_noise replaces about one data byte in a thousand, others for another N: mostly with a byte
 * that means something in terms. */
static void mangle_noise(size_t i)
{
    static const uint8_t means[] = {0, 1, 2, 6, 16, 97, 98, 104, 106, 107, 108, 109, 119, 131, 255};
    static uint64_t state;
    const struct packet *p = &packets[i];
    state += number;
    for (uint32_t at = p->payload_at; p->tcp && at < p->len; at++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        if ((state >> 33) % 1000 == 0)
            p->bytes[at] = means[(state >> 50) % sizeof means];
    }
    write_plain(p);
}

static void mangle_none(size_t i)
{
    write_plain(&packets[i]);
}

static const struct mode {
    const char *name;
    int link_type;
    bool has_number;
    void (*mangle)(size_t i);
} modes[] = {
    {"none", DLT_EN10MB, false, mangle_none},
    {"reorder", DLT_EN10MB, false, mangle_reorder},
    {"shuffle", DLT_EN10MB, true, mangle_shuffle},
    {"duplicate", DLT_EN10MB, false, mangle_duplicate},
    {"overlap", DLT_EN10MB, false, mangle_overlap},
    {"resegment", DLT_EN10MB, false, mangle_resegment},
    {"wrap", DLT_EN10MB, false, mangle_wrap},
    {"vlan", DLT_EN10MB, false, mangle_vlan},
    {"qinq", DLT_EN10MB, false, mangle_qinq},
    {"ipfrag", DLT_EN10MB, false, mangle_ipfrag},
    {"ipv6", DLT_EN10MB, false, mangle_ipv6},
    {"gre", DLT_EN10MB, false, mangle_gre},
    {"vxlan", DLT_EN10MB, false, mangle_vxlan},
    {"geneve", DLT_EN10MB, false, mangle_geneve},
    {"erspan2", DLT_EN10MB, false, mangle_erspan2},
    {"erspan3", DLT_EN10MB, false, mangle_erspan3},
    {"sll", DLT_LINUX_SLL, false, mangle_sll},
    {"null", DLT_NULL, false, mangle_null},
    {"raw", DLT_RAW, false, mangle_raw},
    {"snap", DLT_EN10MB, true, mangle_snap},
    {"drop", DLT_EN10MB, true, mangle_drop},
    {"late", DLT_EN10MB, true, mangle_late},
    {"half", DLT_EN10MB, true, mangle_half},
    {"noise", DLT_EN10MB, true, mangle_noise},
};

static const struct mode *find_mode(const char *name)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE];
    const struct mode *mode = argc > 1 ? find_mode(argv[1]) : NULL;
    if (mode == NULL || argc != 4 + mode->has_number) {
        fprintf(stderr, "usage: mangle MODE [N] IN OUT\nmodes:");
        for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
            fprintf(stderr, " %s%s", modes[i].name, modes[i].has_number ? " N" : "");
        fprintf(stderr, "\n");
        return 2;
    }
    if (mode->has_number) {
        number = strtoul(argv[2], NULL, 10);
        if (number == 0)
            die("N must be a number above 0");
    }
    in = pcap_open_offline_with_tstamp_precision(argv[argc - 2], PCAP_TSTAMP_PRECISION_NANO, error);
    if (in == NULL)
        die(error);
    read_all();
    pcap_t *dead =
        pcap_open_dead_with_tstamp_precision(mode->link_type, 262144, PCAP_TSTAMP_PRECISION_NANO);
    out = dead != NULL ? pcap_dump_open(dead, argv[argc - 1]) : NULL;
    if (out == NULL)
        die(dead != NULL ? pcap_geterr(dead) : "out of memory");
    for (size_t i = 0; i < num_packets; i++)
        mode->mangle(i);
    if (pcap_dump_flush(out) != 0)
        die("cannot write");
    pcap_dump_close(out);
    pcap_close(dead);
    pcap_close(in);
    for (size_t i = 0; i < num_packets; i++)
        free(packets[i].bytes);
    free(packets);
    return 0;
}
