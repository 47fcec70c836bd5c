/*
 * nats_pull.h - reads the records of a stream that have one subject, in order, and proves that none
 * is missing.
 *
 * The reader requests records (a pull consumer); the server never pushes. Three numbers prove that
 * a read is complete:
 *   - the consumer's sequence number. The server gives consecutive ones to the records that it
 *     delivers, whatever the subject filter leaves out. A step of more than one means that a record
 *     was lost on the way: a new consumer that starts after the last arrival requests it again.
 *   - num_pending, which comes with each record: how many more have this subject. With the consumer's
 *     sequence number it gives the number of records that the stream has for this reader when the
 *     read begins. Fewer arrive if the server removes records in the meantime, or loses them.
 *   - the stream's state: from its first and last number and its number of records follows how many
 *     were deleted between these two.
 * A step of the stream's own sequence numbers proves nothing: records of other subjects are between
 * them.
 *
 * A read that follows has no end, and so no total. There num_pending decreases by one from record
 * to record unless new ones have come. Where the stream's first number shows that it removed
 * records, num_pending gives how many of them were not read yet. For records that came and were
 * removed between two checks, the first number alone gives an upper bound, of all types.
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
    natsSubscription *behind; /* for a read that ends before the stream does: a consumer of the
                               * records after the end, one of which was fetched; NULL: there are
                               * none, or num_expected is known */
    natsMsgList list;      /* the answer to the last request ... */
    int next;              /* ... and the index of its next record */
    bool is_answered;      /* the request is complete: no more answers come */
    int batch;             /* how many records one request is for */
    int64_t created_ns;    /* when the stream was created: another one of the same name has another time */
    int64_t first_ns;      /* when its first record was stored, as of the beginning of the read;
                            * INT64_MAX: it had none */
    uint64_t start_first;  /* number of the first record of the stream when the read began */
    uint64_t stream_last;  /* number of the last record of the stream, as of the last answer */
    uint64_t last;         /* number of the last record that belongs to the read */
    uint64_t first_taken;  /* stream's numbers: the first record that was received, 0: none ... */
    uint64_t position;     /* ... and the latest */
    uint64_t consumer;     /* consumer's number of the latest, 0: the consumer is new */
    uint64_t pending;      /* records after that one, as it said */
    uint64_t num_taken;    /* received, in total */
    uint64_t num_expected; /* how many the stream had ... */
    uint64_t sure_last;    /* ... up to at least this number ... */
    uint64_t num_slack;    /* ... and how many were received after it, which may not be among them */
    bool is_counted;       /* num_expected is known */
    bool is_replaced;      /* the stream was deleted during the read, or another one is read from
                            * its beginning */
    uint64_t num_cut;      /* records at the end of the stream that the servers lost during the read */
    uint64_t num_unread;   /* delivered by the server, but never arrived */
    unsigned num_tries;    /* consumers made since a record arrived in order */
    unsigned num_silent;   /* requests since then without an answer */
    int64_t heard_ns;      /* when a record arrived last */
    int64_t stored_ns;     /* when the servers stored it, since 1970 */
    bool is_silent;        /* the servers have stopped answering */
    bool is_over;
    uint64_t num_passed;   /* records that were pending before the latest one came, and no longer are */
    uint64_t num_removed;  /* if it follows: records that the stream's limits removed before they
                            * were read */
    int64_t checked_ns;    /* if it follows: when the consumer was checked last */
};

/* nats_pull_begin asks for the stream's state and makes a consumer of the records of a type. after:
 * the read begins after the record of that number, 0: where the URL says. The caller keeps
 * connection and context. False after an error message. */
bool nats_pull_begin(struct nats_pull *pull, const struct nats_url *url, enum nats_type type,
                     uint64_t after, natsConnection *connection, jsCtx *context);

/* nats_pull_next returns the next record, which the caller destroys. NULL at the end, also at an
 * early one: see nats_pull_is_whole. With ?follow in the URL there is no end: NULL if nothing has
 * come for a tenth of a second, or for a few seconds while the servers do not answer. */
natsMsg *nats_pull_next(struct nats_pull *pull);

/* nats_pull_host returns the host in the subject of a record, "distsniff.HOST.TYPE"; empty if there
 * is none. */
struct ds_text nats_pull_host(natsMsg *message);

/* nats_pull_stored_ns returns when the servers stored the latest record, since 1970. */
int64_t nats_pull_stored_ns(const struct nats_pull *pull);

/* nats_pull_is_whole says, at the end, whether all records came that the stream had when the read
 * began. False after error messages that say what is missing. */
bool nats_pull_is_whole(struct nats_pull *pull);

void nats_pull_end(struct nats_pull *pull);

#endif
