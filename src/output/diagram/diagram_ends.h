/*
 * diagram_ends.h - maps ends of connections to nodes, so that each node has one lane. An end may at
 * first be only an address, if the capture began late, or a name without host, if it comes from
 * EPMD; its name may be learnt later, and may belong to a node that already has a lane.
 */
#ifndef SRC_DIAGRAM_ENDS_H
#define SRC_DIAGRAM_ENDS_H

#include "core/id_map.h"
#include "core/table.h"

#include <distsniff/event.h>

#include <string.h>

/* diagram_end_number returns the number of an end of a connection, from 1. */
static inline uint64_t diagram_end_number(uint64_t conn, unsigned side)
{
    return conn * 2 + side + 1;
}

/* diagram_name_is_whole says whether a node's name has a host. */
static inline bool diagram_name_is_whole(struct ds_text node)
{
    return node.data != NULL && memchr(node.data, '@', node.len) != NULL;
}

struct diagram_ends {
    struct table ends;    /* of connections passed to diagram_ends_add */
    struct id_map nodes; /* by whole name, and by place */
    uint8_t *named;       /* by number of the node: it has a whole name */
};

/* diagram_ends_init allocates room for max_nodes, a power of two. False if memory ran out. */
bool diagram_ends_init(struct diagram_ends *ends, uint32_t max_nodes);
void diagram_ends_free(struct diagram_ends *ends);

/* diagram_ends_learn updates the names of a connection's ends, if the connection was passed to
 * diagram_ends_add; is_over: they do not change any more. */
void diagram_ends_learn(struct diagram_ends *ends, const struct ds_conn *conn, bool is_over);

/* diagram_ends_add records that a connection is drawn. */
void diagram_ends_add(struct diagram_ends *ends, const struct ds_conn *conn);

/* diagram_ends_is_open says whether the name of an end of a connection may still be learnt before
 * it gets a lane. */
bool diagram_ends_is_open(const struct diagram_ends *ends, uint64_t conn);

/* diagram_ends_name returns the whole name of an end, absent if unknown. */
struct ds_text diagram_ends_name(const struct diagram_ends *ends, uint64_t end);

/* diagram_place is an end in the form it is drawn: with its node's name, or what there is instead. */
struct diagram_place {
    uint64_t end;        /* number of the end; 0: unknown */
    bool is_unsure;      /* the name is not whole */
    bool has_name;       /* the name is not just an address */
    struct ds_text name; /* as it is shown */
    uint64_t host, port; /* hashes of its address, without and with the port; 0: unknown */
};

/* diagram_ends_node returns the number of a place's node, from 1; 0 if there are too many. A node
 * is identified by its whole name; on one host, by the part before the @, which EPMD has; at one
 * address and port. *was_called is set if a name comes too late: what the node was drawn as, or ""
 * if it was drawn at another end; else it is absent. Valid until the next call. *is_new: the number
 * is new. */
uint32_t diagram_ends_node(struct diagram_ends *ends, const struct diagram_place *place,
                           struct ds_text *was_called, bool *is_new);

#endif
