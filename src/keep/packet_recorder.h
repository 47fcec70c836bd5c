/*
 * packet_recorder.h - keeps the latest packets in memory until it is known whether they are wanted:
 * for -O, until something is selected in their connection; for --trigger, until it happens.
 *
 * What leaves the memory unwanted, for lack of room or as too old, goes through a session of
 * its own, which remembers what is needed to decode the packets after it (ds_session_snapshot). A
 * file gets that first, so that it decodes by itself.
 */
#ifndef SRC_PACKET_RECORDER_H
#define SRC_PACKET_RECORDER_H

#include "capture/capture.h"
#include "core/stop_reason.h"
#include "keep/keep_config.h"
#include "keep/packet_notes.h"
#include "record/record.h"

struct packet_recorder;

/* recorder_wanted says whether config asks for one. */
bool recorder_wanted(const struct keep_config *config);

/* recorder_new opens the file of -O. session is the configuration of the session, with the session
 * itself in beside. NULL after a complaint. */
struct packet_recorder *recorder_new(const struct keep_config *config, const struct ds_config *session,
                                     const struct capture *capture);

/* recorder_set_notes has the packets of -O get the comments of notes, which stay whose they are. */
void recorder_set_notes(struct packet_recorder *recorder, struct packet_notes *notes);

/* recorder_record takes note of a record; selected: it was. To be called while its packet is
 * with the session, thus before recorder_packet. */
void recorder_record(struct packet_recorder *recorder, const struct record *record, bool selected);

/* recorder_packet takes the packet that the session has just taken. */
void recorder_packet(struct packet_recorder *recorder, const struct ds_packet *packet,
                     const struct ds_where *where);

/* recorder_flush writes out what has gathered. */
void recorder_flush(struct packet_recorder *recorder);

/* recorder_get_stop says why nothing more is kept: READER, or OUTPUT after a complaint; NONE
 * while all is well. */
enum stop_reason recorder_get_stop(const struct packet_recorder *recorder);

/* recorder_has_failed says whether something went wrong, other than a reader that went away. */
bool recorder_has_failed(const struct packet_recorder *recorder);

/* recorder_add_stats adds caps that were reached, and times when memory ran out. */
void recorder_add_stats(const struct packet_recorder *recorder, struct ds_stats *stats);

/* recorder_end completes the files: after the last record, since the end of the capture may
 * select something as well. */
void recorder_end(struct packet_recorder *recorder);

void recorder_free(struct packet_recorder *recorder); /* NULL is allowed */

#endif
