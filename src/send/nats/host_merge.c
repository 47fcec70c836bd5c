/*
 * host_merge.c - see host_merge.h. Each host has a list of its packets in time order. Nearly all
 * are appended: the place of a packet is searched from the end.
 */
#include "send/nats/host_merge.h"

#include "send/nats/packet_json.h"

#include <stdlib.h>
#include <string.h>

#define PART_NS (30 * INT64_C(1000000000)) /* behind_ns is the minimum over such a period */
#define MOST_SPREAD_NS (60 * INT64_C(1000000000))
/* The merge waits for a host that catches up as long as its packets come; they may pause for this
 * long. */
#define PAUSE_NS (5 * INT64_C(1000000000))
/* What was captured up to this time before the servers stored anything last may not be stored. */
#define UNSTORED_NS INT64_C(1000000000)
/* Within this time hosts reconnect to servers that are back (back_off.h). */
#define BACK_NS (20 * INT64_C(1000000000))
/* A publisher sends again what was not acknowledged for four seconds (nats_send_loop.c): a packet that
 * is missing between others comes within this time after them, or never. */
#define GAP_NS (5 * INT64_C(1000000000))

/* A reader that has not checked for this long was held up, and cannot know which hosts were silent. */
#define HELD_UP_NS (2 * INT64_C(1000000000))

enum { MOST_STEPS = 4096 }; /* by which a packet may be out of order in its host's list; more is late */

#define NONE SIZE_MAX

struct waiting_packet {
    struct waiting_packet *before, *after;
    struct ds_packet packet; /* its data is in bytes */
    int64_t arrived_ns, stored_ns;
    int64_t ahead_ns; /* by how much its time is after the servers' time */
    uint8_t bytes[];
};

struct merged_host {
    struct host_merge_host told;
    struct waiting_packet *first, *last;
    int64_t part_ns; /* when the present period began, monotonic */
    int64_t least_ns,
        least_before_ns; /* how far its packets were behind, in this period and the one before */
    bool is_behind; /* the latest one is behind by more than that and lateness_ns; later, half of it */
    int64_t heard_ns;    /* when its latest packet arrived, even if it was dropped */
    uint64_t top_frame;   /* the highest number that has come */
    uint64_t next_frame;  /* if packets are missing, the first of them may have this number ... */
    uint64_t num_missing; /* ... and so many have not come */
    int64_t whole_ns;     /* time of the latest packet before the first of them */
    int64_t gap_ns;       /* when one of them came, or was noticed to be missing: monotonic ... */
    int64_t gap_stored_ns; /* ... and by the servers' time */
    bool silence_told;   /* the value of told.is_silent that was reported last */
};

struct host_merge {
    struct host_merge_config config;
    struct merged_host hosts[HOST_MERGE_HOSTS];
    size_t num_hosts;
    size_t num_bytes;
    int64_t given_ns; /* time of the packet that was passed on last */
    int64_t
        stored_ns; /* the latest of all packets: old records are read faster than they came */
    int64_t back_ns; /* when the servers came back, monotonic */
    int64_t begun_ns, begun_stored_ns; /* when the first packet came, monotonic, and was stored */
    int64_t looked_ns, looks_since_ns; /* when silence was checked: last, and since when regularly */
    bool has_given, was_full, was_away;
    struct waiting_packet *given;
};

struct host_merge *host_merge_new(const struct host_merge_config *config)
{
    struct host_merge *merge = calloc(1, sizeof *merge);
    if (merge != NULL)
        merge->config = *config;
    return merge;
}

void host_merge_free(struct host_merge *merge)
{
    if (merge == NULL)
        return;
    for (size_t i = 0; i < merge->num_hosts; i++) {
        for (struct waiting_packet *one = merge->hosts[i].first, *next; one != NULL; one = next) {
            next = one->after;
            free(one);
        }
    }
    free(merge->given);
    free(merge);
}

