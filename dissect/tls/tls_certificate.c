/*
 * tls_certificate.c - see tls_certificate.h (RFC 5246, 7.4.2; RFC 8446, 4.4.2): all<3>, which
 * contains each certificate<3>, the sender's own first; in TLS 1.3 after a context<1>. <n>:
 * preceded by a length of n bytes. In TLS 1.3 the message may be compressed (RFC 8879, 4):
 * algorithm:2 length:3 bytes<3>.
 */
#include "tls/tls_certificate.h"

#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <time.h>
#define ZLIB_CONST
#include <zlib.h>

enum {
    MAX_CERTIFICATE = 16 * 1024,
    MAX_UNPACKED = 64 * 1024,
};

static bool child24(struct cursor *at, struct cursor *child)
{
    uint8_t high;
    uint16_t low;
    return cursor_read_u8(at, &high) && cursor_read_u16(at, &low) &&
           cursor_child(at, (size_t)high << 16 | low, child);
}

static size_t copy_string(const ASN1_STRING *string, char *out, size_t room)
{
    unsigned char *text = NULL;
    const int len = ASN1_STRING_to_UTF8(&text, string);
    if (len <= 0)
        return 0;
    const size_t used = (size_t)len < room ? (size_t)len : room;
    memcpy(out, text, used);
    OPENSSL_free(text);
    return used;
}

static size_t alternative_name(X509 *certificate, char *out, size_t room)
{
    size_t len = 0;
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; names != NULL && len == 0 && i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type == GEN_DNS)
            len = copy_string(name->d.dNSName, out, room);
    }
    GENERAL_NAMES_free(names);
    return len;
}

static size_t common_name(X509 *certificate, char *out, size_t room)
{
    const X509_NAME *subject = X509_get_subject_name(certificate);
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    const X509_NAME_ENTRY *entry = at >= 0 ? X509_NAME_get_entry(subject, at) : NULL;
    return entry != NULL ? copy_string(X509_NAME_ENTRY_get_data(entry), out, room) : 0;
}

static int64_t seconds_of(const ASN1_TIME *time)
{
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

bool tls_certificate_read(struct cursor body, bool is_13, struct tls_certificate *out)
{
    struct cursor all, first;
    uint8_t context_len;
    *out = (struct tls_certificate){.name_len = 0};
    if (is_13 && (!cursor_read_u8(&body, &context_len) || !cursor_skip(&body, context_len)))
        return false;
    if (!child24(&body, &all) || !child24(&all, &first) || cursor_left(&first) == 0 ||
        cursor_left(&first) > MAX_CERTIFICATE)
        return false;
    const unsigned char *bytes = first.at;
    X509 *certificate = d2i_X509(NULL, &bytes, (long)cursor_left(&first));
    if (certificate == NULL)
        return false;
    out->valid_from = seconds_of(X509_get0_notBefore(certificate));
    out->valid_until = seconds_of(X509_get0_notAfter(certificate));
    out->name_len = alternative_name(certificate, out->name, sizeof out->name);
    if (out->name_len == 0)
        out->name_len = common_name(certificate, out->name, sizeof out->name);
    X509_free(certificate);
    return true;
}

static bool inflate_all(struct cursor from, uint8_t *to, size_t len)
{
    z_stream stream = {.next_in = from.at, .avail_in = (uInt)cursor_left(&from), .next_out = to,
                       .avail_out = (uInt)len};
    if (inflateInit(&stream) != Z_OK)
        return false;
    const bool is_whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    return is_whole;
}

const char *tls_certificate_unpack(struct cursor body, uint8_t **bytes, struct cursor *out)
{
    static const char *const names[] = {NULL, "zlib", "brotli", "zstd"};
    uint16_t algorithm, low;
    uint8_t high;
    struct cursor packed;
    *bytes = NULL;
    *out = cursor_make(NULL, 0);
    if (!cursor_read_u16(&body, &algorithm) || algorithm >= sizeof names / sizeof names[0])
        return NULL;
    if (algorithm != 1 || !cursor_read_u8(&body, &high) || !cursor_read_u16(&body, &low) ||
        !child24(&body, &packed))
        return names[algorithm];
    const size_t len = (size_t)high << 16 | low;
    if (len != 0 && len <= MAX_UNPACKED && (*bytes = malloc(len)) != NULL &&
        inflate_all(packed, *bytes, len))
        *out = cursor_make(*bytes, len);
    return names[algorithm];
}
