/*
 * otlp_client.c - see otlp_client.h.
 */
#ifdef DISTSNIFF_OTLP

#include "send/otlp/otlp_client.h"

#include "core/complain.h"
#include "files/small_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 50 };

/* Files. */

static bool read_files(struct otlp_client *client, const struct otlp_config *config)
{
    if (config->headers_file != NULL &&
        ((client->text = small_file_read(config->headers_file, true)) == NULL ||
         !otlp_headers_parse(config->headers_file, client->text, &client->headers)))
        return false;
    return (config->ca_file == NULL || (client->ca = small_file_read(config->ca_file, false)) != NULL) &&
           (config->certificate_file == NULL ||
            ((client->certificate = small_file_read(config->certificate_file, false)) != NULL &&
             (client->key = small_file_read(config->key_file, true)) != NULL));
}

static bool add_header(struct otlp_client *client, const char *line)
{
    struct curl_slist *list = otlp_library.curl_slist_append(client->list, line);
    if (list != NULL)
        client->list = list;
    return list != NULL;
}

static bool add_headers(struct otlp_client *client)
{
    bool good = add_header(client, "Content-Type: application/json") &&
                add_header(client, "Expect:") && /* the body is sent without waiting for 100 Continue */
                (!client->config->is_packed || add_header(client, "Content-Encoding: gzip"));
    for (size_t i = 0; good && i < client->headers.num; i++)
        good = add_header(client, client->headers.lines[i]);
    return good;
}

/* Answers. */

/* on_header only counts: after too many bytes of headers it stops the transfer. */
static size_t on_header(char *bytes, size_t size, size_t num, void *context)
{
    struct otlp_client *client = context;
    (void)bytes;
    client->num_header_bytes += size * num;
    return client->num_header_bytes <= OTLP_MOST_ANSWER ? size * num : 0;
}

/* on_body keeps the body if it fits; if it is too long it stops the transfer, and keeps nothing. */
static size_t on_body(char *bytes, size_t size, size_t num, void *context)
{
    struct otlp_answer *answer = context;
    if (size * num > sizeof answer->body - answer->len) {
        answer->len = 0;
        return 0;
    }
    memcpy(answer->body + answer->len, bytes, size * num);
    answer->len += size * num;
    return size * num;
}

/* Options. */

static void set_text(CURL *easy, CURLoption option, char *text, bool *good)
{
    struct curl_blob blob = {.data = text, .flags = CURL_BLOB_NOCOPY};
    if (text == NULL)
        return;
    blob.len = strlen(text);
    *good = *good && otlp_library.curl_easy_setopt(easy, option, &blob) == CURLE_OK;
}

