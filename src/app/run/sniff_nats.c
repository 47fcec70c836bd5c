/*
 * sniff_nats.c - what a run sends to servers, and reads from them. See sniff_parts.h.
 */
#include "app/run/sniff_parts.h"

#include "app/run/resume_file.h"
#include "core/clock.h"
#include "core/complain.h"
#include "redact/redact_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often the place is checked. A queue passes records on much sooner. */
#define PLACE_EVERY_NS (2 * INT64_C(1000000000))

static struct sender_rules rules_of(const struct options *options)
{
    return (struct sender_rules){
        .user = options->keep.user,
        .is_live = options->capture.num_read_files == 0,
        .is_confined = options->sandbox != SANDBOX_OFF,
    };
}

/* is_file says whether a key can be read twice. */
static bool is_file(const char *name)
{
    struct stat status;
    return name != NULL && stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

/* hide_host replaces this host's name by a pseudonym. It is the same for the same key: of a key
 * file that can be read twice, else of this run. False after a complaint. */
static bool hide_host(const struct redact_config *config, char host[NATS_MAX_WORD])
{
    enum { DIGEST_LEN = 8 };
    uint8_t key[PSEUDONYM_KEY_LEN], digest[NATS_MAX_WORD] = {0};
    char own[NATS_MAX_WORD];
    struct pseudonym *p = redact_key_read(is_file(config->key_file) ? config->key_file : NULL, key)
                              ? pseudonym_new(key)
                              : NULL;
    explicit_bzero(key, sizeof key);
    if (p == NULL)
        return false;
    nats_host_name(NULL, own);
    memcpy(digest, own, strlen(own));
    pseudonym_digest(p, digest, sizeof digest);
    const bool ok = !pseudonym_failed(p);
    pseudonym_free(p);
    int len = snprintf(host, NATS_MAX_WORD, "host-");
    for (int i = 0; i < DIGEST_LEN; i++)
        len += snprintf(host + len, NATS_MAX_WORD - (size_t)len, "%02x", digest[i]);
    if (!ok)
        complain("--redact: this host has no name: give one with --nats-host");
    return ok;
}

bool sniff_start_nats(struct sniff *s)
{
    const struct options *options = s->options;
    const uint32_t names = 1u << REDACT_NODES | 1u << REDACT_ADDRESSES;
    s->nats_config = options->nats;
    if (options->nats.publish.num_servers != 0 && options->nats.host == NULL &&
        (options->redact.what & names) != 0) {
        if (!hide_host(&options->redact, s->nats_host))
            return false;
        s->nats_config.host = s->nats_host;
    }
    const struct nats_publisher_config config = {
        .nats = &s->nats_config,
        .rules = rules_of(options),
        .is_redacted = options->redact.what != 0,
    };
    if (options->nats.publish.num_servers == 0)
        return true;
    s->nats = nats_publisher_start(&config);
    return s->nats != NULL;
}

bool sniff_start_otlp(struct sniff *s)
{
    const struct options *options = s->options;
    const struct otlp_publisher_config config = {
        .otlp = &options->otlp,
        .rules = rules_of(options),
    };
    if (options->otlp.url[0] == '\0')
        return true;
    s->otlp = otlp_publisher_start(&config);
    return s->otlp != NULL;
}

/* add_input adds a file, open as fd if that is not -1. */
static void add_input(struct sniff *s, const char *name, int fd)
{
    const size_t i = s->capture_config.num_read_files++;
    s->capture_config.read_files[i] = name;
    s->read_fds[i] = fd;
}

/* show_from hides what is before that time, which only serves to decode the rest of a stream. With
 * other inputs, whose beginnings differ, everything is shown. */
static void show_from(struct sniff *s, int64_t from_ns)
{
    if (s->options->capture.num_read_files == 1)
        stop_condition_show_from(&s->ending, from_ns);
}

/* add_stream adds the packets of all hosts in a stream, the one with that index. */
static bool add_stream(struct sniff *s, const char *name, size_t stream)
{
    const struct nats_url *url = &s->options->nats.reads[stream];
    const struct nats_reader_config config = {
        .nats = &s->options->nats,
        .user = s->options->keep.user,
        .is_confined = s->options->sandbox != SANDBOX_OFF,
    };
    size_t i = s->read.num_files;
    if (url->follows) {
        struct nats_follower *follower = &s->followers[stream];
        int64_t shown_ns = 0;
        const char *resumed = s->options->nats.resume_file;
        if ((resumed != NULL && !resume_file_read(resumed, url->stream, &shown_ns)) ||
            !nats_follow_start(follower, &config, url, shown_ns))
            return false;
        s->shown_ns = s->shown_before_ns = s->place_shown_ns = shown_ns;
        add_input(s, name, follower->fd);
        follower->fd = -1;
        show_from(s, follower->from_ns);
        return true;
    }
    if (!nats_read(&config, url, &s->read))
        return false;
    s->failed |= s->read.is_partial;
    show_from(s, s->read.from_ns);
    for (; i < s->read.num_files; i++) {
        add_input(s, s->read.files[i].name, s->read.files[i].fd);
        s->read.files[i].fd = -1;
    }
    return true;
}

/* start_servers starts to read packets from the servers that -r names. */
static bool start_servers(struct sniff *s)
{
    const struct stream_reader_config config = {
        .urls = &s->options->streams,
        .user = s->options->keep.user,
        .is_confined = s->options->sandbox != SANDBOX_OFF,
    };
    return config.urls->num == 0 || stream_reader_start(&s->servers, &config);
}

/* add_server adds the input from a server; the capture owns the descriptor from then on. */
static void add_server(struct sniff *s, const char *name, size_t i)
{
    add_input(s, name, s->servers.fds[i]);
    s->servers.fds[i] = -1;
}

bool sniff_read_streams(struct sniff *s)
{
    const struct capture_config *given = &s->options->capture;
    const size_t most = given->num_read_files + NATS_MAX_HOSTS;
    size_t num_streams = 0, num_servers = 0;
    s->capture_config = *given;
    if (s->options->nats.num_reads == 0 && s->options->streams.num == 0)
        return true;
    if (!start_servers(s))
        return false;
    s->capture_config.num_read_files = 0;
    s->capture_config.read_files = calloc(most, sizeof *s->capture_config.read_files);
    s->capture_config.read_fds = s->read_fds = calloc(most, sizeof *s->read_fds);
    if (s->capture_config.read_files == NULL || s->read_fds == NULL) {
        complain("out of memory");
        return false;
    }
    for (size_t i = 0; i < given->num_read_files; i++) {
        if (stream_is_url(given->read_files[i]))
            add_server(s, given->read_files[i], num_servers++);
        else if (!nats_is_url(given->read_files[i]))
            add_input(s, given->read_files[i], -1);
        else if (!add_stream(s, given->read_files[i], num_streams++))
            return false;
    }
    return true;
}

/* last_shown returns the time up to which everything is known to be shown when the run ends. */
static int64_t last_shown(const struct sniff *s)
{
    if (s->ending.reason == STOP_COUNT)
        return s->shown_ns - 1; /* the last packet may contain further messages */
    return s->ending.reason == STOP_READER || s->has_unwritten ? s->place_shown_ns : s->shown_ns;
}

void sniff_keep_place(struct sniff *s, bool is_end)
{
    const struct nats_config *nats = &s->options->nats;
    const int64_t now_ns = clock_now_ns();
    if (nats->resume_file == NULL || (!is_end && now_ns - s->place_ns < PLACE_EVERY_NS))
        return;
    s->place_ns = now_ns;
    if (!is_end && !pipeline_mark_is_written(s->pipeline))
        return;
    const int64_t shown_ns = is_end ? last_shown(s) : s->shown_before_ns;
    if (shown_ns > s->place_shown_ns) {
        s->failed |= !resume_file_write(nats->resume_file, nats->reads[0].stream, shown_ns);
        s->place_shown_ns = shown_ns;
    }
    if (is_end)
        return;
    s->shown_before_ns = s->shown_ns;
    pipeline_mark(s->pipeline);
}

void sniff_forget_streams(struct sniff *s)
{
    stream_reader_end(&s->servers);
    for (size_t i = 0; i < NATS_MAX_READS; i++)
        nats_follow_end(&s->followers[i]);
    if (s->capture_config.read_files != s->options->capture.read_files)
        free(s->capture_config.read_files);
    free(s->read_fds);
}
