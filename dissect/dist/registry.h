/*
 * registry.h - which node listens where, from EPMD and handshakes. It names the ends of connections
 * whose handshake was not seen, and knows which ports carry distribution.
 */
#ifndef DISSECT_REGISTRY_H
#define DISSECT_REGISTRY_H

#include "conn/conn.h"

/* registry_new returns an empty registry of at most max_nodes entries. NULL if memory ran out. */
struct registry *registry_new(uint64_t max_nodes);
void registry_free(struct registry *registry);

/* registry_add records that name listens there. owner is the connection that a registration lasts
 * as long as; NULL for other sources (an answer of EPMD, a handshake). A name with a host is not
 * replaced by the same name without one. Reports the port if it is new. */
void registry_add(struct dissect_ctx *env, const struct ds_addr *addr, uint16_t port,
                  struct ds_text name, uint32_t creation, const void *owner);

/* registry_add_said is registry_add for what a node said of itself in a handshake. */
void registry_add_said(struct dissect_ctx *env, const struct ds_addr *addr, uint16_t port,
                       struct ds_text name, uint32_t creation);

/* registry_find_said returns the name that the node listening there, with that creation, gave
 * itself. Absent unless certain: no source contradicts it, and no other node is known to have
 * started in the same second, which is what a creation is. Never certain for a loopback address,
 * which several hosts may share. */
struct ds_text registry_find_said(struct registry *registry, const struct ds_addr *addr, uint16_t port,
                                  uint32_t creation);

/* registry_num_changes returns how often the entries have changed so far. */
uint32_t registry_num_changes(const struct registry *registry);

/* registry_set_creation records the creation that EPMD gave to the registration of owner. */
void registry_set_creation(struct registry *registry, uint16_t port, const void *owner,
                           uint32_t creation);

/* registry_remove ends the registration of owner. */
void registry_remove(struct registry *registry, uint16_t port, const void *owner);

/* registry_find returns the name of the node that listens there. Absent unless certain: all entries
 * of that address and port agree, or there is none and the port occurs in a single registration,
 * made over a loopback address. */
struct ds_text registry_find(struct registry *registry, const struct ds_addr *addr, uint16_t port,
                             uint32_t *creation);

/* registry_add_port adds a port as one that carries distribution, without reporting it. */
void registry_add_port(struct registry *registry, uint16_t port);
bool registry_has_port(const struct registry *registry, uint16_t port);

#endif
