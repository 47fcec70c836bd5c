/*
 * nats_config.h - the command line's settings for records to NATS JetStream and back.
 *
 * Design. A capture point publishes what it sees to one stream, which the servers keep and
 * replicate; a later reader reads it as if it were the capture files of those points.
 *   - A subject is distsniff.HOST.TYPE (another stream begins with its own name), a payload one JSON
 *     object. Types are those of -T json, for any tool, and "packet": the packet as it was captured,
 *     in base64.
 *   - -r nats://... reads only packets, each HOST as a separate capture point. So the same code as
 *     for files corrects clocks, removes copies, and makes reports, pages and fixtures.
 *   - A separate process has the connection (nats_send_loop.h). It is started before anything else,
 *     has the credentials, and sees only packets that are to be sent. The process that looks at
 *     packets opens no connection, and its sandbox stays as it is.
 *   - Between the two is a queue of fixed size in shared memory (send_queue.h). A live capture never
 *     waits for it: records that do not fit are counted, and the stream gets a record "lost".
 *   - Records that are not acknowledged stay in the queue and are sent again, also after a
 *     reconnection. Each payload has a Nats-Msg-Id, derived from its content (record_id.h): the
 *     stream stores it once, however often and by however many hosts it was sent.
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
    char text[NATS_MAX_URL]; /* of the servers, split into parts */
    const char *servers[NATS_MAX_SERVERS];
    int num_servers; /* 0: the URL was not given */
    bool has_tls;
    char stream[NATS_MAX_WORD];
    char prefix[NATS_MAX_WORD]; /* of its subjects: its name in lower case */
    char host[NATS_MAX_WORD]; /* read from this host; "*": all hosts */
    int64_t since_ns; /* since 1970, 0: from the first record that the stream has; if the read
                       * follows, from now on */
    int64_t until_ns; /* since 1970: records stored from then on are not read; 0: all are read */
    bool follows;     /* the read goes on with new records */
    int64_t lateness_ns; /* if it follows: how long it waits for hosts */
    int64_t silence_ns;  /* and after how long a host has fallen silent; 0: NATS_SILENCE_NS */
};

struct nats_config {
    struct nats_url publish;
    struct nats_url reads[NATS_MAX_READS];
    size_t num_reads;
    const char *host; /* as it was given; NULL: the name of this host */
    const char *credentials_file, *ca_file, *certificate_file, *key_file; /* NULL: none */
    const char *inbox;       /* the subjects of replies begin with this; NULL: NATS_INBOX */
    const char *id_key_file; /* NULL: ids are not keyed */
    uint32_t types;       /* a bit for each enum nats_type; 0: those of NATS_TYPES_DEFAULT */
    int64_t queue_size;   /* bytes; 0: NATS_QUEUE_SIZE */
    char *spool;          /* the folder of a queue that persists between runs, NULL: none */
    int64_t spool_size;   /* bytes */
    const char *resume_file; /* a read that follows saves its position there, NULL: nowhere */
    int64_t state_ns;     /* how often a state is published; 0: NATS_STATE_NS */
};

/* NATS_STATE_NS is the minimum interval at which a live capture publishes what it knows, by the
 * time of its packets. Readers look for a state in somewhat more time than that. */
#define NATS_STATE_LEAST_NS INT64_C(1000000000)
#define NATS_STATE_NS (60 * INT64_C(1000000000))
#define NATS_STATE_SLACK_NS (30 * INT64_C(1000000000))

#define NATS_LATENESS_NS (2 * INT64_C(1000000000))
/* A host with a connected node sends a tick every 15 seconds. */
#define NATS_SILENCE_NS (60 * INT64_C(1000000000))

#define NATS_SPOOL_SIZE (INT64_C(1024) * 1024 * 1024)
#define NATS_SPOOL_MOST (INT64_C(1024) * NATS_SPOOL_SIZE)

enum { NATS_QUEUE_SIZE = 32 * 1024 * 1024, NATS_QUEUE_LEAST = 64 * 1024 };

#define NATS_INBOX "_INBOX"

/* nats_is_prefix says whether subjects can begin with a word: names of letters, digits, - and _,
 * separated by dots, shorter than NATS_MAX_WORD. */
bool nats_is_prefix(const char *word);

/* nats_is_url says whether a word is meant as a NATS URL, not a file. */
bool nats_is_url(const char *word);

/* nats_url_parse parses a URL. False after an error message that names the option. */
bool nats_url_parse(const char *option, const char *word, struct nats_url *url);

/* nats_check says whether this build supports NATS. False after an error message. */
bool nats_check(void);

/* nats_host_name writes the name of a host as subjects have it: characters with a meaning there
 * become '_'. */
void nats_host_name(const char *given, char name[NATS_MAX_WORD]);

#endif
