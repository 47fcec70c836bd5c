/*
 * channel.c - one direction of an established distribution connection (erl_dist_protocol,
 * "Protocol between connected nodes").
 *
 *     LENGTH:32 131 68|69|70 ...    a distribution header: see dist_header.c
 *     LENGTH:32 112 131 ...         pass through: see control.c
 *     0:32                          a tick
 *
 * A frame that lies within the bytes at hand is decoded where it is; one that does not is
 * held until its end comes. What is missing inside of a frame costs this message its end,
 * and the atom cache the slots that the missing part of the header may have overwritten.
 * What is missing across the end of a frame costs the framing and the whole cache; then the
 * next frame is searched for (resync.c).
 *
 * After a search the framing is doubted until two messages have fitted: bytes that look
 * like frames may be the contents of a binary. While in doubt nothing is inferred, and a
 * frame that makes no sense starts the search again. Framing that was never lost is not
 * doubted: a bad frame is reported and skipped.
 */
#include "channel.h"

#include "control.h"
#include "dist_header.h"
#include "fragments.h"
#include "hold.h"
#include "past.h"
#include "raw.h"
#include "resync.h"

#include <stdlib.h>

enum {
    LENGTH_LEN = 4,
    DOUBT_MESSAGES = 2,         /* to fit after a search */
    DOUBT_LEN = 1024,           /* bytes of a doubted frame that are looked at */
    OVERSIZED_LEN = 512 * 1024, /* held of a frame that is larger than allowed */
};

struct channel {
    struct env *env;
    struct conn *conn;
    uint8_t dir;
    bool latin1;
    bool searching;
    uint8_t doubt; /* messages that must fit yet */

    struct hold held;     /* the unfinished frame; when searching, the window */
    uint64_t passed;      /* bytes of the unfinished frame that went by, seen or not */
    uint64_t frame_len;   /* of it, LENGTH included; 0 until known */
    struct damage damage; /* why held does not go on */

    struct resync search;
    struct damage loss;  /* why it searches */
    uint64_t lost;       /* bytes missing, and skipped by this search */
    uint64_t lost_total; /* by all */

    struct atom_cache atoms;
    struct fragments fragments;
    struct damage orphan; /* why a further fragment may come without a first one */
    bool completed;       /* the frame at hand brought a message to its end */
};

static const struct damage NO_MEMORY = {DS_FAULT_CAP, "no memory to hold the message"};
static const struct damage TOO_LARGE = {DS_FAULT_CAP, "the message is larger than allowed"};
static const struct damage TOO_MANY = {DS_FAULT_CAP, "too many fragmented messages are open"};
static const struct damage ENDED = {DS_FAULT_GAP, "the stream ended within the message"};
static const struct damage MISSING_FRAGMENT = {DS_FAULT_GAP, "a fragment was not seen"};
static const struct damage WRONG_FRAGMENT = {DS_FAULT_MALFORMED, "a fragment was left out"};
static const struct damage UNFINISHED = {DS_FAULT_MALFORMED,
                                         "the message was not finished before the next"};
static const struct damage NO_FIRST = {DS_FAULT_MALFORMED, "the first fragment never came"};
static const struct damage FIRST_LOST = {DS_FAULT_GAP, "the first fragment was not seen"};
static const struct damage LATE = {DS_FAULT_JOINED_LATE, "the capture began after its beginning"};

static struct damage damage_of_gap(enum tcp_gap why)
{
    switch (why) {
    case TCP_GAP_CUT:
        return (struct damage){DS_FAULT_TRUNCATED, "cut by the snap length"};
    case TCP_GAP_CAP:
        return (struct damage){DS_FAULT_CAP, "dropped for lack of buffer"};
    case TCP_GAP_LOST:
        break;
    }
    return (struct damage){DS_FAULT_GAP, "packets are missing"};
}

