/*
 * target.c - see target.h (proc_pid_maps(5), proc_pid_map_files(5)).
 */
#include "target.h"

#include "fail.h"
#include "symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char function[] = "EVP_CipherInit_ex";

/* maps_line is a line of /proc/PID/maps. */
struct maps_line {
    unsigned long long from, to;
    char rights[5];
    const char *name;
};

static bool read_line(char *text, struct maps_line *line)
{
    int at = 0;
    text[strcspn(text, "\n")] = '\0';
    if (sscanf(text, "%llx-%llx %4s %*s %*s %*s %n", &line->from, &line->to, line->rights, &at) != 3 ||
        at == 0)
        return false;
    line->name = text + at;
    return line->rights[2] == 'x' && line->name[0] == '/';
}

/* open_mapped opens the file that is mapped there. */
static int open_mapped(pid_t pid, const struct maps_line *line, struct target *target)
{
    snprintf(target->path, sizeof target->path, "/proc/%d/map_files/%llx-%llx", (int)pid, line->from,
             line->to);
    return open(target->path, O_RDONLY | O_CLOEXEC);
}

static bool is_known(const struct targets *targets, const struct stat *status)
{
    for (unsigned i = 0; i < targets->num; i++) {
        if (targets->items[i].device == status->st_dev && targets->items[i].inode == status->st_ino)
            return true;
    }
    return false;
}

/* look looks at a file; true if it has the function. */
static bool look(struct targets *targets, pid_t pid, const struct maps_line *line)
{
    struct target target;
    struct stat status;
    const int fd = open_mapped(pid, line, &target);
    bool has_it = false;
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0) {
        has_it = is_known(targets, &status);
        if (!has_it && targets->num < MAX_TARGETS && symbol_find(fd, function, &target.offset)) {
            target.device = status.st_dev;
            target.inode = status.st_ino;
            targets->items[targets->num++] = target;
            has_it = true;
        }
    }
    close(fd);
    return has_it;
}

/* is_crypto says whether a file is the part of Erlang that calls libcrypto. */
static bool is_crypto(const char *name)
{
    return strstr(name, "/crypto.so") != NULL;
}

bool targets_add(struct targets *targets, pid_t pid)
{
    char path[64];
    char *text = NULL;
    size_t room = 0;
    bool has_it = false, has_crypto = false;
    struct maps_line line;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL) {
        fail_say(errno == ENOENT ? "there is no process %d" : "process %d cannot be read", (int)pid);
        return false;
    }
    while (getline(&text, &room, maps) > 0) {
        if (!read_line(text, &line))
            continue;
        has_crypto |= is_crypto(line.name);
        has_it |= look(targets, pid, &line);
    }
    free(text);
    fclose(maps);
    if (!has_it && has_crypto)
        fail_say("process %d: libcrypto is in crypto.so, which is stripped: nothing says where %s is in it",
                 (int)pid, function);
    else if (!has_it)
        fail_say("process %d does not use libcrypto: a node does when it has used TLS", (int)pid);
    return has_it;
}
