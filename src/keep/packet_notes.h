/*
 * packet_notes.h - comments for the packets of -w and -O where their files are pcapng: what was decoded
 * from each, as -T pcapng has it (note_lines.h). Packets are written after the session has taken them,
 * in their order, at once or much later: until then their comments are kept here, by their numbers.
 *
 * A record that comes when its packet is written already goes with the next one. What is left at the
 * end, or there is no room for, is the last packet's, or stands in a block of statistics.
 */
#ifndef SRC_PACKET_NOTES_H
#define SRC_PACKET_NOTES_H

#include "record/record.h"

struct packet_notes;

struct packet_notes_config {
    int verbose;   /* as of -T text */
    bool hides_tls; /* what TLS has sealed is not told: the file has no secrets in it */
};

/* packet_notes_wanted says whether a file of that name, which may be NULL, gets them. */
bool packet_notes_wanted(const char *name);

/* packet_notes_new returns NULL when memory ran out. */
struct packet_notes *packet_notes_new(const struct packet_notes_config *config);

/* packet_notes_record takes a record that was selected. */
void packet_notes_record(struct packet_notes *notes, const struct record *record);

/* packet_notes_take returns the comments of a packet that is to be written, and of those before it, NULL
 * where there are none; packet_notes_rest those that are left. They live until the next call of these. */
const struct ds_buffer *packet_notes_take(struct packet_notes *notes, uint64_t frame);
const struct ds_buffer *packet_notes_rest(struct packet_notes *notes);

void packet_notes_free(struct packet_notes *notes); /* NULL is allowed */

#endif
