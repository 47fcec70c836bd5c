/*
 * epmd_asker.h - --ask-epmd: a separate process asks EPMD of some hosts which nodes listen there
 * (epmd_ask_loop.h), and this one reads its records: so ports get names that no packet contained.
 * The answers come from a server that anyone may run: at most they name a port, and never override
 * a name that is certain.
 */
#ifndef SRC_EPMD_ASKER_H
#define SRC_EPMD_ASKER_H

#include <distsniff/event.h>

struct epmd_asker;

struct epmd_ask_config {
    const char *hosts; /* "rab1,rab2" */
    uint16_t port;     /* of EPMD */
    const char *user;  /* that root becomes, NULL: root stays */
    bool is_confined;
    bool may_name;     /* may print names of nodes to standard error */
    void (*on_node)(void *context, const struct ds_addr *addr, uint16_t port, struct ds_text name);
    void *context;
};

/* epmd_asker_check says whether a list of hosts is valid. False after an error message. */
bool epmd_asker_check(const char *hosts);

/* epmd_asker_start starts the process, and waits until it knows the addresses of its hosts. Call it
 * before anything is open, and before there are threads. NULL after an error message. */
struct epmd_asker *epmd_asker_start(const struct epmd_ask_config *config);

/* epmd_asker_look reads the records that have arrived. It does not wait. */
void epmd_asker_look(struct epmd_asker *asker);

/* epmd_asker_add_port asks again if this port is new. */
void epmd_asker_add_port(struct epmd_asker *asker, uint16_t port);

/* epmd_asker_end ends the process. NULL is allowed. */
void epmd_asker_end(struct epmd_asker *asker);

#endif
