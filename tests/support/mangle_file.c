/* mangle_file.c - reads the packets of a capture, finds their TCP streams, and writes packets. */
#include "mangle.h"

struct packet *packets;
size_t num_packets;
struct stream streams[MAX_STREAMS];
static int num_streams;

pcap_t *in;
pcap_dumper_t *out;
uint32_t snap_len = 262144;

void die(const char *what)
{
    fprintf(stderr, "mangle: %s\n", what);
    exit(1);
}

uint16_t get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

uint32_t get32(const uint8_t *at)
{
    return (uint32_t)get16(at) << 16 | get16(at + 2);
}

void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

void put32(uint8_t *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value);
}

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

void read_all(void)
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

void write_frame(const struct packet *p, const uint8_t *frame, uint32_t len, uint32_t missing)
{
    struct pcap_pkthdr header = {
        .ts = p->ts,
        .caplen = len < snap_len ? len : snap_len,
        .len = len + missing,
    };
    pcap_dump((u_char *)out, &header, frame);
}

/* write_ip writes network bytes behind an Ethernet header that may have tags. */
void write_ip(const struct packet *p, uint16_t ether_type, const uint8_t *bytes,
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

void write_plain(const struct packet *p)
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
void set_sums(uint8_t *bytes, uint32_t tcp_at, uint32_t len)
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
void write_segment(const struct packet *p, uint32_t seq, uint8_t flags,
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

uint32_t payload_len(const struct packet *p)
{
    return p->tcp ? p->len - p->payload_at : 0;
}

uint32_t seq_of(const struct packet *p)
{
    return get32(p->bytes + p->tcp_at + 4);
}

uint8_t flags_of(const struct packet *p)
{
    return p->bytes[p->tcp_at + 13];
}
