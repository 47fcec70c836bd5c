/*
 * unpack.c - see unpack.h. Compressed bytes are read into a buffer, and unpacked from there when the
 * stream needs more. gzip files may consist of several members, zstd files of several frames, one after
 * the other.
 */
#include "capture/unpack.h"

#include "core/signals.h"
#include "files/function_file.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY /* for wiping its memory */
#include <zstd.h>

enum { STOP_MS = 100 }; /* how long an interrupt may have to wait, at most */

struct unpack {
    enum unpack_format format;
    int fd;
    void (*const *on_wait)(void *);
    void *const *wait_context;
    size_t at, len; /* positions in buffer */
    uint64_t taken; /* bytes read from fd */
    bool at_end;    /* of fd */
    bool inside;    /* within a gzip member or zstd frame: the file must not end here */
    const char *trouble;
    bool (*see)(void *context, uint8_t *bytes, size_t len);
    void *see_context;
    bool has_secrets; /* in the unpacked bytes: all memory is wiped before it is freed */
    z_stream gzip;
    ZSTD_DStream *zstd;
    uint8_t buffer[UNPACK_BUFFER]; /* compressed bytes; those from at to len are not used yet */
};

/* Memory of the libraries, preceded by its size: it contains recently unpacked bytes, too. */
enum { SIZE_LEN = 16 };

static void *allocate_memory(void *opaque, size_t size)
{
    (void)opaque;
    uint8_t *memory = size <= SIZE_MAX - SIZE_LEN ? malloc(SIZE_LEN + size) : NULL;
    if (memory == NULL)
        return NULL;
    memcpy(memory, &size, sizeof size);
    return memory + SIZE_LEN;
}

static void *allocate_items(void *opaque, unsigned num, unsigned size)
{
    return allocate_memory(opaque, (size_t)num * size);
}

static void give_memory(void *opaque, void *given)
{
    const struct unpack *u = opaque;
    uint8_t *memory = given;
    size_t size;
    if (given == NULL)
        return;
    memory -= SIZE_LEN;
    memcpy(&size, memory, sizeof size);
    if (u->has_secrets)
        explicit_bzero(memory, SIZE_LEN + size);
    free(memory);
}

