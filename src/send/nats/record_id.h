/*
 * record_id.h - what a record is known by, so that a stream stores it once.
 *
 * What two nodes said is the same wherever it was captured: the id of a message is made of both
 * addresses and ports and of the TCP sequence number behind it, which all capture points see alike,
 * whenever they began, and of whether all of it is known: a host that began late may not know its atoms,
 * and its record does not take the place of a whole one. Calls, monitors and links have that of the message
 * that began them, and are parts where that one or the one that ended them is. What a capture point found
 * out itself (findings, gaps, stalls, facts of links, losses) has its host in the id. What is sent may be a
 * keyed hash of it (id_key.h).
 */
#ifndef SRC_RECORD_ID_H
#define SRC_RECORD_ID_H

#include "record/record.h"
#include "send/send_queue.h"

/* record_id writes it; the same record of the same host has always the same. */
void record_id(const struct record *record, const char *host, char id[SEND_MAX_ID + 1]);

#endif
