/*
 * simple_filter.h - what --node, --process and --op name, and whether an event has it.
 */
#ifndef SRC_SIMPLE_FILTER_H
#define SRC_SIMPLE_FILTER_H

#include "record/record.h"

/* op_set is the ops of --op. */
struct op_set {
    uint64_t codes[256 / 64]; /* of control messages, a bit each */
    uint32_t epmd;            /* of EPMD, a bit each */
    bool any;
};

/* pick_process is one --process: a registered name, a title (global:lab, pg:workers), or a pid. */
struct pick_process {
    const char *word;    /* as given */
    struct ds_text name; /* absent of a pid */
    struct ds_text node; /* of a pid; absent: any */
    uint32_t id, serial;
};

/* pick_op_name returns the ops by name, from 0 on; NULL behind the last. An op that has none is
 * called op_N, which pick_is_unnamed_op says a word is. */
const char *pick_op_name(size_t i);
bool pick_is_unnamed_op(const char *word, size_t len);

/* op_set_add reads names separated by commas. False after a complaint. */
bool op_set_add(struct op_set *set, const char *list);

/* op_set_has says whether the event is one of the set. */
bool op_set_has(const struct op_set *set, const struct ds_event *event);

/* pick_process_parse reads a name, or a pid as text shows it: <alice@h.85.0>, where the
 * brackets may be left out, or <0.85.0>, of any node. False after a complaint. */
bool pick_process_parse(struct pick_process *process, const char *word);

/* pick_process_has says whether the process sent the event's message or gets it. */
bool pick_process_has(const struct pick_process *process, const struct record *record);
bool pick_process_is(const struct pick_process *process, const struct party *party);

/* pick_node_has says whether the event is of that node: it is at either end, or EPMD or a
 * handshake speak of it. A name without a host means it on any host, an address whatever is there. */
bool pick_node_has(const char *node, const struct ds_event *event);

/* pick_node_is_at says whether a word for a node is that address, or with its port; port 0: it has none. */
bool pick_node_is_at(const char *node, const struct ds_addr *addr, uint16_t port);

/* pick_node_is_on says whether it is that address, whatever port it has. pick_node_is_written says so of an
 * address that is text, alone or with a port; where both have a port it has to be the same. */
bool pick_node_is_on(const char *node, const struct ds_addr *addr);
bool pick_node_is_written(const char *node, struct ds_text addr);

/* pick_node_text returns the name that is meant by a word for a node. */
struct ds_text pick_node_text(const char *word);
bool pick_node_is(const char *node, const struct party *party);

#endif
