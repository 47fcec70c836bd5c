/*
 * plain_file.h - reads the records of a plain capture file in large reads: libpcap calls stdio twice
 * per packet, which costs as much as decoding it. libpcap reads everything that is not plain, including
 * the end of the file, and reports errors in it.
 */
#ifndef SRC_PLAIN_FILE_H
#define SRC_PLAIN_FILE_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

struct plain_file {
    uint8_t *buffer;  /* NULL: libpcap reads */
    size_t at, len;   /* its unused part is between these */
    uint64_t offset;  /* position in the file after the buffer */
    uint32_t max_len; /* maximum length of a record; longer ones are not plain */
    uint32_t fraction_ns; /* unit of the fractions of a second */
    struct pcap_pkthdr header;
};

/* plain_file_begin examines a file that libpcap has just opened for nanoseconds. It leaves to libpcap:
 * files that are not on a disk, pcapng, files of the other byte order, and all files if memory ran out. */
void plain_file_begin(struct plain_file *plain, pcap_t *pcap);

/* plain_file_next returns the next record, which is valid until the next call. Returns false if libpcap
 * must read from here on. */
bool plain_file_next(struct plain_file *plain, pcap_t *pcap, struct pcap_pkthdr **header,
                     const u_char **data);

/* plain_file_position returns how much of the file has been read. */
uint64_t plain_file_position(const struct plain_file *plain);

void plain_file_end(struct plain_file *plain);

#endif
