/*
 * dist_stream.c - one direction of an established distribution connection (erl_dist_protocol,
 * "Protocol between connected nodes"): where its frames begin and end.
 *
 *     LENGTH:32 ...                 for the content see frames.c
 *
 * A frame that lies within the new data is decoded in place; any other frame is buffered until its
 * end comes. Bytes missing inside a frame cost only the end of that message. Bytes missing across
 * the end of a frame cost the framing and the whole atom cache; then the stream searches for the
 * next frame (resync.c).
 *
 * After a search the framing is in doubt until two messages have fitted: bytes that look like
 * frames may be the content of a binary. Until then nothing certain is inferred, and a frame that
 * makes no sense restarts the search. Framing that was never lost is not doubted: a bad frame that
 * is small, or complete, is reported and skipped.
 *
 * A length does not prove that so many bytes will come. The beginning of a long frame is checked,
 * and all that has come of it is checked again whenever it has grown by a factor of eight. If no
 * node reads such a frame, or its terms end before it does, the stream reports its beginning and
 * searches for the next frame from its second byte on. A frame that is legal so far is never
 * searched, however long it is: a node would wait for its end too, and its content may look like
 * frames. A credit that grows with the bytes received pays for these checks.
 */
#include "dist/dist_stream.h"

#include "conn/stream_buffer.h"
#include "dist/flags.h"
#include "dist/frames.h"
#include "dist/resync.h"

#include <stdlib.h>

enum {
    DOUBT_MESSAGES = 2,         /* that must fit after a search */
    DOUBT_LEN = 1024,           /* bytes of a doubted frame that are checked */
    OVERSIZED_LEN = 512 * 1024, /* bytes kept of a frame that is larger than allowed */
    BEGINNING_LEN = 6,          /* the length and type of a frame */
    SMALL_LEN = 64,             /* smaller frames are skipped whole, whatever their content */
    FIRST_LOOK_LEN = 2 * 1024,
    LAST_LOOK_LEN = 128 * 1024,
    LOOK_GROWTH = 8,
    CREDIT_PER_BYTE = 8,
    CREDIT_MAX = 16 * 1024 * 1024,
};

struct dist_stream {
    struct frames frames;
    bool searching;

    struct stream_buffer held; /* the unfinished frame; during a search, the window */
    uint64_t passed;        /* bytes of the unfinished frame so far, seen or missing */
    uint64_t frame_len;     /* its announced length, LENGTH included; 0 until known */
    uint64_t look;          /* value of passed at which to check it again; 0: never */
    uint64_t look_credit;   /* bytes that checks may cost */
    struct damage damage;   /* why held is incomplete */

    struct resync search;
    struct damage loss; /* the reason for the search */
    uint64_t lost;      /* bytes missing, or skipped by this search */
    uint64_t skipped;   /* of these, skipped since the last missing ones */
    uint64_t told;      /* of these, reported as the beginning of a frame */
};

static const struct damage NO_MEMORY = {DS_FAULT_CAP, "no memory to hold the message"};
static const struct damage TOO_LARGE = {DS_FAULT_CAP, "the message is larger than allowed"};
static const struct damage ENDED = {DS_FAULT_GAP, "the stream ended within the message"};
static const struct damage UNREADABLE = {DS_FAULT_MALFORMED,
                                         "skipped behind a frame that cannot be read"};
static const struct damage LATE = {DS_FAULT_JOINED_LATE, "the capture began after its beginning"};

static struct damage damage_of_gap(enum tcp_gap why)
{
    switch (why) {
    case TCP_GAP_SNAPLEN:
        return (struct damage){DS_FAULT_TRUNCATED, "cut by the snap length"};
    case TCP_GAP_CAP:
        return (struct damage){DS_FAULT_CAP, "dropped for lack of buffer"};
    case TCP_GAP_LOST:
        break;
    }
    return (struct damage){DS_FAULT_GAP, "packets are missing"};
}

struct dist_stream *dist_stream_new(struct dissect_ctx *env, struct conn *conn, int dir,
                                    bool joined_late)
{
    struct dist_stream *channel = calloc(1, sizeof *channel);
    if (channel == NULL)
        return NULL;
    /* A snapshot may lack fragments that nothing refers to any more. */
    const bool may_lack = joined_late || env->past != DS_SNAPSHOT_NONE;
    frames_init(&channel->frames, env, conn, dir, may_lack ? LATE : (struct damage){0});
    channel->searching = joined_late;
    channel->loss = LATE;
    return channel;
}

