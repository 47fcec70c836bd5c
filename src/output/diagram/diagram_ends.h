/*
 * diagram_ends.h - which node the ends of connections are, so that one node has one lane. An end
 * is an address at first where the capture began late, or a name without host where EPMD told it;
 * its name may be learnt yet, and may be that of a node which has a lane already.
 */
#ifndef SRC_DIAGRAM_ENDS_H
#define SRC_DIAGRAM_ENDS_H

#include "core/id_map.h"
#include "core/table.h"

#include <distsniff/event.h>

#include <string.h>

/* An end of a connection has a number, from 1. */
static inline uint64_t diagram_end_number(uint64_t conn, unsigned side)
{
    return conn * 2 + side + 1;
}

/* Whether a node's name is whole. */
static inline bool diagram_name_is_whole(struct ds_text node)
{
    return node.data != NULL && memchr(node.data, '@', node.len) != NULL;
}

struct diagram_ends {
    struct table ends;    /* of connections that were told of */
    struct id_map nodes; /* by whole name, and by where they are */
    uint8_t *named;       /* by number of the node: it has a whole name */
};

/* diagram_ends_init makes room for max_nodes, a power of two. False when memory ran out. */
bool diagram_ends_init(struct diagram_ends *ends, uint32_t max_nodes);
void diagram_ends_free(struct diagram_ends *ends);

/* diagram_ends_learn takes what the ends of a connection are called now, if that was told of;
 * is_over: they are not called anything else any more. */
void diagram_ends_learn(struct diagram_ends *ends, const struct ds_conn *conn, bool is_over);

/* diagram_ends_note notes that a connection is told of. */
void diagram_ends_note(struct diagram_ends *ends, const struct ds_conn *conn);

/* diagram_ends_is_open says whether the name of an end of a connection may be learnt yet, before
 * it has a lane. */
bool diagram_ends_is_open(const struct diagram_ends *ends, uint64_t conn);

/* diagram_ends_name returns the whole name of an end, absent when none is known. */
struct ds_text diagram_ends_name(const struct diagram_ends *ends, uint64_t end);

/* diagram_place is an end as it is told of: by its node's name, or what there is instead. */
struct diagram_place {
    uint64_t end;        /* number of the end; 0: not said */
    bool is_unsure;      /* the name is not whole */
    bool has_name;       /* it is no address */
    struct ds_text name; /* as it is shown */
    uint64_t host, port; /* stand for its address, without and with the port; 0: not said */
};

/* diagram_ends_node returns the number of a place's node, from 1, 0 when there are too many. A node
 * is known by its whole name; on one host, by the part before the @, as EPMD has it; at one address
 * and port. *was_called is what it was told of as where its name comes too late, "" where it was told
 * of at another end; absent else. It lives until the next call. *is_new: the number is. */
uint32_t diagram_ends_node(struct diagram_ends *ends, const struct diagram_place *place,
                           struct ds_text *was_called, bool *is_new);

#endif
