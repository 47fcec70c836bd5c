/*
 * ip_fragments.c - IP reassembly (RFC 791, section 3.2; RFC 8200, section 4.5).
 *
 * A packet is identified by its addresses, its identification and, in IPv4, its protocol. Its
 * pieces are kept in order of offset. It is complete when the pieces reach the end announced by the
 * last fragment.
 *
 * Overlapping fragments are treated as by Linux (RFC 5722, for both versions of IP;
 * net/ipv4/inet_fragment.c): a fragment within the existing bytes is ignored; one that overlaps
 * them in part discards the packet, and so do bytes beyond the end, a second end and a fragment
 * without bytes. "Within the existing bytes" means within one run of pieces that came in order,
 * each at the end of all bytes before.
 */
#include "net/ip_fragments.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    NUM_BUCKETS = 256,
    MAX_PIECES = 1024, /* for one packet */
    MAX_LEN_4 = 65535 - 20, /* a packet with its header fits into 16 bits */
    MAX_LEN_6 = 65535,
};
#define TIMEOUT_NS (30 * INT64_C(1000000000))

struct piece {
    struct piece *next;
    uint32_t offset, len;
    bool goes_on; /* it continues the run of the previous piece */
    uint8_t bytes[];
};

struct fragment_key {
    uint32_t id;
    struct ds_addr src, dst;
    uint8_t protocol; /* 0 for IPv6 */
    uint8_t zero;
};
_Static_assert(sizeof(struct fragment_key) == 40, "no padding: it is hashed and compared as bytes");

struct assembly {
    struct fragment_key key;
    uint64_t number; /* from 1 */
    uint32_t bucket;
    struct assembly *chain;         /* the next one in the same bucket */
    struct assembly *older, *newer; /* by first fragment; newer also links the finished ones */
    int64_t first_ns;
    uint8_t protocol; /* as in the first fragment */
    bool end_known;
    uint32_t end;  /* of the whole packet, if known; until then, of the last piece */
    uint32_t have; /* bytes of all pieces */
    uint32_t num_pieces;
    uint64_t charged;
    struct piece *pieces;
    uint8_t *whole;
};

struct ip_fragments {
    struct memcap *memcap;
    uint64_t max_packets, *hits;
    uint64_t *num_ignored, *num_discarded, uncounted;
    uint64_t num_packets;
    uint64_t num_begun, last; /* numbers */
    struct assembly *oldest, *newest;
    struct assembly *done;
    struct assembly *buckets[NUM_BUCKETS];
};

struct ip_fragments *ip_fragments_new(struct memcap *memcap, uint64_t max_packets, uint64_t *hits)
{
    struct ip_fragments *fragments = calloc(1, sizeof *fragments);
    if (fragments != NULL) {
        fragments->memcap = memcap;
        fragments->max_packets = max_packets;
        fragments->hits = hits;
        fragments->num_ignored = fragments->num_discarded = &fragments->uncounted;
    }
    return fragments;
}

void ip_fragments_count(struct ip_fragments *fragments, uint64_t *num_ignored, uint64_t *num_discarded)
{
    fragments->num_ignored = num_ignored;
    fragments->num_discarded = num_discarded;
}

static void free_pieces(struct assembly *assembly)
{
    struct piece *next;
    for (struct piece *piece = assembly->pieces; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
    }
    assembly->pieces = NULL;
}

static void free_assembly(struct ip_fragments *fragments, struct assembly *assembly)
{
    free_pieces(assembly);
    memcap_release(fragments->memcap, assembly->charged);
    free(assembly->whole);
    free(assembly);
}

static void unlink_assembly(struct ip_fragments *fragments, struct assembly *assembly)
{
    struct assembly **at = &fragments->buckets[assembly->bucket];
    while (*at != assembly)
        at = &(*at)->chain;
    *at = assembly->chain;
    *(assembly->older != NULL ? &assembly->older->newer : &fragments->oldest) = assembly->newer;
    *(assembly->newer != NULL ? &assembly->newer->older : &fragments->newest) = assembly->older;
    fragments->num_packets--;
}

static void drop_assembly(struct ip_fragments *fragments, struct assembly *assembly)
{
    unlink_assembly(fragments, assembly);
    free_assembly(fragments, assembly);
}