struct channel *channel_new(struct env *env, struct conn *conn, int dir, bool joined_late)
{
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL)
        return NULL;
    channel->env = env;
    channel->conn = conn;
    channel->dir = (uint8_t)dir;
    channel->searching = joined_late;
    channel->loss = LATE;
    channel->orphan = joined_late ? LATE : NO_FIRST;
    return channel;
}

void channel_use_latin1(struct channel *channel)
{
    channel->latin1 = true;
}

void channel_free(struct channel *channel)
{
    if (channel == NULL)
        return;
    while (channel->fragments.oldest != NULL)
        fragments_close(&channel->fragments, channel->env, channel->fragments.oldest);
    atoms_free(&channel->atoms, channel->env);
    hold_free(&channel->held, channel->env);
    free(channel);
}

static void forget_atoms(struct channel *channel, unsigned mask)
{
    atoms_forget(&channel->atoms, channel->env, mask);
    past_forget_slots(channel->conn->past, channel->env, channel->dir, mask);
}

/* --- events --- */

/* begin_message prepares an event that says nothing yet. Not in one go: the event is large,
 * and there is one for each message. */
static void begin_message(const struct channel *channel, uint64_t size, uint32_t num_fragments,
                          struct ds_event *event)
{
    struct ds_message *message = &event->message;
    event->type = DS_EVENT_MESSAGE;
    event->dir = channel->dir;
    event->fault = (struct ds_fault){0};
    event->unknown_atoms = event->inferred_atoms = 0;
    event->bytes = NULL;
    event->bytes_len = 0;
    message->code = -1;
    message->op = NULL;
    message->control = message->payload = (struct ds_term){0};
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        message->role[role] = (struct ds_term){0};
    message->token.present = false;
    message->token.label = message->token.from = (struct ds_term){0};
    message->size = size;
    message->fragments = num_fragments;
}

static void emit_tick(struct channel *channel, struct cursor frame)
{
    struct ds_event event;
    event.type = DS_EVENT_TICK;
    event.dir = channel->dir;
    event.fault = (struct ds_fault){0};
    event.unknown_atoms = event.inferred_atoms = 0;
    event.bytes = frame.at;
    event.bytes_len = cursor_left(&frame);
    env_emit(channel->env, channel->conn, &event);
}

/* emit_gap tells what was lost up to here, if anything. */
static void emit_gap(struct channel *channel)
{
    struct ds_event event = {
        .type = DS_EVENT_GAP,
        .dir = channel->dir,
        .fault = {.kind = channel->loss.kind, .what = channel->loss.what},
        .gap = {.bytes = channel->lost, .messages = -1},
    };
    channel->lost_total += channel->lost;
    channel->lost = 0;
    if (event.gap.bytes != 0)
        env_emit(channel->env, channel->conn, &event);
}

/* emit_message emits the event of a message that the frame at hand brought to its end. */
static void emit_message(struct channel *channel, struct ds_event *event)
{
    channel->completed = true;
    env_emit(channel->env, channel->conn, event);
}

/* decode reads control message and payload and emits the event. */
static void decode(struct channel *channel, const struct control_source *source,
                   struct cursor *at, struct ds_atom *refs, struct ds_event *event)
{
    if (control_read(source, at, event)) {
        if (channel->doubt == 0)
            control_infer(source, channel->env, channel->conn, &channel->atoms, refs, event);
        control_read_payload(source, at, channel->env, event);
    }
    emit_message(channel, event);
}

/* --- fragments --- */

static void finish_fragmented(struct channel *channel, struct fragmented *message)
{
    struct ds_event event;
    struct cursor body = hold_cursor(&message->body);
    struct control_source source = {
        .atoms = {message->atoms, message->num_atoms},
        .damage = message->damage,
        .start = body,
        .base = message->body_offset,
    };
    begin_message(channel, message->size, message->num_fragments, &event);
    /* Who is who was learned when the first fragment came: slots have changed since. */
    if (cursor_left(&body) == 0)
        control_fault(&event, &source, &body, source.damage.kind, source.damage.what);
    else if (control_read(&source, &body, &event))
        control_read_payload(&source, &body, channel->env, &event);
    emit_message(channel, &event);
    past_finish(channel->conn->past, channel->env, channel->dir, message->sequence);
    fragments_close(&channel->fragments, channel->env, message);
}