void dist_stream_use_latin1(struct dist_stream *channel)
{
    channel->frames.latin1 = true;
}

void dist_stream_agree(struct dist_stream *channel, uint64_t flags)
{
    const bool has_atoms = (flags & FLAG_MASK(DIST_HDR_ATOM_CACHE)) != 0;
    const bool has_fragments = (flags & FLAG_MASK(FRAGMENTS)) != 0;
    channel->frames.headed = has_atoms || has_fragments;
    channel->frames.unread = (uint8_t)((channel->frames.headed ? 0 : FRAME_HAS_HEADER) |
                                       (has_atoms ? 0 : FRAME_HAS_ATOMS) |
                                       (has_fragments ? 0 : FRAME_IS_FRAGMENT));
}

void dist_stream_free(struct dist_stream *channel)
{
    if (channel == NULL)
        return;
    frames_free(&channel->frames);
    stream_buffer_free(&channel->held, channel->frames.env);
    free(channel);
}

/* emit_gap reports the bytes lost up to here, if any. */
static void emit_gap(struct dist_stream *channel)
{
    struct ds_event event = {
        .type = DS_EVENT_GAP,
        .dir = channel->frames.dir,
        .fault = {.kind = channel->loss.kind, .what = channel->loss.what},
        .gap = {.bytes = channel->lost > channel->told ? channel->lost - channel->told : 0,
                .messages = -1},
    };
    frames_miss(&channel->frames, channel->lost);
    channel->lost = channel->told = 0;
    if (event.gap.bytes != 0)
        env_emit(channel->frames.env, channel->frames.conn, &event);
}

/* begin_search records the loss of the framing and of lost bytes, and starts a search. */
static void begin_search(struct dist_stream *channel, uint64_t lost, struct damage loss)
{
    frames_on_loss(&channel->frames, loss);
    channel->searching = true;
    channel->search = (struct resync){0};
    channel->loss = loss;
    channel->lost = lost;
    channel->skipped = channel->told = 0;
    channel->passed = channel->frame_len = channel->look = 0;
    channel->damage = (struct damage){0};
}

/* reject searches on from the second byte of a supposed frame. */
static void reject(struct dist_stream *channel, struct damage loss)
{
    begin_search(channel, 1, loss);
    channel->skipped = 1;
}

/* give_up reports a frame that begins with these bytes as unreadable, and rejects it. */
static void give_up(struct dist_stream *channel, struct cursor bytes)
{
    const bool has_length = resync_begins_frame(cursor_first(bytes, FRAME_LENGTH_LEN));
    const struct cursor beginning =
        cursor_first(bytes, has_length ? BEGINNING_LEN : FRAME_LENGTH_LEN);
    const char *what = !has_length                   ? "a length that no node accepts"
                       : !resync_begins_frame(bytes) ? "unknown type of frame"
                                                     : "its length does not match its content";
    if (channel->passed == 0)
        channel->frames.began_ns = channel->frames.conn->tcp->now_ns;
    frames_abandon(&channel->frames, beginning, what);
    reject(channel, UNREADABLE);
    channel->told = cursor_left(&beginning);
}

/* skip counts bytes in which no frame begins. */
static void skip(struct dist_stream *channel, uint64_t len)
{
    channel->lost += len;
    channel->skipped += len;
}

static void end_search(struct dist_stream *channel)
{
    emit_gap(channel);
    channel->searching = false;
    channel->frames.doubt = DOUBT_MESSAGES;
    channel->frames.is_next = channel->skipped == 0;
}

/* kept_len returns how many bytes of a frame are kept. */
static uint64_t kept_len(const struct dist_stream *channel, uint64_t frame_len)
{
    uint64_t max = channel->frames.env->config.limits[DS_LIMIT_MESSAGE];
    if (frame_len <= max)
        return frame_len;
    return max < OVERSIZED_LEN ? max : OVERSIZED_LEN;
}

/* keep buffers bytes of the unfinished frame. False only if its length is not known yet and cannot
 * be buffered: then the framing is lost. */
