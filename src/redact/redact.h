/*
 * redact.h - records made safe to share: the stage between select and the outputs. What the
 * words of --redact name (redact.def) becomes a pseudonym (pseudonym.h); types, lengths,
 * arities and equality stay. So the filters see what was sent, and every output what may be
 * shown. Challenges, digests and bytes as sent are never in a redacted record.
 */
#ifndef SRC_REDACT_H
#define SRC_REDACT_H

#include "record/record.h"
#include "redact/redact_config.h"

struct redact;

enum redact_status {
    REDACT_OK,
    REDACT_DROP,   /* there is nothing in it that may be shown */
    REDACT_FAILED, /* memory ran out, or libcrypto failed, or it takes too long: signals.h */
};

/* redact_new makes the stage that options ask for. NULL after a complaint. */
struct redact *redact_new(const struct redact_config *config);
void redact_free(struct redact *redact); /* NULL is allowed */

/* redact_num_given_up returns how often it took too long to tell whether a text is to stay, so that
 * it was replaced. */
uint64_t redact_num_given_up(const struct redact *redact);

/* redact_record gives out a record to be shown in place of one. It lives until the next call. */
enum redact_status redact_record(struct redact *redact, const struct record *record,
                                 const struct record **out);

/* redact_get_frame returns the frame of the message or tick that redact_record has just given
 * out, encoded anew, as a record of DS_EVENT_FRAME that lives as long: only with --reencode. Of a
 * message that is not whole nothing is encoded: its frame has a size and no bytes, and the
 * message's fault. NULL also when memory ran out: redact_failed says so. It may only be called
 * after REDACT_OK. */
const struct record *redact_get_frame(struct redact *redact);
bool redact_failed(struct redact *redact);

#endif