static void give_up_fragmented(struct channel *channel, struct fragmented *message,
                               struct damage damage)
{
    if (message->damage.kind == DS_FAULT_NONE)
        message->damage = damage;
    finish_fragmented(channel, message);
}

/* make_room reports what a fragment puts an end to: a message of the same sequence, or the
 * oldest where there are too many. That comes before the header's atoms, which live no
 * longer than until the next event. */
static void make_room(struct channel *channel, const struct dist_header *header)
{
    uint64_t max = channel->env->config.limits[DS_LIMIT_FRAGMENTED];
    struct fragmented *message = fragments_find(&channel->fragments, header->sequence);
    if (message != NULL) {
        if (header->type == HEADER_FIRST)
            give_up_fragmented(channel, message,
                               message->lost_before != channel->lost_total ? MISSING_FRAGMENT
                                                                           : UNFINISHED);
        return;
    }
    while (channel->fragments.num != 0 && channel->fragments.num >= max) {
        channel->env->stats.limits_hit[DS_LIMIT_FRAGMENTED]++;
        give_up_fragmented(channel, channel->fragments.oldest, TOO_MANY);
        channel->orphan = TOO_MANY;
    }
}

static struct fragmented *open_fragmented(struct channel *channel,
                                          const struct dist_header *header)
{
    return fragments_open(&channel->fragments, channel->env, header->sequence, header->refs,
                          header->num_refs);
}

static void add_fragment(struct channel *channel, struct fragmented *message,
                         const struct dist_header *header, struct cursor bytes, uint64_t len,
                         struct damage damage)
{
    message->size += len;
    message->num_fragments++;
    message->next = header->fragment - 1;
    message->lost_before = channel->lost_total;
    fragments_add(&channel->fragments, channel->env, message, bytes,
                  channel->env->config.limits[DS_LIMIT_MESSAGE]);
    if (message->damage.kind == DS_FAULT_NONE)
        message->damage = damage;
    if (header->fragment == 1)
        finish_fragmented(channel, message);
}

/* take_first takes the first fragment of several. */
static void take_first(struct channel *channel, struct dist_header *header,
                       const struct control_source *source, struct cursor at, uint64_t len)
{
    struct ds_event event;
    struct cursor control = at;
    begin_message(channel, len, 1, &event);
    if (channel->doubt == 0 && control_read(source, &control, &event))
        control_infer(source, channel->env, channel->conn, &channel->atoms, header->refs, &event);

    struct fragmented *message = open_fragmented(channel, header);
    if (message == NULL) {
        struct control_source alone = *source;
        if (alone.damage.kind == DS_FAULT_NONE)
            alone.damage = NO_MEMORY;
        channel->orphan = NO_MEMORY;
        begin_message(channel, len, 1, &event);
        decode(channel, &alone, &at, header->refs, &event);
        return;
    }
    message->body_offset = source->base + cursor_offset(&at, &source->start);
    message->first_len = len;
    add_fragment(channel, message, header, at, len, source->damage);
}

