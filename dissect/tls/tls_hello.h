/*
 * tls_hello.h - what nodes say in clear at the beginning of TLS.
 */
#ifndef DISSECT_TLS_HELLO_H
#define DISSECT_TLS_HELLO_H

#include "tls/tls_cipher.h"

enum tls_message {
    TLS_CLIENT_HELLO = 1,
    TLS_SERVER_HELLO = 2,
    TLS_CERTIFICATE = 11,
    TLS_CERTIFICATE_REQUEST = 13,
    TLS_SERVER_HELLO_DONE = 14,
    TLS_FINISHED = 20,
    TLS_KEY_UPDATE = 24,
    TLS_COMPRESSED_CERTIFICATE = 25,
};

/* tls_hello is a ClientHello or a ServerHello. Cursors live as long as the message. */
struct tls_hello {
    uint16_t version; /* the highest offered, or the one chosen */
    uint8_t random[TLS_RANDOM_LEN];
    uint16_t suite, group; /* chosen; 0: none */
    struct cursor sni;     /* the host asked for; empty: none */
    bool mac_last;         /* encrypt-then-MAC */
    bool is_retry;         /* HelloRetryRequest */
    bool has_ech;          /* it may have another hello within, sealed */
    bool has_ticket;       /* a session to be taken up again was offered, or was taken up */
};

/* tls_hello_read reads the body of a hello; false when it makes no sense. */
bool tls_hello_read(struct cursor body, bool is_client, struct tls_hello *out);

/* tls_alert_text says an alert in the words of RFC 8446, 6; NULL: unknown. */
const char *tls_alert_text(uint8_t description);

/* tls_group_name names a group (IANA, "TLS Supported Groups"); NULL: unknown. */
const char *tls_group_name(uint16_t group);

#endif
