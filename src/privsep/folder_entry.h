/*
 * folder_entry.h - an entry of a folder: it is examined once, and the following operations use exactly
 * that entry, even if another one replaces it.
 */
#ifndef SRC_FOLDER_ENTRY_H
#define SRC_FOLDER_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct folder_entry {
    int fd; /* refers to the entry, if the system supports that; otherwise -1 */
    struct stat status;
};

/* folder_open opens a folder to begin at. -1: errno says why not, as for all of these functions. */
int folder_open(const char *name);

/* folder_has_ways says whether the links in a folder are followed by the kernel and are not names, as
 * in /proc. */
bool folder_has_ways(int folder);

/* folder_follow opens the folder behind such a link. */
int folder_follow(int folder, const char *name);

/* folder_look examines the entry with that name; folder_let_go releases it, and does not change errno. */
bool folder_look(int folder, const char *name, struct folder_entry *entry);
void folder_let_go(struct folder_entry *entry);

/* folder_enter opens the examined entry, if it is a folder; folder_read_link reads its text, if it is a
 * link. Both fail if another entry is there now. */
int folder_enter(int folder, const char *name, const struct folder_entry *entry);
ssize_t folder_read_link(int folder, const char *name, const struct folder_entry *entry, char *text,
                         size_t size);

#endif
