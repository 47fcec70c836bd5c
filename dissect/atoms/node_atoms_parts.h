/*
 * node_atoms_parts.h - the contents of a book, for the code that fills it and the code that judges
 * by it.
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
    ATOM_BOOK_SEEN_BY = 16,    /* distinguished directions in which slots are unknown */
    ATOM_BOOK_PLACES = 32,     /* the latest: a node has one for each node that it called */
    ATOM_BOOK_ENDS = 32,       /* the latest nodes without names */
    ATOM_BOOK_VERDICTS = 1024, /* of slots, each in one direction */
    ATOM_BOOK_BUCKETS = 2048,  /* of the hash table of texts */
    ATOM_BOOK_BUCKET_MAX = 64, /* texts of one: only an attack makes more */
    ATOM_BOOK_BYTES = 524288,  /* average memory of a book */
};

/* defining is a direction that defines a text: just before, its slot contained another one. */
struct defining {
    uint64_t direction;
    int64_t first_ns; /* when it first did so */
    bool is_again;    /* it did so more than once: there the slot alternates */
};

/* learned is a text that a slot was seen to be given. */
struct learned {
    uint32_t next;      /* number, from 1, of the next of the same slot */
    uint32_t next_text; /* likewise, of the same bucket */
    uint32_t hash;      /* of the text */
    uint16_t number;    /* from atom_table_find */
    uint16_t slot, len;
    char *text;
    uint8_t num_roles, num_directions;
    bool is_watched;    /* its roles were reported from the first one on */
    bool is_everywhere; /* in more directions than are remembered */
    struct seen_role roles[ATOM_BOOK_ROLES];
    struct defining directions[ATOM_BOOK_DIRECTIONS];
};

/* slot_texts is the list of texts learned of a slot. first is the number, from 1, of the first
 * one. */
struct slot_texts {
    uint32_t first;
    uint8_t num;
};

/* book_slot is a slot that was unknown in some message. */
struct book_slot {
    bool is_wanted; /* if not, it was known in all messages so far */
    uint8_t num_seen;
    uint64_t changes; /* counts changes that may change its verdict */
    struct seen_role seen[ATOM_BOOK_ROLES];
    uint16_t seen_by[ATOM_BOOK_ROLES]; /* a bit for each direction: node_atoms_bit_of */
    uint32_t creation;    /* of the node that it names; 0: it was not seen to name one */
    bool has_creations;   /* more than one */
};

/* atom_verdict is what a slot was judged to mean in a direction: atom_verdicts.h. */
struct atom_verdict {
    uint64_t direction;
    struct ds_text text; /* absent: nothing is likely */
    uint64_t generation, changes; /* of the book and the slot when it was judged */
    uint16_t slot;
    uint16_t num_asked;
    bool is_kept; /* if not, this entry is free */
};

struct book_place {
    struct ds_addr addr, peer; /* peer: of the other end */
    uint32_t peer_creation;
    uint16_t port;
    bool has_peer; /* the connection with it is open */
};

/* known_end is a node whose name is in a slot; the name is unknown, but not the place. */
struct known_end {
    struct ds_endpoint end;
    uint16_t slot;
};

/* table_fit counts the definitions that agree with a table: with its common part, and with the
 * rest, which another build of the release has at other indices. One miss rules a part out for
 * good. */
struct table_fit {
    uint16_t hits, misses, rest_hits, rest_misses;
    uint16_t end_of_hits; /* index after the last one that agreed */
};

enum {
    SHAPE_WHOLES = 256,  /* distinguished shapes of whole messages */
    SHAPE_CONTEXTS = 16, /* of a slot */
    SHAPE_TOLD = 1024,   /* distinguished contexts of known atoms */
    SHAPE_ALIKE = 256,   /* distinguished kinds of messages */
};

/* messages_alike counts messages with the same atoms in the same order: shape_fit_wants. */
struct messages_alike {
    uint32_t hash, num;
};

/* shape_proof counts the contexts in which known atoms agree with a table, or do not. The bit
 * sets are indexed by context number modulo SHAPE_TOLD. */
