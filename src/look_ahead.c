/*
 * look_ahead.c - see look_ahead.h. Whether a second reading pays is known from the first packets:
 * a connection that was up before the capture began is there soon, or hardly matters.
 */
#include "look_ahead.h"

#include "complain.h"

enum { LOOK_PACKETS = 1000 }; /* in which a connection must have been joined late */

struct look {
    struct ds_session *session;
    uint64_t num_packets;
    bool joined_late;
};

static void on_event(void *context, const struct ds_event *event)
{
    struct look *look = context;
    look->joined_late = look->joined_late || (event->type == DS_EVENT_CONN &&
                                              event->change.state == DS_CONN_JOINED_LATE);
}

static bool look_at(void *context, const struct ds_packet *packet)
{
    struct look *look = context;
    if (packet->frame == 1)
        look->num_packets = 0; /* the next file */
    ds_session_packet(look->session, packet);
    return ++look->num_packets < LOOK_PACKETS || look->joined_late;
}

bool look_ahead(struct capture *capture, const struct ds_config *config)
{
    struct ds_config quiet = *config;
    struct look look = {0};
    if (capture->is_live || config->atom_memory == NULL)
        return true;
    quiet.on_event = on_event;
    quiet.on_port = NULL;
    quiet.on_all_known = NULL;
    quiet.context = &look;
    quiet.raw = quiet.remember = false;
    look.session = ds_session_new(&quiet);
    if (look.session == NULL) {
        complain("out of memory");
        return false;
    }
    const bool ok = capture_look_through(capture, look_at, &look);
    ds_session_end(look.session);
    ds_session_free(look.session);
    return ok;
}
