/*
 * host_file.h - the packets of one host, and one kind of link, in a capture file without a name
 * (pcap, in the byte order of this machine).
 */
#ifndef SRC_HOST_FILE_H
#define SRC_HOST_FILE_H

#include <distsniff/dissect.h>
#include <distsniff/term.h>
#include <stdbool.h>
#include <stdio.h>

struct host_file {
    FILE *file;
    uint32_t link_type;
    int64_t last_ns;
    uint64_t last_order, num_packets;
    uint32_t made_key;    /* marks packets that stand for the past (pseudo_packet.h), 0: there are none */
    struct ds_buffer made; /* the bytes of such a packet */
    bool has_nanoseconds; /* else its time stamps have microseconds */
    bool is_disordered; /* a packet came behind a later one, or may be there twice */
};

/* host_file_folder is the folder that they are made in: TMPDIR names another. */
const char *host_file_folder(void);

/* host_file_open makes an empty one. False, and errno is set, when it cannot. */
bool host_file_open(struct host_file *file, uint32_t link_type);

/* host_file_accepts says whether the format has room for the packet's time (1970 to 2038, as libpcap reads
 * it) and length. */
bool host_file_accepts(const struct ds_packet *packet);

/* host_file_add appends a packet. False when it cannot be written. */
bool host_file_add(struct host_file *file, const struct ds_packet *packet);

/* host_file_finish puts packets in order, leaves out those that are there twice, and writes out all.
 * False, and errno is set, when it cannot. */
bool host_file_finish(struct host_file *file);

void host_file_close(struct host_file *file);

#endif
