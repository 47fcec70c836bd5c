/*
 * packet_recorder_parts.h - what the recorder's parts share: packet_recorder.c itself, keep_conns.c
 * for -O and keep_latest.c for --trigger, and recorder_file.c, their files.
 */
#ifndef SRC_PACKET_RECORDER_PARTS_H
#define SRC_PACKET_RECORDER_PARTS_H

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
    struct ds_session *past; /* gets what leaves the store unwanted */
    const struct ds_keylog *keylog; /* NULL: no secrets are written */
    struct pcap_writer writer;
    struct packet_notes *notes; /* comments of packets; NULL: none */
    struct ds_buffer made, sealed;
    struct pending_messages openings; /* of the past */
    struct recorder_past {
        bool has_conn;              /* that what is written at the moment stands for */
        struct ds_endpoint ends[2]; /* of it */
        uint32_t point[2];          /* where what each end sends goes on */
        bool knows[2];
        int64_t now_ns; /* before which it stands */
    } writing;
    enum stop_reason ending; /* NONE while all is well */
    int64_t (*clock_ns)(void); /* that is never set */
    int64_t now_ns;            /* time of the latest record or packet */
    bool is_at_end;            /* of what leaves the store, nothing stands for a past any more */
    uint64_t num_incomplete;   /* connections and files without their first packets */
    uint64_t no_memory;
    struct keep_conns conns;
    struct keep_latest latest;
};

/* recorder_open opens a file; see ending for how it went. */
void recorder_open(struct packet_recorder *recorder, const char *name);

/* recorder_write writes a packet. */
void recorder_write(struct packet_recorder *recorder, const struct ds_packet *packet);

/* recorder_write_state writes packets that stand for what has left the store: of one connection,
 * or of all that go on where ends is NULL. now_ns is the time of what comes next. */
void recorder_write_state(struct packet_recorder *recorder, const struct ds_endpoint *ends,
                          int64_t now_ns);

/* recorder_flush_file writes out what has gathered. */
void recorder_flush_file(struct packet_recorder *recorder);

/* recorder_close completes the file that is open. */
void recorder_close(struct packet_recorder *recorder);

#endif