static void take_further(struct channel *channel, const struct dist_header *header,
                         struct cursor at, uint64_t len, struct damage damage)
{
    struct fragmented *message = fragments_find(&channel->fragments, header->sequence);
    if (message == NULL) {
        message = open_fragmented(channel, header);
        if (message == NULL) {
            struct ds_event event;
            begin_message(channel, len, 1, &event);
            event.fault = (struct ds_fault){NO_MEMORY.kind, LENGTH_LEN, NO_MEMORY.what};
            emit_message(channel, &event);
            return;
        }
        message->damage = channel->orphan;
    } else if (message->damage.kind == DS_FAULT_NONE) {
        /* Bytes were lost that could have held a whole fragment: then this one may belong
         * to a later message of the same sender, even if its number fits. */
        uint64_t lost = channel->lost_total - message->lost_before;
        if (lost != 0 && (lost >= message->first_len || message->next != header->fragment))
            message->damage = MISSING_FRAGMENT;
        else if (message->next != header->fragment)
            message->damage = WRONG_FRAGMENT;
    }
    add_fragment(channel, message, header, at, len, damage);
}

/* --- frames --- */

static enum ds_frame_kind kind_of(uint8_t type)
{
    return type == HEADER_PLAIN     ? DS_FRAME_MESSAGE
           : type == HEADER_FIRST   ? DS_FRAME_FIRST
           : type == HEADER_FURTHER ? DS_FRAME_FURTHER
                                    : DS_FRAME_UNKNOWN;
}

/* take_headed takes a frame that begins with 131. */
static void take_headed(struct channel *channel, struct control_source *source,
                        struct cursor *at, uint64_t len, struct ds_event *event,
                        struct ds_frame *sent)
{
    struct dist_header header;
    const char *what = NULL;
    enum header_status status = dist_header_read(at, &header, &what);
    if (header.fragment != 0)
        make_room(channel, &header);
    channel->completed = false; /* what made room is not of this frame */
    sent->kind = kind_of(header.type);
    sent->sequence = header.sequence;
    sent->fragment = header.fragment;
    past_add_frame(channel->conn->past, channel->env, channel->conn->tcp->now_ns, channel->dir,
                   source->start, len, &header);
    dist_header_apply(&header, &channel->atoms, channel->env, channel->latin1);
    if (status != HEADER_OK) {
        forget_atoms(channel, header.at_risk);
        if (status == HEADER_MALFORMED || source->damage.kind == DS_FAULT_NONE)
            source->damage = (struct damage){
                DS_FAULT_MALFORMED, what != NULL ? what : "the frame ends within its header"};
        at->end = at->at;
        header.num_refs = 0; /* their texts may be gone, and nothing follows to use them */
        if (header.type == HEADER_PLAIN || header.fragment == 0) {
            channel->lost_total += len;
            channel->orphan = FIRST_LOST;
            control_fault(event, source, at, source->damage.kind, source->damage.what);
            emit_message(channel, event);
            return;
        }
    }
    source->atoms = (struct term_env){header.refs, header.num_refs};
    if (header.type == HEADER_FURTHER)
        take_further(channel, &header, *at, len, source->damage);
    else if (header.type == HEADER_FIRST && header.fragment != 1)
        take_first(channel, &header, source, *at, len);
    else
        decode(channel, source, at, header.refs, event);
}

/* take_whole takes a frame that is no tick: see take_frame. */
static void take_whole(struct channel *channel, struct cursor frame, uint64_t len,
                       struct damage damage, struct ds_frame *sent)
{
    struct ds_event event;
    struct control_source source = {.damage = damage, .start = frame};
    struct cursor at = frame;
    uint8_t first = 0;
    begin_message(channel, len, 1, &event);
    event.bytes = frame.at;
    event.bytes_len = cursor_left(&frame);
    if (channel->doubt != 0)
        channel->doubt--;
    if (!cursor_skip(&at, LENGTH_LEN) || !cursor_peek_u8(&at, &first)) {
        /* Whatever it was, it may have changed the cache. */
        forget_atoms(channel, ATOM_ALL_SEGMENTS);
        channel->lost_total += len;
        channel->orphan = FIRST_LOST;
        control_fault(&event, &source, &at, damage.kind, damage.what);
        emit_message(channel, &event);
    } else if (first == TERM_VERSION) {
        take_headed(channel, &source, &at, len, &event, sent);
    } else if (first == FRAME_PASS_THROUGH) {
        sent->kind = DS_FRAME_PASS_THROUGH;
        source.pass_through = true;
        if (cursor_skip(&at, 1))
            decode(channel, &source, &at, NULL, &event);
    } else {
        control_fault(&event, &source, &at, DS_FAULT_MALFORMED, "unknown type of frame");
        emit_message(channel, &event);
    }
}

