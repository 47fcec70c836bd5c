/*
 * fields.h - what the rows of fields.def ask about a record.
 */
#ifndef SRC_FIELDS_H
#define SRC_FIELDS_H

#include "record/loss.h"
#include "record/record.h"

#include <distsniff/dissect.h>

#define ALWAYS true

/* A message that takes less on the wire came at once. */
#define LONG_WIRE_NS INT64_C(10000000)

/* epmd_has_result: an answer that says whether the request succeeded. Where it did not, it says no more. */
static inline bool epmd_has_result(const struct ds_epmd *epmd)
{
    return epmd->op == DS_EPMD_ALIVE2_RESP || epmd->op == DS_EPMD_ALIVE2_X_RESP ||
           epmd->op == DS_EPMD_PORT2_RESP;
}

/* epmd_has_registration: a message that has all that a node registers. */
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

/* epmd_has_nodes: a list of nodes. */
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

/* link_is_over: the facts of a link are its last ones. */
static inline bool link_is_over(const struct ds_event *event)
{
    return event->type == DS_EVENT_CONN && event->change.final;
}

/* note_has_own_mfa: a request names a function that its control tuple does not name. */
static inline bool note_has_own_mfa(const struct note *note, const struct ds_event *event)
{
    return note->mod.data != NULL && event->message.role[DS_ROLE_MFA].data == NULL;
}

static inline bool event_has_guesses(const struct ds_event *event)
{
    return event->type == DS_EVENT_MESSAGE && event->message.num_guesses != 0;
}

#endif
