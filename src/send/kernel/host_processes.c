/*
 * host_processes.c - see host_processes.h. Files of /proc/PID that are read: comm, cgroup, and the
 * targets of the links ns/net ("net:[4026531840]") and fd/NUMBER ("socket:[12345]").
 */
#include "send/kernel/host_processes.h"

#include "send/kernel/host_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CGROUP = 4096, MAX_LINK = 64 };

struct held_socket {
    struct table_entry entry;
    uint32_t inode;
    uint16_t process;
};

static uint32_t hash_inode(uint32_t inode)
{
    return inode * 2654435761u;
}

void host_processes_init(struct host_processes *processes)
{
    processes->num = processes->num_refused = 0;
    table_init(&processes->sockets, sizeof(struct held_socket), HOST_MAX_SOCKETS);
}

/* read_file reads the beginning of a file; size is at least 1. Returns the length; a NUL follows. */
static size_t read_file(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t len = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[len > 0 ? len : 0] = '\0';
    return len > 0 ? (size_t)len : 0;
}

/* is_gone says whether an operation failed because the process has ended: a zombie has neither
 * namespaces nor descriptors. */
static bool is_gone(int error)
{
    return error == ENOENT || error == ESRCH;
}

/* number_in reads the number in the target of a link, for example "socket:[12345]"; 0 if the target
 * is of another kind, or on an error, with errno set. */
static uint64_t number_in(const char *path, const char *kind)
{
    char to[MAX_LINK];
    const ssize_t len = readlink(path, to, sizeof to - 1);
    const size_t kind_len = strlen(kind);
    if (len <= 0 || (size_t)len <= kind_len || memcmp(to, kind, kind_len) != 0)
        return 0;
    to[len] = '\0';
    return strtoull(to + kind_len, NULL, 10);
}

static void add_socket(struct host_processes *p, uint64_t inode)
{
    struct held_socket *held =
        inode != 0 && inode <= UINT32_MAX ? table_add(&p->sockets, hash_inode((uint32_t)inode)) : NULL;
    if (held == NULL)
        return; /* if there is no room, the socket has no owner */
    held->inode = (uint32_t)inode;
    held->process = (uint16_t)(p->num);
}

/* add_sockets adds the sockets of the process that is added next. False: access is denied. */
static bool add_sockets(struct host_processes *p, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/fd", folder);
    DIR *entries = opendir(path);
    const struct dirent *entry;
    if (entries == NULL)
        return is_gone(errno);
    while ((entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/fd/%s", folder, entry->d_name);
        add_socket(p, number_in(path, "socket:["));
    }
    closedir(entries);
    return true;
}

static void add_process(struct host_processes *p, const char *root, const char *pods, const char *pid)
{
    char folder[PATH_MAX / 2], path[PATH_MAX], text[MAX_CGROUP], uid[HOST_POD_UID];
    struct host_process *process = &p->process[p->num];
    snprintf(folder, sizeof folder, "%s/%s", root, pid);
    snprintf(path, sizeof path, "%s/comm", folder);
    (void)read_file(path, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    if (!host_names_is_node(text))
        return;
    *process = (struct host_process){.pid = (uint32_t)strtoul(pid, NULL, 10)};
    snprintf(process->name, sizeof process->name, "%.*s", (int)sizeof process->name - 1, text);
    snprintf(path, sizeof path, "%s/ns/net", folder);
    errno = 0;
    process->space = number_in(path, "net:[");
    if (process->space == 0 && is_gone(errno))
        return;
    snprintf(path, sizeof path, "%s/cgroup", folder);
    const size_t len = read_file(path, text, sizeof text);
    host_names_cgroup((struct ds_text){text, len}, process->container, uid);
    host_names_pod(pods, uid, process->pod);
    p->num_refused += !add_sockets(p, folder);
    p->num++;
}

void host_processes_scan(struct host_processes *p, const char *root, const char *pods)
{
    DIR *entries = opendir(root);
    const struct dirent *entry;
    table_free(&p->sockets);
    host_processes_init(p);
    while (entries != NULL && p->num < HOST_MAX_PROCESSES && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            add_process(p, root, pods, entry->d_name);
    }
    if (entries != NULL)
        closedir(entries);
}

const struct host_process *host_processes_of(const struct host_processes *p, uint32_t inode)
{
    const struct held_socket *held = inode != 0 ? table_first(&p->sockets, hash_inode(inode)) : NULL;
    while (held != NULL && held->inode != inode)
        held = table_next(&p->sockets, held);
    return held != NULL ? &p->process[held->process] : NULL;
}

void host_processes_free(struct host_processes *p)
{
    table_free(&p->sockets);
}
