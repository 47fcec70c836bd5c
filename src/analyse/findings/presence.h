/*
 * presence.h - tracks which nodes and links exist: nodes that appear, leave and come back, links
 * that come up and go down. Events in, changes out.
 *
 * A node is there while a link to it is up. It leaves when its last link ends and the node at the
 * other end has others. Where it is the last link of both, the node that was silent leaves, else
 * the one that closed it. Where a node closes all its links at once, only that node leaves: the
 * others may have links that are not captured. A node that comes back with another creation was
 * restarted. Hidden nodes, and those with names of well-known tools, come and go: their links are
 * changes, the nodes themselves are not.
 *
 * A visitor is a node that is not hidden, yet came and went as a tool does: another node read from
 * its terminal. Or it connected to a node that was there, closed its links itself, in order,
 * answered no call and was there for at most a minute; if a host asks EPMD for that node
 * afterwards, it was no visitor. Others may have connected to a node whose name ends in a number,
 * as scripts choose names, and global asks for it when it has gone.
 */
#ifndef SRC_PRESENCE_H
#define SRC_PRESENCE_H

#include "core/table.h"
#include "record/finding.h"

#include <distsniff/event.h>

enum presence_what {
    PRESENCE_SEEN,
    PRESENCE_LEFT,
    PRESENCE_STAYS, /* it seemed to have left, but the node that closed its link did */
    PRESENCE_BACK,
    PRESENCE_UP,
    PRESENCE_DOWN
};

enum { PRESENCE_NAME_LEN = 255 }; /* nodes with longer names are ignored */

/* presence_node is a node that has a name. */
struct presence_node {
    struct table_entry entry;
    size_t len;
    char *name; /* len bytes, owned */
    uint32_t creation; /* 0: unknown */
    unsigned links;    /* that are up */
    int64_t left_ns;   /* 0: it is there */
    int64_t alone_ns;  /* when its last known link ended */
    uint32_t left_by;  /* number of the node that closed its last link in order; 0: none */
    int64_t back_ns;   /* when it last appeared, first or again */
    unsigned restarts; /* how often it left and came back with another creation */
    int64_t away_ns, again_ns; /* when it left and came back, the latest time */
    bool came;         /* it connected then to a node that was there */
    bool was_cut;      /* since then a link to it ended that it did not close itself, in order */
    bool has_answered; /* since then it answered a call */
    bool has_shell;    /* since then another node asked for input from its terminal */
    bool is_visitor;   /* it has left, and is not missed */
    bool was_lost;     /* it has left: it fell silent, or nothing got through */
    struct ds_addr addr; /* where it was then */
};

/* presence_pair is two nodes that have, or had, a link. */
struct presence_pair {
    struct table_entry entry;
    uint32_t node[2]; /* numbers of the nodes, the lower one first */
    unsigned links;   /* that are up */
    int64_t up_ns, down_ns;
};

struct presence_change;

struct presence {
    struct table nodes, pairs, links;
    uint16_t epmd_port;
    uint64_t no_memory;
    unsigned unnamed; /* links that are up without the names of both ends */
    unsigned new_ones; /* nodes that came, and may be visitors: see presence_answer */
    void (*emit)(void *context, const struct presence_change *change);
    void *context;
};

/* presence_change is passed to emit. It is valid until emit returns. */
struct presence_change {
    enum presence_what what;
    int64_t ts_ns;
    uint64_t conn, frame;            /* frame 0: no packet shows it */
    const struct ds_endpoint *end;   /* both ends of the connection */
    const struct presence_node *node; /* for SEEN, LEFT, STAYS, BACK */
    bool is_hidden;     /* for UP, DOWN: one of the two is a hidden node */
    bool is_hidden_end[2]; /* which of the two */
    bool was_reset;     /* for DOWN */
    bool is_replaced;   /* for DOWN: its nodes have a new link */
    bool was_up;        /* for UP: the link is from before the capture */
    bool is_restarted;  /* for BACK: with another creation */
    bool is_same;       /* for BACK: with the same creation */
    bool was_silent;    /* for DOWN: the end that did not close it had been silent for long */
    bool is_given_up;   /* for DOWN: the nodes gave each other up, as nothing got through */
    int closed_by;      /* for DOWN: the end that closed it, -1: unknown; or the end that waited, if
                         * is_given_up */
};

void presence_init(struct presence *presence, uint16_t epmd_port);
void presence_free(struct presence *presence);

/* presence_event handles an event other than a message; presence_name one that may show names,
 * where presence->unnamed is not 0. */
void presence_event(struct presence *presence, const struct ds_event *event);
void presence_name(struct presence *presence, const struct ds_event *event);

/* presence_answer records that a node has answered a call, presence_type that another node asked
 * for input from its terminal. Call both only while presence->new_ones is not 0. presence_ask
 * records a request to the EPMD at epmd for the name of a node, without its host. */
void presence_answer(struct presence *presence, struct ds_text node);
void presence_type(struct presence *presence, struct ds_text node);
void presence_ask(struct presence *presence, struct ds_text name, const struct ds_addr *epmd);

/* presence_given_up records that nothing got through on a connection for so long that its ends have
 * given each other up, though no packet shows that; waits is the end that waited for its peer. */
void presence_given_up(struct presence *presence, uint64_t conn, int64_t ts_ns,
                       const struct ds_endpoint end[2], int waits);

/* presence_find finds a node by its name, presence_find_pair two nodes that have or had a link.
 * NULL if unknown. */
const struct presence_node *presence_find(const struct presence *presence, struct ds_text name);
const struct presence_pair *presence_find_pair(const struct presence *presence, struct ds_text a,
                                               struct ds_text b);

/* presence_locate fills in the addresses of a finding's nodes, as far as they are known. */
void presence_locate(const struct presence *presence, struct finding *finding);

/* presence_find_at finds a node by its name before the @ and its host, as in requests to EPMD. NULL
 * if unknown. */
const struct presence_node *presence_find_at(const struct presence *presence, struct ds_text name,
                                             const struct ds_addr *addr);

/* presence_is_gone says whether a node has left and not come back, presence_is_missed whether it
 * has and was no visitor. presence_is_apart says whether two nodes that are both there, or neither
 * of which has left, have lost their link. */
bool presence_is_gone(const struct presence_node *node);
bool presence_is_missed(const struct presence_node *node);
bool presence_is_apart(const struct presence *presence, const struct presence_pair *pair);

#endif
