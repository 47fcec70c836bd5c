/*
 * capture_file.c - capture files. libpcap reads them itself, from a stdio stream with a large
 * buffer; compressed ones and pipes go through unpack.c first.
 *
 * What libpcap does not tell is how exact the time stamps are. The head of the file does:
 *
 *   pcap:   4 bytes magic, in the order of the machine that wrote it: a1b2c3d4 microseconds,
 *           a1b23c4d nanoseconds
 *   pcapng: blocks of type (4), length (4), body, length (4). The first is a section header
 *           (type 0a0d0d0a, byte order magic 1a2b3c4d in the body), then comes an interface
 *           description (type 1): link type (2), reserved (2), snap length (4), options of
 *           code (2), length (2), value padded to 4; code 9 is the resolution: 10^-value, or
 *           2^-value with the top bit set; microseconds when there is none.
 */
#include "capture.h"

#include "complain.h"
#include "made_packet.h"
#include "stop.h"
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_LEN = 4096, STOP_MS = 100 }; /* how long an interrupt may have to wait */

struct head {
    uint8_t bytes[HEAD_LEN];
    size_t len;
    bool swapped; /* numbers are in the other byte order than ours */
};

static uint32_t head_u32(const struct head *head, size_t at)
{
    uint32_t value = 0;
    if (at + 4 <= head->len)
        memcpy(&value, head->bytes + at, 4);
    return head->swapped ? __builtin_bswap32(value) : value;
}

static uint16_t head_u16(const struct head *head, size_t at)
{
    uint16_t value = 0;
    if (at + 2 <= head->len)
        memcpy(&value, head->bytes + at, 2);
    return head->swapped ? __builtin_bswap16(value) : value;
}

/* Whether the first interface description of a pcapng file says nanoseconds or better. */
static bool interface_has_nanoseconds(const struct head *head, size_t at, size_t end)
{
    enum { OPTION_RESOLUTION = 9 };
    if (end > head->len)
        end = head->len;
    for (at += 16; at + 5 <= end;) {
        uint16_t code = head_u16(head, at);
        uint16_t len = head_u16(head, at + 2);
        uint8_t value = head->bytes[at + 4];
        if (code == 0)
            break;
        if (code == OPTION_RESOLUTION)
            return (value & 0x80) != 0 ? (value & 0x7F) > 20 : value > 6;
        at += 4 + ((len + 3u) & ~3u);
    }
    return false;
}

static bool pcapng_has_nanoseconds(struct head *head)
{
    enum { INTERFACE_DESCRIPTION = 1, NUM_BLOCKS = 16 };
    head->swapped = head_u32(head, 8) != 0x1A2B3C4D;
    size_t at = 0;
    for (int i = 0; i < NUM_BLOCKS && at + 12 <= head->len; i++) {
        uint32_t len = head_u32(head, at + 4);
        if (i > 0 && head_u32(head, at) == INTERFACE_DESCRIPTION)
            return interface_has_nanoseconds(head, at, at + len);
        if (len < 12 || len > head->len)
            break;
        at += len;
    }
    return false;
}

static bool head_has_nanoseconds(struct head *head)
{
    uint32_t magic = head_u32(head, 0);
    if (magic == 0x0A0D0D0A)
        return pcapng_has_nanoseconds(head);
    return magic == 0xA1B23C4D || magic == 0x4D3CB2A1;
}

/* find_made_key returns the number that marks packets of a file which stand for the past. */
static uint32_t find_made_key(const struct head *head)
{
    const uint32_t magic = head_u32(head, 0);
    const bool is_ours = magic == 0xA1B2C3D4 || magic == 0xA1B23C4D;
    const bool is_swapped = magic == 0xD4C3B2A1 || magic == 0x4D3CB2A1;
    const uint32_t key = head_u32(head, MADE_KEY_AT);
    const uint32_t value = is_swapped ? __builtin_bswap32(key) : is_ours ? key : 0;
    return value >= MADE_KEY_MIN ? value : 0;
}

/* wait_for waits until there is something to read, or the user wants to end. */
static bool wait_for(int fd)
{
    struct pollfd ready = {fd, POLLIN, 0};
    while (!stop_wanted && poll(&ready, 1, STOP_MS) <= 0)
        ;
    return !stop_wanted;
}

