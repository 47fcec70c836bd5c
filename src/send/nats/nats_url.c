/*
 * nats_url.c - see nats_config.h.
 */
#include "send/nats/nats_config.h"

#include "core/clock.h"
#include "core/complain.h"
#include "core/time_point.h"
#include "core/units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_LATENESS_NS (60 * INT64_C(1000000000))
#define LEAST_SILENCE_NS (1 * INT64_C(1000000000))
#define MOST_SILENCE_NS (86400 * INT64_C(1000000000))
#define SHAPE "nats://HOST[:PORT][,HOST...][/STREAM]"

static const char *const schemes[] = {"nats://", "tls://"};
enum { NUM_SCHEMES = 2, TLS_SCHEME = 1 };

/* scheme_len returns the length of the scheme that a text begins with, 0: it has none. */
static size_t scheme_len(const char *text, bool *is_tls)
{
    for (int i = 0; i < NUM_SCHEMES; i++) {
        const size_t len = strlen(schemes[i]);
        if (strncmp(text, schemes[i], len) == 0) {
            *is_tls = i == TLS_SCHEME;
            return len;
        }
    }
    return 0;
}

bool nats_is_url(const char *word)
{
    bool is_tls;
    return scheme_len(word, &is_tls) != 0;
}

static bool is_word(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '-')
            return false;
    }
    return text[0] != '\0' && strlen(text) < NATS_MAX_WORD;
}

static bool set_host(struct nats_url *url, const char *value)
{
    if (!is_word(value))
        return false;
    strcpy(url->host, value);
    return true;
}

/* read_moment parses how long ago something was, or a moment, and converts it to ns since 1970. */
static bool read_moment(const char *value, int64_t *ns)
{
    const int64_t now_ns = clock_since_1970_ns();
    struct time_point point;
    int64_t ago_ns;
    if (units_parse(QUANTITY_DURATION, value, 0, &ago_ns)) {
        *ns = ago_ns < now_ns ? now_ns - ago_ns : 1; /* before 1970 means before all records */
        return ago_ns > 0;
    }
    if (!time_point_parse(value, &point) || point.kind == TIME_POINT_RELATIVE)
        return false;
    *ns = point.kind == TIME_POINT_OF_DAY ? time_point_last(&point, now_ns)
                                          : time_point_resolve(&point, 0, 0);
    return *ns > 0;
}

static bool set_since(struct nats_url *url, const char *value)
{
    return read_moment(value, &url->since_ns);
}

static bool set_until(struct nats_url *url, const char *value)
{
    return read_moment(value, &url->until_ns);
}

static bool set_follow(struct nats_url *url, const char *value)
{
    url->follows = true;
    return value[0] == '\0';
}

static bool set_lateness(struct nats_url *url, const char *value)
{
    return units_parse(QUANTITY_DURATION, value, 0, &url->lateness_ns) && url->lateness_ns > 0 &&
           url->lateness_ns <= MOST_LATENESS_NS;
}

static bool set_silence(struct nats_url *url, const char *value)
{
    return units_parse(QUANTITY_DURATION, value, 0, &url->silence_ns) &&
           url->silence_ns >= LEAST_SILENCE_NS && url->silence_ns <= MOST_SILENCE_NS;
}

/* parts are the parameters that may follow the question mark. */
static const struct {
    const char *name;
    bool (*set)(struct nats_url *url, const char *value);
} parts[] = {
    {"host", set_host},
    {"since", set_since},
    {"until", set_until},
    {"follow", set_follow},
    {"lateness", set_lateness},
    {"silence", set_silence},
};

static bool parse_part(struct nats_url *url, const char *part)
{
    const size_t len = strcspn(part, "=");
    const char *value = part + len + (part[len] == '=');
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strlen(parts[i].name) == len && memcmp(parts[i].name, part, len) == 0)
            return parts[i].set(url, value);
    }
    return false;
}

/* check_question says whether the parameters go together. False after an error message. */
static bool check_question(const char *option, const struct nats_url *url)
{
    if (url->lateness_ns != 0 && !url->follows) {
        complain("%s: lateness=TIME says how long ?follow waits for a host: add follow, joined by &",
                 option);
        return false;
    }
    if (url->silence_ns != 0 && !url->follows) {
        complain("%s: silence=TIME says after how long ?follow reports a capture point as silent: "
                 "add follow, joined by &", option);
        return false;
    }
    if (url->until_ns != 0 && url->follows) {
        complain("%s: ?follow goes on with what comes, until=TIME ends a read of what is there: "
                 "--until ends both", option);
        return false;
    }
    if (url->until_ns != 0 && url->since_ns >= url->until_ns) {
        complain("%s: until=TIME has to be later than since=TIME", option);
        return false;
    }
    return true;
}

