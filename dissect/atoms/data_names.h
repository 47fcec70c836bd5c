/*
 * data_names.h - atoms whose texts stand as data in the messages that have them. The leader of a quorum
 * queue of RabbitMQ tells clients of it by the name of the queue,
 *
 *     {queue_event, {resource, <<"/">>, queue, <<"q1">>}, {{'%2F_q1', Node}, ...}}
 *
 * and the atom is the virtual host, '_' and the name. Where that was seen once, a message to a process
 * by name that is routed to q1 by the default exchange goes to '%2F_q1', too. A follower's name is told by
 * what it answers (raft_rounds.h). Rows: data_names.c.
 */
#ifndef DISSECT_DATA_NAMES_H
#define DISSECT_DATA_NAMES_H

#include "atoms/node_atoms_parts.h"

/* data_names_see takes note of what a message says of atoms that are unknown in a direction. other: the
 * creation of the node that it goes to; 0: it is not known. */
void data_names_see(struct node_atoms *book, struct dissect_ctx *env, uint64_t direction, uint32_t other,
                    const struct ds_message *message);

/* data_names_of returns the text of a slot by such data; absent: there is none, or several. bit: of the
 * direction at hand; *weight: how much more likely it is that text than any other, in bits. It lives as
 * long as the books. */
struct ds_text data_names_of(const struct node_atoms *book, uint16_t slot, uint16_t bit,
                             double *weight);

#endif
