/*
 * option_stop.c - options that choose when to stop, and those that do something else than capture.
 */
#include "app/options/option_set.h"

#include "app/options/option_values.h"
#include "core/complain.h"
#include "core/units.h"

#include <stdlib.h>
#include <string.h>

bool option_set_count(struct options *o, const char *value)
{
    return option_parse_number("-c", value, 1, UINT64_MAX, &o->ending.max_messages);
}

bool option_set_check_config(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_CHECK_CONFIG;
    return true;
}

bool option_set_packets(struct options *o, const char *value)
{
    return option_parse_number("--packets", value, 1, UINT64_MAX, &o->ending.max_packets);
}

static bool set_duration(struct options *o, const char *seconds)
{
    char *end;
    if (*seconds < '0' || *seconds > '9')
        return false;
    const double max = strtod(seconds, &end);
    if (*end != '\0' || !(max > 0) || max >= 1e9)
        return false;
    if (o->ending.max_seconds == 0 || max < o->ending.max_seconds)
        o->ending.max_seconds = max;
    return true;
}

static bool read_count(const char *text, uint64_t *out)
{
    int64_t count;
    if (text[0] < '0' || text[0] > '9' || text[strspn(text, "0123456789")] != '\0' ||
        !units_parse(QUANTITY_SIZE, text, 1, &count))
        return false;
    *out = (uint64_t)count;
    return count != 0;
}

/* If the option is repeated, the lower value wins, as it ends the run first. */
static bool read_least(const char *text, uint64_t *least)
{
    uint64_t count;
    if (!read_count(text, &count))
        return false;
    if (*least == 0 || count < *least)
        *least = count;
    return true;
}

static bool set_filesize(struct options *o, const char *kilobytes)
{
    return read_least(kilobytes, &o->ending.max_file_kb);
}

static bool set_files(struct options *o, const char *number)
{
    return read_least(number, &o->keep.max_files);
}

bool option_set_autostop(struct options *o, const char *value)
{
    static const struct {
        const char *name;
        bool (*set)(struct options *o, const char *value);
    } kinds[] = {
        {"duration:", set_duration}, {"filesize:", set_filesize}, {"files:", set_files},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t len = strlen(kinds[i].name);
        if (strncmp(value, kinds[i].name, len) == 0 && kinds[i].set(o, value + len))
            return true;
    }
    complain("-a takes duration:SECONDS, filesize:KB or files:NUMBER, not '%s'", value);
    return false;
}

/* N, a slash, a time; without the time, one second. */
bool option_set_rate(struct options *o, const char *value)
{
    char number[24];
    const size_t len = strcspn(value, "/");
    uint64_t max = 0;
    o->rate = (struct rate){.within_ns = 1000000000};
    o->ending.rate_text = value;
    if (strcmp(value, "off") == 0)
        return true;
    if (len < sizeof number) {
        memcpy(number, value, len);
        number[len] = '\0';
        if (read_count(number, &max) && max <= MAX_RATE &&
            (value[len] == '\0' || units_parse(QUANTITY_DURATION, value + len + 1, 1000000000,
                                               &o->rate.within_ns)) &&
            o->rate.within_ns > 0) {
            o->rate.max = max;
            return true;
        }
    }
    complain("--rate takes a number up to %d and a time (%s), such as 5000/2s, or off, not '%s'",
             MAX_RATE, units_list(QUANTITY_DURATION), value);
    return false;
}

static bool set_moment(const char *option, struct time_point *moment, const char *value)
{
    if (time_point_parse(value, moment))
        return true;
    char after[64];
    struct time_point meant;
    snprintf(after, sizeof after, "+%s", value);
    if (time_point_parse(after, &meant))
        complain("%s takes %s, not '%s': did you mean %s, after the first packet?", option,
                 time_point_forms,
                 value, after);
    else
        complain("%s takes %s, not '%s'", option, time_point_forms, value);
    return false;
}

bool option_set_since(struct options *o, const char *value)
{
    o->ending.since_text = value;
    return set_moment("--since", &o->ending.since, value);
}

bool option_set_until(struct options *o, const char *value)
{
    o->ending.until_text = value;
    return set_moment("--until", &o->ending.until, value);
}

bool option_set_list_labels(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_LIST_LABELS;
    return true;
}

/* show chooses an action: the first of several such options counts, as in other programs. */
static void show(struct options *o, enum action action)
{
    if (o->action != ACTION_HELP && o->action != ACTION_SHORT_HELP && o->action != ACTION_VERSION)
        o->action = action;
}

bool option_set_help(struct options *o, const char *value)
{
    (void)value;
    show(o, ACTION_HELP);
    return true;
}

bool option_set_short_help(struct options *o, const char *value)
{
    (void)value;
    show(o, ACTION_SHORT_HELP);
    return true;
}

bool option_set_version(struct options *o, const char *value)
{
    (void)value;
    show(o, ACTION_VERSION);
    return true;
}
