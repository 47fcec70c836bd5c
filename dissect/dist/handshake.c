/*
 * handshake.c - the messages of the distribution handshake (erl_dist_protocol, "Distribution
 * Handshake"), protocol versions 5 and 6. Each begins with a length of 2 bytes, or 4 inside TLS:
 *
 *   initiator                                     acceptor
 *   send_name      'N' flags:8 creation:4
 *                      nlen:2 name                status     's' text
 *      version 5   'n' version:2 flags:4 name                's' "named:" nlen:2 name
 *                                                                creation:4
 *   status_reply   's' "true" or "false"          challenge  'N' flags:8 challenge:4
 *                                                                creation:4 nlen:2 name
 *                                                 version 5  'n' version:2 flags:4
 *                                                                challenge:4 name
 *   complement     'c' flags_high:4 creation:4
 *   challenge_reply 'r' challenge:4 digest:16     challenge_ack 'a' digest:16
 *
 * Bytes after the name of an 'N' message are allowed and ignored. A complement follows if the
 * initiator sent 'n' and the acceptor answered with 'N'.
 */
#include "dist/handshake.h"

#include "dist/flags.h"
#include "util/reader.h"

/* Messages of real nodes are far smaller: names have at most 255 characters. */
enum { PROBE_MAX_LEN = 4096, PROBE_MAX_EXTRA = 256 };

/* A step_fn reads the message after its tag. */
typedef void step_fn(struct reader *r, struct ds_handshake *out);

static void read_name(struct reader *r, struct ds_handshake *out)
{
    const uint16_t len = reader_u16(r, "no length of the name");
    out->name = cursor_text(reader_child(r, len, "the name is longer than the message"));
}

static void read_flags_5(struct reader *r, struct ds_handshake *out)
{
    const uint16_t version = reader_u16(r, "no protocol version");
    if (version > UINT8_MAX)
        reader_fail(r, "a protocol version that never existed");
    else
        out->version = (uint8_t)version;
    out->flags = reader_u32(r, "no capability flags");
    out->has_flags = reader_is_ok(r);
}

static void read_flags_6(struct reader *r, struct ds_handshake *out)
{
    out->version = 6;
    out->flags = reader_u64(r, "no capability flags");
    out->has_flags = reader_is_ok(r);
}

static void read_challenge(struct reader *r, struct ds_handshake *out)
{
    out->challenge = reader_u32(r, "no challenge");
    out->has_challenge = reader_is_ok(r);
}

static void read_creation(struct reader *r, struct ds_handshake *out)
{
    out->creation = reader_u32(r, "no creation");
}

static void read_digest(struct reader *r, struct ds_handshake *out)
{
    reader_bytes(r, out->digest, sizeof out->digest, "the digest does not have 16 bytes");
    out->has_digest = reader_is_ok(r);
    reader_end(r, "bytes after the digest");
}

static void read_send_name_5(struct reader *r, struct ds_handshake *out)
{
    read_flags_5(r, out);
    out->name = cursor_text(reader_rest(r));
}

static void read_send_name_6(struct reader *r, struct ds_handshake *out)
{
    read_flags_6(r, out);
    read_creation(r, out);
    read_name(r, out);
}

static void read_challenge_5(struct reader *r, struct ds_handshake *out)
{
    read_flags_5(r, out);
    read_challenge(r, out);
    out->name = cursor_text(reader_rest(r));
}

static void read_challenge_6(struct reader *r, struct ds_handshake *out)
{
    read_flags_6(r, out);
    read_challenge(r, out);
    read_creation(r, out);
    read_name(r, out);
}

static void read_complement(struct reader *r, struct ds_handshake *out)
{
    out->flags = (uint64_t)reader_u32(r, "no capability flags") << 32;
    out->has_flags = reader_is_ok(r);
    read_creation(r, out);
    reader_end(r, "bytes after the creation");
}

static void read_challenge_reply(struct reader *r, struct ds_handshake *out)
{
    read_challenge(r, out);
    read_digest(r, out);
}

static bool cursor_is(struct cursor c, const char *text)
{
    size_t len = strlen(text);
    return cursor_left(&c) == len && memcmp(c.at, text, len) == 0;
}

static const char *const statuses[] = {"ok", "ok_simultaneous", "nok", "not_allowed", "alive"};
static const char *const answers[] = {"true", "false"};

static bool is_one_of(struct cursor c, const char *const *texts, size_t num_texts)
{
    for (size_t i = 0; i < num_texts; i++) {
        if (cursor_is(c, texts[i]))
            return true;
    }
    return false;
}

static void read_status(struct reader *r, struct ds_handshake *out)
{
    static const char named[] = "named:";
    const struct cursor text = cursor_first(r->at, sizeof named - 1);
    if (cursor_is(text, named)) {
        out->status = cursor_text(reader_child(r, sizeof named - 1, NULL));
        read_name(r, out);
        read_creation(r, out);
        return;
    }
    out->status = cursor_text(r->at);
    if (!is_one_of(r->at, statuses, sizeof statuses / sizeof statuses[0]))
        reader_fail(r, "unknown status");
}

