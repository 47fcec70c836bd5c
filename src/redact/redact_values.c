/*
 * redact_values.c - see redact_values.h. Atoms and nodes occur again and again: their pseudonyms are
 * cached in a table of fixed size, where a new entry replaces the old one in its place.
 */
#include "redact/redact_values.h"

#include "core/complain.h"
#include "core/id_map.h"
#include "core/printable.h"
#include "files/cookie_file.h"
#include "redact/pseudonym.h"
#include "redact/pseudonym_class.h"
#include "redact/redact_keep.h"
#include "redact/redact_key.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_NAMES = 2048, NAME_LEN = 64, KEEP_SCRATCH = 1024 * 1024, LONG_TEXT = 65536 };

/* Names of nodes that contain addresses become longer; no message has more of them than this allows. */
enum { MAX_GROWTH = 4 * 1024 * 1024 };

/* name is the pseudonym of an atom or a node. */
struct name {
    bool is_node, used;
    uint8_t len, new_len;
    char text[NAME_LEN], new_text[NAME_LEN];
};

struct redact_values {
    uint32_t what;
    bool counts; /* integers of one byte do not change at the moment */
    bool failed;
    struct pseudonym *pseudonyms;
    struct redact_keep *kept;
    char cookie_text[MAX_COOKIE_LEN + 1];
    struct ds_text cookie;
    struct ds_buffer codes; /* the current characters: uint32_t each */
    struct ds_buffer utf8;  /* the same as text, to match patterns */
    struct name names[NUM_NAMES];
};

static bool is_wanted(const struct redact_values *v, enum redact_what what)
{
    return (v->what & 1u << what) != 0;
}

static bool same(struct ds_text a, const char *text, size_t len)
{
    return a.len == len && (len == 0 || memcmp(a.data, text, len) == 0);
}

/* The cookie is never shown, whatever the words are. */
static bool has_cookie(const struct redact_values *v, struct ds_text text)
{
    return v->cookie.len != 0 && text.len >= v->cookie.len &&
           memmem(text.data, text.len, v->cookie.data, v->cookie.len) != NULL;
}

/* Characters */

/* to_codes decodes text into codes. Returns false if it is not UTF-8 or memory ran out. */
static bool to_codes(struct redact_values *v, struct ds_text text)
{
    uint32_t code;
    v->codes.len = 0;
    for (size_t i = 0, used; i < text.len; i += used) {
        used = ds_text_read_char((struct ds_text){text.data + i, text.len - i}, &code);
        if (used == 0)
            return false;
        ds_buffer_add(&v->codes, &code, sizeof code);
    }
    return !v->codes.failed;
}

static void to_utf8(const uint32_t *codes, size_t num, struct ds_buffer *out)
{
    for (size_t i = 0; i < num; i++)
        ds_buffer_add_char(out, codes[i]);
}

/* all_utf8 returns the characters as text, of which codes are a part. */
static struct ds_text all_utf8(struct redact_values *v, const uint32_t *codes, size_t num)
{
    v->utf8.len = 0;
    to_utf8(codes, num, &v->utf8);
    return (struct ds_text){v->utf8.len != 0 ? v->utf8.data : "", v->utf8.len};
}

/* is_reserved_atom decides whether the result for an atom is an atom that is not replaced itself.
 * codes has the whole text: a prefix before the replaced part may not change. */
static bool is_reserved_atom(void *context, const uint32_t *codes, size_t num)
{
    struct redact_values *v = context;
    (void)codes;
    (void)num;
    const struct ds_text text = all_utf8(v, (const uint32_t *)(const void *)v->codes.data,
                                         v->codes.len / sizeof(uint32_t));
    return redact_keep_is_otp(text) || redact_keep_is_named(v->kept, text);
}

static bool is_reserved_text(void *context, const uint32_t *codes, size_t num)
{
    struct redact_values *v = context;
    return num <= REDACT_KEEP_MAX_LEN && redact_keep_is_named(v->kept, all_utf8(v, codes, num));
}