/* take_frame takes a frame of len bytes; of those, frame holds what was kept. */
static void take_frame(struct channel *channel, struct cursor frame, uint64_t len,
                       struct damage damage)
{
    struct ds_frame sent = {.kind = DS_FRAME_UNKNOWN, .size = len, .completes = true};
    channel->conn->view.counters[channel->dir].frames++;
    if (len == LENGTH_LEN) {
        sent.kind = DS_FRAME_TICK;
        emit_tick(channel, frame);
    } else {
        channel->completed = false;
        take_whole(channel, frame, len, damage, &sent);
        sent.completes = channel->completed;
    }
    const struct ds_fault fault = {damage.kind, cursor_left(&frame), damage.what};
    raw_emit_frame(channel->env, channel->conn, channel->dir, frame, sent, fault);
}

/* begin_search tells that the framing is lost, along with lost bytes. */
static void begin_search(struct channel *channel, uint64_t lost, struct damage loss)
{
    forget_atoms(channel, ATOM_ALL_SEGMENTS);
    channel->searching = true;
    channel->search = (struct resync){0};
    channel->loss = loss;
    channel->lost = lost;
    if (loss.kind != DS_FAULT_JOINED_LATE)
        channel->orphan = FIRST_LOST;
    channel->passed = channel->frame_len = 0;
    channel->damage = (struct damage){0};
    channel->doubt = 0;
}

static void end_search(struct channel *channel)
{
    emit_gap(channel);
    channel->searching = false;
    channel->doubt = DOUBT_MESSAGES;
}

/* kept_len returns how much of a frame is kept. */
static uint64_t kept_len(const struct channel *channel, uint64_t frame_len)
{
    uint64_t max = channel->env->config.limits[DS_LIMIT_MESSAGE];
    if (frame_len <= max)
        return frame_len;
    return max < OVERSIZED_LEN ? max : OVERSIZED_LEN;
}

/* keep holds bytes of the unfinished frame. False only when its length is not known yet
 * and cannot be held: the framing is lost. */
static bool keep(struct channel *channel, struct cursor bytes)
{
    uint64_t room = cursor_left(&bytes);
    if (channel->frame_len != 0)
        room = kept_len(channel, channel->frame_len) - channel->held.len;
    struct cursor kept = bytes;
    channel->passed += cursor_left(&bytes);
    if (channel->damage.kind != DS_FAULT_NONE)
        return true;
    if (cursor_left(&bytes) > room) {
        channel->env->stats.limits_hit[DS_LIMIT_MESSAGE]++;
        channel->damage = TOO_LARGE;
        if (!cursor_child(&bytes, (size_t)room, &kept))
            return true;
    }
    if (!hold_add(&channel->held, channel->env, kept)) {
        if (channel->frame_len == 0) {
            begin_search(channel, channel->passed, NO_MEMORY);
            hold_free(&channel->held, channel->env);
            return false;
        }
        channel->damage = NO_MEMORY;
    }
    return true;
}

static void finish_held(struct channel *channel)
{
    take_frame(channel, hold_cursor(&channel->held), channel->frame_len, channel->damage);
    hold_free(&channel->held, channel->env);
    channel->passed = channel->frame_len = 0;
    channel->damage = (struct damage){0};
}

/* --- the ways of the bytes --- */

