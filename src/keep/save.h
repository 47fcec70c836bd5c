/*
 * save.h - the packets of -w, in one file or, with -C and -G, in one after the other.
 */
#ifndef SRC_SAVE_H
#define SRC_SAVE_H

#include "after_file.h"
#include "keep_config.h"
#include "packet_notes.h"
#include "raw_writer.h"
#include "rotation.h"
#include "stop_reason.h"
#include "written_names.h"

struct save {
    const struct keep_config *config;
    const struct capture *capture;
    const struct ds_keylog *keylog; /* whose secrets go with it; NULL: none */
    struct packet_notes *notes; /* comments of packets; NULL: none */
    int64_t last_ns;            /* of the last packet, for those that belong to none */
    struct raw_writer writer; /* the current file */
    struct rotation rotation;
    struct written_names names; /* -G */
    struct after_file after;
    uint64_t num_files; /* complete */
    enum stop_reason ending;
    bool is_on; /* there is -w */
    char name[ROTATION_NAME_LEN];
};

/* save_init prepares for what the options ask. */
void save_init(struct save *save, const struct keep_config *config, const struct capture *capture);

/* save_open opens the first file, unless its name comes with the first packet (-G of a file
 * that is read: its own time counts). False after a complaint. */
bool save_open(struct save *save);

/* save_packet writes a packet, after opening the next file where that is due. False when
 * there is to be no next file: then the packet belongs to the run no more. With notes the packet is
 * written by save_decoded, once the session has taken it. */
bool save_packet(struct save *save, const struct ds_packet *packet);
void save_decoded(struct save *save, const struct ds_packet *packet);

/* save_get_stop says why nothing more is written: FILES or ROTATION, READER or OUTPUT, the
 * last one after a complaint; NONE while all is well. */
static inline enum stop_reason save_get_stop(const struct save *save)
{
    return save->ending;
}

/* save_flush writes out what has gathered. To be called now and then. */
void save_flush(struct save *save);

/* save_reopen goes on in the file that has the name now, where that is another one than what is
 * written, as after it was renamed. */
void save_reopen(struct save *save);

/* save_close completes the last file and waits for the commands of -z. */
void save_close(struct save *save);

/* save_has_failed says whether something went wrong, other than a reader that went away. */
static inline bool save_has_failed(const struct save *save)
{
    return save->ending == STOP_OUTPUT || save->after.failed;
}

#endif
