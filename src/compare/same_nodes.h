/*
 * same_nodes.h - joins a node that one profile has by its address with the same node in the other
 * profile, or in the same one, that has its name: connections that were open before a capture show
 * addresses until somebody says the names.
 *
 * An address and a port are those of a node, and likewise an address alone, if no other node has them
 * (PROFILE_PLACE). Tools, whose names contain a *, do not count: they leave. A node that stays without a
 * name has its address alone, as its port differs between connections; if several nodes share the
 * address, it has its port as well. Such nodes are not judged to be missing.
 */
#ifndef SRC_SAME_NODES_H
#define SRC_SAME_NODES_H

#include "compare/profile.h"

/* same_nodes_join makes joined copies of two profiles, which share the latencies of the originals. False:
 * there is nothing to join, or memory ran out, which sets *no_memory. */
bool same_nodes_join(const struct profile *const profile[static 2], struct profile joined[static 2],
                     bool *no_memory);
void same_nodes_free(struct profile joined[static 2]);

#endif
