/*
 * node_atoms_parts.h - what a book holds, as those who fill it and those who judge by it share it.
 */
#ifndef DISSECT_NODE_ATOMS_PARTS_H
#define DISSECT_NODE_ATOMS_PARTS_H

#include "atoms/atom_shape_tables.h"
#include "atoms/learned_shapes.h"
#include "atoms/node_atoms.h"
#include "atoms/user_atoms.h"
#include "util/memcap.h"

enum {
    ATOM_BOOK_SLOTS = ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS,
    ATOM_BOOK_MODULUS = ATOM_SLOTS_USED,
    ATOM_BOOK_TEXTS = 4,       /* of one slot */
    ATOM_BOOK_ROLES = 8,       /* of one slot, and of one text */
    ATOM_BOOK_DIRECTIONS = 4,
    ATOM_BOOK_SEEN_BY = 16,    /* directions told apart in which slots are unknown */
    ATOM_BOOK_PLACES = 32,     /* the last ones: a node is at one for each node that it called */
    ATOM_BOOK_ENDS = 32,       /* the last ones: nodes without names */
    ATOM_BOOK_VERDICTS = 1024, /* of slots, each in one direction */
    ATOM_BOOK_BUCKETS = 2048,  /* that texts are looked up in */
    ATOM_BOOK_BUCKET_MAX = 64, /* texts of one: more are made to be there */
    ATOM_BOOK_BYTES = 524288,  /* of each book, if all were as large */
};

/* defining is a direction that defines a text: just before, its slot held another one. */
struct defining {
    uint64_t direction;
    int64_t first_ns; /* when it did that, and */
    bool is_again;    /* that it did so more than once: there the slot goes back and forth */
};

/* learned is a text that a slot was seen to get. */
struct learned {
    uint32_t next;      /* of the same slot: its number, from 1 */
    uint32_t next_text; /* of the same bucket, likewise */
    uint32_t hash;      /* of the text */
    uint16_t number;    /* as atom_table_find has it */
    uint16_t slot, len;
    char *text;
    uint8_t num_roles, num_directions;
    bool is_watched;    /* its roles were told from the first one on */
    bool is_everywhere; /* more directions than are remembered */
    struct seen_role roles[ATOM_BOOK_ROLES];
    struct defining directions[ATOM_BOOK_DIRECTIONS];
};

/* slot_texts is what was learned of a slot: the number, from 1, of the first text. */
struct slot_texts {
    uint32_t first;
    uint8_t num;
};

/* book_slot is a slot that somebody wanted to know. */
struct book_slot {
    bool is_wanted; /* else it was known in all messages so far */
    uint8_t num_seen;
    uint64_t changes; /* counts what makes another verdict of it possible */
    struct seen_role seen[ATOM_BOOK_ROLES];
    uint16_t seen_by[ATOM_BOOK_ROLES]; /* a bit for each direction: node_atoms_bit_of */
    uint32_t creation;    /* of the node that it is the name of; 0: not seen as one */
    bool has_creations;   /* several */
};

/* atom_verdict is what a slot was judged to mean in a direction: atom_verdicts.h. */
struct atom_verdict {
    uint64_t direction;
    struct ds_text text; /* absent: nothing is likely */
    uint64_t generation, changes; /* of the book and the slot when it was */
    uint16_t slot;
    uint16_t num_asked;
    bool is_kept; /* else there is none */
};

struct book_place {
    struct ds_addr addr, peer; /* the latter: where the other end is */
    uint32_t peer_creation;
    uint16_t port;
    bool has_peer; /* there is a connection with it */
};

/* known_end is a node that a slot is the name of: nobody has said it, but where the node is. */
struct known_end {
    struct ds_endpoint end;
    uint16_t slot;
};

/* table_fit is how definitions agree with a table: with its common part, and with the rest, which
 * another build of the release has elsewhere. One that does not rules that part out for good. */
struct table_fit {
    uint16_t hits, misses, rest_hits, rest_misses;
    uint16_t end_of_hits; /* the atom behind the last one that agreed */
};

enum {
    SHAPE_WHOLES = 256,  /* shapes of whole messages that are told apart */
    SHAPE_CONTEXTS = 16, /* of a slot */
    SHAPE_TOLD = 1024,   /* contexts told apart in which known atoms stand */
    SHAPE_ALIKE = 256,   /* kinds of messages that are counted */
};

