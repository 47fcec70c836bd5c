/*
 * handshake.c - the messages of the distribution handshake (erl_dist_protocol,
 * "Distribution Handshake"), of protocol versions 5 and 6. Each has a length of 2 bytes, inside
 * TLS of 4, then:
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
 * Bytes after the name of an 'N' message are allowed and ignored. A complement follows when
 * the initiator sent 'n' and the acceptor answered with 'N'.
 */
#include "dist/handshake.h"

#include "dist/flags.h"

/* No message of a real node comes near: names have at most 255 characters. */
enum { PROBE_MAX_LEN = 4096, PROBE_MAX_EXTRA = 256 };

static struct cursor take_rest(struct cursor *c)
{
    struct cursor rest = *c;
    c->at = c->end;
    return rest;
}

/* A step_fn reads what follows the tag; NULL, or what is wrong where m stands. */
typedef const char *step_fn(struct cursor *m, struct ds_handshake *out);

static const char *read_name(struct cursor *m, struct ds_handshake *out)
{
    uint16_t len;
    struct cursor name;
    if (!cursor_read_u16(m, &len))
        return "no length of the name";
    if (!cursor_child(m, len, &name))
        return "the name is longer than the message";
    out->name = cursor_text(name);
    return NULL;
}

static const char *read_version_and_flags(struct cursor *m, struct ds_handshake *out)
{
    uint16_t version;
    uint32_t flags;
    if (!cursor_read_u16(m, &version))
        return "no protocol version";
    if (version > UINT8_MAX)
        return "a protocol version that never existed";
    out->version = (uint8_t)version;
    if (!cursor_read_u32(m, &flags))
        return "no capability flags";
    out->flags = flags;
    out->has_flags = true;
    return NULL;
}

static const char *read_challenge(struct cursor *m, struct ds_handshake *out)
{
    if (!cursor_read_u32(m, &out->challenge))
        return "no challenge";
    out->has_challenge = true;
    return NULL;
}

static const char *read_digest(struct cursor *m, struct ds_handshake *out)
{
    if (!cursor_read_bytes(m, out->digest, sizeof out->digest))
        return "the digest does not have 16 bytes";
    out->has_digest = true;
    return cursor_left(m) == 0 ? NULL : "bytes after the digest";
}

static const char *read_send_name_5(struct cursor *m, struct ds_handshake *out)
{
    const char *wrong = read_version_and_flags(m, out);
    if (wrong == NULL)
        out->name = cursor_text(take_rest(m));
    return wrong;
}

static const char *read_send_name_6(struct cursor *m, struct ds_handshake *out)
{
    out->version = 6;
    if (!cursor_read_u64(m, &out->flags))
        return "no capability flags";
    out->has_flags = true;
    if (!cursor_read_u32(m, &out->creation))
        return "no creation";
    return read_name(m, out);
}

static const char *read_challenge_5(struct cursor *m, struct ds_handshake *out)
{
    const char *wrong = read_version_and_flags(m, out);
    if (wrong == NULL)
        wrong = read_challenge(m, out);
    if (wrong == NULL)
        out->name = cursor_text(take_rest(m));
    return wrong;
}

static const char *read_challenge_6(struct cursor *m, struct ds_handshake *out)
{
    out->version = 6;
    if (!cursor_read_u64(m, &out->flags))
        return "no capability flags";
    out->has_flags = true;
    const char *wrong = read_challenge(m, out);
    if (wrong != NULL)
        return wrong;
    if (!cursor_read_u32(m, &out->creation))
        return "no creation";
    return read_name(m, out);
}

static const char *read_complement(struct cursor *m, struct ds_handshake *out)
{
    uint32_t flags_high;
    if (!cursor_read_u32(m, &flags_high))
        return "no capability flags";
    out->flags = (uint64_t)flags_high << 32;
    out->has_flags = true;
    if (!cursor_read_u32(m, &out->creation))
        return "no creation";
    return cursor_left(m) == 0 ? NULL : "bytes after the creation";
}

static const char *read_challenge_reply(struct cursor *m, struct ds_handshake *out)
{
    const char *wrong = read_challenge(m, out);
    return wrong != NULL ? wrong : read_digest(m, out);
}

static const char *read_challenge_ack(struct cursor *m, struct ds_handshake *out)
{
    return read_digest(m, out);
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

static const char *read_status(struct cursor *m, struct ds_handshake *out)
{
    static const char named[] = "named:";
    struct cursor rest = *m;
    struct cursor text;
    if (cursor_child(&rest, sizeof named - 1, &text) && cursor_is(text, named)) {
        out->status = cursor_text(text);
        *m = rest;
        const char *wrong = read_name(m, out);
        if (wrong == NULL && !cursor_read_u32(m, &out->creation))
            wrong = "no creation";
        return wrong;
    }
    out->status = cursor_text(*m);
    return is_one_of(*m, statuses, sizeof statuses / sizeof statuses[0]) ? NULL : "unknown status";
}

static const char *read_status_reply(struct cursor *m, struct ds_handshake *out)
{
    out->status = cursor_text(*m);
    return is_one_of(*m, answers, sizeof answers / sizeof answers[0]) ? NULL
                                                                      : "neither true nor false";
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
    {'a', HANDSHAKE_ACCEPTOR, DS_STEP_CHALLENGE_ACK, read_challenge_ack},
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
    const struct cursor start = message;
    const struct handshake_step *step = NULL;
    const char *wrong;
    uint8_t tag;

    *out = (struct ds_handshake){.step = DS_STEP_UNKNOWN};
    if (!cursor_read_u8(&message, &tag)) {
        wrong = "an empty handshake message";
    } else if ((step = find_step(tag, from)) == NULL) {
        wrong = "no handshake message begins like this";
        message = start;
    } else {
        out->step = step->step;
        wrong = step->read(&message, out);
    }
    if (wrong != NULL) {
        fault->kind = DS_FAULT_MALFORMED;
        fault->offset = handshake_length_len(conn) + cursor_offset(&message, &start);
        fault->what = wrong;
    }
}

/* Names of nodes are letters and digits mostly; what is excluded here keeps other protocols
 * out. */
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
    if (step->read(&message, &h) != NULL)
        return false;
    if (step->step != DS_STEP_SEND_NAME && step->step != DS_STEP_CHALLENGE)
        return true;
    bool host_only = step->step == DS_STEP_SEND_NAME && (h.flags & FLAG_MASK(NAME_ME)) != 0;
    return (h.version == 5 || h.version == 6) && cursor_left(&message) <= PROBE_MAX_EXTRA &&
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
