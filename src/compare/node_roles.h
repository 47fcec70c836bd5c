/*
 * node_roles.h - replaces parts of names that differ from run to run: rabbitmqcli-404-rabbit@rab1
 * becomes rabbitmqcli-*-rabbit@rab1 in every run.
 *
 * A name consists of words between '-', '_' and '.'; in the name of a node, only those before its '@'
 * are considered. A word becomes * if it looks as if it was generated for one run:
 *
 *   only digits, three or more                      404
 *   letters, then three digits or more              c13579 becomes c*
 *   digits and a to f, six or more, both of them    3f09ac
 *   capitals and digits, ten or more, both of them  2RT6VHGF2H8GO, as other nodes assign names
 *
 * --node-role 'REGEX=ROLE' gives a node a name: the first expression that is found in its name decides.
 */
#ifndef SRC_NODE_ROLES_H
#define SRC_NODE_ROLES_H

#include <distsniff/term.h>

enum { NODE_ROLES_MAX = 64, NODE_ROLE_TEXT = 255 };

struct node_roles;

struct node_roles *node_roles_new(void);        /* NULL when memory ran out */
void node_roles_free(struct node_roles *roles); /* NULL is allowed */

/* node_roles_add adds a rule, "REGEX=ROLE", divided at its last '='. If it is invalid, it returns false
 * and sets why. */
bool node_roles_add(struct node_roles *roles, const char *rule, char why[static NODE_ROLE_TEXT]);

/* node_roles_keep_words makes words stay as they are from now on: pseudonyms (--redact) look as if they
 * were generated for one run, but are not. */
void node_roles_keep_words(struct node_roles *roles);

/* node_roles_print appends the role of a node, node_roles_print_name the role of a registered name.
 * Both are escaped for a terminal. */
void node_roles_print(struct node_roles *roles, struct ds_text node, struct ds_buffer *out);
void node_roles_print_name(const struct node_roles *roles, struct ds_text name, struct ds_buffer *out);

#endif