/* Reads what it can of the beginning. */
static bool read_head(int fd, struct head *head)
{
    while (head->len < sizeof head->bytes && wait_for(fd)) {
        ssize_t n = read(fd, head->bytes + head->len, sizeof head->bytes - head->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        head->len += (size_t)n;
        if (head->len >= 512)
            break; /* enough, and a pipe may have no more for a while */
    }
    return true;
}

/* Opens the stream that libpcap is to read: the file itself, or what unpacks it. */
static FILE *open_stream(struct capture *capture, struct capture_input *input, int fd,
                         const struct head *head, enum unpack_format format)
{
    bool seekable = lseek(fd, 0, SEEK_SET) == 0;
    if (format == UNPACK_PLAIN && seekable) {
        FILE *file = fdopen(fd, "rb");
        if (file != NULL)
            setvbuf(file, NULL, _IOFBF, UNPACK_BUFFER);
        return file;
    }
    if (seekable && lseek(fd, (off_t)head->len, SEEK_SET) < 0)
        return NULL;
    input->unpack = unpack_open(fd, format, head->bytes, head->len, &capture->on_wait,
                                &capture->wait_context);
    return input->unpack != NULL ? unpack_file(input->unpack) : NULL;
}

/* open_nothing stands for an input that has brought nothing before the user wanted to end. */
static bool open_nothing(struct capture_input *input)
{
    input->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, MAX_SNAPLEN,
                                                       PCAP_TSTAMP_PRECISION_NANO);
    if (input->pcap == NULL)
        complain("out of memory");
    return input->pcap != NULL;
}

static bool open_pcap(struct capture *capture, struct capture_input *input, int fd)
{
    struct head head = {0};
    if (!read_head(fd, &head)) {
        complain("cannot read %s: %s", input->name, strerror(errno));
        close(fd);
        return false;
    }
    if (stop_wanted) {
        close(fd);
        return open_nothing(input);
    }
    if (head.len == 0) {
        complain("%s is empty, not a capture file", input->name);
        close(fd);
        return false;
    }
    const char *tool = NULL;
    enum unpack_format format = unpack_recognise(head.bytes, head.len, &tool);
    if (format == UNPACK_UNSUPPORTED) {
        complain("%s is packed with %s: unpack it first, %s -dc %s | distsniff -r -", input->name,
                 tool, tool, input->name);
        close(fd);
        return false;
    }
    FILE *file = open_stream(capture, input, fd, &head, format);
    if (file == NULL) {
        complain("cannot read %s: %s", input->name, strerror(errno));
        return false;
    }
    if (input->unpack != NULL && format != UNPACK_PLAIN) {
        /* The head is inside. glibc takes any number of bytes back. */
        head.len = fread(head.bytes, 1, 512, file);
        for (size_t i = head.len; i > 0; i--)
            ungetc(head.bytes[i - 1], file);
    }
    char error[PCAP_ERRBUF_SIZE];
    input->made_key = find_made_key(&head);
    input->nanoseconds = head_has_nanoseconds(&head);
    input->pcap =
        pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
    if (input->pcap == NULL) {
        const char *trouble = input->unpack != NULL ? unpack_trouble(input->unpack) : NULL;
        fclose(file);
        if (stop_wanted)
            return open_nothing(input);
        complain("%s is not a capture file: %s", input->name, trouble != NULL ? trouble : error);
        return false;
    }
    if (input->unpack == NULL)
        plain_file_begin(&input->plain, input->pcap);
    return true;
}

bool capture_open_file(struct capture_input *input, const char *name)
{
    bool is_stdin = strcmp(name, "-") == 0;
    struct stat stat;
    input->name = is_stdin ? "standard input" : name;
    /* A FIFO is not waited for here: nobody may ever write to it. */
    input->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                         : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (input->fd < 0 || fstat(input->fd, &stat) != 0) {
        complain("cannot open %s: %s", input->name, strerror(errno));
        capture_input_close(input);
        return false;
    }
    if (S_ISDIR(stat.st_mode)) {
        complain("%s is a directory, not a capture file", input->name);
        capture_input_close(input);
        return false;
    }
    if (!is_stdin)
        (void)fcntl(input->fd, F_SETFL, fcntl(input->fd, F_GETFL) & ~O_NONBLOCK);
    input->is_file = S_ISREG(stat.st_mode);
    input->device = stat.st_dev;
    input->inode = stat.st_ino;
    input->size = input->is_file ? (uint64_t)stat.st_size : 0;
    return true;
}

bool capture_begin_file(struct capture *capture, struct capture_input *input)
{
    const int fd = input->fd;
    input->fd = input->is_file ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (!open_pcap(capture, input, fd)) {
        capture_input_close(input);
        return false;
    }
    capture_note_link_type(input);
    return true;
}

bool capture_reopen_file(struct capture *capture, struct capture_input *input)
{
    int kept = input->fd;
    int fd = dup(kept);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0) {
        complain("cannot read %s again: %s", input->name, strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    input->fd = -1;
    capture_input_close(input);
    input->fd = kept;
    return open_pcap(capture, input, fd);
}
