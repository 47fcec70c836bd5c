/*
 * resync.c - finds the next frame after a loss, or where a capture began late.
 *
 *     LENGTH:32 131 68 ...     LENGTH:32 131 69 ...     LENGTH:32 131 70 ...
 *     LENGTH:32 112 131 ...    0:32 (a tick)
 *
 * The search tries each place that begins like this. Ticks prove nothing and are skipped. It
 * accepts a whole message if header, control tuple (known op, right arity and types) and payload
 * fill the length exactly, and the bytes after it, if any, could begin a frame. A first fragment
 * has no recognizable end, so bytes that could be a frame must follow it; after a further fragment,
 * which is little more than two numbers, a frame other than a tick. The search waits for the end of
 * the first place that could be a frame, even if a later one is already complete: the content of a
 * message may look like frames. A place whose end is outside the window is accepted if its control
 * tuple is right.
 *
 * A credit that grows with the bytes received pays for the bytes walked, so the search is linear in
 * its input. A place that exceeds the credit is not a frame.
 */
#include "dist/resync.h"

#include "dist/control.h"
#include "dist/dist_header.h"

enum {
    MAX_FRAME_LEN = 1 << 30,
    MAX_FRAGMENT = 1 << 24,
    CREDIT_PER_BYTE = 16,
    CREDIT_FIRST = 64 * 1024,
    COST_OF_TRY = 16,
    TAG_COMPRESSED = 80,
};
/* A node closes a connection if the length plus its four bytes is not a positive int
 * (packet_parser.c). */
#define MAX_LEN_READ (UINT32_C(0x7fffffff) - 4)

static const struct damage NOT_ALL = {DS_FAULT_GAP, "more bytes are needed"};

/* place is a place being tried. */
struct place {
    struct cursor frame; /* from its length on, up to its end or that of the window */
    struct cursor after; /* the bytes after it */
    uint32_t len;        /* of the whole frame, its length field included */
    bool complete;
    bool final; /* the window does not grow any more */
};

/* could_begin says whether a frame could begin with these bytes: a plausible length and a type.
 * Fewer than 6 bytes pass unless they already rule it out. */
static bool could_begin(struct cursor bytes)
{
    uint32_t len;
    uint8_t first, second;
    if (!cursor_read_u32(&bytes, &len))
        return true;
    if (len == 0 || !cursor_read_u8(&bytes, &first))
        return len <= MAX_FRAME_LEN;
    if (len < 2 || len > MAX_FRAME_LEN || (first != TERM_VERSION && first != FRAME_PASS_THROUGH))
        return false;
    if (!cursor_read_u8(&bytes, &second))
        return true;
    return first == TERM_VERSION ? second >= HEADER_PLAIN && second <= HEADER_FURTHER
                                 : second == TERM_VERSION;
}

static bool spend(struct resync *search, uint64_t cost)
{
    if (search->credit < cost)
        return false;
    search->credit -= cost;
    return true;
}

/* unfinished is the verdict if the bytes so far end within the frame. */
static enum proto_guess unfinished(const struct place *place)
{
    return place->complete || place->final ? PROTO_NO : PROTO_MORE;
}

/* try_payload checks that the payload ends where the frame does. */
static enum proto_guess try_payload(struct resync *search, const struct place *place,
                                    const struct control_source *source, struct cursor at,
                                    bool has_payload)
{
    uint32_t unused = 0;
    uint8_t tag;
    if (!place->complete)
        return place->final ? PROTO_YES : PROTO_MORE;
    if (has_payload) {
        if (!spend(search, cursor_left(&at)))
            return PROTO_NO;
        if (source->pass_through && (!cursor_read_u8(&at, &tag) || tag != TERM_VERSION))
            return PROTO_NO;
        if (term_check(&at, &source->atoms, &unused, &unused, NULL) != TERM_OK)
            return PROTO_NO;
    }
    if (cursor_left(&at) != 0 || !could_begin(place->after))
        return PROTO_NO;
    return PROTO_YES;
}

