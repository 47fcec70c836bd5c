/*
 * otlp_client.h - POSTs to a receiver, by libcurl.
 *
 * It goes to the address that was given and nowhere else: no redirection is followed, and no proxy of the
 * environment is asked. Certificates are always checked.
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
    char *text; /* of the file of headers, NULL: there is none */
    char *ca, *certificate, *key;
    struct otlp_headers headers;
    CURL *easy;
    CURLM *multi;
    struct curl_slist *list; /* of headers */
    char error[CURL_ERROR_SIZE];
    size_t num_header_bytes; /* of an answer */
};

/* otlp_client_init loads the library and reads the files. What it has stays until the process ends. False
 * after a complaint. */
bool otlp_client_init(struct otlp_client *client, const struct otlp_config *config);

/* otlp_client_post sends a body and waits for the answer, as long as goes_on says so: false when it did
 * not, and the client is of no use any more. */
bool otlp_client_post(struct otlp_client *client, struct ds_text body, bool (*goes_on)(void *context),
                      void *context, struct otlp_answer *answer);

/* otlp_client_has_sent says whether the receiver takes what is posted: it is there. */
bool otlp_client_has_sent(const struct otlp_client *client);

#endif
