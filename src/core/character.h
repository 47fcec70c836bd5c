/*
 * character.h - where UTF-8 characters begin, for code that shortens text and must not cut a character.
 */
#ifndef SRC_CHARACTER_H
#define SRC_CHARACTER_H

#include <stdbool.h>
#include <stddef.h>

/* character_begins says whether a byte is the first one of a character, or not UTF-8 at all. */
static inline bool character_begins(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* character_cut returns the number of bytes of the characters that fit into `most` bytes. */
static inline size_t character_cut(const char *text, size_t len, size_t most)
{
    if (len <= most)
        return len;
    while (most != 0 && !character_begins(text[most]))
        most--;
    return most;
}

#endif
