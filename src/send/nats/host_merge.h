/*
 * host_merge.h - merges the packets of many hosts, which arrive in any order, by time.
 *
 * The oldest waiting packet is passed on when every host has sent a later one, or when it, or a
 * packet after it, has waited for the lateness. A packet that arrives after that is late: it is
 * counted and dropped, because the output never goes back in time. The clocks of hosts differ, and
 * so does the time that their packets need to reach the servers: packets wait longer by the
 * difference between the hosts, as estimated from their last packets; a packet whose time is ahead
 * waits until then, too. The merge waits longer for a host that catches up, as all do after servers
 * were away: its backlog comes now, after newer packets of others. It also waits if frame numbers
 * show that a packet of a host is missing before later ones: what servers do not acknowledge is sent
 * again, and comes after them.
 *
 * Two packets of a host with the same time and frame number are the same: a publisher sends again
 * what was not acknowledged. Pseudo packets (ds_packet.past) have the time and number of the packet
 * before them, and stay in the order in which they come.
 */
#ifndef SRC_HOST_MERGE_H
#define SRC_HOST_MERGE_H

#include <distsniff/dissect.h>
#include <stdbool.h>
#include <stddef.h>

enum { HOST_MERGE_HOSTS = 256, HOST_MERGE_NAME = 256 };

struct host_merge;

struct host_merge_config {
    int64_t lateness_ns; /* how long a packet waits for other hosts */
    size_t max_bytes;    /* of waiting packets; above it, the oldest ones wait no longer */
    int64_t begin_ns;    /* for this long, hosts may exist that have not sent anything: all packets wait */
    int64_t silence_ns;  /* a host that is quiet for this long has fallen silent */
};

/* host_merge_host is what is known of a host. Counts are totals. */
struct host_merge_host {
    char name[HOST_MERGE_NAME];
    int64_t last_ns;    /* time of its latest packet, by its own clock */
    int64_t arrived_ns; /* when its latest packet arrived, monotonic */
    int64_t behind_ns;  /* by how much the time of its packets was before the servers' time, the
                         * minimum of the last 30 seconds or more: its clock is behind, or they take
                         * long */
    uint64_t num_packets; /* accepted */
    int64_t late_ns;      /* how late the last late packet was: how long before the packet passed on last */
    bool is_silent;       /* as host_merge_silence reported it */
    int64_t silent_since_ns; /* time of its latest packet before it last fell silent, by its own clock */
};

enum host_merge_result {
    HOST_MERGE_TAKEN,
    HOST_MERGE_LATE,
    HOST_MERGE_FAR,        /* too many later packets of its host came before it */
    HOST_MERGE_COPY,
    HOST_MERGE_AHEAD,      /* its time is in the future */
    HOST_MERGE_MANY_HOSTS, /* it comes from one host more than the merge can distinguish */
    HOST_MERGE_NO_MEMORY,
};

/* host_merge_new returns NULL if memory ran out. */
struct host_merge *host_merge_new(const struct host_merge_config *config);
void host_merge_free(struct host_merge *merge);

/* host_merge_add adds a packet, and copies its bytes. name is shorter than HOST_MERGE_NAME.
 * stored_ns: when the servers stored it, since 1970. now_ns: the monotonic clock. *number is set to
 * the number of the host, unless there are too many hosts. */
enum host_merge_result host_merge_add(struct host_merge *merge, struct ds_text name,
                                      const struct ds_packet *packet, int64_t stored_ns, int64_t now_ns,
                                      size_t *number);

/* host_merge_outage records that the servers are back: hosts that published before reconnect one
 * after the other. */
void host_merge_outage(struct host_merge *merge, int64_t now_ns);

/* host_merge_next returns the next packet that has waited long enough, with the number of its host;
 * false if there is none. Its bytes are valid until the next call of any function except
 * host_merge_host. */
bool host_merge_next(struct host_merge *merge, int64_t now_ns, struct ds_packet *packet, size_t *host);

/* host_merge_silence finds a host that has fallen silent (none of its packets has arrived for
 * silence_ns, and one of another host has in the last half of that time), or one that is back. It
 * reports each change once; false if there is none. Call it at least every other second; after a
 * longer pause hosts have all that time again. */
bool host_merge_silence(struct host_merge *merge, int64_t now_ns, size_t *number);

/* host_merge_host returns what is known of a host, NULL if there is no such number. Hosts are
 * numbered from 0 in the order in which their first packets arrived. */
const struct host_merge_host *host_merge_host(const struct host_merge *merge, size_t number);

/* host_merge_was_full says whether packets were passed on early because max_bytes was reached, and
 * resets that. */
bool host_merge_was_full(struct host_merge *merge);

#endif
