/*
 * copy_portable.c - see copy_portable.h. The tags are those of term_token.h.
 */
#include "etf/copy_portable.h"
#include "etf/term_encode.h"
#include "etf/term_token.h"
#include "etf/value.h"

#include <distsniff/encode.h>

#include <stdio.h>

void portable_cached(struct ds_buffer *out, const struct ds_atom *atom, bool portable)
{
    static const struct ds_text no_atom = {"?atom", sizeof "?atom" - 1};
    const struct ds_text known = {(const char *)atom->text, atom->len};
    char slot[16];
    if (!ds_atom_is_certain(atom->state)) {
        const int len = snprintf(slot, sizeof slot, "?atom:%u", (unsigned)atom->slot);
        ds_encode_atom(out, (struct ds_text){slot, (size_t)len});
    } else {
        ds_encode_atom(out, portable && !ds_atom_ok(known) ? no_atom : known);
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
    ds_encode_tuple(out, num);
    ds_encode_atom(out, (struct ds_text){tag, strlen(tag)});
}

static void portable_unsigned(struct ds_buffer *out, uint64_t value)
{
    ds_encode_number(out, false, value);
}

static void portable_integer(struct ds_buffer *out, int32_t value)
{
    ds_encode_number(out, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void portable_list(struct ds_buffer *out, uint64_t num)
{
    if (num != 0)
        ds_encode_list(out, (uint32_t)num);
}

/* Every node accepts at least 2^22 bits; some accept more. */
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
    ds_encode_binary(out, (struct ds_text){(const char *)c.at, cursor_left(&c)});
}

/* Limits of the numbers in a nameless node's own pids, ports and references, by OTP 25. */
enum { OWN_PID_MAX = 1 << 15, OWN_SERIAL_MAX = 1 << 13, OWN_PORT_MAX = 1 << 28 };
enum { OWN_WORDS_MAX = 3, OWN_WORD_MAX = 1 << 18 };

static bool portable_is_own_node(struct cursor node, uint32_t creation)
{
    static const char name[] = "nonode@nohost";
    return creation == 0 && cursor_left(&node) == sizeof name - 1 &&
           memcmp(node.at, name, sizeof name - 1) == 0;
}

/* portable_is_alien says whether the token wrongly looks like the reader's own, or is a reference
 * without words; nodes of OTP 25 would read a word of it from undefined memory. */
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
        encode_u8(out, TERM_TAG_NEW_PID);
        portable_node(out, token, env);
        encode_u32(out, pid.id);
        encode_u32(out, pid.serial);
        encode_u32(out, pid.creation);
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
        encode_u8(out, TERM_TAG_NEW_PORT);
        portable_node(out, token, env);
        encode_u32(out, port.id);
        encode_u32(out, port.creation);
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
        ds_encode_nil(out);
        portable_unsigned(out, ref.creation);
    } else {
        encode_u8(out, TERM_TAG_NEWER_REFERENCE);
        encode_u16(out, (uint16_t)ref.num_words);
        portable_node(out, token, env);
        encode_u32(out, ref.creation);
        for (unsigned i = 0; i < ref.num_words; i++)
            encode_u32(out, ref.words[i]);
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

/* The bytes before a fun's module. */
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
    static const struct ds_text undefined = {"undefined", sizeof "undefined" - 1};
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
        ds_encode_atom(out, undefined);
    portable_list(out, token->num_terms);
}
