/*
 * point_merge.c - see point_merge.h.
 *
 * Packets wait in the slots of a ring, and in a list in the order in which they will be shown. The
 * bytes of a packet are copied into its slot, whose memory is reused.
 *
 * The time at which the reference of a group saw a packet is certain: it is shown as it is. Packets
 * that only others saw are shown by their corrected clocks: their times are doubtful. A packet that
 * acknowledges another one comes after it; the doubtful one of the two is moved.
 */
#include "capture/point_merge.h"

#include "capture/dedup.h"
#include "capture/packet_id.h"

#include <stdlib.h>
#include <string.h>

enum {
    NUM_SLOTS = 4096,
    NUM_FLOWS = 1 << 14,
    MAX_CHAIN = 8,            /* a packet waits for one that waits for another, and so on */
    MAX_HELD = 8 * 1024 * 1024, /* bytes of all waiting packets */
    KEPT_SIZE = 2048            /* memory that a slot keeps for its next packet */
};
/* How much longer packets may have been on their way than the clocks say. */
static const int64_t SLACK_NS = 50000000;
static const int64_t MAX_WAIT_NS = 1000000000;

struct point_slot {
    struct ds_packet packet;
    uint8_t *bytes;
    size_t size; /* of bytes */
    struct packet_id id;
    bool has_id;
    bool shown;
    bool certain;                /* the reference of the group captured it at that time */
    struct point_slot *before, *after; /* in the order in which they will be shown */
};

/* point_flow remembers how much of each direction of a TCP connection has been shown. */
struct point_flow {
    uint64_t key;
    uint32_t end[2];
    bool known[2];
};

struct point_merge {
    const struct overlap_scan *survey;
    bool correct;
    bool drain; /* no packet waits any longer */
    int64_t wait_ns;
    bool any_cuts;
    struct dedup *dedup;
    uint64_t num_copies;
    struct point_slot slots[NUM_SLOTS]; /* waiting: [first, first + num), modulo NUM_SLOTS */
    size_t first, num;
    struct point_slot *next, *last; /* the packets that have not been shown */
    int64_t newest_ns;        /* time of the packet that came last */
    uint32_t first_number; /* number of packets put into slots before the first one */
    size_t held; /* bytes of the waiting packets */
    struct point_flow flows[NUM_FLOWS];
};

struct point_merge *point_merge_new(const struct overlap_scan *survey, bool correct)
{
    struct point_merge *points = calloc(1, sizeof *points);
    if (points == NULL)
        return NULL;
    points->dedup = dedup_new();
    if (points->dedup == NULL) {
        free(points);
        return NULL;
    }
    points->survey = survey;
    points->correct = correct;
    for (size_t i = 0; i < survey->num_points; i++) {
        const struct overlap_scan_point *p = &survey->points[i];
        if (p->group_size == 1)
            continue;
        double wait = 4 * p->uncertainty_ns + (double)SLACK_NS;
        int64_t wait_ns = wait < (double)MAX_WAIT_NS ? (int64_t)wait : MAX_WAIT_NS;
        points->wait_ns = wait_ns > points->wait_ns ? wait_ns : points->wait_ns;
        points->any_cuts |= p->cuts;
    }
    return points;
}

void point_merge_free(struct point_merge *points)
{
    if (points == NULL)
        return;
    for (size_t i = 0; i < NUM_SLOTS; i++)
        free(points->slots[i].bytes);
    dedup_free(points->dedup);
    free(points);
}

uint64_t point_merge_copies(const struct point_merge *points)
{
    return points->num_copies;
}

int64_t point_merge_time(const struct point_merge *points, size_t point, int64_t ts_ns)
{
    return points->correct ? overlap_scan_correct(points->survey, point, ts_ns) : ts_ns;
}

static struct point_slot *slot_at(struct point_merge *points, size_t i)
{
    return &points->slots[(points->first + i) % NUM_SLOTS];
}

/* leave removes a slot from the order. */
static void leave(struct point_merge *points, struct point_slot *slot)
{
    *(slot->before != NULL ? &slot->before->after : &points->next) = slot->after;
    *(slot->after != NULL ? &slot->after->before : &points->last) = slot->before;
}

/* enter inserts a slot after another one; NULL: at the beginning. */
static void enter(struct point_merge *points, struct point_slot *slot, struct point_slot *before)
{
    slot->before = before;
    slot->after = before != NULL ? before->after : points->next;
    *(before != NULL ? &before->after : &points->next) = slot;
    *(slot->after != NULL ? &slot->after->before : &points->last) = slot;
}

