/*
 * explain_parts.h - shared by the files of this room: explain.c runs the two readings,
 * explain_find.c processes records in the first one, explain_keep.c in the second one,
 * explain_print.c writes the text.
 */
#ifndef SRC_EXPLAIN_PARTS_H
#define SRC_EXPLAIN_PARTS_H

#include "explain/explain.h"
#include "output/event_text.h"
#include "reports/report.h"

enum {
    NEAR_MAX = 3,    /* neighbours on each side */
    OWN_MAX = 24,    /* lines of the thing itself */
    OTHERS_MAX = 20, /* calls made by a call, findings of a connection */
};

/* explain_line is a finished line. */
struct explain_line {
    uint64_t number; /* lines are sorted by it */
    char *text;
};

/* explain_lines are the first lines, and how many did not fit. */
struct explain_lines {
    struct explain_line line[OWN_MAX];
    size_t num;
    uint64_t num_more;
};

/* explain_near are the lines with the numbers nearest to another one, before and after it. */
struct explain_near {
    struct explain_line before[NEAR_MAX], after[NEAR_MAX];
    size_t num_before, num_after;
};

struct explain {
    struct explain_target target;
    bool finds; /* this is the first reading */
    struct explain_found found;
    const struct report_config *config;
    struct report_text text; /* how times and commands are written */
    uint64_t num_messages;   /* so far */
    /* Of the second reading: */
    struct event_text *brief, *full;
    struct ds_buffer scratch;
    bool failed; /* memory ran out */
    struct ds_buffer head; /* what the thing is */
    const char *parent_note; /* how certain the parent of a call is; NULL: certain */
    bool is_selected;      /* the current record belongs to the thing */
    struct explain_lines own;      /* its messages and events */
    struct explain_lines parent, children, calls, findings;
    struct explain_near same_caller, same_callee, same_link;
    struct explain_line first_message, last_message; /* of a connection */
    uint64_t num_calls, num_failed;                  /* of a connection */
    uint64_t slowest, first_failed;
    int64_t slowest_ns;
    uint64_t first_call; /* of a finding: the call of its evidence; 0: none */
    bool has_reply, has_request;
    enum call_outcome outcome;
    struct finding *finding; /* the latest state of the finding to explain */
    void *links;             /* of report_links, for a connection */
    struct report_text links_text;
};

/* explain_find processes a record in the first reading. */
void explain_find(struct explain *e, const struct record *record);

/* explain_keep processes a record in the second reading. */
void explain_keep(struct explain *e, const struct record *record, const struct record *shown);

/* explain_is_listed says whether a number is in a list, explain_is_own_frame whether the thing
 * concerns that packet, explain_is_own_conn whether it concerns that connection. */
static inline bool explain_is_listed(const uint64_t *list, size_t num, uint64_t number)
{
    for (size_t i = 0; i < num; i++) {
        if (list[i] == number)
            return true;
    }
    return false;
}

static inline bool explain_is_own_frame(const struct explain_found *found, uint64_t frame)
{
    return explain_is_listed(found->frames, found->num_frames, frame);
}

static inline bool explain_is_own_conn(const struct explain_found *found, uint64_t conn)
{
    return explain_is_listed(found->conns, found->num_conns, conn);
}

/* explain_is_event says whether a record is an event, not the end of a call or facts of a link. */
static inline bool explain_is_event(const struct record *record)
{
    return record->event != NULL && record->call == NULL && record->monitor == NULL &&
           record->finding == NULL && !record->link_facts && !ds_event_is_raw(record->event);
}

/* explain_is_of_packet says whether packet number frame caused a record: an end that no packet
 * caused has the number of the latest packet. */
static inline bool explain_is_of_packet(const struct record *record, uint64_t frame)
{
    const struct ds_event *event = record->event;
    return explain_is_event(record) && event->frame == frame &&
           (event->type != DS_EVENT_CONN || !event->change.unfollowed);
}

#endif
