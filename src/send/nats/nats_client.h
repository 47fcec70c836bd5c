/*
 * nats_client.h - a connection to NATS, as both who publishes and who reads need it: credentials and
 * certificates are read from their files once, before rights are given up, and kept in memory.
 */
#ifndef SRC_NATS_CLIENT_H
#define SRC_NATS_CLIENT_H

#include "send/nats/id_key.h"
#include "send/nats/nats_config.h"
#include "send/nats/nats_library.h"

struct nats_client {
    const struct nats_url *url;
    bool has_tls;
    /* Texts of files, NULL: there was none. */
    char *jwt, *seed;       /* of a file of credentials */
    char *user, *password;  /* or of USER:PASSWORD */
    char *token;            /* or of a token */
    char *ca, *certificate, *key;
    const char *inbox;      /* the subjects of replies begin with it */
    struct id_key id_key;
};

/* nats_client_init reads the files. What they hold stays until the process ends, as do the threads of the
 * library that may ask for it. False after a complaint. */
bool nats_client_init(struct nats_client *client, const struct nats_config *config,
                      const struct nats_url *url);

/* nats_client_connect connects once, to any of the servers. on_reconnect is called, in a thread of the
 * library, when it has connected again by itself, which it does for good. What went wrong is left to
 * nats_client_trouble. */
natsStatus nats_client_connect(struct nats_client *client, natsConnectionHandler on_reconnect,
                               void *context, natsConnection **connection);

/* nats_client_open connects, tries again for five seconds unless it is refused, and gives the context of
 * JetStream. NULL after a complaint. Call back_off_begin first. */
natsConnection *nats_client_open(struct nats_client *client, jsCtx **context);

/* nats_client_is_refused says whether what went wrong is not over in a moment: wrong credentials, or
 * certificates. */
bool nats_client_is_refused(natsStatus status);

/* nats_client_is_forbidden says whether the servers have refused this user something on this connection.
 * Requests that they refuse get no other answer. */
bool nats_client_is_forbidden(natsConnection *connection);

/* nats_client_why says what went wrong with a request: that it is forbidden, or nats_client_trouble. */
const char *nats_client_why(natsConnection *connection, natsStatus status);

/* nats_client_trouble says what went wrong last in this thread. */
const char *nats_client_trouble(natsStatus status);

#endif
