/*
 * plain_file.h - the records of a plain capture file, taken out of large reads: libpcap asks
 * stdio twice a packet, which costs as much as decoding it. What is not plain, the end of the
 * file included, is left to libpcap, which says what is wrong with it.
 */
#ifndef SRC_PLAIN_FILE_H
#define SRC_PLAIN_FILE_H

#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>

struct plain_file {
    uint8_t *buffer;  /* NULL: libpcap reads */
    size_t at, len;   /* what is left of it is between */
    uint64_t offset;  /* in the file, behind the buffer */
    uint32_t max_len; /* of a record; longer ones are not plain */
    uint32_t fraction_ns; /* what fractions of a second are counted in */
    struct pcap_pkthdr header;
};

/* plain_file_begin looks at a file that libpcap has just opened for nanoseconds. What is no file
 * on a disk, pcapng, of the other byte order, or does not leave room in memory is not taken. */
void plain_file_begin(struct plain_file *plain, pcap_t *pcap);

/* plain_file_next gives out the next record, which is valid until the next call. False when
 * libpcap is to go on from here, from now on. */
bool plain_file_next(struct plain_file *plain, pcap_t *pcap, struct pcap_pkthdr **header,
                     const u_char **data);

/* plain_file_position returns how much of the file has been taken. */
uint64_t plain_file_position(const struct plain_file *plain);

void plain_file_end(struct plain_file *plain);

#endif
