/*
 * redact.h - makes records safe to share: the stage between select and the outputs. The words of
 * --redact (redact.def) choose what is replaced by pseudonyms (pseudonym.h); types, lengths, arities
 * and equality do not change. So filters see what was sent, and all outputs get only what may be shown.
 * Challenges, digests and bytes as sent are never in a redacted record.
 */
#ifndef SRC_REDACT_H
#define SRC_REDACT_H

#include "record/record.h"
#include "redact/redact_config.h"

struct redact;

enum redact_status {
    REDACT_OK,
    REDACT_DROP,   /* nothing in the record may be shown */
    REDACT_FAILED, /* memory ran out, libcrypto failed, or the program must stop: signals.h */
};

/* redact_new makes the stage for the given options. NULL after an error message. */
struct redact *redact_new(const struct redact_config *config);
void redact_free(struct redact *redact); /* NULL is allowed */

/* redact_num_given_up returns how many texts were replaced because deciding whether they stay took too
 * long. */
uint64_t redact_num_given_up(const struct redact *redact);

/* redact_record sets *out to the redacted form of a record. It lives until the next call. */
enum redact_status redact_record(struct redact *redact, const struct record *record,
                                 const struct record **out);

/* redact_get_frame returns the newly encoded frame of the message or tick that redact_record has just
 * returned, as a record of DS_EVENT_FRAME that lives as long: only with --reencode. An incomplete
 * message is not encoded: its frame has a size and no bytes, and the fault of the message. It also
 * returns NULL when memory ran out: then redact_failed is true. Call it only after REDACT_OK. */
const struct record *redact_get_frame(struct redact *redact);
bool redact_failed(struct redact *redact);

#endif
