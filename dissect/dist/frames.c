/*
 * frames.c - see frames.h.
 *
 *     LENGTH:32 131 68|69|70 ...    a distribution header: see dist_header.c
 *     LENGTH:32 112 131 ...         pass through: see control.c
 *     0:32                          a tick
 */
#include "dist/frames.h"

#include "dist/control.h"
#include "dist/dist_header.h"
#include "dist/infer.h"
#include "dist/decoder_state.h"
#include "dist/raw.h"
#include "dist/socket_places.h"

#include <string.h>

static const struct damage NO_MEMORY = {DS_FAULT_CAP, "no memory to hold the message"};
static const struct damage TOO_MANY = {DS_FAULT_CAP, "too many fragmented messages are open"};
static const struct damage MISSING_FRAGMENT = {DS_FAULT_GAP, "a fragment was not seen"};
static const struct damage WRONG_FRAGMENT = {DS_FAULT_MALFORMED, "a fragment was left out"};
static const struct damage UNFINISHED = {DS_FAULT_MALFORMED,
                                         "the message was not finished before the next"};
static const struct damage NO_FIRST = {DS_FAULT_MALFORMED, "the first fragment never came"};
static const struct damage FIRST_LOST = {DS_FAULT_GAP, "the first fragment was not seen"};

/* forget_atoms records that the slots of these segments may have changed unseen. */
static void forget_atoms(struct frames *frames, unsigned mask)
{
    frames->has_told = frames->has_told && mask == 0;
    if (frames->env->config.certain)
        atoms_forget(&frames->atoms, frames->env, mask);
    else
        atoms_doubt(&frames->atoms, frames->env, mask);
    decoder_state_forget_slots(frames->conn->decoder, frames->env, frames->dir, mask);
}

/* begin_message initialises the fields of an empty event one by one, because the event is large and
 * there is one for each message. */
static void begin_message(const struct frames *frames, uint64_t size, uint32_t num_fragments,
                          struct ds_event *event)
{
    struct ds_message *message = &event->message;
    event->type = DS_EVENT_MESSAGE;
    event->dir = frames->dir;
    event->fault = (struct ds_fault){0};
    event->unknown_atoms = event->inferred_atoms = event->likely_atoms = event->address_atoms = 0;
    event->bytes = NULL;
    event->bytes_len = 0;
    message->code = -1;
    message->op = NULL;
    message->control = message->payload = (struct ds_term){0};
#define ROLE(letter, id, key, is) message->role[DS_ROLE_##id] = (struct ds_term){0};
#include <distsniff/roles.def> /* half as much work as a loop */
#undef ROLE
    message->token.present = false;
    message->token.label = message->token.from = (struct ds_term){0};
    message->size = size;
    message->atom_bytes = 0;
    message->role_set = 0;
    message->fragments = num_fragments;
    message->wire_ns = frames->conn->tcp->now_ns - frames->began_ns;
    message->stalled_ns = 0;
    message->atom_texts = 0;
    message->guesses = NULL;
    message->num_guesses = 0;
}

static void emit_tick(struct frames *frames, struct cursor frame)
{
    struct ds_event event;
    event.type = DS_EVENT_TICK;
    event.dir = frames->dir;
    event.fault = (struct ds_fault){0};
    event.unknown_atoms = event.inferred_atoms = event.likely_atoms = event.address_atoms = 0;
    event.bytes = frame.at;
    event.bytes_len = cursor_left(&frame);
    env_emit(frames->env, frames->conn, &event);
}

/* emit_message emits the event of a message that the current frame completed. */
static void emit_message(struct frames *frames, struct ds_event *event)
{
    if (socket_places_may_name(event))
        socket_places_learn(frames->env, frames->conn, event);
    if ((event->unknown_atoms | event->likely_atoms | event->address_atoms) != 0)
        frames->lacks_atoms = true;
    frames->completed = true;
    control_limit_growth(frames->env, frames->conn, event);
    env_emit(frames->env, frames->conn, event);
}

/* is_reported says whether the atoms of the sender are learned from this frame. A frame at an
 * uncertain place counts only if it begins exactly where the bytes before it ended. Only likely
 * atoms depend on this. */
static bool is_reported(const struct frames *frames)
{
    return frames->doubt == 0 || frames->is_next;
}

