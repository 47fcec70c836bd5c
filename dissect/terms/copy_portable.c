/*
 * copy_portable.c - see copy_portable.h. The tags are those of term_token.h.
 */
#include "copy_portable.h"
#include "term_token.h"
#include "value.h"

#include <stdio.h>

void portable_atom(struct ds_buffer *out, const char *text, size_t len)
{
    if (len <= UINT8_MAX) {
        const uint8_t head[] = {TERM_TAG_SMALL_ATOM_UTF8, (uint8_t)len};
        buffer_add_bytes(out, head, sizeof head);
    } else {
        const uint8_t head[] = {TERM_TAG_ATOM_UTF8, (uint8_t)(len >> 8), (uint8_t)len};
        buffer_add_bytes(out, head, sizeof head);
    }
    buffer_add_bytes(out, text, len);
}

void portable_cached(struct ds_buffer *out, const struct ds_atom *atom, bool portable)
{
    static const char no_atom[] = "?atom";
    const struct ds_text known = {(const char *)atom->text, atom->len};
    if (!ds_atom_is_certain(atom->state)) {
        char text[16];
        int len = snprintf(text, sizeof text, "?atom:%u", (unsigned)atom->slot);
        portable_atom(out, text, (size_t)len);
    } else if (portable && !ds_atom_ok(known)) {
        portable_atom(out, no_atom, sizeof no_atom - 1);
    } else {
        portable_atom(out, known.data, known.len);
    }
}

void portable_name(struct ds_buffer *out, struct cursor *names, const struct term_env *env,
                   bool portable)
{
    struct term_token name;
    if (term_read_token(names, env, &name, NULL) != TERM_OK)
        return;
    if (name.atom != NULL)
        portable_cached(out, name.atom, portable);
    else
        buffer_add_cursor(out, &name.bytes);
}

void portable_tag(struct ds_buffer *out, const char *tag, uint8_t num)
{
    const uint8_t head[] = {TERM_TAG_SMALL_TUPLE, num};
    buffer_add_bytes(out, head, sizeof head);
    portable_atom(out, tag, strlen(tag));
}

static void portable_u8(struct ds_buffer *out, uint8_t value)
{
    buffer_add_bytes(out, &value, sizeof value);
}

static void portable_u32(struct ds_buffer *out, uint64_t value)
{
    const uint32_t wire = __builtin_bswap32((uint32_t)value);
    buffer_add_bytes(out, &wire, sizeof wire);
}

/* portable_integer and portable_unsigned add a whole term. */
static void portable_unsigned(struct ds_buffer *out, uint64_t value)
{
    const uint8_t head[] = {TERM_TAG_SMALL_BIG, sizeof value, 0};
    if (value <= INT32_MAX) {
        portable_u8(out, TERM_TAG_INTEGER);
        portable_u32(out, value);
    } else {
        buffer_add_bytes(out, head, sizeof head);
        buffer_add_bytes(out, &value, sizeof value); /* little-endian, as the machine is */
    }
}

static void portable_integer(struct ds_buffer *out, int32_t value)
{
    portable_u8(out, TERM_TAG_INTEGER);
    portable_u32(out, (uint32_t)value);
}

void portable_list(struct ds_buffer *out, uint64_t num)
{
    if (num == 0)
        return;
    portable_u8(out, TERM_TAG_LIST);
    portable_u32(out, num);
}

/* Nodes of 2^22 bits at least; some take more. */
enum { PORTABLE_BIG_LEN = 524287 };

bool portable_is_large(const struct term_token *token)
{
    return token->tag == TERM_TAG_LARGE_BIG && cursor_left(&token->body) > PORTABLE_BIG_LEN;
}

void portable_large(struct ds_buffer *out, const struct term_token *token)
{
    const size_t before_sign = 1 + 4;
    struct cursor c = token->bytes;
    uint8_t sign;
    if (!cursor_skip(&c, before_sign) || !cursor_read_u8(&c, &sign))
        return;
    portable_tag(out, "$integer", 3);
    portable_unsigned(out, sign);
    portable_u8(out, TERM_TAG_BINARY);
    portable_u32(out, cursor_left(&c));
    buffer_add_cursor(out, &c);
}

/* What a node that has no name takes for its own, by OTP 25. */
enum { OWN_PID_MAX = 1 << 15, OWN_SERIAL_MAX = 1 << 13, OWN_PORT_MAX = 1 << 28 };
enum { OWN_WORDS_MAX = 3, OWN_WORD_MAX = 1 << 18 };

static bool portable_is_own_node(struct cursor node, uint32_t creation)
{
    static const char name[] = "nonode@nohost";
    return creation == 0 && cursor_left(&node) == sizeof name - 1 &&
           memcmp(node.at, name, sizeof name - 1) == 0;
}

/* portable_is_alien says whether it pretends to be the reader's own, or is a reference without a
 * word, of which nodes of OTP 25 read one from who knows where. */
