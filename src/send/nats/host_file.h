/*
 * host_file.h - the packets of one host, all of one link type, in an unnamed capture file (pcap, in
 * the byte order of this machine).
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
    uint32_t made_key;    /* marks pseudo packets (pseudo_packet.h), 0: there are none */
    struct ds_buffer made; /* the bytes of a pseudo packet */
    bool has_nanoseconds; /* otherwise its time stamps have microseconds */
    bool is_disordered; /* a packet came after a later one, or may be in the file twice */
};

/* host_file_folder returns the folder for these files: TMPDIR overrides it. */
const char *host_file_folder(void);

/* host_file_open makes an empty file. False, with errno set, if it cannot. */
bool host_file_open(struct host_file *file, uint32_t link_type);

/* host_file_accepts says whether the format can represent the packet's time (1970 to 2038, as
 * libpcap reads it) and length. */
bool host_file_accepts(const struct ds_packet *packet);

/* host_file_add appends a packet. False if it cannot be written. */
bool host_file_add(struct host_file *file, const struct ds_packet *packet);

/* host_file_finish sorts the packets, removes duplicates, and flushes the file. False, with errno
 * set, if it cannot. */
bool host_file_finish(struct host_file *file);

void host_file_close(struct host_file *file);

#endif
