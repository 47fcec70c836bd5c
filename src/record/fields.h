/*
 * fields.h - conditions that the rows of fields.def use.
 */
#ifndef SRC_FIELDS_H
#define SRC_FIELDS_H

#include "record/loss.h"
#include "record/record.h"

#include <distsniff/dissect.h>

#define ALWAYS true

/* A message whose bytes arrive in less time than this counts as instantaneous. */
#define LONG_WIRE_NS INT64_C(10000000)

/* epmd_has_result: the message is an answer that says whether the request succeeded. If it failed, the
 * answer has no other contents. */
static inline bool epmd_has_result(const struct ds_epmd *epmd)
{
    return epmd->op == DS_EPMD_ALIVE2_RESP || epmd->op == DS_EPMD_ALIVE2_X_RESP ||
           epmd->op == DS_EPMD_PORT2_RESP;
}

/* epmd_has_registration: the message has all fields of a registration. */
static inline bool epmd_has_registration(const struct ds_epmd *epmd)
{
    return epmd->op == DS_EPMD_ALIVE2_REQ ||
           (epmd->op == DS_EPMD_PORT2_RESP && epmd->result == 0);
}

static inline bool epmd_has_creation(const struct ds_epmd *epmd)
{
    return (epmd->op == DS_EPMD_ALIVE2_RESP || epmd->op == DS_EPMD_ALIVE2_X_RESP) &&
           epmd->result == 0;
}

/* epmd_has_nodes: the message has a list of nodes. */
static inline bool epmd_has_nodes(const struct ds_epmd *epmd)
{
    return epmd->op == DS_EPMD_NAMES_RESP || epmd->op == DS_EPMD_DUMP_RESP;
}

static inline bool handshake_has_creation(const struct ds_handshake *handshake)
{
    return handshake->creation != 0 || handshake->version == 6 ||
           handshake->step == DS_STEP_COMPLEMENT;
}

static inline bool message_was_long(const struct ds_message *message)
{
    return message->wire_ns >= LONG_WIRE_NS || message->stalled_ns != 0;
}

/* link_is_over: these are the last statistics of a link. */
static inline bool link_is_over(const struct ds_event *event)
{
    return event->type == DS_EVENT_CONN && event->change.final;
}

/* note_has_own_mfa: a request names a function that is not in its control tuple. */
static inline bool note_has_own_mfa(const struct note *note, const struct ds_event *event)
{
    return note->mod.data != NULL && event->message.role[DS_ROLE_MFA].data == NULL;
}

static inline bool event_has_guesses(const struct ds_event *event)
{
    return event->type == DS_EVENT_MESSAGE && event->message.num_guesses != 0;
}

#endif
