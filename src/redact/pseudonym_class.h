/*
 * pseudonym_class.h - classes of characters: what a character may be replaced by. Classes are
 * the same after the replacement, and so is the number of bytes in UTF-8 and in latin-1.
 */
#ifndef SRC_PSEUDONYM_CLASS_H
#define SRC_PSEUDONYM_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which classes there are. */
enum pseudonym_set {
    CLASSES_TEXT, /* letters of each case, digits, punctuation; white space stays */
    CLASSES_NAME, /* the same, but - _ . @ stay too */
    CLASSES_ANY,  /* 0 to 255 are one class */
};

/* pseudonym_class is a class seen from one character. */
struct pseudonym_class {
    const char *members; /* NULL: the size characters from first on */
    uint32_t first, size;
    uint32_t place; /* of the character among them */
};

/* pseudonym_class finds the class of a character up to 10FFFF. */
struct pseudonym_class pseudonym_class(enum pseudonym_set set, uint32_t code);

/* pseudonym_class_member returns the character at a place below size. */
uint32_t pseudonym_class_member(const struct pseudonym_class *class, uint32_t place);

/* pseudonym_is_text says whether characters are text: without control characters, except
 * those that make lines. What CLASSES_TEXT makes of a text is one. */
bool pseudonym_is_text(const uint32_t *codes, size_t num);

/* pseudonym_is_utf8_text says the same of bytes; false also when they are no UTF-8. */
bool pseudonym_is_utf8_text(const char *bytes, size_t len);

#endif
