/*
 * option_stop.c - options that say when to stop, and those that do something else instead of
 * looking at packets.
 */
#include "option_set.h"

#include "complain.h"
#include "option_values.h"

#include <stdlib.h>
#include <string.h>

bool option_set_count(struct options *o, const char *value)
{
    return option_parse_number("-c", value, 1, UINT64_MAX, &o->max_messages);
}

bool option_set_packets(struct options *o, const char *value)
{
    return option_parse_number("--packets", value, 1, UINT64_MAX, &o->max_packets);
}

bool option_set_autostop(struct options *o, const char *value)
{
    static const char prefix[] = "duration:";
    const char *seconds = value + sizeof prefix - 1;
    char *end;
    if (strncmp(value, prefix, sizeof prefix - 1) == 0 && *seconds >= '0' && *seconds <= '9') {
        o->max_seconds = strtod(seconds, &end);
        if (*end == '\0' && o->max_seconds > 0 && o->max_seconds < 1e9)
            return true;
    }
    complain("-a takes duration:SECONDS, not '%s'", value);
    return false;
}

bool option_set_help(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_HELP;
    return true;
}

bool option_set_version(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_VERSION;
    return true;
}
