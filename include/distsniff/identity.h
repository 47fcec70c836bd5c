/*
 * distsniff/identity.h - what makes a pid, port or reference the same as another: its node,
 * the creation of that node, and its numbers. Two encodings of one reference (the node in
 * the atom cache or inline, old tag or new) have the same identity.
 */
#ifndef DISTSNIFF_IDENTITY_H
#define DISTSNIFF_IDENTITY_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

enum ds_identity_kind { DS_IDENTITY_PID, DS_IDENTITY_PORT, DS_IDENTITY_REFERENCE };

enum { DS_IDENTITY_MAX_WORDS = 5 };

struct ds_identity {
    enum ds_identity_kind kind;
    struct ds_text node; /* as sent; absent when it is an unknown cached atom */
    uint32_t creation;
    uint32_t num_words; /* PID: id, serial; PORT: one or two, high first; REFERENCE: 1 to 5 */
    uint32_t word[DS_IDENTITY_MAX_WORDS]; /* in the order of the bytes */
};

/* ds_term_get_identity fills in out; false when the term is no pid, port or reference. */
bool ds_term_get_identity(const struct ds_term *term, struct ds_identity *out);

/* ds_term_get_pid and ds_term_get_reference do the same for one kind alone. They return sooner when the
 * term is of another kind. */
bool ds_term_get_pid(const struct ds_term *term, struct ds_identity *out);
bool ds_term_get_reference(const struct ds_term *term, struct ds_identity *out);

/* ds_term_is_pid_of says whether a term is a pid of that creation, in the encoding of OTP 23 and later. It
 * looks at the last bytes only, so it is faster than to parse the pid. It is false for other encodings. */
bool ds_term_is_pid_of(const struct ds_term *term, uint32_t creation);

/* Parts of terms, as views. Each returns false when the term is not of that kind. */
bool ds_term_get_atom(const struct ds_term *term, struct ds_text *out); /* known, UTF-8 */
/* The node that an atom means, as identities have it: its name, or "~10.0.0.7:25672" as long as that is all
 * that is known of it. */
bool ds_term_get_node_atom(const struct ds_term *term, struct ds_text *out);
bool ds_term_is_unknown_atom(const struct ds_term *term); /* of the cache, and never seen */
bool ds_term_get_integer(const struct ds_term *term, int64_t *out);
bool ds_term_get_binary(const struct ds_term *term, struct ds_text *out); /* its bytes, in whole ones */
bool ds_term_get_cons(const struct ds_term *term, struct ds_term *head,
                      struct ds_term *tail); /* [Head | Tail]: of one element */
bool ds_term_get_pair(const struct ds_term *term, struct ds_term *first, struct ds_term *second);

/* Element i, from 0, of a tuple. Linear in i. */
bool ds_term_get_element(const struct ds_term *tuple, uint32_t i, struct ds_term *out);

/* ds_term_get_value finds the value that a map has for an atom. Linear in the map's size. False
 * when the term is no map, or has no such key. */
bool ds_term_get_value(const struct ds_term *map, const char *key, struct ds_term *out);

/* ds_term_list is what is left of a list, its tail left out. ds_term_list_next takes the first
 * element away; false when there is none. */
struct ds_term_list {
    struct ds_term rest;
    uint32_t left;
};

bool ds_term_get_list(const struct ds_term *term, struct ds_term_list *out);
bool ds_term_get_map(const struct ds_term *term, struct ds_term_list *out); /* key, value, key .. */
bool ds_term_list_next(struct ds_term_list *list, struct ds_term *item);

/* ds_term_get_length says how many elements a list has, its tail left out: also one of bytes that
 * was sent as a string. False when the term is no list. */
bool ds_term_get_length(const struct ds_term *term, uint32_t *length);

/* ds_term_find_key finds one of these words, an atom or a binary, with a text right behind it, a
 * binary or string that is not empty: a key and its value in a tuple or a map. It returns the place
 * of the word among keys, -1: there is none in what it looks at, some 4000 terms or 64 kB. */
int ds_term_find_key(const struct ds_term *term, const struct ds_text *keys, size_t num);

DS_END_PUBLIC

#endif
