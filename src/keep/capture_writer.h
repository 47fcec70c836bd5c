/*
 * capture_writer.h - writes the packets of -w, to one file or, with -C and -G, to one after the other.
 */
#ifndef SRC_CAPTURE_WRITER_H
#define SRC_CAPTURE_WRITER_H

#include "core/stop_reason.h"
#include "keep/keep_config.h"
#include "keep/packet_notes.h"
#include "keep/pcap_writer.h"
#include "keep/post_rotate.h"
#include "keep/rotation.h"
#include "keep/rotation_names.h"

struct capture_writer {
    const struct keep_config *config;
    const struct capture *capture;
    const struct ds_keylog *keylog; /* whose secrets are written, too; NULL: none */
    struct packet_notes *notes; /* comments of packets; NULL: none */
    int64_t last_ns;            /* time of the last packet, for comments that belong to no packet */
    struct pcap_writer writer; /* the current file */
    struct rotation rotation;
    struct rotation_names names; /* for -G */
    struct side_commands after;
    uint64_t num_files; /* completed files */
    enum stop_reason ending;
    bool is_on; /* -w is given */
    char name[ROTATION_NAME_LEN];
};

/* capture_writer_init prepares for the given options. */
void capture_writer_init(struct capture_writer *save, const struct keep_config *config,
                         const struct capture *capture);

/* capture_writer_open opens the first file. If its name depends on the first packet (-G with an input
 * file, whose own time counts), it is opened later. Returns false after an error message. */
bool capture_writer_open(struct capture_writer *save);

/* capture_writer_packet writes a packet, and opens the next file before that if it is due. Returns
 * false if there is no next file: then the packet does not belong to the run any more. With notes,
 * capture_writer_decoded writes the packet, after the session has read it. */
bool capture_writer_packet(struct capture_writer *save, const struct ds_packet *packet);
void capture_writer_decoded(struct capture_writer *save, const struct ds_packet *packet);

/* capture_writer_get_stop says why nothing more is written: FILES or ROTATION, READER, or OUTPUT after
 * an error message; NONE if packets can still be written. */
static inline enum stop_reason capture_writer_get_stop(const struct capture_writer *save)
{
    return save->ending;
}

/* capture_writer_flush writes out the buffer. Call it from time to time. */
void capture_writer_flush(struct capture_writer *save);

/* capture_writer_reopen continues in the file that has the name now, if that is another file than the
 * open one, for example after a rename. */
void capture_writer_reopen(struct capture_writer *save);

/* capture_writer_close completes the last file and waits for the commands of -z. */
void capture_writer_close(struct capture_writer *save);

/* capture_writer_has_failed says whether there was an error, other than a reader that closed its pipe. */
static inline bool capture_writer_has_failed(const struct capture_writer *save)
{
    return save->ending == STOP_OUTPUT || save->after.failed;
}

#endif