/* feed_frames decodes the frames that lie within data. */
static void feed_frames(struct channel *channel, struct cursor *data)
{
    const uint64_t max = channel->env->config.limits[DS_LIMIT_MESSAGE];
    for (;;) {
        struct cursor at = *data;
        struct cursor frame;
        uint32_t len;
        if (!cursor_read_u32(&at, &len))
            return;
        if (channel->doubt != 0 && !resync_still_fits(cursor_first(*data, DOUBT_LEN))) {
            begin_search(channel, 1, channel->loss);
            if (cursor_skip(data, 1))
                return;
        }
        if (cursor_left(&at) < len || len + (uint64_t)LENGTH_LEN > max ||
            !cursor_child(data, LENGTH_LEN + (size_t)len, &frame))
            return;
        take_frame(channel, frame, cursor_left(&frame), (struct damage){0});
    }
}

/* feed_unfinished goes on with the frame that is held. Returns false when it turns out to
 * be none: then held is to be searched. */
static bool feed_unfinished(struct channel *channel, struct cursor *data)
{
    struct cursor more;
    uint64_t target = LENGTH_LEN;
    if (channel->frame_len != 0) {
        target = channel->frame_len;
        if (channel->doubt != 0 && channel->passed < DOUBT_LEN && target > DOUBT_LEN)
            target = DOUBT_LEN;
    }
    uint64_t wanted = target - channel->passed;
    if (wanted > cursor_left(data))
        wanted = cursor_left(data);
    if (!cursor_child(data, (size_t)wanted, &more) || !keep(channel, more))
        return true;

    if (channel->frame_len == 0) {
        struct cursor head = hold_cursor(&channel->held);
        uint32_t len;
        if (!cursor_read_u32(&head, &len))
            return true;
        channel->frame_len = LENGTH_LEN + (uint64_t)len;
    }
    if (channel->doubt != 0 && channel->passed <= DOUBT_LEN &&
        !resync_still_fits(hold_cursor(&channel->held)))
        return false;
    if (channel->passed == channel->frame_len)
        finish_held(channel);
    return true;
}

/* feed_search goes on searching. Returns true when a frame was found in held, where it now
 * begins: then held is to be fed. */
static bool feed_search(struct channel *channel, struct cursor *data)
{
    struct env *env = channel->env;
    size_t where;
    if (channel->held.len == 0) {
        enum proto_guess guess = resync_search(&channel->search, *data, false, &where);
        channel->lost += where;
        if (!cursor_skip(data, where))
            return false;
        if (guess == PROTO_YES) {
            end_search(channel);
            return false;
        }
        resync_cut(&channel->search, where);
        if (!hold_add(&channel->held, env, *data)) {
            channel->lost += cursor_left(data);
            channel->search = (struct resync){0};
        }
        data->at = data->end;
        return false;
    }

    struct cursor more;
    size_t room = 2 * RESYNC_WINDOW_LEN - channel->held.len;
    if (!cursor_child(data, cursor_left(data) < room ? cursor_left(data) : room, &more))
        return false;
    if (!hold_add(&channel->held, env, more)) {
        channel->lost += channel->held.len + cursor_left(&more);
        hold_free(&channel->held, env);
        channel->search = (struct resync){0};
        return false;
    }
    enum proto_guess guess =
        resync_search(&channel->search, hold_cursor(&channel->held), false, &where);
    /* Moving what is left costs no more than what went by. */
    if (guess == PROTO_YES || where >= channel->held.len / 2) {
        channel->lost += where;
        hold_drop(&channel->held, where);
        resync_cut(&channel->search, where);
    }
    if (guess != PROTO_YES)
        return false;
    end_search(channel);
    return true;
}

/* feed takes data. What is held may have to be taken anew, as frames or searched: it then
 * comes first, and the rest of data after it. That never happens while it is being taken
 * itself: what can be said of the bytes at hand is said before any of them is held. */