static bool keep(struct dist_stream *channel, struct cursor bytes)
{
    uint64_t room = cursor_left(&bytes);
    if (channel->frame_len != 0)
        room = kept_len(channel, channel->frame_len) - channel->held.len;
    struct cursor kept = bytes;
    if (channel->passed == 0)
        channel->frames.began_ns = channel->frames.conn->tcp->now_ns;
    channel->passed += cursor_left(&bytes);
    if (channel->damage.kind != DS_FAULT_NONE)
        return true;
    if (cursor_left(&bytes) > room) {
        channel->frames.env->stats.limits_hit[DS_LIMIT_MESSAGE]++;
        channel->damage = TOO_LARGE;
        if (!cursor_child(&bytes, (size_t)room, &kept))
            return true;
    }
    if (!stream_buffer_add(&channel->held, channel->frames.env, kept)) {
        if (channel->frame_len == 0) {
            begin_search(channel, channel->passed, NO_MEMORY);
            stream_buffer_free(&channel->held, channel->frames.env);
            return false;
        }
        channel->damage = NO_MEMORY;
    }
    return true;
}

static void finish_held(struct dist_stream *channel)
{
    /* Only bytes that came count as traffic, not the announced length. */
    frames_read(&channel->frames, stream_buffer_cursor(&channel->held), channel->passed,
                channel->damage);
    stream_buffer_free(&channel->held, channel->frames.env);
    channel->passed = channel->frame_len = channel->look = 0;
    channel->damage = (struct damage){0};
}

/* feed_frames decodes the frames that lie completely within data. */
static void feed_frames(struct dist_stream *channel, struct cursor *data)
{
    const uint64_t max = channel->frames.env->config.limits[DS_LIMIT_MESSAGE];
    for (;;) {
        struct cursor at = *data;
        struct cursor frame;
        uint32_t len;
        if (!cursor_read_u32(&at, &len))
            return;
        if (channel->frames.doubt != 0 && !resync_still_fits(cursor_first(*data, DOUBT_LEN))) {
            reject(channel, channel->loss);
            if (cursor_skip(data, 1))
                return;
        }
        if (len + (uint64_t)FRAME_LENGTH_LEN > SMALL_LEN && !resync_begins_frame(*data)) {
            give_up(channel, *data);
            if (cursor_skip(data, 1))
                return;
        }
        if (cursor_left(&at) < len || len + (uint64_t)FRAME_LENGTH_LEN > max ||
            !cursor_child(data, FRAME_LENGTH_LEN + (size_t)len, &frame))
            return;
        channel->frames.began_ns = channel->frames.conn->tcp->now_ns;
        frames_read(&channel->frames, frame, cursor_left(&frame), (struct damage){0});
    }
}

/* can_look says whether held contains all bytes so far of the current frame. */
static bool can_look(const struct dist_stream *channel)
{
    return channel->damage.kind == DS_FAULT_NONE && channel->frame_len > SMALL_LEN &&
           channel->held.len == channel->passed;
}

/* is_unreadable checks the part of a frame that has come. */
static bool is_unreadable(struct dist_stream *channel)
{
    const struct cursor held = stream_buffer_cursor(&channel->held);
    if (!can_look(channel))
        return false;
    if (channel->passed <= BEGINNING_LEN)
        return !resync_begins_frame(held);
    if (channel->look_credit < 2 * channel->passed)
        return false;
    channel->look_credit -= 2 * channel->passed;
    return !resync_is_legal(held);
}

/* look checks the beginning of the unfinished frame if enough of it has come. False: no node reads
 * the frame, and the search for the next one has begun. */
static bool look(struct dist_stream *channel)
{
    if (channel->passed != channel->look || channel->passed == channel->frame_len)
        return true;
    const bool is_bad = is_unreadable(channel);
    if (channel->passed == BEGINNING_LEN)
        channel->look = FIRST_LOOK_LEN;
    else
        channel->look = channel->look < LAST_LOOK_LEN ? channel->look * LOOK_GROWTH : 0;
    if (is_bad)
        give_up(channel, stream_buffer_cursor(&channel->held));
    return !is_bad;
}

/* feed_unfinished continues the unfinished frame. False if it turns out not to be a frame: then
 * search held from its second byte on. */
