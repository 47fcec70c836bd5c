/*
 * tcp_again.h - SYNs on the ports of a connection that goes on. Anybody can send one; its ends ignore it
 * (RFC 5961, section 4). It begins another connection where it is answered: by a SYN-ACK, or, where that
 * cannot be seen, by what follows on it.
 */
#ifndef DISSECT_TCP_AGAIN_H
#define DISSECT_TCP_AGAIN_H

#include "tcp/tcp_table.h"

/* tcp_again_syn is a SYN without a payload. */
struct tcp_again_syn {
    struct segment segment; /* its options are those below */
    int dir;
    bool is_counted;
    uint8_t options[TCP_MAX_OPTIONS];
};

struct tcp_again {
    unsigned num;
    struct tcp_again_syn syns[TCP_SYNS];
};

/* tcp_again_note remembers a SYN of a connection, the latest TCP_SYNS of them. One that has to go is
 * counted as ignored. */
void tcp_again_note(struct tcp_table *table, struct tcp_conn *conn, int dir,
                    const struct segment *segment);

/* tcp_again_find returns the SYN that a segment answers, or follows on; NULL: none. */
const struct tcp_again_syn *tcp_again_find(const struct tcp_conn *conn, int dir,
                                           const struct segment *segment);

/* tcp_again_refute is called when the old connection goes on. It counts each unanswered SYN as ignored,
 * once, and forgets it after a while. */
void tcp_again_refute(struct tcp_table *table, struct tcp_conn *conn);

#endif