static bool portable_is_alien(const struct term_token *token)
{
    struct value_pid pid;
    struct value_port port;
    struct value_reference ref;
    if (value_get_pid(token, &pid))
        return portable_is_own_node(token->node, pid.creation) &&
               (pid.id >= OWN_PID_MAX || pid.serial >= OWN_SERIAL_MAX);
    if (value_get_port(token, &port))
        return portable_is_own_node(token->node, port.creation) && port.id >= OWN_PORT_MAX;
    return value_get_reference(token, &ref) &&
           (ref.num_words == 0 ||
            (portable_is_own_node(token->node, ref.creation) &&
             (ref.num_words > OWN_WORDS_MAX || ref.words[0] >= OWN_WORD_MAX)));
}

bool portable_is_odd(const struct term_token *token)
{
    return token->tag == TERM_TAG_PID || token->tag == TERM_TAG_PORT ||
           token->tag == TERM_TAG_REFERENCE || token->tag == TERM_TAG_NEW_REFERENCE ||
           portable_is_alien(token);
}

/* portable_node adds the node of a pid, port or reference. */
static void portable_node(struct ds_buffer *out, const struct term_token *token,
                          const struct term_env *env)
{
    const bool has_count =
        token->tag == TERM_TAG_NEW_REFERENCE || token->tag == TERM_TAG_NEWER_REFERENCE;
    struct cursor node = token->bytes;
    if (cursor_skip(&node, has_count ? 1 + 2 : 1))
        portable_name(out, &node, env, true);
}

static void portable_pid(struct ds_buffer *out, const struct term_token *token,
                         const struct term_env *env, bool alien)
{
    struct value_pid pid;
    if (!value_get_pid(token, &pid))
        return;
    if (alien) {
        portable_tag(out, "$pid", 5);
        portable_node(out, token, env);
        portable_unsigned(out, pid.id);
        portable_unsigned(out, pid.serial);
        portable_unsigned(out, pid.creation);
    } else {
        portable_u8(out, TERM_TAG_NEW_PID);
        portable_node(out, token, env);
        portable_u32(out, pid.id);
        portable_u32(out, pid.serial);
        portable_u32(out, pid.creation);
    }
}

static void portable_port(struct ds_buffer *out, const struct term_token *token,
                          const struct term_env *env, bool alien)
{
    struct value_port port;
    if (!value_get_port(token, &port))
        return;
    if (alien) {
        portable_tag(out, "$port", 4);
        portable_node(out, token, env);
        portable_unsigned(out, port.id);
        portable_unsigned(out, port.creation);
    } else {
        portable_u8(out, TERM_TAG_NEW_PORT);
        portable_node(out, token, env);
        portable_u32(out, port.id);
        portable_u32(out, port.creation);
    }
}

static void portable_reference(struct ds_buffer *out, const struct term_token *token,
                               const struct term_env *env, bool alien)
{
    struct value_reference ref;
    if (!value_get_reference(token, &ref))
        return;
    if (alien) {
        portable_tag(out, "$ref", 4);
        portable_node(out, token, env);
        portable_list(out, ref.num_words);
        for (unsigned i = ref.num_words; i > 0; i--)
            portable_unsigned(out, ref.words[i - 1]);
        portable_u8(out, TERM_TAG_NIL);
        portable_unsigned(out, ref.creation);
    } else {
        const uint8_t head[] = {TERM_TAG_NEWER_REFERENCE, 0, (uint8_t)ref.num_words};
        buffer_add_bytes(out, head, sizeof head);
        portable_node(out, token, env);
        portable_u32(out, ref.creation);
        for (unsigned i = 0; i < ref.num_words; i++)
            portable_u32(out, ref.words[i]);
    }
}

void portable_identity(struct ds_buffer *out, const struct term_token *token,
                       const struct term_env *env)
{
    const bool alien = portable_is_alien(token);
    portable_pid(out, token, env, alien);
    portable_port(out, token, env, alien);
    portable_reference(out, token, env, alien);
}

/* What stands before a fun's module. */
enum { FUN_HEAD_LEN = 1 + 4 + 1 + 16 + 4 + 4, FUN_ARITY_AT = 1 + 4 };

bool portable_is_odd_fun(const struct term_token *token, const struct term_env *env)
{
    struct cursor c = token->bytes;
    struct term_token part;
    if (token->tag != TERM_TAG_NEW_FUN)
        return true;
    if (!cursor_skip(&c, FUN_HEAD_LEN))
        return false;
    for (int i = 0; i < 4; i++) { /* module, index, uniq, pid */
        if (term_read_token(&c, env, &part, NULL) != TERM_OK)
            return false;
    }
    return portable_is_odd(&part);
}

void portable_fun(struct ds_buffer *out, const struct term_token *token, const struct term_env *env)
{
    static const char undefined[] = "undefined";
    struct cursor c = token->bytes;
    struct value_fun fun;
    uint8_t arity;
    if (!value_get_fun(token, env, &fun))
        return;
    portable_tag(out, "$fun", 6);
    portable_name(out, &fun.module, env, true);
    portable_integer(out, (int32_t)fun.index);
    portable_integer(out, (int32_t)fun.uniq);
    if (token->tag == TERM_TAG_NEW_FUN && cursor_skip(&c, FUN_ARITY_AT) &&
        cursor_read_u8(&c, &arity))
        portable_unsigned(out, arity);
    else
        portable_atom(out, undefined, sizeof undefined - 1);
    portable_list(out, token->num_terms);
}
