/*
 * record_id.h - the id of a record, by which a stream stores it once.
 *
 * A message between two nodes is the same wherever it was captured: its id is made of both
 * addresses and ports, of the TCP sequence number after it, which all capture points see alike
 * whenever they began, and of whether the message is completely known: a host that began late may
 * not know its atoms, and its record must not replace a complete one. Calls, monitors and links use
 * the message that began them, and count as incomplete if that message or the one that ended them
 * is. Records that a capture point found out itself (findings, gaps, stalls, facts of links,
 * losses) have its host in the id. The id that is sent may be a keyed hash of this one (id_key.h).
 */
#ifndef SRC_RECORD_ID_H
#define SRC_RECORD_ID_H

#include "record/record.h"
#include "send/send_queue.h"

/* record_id writes the id; the same record of the same host always has the same one. */
void record_id(const struct record *record, const char *host, char id[SEND_MAX_ID + 1]);

#endif
