/*
 * tail_file.c - see tail_file.h.
 */
#include "files/tail_file.h"

#include "core/hash.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK_LEN = 4096,
    LAST_LEN = 128, /* bytes by which a file is recognised: more than different lines have in common */
};

/* read_at reads as much as there is, up to len; if it is less, errno says why, 0: the file ends. */
static size_t read_at(int fd, char *out, size_t len, int64_t at)
{
    size_t done = 0;
    ssize_t more;
    do {
        errno = 0;
        more = pread(fd, out + done, len - done, at + (int64_t)done);
        done += more > 0 ? (size_t)more : 0;
    } while ((more > 0 && done < len) || errno == EINTR);
    return done;
}

/* whole_lines returns the length of the complete lines in a text. */
static size_t whole_lines(const char *text, size_t len)
{
    while (len != 0 && text[len - 1] != '\n' && text[len - 1] != '\r')
        len--;
    return len;
}

/* hash_last hashes the bytes before the position up to which a file was read. */
static uint64_t hash_last(const struct tail_part *part)
{
    char last[LAST_LEN];
    const size_t len = part->at < LAST_LEN ? (size_t)part->at : LAST_LEN;
    const size_t done = read_at(part->fd, last, len, part->at - (int64_t)len);
    const uint64_t hash = hash_more(done, last, done);
    explicit_bzero(last, sizeof last); /* they may be secrets */
    return hash;
}

static bool read_part(struct tail_part *part, bool grows, tail_bytes_fn *take, void *context)
{
    char chunk[CHUNK_LEN];
    size_t len;
    if (part->fd < 0)
        return true;
    if (part->at != 0 && hash_last(part) != part->last)
        part->at = 0; /* it was truncated, and may have grown again */
    const int64_t begin = part->at;
    while ((len = read_at(part->fd, chunk, sizeof chunk, part->at)) != 0) {
        const size_t lines = grows ? whole_lines(chunk, len) : len;
        const size_t done = lines == 0 && len == sizeof chunk ? len : lines;
        take(context, chunk, done != 0 ? done : len, done == 0);
        if (done == 0)
            break;
        part->at += (int64_t)done;
    }
    const int error = errno;
    explicit_bzero(chunk, sizeof chunk);
    if (part->at != begin)
        part->last = hash_last(part);
    errno = error;
    return len != 0 || error == 0;
}

static int open_regular(const char *name, struct stat *status)
{
    struct open_trouble trouble;
    const int fd = file_helper_open(name, OPEN_READ, &trouble);
    if (fd < 0)
        return -1;
    if (fstat(fd, status) == 0 && S_ISREG(status->st_mode))
        return fd;
    close(fd);
    errno = ENOTSUP;
    return -1;
}

bool tail_file_open(struct tail_file *file, const char *name)
{
    struct stat status;
    const int fd = open_regular(name, &status);
    *file = (struct tail_file){.name = name, .now.fd = fd, .before.fd = -1};
    return fd >= 0;
}

bool tail_file_read(struct tail_file *file, bool grows, tail_bytes_fn *take, void *context)
{
    return read_part(&file->before, grows, take, context) &&
           read_part(&file->now, grows, take, context);
}

static void close_part(struct tail_part *part)
{
    if (part->fd >= 0)
        close(part->fd);
    *part = (struct tail_part){.fd = -1};
}

int tail_file_look(struct tail_file *file)
{
    struct stat other, own;
    const int fd = open_regular(file->name, &other);
    if (fd < 0) {
        const bool is_told = file->is_out_of_reach || errno == ENOENT;
        file->is_out_of_reach = errno != ENOENT;
        return is_told ? 0 : errno;
    }
    file->is_out_of_reach = false;
    if (fstat(file->now.fd, &own) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino) {
        close(fd);
        return 0;
    }
    close_part(&file->before);
    file->before = file->now;
    file->now = (struct tail_part){.fd = fd};
    return 0;
}

void tail_file_close(struct tail_file *file)
{
    if (file->name == NULL)
        return;
    close_part(&file->now);
    close_part(&file->before);
}
