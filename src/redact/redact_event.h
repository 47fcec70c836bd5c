/*
 * redact_event.h - events, redacted: what EPMD, handshakes and messages say, and the two ends.
 */
#ifndef SRC_REDACT_EVENT_H
#define SRC_REDACT_EVENT_H

#include "redact/redact_parts.h"

/* redact_event replaces what is in an event. False when there is nothing in it that may be shown;
 * when memory ran out, redact_parts_failed says so. */
bool redact_event(struct redact_parts *parts, struct ds_event *event);

#endif