struct shape_proof {
    uint32_t num_hits, num_misses;
    uint32_t hits[SHAPE_TOLD / 32], misses[SHAPE_TOLD / 32];
};

/* slot_shapes is the contexts, of the chosen table and learned ones, in which a slot was seen. */
struct slot_shapes {
    uint8_t num;
    uint16_t context[SHAPE_CONTEXTS];
    uint16_t seen_by[SHAPE_CONTEXTS]; /* as in book_slot */
    uint16_t times[SHAPE_CONTEXTS];   /* how often */
    bool is_whole; /* one of them is a whole message of the table */
    uint16_t next_claims; /* it is judged again at this number of claims of other slots */
    uint16_t claim; /* number, from 1, of the text that it means by contexts alone; 0: none */
};

/* shape_claim is the slot that means a text by contexts alone: its number, from 1, or
 * SHAPE_CONTESTED. bits: log2 of how much more likely that is than not. */
enum { SHAPE_CONTESTED = UINT16_MAX };
struct shape_claim {
    uint16_t slot;
    uint8_t bits;
};

/* book_shapes is what the shapes of a node's messages show about it: atom_shape_fit.h. */
struct book_shapes {
    int table; /* the one that fits; SHAPE_TABLE_COMMON: none, except perhaps the common one */
    bool is_common; /* the common table fits */
    bool is_partial; /* the table is not known to fit: shape_fit_is_sure */
    uint16_t num_wholes, num_own;          /* shapes; num_own: without the common ones */
    uint16_t num_known[SHAPE_TABLES_NUM];  /* of num_own, those in each table */
    bool is_refuted[SHAPE_TABLES_NUM];     /* by known atoms */
    struct shape_proof proof;      /* of the chosen table */
    uint32_t wholes[SHAPE_WHOLES];
    struct messages_alike alike[SHAPE_ALIKE];
    struct slot_shapes *slots; /* NULL, and claims and times as well: none so far */
    uint16_t num_claims;       /* made so far */
    struct shape_claim *claims; /* one for each text */
    uint16_t *times; /* how often unknown slots were seen in each context of the chosen table */
    struct learned_fit *learned;   /* NULL: nothing was learned */
};

/* learned_fit is how learned_shapes.h fits, apart from the built-in table. */
struct learned_fit {
    bool is_fit, is_refuted;
    enum learned_names names; /* which learned names are also those of this node */
    bool has_other_names; /* known atoms show that its names differ */
    bool had_name;        /* the node had a name when names was set */
    uint16_t num_known;       /* shapes of this node that were learned */
    uint32_t num_wholes;      /* number of learned shapes at that time */
    struct shape_proof proof, name_proof; /* name_proof: of contexts with names */
    uint16_t times[LEARNED_CONTEXTS];
};

/* slot_name is the name of a slot according to data in messages: data_names.h. */
struct slot_name {
    uint16_t name;    /* its number, from 1; 0: none */
    uint16_t seen_by; /* as in book_slot */
    uint8_t routed;   /* messages that imply it by their routing, or as answers */
    uint32_t answered; /* index in the latest of those answers */
    bool is_told;     /* a message says so directly */
    bool is_doubtful; /* others contradict it */
};

