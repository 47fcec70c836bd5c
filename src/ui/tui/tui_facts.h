/*
 * tui_facts.h - the input of views and pages: the contents of the books, the latest records, and
 * the user's choices. It does not change while they read it.
 */
#ifndef SRC_TUI_FACTS_H
#define SRC_TUI_FACTS_H

#include "ui/tui/tui_books.h"
#include "ui/tui/tui_rates.h"
#include "ui/tui/tui_store.h"

enum { TUI_MARKS = 4096 };

/* tui_marks are the numbers of marked records, in no order. */
struct tui_marks {
    uint64_t number[TUI_MARKS];
    unsigned num;
};

static inline bool tui_is_marked(const struct tui_marks *marks, uint64_t number)
{
    for (unsigned i = 0; i < marks->num; i++) {
        if (marks->number[i] == number)
            return true;
    }
    return false;
}

struct event_text;
struct tui_filter;
struct tui_packets;

struct tui_facts {
    struct snapshot snapshot;
    struct tui_rates rates;      /* of links */
    struct tui_rates kind_rates, process_rates; /* while views show them */
    struct store_look records;
    struct tui_filter *filter; /* for messages and calls, never NULL */
    bool is_live, has_ended;
    bool ascii;       /* of the screen */
    unsigned columns; /* of the screen */
    const uint64_t *limits;   /* of the session, DS_LIMIT_COUNT of them */
    struct tui_packets *packets; /* that can be saved; NULL: none are stored, as with --redact */
    unsigned time_digits;    /* of times: 6 or 9 */
    struct event_text *brief; /* writes events in a line */
    struct tui_marks *marks;  /* records that the user has marked, never NULL */
};

#endif
