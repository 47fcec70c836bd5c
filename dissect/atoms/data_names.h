/*
 * data_names.h - atoms whose texts are also data of the messages that contain them. The leader of a
 * quorum queue of RabbitMQ sends its clients the name of the queue,
 *
 *     {queue_event, {resource, <<"/">>, queue, <<"q1">>}, {{'%2F_q1', Node}, ...}}
 *
 * and the atom is the virtual host, '_' and the name. After that was seen once, a message to a
 * registered name that the default exchange routes to q1 also goes to '%2F_q1'. The name of a
 * follower is inferred from its answers (raft_rounds.h). The patterns are in data_names.c.
 */
#ifndef DISSECT_DATA_NAMES_H
#define DISSECT_DATA_NAMES_H

#include "atoms/node_atoms_parts.h"

/* data_names_see processes the data in a message about atoms that are unknown in a direction.
 * other: the creation of the node that it goes to; 0: unknown. */
void data_names_see(struct node_atoms *book, struct dissect_ctx *env, uint64_t direction, uint32_t other,
                    const struct ds_message *message);

/* data_names_of returns the text of a slot according to such data; absent: none, or several.
 * bit: of the direction that is judged; *weight: how much more likely the text is than any
 * other, in bits. The text lives as long as the books. */
struct ds_text data_names_of(const struct node_atoms *book, uint16_t slot, uint16_t bit,
                             double *weight);

#endif