/* replace_text appends a pseudonym of text, whose first num_kept characters do not change. */
static void replace_text(struct redact_values *v, enum pseudonym_text kind, struct ds_text text,
                         size_t num_kept, pseudonym_reserved_fn is_reserved, struct ds_buffer *out)
{
    if (text.len == 0)
        return;
    if (!to_codes(v, text)) {
        const size_t at = out->len;
        ds_buffer_add(out, text.data, text.len);
        if (!out->failed)
            pseudonym_bytes(v->pseudonyms, (uint8_t *)out->data + at, text.len, 8);
        return;
    }
    uint32_t *codes = (uint32_t *)(void *)v->codes.data;
    const size_t num = v->codes.len / sizeof *codes;
    pseudonym_text(v->pseudonyms, kind, codes + num_kept, num - num_kept, is_reserved, v);
    to_utf8(codes, num, out);
}

static void stay(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    (void)v;
    ds_buffer_add(out, text.data, text.len);
}

void redact_other(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    replace_text(v, PSEUDONYM_FREE, text, 0, NULL, out);
}

/* Nodes */

/* replace_ip appends the pseudonym that an IP address has elsewhere. Returns false if host is not one. */
static bool replace_ip(struct redact_values *v, struct ds_text host, struct ds_buffer *out)
{
    uint8_t bytes[16];
    char text[INET6_ADDRSTRLEN] = "";
    if (host.len >= sizeof text || host.len == 0)
        return false;
    memcpy(text, host.data, host.len);
    const int family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET;
    if (inet_pton(family, text, bytes) != 1)
        return false;
    pseudonym_address(v->pseudonyms, bytes, family == AF_INET ? 4 : 16);
    if (inet_ntop(family, bytes, text, sizeof text) != NULL)
        ds_buffer_add(out, text, strlen(text));
    return true;
}

/* replace_host appends a pseudonym of a part of a node's name: label by label, so that equal hosts and
 * domains get equal pseudonyms. */
static void replace_host(struct redact_values *v, struct ds_text host, struct ds_buffer *out)
{
    if (replace_ip(v, host, out))
        return;
    while (host.len != 0) {
        const char *dot = memchr(host.data, '.', host.len);
        const size_t len = dot != NULL ? (size_t)(dot - host.data) : host.len;
        replace_text(v, PSEUDONYM_NAME, (struct ds_text){host.data, len}, 0, NULL, out);
        if (dot != NULL)
            ds_buffer_add(out, ".", 1);
        host.data += len + (dot != NULL);
        host.len -= len + (dot != NULL);
    }
}

/* host_of returns the part after the @ of a node's name; the whole name if it has none. */
static struct ds_text host_of(struct ds_text node)
{
    const char *at = node.len != 0 ? memchr(node.data, '@', node.len) : NULL;
    const size_t len = at != NULL ? (size_t)(at - node.data) + 1 : 0;
    return (struct ds_text){node.data + len, node.len - len};
}

static void replace_node(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    const struct ds_text host = host_of(text);
    if (host.len != text.len) {
        replace_host(v, (struct ds_text){text.data, text.len - host.len - 1}, out);
        ds_buffer_add(out, "@", 1);
    }
    replace_host(v, host, out);
}

/* keep_node appends a name that does not change, except for an address as its host, which may have to
 * be replaced. */
static void keep_node(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    const struct ds_text host = host_of(text);
    const size_t len = text.len - host.len;
    ds_buffer_add(out, text.data, len);
    if (!is_wanted(v, REDACT_ADDRESSES) || redact_keep_is_named(v->kept, text) ||
        !replace_ip(v, host, out))
        ds_buffer_add(out, host.data, host.len);
}

static bool is_node_name(struct ds_text text)
{
    const char *at = text.len != 0 ? memchr(text.data, '@', text.len) : NULL;
    return at != NULL && at != text.data && at != text.data + text.len - 1;
}

/* Names */

/* EPMD has names without their host; they may be equal to names of OTP modules. */
static void make_node(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    const bool kept = !is_wanted(v, REDACT_NODES) ||
                      (is_node_name(text) && redact_keep_is_otp(text)) ||
                      redact_keep_is_named(v->kept, text);
    (kept && !has_cookie(v, text) ? keep_node : replace_node)(v, text, out);
}

static void make_atom(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    static const char prefix[] = "Elixir."; /* of the alias of a module */
    const size_t prefix_len = sizeof prefix - 1;
    const bool is_node = is_node_name(text);
    const bool wanted = is_wanted(v, REDACT_ATOMS) || (is_node && is_wanted(v, REDACT_NODES));
    if ((!wanted || redact_keep_is_otp(text) || redact_keep_is_named(v->kept, text)) &&
        !has_cookie(v, text)) {
        (is_node ? keep_node : stay)(v, text, out);
    } else if (is_node) {
        replace_node(v, text, out);
    } else {
        const bool has_prefix =
            text.len > prefix_len && memcmp(text.data, prefix, prefix_len) == 0;
        replace_text(v, PSEUDONYM_NAME, text, has_prefix ? prefix_len : 0, is_reserved_atom, out);
    }
}

