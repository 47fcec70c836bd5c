/*
 * talkers.h - who sends a message and who gets it, as tables count it: a node with a registered
 * name where one is known. Names are numbered, so that telling them apart costs little.
 */
#ifndef SRC_TALKERS_H
#define SRC_TALKERS_H

#include "keys.h"
#include "record.h"

/* talker is a node, or where that is not known an address, and a registered name, 0: none known. */
struct talker {
    uint32_t node, name;
};

enum { TALKERS_CONNS = 64 };

/* talkers_conn is a connection whose ends have their numbers, 0: not yet. */
struct talkers_conn {
    uint64_t conn; /* 0: free */
    uint32_t node[2];
    bool is_named[2];
};

struct talkers {
    struct intern texts;
    struct talkers_conn conns[TALKERS_CONNS]; /* those seen last, by number */
    struct ds_buffer scratch;
};

void talkers_init(struct talkers *talkers, uint64_t max_names);
void talkers_free(struct talkers *talkers);

/* talkers_node numbers the node at one end of a connection: 0 when there is no more room. */
uint32_t talkers_node(struct talkers *talkers, const struct ds_conn *conn, unsigned end);

/* talkers_get says who sends a message, and who gets it. A name that a process only answers for is
 * not its own. */
void talkers_get(struct talkers *talkers, const struct record *record, struct talker *from,
                 struct talker *to);

/* talker_print appends "db@bob@host", or the node or address alone; "?" for one without number. */
void talker_print(const struct talkers *talkers, const struct talker *talker,
                  struct ds_buffer *out);

/* A process that sends, or gets: by its name where it has one, else by its pid, else as talker. */
enum talker_side { TALKER_FROM, TALKER_TO };
uint64_t talker_process_hash(const struct record *record, enum talker_side side,
                             const struct talker *talker);
uint64_t talker_party_hash(struct talkers *talkers, const struct party *party); /* the same */
/* What a process with a name is counted by as long as that is not known; 0: its pid is not. */
uint64_t talker_pid_hash(const struct record *record, enum talker_side side,
                         const struct talker *talker);
uint64_t talker_party_pid_hash(struct talkers *talkers, const struct party *party);
void talker_process_print(const struct talkers *talkers, const struct record *record,
                          enum talker_side side, const struct talker *talker,
                          struct ds_buffer *out);
void talker_party_print(struct talkers *talkers, const struct party *party, struct ds_buffer *out);

/* routes are the few pairs of talkers that carry most of something: space-saving, in place. */
enum { ROUTES = 4 };

struct routes {
    struct {
        struct talker from, to;
        uint64_t weight;
    } route[ROUTES];
    unsigned num;
    bool more; /* than ROUTES have been seen */
};

void routes_add(struct routes *routes, const struct talker *from, const struct talker *to,
                uint64_t weight);

/* routes_print appends "alice@h > db@bob@h", the heaviest, and how many others there are. */
void routes_print(const struct talkers *talkers, const struct routes *routes,
                  struct ds_buffer *out);

#endif