static void feed(struct channel *channel, struct cursor data)
{
    struct hold again = {0};
    struct cursor rest = cursor_make(NULL, 0);
    for (;;) {
        if (cursor_left(&data) == 0) {
            hold_free(&again, channel->env);
            if (cursor_left(&rest) == 0)
                return;
            data = rest;
            rest = cursor_make(NULL, 0);
        }
        bool anew = false;
        size_t skipped = 0;
        if (channel->searching) {
            anew = feed_search(channel, &data);
        } else {
            if (channel->passed == 0)
                feed_frames(channel, &data);
            if (!channel->searching && cursor_left(&data) != 0 &&
                !feed_unfinished(channel, &data)) {
                anew = true;
                skipped = 1;
                begin_search(channel, skipped, channel->loss);
            }
        }
        if (anew) {
            rest = data;
            hold_free(&again, channel->env);
            again = channel->held;
            channel->held = (struct hold){0};
            channel->search = (struct resync){0};
            data = hold_cursor(&again);
            if (!cursor_skip(&data, skipped))
                continue;
        }
    }
}

void channel_feed(struct channel *channel, struct cursor data)
{
    if (cursor_left(&data) != 0)
        feed(channel, data);
}

/* settle decides a search with what has come. */
static void settle(struct channel *channel)
{
    while (channel->searching && channel->held.len != 0) {
        size_t where;
        struct hold window = channel->held;
        enum proto_guess guess =
            resync_search(&channel->search, hold_cursor(&window), true, &where);
        channel->held = (struct hold){0};
        channel->search = (struct resync){0};
        if (guess == PROTO_YES) {
            struct cursor data = hold_cursor(&window);
            channel->lost += where;
            end_search(channel);
            if (cursor_skip(&data, where))
                feed(channel, data);
        } else {
            channel->lost += window.len;
        }
        hold_free(&window, channel->env);
    }
}

void channel_gap(struct channel *channel, uint64_t len, enum tcp_gap why)
{
    struct damage damage = damage_of_gap(why);
    settle(channel);
    if (channel->searching) {
        channel->lost += len;
        if (channel->loss.kind == DS_FAULT_JOINED_LATE && channel->lost == len)
            channel->loss = damage;
        return;
    }
    if (channel->frame_len == 0) {
        uint64_t lost = channel->passed + len;
        hold_free(&channel->held, channel->env);
        begin_search(channel, lost, damage);
        return;
    }
    uint64_t left = channel->frame_len - channel->passed;
    if (channel->damage.kind == DS_FAULT_NONE)
        channel->damage = damage;
    channel->passed += len < left ? len : left;
    if (channel->passed == channel->frame_len)
        finish_held(channel);
    if (len > left)
        begin_search(channel, len - left, damage);
}

void channel_end(struct channel *channel)
{
    settle(channel);
    if (channel->searching) {
        emit_gap(channel);
    } else if (channel->frame_len != 0) {
        if (channel->damage.kind == DS_FAULT_NONE)
            channel->damage = ENDED;
        finish_held(channel);
    } else if (channel->passed != 0) {
        channel->lost = channel->passed;
        channel->loss = ENDED;
        hold_free(&channel->held, channel->env);
        channel->passed = 0;
        emit_gap(channel);
    }
    while (channel->fragments.oldest != NULL)
        give_up_fragmented(channel, channel->fragments.oldest, ENDED);
}

struct past_rest channel_get_rest(const struct channel *channel)
{
    return (struct past_rest){
        .bytes = hold_cursor(&channel->held),
        .lost_before = channel->searching,
        .lost_after = !channel->searching && channel->passed > channel->held.len
                          ? channel->passed - channel->held.len
                          : 0,
    };
}

enum proto_guess channel_probe(struct cursor bytes, size_t *skip)
{
    struct resync search = {0};
    enum proto_guess guess = resync_search(&search, bytes, false, skip);
    if (guess == PROTO_MORE && search.enough == 0 && cursor_left(&bytes) >= RESYNC_WINDOW_LEN)
        return PROTO_NO;
    return guess;
}
