/*
 * otlp_client.h - POSTs to a receiver, by libcurl.
 *
 * It connects only to the address that was given: it follows no redirection, and ignores proxies
 * from the environment. Certificates are always verified.
 */
#ifndef SRC_OTLP_CLIENT_H
#define SRC_OTLP_CLIENT_H

#include "send/otlp/otlp_answer.h"
#include "send/otlp/otlp_config.h"
#include "send/otlp/otlp_headers.h"
#include "send/otlp/otlp_library.h"

#include <distsniff/term.h>

enum { OTLP_CONNECT_MS = 5000, OTLP_REQUEST_MS = 10000 };

struct otlp_client {
    const struct otlp_config *config;
    char *text; /* the contents of the file of headers, NULL: there is none */
    char *ca, *certificate, *key;
    struct otlp_headers headers;
    CURL *easy;
    CURLM *multi;
    struct curl_slist *list; /* of headers */
    char error[CURL_ERROR_SIZE];
    size_t num_header_bytes; /* received in an answer */
};

/* otlp_client_init loads the library and reads the files. Their contents stay in memory until the
 * process ends. False after an error message. */
bool otlp_client_init(struct otlp_client *client, const struct otlp_config *config);

/* otlp_client_post sends a body and waits for the answer while goes_on returns true: false if it
 * returned false; then the client is unusable. */
bool otlp_client_post(struct otlp_client *client, struct ds_text body, bool (*goes_on)(void *context),
                      void *context, struct otlp_answer *answer);

/* otlp_client_has_sent says whether bytes of the request were sent: the receiver is reachable. */
bool otlp_client_has_sent(const struct otlp_client *client);

#endif
