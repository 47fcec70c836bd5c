/*
 * keeper.h - keeps the latest packets in memory until it is known whether they are wanted:
 * for -O, until something is selected in their connection; for --trigger, until it happens.
 *
 * What leaves the memory unwanted, for lack of room or as too old, goes through a session of
 * its own, which remembers what is needed to decode the packets after it (ds_session_past). A
 * file gets that first, so that it decodes by itself.
 */
#ifndef SRC_KEEPER_H
#define SRC_KEEPER_H

#include "capture.h"
#include "ending.h"
#include "record.h"

struct keeper;

/* keeper_wanted says whether the options ask for one. */
bool keeper_wanted(const struct options *options);

/* keeper_new opens the file of -O. config is that of the session. NULL after a complaint. */
struct keeper *keeper_new(const struct options *options, const struct ds_config *config,
                          const struct capture *capture);

/* keeper_record takes note of a record; selected: it was. To be called while its packet is
 * with the session, thus before keeper_packet. */
void keeper_record(struct keeper *keeper, const struct record *record, bool selected);

/* keeper_packet takes the packet that the session has just taken. */
void keeper_packet(struct keeper *keeper, const struct ds_packet *packet,
                   const struct ds_where *where);

/* keeper_flush writes out what has gathered. */
void keeper_flush(struct keeper *keeper);

/* keeper_get_ending says why nothing more is kept: READER, or OUTPUT after a complaint; NONE
 * while all is well. */
enum ending_reason keeper_get_ending(const struct keeper *keeper);

/* keeper_has_failed says whether something went wrong, other than a reader that went away. */
bool keeper_has_failed(const struct keeper *keeper);

/* keeper_add_stats adds caps that were reached, and times when memory ran out. */
void keeper_add_stats(const struct keeper *keeper, struct ds_stats *stats);

/* keeper_end completes the files: after the last record, since the end of the capture may
 * select something as well. */
void keeper_end(struct keeper *keeper);

void keeper_free(struct keeper *keeper); /* NULL is allowed */

#endif
