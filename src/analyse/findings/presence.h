/*
 * presence.h - which nodes and links are there: who is seen, leaves and comes back, which link comes up and
 * goes down. Events in, changes out.
 *
 * A node is there while a link of it is up. It leaves when its last link ends and the node at the other
 * end has others; where it is the last link of both, the one leaves that was silent, else the one that
 * closed it. Where a node closes all its links at once, it alone leaves: others may have links that are not
 * seen. A node that is back with another creation was restarted. Hidden nodes, and those with names
 * of well-known tools, come and go: their links are changes, they themselves are not.
 *
 * A visitor is a node that is not hidden and yet came and went as a tool does: somebody typed into its
 * terminal for another node. Or it connected to a node that was there, closed its links itself, in order,
 * answered no call and was there for a minute at most; whoever asks EPMD for such a node afterwards misses
 * it: then it was none. To one whose name ends in a number, as scripts choose names, others may have
 * connected, and global asks for it when it has gone.
 */
#ifndef SRC_PRESENCE_H
#define SRC_PRESENCE_H

#include "core/table.h"
#include "record/finding.h"

#include <distsniff/event.h>

enum presence_what {
    PRESENCE_SEEN,
    PRESENCE_LEFT,
    PRESENCE_STAYS, /* it seemed to have left: the node that closed its link did */
    PRESENCE_BACK,
    PRESENCE_UP,
    PRESENCE_DOWN
};

enum { PRESENCE_NAME_LEN = 255 }; /* a node with a longer name is not known */

/* presence_node is a node that has a name. */
struct presence_node {
    struct table_entry entry;
    size_t len;
    char *name; /* len bytes, owned */
    uint32_t creation; /* 0: not known */
    unsigned links;    /* that are up */
    int64_t left_ns;   /* 0: it is there */
    int64_t alone_ns;  /* when its last link ended that is known */
    uint32_t left_by;  /* the number of the node that closed its last link in order, 0: none did */
    int64_t back_ns;   /* when it was seen last, at first or anew */
    unsigned restarts; /* how often it left and came back with another creation */
    int64_t away_ns, again_ns; /* of the latest one: when it left and came back */
    bool came;         /* then it connected to a node that was there */
    bool was_cut;      /* a link of it ended since that it did not close itself, in order */
    bool has_answered; /* a call, since */
    bool has_shell;    /* what is typed into its terminal was asked for, since */
    bool is_visitor;   /* it has left, and is not missed */
    bool was_lost;     /* it has left: it said nothing any more, or nothing got through */
    struct ds_addr addr; /* where it was seen then */
};

/* presence_pair is two nodes that have, or had, a link. */
struct presence_pair {
    struct table_entry entry;
    uint32_t node[2]; /* numbers of the nodes, the lesser one first */
    unsigned links;   /* that are up */
    int64_t up_ns, down_ns;
};

struct presence_change;

struct presence {
    struct table nodes, pairs, links;
    uint16_t epmd_port;
    uint64_t no_memory;
    unsigned unnamed; /* links that are up without the names of both ends */
    unsigned new_ones; /* nodes that came, and may be visitors: presence_answer and the others are of use */
    void (*emit)(void *context, const struct presence_change *change);
    void *context;
};

/* presence_change is given to emit, and lives until that returns. */
struct presence_change {
    enum presence_what what;
    int64_t ts_ns;
    uint64_t conn, frame;            /* frame 0: of no packet */
    const struct ds_endpoint *end;   /* both ends of the connection */
    const struct presence_node *node; /* of SEEN, LEFT, STAYS, BACK */
    bool is_hidden;     /* of UP, DOWN: one of the two is a hidden node */
    bool is_hidden_end[2]; /* of them: which */
    bool was_reset;     /* of DOWN */
    bool is_replaced;   /* of DOWN: its nodes have a new link */
    bool was_up;        /* of UP: the link is from before the capture */
    bool is_restarted;  /* of BACK: with another creation */
    bool is_same;       /* of BACK: with the same creation */
    bool was_silent;    /* of DOWN: the end that did not close it had said nothing for long */
    bool is_given_up;   /* of DOWN: nothing got through for so long that the nodes gave each other up */
    int closed_by;      /* of DOWN: the end that closed it, -1: not known; of is_given_up: that waited */
};

void presence_init(struct presence *presence, uint16_t epmd_port);
void presence_free(struct presence *presence);

/* presence_event takes an event that is no message; presence_name one that may bring names, where
 * presence->unnamed is not 0. */
void presence_event(struct presence *presence, const struct ds_event *event);
void presence_name(struct presence *presence, const struct ds_event *event);

/* presence_answer notes that a node has answered a call, presence_type that it was asked what somebody
 * types there. Call both only while presence->new_ones is not 0. presence_ask notes a question to EPMD at
 * epmd for the name of a node, which is without its host. */
void presence_answer(struct presence *presence, struct ds_text node);
void presence_type(struct presence *presence, struct ds_text node);
void presence_ask(struct presence *presence, struct ds_text name, const struct ds_addr *epmd);

/* presence_given_up is told that nothing got through on a connection for so long that its ends have given
 * each other up, though no packet shows that; waits is the end that waited for the other one. */
void presence_given_up(struct presence *presence, uint64_t conn, int64_t ts_ns,
                       const struct ds_endpoint end[2], int waits);

/* presence_find returns a node by its name, presence_find_pair two that have or had a link; or NULL. */
const struct presence_node *presence_find(const struct presence *presence, struct ds_text name);
const struct presence_pair *presence_find_pair(const struct presence *presence, struct ds_text a,
                                               struct ds_text b);

/* presence_locate fills in where the nodes of a finding are, as far as they were seen. */
void presence_locate(const struct presence *presence, struct finding *finding);

/* presence_find_at returns a node by the first part of its name and its host, as EPMD is asked; or NULL. */
const struct presence_node *presence_find_at(const struct presence *presence, struct ds_text name,
                                             const struct ds_addr *addr);

/* presence_is_gone says whether a node has left and not come back, presence_is_missed whether it has and
 * was no visitor; presence_is_apart whether two nodes that are both there, or of which none has left, have
 * lost their link. */
bool presence_is_gone(const struct presence_node *node);
bool presence_is_missed(const struct presence_node *node);
bool presence_is_apart(const struct presence *presence, const struct presence_pair *pair);

#endif
