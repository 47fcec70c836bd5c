/*
 * match_parse.h - shared by the parsers of a head and of a guard.
 */
#ifndef DISSECT_MATCH_PARSE_H
#define DISSECT_MATCH_PARSE_H

#include "match/machine/match_program.h"
#include "match/parse/match_lex.h"

/* The maximum length of a literal in a binary. */
enum { MATCH_MAX_LITERAL_BITS = 4096 };

struct parser {
    struct lexer lexer;
    struct ds_match *match;
    struct {
        size_t at, len; /* in the text */
    } names[DS_MATCH_MAX_VARIABLES];
};

/* parse_no_memory reports that memory ran out; it returns false. */
bool parse_no_memory(struct parser *p);

/* parse_find_variable returns the number of the variable that is the current word, or -1. */
int parse_find_variable(const struct parser *p);

/* parse_term reads a term from the current word on, up to the word after it, and adds its nodes. A
 * constant term has no variables, and its maps are complete. */
bool parse_term(struct parser *p, bool is_constant);

/* parse_arguments reads the arguments of a call after its (, as a list. */
bool parse_arguments(struct parser *p);

/* parse_fold makes one constant of the nodes of a constant term, from first on. */
bool parse_fold(struct parser *p, size_t first, size_t *at, size_t *len);

/* These add the current word: an atom, a number after its sign; parse_nil adds []. */
bool parse_atom(struct parser *p);
bool parse_number(struct parser *p, bool negative);
bool parse_nil(struct parser *p);

/* parse_begin_constant returns a new node, NULL if memory ran out; append its constant, then call
 * parse_end_constant. */
struct match_node *parse_begin_constant(struct parser *p, enum node_kind kind);
bool parse_end_constant(struct parser *p, struct match_node *node);

/* parse_is_map says whether the current word, after a #, opens a map; if not, it reports an error. */
static inline bool parse_is_map(struct parser *p)
{
    return lexer_is(&p->lexer, "{") ||
           lexer_expected(&p->lexer, "{ of a map (write a record as the tuple it is)");
}

/* parse_binary reads a binary after its <<. A constant binary has no variables. */
bool parse_binary(struct parser *p, bool is_constant);

/* parse_segment reads the size and type after the value of a segment; only_fixed: no computed size.
 * parse_segment_types reads the types after the size, which is at size_at if there is one; *out
 * contains what is known so far. */
bool parse_segment(struct parser *p, bool only_fixed, struct bit_segment *out);
bool parse_segment_types(struct parser *p, bool has_size, size_t size_at, struct bit_segment *out);

/* parse_guard reads the part after "when". parse_expression reads an expression in ( ), or a
 * variable, as *num steps from *first on that push its value. */
bool parse_guard(struct parser *p);
bool parse_expression(struct parser *p, size_t *first, size_t *num);

/* parse_add_node returns a new node, or NULL if memory ran out. */
struct match_node *parse_add_node(struct parser *p, enum node_kind kind);

/* parse_add_segment adds a segment; false if memory ran out. */
bool parse_add_segment(struct parser *p, const struct bit_segment *segment);

/* parse_bind binds or compares the variable that is the current word: it sets the kind and variable
 * of a node. */
bool parse_bind(struct parser *p, enum node_kind *kind, uint32_t *variable);

#endif
