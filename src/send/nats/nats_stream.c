/*
 * nats_stream.c - see nats_stream.h. To use other settings, create the stream beforehand: an
 * existing one is used as it is.
 */
#ifdef DISTSNIFF_NATS

#include "send/nats/nats_stream.h"

#include <stdio.h>

enum {
    REPLICAS = 3,
    PATIENT_ATTEMPTS = 8, /* at three replicas, before one is accepted */
    NO_PEERS = 10005,     /* "no suitable peers for placement" */
    NO_CLUSTER = 10074,   /* "replicas > 1 not supported in non-clustered mode" */
};
#define DAY_NS (24 * 3600 * INT64_C(1000000000))
#define DUPLICATES_NS (120 * INT64_C(1000000000))

static natsStatus make(jsCtx *context, const struct nats_url *url, int replicas, jsErrCode *code)
{
    char pattern[NATS_MAX_WORD + 4];
    const char *subjects[] = {pattern};
    jsStreamConfig config;
    natsStatus status = nats.jsStreamConfig_Init(&config);
    snprintf(pattern, sizeof pattern, "%s.>", url->prefix);
    config.Name = url->stream;
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.MaxAge = DAY_NS;
    config.Duplicates = DUPLICATES_NS;
    config.Replicas = replicas;
    return status == NATS_OK ? nats.js_AddStream(NULL, context, &config, NULL, code) : status;
}

natsStatus nats_stream_find(jsCtx *context, const struct nats_url *url, int attempts)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus status = nats.js_GetStreamInfo(&info, context, url->stream, NULL, &code);
    nats.jsStreamInfo_Destroy(info);
    if (status != NATS_NOT_FOUND)
        return status;
    code = 0;
    status = make(context, url, REPLICAS, &code);
    if (status != NATS_OK &&
        ((int)code == NO_CLUSTER || ((int)code == NO_PEERS && attempts >= PATIENT_ATTEMPTS)))
        status = make(context, url, 1, &code);
    return status;
}

#endif
