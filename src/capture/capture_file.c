/*
 * capture_file.c - capture files. libpcap reads them itself, from a stdio stream with a large buffer;
 * compressed files and pipes go through unpack.c first.
 *
 * libpcap does not report the resolution of the time stamps. The first 4 bytes of a pcap file do, in
 * the byte order of the machine that wrote it: a1b2c3d4 microseconds, a1b23c4d nanoseconds. In pcapng
 * it is in the blocks: pcapng_blocks.c finds it while the bytes are read.
 */
#include "capture/capture_input.h"

#include "capture/pseudo_packet.h"
#include "capture/unpack.h"
#include "core/complain.h"
#include "core/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTION_HEADER = 0x0A0D0D0A };
enum { HEAD_LEN = 4096, HEAD_ENOUGH = 512, PCAP_HEAD_LEN = 24 };
enum { STOP_MS = 100 }; /* how long an interrupt may have to wait, at most */

struct file_head {
    uint8_t bytes[HEAD_LEN];
    size_t len;
};

static uint32_t head_u32(const struct file_head *head, size_t at)
{
    uint32_t value = 0;
    if (at + 4 <= head->len)
        memcpy(&value, head->bytes + at, 4);
    return value;
}

static bool head_has_nanoseconds(const struct file_head *head)
{
    const uint32_t magic = head_u32(head, 0);
    return magic == 0xA1B23C4D || magic == 0x4D3CB2A1;
}

/* find_made_key returns the number that marks packets from a snapshot in a file. */
static uint32_t find_made_key(const struct file_head *head)
{
    const uint32_t magic = head_u32(head, 0);
    const bool is_ours = magic == 0xA1B2C3D4 || magic == 0xA1B23C4D;
    const bool is_swapped = magic == 0xD4C3B2A1 || magic == 0x4D3CB2A1;
    const uint32_t key = head_u32(head, PSEUDO_KEY_AT);
    const uint32_t value = is_swapped ? __builtin_bswap32(key) : is_ours ? key : 0;
    return value >= PSEUDO_KEY_MIN ? value : 0;
}

/* wait_for waits until there is something to read, or the user wants to stop. */
static bool wait_for(int fd)
{
    struct pollfd ready = {fd, POLLIN, 0};
    while (!stop_wanted && poll(&ready, 1, STOP_MS) <= 0)
        ;
    return !stop_wanted;
}

/* read_head reads what is available of the beginning, or at least `enough` bytes: more may not come for
 * a while. */
static bool read_head(int fd, size_t enough, struct file_head *head)
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
        if (head->len >= enough)
            break;
    }
    return true;
}

static bool see_bytes(void *context, uint8_t *bytes, size_t len)
{
    return pcapng_blocks_see(context, bytes, len);
}

/* open_stream opens the stream that libpcap reads: the file itself, or one that unpacks it or watches
 * its bytes. */
static FILE *open_stream(struct capture *capture, struct capture_input *input, int fd,
                         const struct file_head *head, enum unpack_format format)
{
    bool seekable = lseek(fd, 0, SEEK_SET) == 0;
    if (format == UNPACK_PLAIN && seekable && head_u32(head, 0) != SECTION_HEADER) {
        FILE *file = fdopen(fd, "rb");
        if (file != NULL)
            setvbuf(file, NULL, _IOFBF, UNPACK_BUFFER);
        return file;
    }
    if (seekable && lseek(fd, (off_t)head->len, SEEK_SET) < 0)
        return NULL;
    input->unpack = unpack_open(fd, format, head->bytes, head->len, &capture->on_wait,
                                &capture->wait_context);
    if (input->unpack == NULL)
        return NULL;
    input->blocks = (struct pcapng_blocks){.sink = &capture->on_secrets, .interfaces = &input->interfaces};
    unpack_watch(input->unpack, see_bytes, &input->blocks);
    FILE *file = unpack_file(input->unpack);
    if (file != NULL && input->is_stream)
        setvbuf(file, NULL, _IONBF, 0); /* only unpack.c buffers data: it can say whether there is more */
    return file;
}

/* open_nothing opens an empty input, for one that has sent no data when the user wants to stop. */
static bool open_nothing(struct capture_input *input, int dlt)
{
    input->pcap = pcap_open_dead_with_tstamp_precision(dlt, MAX_SNAPLEN,
                                                       PCAP_TSTAMP_PRECISION_NANO);
    if (input->pcap == NULL)
        complain("out of memory");
    return input->pcap != NULL;
}