/* messages_alike is how many messages had the same atoms, in the same order: shape_fit_wants. */
struct messages_alike {
    uint32_t hash, num;
};

/* shape_proof is how known atoms agree with a table: the number of contexts in which they are as the table
 * has them, or not, and which, by their numbers modulo TOLD. */
struct shape_proof {
    uint32_t num_hits, num_misses;
    uint32_t hits[SHAPE_TOLD / 32], misses[SHAPE_TOLD / 32];
};

/* slot_shapes is in which contexts of the table that fits a slot was seen. */
struct slot_shapes {
    uint8_t num;
    uint16_t context[SHAPE_CONTEXTS];
    uint16_t seen_by[SHAPE_CONTEXTS]; /* as that of a book_slot */
    uint16_t times[SHAPE_CONTEXTS];   /* how often */
    bool is_whole; /* one of them is all of a message that the table has */
    uint16_t next_claims; /* at how many claims of others it is judged anew */
    uint16_t claim; /* the number, from 1, of the text that the slot means by its contexts alone; 0: none */
};

/* shape_claim is which slot means a text by contexts alone: its number, from 1, or CONTESTED. bits: how
 * much more likely that is than not. */
enum { SHAPE_CONTESTED = UINT16_MAX };
struct shape_claim {
    uint16_t slot;
    uint8_t bits;
};

/* book_shapes is what the shapes of a node's messages say of it: atom_shape_fit.h. */
struct book_shapes {
    int table; /* that fits; SHAPE_TABLE_COMMON: none does, but for what applications have in common, */
    bool is_common; /* where that does; */
    bool is_partial; /* it is not known that the table fits: shape_fit_is_sure */
    uint16_t num_wholes, num_own;          /* shapes, and those that are not common */
    uint16_t num_known[SHAPE_TABLES_NUM];  /* of these a table has */
    bool is_refuted[SHAPE_TABLES_NUM];     /* by atoms that are known */
    struct shape_proof proof;      /* of the table that fits */
    uint32_t wholes[SHAPE_WHOLES];
    struct messages_alike alike[SHAPE_ALIKE];
    struct slot_shapes *slots; /* NULL: none so far; and then */
    uint16_t num_claims;       /* that were made so far */
    struct shape_claim *claims; /* of each text of the tables */
    uint16_t *times; /* how often unknown slots were seen in each context of the table that fits */
    struct learned_fit *learned;   /* NULL: nothing was learned */
};

/* learned_fit is that of learned_shapes.h, beside the table that fits. */
struct learned_fit {
    bool is_fit, is_refuted;
    enum learned_names names; /* of users, that are this node's, too */
    bool has_other_names; /* that was seen */
    bool had_name;        /* the node had one when this was told */
    uint16_t num_known;       /* shapes that were learned, */
    uint32_t num_wholes;      /* when there were so many of them */
    struct shape_proof proof, name_proof; /* the latter: of contexts with names */
    uint16_t times[LEARNED_CONTEXTS];
};

/* slot_name is which name a slot has by data that stands beside it: data_names.h. */
struct slot_name {
    uint16_t name;    /* its number, from 1; 0: none */
    uint16_t seen_by; /* as that of a book_slot */
    uint8_t routed;   /* messages that say so by how they are routed, or answered */
    uint32_t answered; /* by the last one of the latter: the index */
    bool is_told;     /* one says it plainly */
    bool is_doubtful; /* others say something else */
};

