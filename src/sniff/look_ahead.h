/*
 * look_ahead.h - files that begin in the midst of connections, or lack packets, are read twice:
 * what is said later of an atom serves what came before.
 */
#ifndef SRC_LOOK_AHEAD_H
#define SRC_LOOK_AHEAD_H

#include "capture.h"

/* look_ahead decodes the files, if they begin so, into the memory of config, and takes them back to
 * their beginnings. False after a complaint. */
bool look_ahead(struct capture *capture, const struct ds_config *config);

#endif
