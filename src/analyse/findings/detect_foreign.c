/*
 * detect_foreign.c - packets that no node accepts, though they have the addresses and ports of a
 * connection (DS505): resets, SYNs or data that its ends ignored (ds_ignored,
 * distsniff/tcp_stats.h).
 *
 * The time to live (or hop limit) shows how far away the sender is. If none of the end's own
 * packets has that of the ignored ones, another host most likely sent them. If they have the same,
 * that is only possible, and reported only when the end sends data afterwards: its own last RST may
 * look the same.
 */
#include "analyse/findings/detect.h"

#include <distsniff/counted.h>

/* How certain the reported finding was. */
enum foreign_level { LEVEL_NONE, LEVEL_DAMAGE, LEVEL_POSSIBLE, LEVEL_LIKELY };

static uint64_t num_of(const struct ds_ignored *ignored)
{
    return ignored->resets + ignored->syns + ignored->others;
}

bool detect_is_usual_ttl(const struct ds_tcp_side *side, uint8_t ttl)
{
    return ttl == side->usual_ttl[0] || (side->usual_ttl[1] != 0 && ttl == side->usual_ttl[1]);
}

/* is_far_off says whether no packet of the end itself came from the distance of the ignored ones. */
static bool is_far_off(const struct ds_tcp_side *side)
{
    return side->segments != 0 &&
           !(detect_is_usual_ttl(side, side->ignored.min_ttl) &&
             detect_is_usual_ttl(side, side->ignored.max_ttl));
}

static enum foreign_level level_of(const struct ds_event *event, int end)
{
    const struct ds_tcp_side *side = &event->conn->link->side[end];
    if (is_far_off(side))
        return LEVEL_LIKELY;
    if (side->last_data_ns <= side->ignored.first_ns)
        return LEVEL_NONE;
    if (side->ignored.resets + side->ignored.syns != 0)
        return LEVEL_POSSIBLE;
    /* Where data is missing, the ignored packets may have been accepted. */
    return event->conn->counters[end].gaps != 0 ? LEVEL_NONE : LEVEL_DAMAGE;
}

static void add_kind(struct wording *detail, uint64_t num, const char *param, const char *unit)
{
    if (num == 0)
        return;
    if (detail->len != 0)
        wording_add(detail, ", ");
    wording_say(detail, param, a_count(num, unit));
}

static void add_ttl(struct wording *detail, const struct ds_tcp_side *side, enum foreign_level level)
{
    const struct ds_ignored *ignored = &side->ignored;
    if (ignored->min_ttl == ignored->max_ttl)
        wording_say(detail, "; TTL {ttl}", a_number(ignored->min_ttl));
    else
        wording_say(detail, "; TTL {ttl} to {ttl_most}", a_number(ignored->min_ttl),
                    a_number(ignored->max_ttl));
    if (level != LEVEL_LIKELY) {
        wording_add(detail, ", like its other packets");
        return;
    }
    wording_say(detail, ", but its other packets have {usual_ttl}", a_number(side->usual_ttl[0]));
    if (side->usual_ttl[1] != 0)
        wording_say(detail, " or {other_usual_ttl}", a_number(side->usual_ttl[1]));
    wording_add(detail, ": they come from another host");
}

static void report(struct detect *d, const struct ds_event *event, int end, enum foreign_level level,
                   struct conn_watch *w)
{
    const struct ds_tcp_side *side = &event->conn->link->side[end];
    const struct ds_ignored *ignored = &side->ignored;
    struct finding *f = detect_begin(d, FINDING_DS505, event);
    const bool is_likely = level == LEVEL_LIKELY;
    if (is_likely)
        wording_add(&f->sentence, "somebody else sends packets to ");
    f->variant = is_likely;
    wording_say(&f->sentence, "{node}{}{peer}", an_end(&event->conn->end[!end]),
                a_word(is_likely ? " in the name of " : " ignores packets that come in the name of "),
                an_end(&event->conn->end[end]));
    add_kind(&f->detail, ignored->resets, "{resets}", "resets");
    add_kind(&f->detail, ignored->syns, "{syns}", "SYNs");
    add_kind(&f->detail, ignored->others, "{segments}", "other segments");
    add_ttl(&f->detail, side, level);
    detect_frame(f, ignored->first_frame, "the first one");
    if (ignored->last_frame != ignored->first_frame)
        detect_frame(f, ignored->last_frame, "the latest one");
    if (level == LEVEL_DAMAGE)
        f->severity = SEVERITY_NOTE;
    if (is_likely)
        detect_unsure(f, CERTAINTY_LIKELY, "a capture at that end, which shows whether it sent them");
    else
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      "a capture at that end, which shows whether it sent them (damaged packets "
                      "look the same)");
    if (w->ignored_level[end] == LEVEL_NONE || is_likely != (w->ignored_level[end] == LEVEL_LIKELY))
        detect_commit(d);
    else if (level != LEVEL_DAMAGE)
        detect_change(d, f->severity);
    else
        detect_complete(d);
    w->ignored_level[end] = (uint8_t)level;
    w->ignored_told[end] = num_of(ignored);
}

static void take(struct detect *d, const struct ds_event *event, int end)
{
    const uint64_t num = num_of(&event->conn->link->side[end].ignored);
    struct conn_watch *w = num != 0 ? detect_watch(d, event->conn) : NULL;
    if (w == NULL || num == w->ignored_told[end])
        return;
    const enum foreign_level level = level_of(event, end);
    const bool is_over = event->type == DS_EVENT_CONN && event->change.final;
    if (level > w->ignored_level[end] ||
        (level != LEVEL_NONE && (is_over || num / 2 >= w->ignored_told[end])))
        report(d, event, end, level, w);
}

void detect_foreign(struct detect *d, const struct ds_event *event)
{
    if (!detect_has_foreign(event))
        return;
    take(d, event, 0);
    take(d, event, 1);
}
