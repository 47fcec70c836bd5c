/*
 * explain_parts.h - what the files of this room share: explain.c has the two readings, explain_find.c what
 * the first one notes, explain_keep.c what the second one keeps, explain_print.c the text.
 */
#ifndef SRC_EXPLAIN_PARTS_H
#define SRC_EXPLAIN_PARTS_H

#include "explain/explain.h"
#include "output/event_text.h"
#include "reports/report.h"

enum {
    NEAR_MAX = 3,    /* neighbours on each side */
    OWN_MAX = 24,    /* lines of the thing itself */
    OTHERS_MAX = 20, /* calls made for a call, findings of a connection */
};

/* explain_line is a line that was made already. */
struct explain_line {
    uint64_t number; /* by which lines stand in order */
    char *text;
};

/* explain_lines are the first lines that came, and how many did not fit. */
struct explain_lines {
    struct explain_line line[OWN_MAX];
    size_t num;
    uint64_t num_more;
};

/* explain_near are the lines with the numbers nearest to another one, on both sides of it. */
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
    const char *parent_note; /* how sure the parent of a call is; NULL: it is */
    bool is_selected;      /* the record at hand belongs to the thing */
    struct explain_lines own;      /* its messages and events */
    struct explain_lines parent, children, calls, findings;
    struct explain_near same_caller, same_callee, same_link;
    struct explain_line first_message, last_message; /* of a connection */
    uint64_t num_calls, num_failed;                  /* of a connection */
    uint64_t slowest, first_failed;
    int64_t slowest_ns;
    uint64_t first_call; /* of a finding: that of its evidence; 0: none */
    bool has_reply, has_request;
    enum call_outcome outcome;
    struct finding *finding; /* the latest state of the one that is asked for */
    void *links;             /* of report_links, for a connection */
    struct report_text links_text;
};

/* explain_find takes a record in the first reading. */
void explain_find(struct explain *e, const struct record *record);

/* explain_keep takes a record in the second one. */
void explain_keep(struct explain *e, const struct record *record, const struct record *shown);

/* explain_is_listed says whether a number is in a list, explain_is_own_frame whether the thing is about
 * that packet, explain_is_own_conn whether it is about that connection. */
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

/* explain_is_event says whether a record is an event and no end of a call, no fact of a link. */
static inline bool explain_is_event(const struct record *record)
{
    return record->event != NULL && record->call == NULL && record->monitor == NULL &&
           record->finding == NULL && !record->link_facts && !ds_event_is_raw(record->event);
}

/* explain_is_of_packet says whether a record is what packet number frame brought: an end that no packet
 * brought has the number of the latest one. */
static inline bool explain_is_of_packet(const struct record *record, uint64_t frame)
{
    const struct ds_event *event = record->event;
    return explain_is_event(record) && event->frame == frame &&
           (event->type != DS_EVENT_CONN || !event->change.unfollowed);
}

#endif
