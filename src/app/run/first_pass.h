/*
 * first_pass.h - reads files twice if they begin in the middle of connections, or lack packets:
 * what is learned of an atom later then applies to what came before.
 */
#ifndef SRC_FIRST_PASS_H
#define SRC_FIRST_PASS_H

#include "capture/capture.h"

/* first_pass_file decodes the files from their beginnings, with on_event of config and this
 * context: it passes packets to look, which gives those to be decoded to the session at *session.
 * The session exists during this call. False after a complaint. */
bool first_pass_file(struct capture *capture, const struct ds_config *config,
                     struct ds_session **session, capture_look_fn look, void *context);

/* first_pass decodes such files into the atom memory of config, and rewinds them. False after a
 * complaint. */
bool first_pass(struct capture *capture, const struct ds_config *config);

#endif