/* decode reads the control message and payload and emits the event. */
static void decode(struct frames *frames, const struct control_source *source, struct cursor *at,
                   struct ds_atom *refs, struct ds_event *event)
{
    if (control_read(source, at, event)) {
        if (frames->doubt == 0)
            infer_nodes(source, frames->env, frames->conn, &frames->atoms, refs, event);
        control_read_payload(source, at, frames->env, event);
        likely_resolve(&frames->likely, frames->env, frames->conn, &frames->atoms, refs,
                       source->atoms.num_atoms, is_reported(frames), event);
    }
    if (event->message.atom_texts != 0) /* only now: inferred atoms have replaced other texts */
        event->message.atom_texts = frames->env->num_forgotten + 1;
    emit_message(frames, event);
}

/* note_unread records as a fault that, by the flags of the handshake, no node reads such a frame
 * with a header. */
static __attribute__((noinline)) void note_unread(const struct frames *frames, unsigned form,
                                                  const struct control_source *source,
                                                  const struct cursor *at, struct ds_event *event)
{
    static const struct {
        enum frame_form form;
        const char *what;
    } forms[] = {
        {FRAME_HAS_HEADER, "a frame with a header, which not both nodes support"},
        {FRAME_IS_FRAGMENT, "a fragment, which not both nodes support"},
        {FRAME_HAS_ATOMS, "a header with atoms, which not both nodes support"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if ((frames->unread & form & forms[i].form) != 0)
            control_fault(event, source, at, DS_FAULT_MALFORMED, forms[i].what);
    }
}

static unsigned form_of(bool is_fragment, uint32_t num_atoms)
{
    return FRAME_HAS_HEADER | (is_fragment ? FRAME_IS_FRAGMENT : 0) |
           (num_atoms != 0 ? FRAME_HAS_ATOMS : 0);
}

/* --- fragments --- */

static void finish_fragmented(struct frames *frames, struct fragmented *message)
{
    struct ds_event event;
    struct cursor body = stream_buffer_cursor(&message->body);
    struct control_source source = {
        .atoms = {message->atoms, message->num_atoms},
        .damage = message->damage,
        .start = body,
        .base = message->body_offset,
        .conn = frames->conn,
    };
    begin_message(frames, message->size, message->num_fragments, &event);
    event.message.wire_ns = frames->conn->tcp->now_ns - message->began_ns;
    if (frames->unread != 0)
        note_unread(frames, form_of(true, message->num_atoms), &source, &body, &event);
    /* The nodes at the ends were inferred when the first fragment came: slots have changed since. */
    if (cursor_left(&body) == 0)
        control_fault(&event, &source, &body, source.damage.kind, source.damage.what);
    else if (control_read(&source, &body, &event)) {
        control_read_payload(&source, &body, frames->env, &event);
        likely_resolve(&frames->likely, frames->env, frames->conn, &frames->atoms, message->atoms,
                       message->num_atoms, is_reported(frames), &event);
    }
    emit_message(frames, &event);
    decoder_state_finish(frames->conn->decoder, frames->env, frames->dir, message->sequence);
    fragments_close(&frames->fragments, frames->env, message);
}

/* emit_part reports how much of a message has arrived; left 0: no more will come. */
static void emit_part(struct frames *frames, const struct fragmented *message, uint64_t left)
{
    if (!frames->env->config.parts)
        return;
    struct ds_event event = {
        .type = DS_EVENT_PART,
        .dir = (uint8_t)frames->dir,
        .part = {.sequence = message->sequence, .left = left, .size = message->size,
                 .num = message->num_fragments, .began_ns = message->began_ns},
    };
    env_emit(frames->env, frames->conn, &event);
}

static void give_up_fragmented(struct frames *frames, struct fragmented *message, struct damage damage)
{
    if (message->damage.kind == DS_FAULT_NONE)
        message->damage = damage;
    finish_fragmented(frames, message);
}

/* make_room reports the message that a fragment ends: one with the same sequence, or the oldest if
 * there are too many. Call it before the header's atoms are read: they are valid only until the
 * next event. */
static void make_room(struct frames *frames, const struct dist_header *header)
{
    uint64_t max = frames->env->config.limits[DS_LIMIT_FRAGMENTED];
    struct fragmented *message = fragments_find(&frames->fragments, header->sequence);
    if (message != NULL) {
        if (header->type != HEADER_FIRST)
            return;
        emit_part(frames, message, 0);
        give_up_fragmented(frames, message,
                           message->lost_before != frames->lost_total ? MISSING_FRAGMENT
                                                                      : UNFINISHED);
        return;
    }
    while (frames->fragments.num != 0 && frames->fragments.num >= max) {
        frames->env->stats.limits_hit[DS_LIMIT_FRAGMENTED]++;
        emit_part(frames, frames->fragments.oldest, 0);
        give_up_fragmented(frames, frames->fragments.oldest, TOO_MANY);
        frames->orphan = TOO_MANY;
    }
}

static struct fragmented *open_fragmented(struct frames *frames, const struct dist_header *header)
{
    return fragments_open(&frames->fragments, frames->env, header->sequence, header->refs,
                          header->num_refs);
}

static void add_fragment(struct frames *frames, struct fragmented *message,
                         const struct dist_header *header, struct cursor bytes, uint64_t len,
                         struct damage damage)
{
    message->size += len;
    if (message->num_fragments++ == 0)
        message->began_ns = frames->began_ns;
    message->next = header->fragment - 1;
    message->lost_before = frames->lost_total;
    fragments_add(&frames->fragments, frames->env, message, bytes,
                  frames->env->config.limits[DS_LIMIT_MESSAGE]);
    if (message->damage.kind == DS_FAULT_NONE)
        message->damage = damage;
    emit_part(frames, message, message->next);
    if (header->fragment == 1)
        finish_fragmented(frames, message);
}

/* on_first_fragment processes the first fragment of several. */
static void on_first_fragment(struct frames *frames, struct dist_header *header,
                              const struct control_source *source, struct cursor at, uint64_t len)
{
    struct ds_event event;
    struct cursor control = at;
    begin_message(frames, len, 1, &event);
    if (frames->doubt == 0 && control_read(source, &control, &event))
        infer_nodes(source, frames->env, frames->conn, &frames->atoms, header->refs, &event);

    struct fragmented *message = open_fragmented(frames, header);
    if (message == NULL) {
        struct control_source alone = *source;
        if (alone.damage.kind == DS_FAULT_NONE)
            alone.damage = NO_MEMORY;
        frames->orphan = NO_MEMORY;
        begin_message(frames, len, 1, &event);
        decode(frames, &alone, &at, header->refs, &event);
        return;
    }
    message->body_offset = source->base + cursor_offset(&at, &source->start);
    message->first_len = len;
    add_fragment(frames, message, header, at, len, source->damage);
}

static void on_further_fragment(struct frames *frames, const struct dist_header *header, struct cursor at,
                                uint64_t len, struct damage damage)
{
    struct fragmented *message = fragments_find(&frames->fragments, header->sequence);
    if (message == NULL) {
        message = open_fragmented(frames, header);
        if (message == NULL) {
            struct ds_event event;
            begin_message(frames, len, 1, &event);
            event.fault = (struct ds_fault){NO_MEMORY.kind, FRAME_LENGTH_LEN, NO_MEMORY.what};
            emit_message(frames, &event);
            return;
        }
        message->damage = frames->orphan;
    } else if (message->damage.kind == DS_FAULT_NONE) {
        /* The lost bytes could have contained a whole fragment: then this one may belong to a later
         * message of the same sender, even if its number fits. */
        uint64_t lost = frames->lost_total - message->lost_before;
        if (lost != 0 && (lost >= message->first_len || message->next != header->fragment))
            message->damage = MISSING_FRAGMENT;
        else if (message->next != header->fragment)
            message->damage = WRONG_FRAGMENT;
    }
    add_fragment(frames, message, header, at, len, damage);
}

/* --- frames --- */

static enum ds_frame_kind kind_of(uint8_t type)
{
    return type == HEADER_PLAIN     ? DS_FRAME_MESSAGE
           : type == HEADER_FIRST   ? DS_FRAME_FIRST
           : type == HEADER_FURTHER ? DS_FRAME_FURTHER
                                    : DS_FRAME_UNKNOWN;
}

/* report_known reports, once, that all slots that a node uses are certain. The sender's name and ''
 * need no text: their places identify them. */
static void report_known(struct frames *frames)
{
    const unsigned by_place = 2;
    const struct ds_config *config = &frames->env->config;
    if (!frames->lacks_atoms || frames->has_told || frames->atoms.num_certain + by_place < ATOM_SLOTS_USED)
        return;
    frames->lacks_atoms = false;
    frames->has_told = true;
    if (config->on_all_known != NULL && !env_is_past(frames->env, frames->conn))
        config->on_all_known(config->context, &frames->conn->view, frames->dir);
}

/* take_headed processes a frame that begins with 131, as nearly all do. */
static inline __attribute__((always_inline)) void
take_headed(struct frames *frames, struct control_source *source, struct cursor *at, uint64_t len,
            struct ds_event *event, struct ds_frame *sent)
{
    struct dist_header header;
    const char *what = NULL;
    const struct cursor begin = *at;
    enum header_status status = dist_header_begin(at, &header, &what);
    if (header.fragment != 0)
        make_room(frames, &header);
    if (status == HEADER_OK && header.type != HEADER_FURTHER)
        status = dist_header_read_refs(at, &header, &frames->atoms, &what);
    frames->completed = false; /* a message ended by make_room is not part of this frame */
    sent->kind = kind_of(header.type);
    sent->sequence = header.sequence;
    sent->fragment = header.fragment;
    decoder_state_add_frame(frames->conn->decoder, frames->env, frames->conn->tcp->now_ns,
                            frames->dir, source->start, len, &header);
    if (!frames->latin1 && is_reported(frames))
        likely_define(&frames->likely, frames->env, frames->conn, frames->dir, &frames->atoms,
                      &header);
    dist_header_apply(&header, &frames->atoms, frames->env, frames->latin1);
    report_known(frames);
    if (frames->unread != 0)
        note_unread(frames, form_of(header.type != HEADER_PLAIN, header.num_refs), source, &begin, event);
    if (status != HEADER_OK) {
        forget_atoms(frames, header.at_risk);
        if (status == HEADER_MALFORMED || source->damage.kind == DS_FAULT_NONE)
            source->damage = (struct damage){
                DS_FAULT_MALFORMED, what != NULL ? what : "the frame ends within its header"};
        if (header.type != HEADER_PLAIN && header.fragment != 0)
            atoms_on_loss(&frames->atoms, cursor_left(at), frames->seen_total);
        at->end = at->at;
        header.num_refs = 0; /* their texts may be gone, and no code uses them from here on */
        if (header.type == HEADER_PLAIN || header.fragment == 0) {
            frames_miss(frames, len);
            frames->orphan = FIRST_LOST;
            control_fault(event, source, at, source->damage.kind, source->damage.what);
            emit_message(frames, event);
            return;
        }
    }
    source->atoms = (struct term_env){header.refs, header.num_refs};
    event->message.atom_texts = header.num_new == 0; /* all texts are the cache's; see decode */
    if (header.type == HEADER_FURTHER)
        on_further_fragment(frames, &header, *at, len, source->damage);
    else if (header.type == HEADER_FIRST && header.fragment != 1)
        on_first_fragment(frames, &header, source, *at, len);
    else
        decode(frames, source, at, header.refs, event);
}

/* take_whole processes a frame that is not a tick: see frames_read. */
static __attribute__((noinline)) void take_whole(struct frames *frames, struct cursor frame,
                                                 uint64_t len, struct damage damage,
                                                 struct ds_frame *sent)
{
    struct ds_event event;
    struct control_source source = {.damage = damage, .start = frame, .conn = frames->conn};
    struct cursor at = frame;
    uint8_t first = 0;
    begin_message(frames, len, 1, &event);
    event.bytes = frame.at;
    event.bytes_len = cursor_left(&frame);
    if (frames->doubt != 0)
        frames->doubt--;
    if (!cursor_skip(&at, FRAME_LENGTH_LEN) || !cursor_peek_u8(&at, &first)) {
        /* Any frame may have changed the cache. */
        forget_atoms(frames, ATOM_ALL_SEGMENTS);
        frames_miss(frames, len);
        frames->orphan = FIRST_LOST;
        control_fault(&event, &source, &at, damage.kind, damage.what);
        emit_message(frames, &event);
    } else if (first == TERM_VERSION) {
        take_headed(frames, &source, &at, len, &event, sent);
    } else if (first == FRAME_PASS_THROUGH) {
        sent->kind = DS_FRAME_PASS_THROUGH;
        source.pass_through = true;
        if (frames->headed)
            control_fault(&event, &source, &at, DS_FAULT_MALFORMED,
                          "a frame without the header that both nodes support");
        if (cursor_skip(&at, 1))
            decode(frames, &source, &at, NULL, &event);
    } else {
        control_fault(&event, &source, &at, DS_FAULT_MALFORMED, "unknown type of frame");
        emit_message(frames, &event);
    }
}

/* read_snapshot_frame stores atoms that a snapshot lists as the content of slots. */
static void read_snapshot_frame(struct frames *frames, struct cursor frame)
{
    const bool is_certain = frames->env->past == DS_SNAPSHOT_INFERRED;
    struct dist_header header;
    const char *what = NULL;
    if (!cursor_skip(&frame, FRAME_LENGTH_LEN) ||
        dist_header_read(&frame, &header, &what) != HEADER_OK ||
        (!is_certain && frames->env->config.certain))
        return;
    for (uint32_t i = 0; i < header.num_refs; i++) {
        const struct ds_atom *ref = &header.refs[i];
        if (ref->is_new)
            atoms_set(&frames->atoms, frames->env, ref->slot,
                      (struct ds_text){(const char *)ref->text, ref->len}, false,
                      is_certain ? DS_ATOM_INFERRED : DS_ATOM_LIKELY);
    }
}

void frames_read(struct frames *frames, struct cursor frame, uint64_t len, struct damage damage)
{
    if (frames->env->past == DS_SNAPSHOT_INFERRED || frames->env->past == DS_SNAPSHOT_LIKELY) {
        read_snapshot_frame(frames, frame);
        return;
    }
    struct ds_frame sent = {.kind = DS_FRAME_UNKNOWN, .size = len, .completes = true};
    const bool is_raw = frames->env->config.raw;
    frames->conn->view.counters[frames->dir].frames += !env_is_past(frames->env, frames->conn);
    frames->seen_total += cursor_left(&frame);
    if (len == FRAME_LENGTH_LEN && damage.kind == DS_FAULT_NONE) {
        sent.kind = DS_FRAME_TICK;
        emit_tick(frames, frame);
    } else {
        frames->completed = false;
        take_whole(frames, frame, len, damage, &sent);
        sent.completes = frames->completed;
    }
    if (!is_raw)
        return;
    const struct ds_fault fault = {damage.kind, cursor_left(&frame), damage.what};
    raw_emit_frame(frames->env, frames->conn, frames->dir, frame, sent, fault);
}

void frames_abandon(struct frames *frames, struct cursor beginning, const char *what)
{
    const struct ds_frame sent = {.kind = DS_FRAME_UNKNOWN, .size = cursor_left(&beginning),
                                  .completes = true};
    const struct ds_fault fault = {DS_FAULT_MALFORMED, cursor_left(&beginning), what};
    struct control_source source = {.start = beginning, .conn = frames->conn};
    struct cursor at = beginning;
    struct ds_event event;
    frames->conn->view.counters[frames->dir].frames += !env_is_past(frames->env, frames->conn);
    begin_message(frames, sent.size, 1, &event);
    event.bytes = beginning.at;
    event.bytes_len = cursor_left(&beginning);
    if (cursor_skip(&at, FRAME_LENGTH_LEN))
        control_fault(&event, &source, &at, DS_FAULT_MALFORMED, what);
    emit_message(frames, &event);
    if (frames->env->config.raw)
        raw_emit_frame(frames->env, frames->conn, frames->dir, beginning, sent, fault);
}

void frames_init(struct frames *frames, struct dissect_ctx *env, struct conn *conn, int dir,
                 struct damage late)
{
    *frames = (struct frames){
        .env = env,
        .conn = conn,
        .dir = (uint8_t)dir,
        .orphan = late.kind != DS_FAULT_NONE ? late : NO_FIRST,
    };
}

void frames_on_loss(struct frames *frames, struct damage loss)
{
    forget_atoms(frames, ATOM_ALL_SEGMENTS);
    frames->doubt = 0;
    if (loss.kind != DS_FAULT_JOINED_LATE)
        frames->orphan = FIRST_LOST;
}

void frames_miss(struct frames *frames, uint64_t bytes)
{
    frames->lost_total += bytes;
    atoms_on_loss(&frames->atoms, bytes, frames->seen_total);
}

void frames_end(struct frames *frames, struct damage damage)
{
    while (frames->fragments.oldest != NULL)
        give_up_fragmented(frames, frames->fragments.oldest, damage);
}

void frames_free(struct frames *frames)
{
    while (frames->fragments.oldest != NULL)
        fragments_close(&frames->fragments, frames->env, frames->fragments.oldest);
    likely_free(&frames->likely);
    atoms_free(&frames->atoms, frames->env);
}
