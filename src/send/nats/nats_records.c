/*
 * nats_records.c - see nats_records.h.
 */
#include "send/nats/nats_records.h"

#ifdef DISTSNIFF_NATS

#include "send/nats/nats_client.h"
#include "send/nats/nats_pull.h"

bool nats_records_read(const struct nats_reader_config *config, const struct nats_url *url,
                       enum nats_type type,
                       void (*give)(void *context, struct ds_text host, struct ds_text json), void *context,
                       bool *is_whole)
{
    struct nats_client client;
    struct nats_pull pull = {0};
    jsCtx *js = NULL;
    natsMsg *message;
    natsConnection *connection =
        nats_reader_prepare(config, url, NULL, &client) ? nats_client_open(&client, &js) : NULL;
    const bool good = connection != NULL && nats_pull_begin(&pull, url, type, 0, connection, js);
    while (good && (message = nats_pull_next(&pull)) != NULL) {
        const int len = nats.natsMsg_GetDataLength(message);
        give(context, nats_pull_host(message),
             (struct ds_text){nats.natsMsg_GetData(message), len > 0 ? (size_t)len : 0});
        nats.natsMsg_Destroy(message);
    }
    *is_whole = good && nats_pull_is_whole(&pull);
    if (connection != NULL) {
        nats_pull_end(&pull);
        nats.jsCtx_Destroy(js);
        nats.natsConnection_Destroy(connection);
    }
    return good;
}

#else

bool nats_records_read(const struct nats_reader_config *config, const struct nats_url *url,
                       enum nats_type type,
                       void (*give)(void *context, struct ds_text host, struct ds_text json), void *context,
                       bool *is_whole)
{
    (void)config, (void)url, (void)type, (void)give, (void)context, (void)is_whole;
    return false;
}

#endif
