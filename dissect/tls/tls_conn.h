/*
 * tls_conn.h - what the parts of the stage of TLS share: a connection and its two directions.
 * tls.c takes the stream and its records, tls_sealed.c gives out what is in those that are sealed,
 * tls_keys.c opens them, tls_search.c those of which nobody knows whose they are, within tls_budget.c,
 * tls_origin.c remembers by which secret, tls_handshake.c reads what both sides agree on,
 * tls_late_keys.c keeps
 * what comes before its keys, tls_eviction.c tells it, of all connections that wait in the order in
 * which it came.
 */
#ifndef DISSECT_TLS_CONN_H
#define DISSECT_TLS_CONN_H

#include "conn/stream_buffer.h"
#include "tcp/tcp_analysis.h"
#include "tls/keylog.h"
#include "tls/tls.h"
#include "tls/tls_waiting.h"

enum {
    TLS_MAX_WRONG = 16,            /* records in a row that do not open: the keys are others */
    TLS_MAX_UNKNOWN_SEQ = 1 << 20, /* where to look for the number of a record, begun late */
    TLS_TEXT_MAX = 1 << 16,        /* of a record, or of what stands for the past */
};
#define TLS_SECOND_NS INT64_C(1000000000)

struct tls_stage {
    struct dissect_ctx *env;
    const struct tls_events *events;
    int64_t budget, budget_ns; /* left of the second that began then, for tries */
    uint32_t num_asking;       /* connections that had some of it */
    uint32_t num_asked;        /* and of the second before */
    int64_t spent;             /* on tries, beyond what came allowed */
    struct tls *oldest, *newest; /* that wait for keys, by when they began to */
    size_t num_waiting;
    uint64_t keys_age; /* of the key log when they were looked at last */
    int64_t now_ns;
    bool is_ending; /* no more keys come */
    uint8_t text[TLS_TEXT_MAX];
};

/* tls_origin says which line of the key log the keys of a direction come from, and how. */
struct tls_origin {
    bool is_known;
    enum tls_label label;
    uint32_t updates;  /* of keys before that line */
    uint32_t renewals; /* of keys after it that were derived */
    bool mac_last;
    const struct tls_suite *suite;
    uint8_t random[2][TLS_RANDOM_LEN];
};

/* tls_search is how far the secrets of a part of the key log were tried, where nothing says which is
 * meant: those that were added behind number after, up to up_to. */
struct tls_search {
    uint64_t after, up_to;
    uint64_t tried; /* so much more than the records that were counted the number is not */
    uint64_t from;  /* of the secret at hand: behind tried */
    size_t next;    /* which secret and suite */
};

struct tls_dir {
    struct stream_buffer held;   /* the beginning of a record */
    struct stream_buffer handshake; /* the beginning of a handshake message in clear */
    uint64_t skip;               /* bytes of a handshake message that are of no use */
    struct tls_cipher early;     /* of the handshake of 1.3 */
    uint64_t early_seq;
    bool is_early_over; /* what follows has the keys of data */
    struct tls_cipher cipher;
    uint8_t secret[TLS_SECRET_MAX]; /* of 1.3 */
    struct tls_origin origin;       /* of cipher and secret */
    uint64_t seq;                   /* of the next record, or the least that it can be */
    uint64_t slack;                 /* by how much it can be more */
    uint64_t tried;                 /* so much more than seq it is not */
    unsigned num_searches;          /* among other numbers than the expected one */
    struct tls_search known, added; /* without keys; added: what the key log has grown by since */
    bool is_knowns_turn;             /* which of these, that take turns, it was */
    bool is_sealed;                 /* 1.2: behind ChangeCipherSpec */
    bool is_open;                   /* the key has opened a record */
    bool is_lost;                   /* not at the beginning of a record */
    unsigned num_wrong;
    uint64_t rest; /* bytes that have come behind the record at hand */
    uint64_t lost; /* bytes that could not be opened and were not told of yet */
    enum tcp_gap lost_why;
};

