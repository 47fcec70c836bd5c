/*
 * plain_file.c - see plain_file.h. Numbers are in this machine's byte order:
 *
 *   file:   4 bytes magic, a1b2c3d4 microseconds or a1b23c4d nanoseconds, major (2) and minor (2)
 *           version 2.4, 16 more
 *   record: seconds (4), fraction (4), bytes captured (4), bytes on the wire (4), the bytes
 */
#include "capture/plain_file.h"

#include "capture/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_HEAD = 24, RECORD_HEAD = 16, AT_ONCE = 256 * 1024 };

struct record_head {
    uint32_t seconds, fraction, captured, len;
};
_Static_assert(sizeof(struct record_head) == RECORD_HEAD, "as in the file");

static ssize_t read_at(int fd, uint8_t *bytes, size_t len, uint64_t offset)
{
    ssize_t num;
    do {
        num = pread(fd, bytes, len, (off_t)offset);
    } while (num < 0 && errno == EINTR);
    return num;
}

void plain_file_begin(struct plain_file *plain, pcap_t *pcap)
{
    uint8_t head[FILE_HEAD];
    uint32_t magic;
    uint16_t version[2];
    struct stat stat;
    const int fd = fileno(pcap_file(pcap));
    *plain = (struct plain_file){.buffer = NULL};
    if (fd < 0 || fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode) ||
        read_at(fd, head, sizeof head, 0) != sizeof head)
        return;
    memcpy(&magic, head, sizeof magic);
    memcpy(version, head + sizeof magic, sizeof version);
    const int snaplen = pcap_snapshot(pcap);
    if ((magic != 0xa1b2c3d4 && magic != 0xa1b23c4d) || version[0] != 2 || version[1] != 4 ||
        snaplen <= 0)
        return;
    plain->fraction_ns = magic == 0xa1b2c3d4 ? 1000 : 1;
    plain->max_len = snaplen < MAX_SNAPLEN ? (uint32_t)snaplen : MAX_SNAPLEN;
    plain->offset = sizeof head;
    plain->buffer = malloc(AT_ONCE + RECORD_HEAD + plain->max_len);
}

void plain_file_end(struct plain_file *plain)
{
    free(plain->buffer);
    plain->buffer = NULL;
}

uint64_t plain_file_position(const struct plain_file *plain)
{
    return plain->offset - (plain->len - plain->at);
}

/* fill moves the rest to the front and reads more after it. Returns false at the end. */
static bool fill(struct plain_file *plain, pcap_t *pcap)
{
    const size_t left = plain->len - plain->at;
    memmove(plain->buffer, plain->buffer + plain->at, left);
    plain->at = 0;
    plain->len = left;
    const ssize_t num =
        read_at(fileno(pcap_file(pcap)), plain->buffer + left, AT_ONCE, plain->offset);
    if (num <= 0)
        return false;
    plain->len += (size_t)num;
    plain->offset += (uint64_t)num;
    return true;
}

/* find_record finds the next record in the buffer. Returns false if it is not completely there;
 * *is_plain says whether the rest of it may follow. */
static bool find_record(struct plain_file *plain, bool *is_plain, const u_char **data)
{
    struct record_head head;
    const size_t left = plain->len - plain->at;
    *is_plain = true;
    if (left < RECORD_HEAD)
        return false;
    memcpy(&head, plain->buffer + plain->at, RECORD_HEAD);
    *is_plain = head.captured <= plain->max_len;
    if (!*is_plain || left - RECORD_HEAD < head.captured)
        return false;
    plain->header.ts.tv_sec = (time_t)head.seconds;
    plain->header.ts.tv_usec = (suseconds_t)head.fraction * plain->fraction_ns;
    plain->header.caplen = head.captured;
    plain->header.len = head.len;
    *data = plain->buffer + plain->at + RECORD_HEAD;
    plain->at += RECORD_HEAD + head.captured;
    return true;
}

bool plain_file_next(struct plain_file *plain, pcap_t *pcap, struct pcap_pkthdr **header,
                     const u_char **data)
{
    bool is_plain = true;
    if (plain->buffer == NULL)
        return false;
    while (!find_record(plain, &is_plain, data)) {
        if (is_plain && fill(plain, pcap))
            continue;
        /* If this fails, libpcap would continue at the wrong place, so it reads no more. */
        if (fseeko(pcap_file(pcap), (off_t)plain_file_position(plain), SEEK_SET) != 0)
            (void)fseeko(pcap_file(pcap), 0, SEEK_END);
        plain_file_end(plain);
        return false;
    }
    *header = &plain->header;
    return true;
}
