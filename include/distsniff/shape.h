/*
 * distsniff/shape.h - the common shape of many messages: {put,_,_}. A shape keeps what is the same in
 * all terms that were compared with it; what varies is "_".
 *
 * Terms are first grouped by their heads, which describe how terms begin; then each group has a shape.
 * A shape contains only the first elements of tuples, and of tuples in them, and short constants.
 * Comparing a term with it reads a few bytes: nothing is printed or allocated.
 */
#ifndef DISTSNIFF_SHAPE_H
#define DISTSNIFF_SHAPE_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

/* ds_shape_head is how a term begins. form encodes its type, and the number of elements of a tuple;
 * equal numbers are equal forms. word is an atom, the atom that begins a tuple, or the module of an
 * Elixir struct; otherwise absent. If a tuple begins with something else, inner_form and inner_word
 * describe its second element in the same way. Texts point into the term, or to its atoms. */
struct ds_shape_head {
    uint64_t form, inner_form; /* 0: there is none */
    struct ds_text word, inner_word;
    bool is_likely; /* word is an atom that is only likely */
};

/* ds_shape_get_head sets out. It returns false if the term is absent, or damaged within its head. */
bool ds_shape_get_head(const struct ds_term *term, struct ds_shape_head *out);

/* ds_shape_head_print appends a head: "{put,_,_}", "{_,{put,_}}", "ok", "#Mod{...}", "_::map"; "_" if
 * nothing is known. The text depends on the head alone: equal heads have equal texts in every run. */
void ds_shape_head_print(const struct ds_shape_head *head, struct ds_buffer *out);

struct ds_shape;

/* ds_shape_new returns a shape that is equal to the term. The caller frees it with ds_shape_free. NULL
 * when memory ran out. The shape does not refer to the term's memory. */
struct ds_shape *ds_shape_new(const struct ds_term *term);
void ds_shape_free(struct ds_shape *shape); /* NULL is allowed */

/* ds_shape_fit removes from the shape what is different in the term. */
void ds_shape_fit(struct ds_shape *shape, const struct ds_term *term);

/* ds_shape_fit_headed does the same with a term whose head is known. All terms that were compared with
 * the shape must have the same head: then often nothing else needs comparing. */
void ds_shape_fit_headed(struct ds_shape *shape, const struct ds_term *term,
                         const struct ds_shape_head *head);

/* ds_shape_print appends the shape: "{put,_,_}"; "{rpc,call,_,...}" for a tuple with more elements than
 * it examines; "_::map" for a term that is a map; "%{__struct__: Mod}" as "#Mod{...}". Atoms that are
 * only likely have a '?' before them. The text is printable. */
void ds_shape_print(const struct ds_shape *shape, struct ds_buffer *out);

/* ds_shape_print_as does the same in any syntax: {:put, %Shop.Order{...}, _}. */
void ds_shape_print_as(const struct ds_shape *shape, enum ds_syntax syntax, struct ds_buffer *out);

DS_END_PUBLIC

#endif
