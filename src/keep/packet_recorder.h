/*
 * packet_recorder.h - keeps the latest packets in memory until it is known whether they are wanted: for
 * -O, until something is selected in their connection; for --trigger, until it matches.
 *
 * Packets that leave the memory unwanted, for lack of room or because of their age, go to another
 * session, the past session, which remembers what is needed to decode later packets
 * (ds_session_snapshot). A file begins with that snapshot, so that it can be decoded alone.
 */
#ifndef SRC_PACKET_RECORDER_H
#define SRC_PACKET_RECORDER_H

#include "capture/capture.h"
#include "core/stop_reason.h"
#include "keep/keep_config.h"
#include "keep/packet_notes.h"
#include "record/record.h"

struct packet_recorder;

/* recorder_wanted says whether config needs a recorder. */
bool recorder_wanted(const struct keep_config *config);

/* recorder_new opens the file of -O. session is the configuration of the main session, with that
 * session in beside. NULL after an error message. */
struct packet_recorder *recorder_new(const struct keep_config *config, const struct ds_config *session,
                                     const struct capture *capture);

/* recorder_set_notes adds the comments of notes to the packets of -O. The caller still owns notes. */
void recorder_set_notes(struct packet_recorder *recorder, struct packet_notes *notes);

/* recorder_record processes a record; selected: the user selected it. Call it while the session reads
 * its packet, so before recorder_packet. */
void recorder_record(struct packet_recorder *recorder, const struct record *record, bool selected);

/* recorder_packet processes the packet that the session has just read. */
void recorder_packet(struct packet_recorder *recorder, const struct ds_packet *packet,
                     const struct ds_where *where);

/* recorder_flush writes out the buffer. */
void recorder_flush(struct packet_recorder *recorder);

/* recorder_get_stop says why nothing more is kept: READER, or OUTPUT after an error message; NONE if
 * there was no error. */
enum stop_reason recorder_get_stop(const struct packet_recorder *recorder);

/* recorder_has_failed says whether there was an error, other than a reader that closed its pipe. */
bool recorder_has_failed(const struct packet_recorder *recorder);

/* recorder_add_stats adds the counts of caps that were reached, and of allocations that failed. */
void recorder_add_stats(const struct packet_recorder *recorder, struct ds_stats *stats);

/* recorder_end completes the files. Call it after the last record, since the end of the capture may
 * select something as well. */
void recorder_end(struct packet_recorder *recorder);

void recorder_free(struct packet_recorder *recorder); /* NULL is allowed */

#endif
