/*
 * distsniff/shape.h - what many messages have in common: {put,_,_}. What is the same in all terms
 * that a shape was held against stays in it; what varies is "_".
 *
 * Terms are first parted by their heads, which say what begins them; then each part has a shape. A
 * shape looks at the first elements of tuples, and of the tuples in them, and at short constants
 * alone, so that holding a term against it is a walk over a few bytes: nothing is printed, nothing
 * allocated.
 */
#ifndef DISTSNIFF_SHAPE_H
#define DISTSNIFF_SHAPE_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

/* ds_shape_head is how a term begins. form is its type, and of a tuple how many elements it has;
 * equal numbers are equal forms. word is an atom, or that which a tuple begins with, or the module
 * of an Elixir struct; else absent. Where a tuple begins with something else, inner says the same
 * of its second element. Texts point into the term, or to its atoms. */
struct ds_shape_head {
    uint64_t form, inner_form; /* 0: none */
    struct ds_text word, inner_word;
    bool is_likely; /* word is, of an atom */
};

/* ds_shape_get_head fills in out; false when the term is absent or damaged before that. */
bool ds_shape_get_head(const struct ds_term *term, struct ds_shape_head *out);

/* ds_shape_head_print appends a head: "{put,_,_}", "{_,{put,_}}", "ok", "#Mod{...}", "_::map"; "_"
 * where nothing is known. It says no more than the head does, so that equal heads have equal texts,
 * in any run. */
void ds_shape_head_print(const struct ds_shape_head *head, struct ds_buffer *out);

struct ds_shape;

/* ds_shape_new returns the shape that is all of the term, to be freed with ds_shape_free; NULL when
 * memory ran out. It holds nothing of the term's memory. */
struct ds_shape *ds_shape_new(const struct ds_term *term);
void ds_shape_free(struct ds_shape *shape); /* NULL is allowed */

/* ds_shape_fit takes out of the shape what the term has otherwise. */
void ds_shape_fit(struct ds_shape *shape, const struct ds_term *term);

/* ds_shape_fit_headed does so with a term of which the head is known, where all terms that the shape was
 * held against had the same one: that often tells all there is to know. */
void ds_shape_fit_headed(struct ds_shape *shape, const struct ds_term *term,
                         const struct ds_shape_head *head);

/* ds_shape_print appends the shape: "{put,_,_}", "{rpc,call,_,...}" of a tuple with more elements
 * than it looks at, "_::map" of a whole term that is one, "%{__struct__: Mod}" as "#Mod{...}".
 * Atoms that are only likely have a '?' before them. The text is printable. */
void ds_shape_print(const struct ds_shape *shape, struct ds_buffer *out);

/* ds_shape_print_as does so in any syntax: {:put, %Shop.Order{...}, _}. */
void ds_shape_print_as(const struct ds_shape *shape, enum ds_syntax syntax, struct ds_buffer *out);

DS_END_PUBLIC

#endif
