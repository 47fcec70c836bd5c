/*
 * host_merge.h - packets of many hosts, which arrive in any order, by time.
 *
 * The oldest packet that waits is given out when every host has sent a later one, or when it, or a
 * packet behind it, has waited for the lateness. What arrives behind that is late: it is counted, and
 * never given out, because what is shown never goes back in time. The clocks of hosts differ, and so
 * does the time that their packets take to the servers: packets wait longer by the difference between
 * the hosts, as far as their last packets tell; one whose time is ahead waits until then, too. A host that
 * catches up, as all do after servers were away, is waited for longer: what it could not publish comes now,
 * behind newer packets of others.
 *
 * Two packets of a host with the same time and frame number are the same: a publisher sends again what
 * was not acknowledged. Packets that were made (ds_packet.past) have those of the packet before them, and
 * stay in the order in which they come.
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
    size_t max_bytes;    /* of packets that wait; beyond, the oldest ones wait no longer */
    int64_t silence_ns;  /* for how long a host has to be quiet to have fallen silent */
};

/* host_merge_host is what is known of a host. Counts are since the beginning. */
struct host_merge_host {
    char name[HOST_MERGE_NAME];
    int64_t last_ns;    /* time of its latest packet, by its own clock */
    int64_t arrived_ns; /* when its latest packet arrived, monotonic */
    int64_t behind_ns;  /* by how much the time of its packets was before that of the servers, the least
                           of the last 30 seconds or more: its clock is behind, or they take long */
    uint64_t num_packets; /* that were taken */
    int64_t late_ns;      /* of the last one that was late: how long before what had been given out */
    bool is_silent;       /* by host_merge_silence */
};

enum host_merge_result {
    HOST_MERGE_TAKEN,
    HOST_MERGE_LATE,
    HOST_MERGE_COPY,
    HOST_MERGE_AHEAD,      /* its time is in the future */
    HOST_MERGE_MANY_HOSTS, /* it is of one more host than are told apart */
    HOST_MERGE_NO_MEMORY,
};

/* host_merge_new returns NULL when memory ran out. */
struct host_merge *host_merge_new(const struct host_merge_config *config);
void host_merge_free(struct host_merge *merge);

/* host_merge_add takes a packet, whose bytes are copied. name is shorter than HOST_MERGE_NAME.
 * stored_ns: when the servers stored it, since 1970. now_ns: the monotonic clock, which never goes
 * back. number becomes that of the host, unless there are too many. */
enum host_merge_result host_merge_add(struct host_merge *merge, struct ds_text name,
                                      const struct ds_packet *packet, int64_t stored_ns, int64_t now_ns,
                                      size_t *number);

/* host_merge_outage tells that the servers are back: hosts that published before connect again one after
 * the other. */
void host_merge_outage(struct host_merge *merge, int64_t now_ns);

/* host_merge_next gives out the next packet that has waited long enough, with the number of its host;
 * false where there is none. Its bytes stay valid until the next call of any function but
 * host_merge_host. */
bool host_merge_next(struct host_merge *merge, int64_t now_ns, struct ds_packet *packet, size_t *host);

/* host_merge_silence finds a host that has fallen silent: nothing of it has arrived for silence_ns, and
 * something of others has in the last half of that time; or one that is back. Each change is given once:
 * false, there is none. To be called at least every other second; after a longer pause hosts have all that
 * time again. */
bool host_merge_silence(struct host_merge *merge, int64_t now_ns, size_t *number);

/* host_merge_host returns what is known of a host, NULL: there are not so many. Hosts are numbered from
 * 0 in the order in which their first packets arrived. */
const struct host_merge_host *host_merge_host(const struct host_merge *merge, size_t number);

/* host_merge_was_full says whether packets have been given out early because max_bytes was reached, and
 * forgets it. */
bool host_merge_was_full(struct host_merge *merge);

#endif
