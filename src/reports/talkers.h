/*
 * talkers.h - sender and receiver of a message, as reports count them: a node, and a registered
 * name if known. Names are numbered, so that comparing them is fast.
 */
#ifndef SRC_TALKERS_H
#define SRC_TALKERS_H

#include "analyse/calls/pid_key.h"
#include "record/record.h"

#include <distsniff/identity.h>

/* talker is a node (or its address, if unknown), and a registered name, 0: unknown. */
struct talker {
    uint32_t node, name;
};

enum { TALKERS_CONNS = 64 };

/* talkers_conn is a connection with the numbers of its ends, 0: none yet. */
struct talkers_conn {
    uint64_t conn; /* 0: free */
    uint32_t node[2];
    bool is_named[2];
};

struct talkers {
    struct intern own, *texts; /* texts is own, or a shared one */
    struct talkers_conn conns[TALKERS_CONNS]; /* recently seen ones, indexed by number */
    struct ds_buffer scratch;
};

/* talkers_init numbers names in shared, which several tables use and which must outlive them; if
 * NULL, in a separate table with max_names. */
void talkers_init(struct talkers *talkers, uint64_t max_names, struct intern *shared);
void talkers_free(struct talkers *talkers);

/* talkers_number_end returns the number of a node without a cache; an unknown node is represented
 * by its address. */
uint32_t talkers_number_end(struct talkers *talkers, const struct ds_endpoint *end);

/* talkers_node returns the number of the node at one end of a connection: 0 if there is no more
 * room. */
static inline uint32_t talkers_node(struct talkers *talkers, const struct ds_conn *conn, unsigned end)
{
    struct talkers_conn *c = &talkers->conns[conn->number % TALKERS_CONNS];
    const bool is_named = conn->end[end].node.len != 0;
    if (c->conn != conn->number)
        *c = (struct talkers_conn){.conn = conn->number};
    if (c->node[end] == 0 || c->is_named[end] != is_named) {
        c->node[end] = talkers_number_end(talkers, &conn->end[end]);
        c->is_named[end] = is_named;
    }
    return c->node[end];
}

/* talkers_name returns the number of a process's name: the known name of a pid, or the name the
 * message was sent to. */
static inline uint32_t talkers_name(struct talkers *talkers, struct ds_text known,
                                    const struct ds_term *process)
{
    struct ds_text name = known;
    return name.data != NULL || (process->data != NULL && ds_term_get_atom(process, &name))
               ? intern_add(talkers->texts, name)
               : 0;
}

/* talkers_get returns sender and receiver of a message. A name for which a process only answers
 * does not count. Inline, as it is called for every message. */
static inline void talkers_get(struct talkers *talkers, const struct record *record,
                               struct talker *from, struct talker *to)
{
    const struct ds_text none = {NULL, 0};
    const struct ds_event *event = record->event;
    const struct note *note = &record->note;
    const struct ds_term *role = event->message.role;
    from->node = talkers_node(talkers, event->conn, event->dir);
    to->node = talkers_node(talkers, event->conn, !event->dir);
    from->name = talkers_name(talkers, note->from_is_for ? none : note->from_name, &role[DS_ROLE_FROM]);
    to->name = talkers_name(talkers, note->to_is_for ? none : note->to_name, &role[DS_ROLE_TO]);
}

/* talker_print appends "db@bob@host", or only the node or address; "?" for number 0. */
void talker_print(const struct talkers *talkers, const struct talker *talker, struct ds_buffer *out);

/* A process that sends, or gets: identified by its name if it has one, else by its pid, else as
 * talker. */
enum talker_side { TALKER_FROM, TALKER_TO };
uint64_t talker_process_hash(const struct record *record, enum talker_side side,
                             const struct talker *talker);
uint64_t talker_party_hash(struct talkers *talkers, const struct party *party); /* likewise */
/* The hash under which a named process is counted while its name is unknown; 0: its pid is unknown. */
uint64_t talker_pid_hash(const struct record *record, enum talker_side side,
                         const struct talker *talker);
uint64_t talker_party_pid_hash(struct talkers *talkers, const struct party *party);
void talker_process_print(const struct talkers *talkers, const struct record *record,
                          enum talker_side side, const struct talker *talker, struct ds_buffer *out);
void talker_party_print(struct talkers *talkers, const struct party *party, struct ds_buffer *out);

/* routes are the few pairs of talkers with most of the traffic: the space-saving algorithm, in
 * place. */
enum { ROUTES = 4 };

struct routes {
    struct {
        struct talker from, to;
        uint64_t weight;
    } route[ROUTES];
    unsigned num;
    bool more; /* more than ROUTES were seen */
};

void routes_add(struct routes *routes, const struct talker *from, const struct talker *to,
                uint64_t weight);

/* routes_print appends "alice@h > db@bob@h", the heaviest, and the number of others. */
void routes_print(const struct talkers *talkers, const struct routes *routes, struct ds_buffer *out);

#endif
