/*
 * tls_hello.h - the unencrypted messages at the beginning of TLS.
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

/* tls_hello is a ClientHello or a ServerHello. Its cursors are valid as long as the message. */
struct tls_hello {
    uint16_t version; /* the highest offered, or the one chosen */
    uint8_t random[TLS_RANDOM_LEN];
    uint16_t suite, group; /* chosen; 0: none */
    struct cursor sni;     /* the requested host; empty: none */
    bool mac_last;         /* encrypt-then-MAC */
    bool is_retry;         /* HelloRetryRequest */
    bool has_ech;          /* it may contain another hello, encrypted */
    bool has_ticket;       /* resumption of a session was offered, or accepted */
};

/* tls_hello_read reads the body of a hello; false if it is malformed. */
bool tls_hello_read(struct cursor body, bool is_client, struct tls_hello *out);

/* tls_alert_text returns the name of an alert in RFC 8446, 6; NULL: unknown. */
const char *tls_alert_text(uint8_t description);

/* tls_group_name returns the name of a group (IANA, "TLS Supported Groups"); NULL: unknown. */
const char *tls_group_name(uint16_t group);

#endif
