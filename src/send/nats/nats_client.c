/*
 * nats_client.c - see nats_client.h.
 */
#ifdef DISTSNIFF_NATS

#include "send/nats/nats_client.h"

#include "core/clock.h"
#include "core/complain.h"
#include "files/small_file.h"
#include "record/back_off.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_NS (5 * INT64_C(1000000000))

enum {
    CONNECT_MS = 3000,
    PING_MS = 5000, /* a server that answers nothing is abandoned after two of them */
};

/* line_behind returns a copy of the line after the one that contains a mark; NULL if there is none. */
static char *line_behind(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    at = at != NULL ? strchr(at, '\n') : NULL;
    return at != NULL ? strndup(at + 1, strcspn(at + 1, "\r\n")) : NULL;
}

/* read_credentials reads a file of credentials: a JWT and its seed, as nsc writes them,
 * USER:PASSWORD, or a token. */
static bool read_credentials(struct nats_client *client, const char *name)
{
    char *text = small_file_read(name, false);
    if (text == NULL)
        return false;
    client->jwt = line_behind(text, "BEGIN NATS USER JWT");
    client->seed = line_behind(text, "BEGIN USER NKEY SEED");
    text[strcspn(text, "\r\n")] = '\0';
    char *colon = strchr(text, ':');
    const bool is_jwt = client->jwt != NULL && client->seed != NULL;
    if (!is_jwt && colon != NULL) {
        client->user = strndup(text, (size_t)(colon - text));
        client->password = strdup(colon + 1);
    } else if (!is_jwt && text[0] != '\0' && text[0] != '-') {
        client->token = strdup(text);
    }
    const bool good = is_jwt || client->password != NULL || client->token != NULL;
    if (!good)
        complain("%s has no credentials: expected a file written by nsc, USER:PASSWORD, or a "
                 "token", name);
    explicit_bzero(text, strlen(text));
    free(text);
    return good;
}

bool nats_client_init(struct nats_client *client, const struct nats_config *config,
                      const struct nats_url *url)
{
    *client = (struct nats_client){.url = url, .has_tls = url->has_tls || config->ca_file != NULL,
                                   .inbox = config->inbox != NULL ? config->inbox : NATS_INBOX};
    return id_key_read(config->id_key_file, &client->id_key) &&
           (config->credentials_file == NULL || read_credentials(client, config->credentials_file)) &&
           (config->ca_file == NULL || (client->ca = small_file_read(config->ca_file, false)) != NULL) &&
           (config->certificate_file == NULL ||
            ((client->certificate = small_file_read(config->certificate_file, false)) != NULL &&
             (client->key = small_file_read(config->key_file, false)) != NULL));
}

static natsStatus give_jwt(char **jwt, char **error, void *context)
{
    const struct nats_client *client = context;
    (void)error;
    *jwt = strdup(client->jwt);
    return *jwt != NULL ? NATS_OK : NATS_NO_MEMORY;
}

static natsStatus sign(char **error, unsigned char **signature, int *len, const char *nonce,
                       void *context)
{
    const struct nats_client *client = context;
    (void)error;
    return nats.nats_Sign(client->seed, nonce, signature, len);
}

static int64_t pause_again(natsConnection *connection, int attempts, void *context)
{
    (void)connection;
    (void)context;
    return back_off_ms(attempts);
}

/* Errors that the library reports here are detected in other ways. */
static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status,
                     void *context)
{
    (void)connection;
    (void)subscription;
    (void)status;
    (void)context;
}

static natsStatus set_secrets(struct nats_client *client, natsOptions *options)
{
    natsStatus status = NATS_OK;
    if (client->has_tls)
        status = nats.natsOptions_SetSecure(options, true);
    if (status == NATS_OK && client->ca != NULL)
        status = nats.natsOptions_SetCATrustedCertificates(options, client->ca);
    if (status == NATS_OK && client->certificate != NULL)
        status = nats.natsOptions_SetCertificatesChain(options, client->certificate, client->key);
    if (status == NATS_OK && client->user != NULL)
        status = nats.natsOptions_SetUserInfo(options, client->user, client->password);
    if (status == NATS_OK && client->token != NULL)
        status = nats.natsOptions_SetToken(options, client->token);
    if (status == NATS_OK && client->jwt != NULL)
        status = nats.natsOptions_SetUserCredentialsCallbacks(options, give_jwt, client, sign, client);
    return status;
}