static bool set_tls(struct otlp_client *client)
{
    bool good = true;
    set_text(client->easy, CURLOPT_CAINFO_BLOB, client->ca, &good);
    set_text(client->easy, CURLOPT_SSLCERT_BLOB, client->certificate, &good);
    set_text(client->easy, CURLOPT_SSLKEY_BLOB, client->key, &good);
    /* If a file of certificates was given, no others are trusted. */
    if (client->ca != NULL)
        good = good && otlp_library.curl_easy_setopt(client->easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
    return good;
}

static bool set_options(struct otlp_client *client)
{
    CURL *easy = client->easy;
    bool good = true;
#define SET(option, value)                                                                         \
    good = good && otlp_library.curl_easy_setopt(easy, CURLOPT_##option, value) == CURLE_OK
    SET(URL, client->config->url);
    SET(PROTOCOLS_STR, "http,https");
    SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(FOLLOWLOCATION, 0L);
    SET(PROXY, ""); /* no proxy, not even one from the environment */
    SET(NOSIGNAL, 1L);
    SET(QUICK_EXIT, 1L); /* at exit, it does not wait for slow name resolution */
    SET(CONNECTTIMEOUT_MS, (long)OTLP_CONNECT_MS);
    SET(TIMEOUT_MS, (long)OTLP_REQUEST_MS);
    SET(SSL_VERIFYPEER, 1L);
    SET(SSL_VERIFYHOST, 2L);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(USERAGENT, "distsniff/" DISTSNIFF_VERSION);
    SET(HTTPHEADER, client->list);
    SET(ERRORBUFFER, client->error);
    SET(HEADERFUNCTION, on_header);
    SET(HEADERDATA, client);
    SET(WRITEFUNCTION, on_body);
    SET(POST, 1L);
#undef SET
    return good && set_tls(client);
}

bool otlp_client_init(struct otlp_client *client, const struct otlp_config *config)
{
    *client = (struct otlp_client){.config = config};
    if (!otlp_library_load() || !read_files(client, config))
        return false;
    (void)unsetenv("SSLKEYLOGFILE"); /* it would write the keys of the connections to a file */
    if (otlp_library.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && add_headers(client) &&
        (client->easy = otlp_library.curl_easy_init()) != NULL &&
        (client->multi = otlp_library.curl_multi_init()) != NULL && set_options(client))
        return true;
    complain("-T otlp=: libcurl cannot do what is needed, or memory ran out");
    return false;
}

/* Requests. */

static bool is_hopeless(CURLcode code)
{
    static const CURLcode codes[] = {CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
                                     CURLE_SSL_CACERT_BADFILE,       CURLE_SSL_ISSUER_ERROR,
                                     CURLE_SSL_CIPHER,               CURLE_UNSUPPORTED_PROTOCOL,
                                     CURLE_URL_MALFORMAT};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

/* finish reads the result of a transfer. */
static void finish(struct otlp_client *client, CURLcode code, struct otlp_answer *answer)
{
    curl_off_t wait = 0;
    (void)otlp_library.curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &answer->status);
    (void)otlp_library.curl_easy_getinfo(client->easy, CURLINFO_RETRY_AFTER, &wait);
    answer->wait_s = wait;
    if (answer->status >= 200)
        return; /* a final status: 1xx comes only before one */
    answer->status = 0;
    answer->is_hopeless = is_hopeless(code);
    answer->trouble = client->num_header_bytes > OTLP_MOST_ANSWER ? "the answer does not end"
                      : code == CURLE_UNSUPPORTED_PROTOCOL
                          ? "it does not speak HTTP: the port of OTLP over HTTP is 4318, of "
                            "gRPC 4317"
                      : client->error[0] != '\0'                  ? client->error
                                                 : otlp_library.curl_easy_strerror(code);
}

/* perform runs until there is an answer, or goes_on returns false. */
static bool perform(struct otlp_client *client, bool (*goes_on)(void *context), void *context,
                    CURLcode *code)
{
    int is_running = 1, num;
    while (otlp_library.curl_multi_perform(client->multi, &is_running) == CURLM_OK && is_running) {
        if (!goes_on(context))
            return false;
        (void)otlp_library.curl_multi_poll(client->multi, NULL, 0, TICK_MS, NULL);
    }
    const CURLMsg *message = otlp_library.curl_multi_info_read(client->multi, &num);
    *code = message != NULL ? message->data.result : CURLE_OUT_OF_MEMORY;
    return true;
}

bool otlp_client_has_sent(const struct otlp_client *client)
{
    curl_off_t sent = 0;
    (void)otlp_library.curl_easy_getinfo(client->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    return sent > 0;
}

bool otlp_client_post(struct otlp_client *client, struct ds_text body, bool (*goes_on)(void *context),
                      void *context, struct otlp_answer *answer)
{
    CURLcode code = CURLE_OUT_OF_MEMORY;
    answer->status = 0;
    answer->is_hopeless = false;
    answer->trouble = NULL;
    answer->wait_s = 0;
    answer->len = 0;
    client->num_header_bytes = 0;
    client->error[0] = '\0';
    (void)otlp_library.curl_easy_setopt(client->easy, CURLOPT_WRITEDATA, answer);
    (void)otlp_library.curl_easy_setopt(client->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    (void)otlp_library.curl_easy_setopt(client->easy, CURLOPT_POSTFIELDS, body.data);
    if (otlp_library.curl_multi_add_handle(client->multi, client->easy) == CURLM_OK) {
        if (!perform(client, goes_on, context, &code))
            return false;
        (void)otlp_library.curl_multi_remove_handle(client->multi, client->easy);
    }
    finish(client, code, answer);
    return true;
}

#endif
