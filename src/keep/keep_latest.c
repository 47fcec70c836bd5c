/*
 * keep_latest.c - see keep_latest.h.
 *
 * The store never stops. When the trigger matches, a new file gets a snapshot of earlier state, the
 * whole store, and the following packets until --keep-after is over.
 */
#include "keep/packet_recorder_parts.h"

#include "select/filter.h"

enum { LATE_NS = 1000000000 }; /* the kernel may still have packets */
/* A record of a call may be delayed this long until more is known about it: pending_calls.h. */
enum { RECORD_LAG_NS = 1000000000 };

static bool is_open(const struct packet_recorder *k)
{
    return k->writer.is_open;
}

static int64_t add_time(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t sub_time(int64_t a, int64_t b)
{
    int64_t difference;
    return !__builtin_sub_overflow(a, b, &difference) ? difference : a > b ? INT64_MAX : INT64_MIN;
}

bool keep_latest_open(struct packet_recorder *k)
{
    k->latest.after = post_rotate_for(k->config->after_command);
    return pcap_writer_can_write(k->capture, k->config->write_file);
}

/* is_in_last says whether the file written last covers that time. */
static bool is_in_last(const struct keep_latest *l, int64_t happened_ns)
{
    return l->has_file && add_time(happened_ns, l->offset_ns) <= l->until_ns;
}

void keep_latest_record(struct packet_recorder *k, const struct record *record)
{
    struct keep_latest *l = &k->latest;
    if (l->triggered || !filter_run(k->config->trigger, record) || is_in_last(l, record_time(record)))
        return;
    l->triggered = true;
    l->triggered_ns = record_time(record);
}

static void close_file(struct packet_recorder *k)
{
    recorder_close(k);
    if (k->ending != STOP_NONE)
        return;
    k->latest.num_files++;
    post_rotate_run(&k->latest.after, k->latest.name);
}

/* lacks_some says whether the store has less than --keep requires, for lack of room. */
static bool lacks_some(const struct packet_recorder *k)
{
    const int64_t full_ns = k->store.full_ns, keep_ns = k->config->before_ns;
    return keep_ns != 0 && full_ns != INT64_MIN && add_time(full_ns, keep_ns) >= k->store.now_ns;
}

/* drop_before drops the packets that came more than keep_ns before that time. */
static void drop_before(struct packet_recorder *k, int64_t moment_ns, int64_t keep_ns)
{
    while (k->config->before_ns != 0 && k->store.oldest != NULL &&
           sub_time(moment_ns, k->store.oldest->at_ns) > keep_ns)
        packet_store_drop_oldest(&k->store);
}

static void begin_file(struct packet_recorder *k)
{
    struct keep_latest *l = &k->latest;
    if (l->num_files >= k->config->limits[DS_LIMIT_FILES]) {
        l->num_refused++;
        return;
    }
    if (!recorder_name(k->config->write_file, l->triggered_ns, l->name)) {
        k->ending = STOP_OUTPUT;
        return;
    }
    recorder_open(k, l->name);
    if (k->ending != STOP_NONE)
        return;
    k->num_incomplete += lacks_some(k);
    drop_before(k, add_time(l->triggered_ns, l->offset_ns), k->config->before_ns);
    const struct stored_packet *oldest = k->store.oldest;
    recorder_write_state(k, NULL, oldest != NULL ? oldest->packet.ts_ns : l->triggered_ns);
    for (const struct stored_packet *p = k->store.oldest; p != NULL; p = p->newer)
        recorder_write(k, &p->packet);
    l->has_file = true;
    l->until_ns = add_time(add_time(l->triggered_ns, l->offset_ns), k->config->after_ns);
    l->until_clock_ns = add_time(k->clock_ns(), add_time(k->config->after_ns, LATE_NS));
}

static void begin_if_triggered(struct packet_recorder *k)
{
    if (k->latest.triggered && !is_open(k) && k->ending == STOP_NONE)
        begin_file(k);
}

/* follow_live_clock adjusts the offset if the clock of the time stamps was set: then they are ahead of
 * the clock that cannot be set, or go back. Packets that waited in the kernel are behind it. */
static void follow_live_clock(struct packet_recorder *k, int64_t ts_ns)
{
    struct keep_latest *l = &k->latest;
    const int64_t clock_ns = k->clock_ns();
    if (!l->has_begun) {
        l->begin_ns = ts_ns;
        l->begin_clock_ns = clock_ns;
    }
    const int64_t now_ns = add_time(l->begin_ns, clock_ns - l->begin_clock_ns);
    const bool is_set = add_time(ts_ns, l->offset_ns) > add_time(now_ns, LATE_NS) ||
                        (l->has_begun && sub_time(l->newest_ns, ts_ns) > LATE_NS);
    if (is_set)
        l->offset_ns = sub_time(now_ns, ts_ns);
}

/* follow_stamps does the same for a file: there it detects a clock that is set back, and recognises a
 * single packet with too early a time stamp by the next one. It cannot detect a clock that is set
 * forward: there may have been a long silence. */
static void follow_stamps(struct keep_latest *l, int64_t ts_ns)
{
    const int64_t back_ns = l->has_begun ? sub_time(l->newest_ns, ts_ns) : 0;
    if (back_ns > LATE_NS) {
        l->set_back_ns = add_time(l->set_back_ns, back_ns);
        l->offset_ns = add_time(l->offset_ns, back_ns);
    } else if (l->set_back_ns != 0 && sub_time(0, back_ns) >= l->set_back_ns - LATE_NS) {
        l->offset_ns = sub_time(l->offset_ns, l->set_back_ns);
        l->set_back_ns = 0;
    }
}

static void follow_clock(struct packet_recorder *k, int64_t ts_ns)
{
    struct keep_latest *l = &k->latest;
    if (k->capture->is_live)
        follow_live_clock(k, ts_ns);
    else
        follow_stamps(l, ts_ns);
    l->has_begun = true;
    l->newest_ns = ts_ns;
    k->store.now_ns = add_time(ts_ns, l->offset_ns);
}

static bool is_over(const struct packet_recorder *k)
{
    return k->store.now_ns > k->latest.until_ns ||
           (k->capture->is_live && k->clock_ns() > k->latest.until_clock_ns);
}

void keep_latest_packet(struct packet_recorder *k, uint64_t key, const struct ds_packet *packet)
{
    struct keep_latest *l = &k->latest;
    follow_clock(k, packet->ts_ns);
    if (is_open(k) && is_over(k))
        close_file(k);
    drop_before(k, k->store.now_ns, add_time(k->config->before_ns, RECORD_LAG_NS));
    if (key != 0)
        packet_store_add(&k->store, key, packet);
    if (is_open(k) && key != 0)
        recorder_write(k, packet);
    else
        begin_if_triggered(k);
    l->triggered = false;
}

void keep_latest_look(struct packet_recorder *k)
{
    /* A record from a timer must not wait for a packet: the packets that led to it would be too old by
     * then. */
    begin_if_triggered(k);
    k->latest.triggered = false;
    /* If nothing more comes, the clock ends a file. */
    if (is_open(k) && k->capture->is_live && k->clock_ns() > k->latest.until_clock_ns)
        close_file(k);
    side_commands_reap(&k->latest.after);
}

void keep_latest_end(struct packet_recorder *k)
{
    begin_if_triggered(k); /* at the end of the capture */
    if (is_open(k))
        close_file(k);
    side_commands_wait(&k->latest.after);
}