static bool feed_unfinished(struct dist_stream *channel, struct cursor *data)
{
    struct cursor more;
    uint64_t target = FRAME_LENGTH_LEN;
    if (channel->frame_len != 0) {
        target = channel->frame_len;
        if (channel->frames.doubt != 0 && channel->passed < DOUBT_LEN && target > DOUBT_LEN)
            target = DOUBT_LEN;
        if (channel->look > channel->passed && channel->look < target)
            target = channel->look;
    }
    uint64_t wanted = target - channel->passed;
    if (wanted > cursor_left(data))
        wanted = cursor_left(data);
    if (!cursor_child(data, (size_t)wanted, &more) || !keep(channel, more))
        return true;

    if (channel->frame_len == 0) {
        struct cursor head = stream_buffer_cursor(&channel->held);
        uint32_t len;
        if (!cursor_read_u32(&head, &len))
            return true;
        channel->frame_len = FRAME_LENGTH_LEN + (uint64_t)len;
        channel->look = channel->frame_len > SMALL_LEN ? BEGINNING_LEN : 0;
        if (channel->frames.doubt == 0 &&
            !resync_begins_frame(stream_buffer_cursor(&channel->held))) {
            give_up(channel, stream_buffer_cursor(&channel->held));
            return false;
        }
    }
    if (channel->frames.doubt != 0 && channel->passed <= DOUBT_LEN &&
        !resync_still_fits(stream_buffer_cursor(&channel->held))) {
        reject(channel, channel->loss);
        return false;
    }
    if (!look(channel))
        return false;
    if (channel->passed == channel->frame_len)
        finish_held(channel);
    return true;
}

/* feed_search continues the search. True if it found a frame, which now begins held: then feed
 * held. */
static bool feed_search(struct dist_stream *channel, struct cursor *data)
{
    struct dissect_ctx *env = channel->frames.env;
    size_t where;
    if (channel->held.len == 0) {
        enum proto_guess guess = resync_search(&channel->search, *data, false, &where);
        skip(channel, where);
        if (!cursor_skip(data, where))
            return false;
        if (guess == PROTO_YES) {
            end_search(channel);
            return false;
        }
        resync_cut(&channel->search, where);
        if (!stream_buffer_add(&channel->held, env, *data)) {
            skip(channel, cursor_left(data));
            channel->search = (struct resync){0};
        }
        data->at = data->end;
        return false;
    }

    struct cursor more;
    size_t room = 2 * RESYNC_WINDOW_LEN - channel->held.len;
    if (!cursor_child(data, cursor_left(data) < room ? cursor_left(data) : room, &more))
        return false;
    if (!stream_buffer_add(&channel->held, env, more)) {
        skip(channel, channel->held.len + cursor_left(&more));
        stream_buffer_free(&channel->held, env);
        channel->search = (struct resync){0};
        return false;
    }
    enum proto_guess guess =
        resync_search(&channel->search, stream_buffer_cursor(&channel->held), false, &where);
    /* Moving the rest costs no more than the bytes skipped. */
    if (guess == PROTO_YES || where >= channel->held.len / 2) {
        skip(channel, where);
        stream_buffer_drop(&channel->held, where);
        resync_cut(&channel->search, where);
    }
    if (guess != PROTO_YES)
        return false;
    end_search(channel);
    return true;
}

/* feed processes data. The buffered bytes may have to be processed again, as frames or in a search:
 * then they come first, and the rest of data after them. If data is itself this buffered part, the
 * bytes in held are the ones directly before data, and data moves back instead. */
static __attribute__((noinline)) void feed(struct dist_stream *channel, struct cursor data)
{
    struct stream_buffer again = {0};
    struct cursor rest = cursor_make(NULL, 0);
    struct conn *conn = channel->frames.conn;
    conn->rest = &data;
    conn->rest_dir = channel->frames.dir;
    conn->behind = &rest;
    bool is_again = false;
    for (;;) {
        if (cursor_left(&data) == 0) {
            stream_buffer_free(&again, channel->frames.env);
            is_again = false;
            if (cursor_left(&rest) == 0) {
                conn->rest = conn->behind = NULL;
                return;
            }
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
            }
        }
        if (anew && is_again) {
            data.at -= channel->held.len;
            stream_buffer_free(&channel->held, channel->frames.env);
            channel->search = (struct resync){0};
            if (!cursor_skip(&data, skipped))
                continue;
        } else if (anew) {
            rest = data;
            stream_buffer_free(&again, channel->frames.env);
            again = channel->held;
            channel->held = (struct stream_buffer){0};
            channel->search = (struct resync){0};
            data = stream_buffer_cursor(&again);
            is_again = true;
            if (!cursor_skip(&data, skipped))
                continue;
        }
    }
}