struct node_atoms {
    struct node_atoms *older, *newer;
    struct all_node_atoms *books;
    struct memcap *memcap; /* of all books */
    unsigned num_users;
    uint32_t creation;
    struct book_place places[ATOM_BOOK_PLACES]; /* where it was seen */
    uint8_t num_places;
    struct known_end *ends; /* ENDS; NULL: none so far */
    uint8_t num_ends;
    char *name;
    size_t name_len;
    bool is_liar; /* does what no node does: nothing is likely of it */
    bool is_several; /* nodes of one host that were started in the same second; then it is a liar, too */
    uint16_t own_slot; /* of its name, from 1, as long as nobody has said it; 0: not seen so far */
    uint64_t generation; /* changes with whatever makes another verdict possible */
    const struct user_atoms *own; /* of all books */
    struct table_fit fits[ATOM_TABLES_ALL];
    int64_t now_ns;     /* of the message at hand */
    bool has_table;     /* that fits */
    float table_bits[ATOM_TABLES_ALL]; /* as long as none does: log2 of how probable each is */
    uint16_t usable[ATOM_TABLES_ALL]; /* how much of each, from its first atom on; 0: it does not */
    uint32_t num_seen;  /* roles of all slots */
    uint32_t num_slots_learned; /* of which a text was, */
    uint32_t num_seen_learned, num_seen_other; /* unknown slots of these, and of the others */
    uint64_t seen_by[ATOM_BOOK_SEEN_BY]; /* directions */
    unsigned num_seen_by;
    uint32_t next_fit;  /* when the tables are tried again */
    uint32_t num_told, next_told; /* the same by definitions of static atoms */
    uint64_t work;      /* texts looked at and slots weighed: what a test holds against a bound */
    struct learned *learned;
    uint32_t num_learned, cap_learned;
    struct slot_texts *texts; /* of each slot */
    uint32_t buckets[ATOM_BOOK_BUCKETS]; /* the number, from 1, of the first text of each */
    uint32_t nodes[ATOM_BOOK_SLOTS / 32]; /* a bit for each slot that was seen to be one by its place */
    struct book_slot *slots;  /* NULL: nothing was unknown so far */
    struct atom_verdict *verdicts; /* VERDICTS, where there are slots */
    uint64_t num_judged; /* slots: what a test holds against a bound */
    struct book_shapes shapes;
    struct slot_name *names; /* of each slot; NULL: none so far */
};

/* node_atoms_bit_of returns the bit of a direction in which slots are unknown, 0 if there is none; the
 * last one is shared by all that there is no room for. */
uint16_t node_atoms_bit_of(const struct node_atoms *book, uint64_t direction);

/* node_atoms_name_of returns the name of the node that a slot, which somebody wanted to know, stands
 * for, by
 * the creation of what it is in; absent: no node is known by that, or several. It lives as long as the
 * books are not changed. */
struct ds_text node_atoms_name_of(const struct node_atoms *book, uint16_t slot);

/* node_atoms_has_shapes makes room for contexts of slots; false when memory ran out. */
bool node_atoms_has_shapes(struct node_atoms *book, struct dissect_ctx *env);

/* node_atoms_learned_fit returns room for how what was learned fits; NULL when memory ran out. */
struct learned_fit *node_atoms_learned_fit(struct node_atoms *book);

/* node_atoms_has_names does that for names of slots. */
bool node_atoms_has_names(struct node_atoms *book, struct dissect_ctx *env);

/* node_atoms_has_elsewhere says whether a text is known in another slot, where no node would have
 * it. Also true where too many texts have its hash for that to be chance. */
bool node_atoms_has_elsewhere(struct node_atoms *book, uint16_t slot, struct ds_text text);

/* node_atoms_check_tables holds a definition against the tables: right in one, it is not by chance. */
void node_atoms_check_tables(struct node_atoms *book, uint16_t slot, struct ds_text text);

/* node_atoms_count_failure tells the cap, which then was reached, from memory that ran out. */
void node_atoms_count_failure(struct node_atoms *book, struct dissect_ctx *env);

/* node_atoms_add_role adds to a short list; false when it is there already, as close or closer, or the list
 * is full. *at is where it stands; max: nowhere. */
bool node_atoms_add_role(struct seen_role *roles, uint8_t *num, unsigned max, struct seen_role role,
                         unsigned *at);

/* all_node_atoms_shapes returns what was learned of contexts, an empty one if nothing was; NULL when memory
 * ran out. */
struct learned_shapes *all_node_atoms_shapes(struct all_node_atoms *books);

struct all_node_atoms {
    struct memcap memcap;
    struct user_atoms *own; /* NULL: there are none */
    struct data_names *data_names; /* NULL: none so far */
    struct raft_rounds *raft_rounds; /* NULL: none so far */
    struct learned_shapes *learned; /* NULL: none so far */
    struct node_atoms *oldest, *newest;
    uint64_t num, max;
    uint32_t num_names; /* that were learned so far */
};

#endif
