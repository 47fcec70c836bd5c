/*
 * file_helper.h - a small process beside the one that looks at packets, which opens the files of
 * this run for it, and runs the commands of -z and --on-finding.
 *
 * What peers sent is decoded by a process that has given up all rights and may open nothing
 * (sandbox.h). The helper is started before that and keeps the rights of the user, root's too:
 * it looks at no packet, knows the names that this run may use and what for, and passes descriptors
 * of them alone: of a file that is read none that can be written, nor the other way round. Files that
 * come later, of -C, -G and --trigger, and the command of -z are the matter of the user that root
 * becomes, if that may write in their folder, else root's.
 *
 * Where no helper was started, each function does the same within the process.
 */
#ifndef SRC_FILE_HELPER_H
#define SRC_FILE_HELPER_H

#include "privsep/safe_open.h"

#include <distsniff/term.h>
#include <stdio.h>
#include <sys/types.h>

/* What may be done with a file of each use is in helper_uses.def. */
enum helper_use {
    HELPER_READ,
    HELPER_FOLLOW, /* read, again and again: other files may take the name */
    HELPER_WRITE,
    HELPER_SCRIPT, /* write, and its owner may run it */
    HELPER_KEEP,   /* write, where there is none yet */
    HELPER_UPDATE, /* write, and read what was written */
    HELPER_RENEW,  /* write, and give it the name of another: it ends in .new */
    HELPER_LATER, /* write, with a name that is made of this one: run_name.h */
};

enum { HELPER_TEXT_MAX = 32768 };

struct helper_file {
    const char *name;
    enum helper_use use;
};

struct file_helper_config {
    const struct helper_file *files;
    size_t num_files;
    bool has_temporary;  /* files without a name may be wanted */
    const char *command; /* of -z, NULL: there is none */
    const char *told;    /* the command of --on-finding, NULL: there is none */
    const char *user;    /* that root becomes, NULL: root stays root */
    bool is_confined;    /* by the kernel, to these files; never with a command */
};

/* file_helper_start starts the helper, unless it has nothing to do. To be called before there
 * are threads. Texts of config must stay. False after a complaint. */
bool file_helper_start(const struct file_helper_config *config);

/* file_helper_stop ends it. */
void file_helper_stop(void);

/* file_helper_forget is for a process that was forked after the helper was started, and must not ask it. */
void file_helper_forget(void);

/* file_helper_open opens a file, see safe_open.h. */
int file_helper_open(const char *name, enum open_how how, struct open_trouble *trouble);

/* file_helper_fopen opens a file for reading, and waits for what a FIFO brings; NULL and errno is
 * set when it cannot. */
FILE *file_helper_fopen(const char *name);

/* file_helper_temporary opens a file without a name, for writing and reading. NULL and errno is
 * set when it cannot. */
FILE *file_helper_temporary(void);

/* file_helper_remove removes a file of this run. False when it could not. */
bool file_helper_remove(const char *name);

/* file_helper_replace gives a file of this run, whose name ends in .new, the name without that; the
 * file that had it is gone. False, and errno is set, when it could not. */
bool file_helper_replace(const char *name);

/* file_helper_exists says whether there is a file of that name. */
bool file_helper_exists(const char *name);

/* file_helper_may_create says whether a file of that name can be made; errno says why not. */
bool file_helper_may_create(const char *name);

/* file_helper_spawn runs the command of -z with a file's name. Returns 0 or an error of errno. */
int file_helper_spawn(const char *command, const char *name, pid_t *pid);

/* file_helper_tell runs the command of --on-finding with a text of up to HELPER_TEXT_MAX bytes as its
 * standard input, as the user that root becomes. Returns 0 or an error of errno. */
int file_helper_tell(const char *command, struct ds_text text, pid_t *pid);

/* file_helper_wait is waitpid for such commands. */
pid_t file_helper_wait(pid_t pid, int *status, int flags);

#endif
