/*
 * option_input.c - options that choose the source of packets, and the connections to follow.
 */
#include "app/options/option_set.h"

#include "app/options/option_values.h"
#include "core/complain.h"
#include "core/units.h"
#include "send/epmd/epmd_asker.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_HOLD_NS INT64_C(1000000000)
#define MOST_HOLD_NS (3600 * LEAST_HOLD_NS)

static bool add_stream(struct options *o, const char *value)
{
    if (o->nats.num_reads == NATS_MAX_READS) {
        complain("-r nats://... can be used at most %d times", NATS_MAX_READS);
        return false;
    }
    return nats_check() && nats_url_parse("-r", value, &o->nats.reads[o->nats.num_reads++]);
}

static bool add_server(struct options *o, const char *value)
{
    if (o->streams.num == STREAM_MAX_STREAMS) {
        complain("-r tcp://... can be used at most %d times", STREAM_MAX_STREAMS);
        return false;
    }
    return stream_url_parse(value, &o->streams.url[o->streams.num++]);
}

bool option_set_read(struct options *o, const char *value)
{
    const char **files =
        reallocarray(o->capture.read_files, o->capture.num_read_files + 1, sizeof *files);
    if (files == NULL) {
        complain("out of memory");
        return false;
    }
    o->capture.read_files = files;
    if ((nats_is_url(value) && !add_stream(o, value)) || (stream_is_url(value) && !add_server(o, value)))
        return false;
    o->capture.read_files[o->capture.num_read_files++] = value;
    return true;
}

bool option_set_keylog_file(struct options *o, const char *value)
{
    struct keylog_config *keylog = &o->keylog;
    if (strcmp(value, "-") == 0) {
        complain("--keylog-file - is refused: keep secrets in a file that only you can read");
        return false;
    }
    if (keylog->num_files == MAX_KEYLOG_FILES) {
        complain("--keylog-file: at most %d", MAX_KEYLOG_FILES);
        return false;
    }
    const char **files = reallocarray(keylog->files, keylog->num_files + 1, sizeof *files);
    if (files == NULL) {
        complain("out of memory");
        return false;
    }
    keylog->files = files;
    keylog->files[keylog->num_files++] = value;
    return true;
}

bool option_set_list_interfaces(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_LIST_INTERFACES;
    return true;
}

bool option_set_snaplen(struct options *o, const char *value)
{
    uint64_t bytes;
    if (!option_parse_number("-s", value, 0, MAX_SNAPLEN, &bytes))
        return false;
    o->capture.snaplen = bytes == 0 ? MAX_SNAPLEN : (int)bytes;
    return true;
}

bool option_set_buffer(struct options *o, const char *value)
{
    uint64_t kib;
    if (!option_parse_number("-B", value, 1, INT32_MAX / 1024, &kib))
        return false;
    o->capture.buffer_kib = (int)kib;
    return true;
}

bool option_set_direction(struct options *o, const char *value)
{
    static const char *const names[] = {
        [DIRECTION_BOTH] = "inout", [DIRECTION_IN] = "in", [DIRECTION_OUT] = "out"};
    size_t which;
    if (!option_parse_choice("-Q", value, names, 3, &which))
        return false;
    o->capture.direction = (enum direction)which;
    return true;
}

bool option_set_sandbox(struct options *o, const char *value)
{
    static const char *const names[] = {
        [SANDBOX_AUTO] = "auto", [SANDBOX_OFF] = "off", [SANDBOX_REQUIRE] = "require"};
    size_t which;
    if (!option_parse_choice("--sandbox", value, names, 3, &which))
        return false;
    o->sandbox = (enum sandbox_wish)which;
    return true;
}

bool option_set_dist_port(struct options *o, const char *value)
{
    char list[512];
    if (strlen(value) >= sizeof list) {
        complain("--dist-port takes at most %d ports", MAX_DIST_PORTS);
        return false;
    }
    strcpy(list, value);
    char *rest = list;
    for (char *one; (one = strsep(&rest, ",")) != NULL;) {
        uint64_t port;
        if (!option_parse_number("--dist-port", one, 1, 65535, &port))
            return false;
        if (o->follow.num_dist_ports == MAX_DIST_PORTS) {
            complain("--dist-port takes at most %d ports", MAX_DIST_PORTS);
            return false;
        }
        o->follow.dist_ports[o->follow.num_dist_ports++] = (uint16_t)port;
    }
    return true;
}

bool option_set_follow(struct options *o, const char *value)
{
    (void)o;
    (void)value;
    complain("--follow is the default: ports that EPMD and handshakes reveal are followed");
    return true;
}

bool option_set_epmd_port(struct options *o, const char *value)
{
    uint64_t port;
    if (!option_parse_number("--epmd-port", value, 1, 65535, &port))
        return false;
    o->epmd_port = (uint16_t)port;
    return true;
}

bool option_set_hold(struct options *o, const char *value)
{
    if (units_parse(QUANTITY_DURATION, value, 1000000000, &o->hold_ns) &&
        o->hold_ns >= LEAST_HOLD_NS && o->hold_ns <= MOST_HOLD_NS)
        return true;
    complain("--hold takes a time from 1s to 1h, such as 10s, not '%s'", value);
    return false;
}

bool option_set_ask_epmd(struct options *o, const char *value)
{
    o->ask_epmd = value != NULL ? value : "localhost";
    return epmd_asker_check(o->ask_epmd);
}