static struct point_flow *find_flow(struct point_merge *points, uint64_t key)
{
    struct point_flow *flow = &points->flows[key % NUM_FLOWS];
    if (flow->key != key)
        *flow = (struct point_flow){.key = key};
    return flow;
}

static void flow_advance(struct point_flow *flow, bool reverse, uint32_t end)
{
    if (!flow->known[reverse] || seq_is_after(end, flow->end[reverse]))
        flow->end[reverse] = end;
    flow->known[reverse] = true;
}

/* find_asked returns a waiting packet that id acknowledges and that has not been shown, or NULL. */
static struct point_slot *find_asked(struct point_merge *points, const struct packet_id *id)
{
    if (!id->has_ack)
        return NULL;
    const struct point_flow *flow = find_flow(points, id->flow);
    bool known = flow->known[!id->reverse];
    uint32_t shown = flow->end[!id->reverse];
    if (known && !seq_is_after(id->ack, shown))
        return NULL;
    for (struct point_slot *slot = points->next; slot != NULL; slot = slot->after) {
        if (!slot->has_id || slot->id.flow != id->flow || slot->id.reverse == id->reverse ||
            slot->id.seq == slot->id.end)
            continue;
        if (seq_is_after(id->ack, slot->id.seq) && (!known || seq_is_after(slot->id.end, shown)))
            return slot;
    }
    return NULL;
}

static void record_shown(struct point_merge *points, const struct point_slot *slot)
{
    if (!slot->has_id)
        return;
    struct point_flow *flow = find_flow(points, slot->id.flow);
    flow_advance(flow, slot->id.reverse, slot->id.end);
    if (slot->id.has_ack)
        flow_advance(flow, !slot->id.reverse, slot->id.ack);
}

/* release_shown frees the slots at the front whose packets have been shown. */
static void release_shown(struct point_merge *points)
{
    while (points->num != 0 && slot_at(points, 0)->shown) {
        struct point_slot *slot = slot_at(points, 0);
        points->held -= slot->packet.cap_len;
        if (slot->size > KEPT_SIZE) {
            free(slot->bytes);
            slot->bytes = NULL;
            slot->size = 0;
        }
        points->first = (points->first + 1) % NUM_SLOTS;
        points->first_number++;
        points->num--;
    }
}

/* raise moves a doubtful packet after the certain one that it acknowledges. */
static void raise(struct point_merge *points, struct point_slot *slot, struct point_slot *asked)
{
    leave(points, slot);
    enter(points, slot, asked);
    if (slot->packet.ts_ns < asked->packet.ts_ns)
        slot->packet.ts_ns = asked->packet.ts_ns;
}

/* lower moves a doubtful packet before the first one, which acknowledges it. */
static void lower(struct point_merge *points, struct point_slot *slot)
{
    const int64_t answered_ns = points->next->packet.ts_ns;
    leave(points, slot);
    enter(points, slot, NULL);
    if (slot->packet.ts_ns > answered_ns)
        slot->packet.ts_ns = answered_ns;
}

/* settle makes sure that the next packet does not acknowledge one that still waits. */
static void settle(struct point_merge *points)
{
    for (int i = 0; i < MAX_CHAIN && points->next->has_id; i++) {
        struct point_slot *asked = find_asked(points, &points->next->id);
        if (asked == NULL || (asked->certain && points->next->certain))
            break;
        if (asked->certain)
            raise(points, points->next, asked);
        else
            lower(points, asked);
    }
}

bool point_merge_pop(struct point_merge *points, struct ds_packet *packet)
{
    release_shown(points);
    if (points->num == 0)
        return false;
    if (!points->drain && points->num < NUM_SLOTS && points->held <= MAX_HELD &&
        points->newest_ns - points->next->packet.ts_ns <= points->wait_ns)
        return false;
    if (points->correct)
        settle(points);
    struct point_slot *next = points->next;
    leave(points, next);
    record_shown(points, next);
    next->shown = true;
    *packet = next->packet;
    return true;
}

