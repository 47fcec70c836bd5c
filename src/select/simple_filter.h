/*
 * simple_filter.h - the values of --node, --process and --op, and whether an event matches them.
 */
#ifndef SRC_SIMPLE_FILTER_H
#define SRC_SIMPLE_FILTER_H

#include "record/record.h"

/* op_set is the ops of --op. */
struct op_set {
    uint64_t codes[256 / 64]; /* of control messages, one bit each */
    uint32_t epmd;            /* of EPMD, one bit each */
    bool any;
};

/* pick_process is one --process: a registered name, a title (global:lab, pg:workers), a name with its node
 * as reports show it (lab@bob@host), or a pid. */
struct pick_process {
    const char *word;    /* as the user wrote it */
    struct ds_text name; /* absent for a pid */
    struct ds_text node; /* of a pid; absent: any node */
    struct ds_text name_there, there; /* if the word may be a name and a node: both; else absent */
    uint32_t id, serial;
};

/* pick_op_name returns the ops by name, from 0 on; NULL after the last. An op without a name is called
 * op_N; pick_is_unnamed_op recognises such words. */
const char *pick_op_name(size_t i);
bool pick_is_unnamed_op(const char *word, size_t len);

/* op_set_add reads names separated by commas. Returns false after an error message. */
bool op_set_add(struct op_set *set, const char *list);

/* op_set_has says whether the event's op is in the set. */
bool op_set_has(const struct op_set *set, const struct ds_event *event);

/* pick_process_parse reads a name, or a pid as it is shown in text: <alice@h.85.0>, with or without the
 * brackets, or <0.85.0>, of any node. Returns false after an error message. */
bool pick_process_parse(struct pick_process *process, const char *word);

/* pick_process_has says whether the process sends or receives the event's message. */
bool pick_process_has(const struct pick_process *process, const struct record *record);
bool pick_process_is(const struct pick_process *process, const struct party *party);

/* pick_node_has says whether the event concerns that node: it is at either end, or in a message of EPMD
 * or a handshake. A name without a host means that name on any host, an address any node there. */
bool pick_node_has(const char *node, const struct ds_event *event);

/* pick_node_is_at says whether a word for a node is that address, alone or with its port; port 0: it
 * has none. */
bool pick_node_is_at(const char *node, const struct ds_addr *addr, uint16_t port);

/* pick_node_is_on says whether it is that address, with any port. pick_node_is_written does the same
 * for an address as text, alone or with a port; if both have a port, they must be equal. */
bool pick_node_is_on(const char *node, const struct ds_addr *addr);
bool pick_node_is_written(const char *node, struct ds_text addr);

/* pick_node_text returns the name that a word for a node means. */
struct ds_text pick_node_text(const char *word);
bool pick_node_is(const char *node, const struct party *party);

#endif
