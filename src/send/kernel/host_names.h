/*
 * host_names.h - the names of a process, its container and its pod, from files of the host.
 */
#ifndef SRC_HOST_NAMES_H
#define SRC_HOST_NAMES_H

#include <distsniff/term.h>
#include <distsniff/tcp_stats.h>

enum { HOST_POD_UID = 36 + 1 };

/* host_names_cgroup parses /proc/PID/cgroup: the beginning of a container's id, and the uid of its
 * pod. Each is "" if there is none. */
void host_names_cgroup(struct ds_text text, char container[DS_SOCKET_CONTAINER], char uid[HOST_POD_UID]);

/* host_names_pod finds the name of a pod, given its uid, in a folder with entries
 * NAMESPACE_NAME_UID, like /var/log/pods: "NAMESPACE/NAME"; the uid itself if no entry matches. */
void host_names_pod(const char *folder, const char *uid, char pod[DS_SOCKET_POD]);

/* host_names_is_node says whether a process with this name (/proc/PID/comm) is a node, or EPMD. */
bool host_names_is_node(const char *name);

#endif
