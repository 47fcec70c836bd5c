/*
 * send_spool.c - see send_spool.h.
 */
#include "send/send_spool.h"

#include "core/complain.h"
#include "core/signals.h"
#include "privsep/privileges.h"
#include "privsep/safe_open.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LOCK_TRIES = 200, LOCK_MS = 100 }; /* the processes of a killed run end soon */

/* lock_file locks a file for as long as the descriptor is open in any process. False after an error
 * message. */
static bool lock_file(int fd, const char *name)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK || stop_wanted)
            break;
        poll(NULL, 0, LOCK_MS);
    }
    if (errno == EWOULDBLOCK)
        complain("%s is used by another distsniff: give each another folder", name);
    else
        complain("%s cannot be locked: %s", name, strerror(errno));
    return false;
}

/* open_file opens and locks the file, -1 after an error message. */
static int open_file(const char *name)
{
    struct open_trouble trouble;
    const int fd = safe_open(name, OPEN_UPDATE, &trouble);
    if (fd < 0)
        complain("cannot open %s: %s", name,
                 trouble.text[0] != '\0' ? trouble.text : strerror(trouble.error));
    if (fd < 0 || lock_file(fd, name))
        return fd;
    close(fd);
    return -1;
}

/* open_queue opens the queue in a file. NULL after an error message. */
static struct send_queue *open_queue(const struct send_spool_config *config, const char *name, int fd,
                                     uint64_t *num_left)
{
    bool is_cut;
    struct send_queue *queue = send_queue_open(fd, (size_t)config->size, &is_cut);
    if (queue == NULL) {
        complain("cannot make room for %lld bytes in %s: %s", (long long)config->size, name,
                 strerror(errno));
        return NULL;
    }
    *num_left = send_queue_count(queue);
    if (*num_left != 0 && config->refuses_left) {
        complain("%s holds records of a run without --redact: run once without it to have them sent, "
                 "or remove the file",
                 name);
        send_queue_free(queue);
        return NULL;
    }
    if (is_cut)
        complain("%s is damaged: what was behind the damage is lost", name);
    return queue;
}

struct send_queue *send_spool_open(const struct send_spool_config *config, uint64_t *num_left, int *fd)
{
    char name[PATH_MAX];
    struct privileges_held held;
    struct send_queue *queue = NULL;
    snprintf(name, sizeof name, "%s/distsniff-%s.spool", config->folder, config->name);
    const bool is_suspended = privileges_suspend(&held);
    if (!is_suspended)
        complain("cannot open %s: %s", name, strerror(errno));
    *fd = is_suspended ? open_file(name) : -1;
    if (*fd >= 0)
        queue = open_queue(config, name, *fd, num_left);
    privileges_resume(&held);
    if (queue == NULL && *fd >= 0)
        close(*fd);
    return queue;
}