void dist_stream_feed(struct dist_stream *channel, struct cursor data)
{
    struct conn *conn = channel->frames.conn;
    conn->rest = &data;
    conn->rest_dir = channel->frames.dir;
    if (!channel->searching && channel->passed == 0)
        feed_frames(channel, &data); /* that processes everything, nearly always */
    if (cursor_left(&data) != 0) {
        channel->look_credit += CREDIT_PER_BYTE * cursor_left(&data);
        if (channel->look_credit > CREDIT_MAX)
            channel->look_credit = CREDIT_MAX;
        feed(channel, data);
    }
    conn->rest = NULL;
}

/* settle completes a search with the bytes that have come. */
static void settle(struct dist_stream *channel)
{
    while (channel->searching && channel->held.len != 0) {
        size_t where;
        struct stream_buffer window = channel->held;
        enum proto_guess guess =
            resync_search(&channel->search, stream_buffer_cursor(&window), true, &where);
        channel->held = (struct stream_buffer){0};
        channel->search = (struct resync){0};
        if (guess == PROTO_YES) {
            struct cursor data = stream_buffer_cursor(&window);
            skip(channel, where);
            end_search(channel);
            if (cursor_skip(&data, where))
                feed(channel, data);
        } else {
            skip(channel, window.len);
        }
        stream_buffer_free(&window, channel->frames.env);
    }
}

/* settle_frame decides, before missing bytes, what the current frame is, and completes a search. */
static void settle_frame(struct dist_stream *channel)
{
    settle(channel);
    while (!channel->searching && channel->passed != 0 && is_unreadable(channel)) {
        struct stream_buffer held = channel->held;
        struct cursor data = stream_buffer_cursor(&held);
        channel->held = (struct stream_buffer){0};
        give_up(channel, data);
        if (cursor_skip(&data, 1))
            feed(channel, data);
        stream_buffer_free(&held, channel->frames.env);
        settle(channel);
    }
}

void dist_stream_gap(struct dist_stream *channel, uint64_t len, enum tcp_gap why)
{
    struct damage damage = damage_of_gap(why);
    settle_frame(channel);
    if (channel->searching) {
        channel->lost += len;
        channel->skipped = 0;
        if ((channel->loss.kind == DS_FAULT_JOINED_LATE && channel->lost == len) ||
            channel->loss.kind == DS_FAULT_MALFORMED)
            channel->loss = damage;
        return;
    }
    if (channel->frame_len == 0) {
        uint64_t lost = channel->passed + len;
        stream_buffer_free(&channel->held, channel->frames.env);
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

void dist_stream_read_alone(struct dist_stream *channel, struct cursor frame)
{
    frames_read(&channel->frames, frame, cursor_left(&frame), (struct damage){0});
}

void dist_stream_end(struct dist_stream *channel)
{
    settle_frame(channel);
    if (channel->searching) {
        emit_gap(channel);
    } else if (channel->frame_len != 0) {
        if (channel->damage.kind == DS_FAULT_NONE)
            channel->damage = ENDED;
        finish_held(channel);
    } else if (channel->passed != 0) {
        channel->lost = channel->passed;
        channel->loss = ENDED;
        stream_buffer_free(&channel->held, channel->frames.env);
        channel->passed = 0;
        emit_gap(channel);
    }
    frames_end(&channel->frames, ENDED);
}

bool dist_stream_is_inside(const struct dist_stream *channel)
{
    return channel->searching || channel->frame_len != 0 || channel->passed != 0;
}

void dist_stream_progress(const struct dist_stream *channel, uint64_t *size, uint64_t *passed)
{
    if (channel->searching || channel->frame_len == 0)
        return;
    *size = channel->frame_len;
    *passed = channel->passed;
}

struct decoder_state_rest dist_stream_get_rest(const struct dist_stream *channel)
{
    return (struct decoder_state_rest){
        .kind = DS_SNAPSHOT_FRAMES,
        .atoms = &channel->frames.atoms,
        .bytes = stream_buffer_cursor(&channel->held),
        .lost_before = channel->searching,
        .lost_after = !channel->searching && channel->passed > channel->held.len
                          ? channel->passed - channel->held.len
                          : 0,
    };
}

enum proto_guess dist_stream_probe(struct cursor bytes, size_t *skip)
{
    struct resync search = {0};
    enum proto_guess guess = resync_search(&search, bytes, false, skip);
    if (guess == PROTO_MORE && search.enough == 0 && cursor_left(&bytes) >= RESYNC_WINDOW_LEN)
        return PROTO_NO;
    return guess;
}