struct tls {
    struct tls_stage *stage;
    const struct tcp_conn_view *tcp;
    const struct tcp_conn_view *at; /* tcp, or, while what has waited is told, then */
    struct tcp_conn_view then;      /* tcp as it was when that came */
    struct tls_waiting waiting;
    struct tls *older, *newer; /* that wait, too; is_listed: this one does */
    bool is_listed;
    /* While what waits is told: what is due, where the queue goes on, what belongs to now; others of which
     * something is due later, tls_eviction.c. */
    struct tls_waiter due;
    struct cursor due_bytes;
    struct tls_waiting_at next, told;
    uint64_t rest_now[2];
    struct tcp_analysis_then facts_now[2];
    struct tls *child, *sibling;
    void *context;
    struct ds_tls view;
    struct tls_dir dirs[2];
    const struct tls_suite *suite;
    uint16_t group; /* of the key exchange, 1.3; 0: not known */
    int client; /* which direction is the client's; -1: not known */
    bool has_client_random, has_server_random, mac_last;
    bool is_told;                      /* sealed */
    uint8_t random[2][TLS_RANDOM_LEN]; /* of the client, of the server */
    uint64_t keys_age;                 /* of the key log, when it was last asked */
    bool has_waited;                   /* a record for its keys */
    bool is_closed;                    /* its end waits, too */
    uint64_t waits_age;                /* of the key log when the first one did */
    int64_t share, share_ns;           /* left of the second that began then, for its tries */
    char sni[256], names[2][256];
};

/* What trying costs, in bytes that could be opened meanwhile. */
enum {
    TLS_RECORD_COST = 3 * 1024, /* of a record, beyond its own */
    TLS_KEY_COST = 32 * 1024,   /* of making keys */
};

/* tls_budget_allow: so many bytes have come, for each of which something may be tried. */
void tls_budget_allow(struct tls_stage *stage, size_t len);

/* tls_budget_take takes a cost from the share that a connection has of the second; false, and nothing is
 * taken, where not as much is left. tls_budget_is_spent: not even one key can be tried any more. */
bool tls_budget_take(struct tls *tls, size_t cost);
bool tls_budget_is_spent(struct tls *tls);

/* tls_budget_take_all takes a cost of what is done for all connections, from what the bytes are worth that
 * have come. */
bool tls_budget_take_all(struct tls_stage *stage, size_t cost);

enum {
    TLS_FIRST_SEARCH = 256,      /* numbers tried of the first record; of each further one more, */
    TLS_MAX_SEARCH = 16 * 1024,  /* and no more than these: the next record goes on with others */
    TLS_SMALL_RECORD = 512,      /* bytes; larger ones are no good to look with */
};

/* tls_search_may_go_on: where the keys are others, or not those of this connection, looking on is left to
 * fewer and fewer records. */
bool tls_search_may_go_on(const struct tls_dir *d);

/* tls_search_all tries all secrets of the key log on a record of which nothing says who said it. */
bool tls_search_all(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                    uint8_t *type);

/* tls_origin_note: the keys at hand of a direction come from that line of the key log. */
void tls_origin_note(const struct tls *tls, struct tls_dir *d, const struct keylog_secret *secret);

/* tls_origin_find returns that line, NULL where the key log does not have it. */
const struct keylog_secret *tls_origin_find(const struct tls *tls, const struct tls_origin *origin);

/* tls_origin_key makes the key that seals what stands for the past of a direction: from the secret
 * that its keys come from, so that only who has that can open it. False where there is none. */
enum { TLS_SNAPSHOT_KEY_LEN = 64 };
bool tls_origin_key(const struct tls *tls, int dir, uint8_t key[TLS_SNAPSHOT_KEY_LEN]);

/* tls_keys_find looks into the key log for a direction that has no keys yet. */
bool tls_keys_find(struct tls *tls, int dir);

