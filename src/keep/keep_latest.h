/*
 * keep_latest.h - the recorder's part for --trigger: the packets before and after each match, in a file
 * of its own.
 */
#ifndef SRC_KEEP_LATEST_H
#define SRC_KEEP_LATEST_H

#include "keep/post_rotate.h"
#include "keep/recorder_name.h"
#include "record/record.h"

#include <distsniff/dissect.h>

struct packet_recorder;

struct keep_latest {
    bool triggered; /* by the packet that the session is reading */
    int64_t triggered_ns;
    bool has_file;          /* a file has been begun, and until_ns is its end */
    int64_t until_ns;       /* end of the last file, by the clock that cannot be set */
    int64_t until_clock_ns; /* live: the same as a value of that clock, with some delay */
    int64_t newest_ns;      /* time stamp of the last packet */
    int64_t offset_ns;      /* from time stamps to a clock that cannot be set */
    int64_t set_back_ns;    /* part of offset_ns: how much time stamps went back without returning */
    int64_t begin_ns, begin_clock_ns; /* live: time of the first packet by both clocks */
    bool has_begun;
    uint64_t num_files, num_refused;
    struct side_commands after;
    char name[RECORDER_NAME_LEN];
};

/* keep_latest_open says whether files can be written; false after an error message. */
bool keep_latest_open(struct packet_recorder *recorder);
void keep_latest_record(struct packet_recorder *recorder, const struct record *record);
void keep_latest_packet(struct packet_recorder *recorder, uint64_t key, const struct ds_packet *packet);
void keep_latest_look(struct packet_recorder *recorder); /* checks the clock, and the commands of -z */
void keep_latest_end(struct packet_recorder *recorder);

#endif