struct node_atoms {
    struct node_atoms *older, *newer;
    struct all_node_atoms *books;
    struct memcap *memcap; /* of all books */
    unsigned num_users;
    uint32_t creation;
    struct book_place places[ATOM_BOOK_PLACES]; /* where the node was seen */
    uint8_t num_places;
    struct known_end *ends; /* ATOM_BOOK_ENDS of them; NULL: none so far */
    uint8_t num_ends;
    char *name;
    size_t name_len;
    bool is_liar; /* it does what no node does: nothing is likely */
    bool is_several; /* nodes of one host that were started in the same second; is_liar is then set */
    uint16_t own_slot; /* slot of its name, from 1, while the text is unknown; 0: not seen so far */
    uint64_t generation; /* changes when any verdict may change */
    const struct user_atoms *own; /* of all books */
    struct table_fit fits[ATOM_TABLES_ALL];
    int64_t now_ns;     /* of the present message */
    bool has_table;     /* a table fits */
    float table_bits[ATOM_TABLES_ALL]; /* while none fits: log2 of the probability of each */
    uint16_t usable[ATOM_TABLES_ALL]; /* usable atoms of each, from the first; 0: does not fit */
    uint32_t num_seen;  /* roles of all slots */
    uint32_t num_slots_learned; /* slots with a text */
    uint32_t num_seen_learned, num_seen_other; /* unknown slots with a text, and without */
    uint64_t seen_by[ATOM_BOOK_SEEN_BY]; /* directions */
    unsigned num_seen_by;
    uint32_t next_fit;  /* num_seen at which the tables are tried again */
    uint32_t num_told, next_told; /* the same for definitions of static atoms */
    uint64_t work;      /* texts compared and slots weighed: a test checks its bound */
    struct learned *learned;
    uint32_t num_learned, cap_learned;
    struct slot_texts *texts; /* of each slot */
    uint32_t buckets[ATOM_BOOK_BUCKETS]; /* the number, from 1, of the first text in each */
    uint32_t nodes[ATOM_BOOK_SLOTS / 32]; /* a bit for each slot seen where only a node's name is */
    struct book_slot *slots;  /* NULL: nothing was unknown so far */
    struct atom_verdict *verdicts; /* ATOM_BOOK_VERDICTS of them, if there are slots */
    uint64_t num_judged; /* verdicts made: a test checks its bound */
    struct book_shapes shapes;
    struct slot_name *names; /* of each slot; NULL: none so far */
};

/* node_atoms_bit_of returns the bit of a direction in which slots are unknown, 0 if it has none;
 * all directions after the 15th share the last bit. */
uint16_t node_atoms_bit_of(const struct node_atoms *book, uint64_t direction);

/* node_atoms_name_of returns the name of the node that a wanted slot stands for, found by the
 * creation in its terms; absent: no node has it, or several. The text lives until the books
 * change. */
struct ds_text node_atoms_name_of(const struct node_atoms *book, uint16_t slot);

/* node_atoms_has_shapes allocates the contexts of slots if needed; false if memory ran out. */
bool node_atoms_has_shapes(struct node_atoms *book, struct dissect_ctx *env);

/* node_atoms_learned_fit allocates a learned_fit; NULL if memory ran out. */
struct learned_fit *node_atoms_learned_fit(struct node_atoms *book);

/* node_atoms_has_names allocates the names of slots if needed; false if memory ran out. */
bool node_atoms_has_names(struct node_atoms *book, struct dissect_ctx *env);

/* node_atoms_has_elsewhere says whether a text is known in another slot, which no node does.
 * Also true if too many texts share its bucket to be chance. */
bool node_atoms_has_elsewhere(struct node_atoms *book, uint16_t slot, struct ds_text text);

/* node_atoms_check_tables compares a definition with the tables: agreement is hardly chance. */
void node_atoms_check_tables(struct node_atoms *book, uint16_t slot, struct ds_text text);

/* node_atoms_count_failure counts a failed allocation: as a cap that was reached, or as memory
 * that ran out. */
void node_atoms_count_failure(struct node_atoms *book, struct dissect_ctx *env);

/* node_atoms_add_role adds a role to a short list; false if it is already there, as close or
 * closer, or the list is full. *at is its index; max if it is not in the list. */
bool node_atoms_add_role(struct seen_role *roles, uint8_t *num, unsigned max, struct seen_role role,
                         unsigned *at);

/* all_node_atoms_shapes returns the learned contexts, which it allocates if needed; NULL if
 * memory ran out. */
struct learned_shapes *all_node_atoms_shapes(struct all_node_atoms *books);

struct all_node_atoms {
    struct memcap memcap;
    struct user_atoms *own; /* NULL: the user gave none */
    struct data_names *data_names; /* NULL: none so far */
    struct raft_rounds *raft_rounds; /* NULL: none so far */
    struct learned_shapes *learned; /* NULL: none so far */
    struct node_atoms *oldest, *newest;
    uint64_t num, max;
    uint32_t num_names; /* learned so far */
};

#endif