static struct merged_host *find_host(struct host_merge *merge, struct ds_text name, int64_t now_ns)
{
    for (size_t i = 0; i < merge->num_hosts; i++) {
        struct merged_host *host = &merge->hosts[i];
        if (strlen(host->told.name) == name.len && memcmp(host->told.name, name.data, name.len) == 0)
            return host;
    }
    if (merge->num_hosts == HOST_MERGE_HOSTS || name.len >= HOST_MERGE_NAME)
        return NULL;
    struct merged_host *host = &merge->hosts[merge->num_hosts++];
    if (merge->num_hosts == 1)
        merge->begun_ns = now_ns;
    memcpy(host->told.name, name.data, name.len);
    return host;
}

/* note_behind records how far a packet was behind the servers' clock. */
static void note_behind(struct merged_host *host, int64_t behind_ns, int64_t now_ns)
{
    const bool is_first = host->told.num_packets == 0;
    if (is_first || now_ns - host->part_ns >= PART_NS) {
        host->least_before_ns =
            is_first || now_ns - host->part_ns >= 2 * PART_NS ? behind_ns : host->least_ns;
        host->least_ns = behind_ns;
        host->part_ns = now_ns;
    }
    if (behind_ns < host->least_ns)
        host->least_ns = behind_ns;
    host->told.behind_ns =
        host->least_ns < host->least_before_ns ? host->least_ns : host->least_before_ns;
}

/* misses says whether a packet of this host may still come that is older than its latest ones. */
static bool misses(const struct host_merge *merge, const struct merged_host *host, int64_t now_ns)
{
    const int64_t wait_ns = GAP_NS + merge->config.lateness_ns;
    return host->num_missing != 0 && now_ns - host->gap_ns < wait_ns &&
           merge->stored_ns - host->gap_stored_ns < wait_ns;
}

/* note_latest records how far the latest packet of a host was behind. */
static void note_latest(const struct host_merge *merge, struct merged_host *host, int64_t behind_ns)
{
    const int64_t lateness_ns = merge->config.lateness_ns;
    int64_t more_ns;
    if (__builtin_sub_overflow(behind_ns, host->told.behind_ns, &more_ns))
        more_ns = INT64_MAX;
    host->is_behind = more_ns > (host->is_behind ? lateness_ns / 2 : lateness_ns);
}

/* note_frame records which packets of a host are missing. Frame numbers of a live capture are
 * consecutive, and begin anew with each run. */
static void note_frame(const struct host_merge *merge, struct merged_host *host,
                       const struct waiting_packet *one, int64_t now_ns)
{
    const uint64_t frame = one->packet.frame;
    const bool is_later = host->told.num_packets == 0 || one->packet.ts_ns > host->told.last_ns;
    const bool is_behind_gap = frame > host->top_frame + 1;
    if (one->packet.past.kind != DS_SNAPSHOT_NONE)
        return;
    if (!misses(merge, host, now_ns))
        host->num_missing = 0;
    if (host->num_missing == 0)
        host->next_frame = host->top_frame + 1;
    if (host->told.num_packets == 0 || (frame < host->next_frame && is_later)) {
        host->num_missing = 0;
        host->top_frame = frame;
    } else if (frame > host->top_frame) {
        if (host->num_missing == 0)
            host->whole_ns = host->told.last_ns;
        host->num_missing += frame - host->top_frame - 1;
        host->top_frame = frame;
    } else if (frame >= host->next_frame && host->num_missing != 0) {
        host->num_missing--;
    } else {
        return;
    }
    if (is_behind_gap || frame < host->top_frame) {
        host->gap_ns = now_ns;
        host->gap_stored_ns = one->stored_ns;
    }
}

enum host_place { PLACE_FREE, PLACE_COPY, PLACE_FAR };

