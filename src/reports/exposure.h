/*
 * exposure.h - facts of what is open to others: which nodes talk, from where, whether others can
 * read that; what is run on a node because another one says so; where cookies can be seen; what
 * listens. Each with a packet and a connection that show it, in bounded memory. What is made of
 * the facts is others' matter.
 */
#ifndef SRC_EXPOSURE_H
#define SRC_EXPOSURE_H

#include "core/heavy_hitters.h"
#include "record/record.h"

#include <distsniff/dissect.h>

/* exposed is what all facts begin with. */
struct exposed {
    struct hitters_entry head;
    uint64_t count;
    uint64_t frame, conn; /* of the first */
    char *text;
    const char *what; /* a static string, NULL: nothing more to say */
};

/* exposed_link is a pair of nodes: text says which and where, count how many messages. */
struct exposed_link {
    struct exposed exposed;
    uint64_t conns, cookies_ok, cookies_wrong;
    bool is_local;   /* both ends are one host */
    bool is_hidden;  /* one of them is a hidden node */
    bool is_old;     /* the handshake is that of before OTP 23 */
    bool is_late;    /* no handshake was seen */
    bool is_refused; /* it never came up */
    bool is_clear;   /* some of it without TLS */
    uint16_t tls;    /* version of TLS, as ds_tls has it; 0: none */
};

struct exposure {
    struct heavy_hitters links; /* struct exposed_link */
    struct heavy_hitters code; /* struct exposed: what is run; count: how often; what: why that matters */
    struct heavy_hitters
        listening;       /* struct exposed: "name at address port"; count: how often it was said */
    struct heavy_hitters asking; /* struct exposed: who asks EPMD for all names */
    struct table handshakes;                         /* of connections that are not up yet */
    uint64_t num_other_code;                         /* what is run and does not matter that much */
    uint64_t num_cookies, cookie_frame, cookie_conn; /* messages with a cookie in them */
    uint64_t num_digests;                            /* handshakes whose digests can be seen */
    struct ds_buffer scratch;
    bool no_memory;
};

void exposure_init(struct exposure *exposure, const uint64_t limits[DS_LIMIT_COUNT]);
void exposure_free(struct exposure *exposure);
void exposure_record(struct exposure *exposure, const struct record *record);

#endif
