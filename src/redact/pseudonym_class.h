/*
 * pseudonym_class.h - classes of characters: a character is replaced by one of its class. So the
 * classes of a text, and its number of bytes in UTF-8 and in Latin-1, do not change.
 */
#ifndef SRC_PSEUDONYM_CLASS_H
#define SRC_PSEUDONYM_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which classes to use. */
enum pseudonym_set {
    CLASSES_TEXT, /* letters of each case, digits, punctuation; white space does not change */
    CLASSES_NAME, /* the same, but - _ . @ do not change either */
    CLASSES_ANY,  /* 0 to 255 are one class */
};

/* pseudonym_class is the class of a character. */
struct pseudonym_class {
    const char *members; /* NULL: `size` characters from `first` on */
    uint32_t first, size;
    uint32_t place; /* index of the character in its class */
};

/* pseudonym_class returns the class of a character up to 10FFFF. */
struct pseudonym_class pseudonym_class(enum pseudonym_set set, uint32_t code);

/* pseudonym_class_member returns the character with that index, which is below size. */
uint32_t pseudonym_class_member(const struct pseudonym_class *class, uint32_t place);

/* pseudonym_is_text says whether characters are text: without control characters, except those for
 * lines and tabs. A text replaced within CLASSES_TEXT is still text. */
bool pseudonym_is_text(const uint32_t *codes, size_t num);

/* pseudonym_is_utf8_text says the same of bytes; also false for invalid UTF-8. */
bool pseudonym_is_utf8_text(const char *bytes, size_t len);

#endif
