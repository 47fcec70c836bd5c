/*
 * match_walk.c - matches terms against the head of a pattern; see match_program.h.
 *
 * The nodes are processed in order. Open containers are on a stack, which is no deeper than the
 * pattern. The end of an element is only searched when the next one is needed, so most terms are
 * rejected after their first bytes.
 */
#include "match/machine/match_program.h"

struct walk_frame {
    enum node_kind kind;
    bool begun;
    uint32_t left;     /* nodes of the pattern: elements, pairs */
    struct view at;    /* TUPLE: the element; LIST: the rest; MAP: the first pair; BOTH: the term */
    uint64_t num;      /* MAP: pairs of the term */
};

struct walk {
    struct ds_match *match;
    struct run *run;
    const struct match_node *node; /* the next one */
    struct walk_frame frames[DS_MATCH_MAX_NESTING + 1];
    size_t depth;
};

static bool is_atom(struct walk *w, const struct match_node *node, const struct view *value)
{
    enum { TAG_AND_LENGTH = 2 }; /* as written by the parser */
    const struct view atom = constant_view(w->match, node->at, node->len);
    return view_is_atom(w->run, value,
                        (struct ds_text){(const char *)atom.at.at + TAG_AND_LENGTH,
                                         node->len - TAG_AND_LENGTH});
}

static bool open_frame(struct walk *w, const struct match_node *node, const struct head *head)
{
    struct walk_frame *frame = &w->frames[w->depth++];
    *frame = (struct walk_frame){.kind = node->kind,
                                 .left = node->num,
                                 .at = view_parts(head),
                                 .num = head->num_parts / 2};
    return true;
}

/* enter_tuple rejects most tuples by their first two bytes. */
static bool enter_tuple(struct walk *w, const struct match_node *node, const struct view *value)
{
    struct head head = {.view = *value, .rest = value->at};
    uint8_t tag, arity;
    if (value->kind != VIEW_TERM)
        return false;
    if (cursor_read_u8(&head.rest, &tag) && tag == TERM_TAG_SMALL_TUPLE)
        return cursor_read_u8(&head.rest, &arity) && arity == node->num &&
               open_frame(w, node, &head);
    return view_read(w->run, value, &head) && head.order == ORDER_TUPLE &&
           head.num_parts == node->num && open_frame(w, node, &head);
}

static bool enter_list(struct walk *w, const struct match_node *node, const struct view *value)
{
    struct walk_frame *frame = &w->frames[w->depth++];
    *frame = (struct walk_frame){.kind = NODE_LIST, .left = node->num, .at = *value};
    return true;
}

static bool enter_both(struct walk *w, const struct view *value)
{
    struct walk_frame *frame = &w->frames[w->depth++];
    *frame = (struct walk_frame){.kind = NODE_BOTH, .left = 2, .at = *value};
    return true;
}

static bool enter_map(struct walk *w, const struct match_node *node, const struct view *value)
{
    struct head head;
    return view_read(w->run, value, &head) && head.order == ORDER_MAP &&
           head.num_parts / 2 >= node->num && open_frame(w, node, &head);
}

static bool match_node(struct walk *w, const struct match_node *node, const struct view *value)
{
    switch (node->kind) {
    case NODE_ANY:
    case NODE_VARIABLE:
    case NODE_SAME:
        return match_variable(w->match, node->kind, node->variable, value);
    case NODE_ATOM:
        return is_atom(w, node, value);
    case NODE_CONSTANT: {
        const struct view constant = constant_view(w->match, node->at, node->len);
        return view_is_same(w->run, &constant, value);
    }
    case NODE_TUPLE:
        return enter_tuple(w, node, value);
    case NODE_LIST:
        return enter_list(w, node, value);
    case NODE_MAP:
        return enter_map(w, node, value);
    case NODE_BITS:
        return match_segments(w->match, node, value);
    case NODE_BOTH:
        return enter_both(w, value);
    }
    return false;
}

/* next_of_list returns the next element; after the last one, the tail. */
static bool next_of_list(struct walk *w, struct walk_frame *frame, struct view *value, bool *done)
{
    struct head head;
    if (frame->left == 0) {
        *done = frame->begun;
        frame->begun = true;
        *value = frame->at;
        return true;
    }
    frame->left--;
    return view_read(w->run, &frame->at, &head) && head.order == ORDER_LIST &&
           view_split(w->run, &head, value, &frame->at);
}

/* next_of_map finds the value of the key in the next node. */
static bool next_of_map(struct walk *w, struct walk_frame *frame, struct view *value)
{
    const struct match_node *node = w->node++;
    const struct view key = constant_view(w->match, node->at, node->len);
    bool found;
    frame->left--;
    return view_find_key(w->run, &frame->at, frame->num, &key, value, &found) && found;
}

/* next_value finds the term for the next node; *done if the frame has no more. */
static bool next_value(struct walk *w, struct walk_frame *frame, struct view *value, bool *done)
{
    *done = false;
    if (frame->kind == NODE_LIST)
        return next_of_list(w, frame, value, done);
    *done = frame->left == 0;
    if (*done)
        return true;
    if (frame->kind == NODE_MAP)
        return next_of_map(w, frame, value);
    if (frame->begun && frame->kind == NODE_TUPLE && !view_skip(w->run, &frame->at, 1))
        return false;
    frame->begun = true;
    frame->left--;
    *value = frame->at;
    return true;
}

/* walk_term matches one term against the nodes of one pattern. */
static bool walk_term(struct walk *w, struct view value)
{
    bool done = false;
    for (w->depth = 0; !done;) {
        const struct match_node *node = w->node++;
        if (!match_node(w, node, &value))
            return false;
        if (node->is_also)
            continue;
        for (done = true; done && w->depth != 0; w->depth -= done) {
            if (!next_value(w, &w->frames[w->depth - 1], &value, &done))
                return false;
        }
    }
    return true;
}

bool walk_terms(struct ds_match *match, const struct view *terms, size_t num_terms)
{
    struct walk w;
    w.match = match;
    w.run = &match->run;
    w.node = match->nodes;
    for (size_t i = 0; i < num_terms; i++)
        if (!walk_term(&w, terms[i]))
            return false;
    return true;
}