/* find_place finds the packet that another one follows, NULL: it goes first. */
static enum host_place find_place(const struct merged_host *host, const struct ds_packet *packet,
                                  struct waiting_packet **before)
{
    const uint64_t order = packet_json_order(packet);
    struct waiting_packet *at = host->last;
    int steps = 0;
    while (at != NULL && steps < MOST_STEPS &&
           (at->packet.ts_ns > packet->ts_ns ||
            (at->packet.ts_ns == packet->ts_ns && packet_json_order(&at->packet) > order))) {
        at = at->before;
        steps++;
    }
    *before = at;
    if (at != NULL && at->packet.ts_ns == packet->ts_ns && packet_json_order(&at->packet) == order &&
        packet->past.kind == DS_SNAPSHOT_NONE)
        return PLACE_COPY;
    return steps == MOST_STEPS ? PLACE_FAR : PLACE_FREE;
}

static void put(struct merged_host *host, struct waiting_packet *one, struct waiting_packet *before)
{
    one->before = before;
    one->after = before != NULL ? before->after : host->first;
    *(before != NULL ? &before->after : &host->first) = one;
    *(one->after != NULL ? &one->after->before : &host->last) = one;
}

/* keep copies a packet. False if memory ran out. */
static bool keep(struct host_merge *merge, struct merged_host *host, const struct waiting_packet *of,
                 struct waiting_packet *before)
{
    struct waiting_packet *one = malloc(sizeof *one + of->packet.cap_len);
    if (one == NULL)
        return false;
    *one = *of;
    one->packet.data = one->bytes;
    if (of->packet.cap_len != 0)
        memcpy(one->bytes, of->packet.data, of->packet.cap_len);
    put(host, one, before);
    merge->num_bytes += sizeof *one + of->packet.cap_len;
    return true;
}

void host_merge_outage(struct host_merge *merge, int64_t now_ns)
{
    merge->was_away = true;
    merge->back_ns = now_ns;
}

/* is_from_outage says whether a packet shows that servers were away: that is known here before the client
 * library notices. It was captured while they stored nothing of any host. */
static bool is_from_outage(const struct host_merge *merge, const struct merged_host *host,
                           const struct waiting_packet *one, int64_t behind_ns)
{
    int64_t more_ns;
    return host->told.num_packets != 0 &&
           !__builtin_sub_overflow(behind_ns, host->told.behind_ns, &more_ns) &&
           more_ns > merge->config.lateness_ns &&
           one->stored_ns - merge->stored_ns > merge->config.lateness_ns &&
           one->stored_ns - more_ns > merge->stored_ns - UNSTORED_NS;
}

enum host_merge_result host_merge_add(struct host_merge *merge, struct ds_text name,
                                      const struct ds_packet *packet, int64_t stored_ns, int64_t now_ns,
                                      size_t *number)
{
    struct waiting_packet one = {
        .packet = *packet, .arrived_ns = now_ns, .stored_ns = stored_ns > 0 ? stored_ns : 0};
    int64_t behind_ns;
    struct waiting_packet *before;
    struct merged_host *host = find_host(merge, name, now_ns);
    if (host == NULL)
        return HOST_MERGE_MANY_HOSTS;
    *number = (size_t)(host - merge->hosts);
    host->heard_ns = now_ns;
    host->told.is_silent = false;
    if (__builtin_sub_overflow(one.stored_ns, packet->ts_ns, &behind_ns))
        behind_ns = INT64_MAX; /* before all times */
    if (behind_ns < -MOST_SPREAD_NS)
        return HOST_MERGE_AHEAD;
    one.ahead_ns = behind_ns < 0 ? -behind_ns : 0;
    if (is_from_outage(merge, host, &one, behind_ns))
        host_merge_outage(merge, now_ns);
    const enum host_place place = find_place(host, packet, &before);
    if (place == PLACE_COPY)
        return HOST_MERGE_COPY;
    note_frame(merge, host, &one, now_ns);
    if (merge->has_given && packet->ts_ns < merge->given_ns) {
        if (__builtin_sub_overflow(merge->given_ns, packet->ts_ns, &host->told.late_ns))
            host->told.late_ns = INT64_MAX;
        return HOST_MERGE_LATE;
    }
    if (place == PLACE_FAR)
        return HOST_MERGE_FAR;
    if (merge->begun_stored_ns == 0)
        merge->begun_stored_ns = one.stored_ns;
    if (!keep(merge, host, &one, before))
        return HOST_MERGE_NO_MEMORY;
    note_behind(host, behind_ns, now_ns);
    host->told.arrived_ns = now_ns;
    if (host->told.num_packets == 0 || packet->ts_ns > host->told.last_ns) {
        host->told.last_ns = packet->ts_ns;
        note_latest(merge, host, behind_ns);
    }
    host->told.num_packets++;
    if (one.stored_ns > merge->stored_ns)
        merge->stored_ns = one.stored_ns;
    return HOST_MERGE_TAKEN;
}

