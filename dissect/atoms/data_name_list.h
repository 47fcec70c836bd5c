/*
 * data_name_list.h - the list of names of RabbitMQ's quorum queues that messages of any node contain
 * (data_names.h). Names have numbers from 1. Their number is bounded, and the list keeps each of them.
 */
#ifndef DISSECT_DATA_NAME_LIST_H
#define DISSECT_DATA_NAME_LIST_H

#include "atoms/node_atoms_parts.h"

/* Bytes of a virtual host, and of a queue, at most. */
enum { DATA_NAME_HOST = 100, DATA_NAME_QUEUE = 200 };

/* data_name_find returns the number of the only name that a queue gives; 0: there is none, or several.
 * names may be NULL. */
uint16_t data_name_find(const struct data_names *names, struct ds_text queue);

/* data_name_add returns the number of the name of a queue, made anew if there is none yet; 0: there is no
 * room, or a queue of that name is on another virtual host, of which only the first one has a name. */
uint16_t data_name_add(struct all_node_atoms *books, struct ds_text host, struct ds_text queue);

/* data_name_of returns the number of a whole name, made anew if there is none yet; 0: there is no room.
 * data_name_find does not find a name that was made so. */
uint16_t data_name_of(struct all_node_atoms *books, struct ds_text text);

/* data_name_text returns the text of a name. It lives as long as the books. */
struct ds_text data_name_text(const struct data_names *names, uint16_t name);

/* data_names_define tells that a text is known to be in a slot: so others that have it are judged anew. */
void data_names_define(struct node_atoms *book, uint16_t slot, struct ds_text text);

/* data_names_free gives back what all books know of such texts. */
void data_names_free(struct all_node_atoms *books);

#endif
