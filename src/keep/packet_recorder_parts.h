/*
 * packet_recorder_parts.h - data shared by the recorder's parts: packet_recorder.c itself, keep_conns.c
 * for -O and keep_latest.c for --trigger, and recorder_file.c, which writes their files.
 */
#ifndef SRC_PACKET_RECORDER_PARTS_H
#define SRC_PACKET_RECORDER_PARTS_H

#include "keep/conn_states.h"
#include "keep/keep_conns.h"
#include "keep/keep_latest.h"
#include "keep/packet_recorder.h"
#include "keep/packet_store.h"
#include "keep/pcap_writer.h"
#include "keep/pending_messages.h"

struct packet_recorder {
    const struct keep_config *config;
    const struct capture *capture;
    struct packet_store store;
    struct ds_session *past; /* the past session: gets packets that leave the store unwanted */
    const struct ds_keylog *keylog; /* NULL: no secrets are written */
    struct pcap_writer writer;
    struct packet_notes *notes; /* comments of packets; NULL: none */
    struct ds_buffer made;
    struct pending_messages openings; /* messages of the past session that are still open */
    struct conn_states states;
    int64_t state_ns; /* time of the packet after the snapshot that is being written */
    enum stop_reason ending; /* NONE if there was no error */
    int64_t (*clock_ns)(void); /* a clock that cannot be set */
    int64_t now_ns;            /* time of the latest record or packet */
    bool is_at_end;            /* packets that leave the store are not needed for snapshots any more */
    uint64_t num_incomplete;   /* connections and files that lack their first packets */
    uint64_t no_memory;
    struct keep_conns conns;
    struct keep_latest latest;
};

/* recorder_open opens a file; `ending` reports errors. */
void recorder_open(struct packet_recorder *recorder, const char *name);

/* recorder_write writes a packet. */
void recorder_write(struct packet_recorder *recorder, const struct ds_packet *packet);

/* recorder_write_state writes a snapshot of the packets that have left the store: of one connection, or
 * of all open ones if ends is NULL. now_ns is the time of the next packet. */
void recorder_write_state(struct packet_recorder *recorder, const struct ds_endpoint *ends,
                          int64_t now_ns);

/* recorder_flush_file writes out the buffer. */
void recorder_flush_file(struct packet_recorder *recorder);

/* recorder_close completes the open file. */
void recorder_close(struct packet_recorder *recorder);

#endif
