/*
 * no_match.h - what to say if -e and -m selected nothing: names that occur and are similar to what was
 * searched for, and how many messages could not be searched because of unknown atoms.
 */
#ifndef SRC_NO_MATCH_H
#define SRC_NO_MATCH_H

#include "record/record.h"

/* sought is one -e or -m as the user typed it. */
struct sought {
    const char *option, *text;
};

struct no_match;

/* no_match_new returns NULL if memory ran out: then nothing is said. The searches stay the caller's. */
struct no_match *no_match_new(const struct sought *searches, size_t num);
void no_match_free(struct no_match *none);

/* no_match_add remembers the names in a message, and ignores other records. */
void no_match_add(struct no_match *none, const struct record *record);

/* no_match_say reports on standard error what there was. NULL is allowed: something matched. */
void no_match_say(const struct no_match *none);

/* no_match_say_unread reports how many messages have unknown atoms; nothing if there are none. */
void no_match_say_unread(uint64_t num_unread, uint64_t num_messages);

#endif