/* tls_keys_look does so for both directions once the key log has grown or a hello was seen. */
void tls_keys_look(struct tls *tls);

/* tls_keys_open opens a sealed record of the nodes into the text of the stage, by the keys at hand
 * or by others that may be meant; len and type are those of what is inside. */
bool tls_keys_open(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                   uint8_t *type);

/* tls_keys_open_handshake opens one of the handshake of TLS 1.3, which has keys of its own. */
bool tls_keys_open_handshake(struct tls *tls, int dir, const struct tls_record *record,
                             size_t *len, uint8_t *type);

/* tls_keys_update goes on to the next keys of a direction. */
void tls_keys_update(struct tls *tls, int dir);

/* tls_sealed_open takes a sealed record that was sent as len bytes: gives out what is in it, or says that
 * it could not be opened. False, and nothing is done, where there are no keys yet and it may wait. */
bool tls_sealed_open(struct tls *tls, int dir, const struct tls_record *record, size_t len,
                     bool may_wait);

/* tls_sealed_lose: so many bytes are missing, or make no sense. tls_sealed_slack returns how many records
 * may be missing in them. */
void tls_sealed_lose(struct tls *tls, int dir, uint64_t len, enum tcp_gap why);
uint64_t tls_sealed_slack(uint64_t len);

/* tls_waits says whether anything waits for keys; what comes then waits behind it. */
static inline bool tls_waits(const struct tls *tls)
{
    return !tls_waiting_is_empty(&tls->waiting);
}

/* tls_late_may_wait says whether there may be keys soon: their line is not there yet, or, where packets
 * come in disorder, the hello of the other side. */
bool tls_late_may_wait(const struct tls *tls);

/* tls_late_hold keeps a record, sent, until the keys come; false where that may not be. */
bool tls_late_hold(struct tls *tls, int dir, struct cursor sent);

/* tls_late_look tries a record of a connection that was begun late while others wait, so that its keys
 * are looked for on. */
void tls_late_look(struct tls *tls, int dir, const struct tls_record *record);

/* tls_late_lose is tls_sealed_lose, behind what waits. */
void tls_late_lose(struct tls *tls, int dir, uint64_t len, enum tcp_gap why);

/* tls_late_close has the end of a connection wait behind what waits; false where that may not be. */
bool tls_late_close(struct tls *tls, enum tcp_close why);

/* tls_late_is_ready says whether both directions, where something waits of them, have keys. */
bool tls_late_is_ready(struct tls *tls);

/* tls_late_search looks for the keys, and for the numbers, of what waits of a connection that was begun
 * late. */
void tls_late_search(struct tls *tls);

/* tls_late_tell tells what waits where it is ready, as far as the keys go. */
void tls_late_tell(struct tls *tls);

/* tls_late_give_up tells all that waits: the keys do not come. */
void tls_late_give_up(struct tls *tls);

/* tls_late_begin, tls_late_step and tls_late_finish tell one after the other, tls->due being the next. True
 * while there is one; may_wait: one without keys ends it. */
bool tls_late_begin(struct tls *tls);
bool tls_late_step(struct tls *tls, bool may_wait);
void tls_late_finish(struct tls *tls);

/* tls_late_is_over says whether the oldest that waits has waited for long enough. */
bool tls_late_is_over(const struct tls *tls);

/* tls_late_leave: a connection is none of those any more that wait. */
void tls_late_leave(struct tls *tls);

/* tls_eviction_look looks for the keys of all that wait, where the key log has grown since, and tells of
 * those that have them. False where that is too much for now. */
bool tls_eviction_look(struct tls_stage *stage);

/* tls_eviction_expire gives up those that have waited for long enough. */
void tls_eviction_expire(struct tls_stage *stage);

/* tls_handshake_take takes what records of a handshake hold, tls_handshake_alert what one of an
 * alert does. */
void tls_handshake_take(struct tls *tls, int dir, struct cursor data);
void tls_handshake_alert(struct tls *tls, int dir, struct cursor body);

#endif