/* An atom has at most 255 characters, and so has its pseudonym. An IP address may become a longer one,
 * and then so does the node's name. */
enum { MAX_ATOM_CHARS = 255 };

static void make_name(struct redact_values *v, bool is_node, struct ds_text text, struct ds_buffer *out)
{
    const size_t at = out->len;
    (is_node ? make_node : make_atom)(v, text, out);
    if (out->len - at <= MAX_ATOM_CHARS || out->len - at <= text.len || out->failed)
        return;
    out->len = at;
    replace_text(v, PSEUDONYM_NAME, text, 0, NULL, out);
}

static void redact_name(struct redact_values *v, bool is_node, struct ds_text text,
                        struct ds_buffer *out)
{
    if (text.len > NAME_LEN) {
        make_name(v, is_node, text, out);
        return;
    }
    struct name *name = &v->names[hash_add_text(is_node, text.data, text.len) % NUM_NAMES];
    if (!name->used || name->is_node != is_node || !same(text, name->text, name->len)) {
        const size_t at = out->len;
        make_name(v, is_node, text, out);
        const size_t len = out->len - at;
        v->failed |= pseudonym_failed(v->pseudonyms) || v->codes.failed || v->utf8.failed;
        if (v->failed || out->failed || len > NAME_LEN)
            return; /* a result made without memory must not be cached */
        *name = (struct name){
            .is_node = is_node, .used = true, .len = (uint8_t)text.len, .new_len = (uint8_t)len};
        if (text.len != 0)
            memcpy(name->text, text.data, text.len);
        if (len != 0)
            memcpy(name->new_text, out->data + at, len);
        return;
    }
    ds_buffer_add(out, name->new_text, name->new_len);
}

void redact_atom(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    redact_name(v, false, text, out);
}

void redact_node(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    redact_name(v, true, text, out);
}

bool redact_address(struct redact_values *v, uint8_t *bytes, size_t len)
{
    if (!is_wanted(v, REDACT_ADDRESSES))
        return false;
    pseudonym_address(v->pseudonyms, bytes, len);
    return true;
}

/* Leaves of terms */

static void rewrite_atom(void *context, struct ds_text text, struct ds_buffer *out)
{
    redact_atom(context, text, out);
}

static void rewrite_node(void *context, struct ds_text text, struct ds_buffer *out)
{
    redact_node(context, text, out);
}

static void rewrite_bytes(void *context, struct ds_text bytes, unsigned last_bits,
                          struct ds_buffer *out)
{
    struct redact_values *v = context;
    const bool whole = last_bits == 8;
    const bool kept = !is_wanted(v, REDACT_BINARIES) ||
                      (whole && redact_keep_is_named(v->kept, bytes));
    if (kept && !has_cookie(v, bytes)) {
        ds_buffer_add(out, bytes.data, bytes.len);
    } else if (whole && pseudonym_is_utf8_text(bytes.data, bytes.len)) {
        if (bytes.len > LONG_TEXT)
            pseudonym_long_text(v->pseudonyms, bytes, out);
        else
            replace_text(v, PSEUDONYM_FREE, bytes, 0, is_reserved_text, out);
    } else {
        const size_t at = out->len;
        ds_buffer_add(out, bytes.data, bytes.len);
        if (!out->failed)
            pseudonym_bytes(v->pseudonyms, (uint8_t *)out->data + at, bytes.len, last_bits);
    }
}

static void rewrite_integer(void *context, bool negative, uint8_t *bytes, size_t len)
{
    struct redact_values *v = context;
    (void)negative;
    if (is_wanted(v, REDACT_NUMBERS) && !(v->counts && len == 1))
        pseudonym_integer(v->pseudonyms, bytes, len);
}

