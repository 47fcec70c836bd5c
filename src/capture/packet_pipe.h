/*
 * packet_pipe.h - packets in a pipe, ordered by time. Another process of this program
 * writes it. An attacker may control that process, so nothing in the pipe is trusted.
 *
 *   head    "dsPACKET" link type:4 (of the first packet), and 12 bytes of zero
 *   entry   captured:4 length:4 made:4 link type:4 time:8, in this machine's byte order, and the bytes
 *           that were captured. made: 1 for packets from a snapshot (pseudo_packet.h), whose mark has no
 *           number; time: ns since 1970
 *
 * An entry with made 2 is not a packet: a capture point has fallen silent, and time is that of its latest
 * packet; with 3 it is back. Its bytes are the time of that discovery, 8 bytes, and the name of the point.
 * With made 4 they are what is known of a capture point (struct capture_point_numbers), and its name.
 */
#ifndef SRC_PACKET_PIPE_H
#define SRC_PACKET_PIPE_H

#include "record/capture_point.h"
#include "record/silent_point.h"

#include <distsniff/dissect.h>
#include <stdbool.h>
#include <stddef.h>

enum { PACKET_PIPE_HEAD_LEN = 24, PACKET_PIPE_CAPTURED = 262144 };

/* packet_pipe_write_head and packet_pipe_write append the writer's bytes to out. */
void packet_pipe_write_head(uint32_t link_type, struct ds_buffer *out);
void packet_pipe_write(const struct ds_packet *packet, struct ds_buffer *out);
void packet_pipe_write_silent(const struct silent_point *point, struct ds_buffer *out);
void packet_pipe_write_point(const struct capture_point *point, struct ds_buffer *out);

/* packet_pipe_is_head says whether bytes begin with the head, and sets the link type, which must be a
 * known one. */
bool packet_pipe_is_head(const uint8_t *bytes, size_t len, uint32_t *link_type);

struct packet_pipe;

/* packet_pipe_open returns a reader of fd, which it owns then. If memory runs out, it returns NULL and
 * the caller keeps fd. bytes are those that were read already, including the head, at most 4096.
 * on_wait is called while packet_pipe_next waits. */
struct packet_pipe *packet_pipe_open(int fd, const uint8_t *bytes, size_t len,
                                     void (*const *on_wait)(void *), void *const *wait_context);
void packet_pipe_free(struct packet_pipe *pipe);

/* packet_pipe_on_silent sets a function, which may be NULL. It is called, with the context of on_wait, for
 * each point that has fallen silent or is back, at its place between the packets. */
void packet_pipe_on_silent(struct packet_pipe *pipe,
                           void (*const *on_silent)(void *, const struct silent_point *));

/* packet_pipe_on_point sets a function, which may be NULL, that is called in the same way with what is
 * known of a point. */
void packet_pipe_on_point(struct packet_pipe *pipe,
                          void (*const *on_point)(void *, const struct capture_point *));

/* packet_pipe_is_ready says whether packet_pipe_next would return without waiting. */
bool packet_pipe_is_ready(struct packet_pipe *pipe);

int packet_pipe_fd(const struct packet_pipe *pipe);

/* packet_pipe_next returns the next packet, and waits for one. Returns false at the end, if the user
 * wants to stop, or if the data is invalid: see packet_pipe_trouble. The packet's bytes are valid until
 * the next call. */
bool packet_pipe_next(struct packet_pipe *pipe, struct ds_packet *packet);

/* packet_pipe_trouble says what is wrong with the data; NULL: nothing. */
const char *packet_pipe_trouble(const struct packet_pipe *pipe);

#endif
