/*
 * epmd_asker.h - --ask-epmd: a process of its own asks EPMD of hosts which nodes listen there
 * (epmd_ask_loop.h), and this one takes what it tells: ports become names though no packet told them.
 * What is told was said by a server that anybody may run: it is a name at most, and never believed
 * against a name that is certain.
 */
#ifndef SRC_EPMD_ASKER_H
#define SRC_EPMD_ASKER_H

#include <distsniff/event.h>

struct epmd_asker;

struct epmd_ask_config {
    const char *hosts; /* "rab1,rab2" */
    uint16_t port;     /* of EPMD */
    const char *user;  /* that root becomes, NULL: nobody */
    bool is_confined;
    bool may_name;     /* nodes, on standard error */
    void (*on_node)(void *context, const struct ds_addr *addr, uint16_t port, struct ds_text name);
    void *context;
};

/* epmd_asker_check says whether a list of hosts can be asked. False after a complaint. */
bool epmd_asker_check(const char *hosts);

/* epmd_asker_start starts the process, and waits until it knows the addresses of its hosts. To be called
 * before anything is open, and before there are threads. NULL after a complaint. */
struct epmd_asker *epmd_asker_start(const struct epmd_ask_config *config);

/* epmd_asker_look takes what was told meanwhile. It does not wait. */
void epmd_asker_look(struct epmd_asker *asker);

/* epmd_asker_add_port asks again when that port has not been noted before. */
void epmd_asker_add_port(struct epmd_asker *asker, uint16_t port);

/* epmd_asker_end ends the process. NULL is allowed. */
void epmd_asker_end(struct epmd_asker *asker);

#endif
