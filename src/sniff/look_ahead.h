/*
 * look_ahead.h - files that begin in the midst of connections, or lack packets, are read twice:
 * what is said later of an atom serves what came before.
 */
#ifndef SRC_LOOK_AHEAD_H
#define SRC_LOOK_AHEAD_H

#include "capture.h"

/* look_through decodes the files from their beginnings, for on_event and context of config alone: packets
 * are shown to look, which passes on those that it wants decoded to the session at *session, which is
 * there for as long as this takes. False after a complaint. */
bool look_through(struct capture *capture, const struct ds_config *config,
                  struct ds_session **session, capture_look_fn look, void *context);

/* look_ahead decodes the files, if they begin so, into the memory of config, and takes them back to
 * their beginnings. False after a complaint. */
bool look_ahead(struct capture *capture, const struct ds_config *config);

#endif
