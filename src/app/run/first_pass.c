/*
 * first_pass.c - see first_pass.h. The first packets show whether a second reading pays:
 * connections that were up before the capture began, or missing packets, appear early, or hardly
 * matter. If TCP alone shows that nothing is missing, nothing is decoded for this.
 */
#include "app/run/first_pass.h"

#include "core/complain.h"

enum {
    GLANCE_PACKETS = 200, /* something must be missing in these, according to TCP */
    LOOK_PACKETS = 1000,  /* and in these, according to their contents */
};

struct look {
    struct ds_tcp_peek *peek;
    struct ds_session *session;
    uint64_t num_packets;
    bool is_missing;
};

static bool glance_at(void *context, const struct ds_packet *packet)
{
    struct look *look = context;
    look->is_missing = look->is_missing || ds_tcp_peek_packet(look->peek, packet);
    return packet->frame < GLANCE_PACKETS && !look->is_missing;
}

static void on_event(void *context, const struct ds_event *event)
{
    struct look *look = context;
    look->is_missing = look->is_missing || event->type == DS_EVENT_GAP ||
                       (event->type == DS_EVENT_CONN &&
                        event->change.state == DS_CONN_JOINED_LATE);
}

static bool look_at(void *context, const struct ds_packet *packet)
{
    struct look *look = context;
    if (packet->frame == 1)
        look->num_packets = 0; /* the next file */
    ds_session_packet(look->session, packet);
    return ++look->num_packets < LOOK_PACKETS || look->is_missing;
}

/* is_worth_it says whether something seems to be missing. *ok is false after a complaint. */
static bool is_worth_it(struct capture *capture, bool *ok)
{
    struct look look = {.peek = ds_tcp_peek_new()};
    if (look.peek == NULL)
        complain("out of memory");
    *ok = look.peek != NULL && capture_look_through(capture, glance_at, &look);
    ds_tcp_peek_free(look.peek);
    return *ok && look.is_missing;
}

bool first_pass_file(struct capture *capture, const struct ds_config *config,
                     struct ds_session **session, capture_look_fn look, void *context)
{
    struct ds_config quiet = *config;
    quiet.on_port = NULL;
    quiet.on_all_known = NULL;
    quiet.context = context;
    quiet.raw = quiet.remember = false;
    *session = ds_session_new(&quiet);
    if (*session == NULL) {
        complain("out of memory");
        return false;
    }
    const bool ok = capture_look_through(capture, look, context);
    ds_session_end(*session);
    ds_session_free(*session);
    return ok;
}

bool first_pass(struct capture *capture, const struct ds_config *config)
{
    struct ds_config learning = *config;
    struct look look = {0};
    bool ok = true;
    if (capture->is_live || config->atom_memory == NULL || !is_worth_it(capture, &ok))
        return ok;
    learning.on_event = on_event;
    learning.learn = learning.is_ahead = true;
    learning.keylog_notes = false;
    return first_pass_file(capture, &learning, &look.session, look_at, &look);
}
