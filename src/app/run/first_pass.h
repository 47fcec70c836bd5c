/*
 * first_pass.h - files that begin in the midst of connections, or lack packets, are read twice:
 * what is said later of an atom serves what came before.
 */
#ifndef SRC_FIRST_PASS_H
#define SRC_FIRST_PASS_H

#include "capture/capture.h"

/* first_pass_file decodes the files from their beginnings, for on_event and context of config alone:
 * packets
 * are shown to look, which passes on those that it wants decoded to the session at *session, which is
 * there for as long as this takes. False after a complaint. */
bool first_pass_file(struct capture *capture, const struct ds_config *config,
                     struct ds_session **session, capture_look_fn look, void *context);

/* first_pass decodes the files, if they begin so, into the memory of config, and takes them back to
 * their beginnings. False after a complaint. */
bool first_pass(struct capture *capture, const struct ds_config *config);

#endif
