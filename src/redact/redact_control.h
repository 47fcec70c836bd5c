/*
 * redact_control.h - redacts messages between nodes.
 */
#ifndef SRC_REDACT_CONTROL_H
#define SRC_REDACT_CONTROL_H

#include "redact/redact_parts.h"

/* redact_message replaces the control tuple, the roles, which then point into it, and the payload. */
void redact_message(struct redact_parts *parts, struct ds_message *message);

#endif
