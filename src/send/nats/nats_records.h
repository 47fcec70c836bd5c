/*
 * nats_records.h - reads the records of one type in a stream, each a JSON object.
 */
#ifndef SRC_NATS_RECORDS_H
#define SRC_NATS_RECORDS_H

#include "send/nats/nats_reader.h"

#include <distsniff/term.h>

/* nats_records_read calls give with each record, and the host that published it. It drops all rights
 * of this process first. *is_whole: no record is missing; otherwise that was reported. False after an
 * error message. */
bool nats_records_read(const struct nats_reader_config *config, const struct nats_url *url,
                       enum nats_type type,
                       void (*give)(void *context, struct ds_text host, struct ds_text json), void *context,
                       bool *is_whole);

#endif
