/*
 * packet_pipe.h - packets of one link type through a pipe, in the order of their times. Another
 * process of this program, which may have been taken over, writes it: nothing in it is trusted.
 *
 *   head    "dsPACKET" link type:4, and 12 bytes of zero
 *   entry   captured:4 length:4 made:4 0:4 time:8, in the order of this machine, and the bytes that were
 *           captured. made: 1 where it stands for the past (pseudo_packet.h), and its mark has no number;
 *           time: ns since 1970
 */
#ifndef SRC_PACKET_PIPE_H
#define SRC_PACKET_PIPE_H

#include <distsniff/dissect.h>
#include <stdbool.h>
#include <stddef.h>

enum { PACKET_PIPE_HEAD_LEN = 24, PACKET_PIPE_CAPTURED = 262144 };

/* packet_pipe_write_head and packet_pipe_write append what the writer writes. */
void packet_pipe_write_head(uint32_t link_type, struct ds_buffer *out);
void packet_pipe_write(const struct ds_packet *packet, struct ds_buffer *out);

/* packet_pipe_is_head says whether bytes begin with the head, and gives the link type, of those that are
 * known. */
bool packet_pipe_is_head(const uint8_t *bytes, size_t len, uint32_t *link_type);

struct packet_pipe;

/* packet_pipe_open reads from fd, which is its own then, unless memory runs out: then it returns NULL.
 * bytes are those that were read already, head and all, at most 4096. on_wait is called while
 * packet_pipe_next waits. */
struct packet_pipe *packet_pipe_open(int fd, const uint8_t *bytes, size_t len,
                                     void (*const *on_wait)(void *), void *const *wait_context);
void packet_pipe_free(struct packet_pipe *pipe);

/* packet_pipe_is_ready says whether packet_pipe_next would return at once. */
bool packet_pipe_is_ready(struct packet_pipe *pipe);

int packet_pipe_fd(const struct packet_pipe *pipe);

/* packet_pipe_next gives the next packet. It waits for one. False at the end, or when
 * the user wants to end, or what comes makes no sense: see packet_pipe_trouble. Its bytes stay until
 * the next call. */
bool packet_pipe_next(struct packet_pipe *pipe, struct ds_packet *packet);

/* packet_pipe_trouble says what was wrong, NULL: nothing. */
const char *packet_pipe_trouble(const struct packet_pipe *pipe);

#endif
