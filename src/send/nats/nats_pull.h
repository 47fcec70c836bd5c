/*
 * nats_pull.h - the records of a stream that have one subject, in order, and a proof that none is
 * missing.
 *
 * The reader asks for records (a pull consumer) and is never pushed at. Three numbers prove that a read
 * is whole:
 *   - the consumer's sequence number. The server gives each record that it delivers the next one, whatever
 *     the subject filter leaves out. A step of more than one means that a record got lost on the way: it
 *     is asked for again, by a new consumer that starts behind the last record that arrived.
 *   - num_pending, which comes with each record: how many more have this subject. With the consumer's
 *     sequence number it gives the number of records that the stream holds for this reader when the read
 *     begins. Fewer arrive where the server removes records in the meantime, or loses them.
 *   - the stream's state: its first and last number and how many records it holds tell how many were
 *     deleted between these two.
 * A step of the stream's own sequence numbers proves nothing: records of other subjects are between them.
 *
 * A read that follows has no end that could be counted. There num_pending, which goes down by one from
 * record to record unless others have come, tells how many the stream removed before they were read, where
 * its first number shows that it removed some. Of what came and went meanwhile, that number alone tells how
 * many records of all types it was at most.
 */
#ifndef SRC_NATS_PULL_H
#define SRC_NATS_PULL_H

#include "send/nats/nats_config.h"
#include "send/nats/nats_library.h"

#include <distsniff/term.h>

struct nats_pull {
    const struct nats_url *url;
    enum nats_type type;
    natsConnection *connection;
    jsCtx *context;
    natsSubscription *subscription;
    natsSubscription *behind; /* of a read that ends before the stream does: what comes behind, one of which
                                 was taken; NULL: there is none, or num_expected is known */
    natsMsgList list;      /* what the last request brought ... */
    int next;              /* ... and which of it is next */
    bool is_answered;      /* it brought all that it asked for: nothing more comes of it */
    int batch;             /* how many records one request asks for */
    int64_t created_ns;    /* the stream: another one of the same name has another time */
    int64_t first_ns;      /* when its first record was stored, as the read began; INT64_MAX: it had none */
    uint64_t start_first;  /* number of the first record of the stream when the read began */
    uint64_t stream_last;  /* number of the last record of the stream, as it was asked last */
    uint64_t last;         /* number of the last record that belongs to the read */
    uint64_t first_taken;  /* stream's numbers: the first record that was taken, 0: none ... */
    uint64_t position;     /* ... and the latest */
    uint64_t consumer;     /* consumer's number of the latest, 0: the consumer is new */
    uint64_t pending;      /* records behind that one, as it said */
    uint64_t num_taken;    /* in all */
    uint64_t num_expected; /* as many the stream held ... */
    uint64_t sure_last;    /* ... up to this number at least ... */
    uint64_t num_slack;    /* ... and as many were taken behind it, which may not be among them */
    bool is_counted;       /* num_expected is known */
    bool is_replaced;      /* the stream was deleted meanwhile, or another one is read from its beginning */
    uint64_t num_cut;      /* records at the end of the stream that the servers lost meanwhile */
    uint64_t num_unread;   /* delivered by the server, and never arrived */
    unsigned num_tries;    /* consumers since a record arrived in order */
    unsigned num_silent;   /* requests since then that brought nothing */
    int64_t heard_ns;      /* when a record arrived last */
    int64_t stored_ns;     /* when the servers stored it, since 1970 */
    bool is_silent;        /* the servers have stopped answering */
    bool is_over;
    uint64_t num_passed;   /* records that were pending before the latest one came, and are not any more */
    uint64_t num_removed;  /* where it follows: records that the stream's limits removed before they came */
    int64_t checked_ns;    /* where it follows: when the consumer was checked last */
};

/* nats_pull_begin asks for the stream's state and makes a consumer of the records of a type. after: the
 * read begins behind the record of that number, 0: where the URL says. connection and context stay the
 * caller's. False after a complaint. */
bool nats_pull_begin(struct nats_pull *pull, const struct nats_url *url, enum nats_type type,
                     uint64_t after, natsConnection *connection, jsCtx *context);

/* nats_pull_next gives the next record, which the caller destroys. NULL at the end, also at an early one:
 * nats_pull_is_whole tells. Where the URL says ?follow, there is no end: NULL after a tenth of a second, or
 * after a few seconds while the servers do not answer, and nothing has come meanwhile. */
natsMsg *nats_pull_next(struct nats_pull *pull);

/* nats_pull_host returns the host in the subject of a record, "distsniff.HOST.TYPE"; empty: there is
 * none. */
struct ds_text nats_pull_host(natsMsg *message);

/* nats_pull_stored_ns returns when the servers stored the record that came last, since 1970. */
int64_t nats_pull_stored_ns(const struct nats_pull *pull);

/* nats_pull_is_whole says, at the end, whether all records came that the stream held when the read began.
 * False after complaints that say what is missing. */
bool nats_pull_is_whole(struct nats_pull *pull);

void nats_pull_end(struct nats_pull *pull);

#endif