static natsStatus set_options(struct nats_client *client, natsConnectionHandler on_reconnect,
                              void *context, natsOptions *options)
{
    natsStatus status = nats.natsOptions_SetServers(
        options, (const char **)(uintptr_t)client->url->servers, client->url->num_servers);
#define ALSO(call) status = status == NATS_OK ? nats.natsOptions_##call : status
    ALSO(SetName(options, "distsniff"));
    ALSO(SetTimeout(options, CONNECT_MS));
    ALSO(SetMaxReconnect(options, -1));
    ALSO(SetReconnectBufSize(options, 1)); /* unacknowledged messages are in the queue, and are sent
                                            * again from there */
    ALSO(SetCustomReconnectDelay(options, pause_again, NULL));
    ALSO(SetCustomInboxPrefix(options, client->inbox));
    ALSO(SetPingInterval(options, PING_MS));
    ALSO(SetMaxPingsOut(options, 2));
    ALSO(SetErrorHandler(options, on_error, NULL));
    if (on_reconnect != NULL)
        ALSO(SetReconnectedCB(options, on_reconnect, context));
#undef ALSO
    return status == NATS_OK ? set_secrets(client, options) : status;
}

natsStatus nats_client_connect(struct nats_client *client, natsConnectionHandler on_reconnect,
                               void *context, natsConnection **connection)
{
    natsOptions *options = NULL;
    natsStatus status = nats.natsOptions_Create(&options);
    if (status == NATS_OK)
        status = set_options(client, on_reconnect, context, options);
    if (status == NATS_OK)
        status = nats.natsConnection_Connect(connection, options);
    nats.natsOptions_Destroy(options);
    return status;
}

const char *nats_client_trouble(natsStatus status)
{
    natsStatus last = NATS_OK;
    const char *text = nats.nats_GetLastError(&last);
    if (text == NULL || text[0] == '\0' || last != status)
        return nats.natsStatus_GetText(status);
    /* It begins with a place in the library's source: (conn.c:2088): No server available. */
    const char *words = text[0] == '(' ? strstr(text, "): ") : NULL;
    return words != NULL ? words + strlen("): ") : text;
}

/* last_error returns the latest error that the servers sent, and its text. */
static natsStatus last_error(natsConnection *connection, const char **text)
{
    *text = "";
    return connection != NULL ? nats.natsConnection_GetLastError(connection, text) : NATS_OK;
}

bool nats_client_is_forbidden(natsConnection *connection)
{
    const char *text;
    return last_error(connection, &text) == NATS_NOT_PERMITTED;
}

const char *nats_client_why(natsConnection *connection, natsStatus status)
{
    const char *text;
    return last_error(connection, &text) == NATS_NOT_PERMITTED && text != NULL && text[0] != '\0'
               ? text
               : nats_client_trouble(status);
}

/* is_cut says whether a TLS handshake was closed without an error. Servers allow two seconds, and
 * close while others are still in it. The library writes null where OpenSSL has no reason to give. */
static bool is_cut(natsStatus status)
{
    const char *trouble = nats_client_trouble(status);
    return status == NATS_SSL_ERROR &&
           (strstr(trouble, "unexpected eof") != NULL || strstr(trouble, "(null)") != NULL);
}

natsConnection *nats_client_open(struct nats_client *client, jsCtx **context)
{
    const int64_t begin_ns = clock_now_ns();
    natsConnection *connection = NULL;
    natsStatus status;
    for (int attempts = 0;; attempts++) {
        status = nats_client_connect(client, NULL, NULL, &connection);
        if (status == NATS_OK || nats_client_is_refused(status) || clock_now_ns() - begin_ns > OPEN_NS)
            break;
        usleep((useconds_t)back_off_ms(attempts) * 1000);
    }
    if (status == NATS_OK)
        status = nats.natsConnection_JetStream(context, connection, NULL);
    if (status == NATS_OK)
        return connection;
    complain("NATS: cannot connect: %s", nats_client_trouble(status));
    return NULL;
}

bool nats_client_is_refused(natsStatus status)
{
    return status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED ||
           (status == NATS_SSL_ERROR && !is_cut(status));
}

#endif