/* open_pipe opens a pipe that another process of this program writes; the input owns fd then. */
static bool open_pipe(struct capture *capture, struct capture_input *input, int fd,
                       const struct file_head *head, int dlt)
{
    input->pipe =
        packet_pipe_open(fd, head->bytes, head->len, &capture->on_wait, &capture->wait_context);
    input->nanoseconds = true;
    if (input->pipe == NULL) {
        complain("out of memory");
        close(fd);
        return false;
    }
    packet_pipe_on_silent(input->pipe, &capture->on_silent);
    packet_pipe_on_point(input->pipe, &capture->on_point);
    return open_nothing(input, dlt); /* libpcap reads nothing */
}

static bool open_pcap_with(struct capture *capture, struct capture_input *input, int fd,
                           struct file_head *head)
{
    if (!read_head(fd, input->is_stream ? PCAP_HEAD_LEN : HEAD_ENOUGH, head)) {
        complain("cannot read %s: %s", input->name, strerror(errno));
        close(fd);
        return false;
    }
    if (stop_wanted) {
        close(fd);
        return open_nothing(input, DLT_EN10MB);
    }
    if (head->len == 0) {
        complain("%s is empty, not a capture file", input->name);
        close(fd);
        return false;
    }
    uint32_t link_type;
    if (input->is_stream && packet_pipe_is_head(head->bytes, head->len, &link_type))
        return open_pipe(capture, input, fd, head, capture_dlt_of(link_type));
    const char *tool = NULL;
    enum unpack_format format = unpack_recognise(head->bytes, head->len, &tool);
    if (format == UNPACK_UNSUPPORTED) {
        complain("%s is compressed with %s: decompress it first, %s -dc %s | distsniff -r -", input->name,
                 tool, tool, input->name);
        close(fd);
        return false;
    }
    FILE *file = open_stream(capture, input, fd, head, format);
    if (file == NULL) {
        complain("cannot read %s: %s", input->name, strerror(errno));
        return false;
    }
    if (input->unpack != NULL && format != UNPACK_PLAIN) {
        /* The head of the capture is inside the compressed data: read it and put it back. glibc can put
         * back any number of bytes. */
        head->len = fread(head->bytes, 1, 512, file);
        for (size_t i = head->len; i > 0; i--)
            ungetc(head->bytes[i - 1], file);
    }
    char error[PCAP_ERRBUF_SIZE];
    input->made_key = find_made_key(head);
    input->pcap =
        pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
    if (input->pcap == NULL) {
        const char *trouble = input->unpack != NULL ? unpack_trouble(input->unpack) : NULL;
        fclose(file);
        if (stop_wanted)
            return open_nothing(input, DLT_EN10MB);
        complain("%s is not a capture file: %s", input->name, trouble != NULL ? trouble : error);
        return false;
    }
    /* libpcap has now read the file up to the first interface. */
    if (input->made_key == 0)
        input->made_key = pcapng_blocks_made_key(&input->blocks);
    input->nanoseconds =
        head_has_nanoseconds(head) || pcapng_blocks_has_nanoseconds(&input->blocks);
    if (input->unpack == NULL)
        plain_file_begin(&input->plain, input->pcap);
    return true;
}

static bool open_pcap(struct capture *capture, struct capture_input *input, int fd)
{
    struct file_head head = {0};
    const bool ok = open_pcap_with(capture, input, fd, &head);
    explicit_bzero(&head, sizeof head); /* it may contain secrets */
    return ok;
}

bool capture_open_file(struct capture_input *input, const char *name, int fd)
{
    bool is_stdin = strcmp(name, "-") == 0;
    struct stat stat;
    input->name = is_stdin ? "standard input" : name;
    /* Do not wait for a FIFO here: perhaps no process ever writes to it. */
    input->fd = fd >= 0    ? fd
                : is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                           : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (input->fd < 0 || fstat(input->fd, &stat) != 0) {
        complain("cannot open %s: %s", input->name, strerror(errno));
        capture_input_close(input);
        return false;
    }
    if (S_ISDIR(stat.st_mode)) {
        complain("%s is a directory; to read its files, use %s%s*", input->name, input->name,
                 input->name[strlen(input->name) - 1] == '/' ? "" : "/");
        capture_input_close(input);
        return false;
    }
    if (!is_stdin)
        (void)fcntl(input->fd, F_SETFL, fcntl(input->fd, F_GETFL) & ~O_NONBLOCK);
    input->is_file = S_ISREG(stat.st_mode);
    input->is_stream = fd >= 0 && !input->is_file;
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
    capture_read_link_type(input);
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
