/*
 * safe_open.h - opens a file by name without following links that another user may have placed on its
 * path.
 *
 * A folder is shared if other users than the one who runs this may create entries in it: it belongs to
 * another user, or everyone, or a group that is not ours, may write there. In a shared folder on the
 * path, links of other users are not followed; and a file that is written there must not be a link, nor
 * have further names, nor belong to another user. root trusts itself and the user of sudo; everyone
 * trusts root.
 */
#ifndef SRC_SAFE_OPEN_H
#define SRC_SAFE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum open_use {
    OPEN_READ,
    OPEN_WRITE, /* a missing file is created for its owner alone; a file is not emptied */
    OPEN_NEW,   /* for writing; the file must not exist */
    OPEN_NEW_SHARED, /* as OPEN_NEW, but others may read it if the umask allows that */
    OPEN_SCRIPT, /* as OPEN_WRITE, and its owner may execute it; the writer need not be the owner */
    OPEN_UPDATE, /* as OPEN_WRITE, and the file can be read as well */
};

/* open_trouble says why a file was not opened. */
struct open_trouble {
    int error;         /* an errno value */
    bool nobody_reads; /* a FIFO without a reader so far: one may come */
    char text[4352]; /* for the user; empty if error is enough */
};

/* safe_is_trusted says whether that user is root, the user who runs this, or, for root, the user of
 * sudo. */
bool safe_is_trusted(uid_t uid);

/* safe_open returns a descriptor; -1 on failure, with trouble set. It does not wait for the other end
 * of a FIFO. */
int safe_open(const char *name, enum open_use how, struct open_trouble *trouble);

/* safe_remove removes a file that this run has made. Returns false on failure, or if it is not a
 * regular file: this run makes no devices. */
bool safe_remove(const char *name);

/* safe_may_create says whether a file of that name can be created, or exists and can be written. */
bool safe_may_create(const char *name);

#endif