static void read_status_reply(struct reader *r, struct ds_handshake *out)
{
    out->status = cursor_text(r->at);
    if (!is_one_of(r->at, answers, sizeof answers / sizeof answers[0]))
        reader_fail(r, "neither true nor false");
}

static const struct handshake_step {
    uint8_t tag;
    enum handshake_from from;
    enum ds_handshake_step step;
    step_fn *read;
} steps[] = {
    {'N', HANDSHAKE_INITIATOR, DS_STEP_SEND_NAME, read_send_name_6},
    {'n', HANDSHAKE_INITIATOR, DS_STEP_SEND_NAME, read_send_name_5},
    {'s', HANDSHAKE_INITIATOR, DS_STEP_STATUS_REPLY, read_status_reply},
    {'c', HANDSHAKE_INITIATOR, DS_STEP_COMPLEMENT, read_complement},
    {'r', HANDSHAKE_INITIATOR, DS_STEP_CHALLENGE_REPLY, read_challenge_reply},
    {'s', HANDSHAKE_ACCEPTOR, DS_STEP_STATUS, read_status},
    {'N', HANDSHAKE_ACCEPTOR, DS_STEP_CHALLENGE, read_challenge_6},
    {'n', HANDSHAKE_ACCEPTOR, DS_STEP_CHALLENGE, read_challenge_5},
    {'a', HANDSHAKE_ACCEPTOR, DS_STEP_CHALLENGE_ACK, read_digest},
};
enum { NUM_STEPS = sizeof steps / sizeof steps[0] };

static const struct handshake_step *find_step(uint8_t tag, enum handshake_from from)
{
    for (size_t i = 0; i < NUM_STEPS; i++) {
        if (steps[i].tag == tag && steps[i].from == from)
            return &steps[i];
    }
    return NULL;
}

bool handshake_is_step(uint8_t tag, enum handshake_from from)
{
    return find_step(tag, from) != NULL;
}

void handshake_parse(const struct conn *conn, struct cursor message, enum handshake_from from,
                     struct ds_handshake *out, struct ds_fault *fault)
{
    struct reader r = {.at = message};
    *out = (struct ds_handshake){.step = DS_STEP_UNKNOWN};
    const uint8_t tag = reader_u8(&r, "an empty handshake message");
    const struct handshake_step *step = find_step(tag, from);
    if (step != NULL && reader_is_ok(&r)) {
        out->step = step->step;
        step->read(&r, out);
    }
    if (step == NULL) /* the caller has checked the tag, but a message may be empty */
        reader_fail(&r, "no handshake message begins like this");
    if (reader_is_ok(&r))
        return;
    fault->kind = DS_FAULT_MALFORMED;
    fault->offset = handshake_length_len(conn) + cursor_offset(&r.at, &message);
    fault->what = r.wrong;
}

/* is_node_name accepts mostly letters and digits; the bytes it rejects exclude other protocols. */
static bool is_node_name(struct ds_text name, bool host_only)
{
    bool has_at = false;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c <= ' ' || c == 0x7f)
            return false;
        if (c == '@') {
            if (has_at || i == 0)
                return false;
            has_at = true;
        }
    }
    return name.len > 0 && (has_at || host_only);
}

static bool is_plausible(const struct handshake_step *step, struct cursor message)
{
    struct ds_handshake h = {0};
    struct reader r = {.at = message};
    step->read(&r, &h);
    if (!reader_is_ok(&r))
        return false;
    if (step->step != DS_STEP_SEND_NAME && step->step != DS_STEP_CHALLENGE)
        return true;
    bool host_only = step->step == DS_STEP_SEND_NAME && (h.flags & FLAG_MASK(NAME_ME)) != 0;
    return (h.version == 5 || h.version == 6) && cursor_left(&r.at) <= PROBE_MAX_EXTRA &&
           is_node_name(h.name, host_only);
}

enum proto_guess handshake_probe(const struct conn *conn, struct cursor bytes, bool anywhere,
                                 enum handshake_from *from)
{
    uint32_t len;
    uint8_t tag;
    struct cursor message;

    if (!handshake_read_length(conn, &bytes, &len))
        return PROTO_MORE;
    if (len == 0 || len > PROBE_MAX_LEN)
        return PROTO_NO;
    bool whole = cursor_child(&bytes, len, &message);
    if (!whole)
        message = bytes;
    if (!cursor_read_u8(&message, &tag))
        return PROTO_MORE;
    for (size_t i = 0; i < NUM_STEPS; i++) {
        const struct handshake_step *step = &steps[i];
        bool first = step->step == DS_STEP_SEND_NAME || step->step == DS_STEP_STATUS;
        if (step->tag != tag || !(first || anywhere))
            continue;
        if (!whole)
            return PROTO_MORE;
        if (is_plausible(step, message)) {
            *from = step->from;
            return PROTO_YES;
        }
    }
    return PROTO_NO;
}
