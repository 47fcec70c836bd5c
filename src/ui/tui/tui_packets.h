/*
 * tui_packets.h - the latest packets, of which those of some connections can be written to a file:
 * kept where something may be saved. Whoever captures never waits: while a file is written, packets
 * are not kept.
 */
#ifndef SRC_TUI_PACKETS_H
#define SRC_TUI_PACKETS_H

#include <distsniff/dissect.h>

struct capture;
struct tui_packets;

/* tui_packets_new returns NULL when memory ran out. capture is where they come from; it stays. */
struct tui_packets *tui_packets_new(const uint64_t limits[DS_LIMIT_COUNT], const struct capture *capture);
void tui_packets_free(struct tui_packets *packets); /* NULL is allowed */

/* tui_packets_add takes the packet that the session has just taken. */
void tui_packets_add(struct tui_packets *packets, const struct ds_packet *packet,
                     const struct ds_where *where);

/* tui_packets_save writes those of some connections (ds_conn.tcp, in order) to a file, pcap or
 * pcapng by its name, and returns how many there were; -1 after a complaint. */
int64_t tui_packets_save(struct tui_packets *packets, const char *name, const uint64_t *conns, size_t num);

#endif
