/*
 * story.h - a record in a few words, as diagrams tell it: who, to whom, what.
 */
#ifndef SRC_STORY_H
#define SRC_STORY_H

#include "record.h"

enum story_kind {
    STORY_NOTHING, /* ticks, handshakes, EPMD: not for diagrams */
    STORY_MESSAGE,
    STORY_ANSWER, /* a message that answers one */
    STORY_NOTE,   /* something happened between the two */
};

/* story_end is a process, or a node when process is empty. */
struct story_end {
    struct ds_buffer node, process;
};

enum { STORY_CALLS = 1024, STORY_PROCESS_LEN = 64, STORY_LATE = 64 };

/* story is what is told last, and what has to be remembered for it. All texts are printable,
 * but hold whatever a peer sent. Zero-initialise it; story_free releases it. */
struct story {
    enum story_kind kind;
    struct story_end from, to;
    struct ds_buffer verb; /* "CALL #7", "reply #7 after 412 us" */
    struct ds_buffer text; /* the term, shortened, or what happened */
    struct {
        uint64_t number;
        char process[STORY_PROCESS_LEN];
    } callers[STORY_CALLS]; /* who made a call: an answer may carry an alias instead */
    uint64_t late[STORY_LATE]; /* connections joined late, to be said with the first message */
};

/* story_tell tells a record. False when memory ran out. */
bool story_tell(struct story *story, const struct record *record);

/* story_tell_party names a process. */
void story_tell_party(const struct party *party, struct story_end *end);

void story_free(struct story *story);

/* story_print_span appends "412 us", "1.25 ms", "3.50 s". */
void story_print_span(int64_t ns, struct ds_buffer *out);

#endif
