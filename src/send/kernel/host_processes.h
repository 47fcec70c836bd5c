/*
 * host_processes.h - the nodes of this host, and EPMD: which sockets are whose, and which network
 * namespaces there are, as /proc has it.
 */
#ifndef SRC_HOST_PROCESSES_H
#define SRC_HOST_PROCESSES_H

#include "core/table.h"

#include <distsniff/tcp_stats.h>

enum { HOST_MAX_PROCESSES = 256, HOST_MAX_SOCKETS = 65536 };

struct host_process {
    uint32_t pid;
    uint64_t space; /* its network namespace; 0: that must not be known */
    char name[DS_SOCKET_PROCESS];
    char container[DS_SOCKET_CONTAINER];
    char pod[DS_SOCKET_POD];
};

struct host_processes {
    struct host_process process[HOST_MAX_PROCESSES];
    size_t num;
    size_t num_refused; /* processes of which the sockets must not be known */
    struct table sockets; /* of all of them, by inode */
};

void host_processes_init(struct host_processes *processes);

/* host_processes_scan finds them anew. root is /proc, pods the folder of host_names_pod. */
void host_processes_scan(struct host_processes *processes, const char *root, const char *pods);

/* host_processes_of returns whose a socket is; NULL: of none of them. */
const struct host_process *host_processes_of(const struct host_processes *processes, uint32_t inode);

void host_processes_free(struct host_processes *processes);

#endif
