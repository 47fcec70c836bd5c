/*
 * redact_event.h - redacts events: the data of EPMD, handshakes and messages, and the two ends.
 */
#ifndef SRC_REDACT_EVENT_H
#define SRC_REDACT_EVENT_H

#include "redact/redact_parts.h"

/* redact_event replaces the contents of an event. Returns false if nothing in it may be shown; when
 * memory ran out, redact_parts_failed returns true. */
bool redact_event(struct redact_parts *parts, struct ds_event *event);

#endif
