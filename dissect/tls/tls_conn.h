/*
 * tls_conn.h - shared by the parts of TLS: a connection and its two directions. tls.c reads the
 * stream and its records, tls_sealed.c emits the content of encrypted ones, tls_keys.c decrypts
 * them, at numbers that tls_number.c finds, tls_write_keys.c does so with keys without a secret,
 * tls_search.c searches the keys of records whose connection is unknown, within tls_budget.c,
 * tls_origin.c remembers the secrets used, tls_handshake.c reads the handshake, tls_late_keys.c
 * keeps records until their keys come, and tls_eviction.c reports the records of all waiting
 * connections in the order in which they came.
 */
#ifndef DISSECT_TLS_CONN_H
#define DISSECT_TLS_CONN_H

#include "conn/stream_buffer.h"
#include "tcp/tcp_analysis.h"
#include "tls/keylog.h"
#include "tls/tls.h"
#include "tls/tls_waiting.h"

enum {
    TLS_MAX_WRONG = 16,            /* records in a row that cannot be decrypted: the keys are wrong */
    TLS_MAX_UNKNOWN_SEQ = 1 << 20, /* how many numbers to search for a record whose count is unknown */
    TLS_TEXT_MAX = 1 << 16,        /* of a record, or of a snapshot's payload */
};
#define TLS_SECOND_NS INT64_C(1000000000)

struct tls_stage {
    struct dissect_ctx *env;
    const struct tls_events *events;
    int64_t budget, budget_ns; /* for tries: left of the second that began at budget_ns */
    uint32_t num_asking;       /* connections that used some of it */
    uint32_t num_asked;        /* the same for the second before */
    int64_t spent;             /* on tries, beyond what the bytes received allow */
    struct tls *oldest, *newest; /* waiting for keys, by when they began to */
    size_t num_waiting;
    uint64_t keys_age; /* of the key log when it was last examined */
    int64_t now_ns;
    bool is_ending; /* no more keys will come */
    uint8_t text[TLS_TEXT_MAX];
};

/* tls_origin is the line of the key log from which a direction's keys come, and how they were
 * derived. */
struct tls_origin {
    bool is_known;
    enum tls_label label;
    uint32_t updates;  /* key updates before that line */
    uint32_t renewals; /* key updates after it, derived */
    bool mac_last;
    const struct tls_suite *suite;
    uint8_t random[2][TLS_RANDOM_LEN];
};

/* tls_search is how far the secrets of a part of the key log were tried, if no random says which
 * one is meant: those added after number after, up to up_to. */
struct tls_search {
    uint64_t after, up_to;
    uint64_t tried; /* this many numbers from the counted one on were tried */
    uint64_t from;  /* for the current secret: after tried */
    size_t next;    /* the next secret and suite */
};

struct tls_dir {
    struct stream_buffer held;   /* the beginning of a record */
    struct stream_buffer handshake; /* the beginning of an unencrypted handshake message */
    uint64_t skip;               /* bytes of a handshake message to ignore */
    struct tls_cipher early;     /* of the handshake in 1.3 */
    uint64_t early_seq;
    bool is_early_over; /* from here on the keys are those of data */
    struct tls_cipher cipher;
    uint8_t secret[TLS_SECRET_MAX]; /* for 1.3 */
    struct tls_origin origin;       /* of cipher and secret */
    uint64_t seq;                   /* of the next record, or its minimum */
    unsigned bits;                  /* with a write key: the low bits of seq that are known */
    size_t next_key;                /* the line of the key log that may be the next write key */
    uint64_t slack;                 /* by how much it can be larger */
    uint64_t tried;                 /* this many numbers from seq on were tried */
    unsigned num_searches;          /* for numbers other than the expected one */
    struct tls_search known, added; /* without keys; added: what the key log gained since */
    bool is_knowns_turn;             /* known was searched last; the two take turns */
    bool is_sealed;                 /* 1.2: after ChangeCipherSpec */
    bool is_open;                   /* the key has decrypted a record */
    bool is_lost;                   /* not at the beginning of a record */
    unsigned num_wrong;
    uint64_t rest; /* bytes that have come after the current record */
    uint64_t lost; /* bytes that could not be decrypted and were not reported yet */
    enum tcp_gap lost_why;
};

