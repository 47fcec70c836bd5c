/*
 * nats_client.h - a connection to NATS, for publishers and readers: credentials and certificates
 * are read from their files once, before rights are dropped, and kept in memory.
 */
#ifndef SRC_NATS_CLIENT_H
#define SRC_NATS_CLIENT_H

#include "send/nats/id_key.h"
#include "send/nats/nats_config.h"
#include "send/nats/nats_library.h"

struct nats_client {
    const struct nats_url *url;
    bool has_tls;
    /* The contents of files, NULL: no file. */
    char *jwt, *seed;       /* from a file of credentials */
    char *user, *password;  /* or of USER:PASSWORD */
    char *token;            /* or of a token */
    char *ca, *certificate, *key;
    const char *inbox;      /* the subjects of replies begin with this */
    struct id_key id_key;
};

/* nats_client_init reads the files. Their contents stay in memory until the process ends, as do the
 * threads of the library that may need them. False after an error message. */
bool nats_client_init(struct nats_client *client, const struct nats_config *config,
                      const struct nats_url *url);

/* nats_client_connect connects once, to any of the servers. A thread of the library calls
 * on_reconnect each time it has reconnected by itself, which it tries without end. For the reason
 * of a failure call nats_client_trouble. */
natsStatus nats_client_connect(struct nats_client *client, natsConnectionHandler on_reconnect,
                               void *context, natsConnection **connection);

/* nats_client_open connects, retries for five seconds unless it is refused, and returns a context
 * of JetStream too. NULL after an error message. Call back_off_begin first. */
natsConnection *nats_client_open(struct nats_client *client, jsCtx **context);

/* nats_client_is_refused says whether a retry is pointless: wrong credentials, or certificates. */
bool nats_client_is_refused(natsStatus status);

/* nats_client_is_forbidden says whether the servers have denied this user anything on this
 * connection. They do not answer a denied request otherwise. */
bool nats_client_is_forbidden(natsConnection *connection);

/* nats_client_why returns why a request failed: it is forbidden, or nats_client_trouble. */
const char *nats_client_why(natsConnection *connection, natsStatus status);

/* nats_client_trouble returns the last error of this thread. */
const char *nats_client_trouble(natsStatus status);

#endif