/* parse_query parses since=TIME&until=TIME&host=NAME&follow&lateness=TIME&silence=TIME. */
static bool parse_query(const char *option, char *text, struct nats_url *url)
{
    for (char *part; (part = strsep(&text, "&")) != NULL;) {
        if (!parse_part(url, part)) {
            complain("%s: after the ? expected since=TIME or until=TIME, such as since=15min or "
                     "until=10:02, host=NAME, follow, lateness=TIME of at most a minute, or silence=TIME "
                     "of one second to one day, joined by &, not '%s'", option, part);
            return false;
        }
    }
    return check_question(option, url);
}

/* parse_servers splits the list of servers, which share the scheme of the first. */
static bool parse_servers(const char *option, char *text, struct nats_url *url)
{
    for (char *part; (part = strsep(&text, ",")) != NULL;) {
        bool is_tls = false;
        part += scheme_len(part, &is_tls);
        url->has_tls |= is_tls;
        if (part[0] == '\0' || url->num_servers == NATS_MAX_SERVERS) {
            complain(part[0] == '\0' ? "%s takes " SHAPE : "%s takes at most 16 servers", option);
            return false;
        }
        url->servers[url->num_servers++] = part;
    }
    return true;
}

bool nats_url_parse(const char *option, const char *word, struct nats_url *url)
{
    bool is_tls;
    *url = (struct nats_url){.stream = "DISTSNIFF", .host = "*"};
    if (scheme_len(word, &is_tls) == 0 || strlen(word) >= sizeof url->text) {
        complain("%s takes " SHAPE ", not '%s'", option, word);
        return false;
    }
    strcpy(url->text, word);
    char *servers = url->text + scheme_len(word, &is_tls);
    url->has_tls = is_tls;
    if (strchr(servers, '@') != NULL) {
        complain("%s: every user of this machine can read a password on the command line: put "
                 "USER:PASSWORD, or a token, into a file for --nats-creds", option);
        return false;
    }
    char *question = strchr(servers, '?');
    if (question != NULL)
        *question++ = '\0';
    if (question != NULL && !parse_query(option, question, url))
        return false;
    /* The stream follows the last slash that is not part of a scheme. */
    char *slash = strrchr(servers, '/');
    if (slash != NULL && slash > servers && slash[-1] != '/' && slash[-1] != ':') {
        *slash++ = '\0';
        if (slash[0] != '\0' && !is_word(slash)) {
            complain("%s: the name of a stream has letters, digits, _ and -, not '%s'", option, slash);
            return false;
        }
        if (slash[0] != '\0')
            strcpy(url->stream, slash);
    }
    for (size_t i = 0; i < sizeof url->prefix; i++)
        url->prefix[i] = (char)tolower((unsigned char)url->stream[i]);
    return parse_servers(option, servers, url);
}

bool nats_is_prefix(const char *word)
{
    size_t len = 0;
    for (bool is_begin = true; word[len] != '\0'; len++) {
        const bool is_plain = isalnum((unsigned char)word[len]) || word[len] == '-' || word[len] == '_';
        if (word[len] == '.' ? is_begin : !is_plain)
            return false;
        is_begin = word[len] == '.';
    }
    return len != 0 && len < NATS_MAX_WORD && word[len - 1] != '.';
}

void nats_host_name(const char *given, char name[NATS_MAX_WORD])
{
    char own[256] = "";
    if (given == NULL && gethostname(own, sizeof own - 1) != 0)
        own[0] = '\0';
    snprintf(name, NATS_MAX_WORD, "%.*s", NATS_MAX_WORD - 1, given != NULL ? given : own);
    for (char *at = name; *at != '\0'; at++) {
        if (!isalnum((unsigned char)*at) && *at != '-')
            *at = '_';
    }
    if (name[0] == '\0')
        strcpy(name, "_");
}

bool nats_check(void)
{
#ifdef DISTSNIFF_NATS
    return true;
#else
    complain("this distsniff was built without NATS: build it with -DDISTSNIFF_NATS=ON, which needs "
             "libnats (Debian: libnats-dev)");
    return false;
#endif
}
