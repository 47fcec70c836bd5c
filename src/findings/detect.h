/*
 * detect.h - what the detectors share: what is known of each connection, and how a finding is made.
 *
 *     struct finding *f = detect_begin(d, FINDING_DS101, event);
 *     wording_end(&f->sentence, ...);
 *     detect_frame(f, frame, "challenge");
 *     detect_commit(d);
 */
#ifndef SRC_DETECT_H
#define SRC_DETECT_H

#include "finding_kinds.h"
#include "findings.h"
#include "table.h"

/* watched is what is known of a connection. */
struct watched {
    struct table_entry entry;
    uint64_t conn;
    int64_t opened_ns, up_ns;
    int initiator; /* the end that sent send_name, -1 */
    enum ds_handshake_step last_step; /* DS_STEP_UNKNOWN: none */
    int64_t step_ns;                  /* of it */
    uint64_t step_frame[DS_STEP_COUNT];
    uint64_t flags[2];
    bool has_flags[2];
    uint8_t version[2];
    enum ds_cookie_check cookie[2]; /* of the digest that an end sent */
    uint32_t challenge[2];          /* given to the other end */
    bool has_challenge[2];
    bool is_up, is_late, is_half_closed;
    bool is_refused;  /* by a status, of which has been spoken */
    bool is_nok;
    bool is_explained; /* nothing more is to be said of its end */
    bool alert;        /* an end answered with a TLS alert */
    unsigned tls_told; /* bits of detect_tls.c's own */
    uint64_t told;     /* what has been found of the link: bits of the detectors' own */
    uint64_t stall_frame[2];
    size_t asked_len;  /* of EPMD: the name that was asked for */
    char asked[64];
};

/* asked is an answer of EPMD: where a node listens. */
struct asked {
    struct table_entry entry;
    struct ds_addr client, server;
    uint16_t port;
    int64_t ts_ns;
    uint64_t frame, conn;
    size_t name_len;
    char name[64];
};

/* refused is an EPMD that could not be reached: a finding only when that goes on. */
struct refused {
    bool is_used;
    struct ds_addr client, server;
    uint16_t port;
    int64_t ts_ns;
    uint64_t frame, conn;
    char why[120];
};

/* pair is two nodes, in either order. */
struct pair {
    struct table_entry entry;
    uint32_t name_hash[2];
    uint32_t creation[2];
    unsigned ups;
    uint64_t conn[4], frame[4]; /* of the last ones */
    int64_t idle_ns[3];         /* before a RST, of the last ones; 0: none */
    unsigned idles;
    uint64_t nok_conn, nok_frame;
    int64_t nok_ns;  /* a refused attempt that waits for the other one */
    char nok_end[2][128];
    size_t nok_len[2];
};

struct callee {
    struct table_entry entry;
    uint64_t calls, failed, noproc, timeouts;
    uint64_t conn, frame;
    bool is_told;
};

/* checks counts what was looked at. */
struct checks {
    uint64_t handshakes, cookies, links, ticking, calls, calls_open, zero_windows, gaps;
    uint64_t late, tls, one_way, epmd_messages, unticked;
};

enum { MAX_REFUSED = 32 };

struct detect {
    struct findings_config config;
    struct table watched, asked, pairs, callees;
    struct refused refused[MAX_REFUSED];
    bool has_refused; /* any may be used */
    struct checks checks;
    struct finding draft;
    int64_t now_ns;
    uint64_t no_memory, num_dropped;
    struct table found; /* of findings.c */
    uint64_t num_found;
};

/* detect_watch returns what is known of a connection; NULL when memory ran out. */
struct watched *detect_watch(struct detect *d, const struct ds_conn *conn);

/* detect_begin begins a finding about what event has shown, which is sure unless said otherwise,
 * and about its two nodes. event NULL: set the times of the evidence yourself. */
struct finding *detect_begin(struct detect *d, enum finding_code code,
                             const struct ds_event *event);

/* detect_frame adds a packet to the evidence, 0: none; what is a static string. */
void detect_frame(struct finding *finding, uint64_t frame, const char *what);

/* detect_unsure says that it is less than sure, and what would prove it (a static string). */
void detect_unsure(struct finding *finding, enum certainty certainty, const char *proof);

/* detect_commit gives it out, or counts it with its equals: those of the same code and sentence. */
void detect_commit(struct detect *d);

/* The families. end: nothing more comes. */
void detect_connect(struct detect *d, const struct record *record);
void detect_connect_time(struct detect *d, bool at_end);
void detect_link(struct detect *d, const struct record *record);
void detect_calls(struct detect *d, const struct record *record);
void detect_exposure(struct detect *d, const struct record *record);

/* detect_tls is of connections with TLS, and comes before detect_connect. */
void detect_tls(struct detect *d, const struct record *record);

/* wording_span appends a time span as people say it. */
void wording_span(struct wording *wording, int64_t ns);
void wording_size(struct wording *wording, uint64_t bytes);

static inline struct ds_text text_of(const char *data, size_t len)
{
    return (struct ds_text){data, len};
}

#endif