/* patience_of returns how long a packet waits for other hosts. Hosts that have sent nothing for a
 * minute do not count. */
static int64_t patience_of(const struct host_merge *merge, int64_t now_ns)
{
    int64_t least = INT64_MAX, most = INT64_MIN, spread;
    size_t num = 0;
    for (size_t i = 0; i < merge->num_hosts; i++) {
        const struct host_merge_host *told = &merge->hosts[i].told;
        const int64_t behind_ns = told->behind_ns;
        if (told->num_packets == 0 || now_ns - told->arrived_ns >= 2 * PART_NS)
            continue;
        num++;
        least = behind_ns < least ? behind_ns : least;
        most = behind_ns > most ? behind_ns : most;
    }
    if (num < 2)
        return merge->config.lateness_ns;
    if (__builtin_sub_overflow(most, least, &spread) || spread > MOST_SPREAD_NS)
        spread = MOST_SPREAD_NS;
    return merge->config.lateness_ns + spread;
}

/* find_oldest returns the number of the host whose next packet is the oldest, NONE: no packet waits. */
static size_t find_oldest(const struct host_merge *merge)
{
    size_t oldest = NONE;
    for (size_t i = 0; i < merge->num_hosts; i++) {
        const struct waiting_packet *first = merge->hosts[i].first;
        if (first != NULL &&
            (oldest == NONE || first->packet.ts_ns < merge->hosts[oldest].first->packet.ts_ns))
            oldest = i;
    }
    return oldest;
}

/* have_all_passed says whether every host has sent all up to something later than a time. */
static bool have_all_passed(const struct host_merge *merge, int64_t ts_ns, int64_t now_ns)
{
    if (now_ns - merge->begun_ns < merge->config.begin_ns &&
        merge->stored_ns - merge->begun_stored_ns < merge->config.begin_ns)
        return false;
    for (size_t i = 0; i < merge->num_hosts; i++) {
        const struct merged_host *host = &merge->hosts[i];
        if (host->told.last_ns <= ts_ns ||
            (misses(merge, host, now_ns) && host->whole_ns < ts_ns))
            return false;
    }
    return true;
}

/* has_waited says whether a packet has waited this long: older ones go first, and wait no longer. A
 * packet whose time is ahead also waits until then; otherwise packets of other hosts would be late. */
static bool has_waited(const struct host_merge *merge, int64_t patience_ns, int64_t now_ns)
{
    for (size_t i = 0; i < merge->num_hosts; i++) {
        const struct waiting_packet *first = merge->hosts[i].first;
        if (first == NULL)
            continue;
        const int64_t until_ns = patience_ns + first->ahead_ns;
        if (now_ns - first->arrived_ns >= until_ns || merge->stored_ns - first->stored_ns >= until_ns)
            return true;
    }
    return false;
}

/* catches_up says whether packets of this host are still to come that are older than the latest
 * ones of others: it publishes a backlog, or has not reconnected to servers that were away. */
