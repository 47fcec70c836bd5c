/*
 * nats_config.h - records to NATS JetStream and back, as the command line has it.
 *
 * Design. A capture point publishes what it sees to one stream, which the servers keep and
 * replicate; whoever asks later reads it as if it were the capture files of those points.
 *   - A subject is distsniff.HOST.TYPE (another stream begins with its own name), a payload one JSON
 *     object. Types are those of -T json, which are for everybody's tools, and "packet": the packet
 *     as it was captured, in base64.
 *   - -r nats://... reads packets alone, each HOST as a capture point of its own. So clocks are
 *     corrected, copies left out and reports, pages and fixtures made as of files, by the same code.
 *   - The connection is a process of its own (nats_send_loop.h), started before anything else: it holds
 *     the credentials and sees no packet that was not to be sent; the process that looks at packets
 *     opens no connection, and its sandbox stays what it is.
 *   - Between the two is a queue of fixed size in shared memory (send_queue.h). A live capture never
 *     waits for it: what finds no room is counted, and told in the stream as a record "lost".
 *   - What is not acknowledged stays in the queue and is sent again, after a reconnection too. Each
 *     payload has a Nats-Msg-Id, made of what it is about (record_id.h): the stream stores it once,
 *     however often and by whomever it was sent.
 */
#ifndef SRC_NATS_CONFIG_H
#define SRC_NATS_CONFIG_H

#include "send/nats/nats_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NATS_MAX_READS = 8, NATS_MAX_SERVERS = 16, NATS_MAX_URL = 1024, NATS_MAX_WORD = 64 };

/* nats_url is nats://HOST[:PORT][,HOST[:PORT]...][/STREAM][?since=TIME&until=TIME&host=NAME&follow&
 * lateness=TIME&silence=TIME]; tls:// with TLS. since and until are how long ago, or a moment. */
struct nats_url {
    char text[NATS_MAX_URL]; /* of the servers, cut into pieces */
    const char *servers[NATS_MAX_SERVERS];
    int num_servers; /* 0: none was given */
    bool has_tls;
    char stream[NATS_MAX_WORD];
    char prefix[NATS_MAX_WORD]; /* of its subjects: its name in lower case */
    char host[NATS_MAX_WORD]; /* "*": of all */
    int64_t since_ns; /* since 1970, 0: from the first one that is there; where it follows, from now on */
    int64_t until_ns; /* since 1970: what is stored from then on is not read; 0: all that is there is */
    bool follows;     /* the read goes on with what comes */
    int64_t lateness_ns; /* where it follows: how long hosts are waited for */
    int64_t silence_ns;  /* and after how long one has fallen silent; 0: NATS_SILENCE_NS */
};

struct nats_config {
    struct nats_url publish;
    struct nats_url reads[NATS_MAX_READS];
    size_t num_reads;
    const char *host; /* as it was given; NULL: the name of this host */
    const char *credentials_file, *ca_file, *certificate_file, *key_file; /* NULL: none */
    const char *inbox;       /* the subjects of replies begin with it; NULL: NATS_INBOX */
    const char *id_key_file; /* NULL: ids are not keyed */
    uint32_t types;       /* a bit for each enum nats_type; 0: those of NATS_TYPES_DEFAULT */
    int64_t queue_size;   /* bytes; 0: NATS_QUEUE_SIZE */
    char *spool;          /* the folder of a queue that outlives the program, NULL: none */
    int64_t spool_size;   /* bytes */
    const char *resume_file; /* how far a read that follows has come stands in it, NULL: nowhere */
    int64_t state_ns;     /* how often a state is published; 0: NATS_STATE_NS */
};

/* NATS_STATE_NS is how often a live capture publishes what it knows, by the time of its packets, at least.
 * Readers look for a state in somewhat more time than that. */
#define NATS_STATE_LEAST_NS INT64_C(1000000000)
#define NATS_STATE_NS (60 * INT64_C(1000000000))
#define NATS_STATE_SLACK_NS (30 * INT64_C(1000000000))

#define NATS_LATENESS_NS (2 * INT64_C(1000000000))
/* A host of which a node is connected sends a tick every 15 seconds. */
#define NATS_SILENCE_NS (60 * INT64_C(1000000000))

#define NATS_SPOOL_SIZE (INT64_C(1024) * 1024 * 1024)
#define NATS_SPOOL_MOST (INT64_C(1024) * NATS_SPOOL_SIZE)

enum { NATS_QUEUE_SIZE = 32 * 1024 * 1024, NATS_QUEUE_LEAST = 64 * 1024 };

#define NATS_INBOX "_INBOX"

/* nats_is_prefix says whether subjects can begin with a word: names of letters, digits, - and _, with dots
 * between them, shorter than NATS_MAX_WORD. */
bool nats_is_prefix(const char *word);

/* nats_is_url says whether a word is meant to be one, not a file. */
bool nats_is_url(const char *word);

/* nats_url_parse reads one. False after a complaint that names the option. */
bool nats_url_parse(const char *option, const char *word, struct nats_url *url);

/* nats_check says whether this build talks to NATS at all. False after a complaint. */
bool nats_check(void);

/* nats_host_name writes how a host is called in subjects: what has a meaning there becomes '_'. */
void nats_host_name(const char *given, char name[NATS_MAX_WORD]);

#endif
