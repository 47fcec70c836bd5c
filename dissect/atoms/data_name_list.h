/*
 * data_name_list.h - names of RabbitMQ's quorum queues that messages of any node contain
 * (data_names.h). Names have numbers from 1. Their number is capped, and none is removed.
 */
#ifndef DISSECT_DATA_NAME_LIST_H
#define DISSECT_DATA_NAME_LIST_H

#include "atoms/node_atoms_parts.h"

/* Bytes of a virtual host, and of a queue, at most. */
enum { DATA_NAME_HOST = 100, DATA_NAME_QUEUE = 200 };

/* data_name_find returns the number of the only name for a queue; 0: none, or several. names may
 * be NULL. */
uint16_t data_name_find(const struct data_names *names, struct ds_text queue);

/* data_name_add returns the number of the name of a queue, which it adds if needed; 0: there is
 * no room, or the name of a queue with that name on another virtual host is already there. */
uint16_t data_name_add(struct all_node_atoms *books, struct ds_text host, struct ds_text queue);

/* data_name_of returns the number of a whole name, which it adds if needed; 0: there is no room.
 * data_name_find does not find such a name. */
uint16_t data_name_of(struct all_node_atoms *books, struct ds_text text);

/* data_name_text returns the text of a name. It lives as long as the books. */
struct ds_text data_name_text(const struct data_names *names, uint16_t name);

/* data_names_define records that a text is known to be in a slot: other slots with it are judged
 * again. */
void data_names_define(struct node_atoms *book, uint16_t slot, struct ds_text text);

/* data_names_free frees the names of all books. */
void data_names_free(struct all_node_atoms *books);

#endif
