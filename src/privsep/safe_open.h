/*
 * safe_open.h - opens a file by name without following what somebody else has put in its
 * way.
 *
 * A folder is shared when others than its reader may put entries into it: it belongs to another
 * user, or anybody, or a group that is not ours, may write there. On the way through a shared
 * folder no link of another user is followed; and what is written there must not be a link at
 * all, nor have other names, nor belong to another user. root trusts itself and the user of
 * sudo, anybody trusts root.
 */
#ifndef SRC_SAFE_OPEN_H
#define SRC_SAFE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum open_how {
    OPEN_READ,
    OPEN_WRITE, /* what is not there is created for its owner alone; nothing is emptied */
    OPEN_NEW,   /* for writing; there must be no such file */
    OPEN_NEW_SHARED, /* as OPEN_NEW, and others may read it, as far as the umask allows */
    OPEN_SCRIPT, /* as OPEN_WRITE, and its owner may run it: who writes it need not own it */
    OPEN_UPDATE, /* as OPEN_WRITE, and what is there can be read as well */
};

/* open_trouble is why a file was not opened. */
struct open_trouble {
    int error;         /* of errno */
    bool nobody_reads; /* a FIFO that has no reader yet: it may get one */
    char text[4352]; /* for the user; empty where error says it all */
};

/* safe_is_trusted says whether that user is root, the one who runs this, or, for root, that of sudo. */
bool safe_is_trusted(uid_t uid);

/* safe_open returns a descriptor, -1 when there is trouble. It does not wait for the other
 * end of a FIFO. */
int safe_open(const char *name, enum open_how how, struct open_trouble *trouble);

/* safe_remove removes a file that this run has made. False when it could not, or it is no
 * regular file: this run has made no device. */
bool safe_remove(const char *name);

/* safe_may_create says whether a file of that name can be created, or is there and can be
 * written. */
bool safe_may_create(const char *name);

#endif
