/*
 * timeline_parts.h - the state of the timeline, and its lines (timeline_lines.c).
 */
#ifndef SRC_TIMELINE_PARTS_H
#define SRC_TIMELINE_PARTS_H

#include "analyse/findings/timeline.h"

#define SECOND INT64_C(1000000000)
#define FOLD_NS (5 * SECOND) /* equal events within this time are one */

enum { MAX_OPEN = 1024, MAX_KEPT = 1536, MAX_FLAGS = 4096, MAX_REGISTERED = 1024 };

/* open_line is a line that is not over. */
struct open_line {
    struct table_entry entry;
    uint64_t key;
    struct finding finding;
    int64_t due_ns;       /* when it is over if no event follows */
    int64_t recovered_ns; /* of FAILING: the first answer since the latest failure; 0: none */
    uint64_t count_before; /* of FINDING: how often it was found before this line */
    uint32_t outcomes;    /* of FAILING: a bit for each outcome of the calls */
    bool is_given;        /* of FAILING: it is over and emitted, and only an answer is awaited */
    bool has_ended;       /* of STALL: its link has ended */
    bool goes_on;         /* of STALL and FINDING: it is not over, however long no event follows */
};
TABLE_KEYED(struct open_line, key);

/* told_finding is a finding that has a line, and its count when the line was last updated. */
enum { NUM_TOLD = 64 };
struct told_finding {
    uint64_t number, count;
};

/* seen_release is the capabilities that a node announced in its handshakes. */
struct seen_release {
    struct table_entry entry;
    uint64_t key, flags;
};
TABLE_KEYED(struct seen_release, key);

/* registration is a node registered with EPMD, or about to be, as long as a connection lasts. */
struct registration {
    struct table_entry entry;
    uint64_t conn;
    struct ds_addr epmd;
    uint16_t port;
    bool is_registered; /* EPMD has confirmed it */
    size_t len;
    char name[FINDING_NODE_LEN];
};
TABLE_KEYED(struct registration, conn);

struct timeline {
    struct timeline_config config;
    struct table open, releases, registrations;
    struct finding **kept; /* for files: lines that are over */
    size_t num_kept;
    uint64_t num, left_out;
    int64_t now_ns;
    struct told_finding told[NUM_TOLD]; /* at the finding's number modulo NUM_TOLD */
};

/* timeline_begin returns a new line, which the caller frees. If memory ran out it counts the line as
 * left out and returns NULL. */
struct finding *timeline_begin(struct timeline *timeline, enum happening moment, int64_t ts_ns);

/* timeline_name_node sets the node of a line, timeline_name_ends both, timeline_name_place the packet
 * that shows it; frame 0: none. what is a static string. */
void timeline_name_node(struct finding *line, int i, struct ds_text node);
void timeline_name_ends(struct finding *line, const struct ds_endpoint end[2]);
void timeline_name_place(struct finding *line, uint64_t conn, uint64_t frame, const char *what);

/* timeline_put emits a copy of a line that is over; of files later, in the order of time. */
void timeline_put(struct timeline *timeline, struct finding *line);

/* timeline_hold stores a line that may go on. NULL: memory ran out, and the line was emitted as it
 * is. timeline_merge merges an event into a line that is not over. NULL: there is none. */
struct open_line *timeline_hold(struct timeline *timeline, struct finding *line, uint64_t key,
                                int64_t hold_ns);
struct open_line *timeline_merge(struct timeline *timeline, uint64_t key, int64_t ts_ns);

/* timeline_finish emits an open line, which is over, and removes it. */
void timeline_finish(struct timeline *timeline, struct open_line *line);

/* timeline_key returns the key of an open line; timeline_hash_node the hash of a node's name, or of its
 * address. */
uint64_t timeline_key(enum happening moment, uint64_t a, uint64_t b);
uint64_t timeline_hash_node(const struct ds_endpoint *end);

#endif