/* try_next checks the bytes after a fragment. */
static enum proto_guess try_next(const struct place *place, bool tick_will_do)
{
    struct cursor after = place->after;
    uint32_t len;
    if (!place->complete)
        return place->final ? (tick_will_do ? PROTO_YES : PROTO_NO) : PROTO_MORE;
    if (!could_begin(after))
        return PROTO_NO;
    if (cursor_left(&after) < 6)
        return place->final ? (tick_will_do ? PROTO_YES : PROTO_NO) : PROTO_MORE;
    if (!cursor_read_u32(&after, &len) || (len == 0 && !tick_will_do))
        return PROTO_NO;
    return PROTO_YES;
}

static enum proto_guess try_place(struct resync *search, const struct place *place)
{
    struct dist_header header;
    struct control_source source = {
        .damage = place->complete ? (struct damage){0} : NOT_ALL,
        .start = place->frame,
    };
    struct cursor at = place->frame;
    bool has_payload = false;
    uint8_t first;
    const char *what;
    if (search->credit < COST_OF_TRY + HEADER_MAX_REFS || !spend(search, COST_OF_TRY) ||
        !cursor_skip(&at, 4) || !cursor_peek_u8(&at, &first))
        return PROTO_NO;
    source.pass_through = first == FRAME_PASS_THROUGH;
    if (source.pass_through) {
        if (!cursor_skip(&at, 1))
            return PROTO_NO;
    } else {
        enum header_status status = dist_header_read(&at, &header, &what);
        if (!spend(search, header.num_refs) || status == HEADER_MALFORMED ||
            header.fragment > MAX_FRAGMENT)
            return PROTO_NO;
        if (status == HEADER_CUT)
            return unfinished(place);
        if (header.type == HEADER_FURTHER)
            return try_next(place, false);
        source.atoms = (struct term_env){header.refs, header.num_refs};
    }

    struct cursor control = at;
    bool limited = search->credit < cursor_left(&control);
    if (limited)
        control = cursor_first(control, (size_t)search->credit);
    struct cursor start = control;
    enum proto_guess guess = control_plausible(&source, &control, &has_payload);
    size_t control_len = cursor_offset(&control, &start);
    if (!spend(search, control_len) || !cursor_skip(&at, control_len))
        return PROTO_NO;
    if (guess == PROTO_MORE && !limited)
        return unfinished(place);
    if (guess != PROTO_YES)
        return PROTO_NO;
    if (!source.pass_through && header.type == HEADER_FIRST)
        return has_payload ? try_next(place, true) : PROTO_NO;
    return try_payload(search, place, &source, at, has_payload);
}

/* place_at creates the place at an offset; false if no frame can begin there. */
static bool place_at(struct cursor window, size_t offset, bool final, struct place *place)
{
    if (!cursor_skip(&window, offset))
        return false;
    struct cursor at = window;
    uint32_t len;
    if (!could_begin(window) || !cursor_read_u32(&at, &len) || len < 2)
        return false;
    place->len = len + 4;
    place->complete = cursor_left(&window) >= place->len;
    /* If the window is full, decide as if no more bytes came. */
    place->final = final || cursor_left(&window) >= RESYNC_WINDOW_LEN;
    if (place->complete)
        return cursor_child(&window, place->len, &place->frame) && (place->after = window, true);
    place->frame = window;
    place->after = (struct cursor){window.end, window.end};
    return true;
}

/* enough_for returns the window length at which to try a place again: up to the end of the frame
 * and the beginning of the next. If perhaps only the control tuple is incomplete, sooner: half as
 * much again each time. */
static size_t enough_for(const struct place *place, size_t offset)
{
    size_t have = cursor_left(&place->frame) + cursor_left(&place->after);
    size_t want = have + have / 2 + 16;
    size_t whole = (size_t)place->len + (place->complete ? 6 : 0);
    if (want > whole)
        want = whole;
    if (want > RESYNC_WINDOW_LEN)
        want = RESYNC_WINDOW_LEN;
    return offset + want;
}

enum proto_guess resync_search(struct resync *search, struct cursor window, bool final, size_t *where)
{
    size_t len = cursor_left(&window);
    if (search->paid == 0 && search->credit == 0)
        search->credit = CREDIT_FIRST;
    if (len > search->paid) {
        search->credit += (len - search->paid) * CREDIT_PER_BYTE;
        search->paid = len;
    }
    *where = search->tried;
    if (!final && len < search->enough)
        return PROTO_MORE;