struct tls {
    struct tls_stage *stage;
    const struct tcp_conn_view *tcp;
    const struct tcp_conn_view *at; /* tcp, or then, while waiting records are reported */
    struct tcp_conn_view then;      /* tcp as it was when they came */
    struct tls_waiting waiting;
    struct tls *older, *newer; /* neighbours in the list of waiting ones, if is_listed */
    bool is_listed;
    /* While waiting records are reported: the next one, the position in the queue, and current
     * values to restore; child and sibling: others with later records, tls_eviction.c. */
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
    int client; /* the client's direction; -1: not known */
    bool has_client_random, has_server_random, mac_last;
    bool is_told;                      /* sealed was reported */
    uint8_t random[2][TLS_RANDOM_LEN]; /* of the client, of the server */
    uint64_t keys_age;                 /* of the key log, when it was last looked up */
    bool has_waited;                   /* a record waited for its keys */
    bool is_closed;                    /* its end waits too */
    uint64_t waits_age;                /* of the key log when the first one began to wait */
    int64_t share, share_ns;           /* for its tries: left of the second that began at share_ns */
    char sni[256], names[2][256];
};

/* What tries cost, in bytes that could be decrypted instead. */
enum {
    TLS_RECORD_COST = 3 * 1024, /* per record, plus its bytes */
    TLS_KEY_COST = 32 * 1024,   /* per derivation of keys */
};

/* tls_budget_allow allows tries for len bytes that have come. */
void tls_budget_allow(struct tls_stage *stage, size_t len);

/* tls_budget_spend subtracts a cost from the share that a connection has of the second; false, and
 * nothing is subtracted, if not enough is left. tls_budget_is_spent says whether not even one key
 * can be tried any more. */
bool tls_budget_spend(struct tls *tls, size_t cost);
bool tls_budget_is_spent(struct tls *tls);

/* tls_budget_spend_reserve is tls_budget_spend for tries that no search may use up: it leaves a quarter
 * of the second to them. */
bool tls_budget_spend_reserve(struct tls *tls, size_t cost);

/* tls_budget_spend_all subtracts the cost of work for all connections from what the bytes received
 * allow. */
bool tls_budget_spend_all(struct tls_stage *stage, size_t cost);

enum {
    TLS_FIRST_SEARCH = 256,      /* numbers tried for the first record; more for each further one, */
    TLS_MAX_SEARCH = 16 * 1024,  /* at most this many: the next record continues with others */
    TLS_SMALL_RECORD = 512,      /* bytes; larger ones are too expensive for a search */
};

/* tls_number_may_search: if the keys are wrong, or belong to another connection, fewer and fewer
 * records are used for the search. */
bool tls_number_may_search(const struct tls_dir *d);

/* tls_search_all tries all secrets of the key log on a record whose connection is unknown. */
bool tls_search_all(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                    uint8_t *type);

/* tls_origin_set records that the current keys of a direction come from that line of the key log. */
void tls_origin_set(const struct tls *tls, struct tls_dir *d, const struct keylog_secret *secret);

/* tls_origin_find returns that line, NULL if the key log does not have it. */
const struct keylog_secret *tls_origin_find(const struct tls *tls, const struct tls_origin *origin);

/* tls_origin_key derives the key that encrypts snapshots of a direction from the secret of its
 * keys, so that only a holder of that secret can decrypt them. False if there is none. */
enum { TLS_SNAPSHOT_KEY_LEN = 64 };
bool tls_origin_key(const struct tls *tls, int dir, uint8_t key[TLS_SNAPSHOT_KEY_LEN]);

/* tls_keys_find looks up the keys of a direction that has none yet. */
bool tls_keys_find(struct tls *tls, int dir);

/* tls_keys_look does that for both directions after the key log has grown or a hello was seen. */
void tls_keys_look(struct tls *tls);

/* tls_number_open tries the possible numbers of a record: the expected one, then some of the
 * others. Numbers ruled out for this record are ruled out for the next one too, plus one: it continues
 * from there. */
bool tls_number_open(struct tls *tls, struct tls_dir *d, struct tls_cipher *cipher,
                     const struct tls_record *record, size_t *len, uint8_t *type);

/* tls_keys_open decrypts a record of data into the stage's text, with the current keys or with
 * others that may apply; len and type are those of the content. */
bool tls_keys_open(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                   uint8_t *type);

/* tls_keys_open_handshake decrypts a handshake record of TLS 1.3, which has its own keys. */
bool tls_keys_open_handshake(struct tls *tls, int dir, const struct tls_record *record,
                             size_t *len, uint8_t *type);

/* tls_keys_update switches to the next keys of a direction. */
void tls_keys_update(struct tls *tls, int dir);

/* tls_write_keys_exist says whether the key log has write keys. tls_write_keys_are_of says whether the
 * keys of a direction are from such a line, tls_write_keys_may_fit whether a line may be for a
 * connection. */
bool tls_write_keys_exist(const struct tls *tls);
bool tls_write_keys_are_of(const struct tls_dir *d);
bool tls_write_keys_may_fit(const struct tls *tls, const struct keylog_secret *secret, bool is_13);

