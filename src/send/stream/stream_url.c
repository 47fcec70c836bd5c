/*
 * stream_url.c - see stream_url.h.
 */
#include "send/stream/stream_url.h"

#include "core/complain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char scheme[] = "tcp://";

bool stream_is_url(const char *word)
{
    return strncmp(word, scheme, sizeof scheme - 1) == 0;
}

static bool is_port(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (!isdigit((unsigned char)*at))
            return false;
    }
    const size_t len = strlen(text);
    return len != 0 && len <= 5 && atoi(text) >= 1 && atoi(text) <= 65535;
}

/* is_host says whether text can be a host: no control character, no blank, nothing that ends a host
 * in a URL. */
static bool is_host(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!isgraph((unsigned char)text[i]) || strchr("/?#@[]", text[i]) != NULL)
            return false;
    }
    return len != 0 && len <= STREAM_MAX_HOST;
}

bool stream_url_parse(const char *word, struct stream_url *url)
{
    const char *host = word + sizeof scheme - 1, *port = strrchr(host, ':');
    size_t len = port != NULL ? (size_t)(port - host) : 0;
    const bool has_brackets = len > 2 && host[0] == '[' && host[len - 1] == ']';
    *url = (struct stream_url){.word = word};
    if (has_brackets) {
        host++;
        len -= 2;
    }
    if (port == NULL || !is_port(port + 1) || !is_host(host, len) ||
        (!has_brackets && memchr(host, ':', len) != NULL)) {
        complain("-r tcp://HOST:PORT: expected a host and a port, such as tcp://web1:5000 or "
                 "tcp://[fe80::1]:5000, not '%s'", word);
        return false;
    }
    memcpy(url->host, host, len);
    strcpy(url->port, port + 1);
    return true;
}