    for (;;) {
        /* Every frame has a 131: the fifth byte, or after 112 the sixth. */
        struct cursor at = window;
        struct place place;
        if (!cursor_skip(&at, search->tried) || !cursor_skip(&at, 4) ||
            !cursor_find(&at, TERM_VERSION))
            break;
        size_t last = cursor_offset(&at, &window) - 4;
        for (size_t i = last > search->tried ? last - 1 : last; i <= last; i++) {
            enum proto_guess guess = PROTO_NO;
            if (place_at(window, i, final, &place))
                guess = try_place(search, &place);
            if (guess == PROTO_NO)
                continue;
            *where = search->tried = i;
            search->enough = guess == PROTO_MORE ? enough_for(&place, i) : 0;
            return guess;
        }
        search->tried = last + 1;
    }
    /* The rest is too short to begin a frame: the type has not come yet. */
    size_t left = len - search->tried;
    if (left > 5)
        search->tried = len - 5;
    search->enough = 0;
    *where = search->tried;
    return final ? PROTO_NO : PROTO_MORE;
}

bool resync_still_fits(struct cursor bytes)
{
    struct dist_header header;
    struct control_source source = {.start = bytes};
    struct ds_event event = {0};
    struct cursor at = bytes;
    uint32_t len;
    uint8_t first;
    const char *what;
    if (!could_begin(bytes))
        return false;
    if (!cursor_read_u32(&at, &len))
        return true;
    if (cursor_left(&at) < len)
        source.damage = NOT_ALL;
    at = cursor_first(at, len);
    if (!cursor_peek_u8(&at, &first))
        return true;
    if (first == FRAME_PASS_THROUGH) {
        source.pass_through = true;
        if (!cursor_skip(&at, 1))
            return false;
    } else {
        enum header_status status = dist_header_read(&at, &header, &what);
        if (status == HEADER_CUT)
            return source.damage.kind != DS_FAULT_NONE;
        if (status == HEADER_MALFORMED || header.type == HEADER_FURTHER)
            return status == HEADER_OK;
        source.atoms = (struct term_env){header.refs, header.num_refs};
    }
    control_read(&source, &at, &event);
    return event.fault.kind != DS_FAULT_MALFORMED;
}

bool resync_begins_frame(struct cursor bytes)
{
    uint32_t len;
    uint16_t type;
    if (!cursor_read_u32(&bytes, &len))
        return true;
    if (len > MAX_LEN_READ)
        return false;
    return len < 2 || !cursor_read_u16(&bytes, &type) ||
           (type >= (TERM_VERSION << 8 | HEADER_PLAIN) &&
            type <= (TERM_VERSION << 8 | HEADER_FURTHER)) ||
           type == (FRAME_PASS_THROUGH << 8 | TERM_VERSION);
}

bool resync_is_legal(struct cursor bytes)
{
    struct dist_header header = {.type = HEADER_PLAIN};
    struct control_source source = {.damage = NOT_ALL, .start = bytes};
    struct cursor at = bytes;
    uint32_t unused = 0;
    struct ds_event event = {0};
    uint8_t first, tag;
    const char *what;
    if (!resync_begins_frame(bytes))
        return false;
    if (!cursor_skip(&at, 4) || !cursor_read_u8(&at, &first))
        return true;
    source.pass_through = first == FRAME_PASS_THROUGH;
    if (!source.pass_through) {
        at.at--;
        enum header_status status = dist_header_read(&at, &header, &what);
        if (status != HEADER_OK || header.type == HEADER_FURTHER)
            return status != HEADER_MALFORMED;
        source.atoms = (struct term_env){header.refs, header.num_refs};
    }
    const bool is_whole = control_read(&source, &at, &event);
    if (event.fault.kind == DS_FAULT_MALFORMED)
        return false;
    if (!is_whole || event.message.op == NULL || header.type == HEADER_FIRST)
        return true; /* as far as can be known */
    if (!event.message.op->has_payload)
        return false;
    if (source.pass_through && cursor_read_u8(&at, &tag) && tag != TERM_VERSION)
        return false;
    if (cursor_peek_u8(&at, &tag) && tag == TAG_COMPRESSED)
        return true;
    return term_check(&at, &source.atoms, &unused, &unused, NULL) == TERM_CUT;
}

void resync_cut(struct resync *search, size_t len)
{
    search->tried -= len < search->tried ? len : search->tried;
    search->enough -= len < search->enough ? len : search->enough;
    search->paid -= len < search->paid ? len : search->paid;
}
