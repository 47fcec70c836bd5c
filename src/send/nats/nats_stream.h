/*
 * nats_stream.h - the stream that all capture points publish to.
 */
#ifndef SRC_NATS_STREAM_H
#define SRC_NATS_STREAM_H

#include "send/nats/nats_config.h"
#include "send/nats/nats_library.h"

/* nats_stream_find looks it up, and creates it if there is none: stored in files, for a day, on
 * three servers if there are so many. attempts counts from 0: a cluster may not be complete at
 * first. */
natsStatus nats_stream_find(jsCtx *context, const struct nats_url *url, int attempts);

#endif
