/*
 * character.h - where characters of UTF-8 begin, for who cuts a text and not a character in it.
 */
#ifndef SRC_CHARACTER_H
#define SRC_CHARACTER_H

#include <stdbool.h>
#include <stddef.h>

/* character_begins says whether a byte is the first one of a character, or is none of UTF-8. */
static inline bool character_begins(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* character_cut returns how many bytes those characters of a text have that have room in so many. */
static inline size_t character_cut(const char *text, size_t len, size_t most)
{
    if (len <= most)
        return len;
    while (most != 0 && !character_begins(text[most]))
        most--;
    return most;
}

#endif
