/*
 * host_processes.h - the nodes and EPMD of this host: which socket belongs to which of them, and in
 * which network namespaces they are, from /proc.
 */
#ifndef SRC_HOST_PROCESSES_H
#define SRC_HOST_PROCESSES_H

#include "core/table.h"

#include <distsniff/tcp_stats.h>

enum { HOST_MAX_PROCESSES = 256, HOST_MAX_SOCKETS = 65536 };

struct host_process {
    uint32_t pid;
    uint64_t space; /* its network namespace; 0: access is denied */
    char name[DS_SOCKET_PROCESS];
    char container[DS_SOCKET_CONTAINER];
    char pod[DS_SOCKET_POD];
};

struct host_processes {
    struct host_process process[HOST_MAX_PROCESSES];
    size_t num;
    size_t num_refused; /* processes whose sockets cannot be read: access is denied */
    struct table sockets; /* of all of them, by inode */
};

void host_processes_init(struct host_processes *processes);

/* host_processes_scan reads them again. root is /proc, pods the folder for host_names_pod. */
void host_processes_scan(struct host_processes *processes, const char *root, const char *pods);

/* host_processes_of returns the owner of a socket; NULL if it is none of them. */
const struct host_process *host_processes_of(const struct host_processes *processes, uint32_t inode);

void host_processes_free(struct host_processes *processes);

#endif