/* The characters of a list that is not a string are numbers, if strings are not to be replaced. */
static void replace_numbers(struct redact_values *v, uint32_t *codes, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        uint8_t bytes[4];
        size_t len = 0;
        for (uint32_t rest = codes[i]; rest != 0; rest >>= 8)
            bytes[len++] = (uint8_t)rest;
        if (len == 0)
            continue;
        pseudonym_integer(v->pseudonyms, bytes, len);
        codes[i] = 0;
        while (len-- != 0)
            codes[i] = codes[i] << 8 | bytes[len];
    }
}

static void rewrite_characters(void *context, uint32_t *codes, size_t num, bool is_text)
{
    struct redact_values *v = context;
    const bool kept = is_text && is_reserved_text(v, codes, num);
    /* The cookie may begin in one part of a long list, and end in the next. */
    const bool cookie =
        v->cookie.len != 0 &&
        (num == DS_REWRITE_CHARACTERS || has_cookie(v, all_utf8(v, codes, num)));
    if ((is_wanted(v, REDACT_STRINGS) && !kept) || cookie)
        pseudonym_text(v->pseudonyms, PSEUDONYM_FREE, codes, num, is_reserved_text, v);
    else if (is_wanted(v, REDACT_NUMBERS) && !is_text)
        replace_numbers(v, codes, num);
}

static void rewrite_real(void *context, double *value)
{
    struct redact_values *v = context;
    if (is_wanted(v, REDACT_NUMBERS))
        pseudonym_real(v->pseudonyms, value);
}

static bool rewrite_address(void *context, uint8_t *bytes, size_t len)
{
    return redact_address(context, bytes, len);
}

static void rewrite_fingerprint(void *context, uint8_t *bytes, size_t len)
{
    struct redact_values *v = context;
    pseudonym_digest(v->pseudonyms, bytes, len);
}

enum ds_rewrite_status redact_rewrite(struct redact_values *v, const struct ds_term *term,
                                      bool counts, struct ds_buffer *out)
{
    const struct ds_rewriter rewriter = {
        .context = v,
        .max_growth = MAX_GROWTH,
        .atom = rewrite_atom,
        .node = rewrite_node,
        .bytes = rewrite_bytes,
        .characters = rewrite_characters,
        .integer = rewrite_integer,
        .real = rewrite_real,
        .address = rewrite_address,
        .fingerprint = rewrite_fingerprint,
    };
    v->counts = counts;
    const enum ds_rewrite_status status = ds_term_rewrite(term, &rewriter, out);
    v->counts = false;
    return status;
}

/* Opening */

static bool get_key(const struct redact_config *config, uint8_t key[PSEUDONYM_KEY_LEN])
{
    if (config->key_file != NULL || config->key == NULL)
        return redact_key_read(config->key_file, key);
    memcpy(key, config->key, PSEUDONYM_KEY_LEN);
    return true;
}

struct redact_values *redact_values_new(const struct redact_config *config)
{
    uint8_t key[PSEUDONYM_KEY_LEN];
    struct redact_values *v = calloc(1, sizeof *v);
    if (v == NULL) {
        complain("out of memory");
        return NULL;
    }
    v->what = config->what;
    v->kept = redact_keep_new(&config->keep);
    if (v->kept == NULL || !cookie_file_read(config->cookie_file, v->cookie_text, &v->cookie) ||
        !get_key(config, key)) {
        redact_values_free(v);
        return NULL;
    }
    v->pseudonyms = pseudonym_new(key);
    explicit_bzero(key, sizeof key);
    if (v->pseudonyms == NULL) {
        complain("out of memory, or OpenSSL lacks BLAKE2, AES or ChaCha20, which --redact needs");
        redact_values_free(v);
        return NULL;
    }
    return v;
}

uint64_t redact_values_num_given_up(const struct redact_values *v)
{
    return redact_keep_num_given_up(v->kept);
}

void redact_values_free(struct redact_values *v)
{
    if (v == NULL)
        return;
    pseudonym_free(v->pseudonyms);
    redact_keep_free(v->kept);
    ds_buffer_free(&v->codes);
    ds_buffer_free(&v->utf8);
    free(v);
}

bool redact_values_failed(struct redact_values *v)
{
    const bool failed = pseudonym_failed(v->pseudonyms) || v->failed || v->codes.failed ||
                        v->utf8.failed;
    v->failed = false;
    if (v->codes.failed || v->codes.cap > KEEP_SCRATCH)
        ds_buffer_free(&v->codes);
    if (v->utf8.failed || v->utf8.cap > KEEP_SCRATCH)
        ds_buffer_free(&v->utf8);
    return failed;
}
