/*
 * explain.h - --explain call:24 and similar: one thing of a capture, in full.
 *
 * Two identical runs of the program read the capture, so that all numbers are the same as in any
 * other run. The first run (explain_new without found) counts things and fills in struct
 * explain_found, which has only numbers and names and can be sent from process to process. The
 * second run keeps the lines to show. The number of kept lines is bounded: the thing itself, and a
 * few of its neighbours.
 */
#ifndef SRC_EXPLAIN_H
#define SRC_EXPLAIN_H

#include "record/record.h"
#include "reports/reports.h"

enum explain_kind {
    EXPLAIN_NOTHING = -1,
#define EXPLAIN(id, word, one, all) EXPLAIN_##id,
#include "explain/explain_kinds.def"
#undef EXPLAIN
    EXPLAIN_COUNT
};

/* explain_target is what the user asks for. asked is false if that is nothing. */
struct explain_target {
    bool asked;
    enum explain_kind kind;
    uint64_t number;
};

enum { EXPLAIN_NAME = 256, EXPLAIN_CONNS = 4, EXPLAIN_FRAMES = FINDING_SETS * FINDING_FRAMES };

struct explain_party {
    uint16_t node_len, name_len; /* 0: unknown */
    bool has_pid;
    uint32_t id, serial, creation;
    char node[EXPLAIN_NAME], name[EXPLAIN_NAME];
};

/* explain_found is the result of the first reading. It has no pointers. */
struct explain_found {
    bool is_there;
    uint64_t num[EXPLAIN_COUNT]; /* how many things there are, numbered from 1 */
    uint64_t tcp;                /* of a packet: ds_conn.tcp; 0: no followed connection */
    size_t num_conns, num_frames, num_calls;
    uint64_t conns[EXPLAIN_CONNS];   /* connections it concerns; those that do not fit are left out */
    uint64_t frames[EXPLAIN_FRAMES]; /* of a finding: the packets that show it */
    uint64_t calls[EXPLAIN_CONNS];   /* of a packet or message: the calls it belongs to */
    uint64_t parent, start_frame, end_frame; /* of a call */
    struct explain_party caller, callee;     /* of a call */
};

/* explain_run_state describes one of the two runs. */
struct explain_run_state {
    bool finds; /* the first run, which fills in found */
    struct explain_found found;
};

struct explain;

/* explain_kind_word is "call" and so on, explain_kind_all "calls". */
const char *explain_kind_word(enum explain_kind kind);
const char *explain_kind_all(enum explain_kind kind);

/* explain_new begins a reading. found is the result of the first reading; NULL in the first
 * reading. config belongs to the reports: only its command is used; it must outlive the explain.
 * NULL if memory ran out. */
struct explain *explain_new(const struct explain_target *target, const struct explain_found *found,
                            const struct report_config *config, unsigned time_digits);
void explain_free(struct explain *explain); /* NULL is allowed */

/* explain_record processes a record: in its original form, and in the form that may be shown. */
void explain_record(struct explain *explain, const struct record *record, const struct record *shown);

/* explain_selects says whether outputs get the record that explain_record processed last: it is the
 * thing, or belongs to it. */
bool explain_selects(const struct explain *explain);

/* explain_packet reports, in the first reading, the TCP connection (ds_where.tcp) of the packet
 * that the user asks for. */
void explain_packet(struct explain *explain, uint64_t tcp);

/* explain_get_found returns the result at the end of the first reading, after num_packets packets. */
const struct explain_found *explain_get_found(struct explain *explain, uint64_t num_packets);

/* explain_print appends the explanation, at the end of the second reading. */
void explain_print(struct explain *explain, struct ds_buffer *out);

#endif
