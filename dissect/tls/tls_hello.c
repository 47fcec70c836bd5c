/*
 * tls_hello.c - see tls_hello.h (RFC 5246, 7.4.1; RFC 8446, 4.1):
 *
 *   ClientHello  version:2 random:32 id<1> suites<2> compressions<1> extensions<2>
 *   ServerHello  version:2 random:32 id<1> suite:2 compression:1 extensions<2>
 *   extension    type:2 bytes<2>
 *
 * <n>: preceded by a length of n bytes. A hello of TLS 1.2 may end before the extensions.
 */
#include "tls/tls_hello.h"

#include "util/reader.h"

#include <distsniff/dissect.h>

enum extension {
    EXT_SERVER_NAME = 0,
    EXT_ENCRYPT_THEN_MAC = 22,
    EXT_SESSION_TICKET = 35,
    EXT_PRE_SHARED_KEY = 41,
    EXT_SUPPORTED_VERSIONS = 43,
    EXT_KEY_SHARE = 51,
    EXT_ENCRYPTED_HELLO = 0xfe0d, /* RFC 9849, 5: type:1, 0 of the outer hello */
};

enum { MAX_ID_LEN = 32 };

/* The random of a HelloRetryRequest: RFC 8446, 4.1.3. */
static const uint8_t retry_random[TLS_RANDOM_LEN] = {
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};

static const char cut[] = "the hello ends too early";

static struct cursor child8(struct reader *r)
{
    const uint8_t len = reader_u8(r, cut);
    return reader_child(r, len, cut);
}

static struct cursor child16(struct reader *r)
{
    const uint16_t len = reader_u16(r, cut);
    return reader_child(r, len, cut);
}

/* read_server_name reads names<2>, each type:1 name<2>; type 0 is a host. */
static void read_server_name(struct reader at, struct tls_hello *out)
{
    struct reader names = {.at = child16(&at)};
    while (cursor_left(&names.at) != 0 && reader_is_ok(&names)) {
        const uint8_t type = reader_u8(&names, cut);
        const struct cursor name = child16(&names);
        if (type == 0 && reader_is_ok(&names))
            out->sni = name;
    }
}

static void read_versions(struct reader at, bool is_client, struct tls_hello *out)
{
    struct cursor versions = is_client ? child8(&at) : at.at;
    uint16_t version;
    while (cursor_read_u16(&versions, &version)) {
        const bool is_grease = (version & 0x0f0f) == 0x0a0a;
        if (!is_grease && version >> 8 == 3 && (version > out->version || !is_client))
            out->version = version;
    }
}

/* read_encrypted_hello: a client without one still sends an outer hello, with random content. */
static void read_encrypted_hello(struct reader at, struct tls_hello *out)
{
    out->has_ech = reader_u8(&at, cut) == 0 && reader_is_ok(&at);
}

static void read_extension(uint16_t type, struct reader at, bool is_client, struct tls_hello *out)
{
    switch (type) {
    case EXT_SERVER_NAME:
        if (is_client)
            read_server_name(at, out);
        break;
    case EXT_ENCRYPT_THEN_MAC:
        out->mac_last = true;
        break;
    case EXT_SESSION_TICKET:
        out->has_ticket |= cursor_left(&at.at) != 0;
        break;
    case EXT_PRE_SHARED_KEY:
        out->has_ticket = true;
        break;
    case EXT_SUPPORTED_VERSIONS:
        read_versions(at, is_client, out);
        break;
    case EXT_KEY_SHARE:
        if (!is_client)
            out->group = reader_u16(&at, cut);
        break;
    case EXT_ENCRYPTED_HELLO:
        if (is_client)
            read_encrypted_hello(at, out);
        break;
    default:
        break;
    }
}

bool tls_hello_read(struct cursor body, bool is_client, struct tls_hello *out)
{
    struct reader r = {.at = body};

    *out = (struct tls_hello){.version = reader_u16(&r, cut)};
    reader_bytes(&r, out->random, TLS_RANDOM_LEN, cut);
    const struct cursor id = child8(&r);
    if (is_client) {
        (void)child16(&r); /* suites */
        (void)child8(&r);  /* compressions */
    } else {
        out->suite = reader_u16(&r, cut);
        (void)reader_u8(&r, cut); /* compression */
    }
    if (!reader_is_ok(&r) || out->version >> 8 != 3 || cursor_left(&id) > MAX_ID_LEN)
        return false;
    out->is_retry = !is_client && memcmp(out->random, retry_random, TLS_RANDOM_LEN) == 0;
    if (cursor_left(&r.at) == 0)
        return true;
    struct reader extensions = {.at = child16(&r)};
    while (cursor_left(&extensions.at) != 0 && reader_is_ok(&extensions)) {
        const uint16_t type = reader_u16(&extensions, cut);
        const struct reader bytes = {.at = child16(&extensions)};
        if (reader_is_ok(&extensions))
            read_extension(type, bytes, is_client, out);
    }
    return reader_is_ok(&r) && reader_is_ok(&extensions);
}

static const struct {
    uint8_t description;
    const char *text;
} alerts[] = {
#define ALERT(code, text) {code, text},
#include "tls/tls_alerts.def"
#undef ALERT
};

const char *ds_tls_alert_at(size_t i)
{
    return i < sizeof alerts / sizeof alerts[0] ? alerts[i].text : NULL;
}

const char *tls_alert_text(uint8_t description)
{
    for (size_t i = 0; i < sizeof alerts / sizeof alerts[0]; i++) {
        if (alerts[i].description == description)
            return alerts[i].text;
    }
    return NULL;
}

static const struct {
    uint16_t code;
    const char *name;
} groups[] = {
    {23, "secp256r1"},
    {24, "secp384r1"},
    {25, "secp521r1"},
    {29, "x25519"},
    {30, "x448"},
    {256, "ffdhe2048"},
    {257, "ffdhe3072"},
    {258, "ffdhe4096"},
    {0x11eb, "secp256r1mlkem768"},
    {0x11ec, "x25519mlkem768"},
    {0x11ed, "secp384r1mlkem1024"},
    {0x200, "mlkem512"},
    {0x201, "mlkem768"},
    {0x202, "mlkem1024"},
};

const char *ds_tls_group_at(size_t i)
{
    return i < sizeof groups / sizeof groups[0] ? groups[i].name : NULL;
}

const char *tls_group_name(uint16_t group)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (groups[i].code == group)
            return groups[i].name;
    }
    return NULL;
}