/* keep copies the bytes of a packet into a slot. Returns false when memory ran out. */
static bool keep(struct point_slot *slot, const struct ds_packet *packet, const struct packet_id *id)
{
    if (slot->size < packet->cap_len) {
        uint8_t *bytes = realloc(slot->bytes, packet->cap_len);
        if (bytes == NULL)
            return false;
        slot->bytes = bytes;
        slot->size = packet->cap_len;
    }
    if (packet->cap_len != 0)
        memcpy(slot->bytes, packet->data, packet->cap_len);
    slot->packet = *packet;
    slot->packet.data = slot->bytes;
    slot->has_id = id != NULL;
    slot->shown = false;
    if (id != NULL) {
        slot->id = *id;
        slot->id.payload = NULL; /* the caller owned it */
    }
    return true;
}

/* fill_in replaces a truncated copy that still waits by a complete packet. */
static bool fill_in(struct point_merge *points, const struct ds_packet *packet,
                    const struct packet_id *id)
{
    for (size_t i = 0; i < points->num; i++) {
        struct point_slot *slot = slot_at(points, i);
        if (slot->shown || !slot->has_id || !slot->id.cut || slot->id.header != id->header)
            continue;
        struct ds_packet cut = slot->packet;
        if (!keep(slot, packet, id))
            return false;
        slot->packet.ts_ns = cut.ts_ns;
        points->held += packet->cap_len - cut.cap_len;
        return true;
    }
    return false;
}

/* make_certain changes a waiting packet, now that the first point has captured it as well: as if it had
 * come with this copy. */
static void make_certain(struct point_merge *points, struct point_slot *slot, int64_t ts_ns)
{
    if (slot->shown || slot->certain)
        return;
    slot->certain = true;
    slot->packet.ts_ns = ts_ns;
    leave(points, slot);
    enter(points, slot, points->last);
}

/* is_shown says whether another point has shown this packet (a hash of it). */
static bool is_shown(struct point_merge *points, size_t point, uint64_t packet, uint32_t *number)
{
    *number = points->first_number + (uint32_t)points->num;
    return dedup_is_copy(points->dedup, packet, point, number);
}

/* is_copy does the same for a packet with TCP. If packets may be truncated, a complete one counts both
 * as itself and as its truncated form. */
static bool is_copy(struct point_merge *points, size_t point, const struct ds_packet *packet,
                    const struct packet_id *id, uint32_t *number)
{
    uint64_t group = points->survey->points[point].group;
    uint64_t cut_key = hash_mix(id->header, ~group);
    bool copy =
        is_shown(points, point, id->cut ? cut_key : hash_mix(packet_id_content(id), group), number);
    if (!copy && !id->cut && points->any_cuts)
        copy = is_shown(points, point, cut_key, number) && fill_in(points, packet, id);
    return copy;
}

/* is_same_bytes does the same for a packet without TCP, which is only recognised if no router changed
 * it. */
static bool is_same_bytes(struct point_merge *points, size_t point, const struct ds_packet *packet,
                          uint32_t *number)
{
    uint64_t group = points->survey->points[point].group;
    uint64_t hash = hash_bytes(hash_mix(group, packet->len), packet->data, packet->cap_len);
    return is_shown(points, point, hash, number);
}

void point_merge_push(struct point_merge *points, size_t point, const struct ds_packet *packet)
{
    struct packet_id id;
    const bool is_made = packet->past.kind != DS_SNAPSHOT_NONE; /* not captured by any point */
    bool has_id = !is_made && packet_id_read(packet, &id);
    struct ds_packet now = *packet;
    now.ts_ns = point_merge_time(points, point, packet->ts_ns);
    release_shown(points);
    points->drain = false;
    points->newest_ns = now.ts_ns;
    const bool is_first = point == points->survey->points[point].group;
    uint32_t number = 0;
    if (points->survey->points[point].group_size > 1 && !is_made &&
        (has_id ? is_copy(points, point, &now, &id, &number)
                : is_same_bytes(points, point, &now, &number))) {
        points->num_copies++;
        const size_t at = number - points->first_number;
        if (is_first && at < points->num && points->correct)
            make_certain(points, slot_at(points, at), now.ts_ns);
        return;
    }
    struct point_slot *slot = slot_at(points, points->num++);
    if (!keep(slot, &now, has_id ? &id : NULL)) {
        slot->packet = now; /* borrowed: it is returned before the next call */
        slot->has_id = slot->shown = false;
        points->drain = true;
    }
    slot->certain = is_first;
    enter(points, slot, points->last);
    points->held += packet->cap_len;
}

void point_merge_end(struct point_merge *points)
{
    points->drain = true;
}
