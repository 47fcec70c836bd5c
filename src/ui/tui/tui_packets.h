/*
 * tui_packets.h - stores the latest packets, so that those of some connections can be written to a
 * file. The capture never waits: while a file is written, packets are not stored.
 */
#ifndef SRC_TUI_PACKETS_H
#define SRC_TUI_PACKETS_H

#include <distsniff/dissect.h>

struct capture;
struct tui_packets;

/* tui_packets_new returns NULL if memory ran out. capture is their source; it must stay valid. */
struct tui_packets *tui_packets_new(const uint64_t limits[DS_LIMIT_COUNT], const struct capture *capture);
void tui_packets_free(struct tui_packets *packets); /* NULL is allowed */

/* tui_packets_add stores the packet that the session has just processed. */
void tui_packets_add(struct tui_packets *packets, const struct ds_packet *packet,
                     const struct ds_where *where);

/* tui_packets_save writes the packets of some connections (ds_conn.tcp, sorted) to a file, pcap or
 * pcapng by its name, and returns how many there were; -1 after an error message. */
int64_t tui_packets_save(struct tui_packets *packets, const char *name, const uint64_t *conns, size_t num);

#endif
