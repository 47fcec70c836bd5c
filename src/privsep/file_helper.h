/*
 * file_helper.h - a small process beside the one that reads packets. It opens the files of this run,
 * and runs the commands of -z and --on-finding.
 *
 * A process that has dropped all privileges and cannot open anything (sandbox.h) decodes the data of
 * peers. The helper is started before that and keeps the user's privileges, even root's: it reads no
 * packets, knows the names that this run may use and for what, and passes descriptors of these alone:
 * never a writable one for a file that is read, nor a readable one for a file that is written. Files
 * that are created later, by -C, -G and --trigger, and the command of -z use the user that root
 * becomes, if that user may write in their folder, otherwise root.
 *
 * If no helper was started, each function does its work in this process.
 */
#ifndef SRC_FILE_HELPER_H
#define SRC_FILE_HELPER_H

#include "privsep/safe_open.h"

#include <distsniff/term.h>
#include <stdio.h>
#include <sys/types.h>

/* helper_uses.def says what is allowed for a file of each use. */
enum helper_use {
    HELPER_READ,
    HELPER_FOLLOW, /* read, repeatedly: other files may replace it */
    HELPER_WRITE,
    HELPER_SCRIPT, /* write, and make it executable by its owner */
    HELPER_KEEP,   /* write, if it does not exist */
    HELPER_UPDATE, /* write, and read the written data */
    HELPER_RENEW,  /* write, and rename: its name ends in .new */
    HELPER_LATER, /* write, with a name made from this one: run_name.h */
};

enum { HELPER_TEXT_MAX = 32768 };

struct helper_file {
    const char *name;
    enum helper_use use;
};

struct file_helper_config {
    const struct helper_file *files;
    size_t num_files;
    bool has_temporary;  /* files without a name may be requested */
    const char *command; /* of -z, NULL: none */
    const char *told;    /* the command of --on-finding, NULL: none */
    const char *user;    /* the user that root becomes, NULL: root stays root */
    bool is_confined;    /* the kernel restricts the helper to these files; impossible with a command */
};

/* file_helper_start starts the helper, if it is needed. Call it before other threads start. The texts
 * of config are not copied. Returns false after an error message. */
bool file_helper_start(const struct file_helper_config *config);

/* file_helper_stop ends the helper. */
void file_helper_stop(void);

/* file_helper_forget is for a process that was forked after the helper was started: it must not use the
 * helper. */
void file_helper_forget(void);

/* file_helper_open opens a file, see safe_open.h. */
int file_helper_open(const char *name, enum open_use how, struct open_trouble *trouble);

/* file_helper_fopen opens a file for reading. If it is a FIFO, it waits for data. On failure it returns
 * NULL and sets errno. */
FILE *file_helper_fopen(const char *name);

/* file_helper_temporary opens a file without a name, for writing and reading. On failure it returns
 * NULL and sets errno. */
FILE *file_helper_temporary(void);

/* file_helper_remove removes a file of this run. Returns false on failure. */
bool file_helper_remove(const char *name);

/* file_helper_replace renames a file of this run, whose name ends in .new, to the name without .new,
 * and replaces the file of that name. On failure it returns false and sets errno. */
bool file_helper_replace(const char *name);

/* file_helper_exists says whether a file of that name exists. */
bool file_helper_exists(const char *name);

/* file_helper_may_create says whether a file of that name can be created; if not, errno says why. */
bool file_helper_may_create(const char *name);

/* file_helper_spawn runs the command of -z with a file's name. Returns 0 or an errno value. */
int file_helper_spawn(const char *command, const char *name, pid_t *pid);

/* file_helper_spawn_with runs the command of --on-finding with a text of up to HELPER_TEXT_MAX bytes as its
 * standard input, as the user that root becomes. Returns 0 or an errno value. */
int file_helper_spawn_with(const char *command, struct ds_text text, pid_t *pid);

/* file_helper_wait is waitpid for such commands. */
pid_t file_helper_wait(pid_t pid, int *status, int flags);

#endif
