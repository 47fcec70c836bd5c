/*
 * keep_conns.h - the recorder's part for -O: the packets of connections in which something is selected,
 * from their first one on, and of the EPMD exchange that led to each.
 */
#ifndef SRC_KEEP_CONNS_H
#define SRC_KEEP_CONNS_H

#include "record/record.h"

#include <distsniff/dissect.h>

struct packet_recorder;

enum { KEEP_TOLD = 256, KEEP_LINGERING = 256 };

/* keep_told is an exchange in which EPMD revealed a port. */
struct keep_told {
    uint64_t key; /* of the EPMD connection; 0: none */
    struct ds_addr server, client;
    uint16_t port;
};

struct keep_conns {
    bool in_order;                    /* packets are written in the order of the capture */
    struct keep_told told[KEEP_TOLD]; /* the latest ones, a ring */
    uint64_t num_told;
    uint64_t lingering[KEEP_LINGERING]; /* keys of the connections that ended last, a ring */
    uint64_t num_lingering;
};

void keep_conns_open(struct packet_recorder *recorder);
void keep_conns_record(struct packet_recorder *recorder, const struct record *record, bool selected);
void keep_conns_packet(struct packet_recorder *recorder, uint64_t key, const struct ds_packet *packet);
void keep_conns_end(struct packet_recorder *recorder);

#endif
