/*
 * unpack.h - a capture file that is compressed, or comes through a pipe, as a FILE that
 * libpcap can read.
 */
#ifndef SRC_UNPACK_H
#define SRC_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { UNPACK_BUFFER = 256 * 1024 };

enum unpack_format { UNPACK_PLAIN, UNPACK_GZIP, UNPACK_ZSTD, UNPACK_UNSUPPORTED };

/* unpack_recognise tells the format from the first bytes. For one that is not supported,
 * *tool is the command that unpacks it. */
enum unpack_format unpack_recognise(const uint8_t *bytes, size_t len, const char **tool);

struct unpack;

/* unpack_open returns a reader of fd, from which the bytes of head have been read already.
 * on_wait is called before a read that would have to wait, and now and then while it does; when
 * stop_wanted is set (signals.h) the file ends. fd is closed by unpack_free. NULL when memory ran
 * out; fd is then left open. */
struct unpack *unpack_open(int fd, enum unpack_format format, const uint8_t *head, size_t head_len,
                           void (*const *on_wait)(void *context), void *const *wait_context);

/* unpack_watch has see look at all bytes that the stream gives out; where it returns true there
 * were secrets among them, which it has overwritten. */
void unpack_watch(struct unpack *unpack, bool (*see)(void *context, uint8_t *bytes, size_t len),
                  void *context);

/* unpack_file returns the stream to read from; to be closed by the caller, before
 * unpack_free. NULL when memory ran out. */
FILE *unpack_file(struct unpack *unpack);

/* unpack_is_ready says whether something can be taken, be it the end, that need not be waited for. A stream
 * that buffers may have more. */
bool unpack_is_ready(const struct unpack *unpack);

/* unpack_fd returns what is read. */
int unpack_fd(const struct unpack *unpack);

/* unpack_trouble says what was wrong with the packed data, NULL when nothing was. */
const char *unpack_trouble(const struct unpack *unpack);

/* unpack_position returns how many bytes of the packed file have been taken. */
uint64_t unpack_position(const struct unpack *unpack);

/* unpack_finish gives up what is not needed any more when nothing more is read: what it was
 * unpacked with, and leaves no secrets there. */
void unpack_finish(struct unpack *unpack);

void unpack_free(struct unpack *unpack);

#endif
