/*
 * folder_entry.h - what stands in a folder under a name: looked at once, and then this one alone is gone
 * through, though somebody may put another there meanwhile.
 */
#ifndef SRC_FOLDER_ENTRY_H
#define SRC_FOLDER_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct folder_entry {
    int fd; /* that holds it, where the system can; else -1 */
    struct stat status;
};

/* folder_open opens a folder to go on from. -1: errno says why not, as in all of these. */
int folder_open(const char *name);

/* folder_has_ways says whether the links in a folder are ways of the kernel, and no names: those of /proc
 * are. */
bool folder_has_ways(int folder);

/* folder_follow opens the folder behind such a way. */
int folder_follow(int folder, const char *name);

/* folder_look looks at what is called so; folder_let_go ends that, and leaves errno alone. */
bool folder_look(int folder, const char *name, struct folder_entry *entry);
void folder_let_go(struct folder_entry *entry);

/* folder_enter opens what was looked at, if it is a folder; folder_read_link gets the text of it, if it is
 * a link. Both fail where that is not what is there. */
int folder_enter(int folder, const char *name, const struct folder_entry *entry);
ssize_t folder_read_link(int folder, const char *name, const struct folder_entry *entry, char *text,
                         size_t size);

#endif