enum unpack_format unpack_recognise(const uint8_t *bytes, size_t len, const char **tool)
{
    static const struct {
        const char *magic;
        size_t len;
        enum unpack_format format;
        const char *tool;
    } formats[] = {
        {"\x1f\x8b", 2, UNPACK_GZIP, NULL},
        {"\x28\xb5\x2f\xfd", 4, UNPACK_ZSTD, NULL},
        {"\xfd" "7zXZ", 5, UNPACK_UNSUPPORTED, "xz"},
        {"BZh", 3, UNPACK_UNSUPPORTED, "bzip2"},
        {"\x04\x22\x4d\x18", 4, UNPACK_UNSUPPORTED, "lz4"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (len >= formats[i].len && memcmp(bytes, formats[i].magic, formats[i].len) == 0) {
            *tool = formats[i].tool;
            return formats[i].format;
        }
    }
    return UNPACK_PLAIN;
}

/* refill fills the buffer if it is empty. Returns false at the end of the file. */
static bool refill(struct unpack *u)
{
    if (u->at < u->len)
        return true;
    if (u->at_end)
        return false;
    struct pollfd ready = {u->fd, POLLIN, 0};
    for (int wait_ms = 0; !stop_wanted && poll(&ready, 1, wait_ms) <= 0; wait_ms = STOP_MS) {
        if (*u->on_wait != NULL)
            (*u->on_wait)(*u->wait_context);
    }
    ssize_t n = stop_wanted ? 0 : read(u->fd, u->buffer, sizeof u->buffer);
    if (n < 0)
        u->trouble = strerror(errno);
    u->at = 0;
    u->len = n > 0 ? (size_t)n : 0;
    u->taken += u->len;
    u->at_end = n <= 0;
    return n > 0;
}

static size_t read_plain(struct unpack *u, char *out, size_t size)
{
    size_t len = u->len - u->at < size ? u->len - u->at : size;
    memcpy(out, u->buffer + u->at, len);
    u->at += len;
    return len;
}

static size_t read_gzip(struct unpack *u, char *out, size_t size)
{
    u->gzip.next_in = u->buffer + u->at;
    u->gzip.avail_in = (uInt)(u->len - u->at);
    u->gzip.next_out = (Bytef *)out;
    u->gzip.avail_out = (uInt)size;
    u->inside = true;
    int status = inflate(&u->gzip, Z_NO_FLUSH);
    u->at = u->len - u->gzip.avail_in;
    if (status == Z_STREAM_END) {
        u->inside = false;
        inflateReset(&u->gzip);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
        u->trouble = "damaged gzip data";
    }
    return size - u->gzip.avail_out;
}

static size_t read_zstd(struct unpack *u, char *out, size_t size)
{
    ZSTD_inBuffer in = {u->buffer, u->len, u->at};
    ZSTD_outBuffer got = {out, size, 0};
    size_t status = ZSTD_decompressStream(u->zstd, &got, &in);
    u->at = in.pos;
    if (ZSTD_isError(status))
        u->trouble = ZSTD_getErrorName(status);
    u->inside = status != 0;
    return got.pos;
}

static ssize_t unpack_read(void *cookie, char *out, size_t size)
{
    struct unpack *u = cookie;
    if (size > INT32_MAX)
        size = INT32_MAX;
    while (u->trouble == NULL && size != 0) {
        if (!refill(u)) {
            if (u->inside && u->trouble == NULL)
                u->trouble = "truncated: the compressed data ends too early";
            break;
        }
        size_t len = u->format == UNPACK_GZIP   ? read_gzip(u, out, size)
                     : u->format == UNPACK_ZSTD ? read_zstd(u, out, size)
                                                : read_plain(u, out, size);
        if (len == 0)
            continue;
        if (u->see != NULL && u->see(u->see_context, (uint8_t *)out, len)) {
            u->has_secrets = true;
            if (u->format == UNPACK_PLAIN)
                explicit_bzero(u->buffer + u->at - len, len);
        }
        return (ssize_t)len;
    }
    return 0;
}

struct unpack *unpack_open(int fd, enum unpack_format format, const uint8_t *head, size_t head_len,
                           void (*const *on_wait)(void *context), void *const *wait_context)
{
    struct unpack *u = malloc(sizeof *u);
    if (u == NULL)
        return NULL;
    memset(u, 0, offsetof(struct unpack, buffer));
    u->gzip.zalloc = allocate_items;
    u->gzip.zfree = give_memory;
    u->gzip.opaque = u;
    u->format = format;
    u->fd = fd;
    u->on_wait = on_wait;
    u->wait_context = wait_context;
    u->len = u->taken = head_len < sizeof u->buffer ? head_len : sizeof u->buffer;
    memcpy(u->buffer, head, u->len);
    bool ok = true;
    if (format == UNPACK_GZIP) {
        ok = inflateInit2(&u->gzip, 15 + 16) == Z_OK; /* largest window, with a gzip header */
    } else if (format == UNPACK_ZSTD) {
        u->zstd = ZSTD_createDStream_advanced((ZSTD_customMem){allocate_memory, give_memory, u});
        ok = u->zstd != NULL;
    }
    if (!ok) {
        free(u);
        return NULL;
    }
    return u;
}

void unpack_watch(struct unpack *unpack, bool (*see)(void *context, uint8_t *bytes, size_t len),
                  void *context)
{
    unpack->see = see;
    unpack->see_context = context;
}

FILE *unpack_file(struct unpack *unpack)
{
    FILE *file = function_file_read(unpack, unpack_read);
    if (file != NULL)
        setvbuf(file, NULL, _IOFBF, UNPACK_BUFFER);
    return file;
}

bool unpack_is_ready(const struct unpack *unpack)
{
    struct pollfd ready = {unpack->fd, POLLIN, 0};
    return unpack->at < unpack->len || unpack->at_end || poll(&ready, 1, 0) > 0;
}

int unpack_fd(const struct unpack *unpack)
{
    return unpack->fd;
}

const char *unpack_trouble(const struct unpack *unpack)
{
    return unpack->trouble;
}

uint64_t unpack_position(const struct unpack *unpack)
{
    return unpack->taken;
}

void unpack_finish(struct unpack *unpack)
{
    if (unpack->format == UNPACK_GZIP)
        inflateEnd(&unpack->gzip);
    ZSTD_freeDStream(unpack->zstd);
    unpack->zstd = NULL;
    if (unpack->has_secrets)
        explicit_bzero(unpack->buffer, sizeof unpack->buffer);
    unpack->format = UNPACK_PLAIN;
    unpack->see = NULL;
}

void unpack_free(struct unpack *unpack)
{
    if (unpack == NULL)
        return;
    unpack_finish(unpack);
    close(unpack->fd);
    free(unpack);
}
