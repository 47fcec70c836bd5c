/*
 * capture_writer.h - the packets of -w, in one file or, with -C and -G, in one after the other.
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
    const struct ds_keylog *keylog; /* whose secrets go with it; NULL: none */
    struct packet_notes *notes; /* comments of packets; NULL: none */
    int64_t last_ns;            /* of the last packet, for those that belong to none */
    struct pcap_writer writer; /* the current file */
    struct rotation rotation;
    struct rotation_names names; /* -G */
    struct side_commands after;
    uint64_t num_files; /* complete */
    enum stop_reason ending;
    bool is_on; /* there is -w */
    char name[ROTATION_NAME_LEN];
};

/* capture_writer_init prepares for what the options ask. */
void capture_writer_init(struct capture_writer *save, const struct keep_config *config,
                         const struct capture *capture);

/* capture_writer_open opens the first file, unless its name comes with the first packet (-G of a file
 * that is read: its own time counts). False after a complaint. */
bool capture_writer_open(struct capture_writer *save);

/* capture_writer_packet writes a packet, after opening the next file where that is due. False when
 * there is to be no next file: then the packet belongs to the run no more. With notes the packet is
 * written by capture_writer_decoded, once the session has taken it. */
bool capture_writer_packet(struct capture_writer *save, const struct ds_packet *packet);
void capture_writer_decoded(struct capture_writer *save, const struct ds_packet *packet);

/* capture_writer_get_stop says why nothing more is written: FILES or ROTATION, READER or OUTPUT, the
 * last one after a complaint; NONE while all is well. */
static inline enum stop_reason capture_writer_get_stop(const struct capture_writer *save)
{
    return save->ending;
}

/* capture_writer_flush writes out what has gathered. To be called now and then. */
void capture_writer_flush(struct capture_writer *save);

/* capture_writer_reopen goes on in the file that has the name now, where that is another one than what is
 * written, as after it was renamed. */
void capture_writer_reopen(struct capture_writer *save);

/* capture_writer_close completes the last file and waits for the commands of -z. */
void capture_writer_close(struct capture_writer *save);

/* capture_writer_has_failed says whether something went wrong, other than a reader that went away. */
static inline bool capture_writer_has_failed(const struct capture_writer *save)
{
    return save->ending == STOP_OUTPUT || save->after.failed;
}

#endif