static bool catches_up(const struct host_merge *merge, const struct merged_host *host, int64_t now_ns)
{
    const int64_t quiet_ns = now_ns - host->told.arrived_ns;
    if (host->told.num_packets == 0)
        return false;
    if (merge->was_away && host->told.arrived_ns < merge->back_ns)
        return now_ns - merge->back_ns < BACK_NS && quiet_ns < 2 * PART_NS;
    return quiet_ns < PAUSE_NS && host->is_behind;
}

/* is_early says whether a packet waits longer: for packets that are missing between later ones, or for
 * other hosts that catch up. */
static bool is_early(const struct host_merge *merge, size_t number, const struct waiting_packet *one,
                     int64_t now_ns)
{
    if (now_ns - one->arrived_ns >= MOST_SPREAD_NS)
        return false;
    for (size_t i = 0; i < merge->num_hosts; i++) {
        const struct merged_host *host = &merge->hosts[i];
        if (misses(merge, host, now_ns) && host->whole_ns < one->packet.ts_ns)
            return true;
        if (i != number && host->told.last_ns <= one->packet.ts_ns && catches_up(merge, host, now_ns))
            return true;
    }
    return false;
}

/* has_fallen_silent says whether this host has. newest_ns: when the latest packet of any host
 * arrived. */
static bool has_fallen_silent(const struct host_merge *merge, const struct merged_host *host,
                              int64_t now_ns, int64_t newest_ns)
{
    const int64_t silence_ns = merge->config.silence_ns;
    const int64_t since_ns =
        host->heard_ns > merge->looks_since_ns ? host->heard_ns : merge->looks_since_ns;
    return host->told.num_packets != 0 && now_ns - since_ns >= silence_ns &&
           now_ns - newest_ns < silence_ns / 2;
}

bool host_merge_silence(struct host_merge *merge, int64_t now_ns, size_t *number)
{
    int64_t newest_ns = INT64_MIN;
    if (now_ns - merge->looked_ns > HELD_UP_NS)
        merge->looks_since_ns = now_ns;
    merge->looked_ns = now_ns;
    for (size_t i = 0; i < merge->num_hosts; i++)
        newest_ns = merge->hosts[i].heard_ns > newest_ns ? merge->hosts[i].heard_ns : newest_ns;
    for (size_t i = 0; i < merge->num_hosts; i++) {
        struct merged_host *host = &merge->hosts[i];
        if (!host->told.is_silent && has_fallen_silent(merge, host, now_ns, newest_ns)) {
            host->told.is_silent = true;
            host->told.silent_since_ns = host->told.last_ns;
        }
        if (host->told.is_silent == host->silence_told)
            continue;
        host->silence_told = host->told.is_silent;
        *number = i;
        return true;
    }
    return false;
}

bool host_merge_next(struct host_merge *merge, int64_t now_ns, struct ds_packet *packet, size_t *host)
{
    const size_t number = find_oldest(merge);
    if (number == NONE)
        return false;
    struct merged_host *oldest = &merge->hosts[number];
    struct waiting_packet *one = oldest->first;
    const bool is_full = merge->num_bytes > merge->config.max_bytes;
    const bool is_due = have_all_passed(merge, one->packet.ts_ns, now_ns) ||
                        (has_waited(merge, patience_of(merge, now_ns), now_ns) &&
                         !is_early(merge, number, one, now_ns));
    if (!is_due && !is_full)
        return false;
    merge->was_full |= !is_due;
    oldest->first = one->after;
    *(one->after != NULL ? &one->after->before : &oldest->last) = NULL;
    merge->num_bytes -= sizeof *one + one->packet.cap_len;
    free(merge->given);
    merge->given = one;
    merge->given_ns = one->packet.ts_ns;
    merge->has_given = true;
    *packet = one->packet;
    *host = number;
    return true;
}

const struct host_merge_host *host_merge_host(const struct host_merge *merge, size_t number)
{
    return number < merge->num_hosts ? &merge->hosts[number].told : NULL;
}

bool host_merge_was_full(struct host_merge *merge)
{
    const bool was_full = merge->was_full;
    merge->was_full = false;
    return was_full;
}
