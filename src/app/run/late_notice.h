/*
 * late_notice.h - what a run prints on standard error about connections that were open before the
 * capture: one line at once; on a terminal when enough messages were seen, and three lines if most
 * are unreadable.
 */
#ifndef SRC_LATE_NOTICE_H
#define SRC_LATE_NOTICE_H

#include <distsniff/event.h>
#include <stdbool.h>

/* late_notice counts what is shown of such connections until the notice is printed. */
struct late_notice {
    bool on_terminal; /* set by the caller */
    bool may_name;    /* set by the caller: nodes may be named */
    bool is_printed;
    uint64_t conns, messages, unread, bytes; /* unread: messages with unknown atoms */
    uint64_t guessed; /* messages without unknown but with guessed atoms */
    int64_t first_ns, last_ns;
};

/* late_notice_event processes each event of the capture, and prints the notice when it is due. */
void late_notice_event(struct late_notice *notice, const struct ds_event *event);

/* late_notice_end prints the notice if one of these connections was seen and it is not printed yet:
 * at the end, or when enough time has passed. */
void late_notice_end(struct late_notice *notice);

#endif
