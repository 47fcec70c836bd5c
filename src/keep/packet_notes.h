/*
 * packet_notes.h - comments for the packets of -w and -O if their files are pcapng: what was decoded
 * from each, as in -T pcapng (note_lines.h). Packets are written in order after the session has read
 * them, at once or much later: until then their comments are kept here, by packet number.
 *
 * If a record comes when its packet has already been written, its comment goes to the next packet.
 * Comments that are left at the end, or do not fit, go to the last packet or into a statistics block.
 */
#ifndef SRC_PACKET_NOTES_H
#define SRC_PACKET_NOTES_H

#include "record/record.h"

struct packet_notes;

struct packet_notes_config {
    int verbose;   /* as for -T text */
    bool hides_tls; /* data that TLS encrypts is left out: the file contains no secrets */
};

/* packet_notes_wanted says whether a file of that name gets comments. NULL is allowed. */
bool packet_notes_wanted(const char *name);

/* packet_notes_new returns NULL when memory ran out. */
struct packet_notes *packet_notes_new(const struct packet_notes_config *config);

/* packet_notes_record adds a selected record. */
void packet_notes_record(struct packet_notes *notes, const struct record *record);

/* packet_notes_pop returns the comments of a packet that will be written next, and of earlier ones;
 * NULL if there are none. packet_notes_rest returns the remaining ones. They live until the next call
 * of one of these. */
const struct ds_buffer *packet_notes_pop(struct packet_notes *notes, uint64_t frame);
const struct ds_buffer *packet_notes_rest(struct packet_notes *notes);

void packet_notes_free(struct packet_notes *notes); /* NULL is allowed */

#endif