uint64_t ip_fragments_last(const struct ip_fragments *fragments)
{
    return fragments->last;
}

void ip_fragments_release(struct ip_fragments *fragments)
{
    fragments->last = 0;
    while (fragments->done != NULL) {
        struct assembly *assembly = fragments->done;
        fragments->done = assembly->newer;
        free_assembly(fragments, assembly);
    }
}

void ip_fragments_free(struct ip_fragments *fragments)
{
    if (fragments == NULL)
        return;
    ip_fragments_release(fragments);
    while (fragments->oldest != NULL)
        drop_assembly(fragments, fragments->oldest);
    free(fragments);
}

/* charge charges len bytes for assembly to the memory cap, and evicts older packets if necessary. */
static bool charge(struct ip_fragments *fragments, struct assembly *assembly, uint64_t len)
{
    while (!memcap_reserve(fragments->memcap, len)) {
        if (fragments->oldest == NULL || fragments->oldest == assembly)
            return false;
        drop_assembly(fragments, fragments->oldest);
    }
    assembly->charged += len;
    return true;
}

static void drop_expired(struct ip_fragments *fragments, int64_t now_ns)
{
    while (fragments->oldest != NULL && now_ns > fragments->oldest->first_ns &&
           (uint64_t)now_ns - (uint64_t)fragments->oldest->first_ns > TIMEOUT_NS)
        drop_assembly(fragments, fragments->oldest);
}

/* find_assembly returns the packet that ip is a fragment of, a new one if necessary. */
static struct assembly *find_assembly(struct ip_fragments *fragments, int64_t now_ns,
                                      const struct ip_packet *ip)
{
    struct fragment_key key = {
        .id = ip->id,
        .src = *ip->src,
        .dst = *ip->dst,
        .protocol = ip->version == 4 ? ip->protocol : 0,
    };
    uint32_t bucket = XXH3_64bits(&key, sizeof key) % NUM_BUCKETS;
    struct assembly *assembly = fragments->buckets[bucket];
    while (assembly != NULL && memcmp(&assembly->key, &key, sizeof key) != 0)
        assembly = assembly->chain;
    if (assembly != NULL)
        return assembly;

    if (fragments->num_packets >= fragments->max_packets) {
        ++*fragments->hits;
        if (fragments->oldest == NULL)
            return NULL;
        drop_assembly(fragments, fragments->oldest);
    }
    assembly = malloc(sizeof *assembly);
    if (assembly == NULL)
        return NULL;
    *assembly = (struct assembly){
        .key = key,
        .number = ++fragments->num_begun,
        .bucket = bucket,
        .first_ns = now_ns,
        .protocol = ip->protocol,
    };
    if (!charge(fragments, assembly, sizeof *assembly)) {
        free(assembly);
        return NULL;
    }
    assembly->chain = fragments->buckets[bucket];
    fragments->buckets[bucket] = assembly;
    assembly->older = fragments->newest;
    *(fragments->newest != NULL ? &fragments->newest->newer : &fragments->oldest) = assembly;
    fragments->newest = assembly;
    fragments->num_packets++;
    return assembly;
}

/* add_piece keeps a copy of bytes, which belong at offset, and inserts it at at. */
static bool add_piece(struct ip_fragments *fragments, struct assembly *assembly, struct piece **at,
                      bool goes_on, uint32_t offset, struct cursor bytes)
{
    uint32_t len = (uint32_t)cursor_left(&bytes);
    if (assembly->num_pieces == MAX_PIECES ||
        !charge(fragments, assembly, sizeof(struct piece) + len))
        return false;
    struct piece *piece = malloc(sizeof *piece + len);
    if (piece == NULL || !cursor_read_bytes(&bytes, piece->bytes, len)) {
        free(piece);
        return false;
    }
    piece->offset = offset;
    piece->len = len;
    piece->goes_on = goes_on;
    piece->next = *at;
    *at = piece;
    assembly->num_pieces++;
    assembly->have += len;
    return true;
}

/* The effect of a fragment on itself or its packet. */
enum fragment_fate { FRAGMENT_ADDED, FRAGMENT_IGNORED, FRAGMENT_DISCARDS, FRAGMENT_NO_ROOM };

