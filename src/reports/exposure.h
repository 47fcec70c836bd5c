/*
 * exposure.h - collects facts about what is exposed: which nodes talk, from where, and whether
 * others can read it; code that a node runs at the request of another; where cookies are visible;
 * what listens. Each has a packet and a connection as evidence. Memory is bounded. Other files
 * judge the facts.
 */
#ifndef SRC_EXPOSURE_H
#define SRC_EXPOSURE_H

#include "core/heavy_hitters.h"
#include "record/record.h"

#include <distsniff/dissect.h>

/* exposed is the beginning of all facts. */
struct exposed {
    struct hitters_entry head;
    uint64_t count;
    uint64_t frame, conn; /* of the first occurrence */
    char *text;
    const char *what; /* a static string, NULL: nothing to add */
};

/* exposed_link is a pair of nodes: text describes them, count is the number of messages. */
struct exposed_link {
    struct exposed exposed;
    uint64_t conns, cookies_ok, cookies_wrong;
    bool is_local;   /* both ends are the same host */
    bool is_hidden;  /* one of them is a hidden node */
    bool is_old;     /* the handshake is the one from before OTP 23 */
    bool is_late;    /* no handshake was seen */
    bool is_refused; /* it never came up */
    bool is_clear;   /* part of it is without TLS */
    uint16_t tls;    /* TLS version, as in ds_tls; 0: none */
};

struct exposure {
    struct heavy_hitters links; /* struct exposed_link */
    struct heavy_hitters code; /* struct exposed: code that was run; count: how often; what: why it
                                * matters */
    struct heavy_hitters
        listening;       /* struct exposed: "name at address port"; count: how often it was
                          * announced */
    struct heavy_hitters asking; /* struct exposed: clients that ask EPMD for all names */
    struct table handshakes;                         /* of connections that are not up yet */
    uint64_t num_other_code;                         /* code that was run and matters less */
    uint64_t num_cookies, cookie_frame, cookie_conn; /* messages that contain a cookie */
    uint64_t num_digests;                            /* handshakes with visible digests */
    struct ds_buffer scratch;
    bool no_memory;
};

void exposure_init(struct exposure *exposure, const uint64_t limits[DS_LIMIT_COUNT]);
void exposure_free(struct exposure *exposure);
void exposure_record(struct exposure *exposure, const struct record *record);

#endif
