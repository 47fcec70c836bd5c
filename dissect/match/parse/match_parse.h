/*
 * match_parse.h - what the parsers of a head and of a guard share.
 */
#ifndef DISSECT_MATCH_PARSE_H
#define DISSECT_MATCH_PARSE_H

#include "match/machine/match_program.h"
#include "match/parse/match_lex.h"

/* A literal in a binary has at most so many bits. */
enum { MATCH_MAX_LITERAL_BITS = 4096 };

struct parser {
    struct lexer lexer;
    struct ds_match *match;
    struct {
        size_t at, len; /* in the text */
    } names[DS_MATCH_MAX_VARIABLES];
};

/* parse_no_memory notes that memory ran out; it returns false. */
bool parse_no_memory(struct parser *p);

/* parse_find_variable returns the number of the variable that was just read, or -1. */
int parse_find_variable(const struct parser *p);

/* parse_term reads a term from the word that was read on, up to the word behind it, and adds
 * its nodes. In a constant one there are no variables, and maps are whole. */
bool parse_term(struct parser *p, bool is_constant);

/* parse_arguments reads the arguments of a call behind its (, as the term that is their list. */
bool parse_arguments(struct parser *p);

/* parse_fold makes one constant out of the nodes of a constant term, from first on. */
bool parse_fold(struct parser *p, size_t first, size_t *at, size_t *len);

/* These add the term that was just read: an atom, a number behind its sign; parse_nil adds []. */
bool parse_atom(struct parser *p);
bool parse_number(struct parser *p, bool negative);
bool parse_nil(struct parser *p);

/* parse_begin_constant returns a new node whose constant is to follow, NULL when memory ran out;
 * parse_end_constant is behind that. */
struct match_node *parse_begin_constant(struct parser *p, enum node_kind kind);
bool parse_end_constant(struct parser *p, struct match_node *node);

/* parse_is_map says whether a map begins behind the # that stands before the word that was read;
 * an error when not. */
static inline bool parse_is_map(struct parser *p)
{
    return lexer_is(&p->lexer, "{") ||
           lexer_expected(&p->lexer, "{ of a map (write a record as the tuple it is)");
}

/* parse_binary reads a binary behind its <<. A constant one has no variables. */
bool parse_binary(struct parser *p, bool is_constant);

/* parse_segment reads what follows the value of a segment: its size and type; only_fixed: not
 * a size that is computed. parse_segment_types reads what follows the size, which stands at
 * size_at if there is one; what of it is known is in *out. */
bool parse_segment(struct parser *p, bool only_fixed, struct bit_segment *out);
bool parse_segment_types(struct parser *p, bool has_size, size_t size_at, struct bit_segment *out);

/* parse_guard reads what follows "when"; parse_expression an expression in ( ), or a variable,
 * as *num steps from *first on that leave its value. */
bool parse_guard(struct parser *p);
bool parse_expression(struct parser *p, size_t *first, size_t *num);

/* parse_add_node returns a new node, or NULL when memory ran out. */
struct match_node *parse_add_node(struct parser *p, enum node_kind kind);

/* parse_add_segment adds a segment; false when memory ran out. */
bool parse_add_segment(struct parser *p, const struct bit_segment *segment);

/* parse_add_variable adds what the variable that was just read stands for to a node: kind and
 * variable. */
bool parse_bind(struct parser *p, enum node_kind *kind, uint32_t *variable);

#endif