/* add_fragment adds bytes where there are none yet. */
static enum fragment_fate add_fragment(struct ip_fragments *fragments, struct assembly *assembly,
                                       uint32_t offset, struct cursor bytes)
{
    const uint32_t end = offset + (uint32_t)cursor_left(&bytes);
    struct piece **at = &assembly->pieces;
    const struct piece *before = NULL;
    while (*at != NULL && (*at)->offset + (*at)->len <= offset) {
        before = *at;
        at = &(*at)->next;
    }
    if (*at == NULL || end <= (*at)->offset) {
        const bool goes_on =
            *at == NULL && before != NULL && before->offset + before->len == offset;
        return add_piece(fragments, assembly, at, goes_on, offset, bytes) ? FRAGMENT_ADDED
                                                                          : FRAGMENT_NO_ROOM;
    }
    const struct piece *last = *at; /* of the run */
    while (last->next != NULL && last->next->goes_on)
        last = last->next;
    return offset >= (*at)->offset && end <= last->offset + last->len ? FRAGMENT_IGNORED
                                                                      : FRAGMENT_DISCARDS;
}

/* record_end records the end that a fragment implies. False if it contradicts earlier ones. */
static bool record_end(struct assembly *assembly, bool is_last, uint32_t end)
{
    const bool fits = is_last ? end >= assembly->end && !(assembly->end_known && end != assembly->end)
                              : end <= assembly->end || !assembly->end_known;
    if (is_last)
        assembly->end_known = true;
    if (end > assembly->end)
        assembly->end = end;
    return fits;
}

/* finish concatenates the pieces. */
static bool finish(struct ip_fragments *fragments, struct assembly *assembly)
{
    if (!charge(fragments, assembly, assembly->end))
        return false;
    assembly->whole = malloc(assembly->end != 0 ? assembly->end : 1);
    if (assembly->whole == NULL)
        return false;
    for (const struct piece *piece = assembly->pieces; piece != NULL; piece = piece->next)
        memcpy(assembly->whole + piece->offset, piece->bytes, piece->len);
    free_pieces(assembly);
    return true;
}

/* discard drops a packet because of an invalid fragment. */
static enum packet_status discard(struct ip_fragments *fragments, struct assembly *assembly)
{
    ++*fragments->num_discarded;
    drop_assembly(fragments, assembly);
    return PACKET_HELD;
}

enum packet_status ip_fragments_add(struct ip_fragments *fragments, int64_t now_ns,
                                    struct ip_packet *ip, struct span *at)
{
    uint32_t len = (uint32_t)cursor_left(&at->bytes);
    if (at->cut != 0)
        return PACKET_TRUNCATED;
    if (ip->more_fragments && len % 8 != 0) {
        if (ip->version != 4)
            return PACKET_MALFORMED;
        len -= len % 8; /* ignore the rest */
        at->bytes = cursor_first(at->bytes, len);
    }
    drop_expired(fragments, now_ns);
    struct assembly *assembly = find_assembly(fragments, now_ns, ip);
    if (assembly == NULL)
        return PACKET_HELD;
    fragments->last = assembly->number;
    const uint32_t end = ip->offset + len;
    if (len == 0 || end > (ip->version == 4 ? MAX_LEN_4 : MAX_LEN_6) ||
        !record_end(assembly, !ip->more_fragments, end))
        return discard(fragments, assembly);
    switch (add_fragment(fragments, assembly, ip->offset, at->bytes)) {
    case FRAGMENT_ADDED:
        if (ip->offset == 0)
            assembly->protocol = ip->protocol;
        break;
    case FRAGMENT_IGNORED:
        ++*fragments->num_ignored;
        return PACKET_HELD;
    case FRAGMENT_DISCARDS:
        return discard(fragments, assembly);
    case FRAGMENT_NO_ROOM:
        drop_assembly(fragments, assembly);
        return PACKET_HELD;
    }
    if (!assembly->end_known || assembly->have < assembly->end)
        return PACKET_HELD;
    if (!finish(fragments, assembly)) {
        drop_assembly(fragments, assembly);
        return PACKET_HELD;
    }
    unlink_assembly(fragments, assembly);
    assembly->newer = fragments->done;
    fragments->done = assembly;
    ip->fragment = false;
    ip->protocol = assembly->protocol;
    *at = (struct span){cursor_make(assembly->whole, assembly->end), 0, at->is_to_group};
    return PACKET_SEGMENT;
}