/* tls_write_keys_set makes a cipher of a line, tls_write_keys_adopt makes one that has opened a
 * record with that number the cipher of a direction. tls_write_keys_use makes the line of a
 * snapshot's origin that again, where seq is what tls_write_keys_number returned. */
bool tls_write_keys_set(struct tls_cipher *cipher, const struct keylog_secret *secret, bool is_13);
void tls_write_keys_adopt(struct tls *tls, int dir, const struct tls_cipher *cipher, uint64_t number,
                          const struct keylog_secret *secret);
bool tls_write_keys_use(struct tls *tls, struct tls_dir *d, const struct keylog_secret *secret);
uint64_t tls_write_keys_number(const struct tls *tls, const struct tls_dir *d);

/* tls_write_keys_try tries lines on a record, each at one number. tls_write_keys_open is
 * tls_keys_open for a direction with such a key. */
bool tls_write_keys_try(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                        uint8_t *type);
bool tls_write_keys_open(struct tls *tls, int dir, const struct tls_record *record, size_t *len,
                         uint8_t *type);

/* tls_write_keys_learn finds out more bits of the number of a record that was opened, by the waiting
 * records before it: so many that they have numbers too. */
void tls_write_keys_learn(struct tls *tls, int dir, uint64_t records);

/* tls_sealed_open decrypts a record that was sent as len bytes and emits its content, or reports
 * that it cannot be decrypted. False, and nothing is done, if there are no keys yet and it may
 * wait. */
bool tls_sealed_open(struct tls *tls, int dir, const struct tls_record *record, size_t len,
                     bool may_wait);

/* tls_sealed_on_loss records len bytes that are missing or malformed. tls_sealed_slack returns how
 * many records they may have contained. */
void tls_sealed_on_loss(struct tls *tls, int dir, uint64_t len, enum tcp_gap why);
uint64_t tls_sealed_slack(uint64_t len);

/* tls_waits says whether anything waits for keys; later records then wait behind it. */
static inline bool tls_waits(const struct tls *tls)
{
    return !tls_waiting_is_empty(&tls->waiting);
}

/* tls_late_may_wait says whether keys may come soon: their line is missing, or, if packets arrive
 * out of order, the hello of the other side, or the record of a nonce that shows whose key it is. */
bool tls_late_may_wait(const struct tls *tls);

/* tls_late_hold keeps a record, as sent, until the keys come; false if it may not wait. */
bool tls_late_hold(struct tls *tls, int dir, struct cursor sent);

/* tls_late_look tries a record of a connection joined late while others wait, to continue the
 * search for its keys. */
void tls_late_look(struct tls *tls, int dir, const struct tls_record *record);

/* tls_late_on_loss is tls_sealed_on_loss, after the waiting records. */
void tls_late_on_loss(struct tls *tls, int dir, uint64_t len, enum tcp_gap why);

/* tls_late_close queues the end of a connection after the waiting records; false if it may not
 * wait. */
bool tls_late_close(struct tls *tls, enum tcp_close why);

/* tls_late_is_ready says whether both directions have keys if records of them wait. */
bool tls_late_is_ready(struct tls *tls);

/* tls_late_search looks for the keys and numbers of the waiting records of a connection joined
 * late. */
void tls_late_search(struct tls *tls);

/* tls_late_deliver reports the waiting records if it is ready, as far as there are keys. */
void tls_late_deliver(struct tls *tls);

/* tls_late_abandon reports all waiting records: the keys do not come. */
void tls_late_abandon(struct tls *tls);

/* tls_late_begin, tls_late_step and tls_late_finish report one after the other; tls->due is the
 * next. True while there is one; may_wait: stop at one without keys. */
bool tls_late_begin(struct tls *tls);
bool tls_late_step(struct tls *tls, bool may_wait);
void tls_late_finish(struct tls *tls);

/* tls_late_is_over says whether the oldest waiting record has waited long enough. */
bool tls_late_is_over(const struct tls *tls);

/* tls_late_leave removes a connection from the list of waiting ones. */
void tls_late_leave(struct tls *tls);

/* tls_eviction_look looks for the keys of all waiting connections if the key log has grown since,
 * and reports those that have them. False if the budget does not allow that now. */
bool tls_eviction_look(struct tls_stage *stage);

/* tls_eviction_expire abandons the connections that have waited long enough. */
void tls_eviction_expire(struct tls_stage *stage);

/* tls_handshake_read processes the content of handshake records, tls_handshake_alert that of an
 * alert. */
void tls_handshake_read(struct tls *tls, int dir, struct cursor data);
void tls_handshake_alert(struct tls *tls, int dir, struct cursor body);

#endif
