/* mangle_headers.c - modes of mangle that change or add headers: VLAN tags, fragments, IPv6, tunnels, and link layers
 * that are not Ethernet. */
#include "mangle.h"

void mangle_vlan(size_t i)
{
    write_ip(&packets[i], packets[i].ether_type, packets[i].bytes, packets[i].len, 1);
}

void mangle_qinq(size_t i)
{
    write_ip(&packets[i], packets[i].ether_type, packets[i].bytes, packets[i].len, 2);
}

/* mangle_ipfrag sends every IPv4 packet in fragments, every second one with the last fragment first. */
void mangle_ipfrag(size_t i)
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
void mangle_ipv6(size_t i)
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
    bytes[42] = 0x1e; /* an experimental option that hosts skip; Linux takes at most 7 bytes of padding */
    bytes[43] = 12;
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

void mangle_gre(size_t i)
{
    const struct packet *p = &packets[i];
    bool ethernet = counter++ % 2 == 0;
    uint8_t header[16] = {0};
    put16(header, ethernet ? 0x3000 : 0xb000);
    put16(header + 2, ethernet ? 0x6558 : p->ether_type);
    write_inside(p, 47, header, ethernet ? 12 : 16, ethernet);
}

void mangle_vxlan(size_t i)
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
void mangle_geneve(size_t i)
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

void mangle_erspan2(size_t i)
{
    uint8_t header[16] = {0};
    put_erspan(header, 0x88be, 1);
    write_inside(&packets[i], 47, header, sizeof header, true);
}

/* mangle_erspan3: every second packet has a platform specific subheader. */
void mangle_erspan3(size_t i)
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

void mangle_sll(size_t i)
{
    uint8_t header[16] = {0, 0, 0, 1, 0, 6, 2};
    put16(header + 14, packets[i].ether_type);
    write_link(&packets[i], header, sizeof header);
}

void mangle_null(size_t i)
{
    const struct packet *p = &packets[i];
    uint8_t header[4] = {0};
    if (p->ether_type != ETHER_IP4 && p->ether_type != ETHER_IP6)
        return;
    header[counter++ % 2 == 0 ? 0 : 3] = p->ether_type == ETHER_IP4 ? 2 : 30;
    write_link(p, header, sizeof header);
}

void mangle_raw(size_t i)
{
    const struct packet *p = &packets[i];
    if (p->ether_type == ETHER_IP4 || p->ether_type == ETHER_IP6)
        write_link(p, (const uint8_t *)"", 0);
}
