/*
 * node_roles.h - what a name is called wherever it runs: rabbitmqcli-404-rabbit@rab1 is
 * rabbitmqcli-*-rabbit@rab1 in every run.
 *
 * A name has words between '-', '_' and '.'; in that of a node, those before its '@' count. A word
 * becomes * where it looks as if it was made for one run:
 *
 *   digits alone, three or more                     404
 *   letters, then three digits or more              c13579 becomes c*
 *   digits and a to f, six or more, both of them    3f09ac
 *   capitals and digits, ten or more, both of them  2RT6VHGF2H8GO, as nodes get names from others
 *
 * --node-role 'REGEX=ROLE' names a node itself: the first expression that is found in its name
 * decides.
 */
#ifndef SRC_NODE_ROLES_H
#define SRC_NODE_ROLES_H

#include <distsniff/term.h>

enum { NODE_ROLES_MAX = 64, NODE_ROLE_TEXT = 255 };

struct node_roles;

struct node_roles *node_roles_new(void);        /* NULL: no memory */
void node_roles_free(struct node_roles *roles); /* NULL is allowed */

/* node_roles_add adds a rule, "REGEX=ROLE", at its last '='. False, and why is filled in, where
 * that is none. */
bool node_roles_add(struct node_roles *roles, const char *rule, char why[static NODE_ROLE_TEXT]);

/* node_roles_keep_words leaves words as they are from now on: pseudonyms (--redact) look as if they
 * were made for one run, and are not. */
void node_roles_keep_words(struct node_roles *roles);

/* node_roles_print appends the role of a node, node_roles_print_name that of a registered name.
 * Both are fit for a terminal. */
void node_roles_print(struct node_roles *roles, struct ds_text node, struct ds_buffer *out);
void node_roles_print_name(const struct node_roles *roles, struct ds_text name, struct ds_buffer *out);

#endif
