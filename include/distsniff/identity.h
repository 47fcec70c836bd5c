/*
 * distsniff/identity.h - the identity of a pid, port or reference: its node, the creation of that node,
 * and its numbers. Two encodings of one reference (the node in the atom cache or inline, old tag or
 * new) have the same identity.
 */
#ifndef DISTSNIFF_IDENTITY_H
#define DISTSNIFF_IDENTITY_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

enum ds_identity_kind { DS_IDENTITY_PID, DS_IDENTITY_PORT, DS_IDENTITY_REFERENCE };

enum { DS_IDENTITY_MAX_WORDS = 5 };

struct ds_identity {
    enum ds_identity_kind kind;
    struct ds_text node; /* as sent; absent if it is an unknown cached atom */
    uint32_t creation;
    uint32_t num_words; /* PID: id, serial; PORT: one or two, high first; REFERENCE: 1 to 5 */
    uint32_t word[DS_IDENTITY_MAX_WORDS]; /* in the order of the bytes */
};

/* ds_term_get_identity sets out. It returns false if the term is not a pid, port or reference. */
bool ds_term_get_identity(const struct ds_term *term, struct ds_identity *out);

/* ds_term_get_pid and ds_term_get_reference do the same for one kind alone. They return sooner if the
 * term is of another kind. */
bool ds_term_get_pid(const struct ds_term *term, struct ds_identity *out);
bool ds_term_get_reference(const struct ds_term *term, struct ds_identity *out);

/* ds_term_is_pid_of says whether a term is a pid of that creation, in the encoding of OTP 23 and later. It
 * looks at the last bytes only, so it is faster than parsing the pid. It is false for other encodings. */
bool ds_term_is_pid_of(const struct ds_term *term, uint32_t creation);

/* Parts of terms, as views. Each function returns false if the term is not of that kind. */
bool ds_term_get_atom(const struct ds_term *term, struct ds_text *out); /* the text is known, UTF-8 */
/* ds_term_get_node_atom sets out to the node that an atom means, as in identities: its name, or
 * "~10.0.0.7:25672" while only the address is known. */
bool ds_term_get_node_atom(const struct ds_term *term, struct ds_text *out);
bool ds_term_is_unknown_atom(const struct ds_term *term); /* a cached atom that was never seen */
bool ds_term_get_integer(const struct ds_term *term, int64_t *out);
bool ds_term_get_binary(const struct ds_term *term, struct ds_text *out); /* only whole bytes, no bit
                                                                             strings */
bool ds_term_get_cons(const struct ds_term *term, struct ds_term *head,
                      struct ds_term *tail); /* [Head | Tail] of a list of one element */
bool ds_term_get_pair(const struct ds_term *term, struct ds_term *first, struct ds_term *second);

/* ds_term_get_element sets out to element i of a tuple, from 0. Linear in i. */
bool ds_term_get_element(const struct ds_term *tuple, uint32_t i, struct ds_term *out);

/* ds_term_get_value finds the value of an atom key in a map. Linear in the map's size. It returns false
 * if the term is not a map or has no such key. */
bool ds_term_get_value(const struct ds_term *map, const char *key, struct ds_term *out);

/* ds_term_list is the rest of a list, without its tail. ds_term_list_next removes the first element; it
 * returns false if there is none. */
struct ds_term_list {
    struct ds_term rest;
    uint32_t left;
};

bool ds_term_get_list(const struct ds_term *term, struct ds_term_list *out);
bool ds_term_get_map(const struct ds_term *term, struct ds_term_list *out); /* items are key, value, key,
                                                                               value ... */
bool ds_term_list_next(struct ds_term_list *list, struct ds_term *item);

/* ds_term_get_length sets *length to the number of elements of a list, without its tail. A string is a
 * list of bytes, too. It returns false if the term is not a list. */
bool ds_term_get_length(const struct ds_term *term, uint32_t *length);

/* ds_term_find_key finds one of these words, as an atom or a binary, directly followed by a binary or
 * string that is not empty: a key and its value in a tuple or a map. It returns the index of the word
 * in keys; -1: none is in the part that it examines, about 4000 terms or 64 kB. */
int ds_term_find_key(const struct ds_term *term, const struct ds_text *keys, size_t num);

DS_END_PUBLIC

#endif
