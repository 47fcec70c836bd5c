/*
 * keeper_parts.h - what the keeper's parts share: keeper.c itself, keep_conns.c for -O and
 * keep_latest.c for --trigger.
 */
#ifndef SRC_KEEPER_PARTS_H
#define SRC_KEEPER_PARTS_H

#include "keep_conns.h"
#include "keep_latest.h"
#include "keeper.h"
#include "packet_store.h"
#include "past_order.h"
#include "raw_writer.h"

struct keeper {
    const struct options *options;
    const struct capture *capture;
    struct packet_store store;
    struct ds_session *past; /* gets what leaves the store unwanted */
    struct raw_writer writer;
    struct ds_buffer made;
    struct past_order order;
    enum ending_reason ending; /* NONE while all is well */
    bool is_at_end;            /* of what leaves the store, nothing stands for a past any more */
    uint64_t num_incomplete;   /* connections and files without their first packets */
    uint64_t no_memory;
    struct keep_conns conns;
    struct keep_latest latest;
};

/* keeper_open opens a file; see ending for how it went. */
void keeper_open(struct keeper *keeper, const char *name);

/* keeper_write writes a packet. */
void keeper_write(struct keeper *keeper, const struct ds_packet *packet);

/* keeper_write_past writes packets that stand for what has left the store: of one connection,
 * or of all that go on where ends is NULL. */
void keeper_write_past(struct keeper *keeper, const struct ds_endpoint *ends);

/* keeper_close completes the file that is open. */
void keeper_close(struct keeper *keeper);

#endif
