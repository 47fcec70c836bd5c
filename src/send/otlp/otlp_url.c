/*
 * otlp_url.c - see otlp_config.h.
 */
#include "send/otlp/otlp_config.h"

#include "core/complain.h"
#include "core/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE "http://HOST:4318/v1/traces, or https://"
#define PATH "/v1/traces"

static const char *const schemes[] = {"http", "https"};
enum { NUM_SCHEMES = 2, TLS_SCHEME = 1 };

/* host_len returns the length of the name or address, also [::1], that a text begins with. */
static size_t host_len(const char *text)
{
    size_t len = 0;
    if (text[0] == '[') {
        len = 1 + strspn(text + 1, "0123456789abcdefABCDEF:.");
        return len > 1 && text[len] == ']' ? len + 1 : 0;
    }
    while (isalnum((unsigned char)text[len]) || (text[len] != '\0' && strchr("-._", text[len]) != NULL))
        len++;
    return len;
}

/* port_len returns the length of :PORT, 0 if text does not begin with it. */
static size_t port_len(const char *text)
{
    const size_t len = text[0] == ':' ? strspn(text + 1, "0123456789") : 0;
    const long port = len != 0 && len < 6 ? strtol(text + 1, NULL, 10) : 0;
    return port > 0 && port < 65536 ? len + 1 : 0;
}

/* lacks_scheme says whether a word is HOST:PORT[/PATH]. */
static bool lacks_scheme(const char *word)
{
    const size_t host = host_len(word), port = host != 0 ? port_len(word + host) : 0;
    return port != 0 && (word[host + port] == '\0' || word[host + port] == '/');
}

bool otlp_is_url(const char *word)
{
    return strstr(word, "://") != NULL || strncmp(word, "http:", 5) == 0 ||
           strncmp(word, "https:", 6) == 0 || lacks_scheme(word);
}

static bool is_path(const char *text)
{
    for (; *text != '\0'; text++) {
        if (!isgraph((unsigned char)*text) || strchr("?#\"<>\\^`{|}", *text) != NULL)
            return false;
    }
    return true;
}

static bool complain_scheme(const char *word, size_t len)
{
    const char *near = suggest_find(word, len, schemes, NUM_SCHEMES);
    if (lacks_scheme(word))
        complain("-T otlp=%s: did you mean http://%s? A file of that name is ./%s", word, word, word);
    else if (near != NULL)
        complain("-T otlp= takes " SHAPE ", not '%s': did you mean %s://?", word, near);
    else
        complain("-T otlp= takes " SHAPE ", not '%s'", word);
    return false;
}

/* find_scheme returns the length of the scheme with its "://"; 0 after an error message. */
static size_t find_scheme(const char *word, bool *has_tls)
{
    const size_t len = strcspn(word, ":/");
    for (int i = 0; i < NUM_SCHEMES; i++) {
        if (strlen(schemes[i]) == len && strncasecmp(word, schemes[i], len) == 0 &&
            strncmp(word + len, "://", 3) == 0) {
            *has_tls = i == TLS_SCHEME;
            return len + 3;
        }
    }
    (void)complain_scheme(word, len);
    return 0;
}

static bool is_local(const char *host, size_t len)
{
    static const char *const names[] = {"localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == len && memcmp(host, names[i], len) == 0)
            return true;
    }
    return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len;
}

bool otlp_url_parse(const char *word, struct otlp_config *config)
{
    const size_t scheme = find_scheme(word, &config->has_tls);
    const char *host = word + scheme;
    if (scheme == 0)
        return false;
    if (memchr(host, '@', strcspn(host, "/")) != NULL || strpbrk(host, "?#") != NULL) {
        complain("-T otlp=: every user of this machine can read the command line: put "
                 "credentials into a file for --otlp-headers, such as: authorization: Bearer "
                 "TOKEN");
        return false;
    }
    const size_t len = host_len(host);
    const char *port = host + len;
    const size_t digits = len != 0 && *port == ':' ? port_len(port) : 0;
    const char *path = port + digits;
    if (len == 0 || (*path != '\0' && *path != '/') || !is_path(path)) {
        complain("-T otlp= takes " SHAPE ", not '%s'%s", word,
                 len != 0 && *path == ':' ? ": that is no port" : "");
        return false;
    }
    if (strlen(word) + sizeof PATH > sizeof config->url) {
        complain("-T otlp=: the address is too long: it has at most %d bytes",
                 (int)(OTLP_MAX_URL - sizeof PATH));
        return false;
    }
    config->is_local = is_local(host, len);
    snprintf(config->url, sizeof config->url, "%.*s%s", (int)(path - word), word,
             strcmp(path, "") == 0 || strcmp(path, "/") == 0 ? PATH : path);
    return true;
}

/* first_option returns the first option about sending that was given. */
static const char *first_option(const struct otlp_config *config)
{
    return config->headers_file != NULL       ? "--otlp-headers"
           : config->ca_file != NULL          ? "--otlp-ca"
           : config->certificate_file != NULL ? "--otlp-cert"
           : config->key_file != NULL         ? "--otlp-key"
           : config->queue_size != 0          ? "--otlp-queue"
           : config->is_packed                ? "--otlp-gzip"
                                              : NULL;
}

bool otlp_check_together(const struct otlp_config *config)
{
    const char *given = first_option(config);
    if (config->url[0] == '\0' && given != NULL) {
        complain("%s needs -T otlp=URL", given);
        return false;
    }
    if (!config->has_tls && (config->ca_file != NULL || config->certificate_file != NULL)) {
        complain("--otlp-ca and --otlp-cert need TLS: -T otlp= takes an address that begins "
                 "with https://");
        return false;
    }
    if (config->headers_file != NULL && !config->has_tls && !config->is_local)
        complain("warning: the headers in %s are sent unencrypted: use https://",
                 config->headers_file);
    return true;
}

bool otlp_check(void)
{
#ifdef DISTSNIFF_OTLP
    return true;
#else
    complain("this distsniff was built without -T otlp=URL: build it with -DDISTSNIFF_OTLP=ON, "
             "which needs libcurl (Debian: libcurl4-openssl-dev); -T otlp=FILE writes spans to "
             "a file");
    return false;
#endif
}
