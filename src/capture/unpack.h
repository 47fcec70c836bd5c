/*
 * unpack.h - a compressed capture file, or one from a pipe, as a FILE that libpcap can read.
 */
#ifndef SRC_UNPACK_H
#define SRC_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { UNPACK_BUFFER = 256 * 1024 };

enum unpack_format { UNPACK_PLAIN, UNPACK_GZIP, UNPACK_ZSTD, UNPACK_UNSUPPORTED };

/* unpack_recognise returns the format, judging by the first bytes. If it is not supported, *tool is the
 * command that unpacks it. */
enum unpack_format unpack_recognise(const uint8_t *bytes, size_t len, const char **tool);

struct unpack;

/* unpack_open returns a reader of fd, from which the bytes of head have been read already. on_wait is
 * called before a read that would have to wait, and from time to time while it does; when stop_wanted is
 * set (signals.h), the file ends. unpack_free closes fd. NULL when memory ran out; then fd stays open. */
struct unpack *unpack_open(int fd, enum unpack_format format, const uint8_t *head, size_t head_len,
                           void (*const *on_wait)(void *context), void *const *wait_context);

/* unpack_watch calls see with all bytes that the stream returns. see returns true if there were secrets
 * in them, which it has overwritten. */
void unpack_watch(struct unpack *unpack, bool (*see)(void *context, uint8_t *bytes, size_t len),
                  void *context);

/* unpack_file returns the stream to read from. The caller closes it before unpack_free. NULL when
 * memory ran out. */
FILE *unpack_file(struct unpack *unpack);

/* unpack_is_ready says whether data, or the end, is available without waiting. A buffered stream may
 * have more. */
bool unpack_is_ready(const struct unpack *unpack);

/* unpack_fd returns the descriptor that is read. */
int unpack_fd(const struct unpack *unpack);

/* unpack_trouble says what is wrong with the compressed data; NULL: nothing. */
const char *unpack_trouble(const struct unpack *unpack);

/* unpack_position returns how many bytes of the compressed file have been used. */
uint64_t unpack_position(const struct unpack *unpack);

/* unpack_finish releases the decompressor after the last read, and leaves no secrets in memory. */
void unpack_finish(struct unpack *unpack);

void unpack_free(struct unpack *unpack);

#endif
