/*
 * stop_condition.c - see stop_condition.h.
 */
#include "core/stop_condition.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

static const struct {
    const char *before, *after;
} texts[STOP_REASON_COUNT] = {
    [STOP_NONE] = {"", ""},
#define ENDING(id, before, after) [STOP_##id] = {before, after},
#include "core/stop_reasons.def"
#undef ENDING
};

void stop_condition_init(struct stop_condition *ending, const struct stop_config *config, bool is_live)
{
    *ending = (struct stop_condition){
        .config = config,
        .is_live = is_live,
        .since_ns = INT64_MIN,
        .from_ns = INT64_MIN,
        .until_ns = INT64_MAX,
        .timeout_ns = INT64_MAX,
        .until_elapsed_ns = INT64_MAX,
    };
}

/* resolve_since: a time of day many hours before the capture means the next day. One shortly before it
 * selects all of the capture. Together with an --until that is a time of day, it is a window: the first
 * one that ends after the capture began. */
static int64_t resolve_since(const struct stop_config *config, int64_t start_ns)
{
    enum { HOURS = 12 };
    const int64_t ns = time_point_resolve(&config->since, start_ns, INT64_MIN);
    if (config->since.kind != TIME_POINT_OF_DAY || ns >= start_ns)
        return ns;
    if (config->until.kind == TIME_POINT_OF_DAY)
        return time_point_last(&config->since, time_point_resolve(&config->until, start_ns, start_ns));
    return time_point_resolve(&config->since, start_ns, start_ns - HOURS * 3600 * INT64_C(1000000000));
}

void stop_condition_begin(struct stop_condition *ending, int64_t start_ns)
{
    const struct stop_config *config = ending->config;
    const int64_t max_ns = (int64_t)(config->max_seconds * 1e9);
    if (start_ns < ending->from_ns)
        start_ns = ending->from_ns; /* earlier packets are only for decoding */
    int64_t earliest_ns = start_ns;
    if (config->since.kind != TIME_POINT_NONE) {
        ending->since_ns = resolve_since(config, start_ns);
        if (ending->since_ns > earliest_ns)
            earliest_ns = ending->since_ns;
    }
    if (ending->since_ns < ending->from_ns)
        ending->since_ns = ending->from_ns;
    if (config->until.kind == TIME_POINT_RELATIVE && ending->is_live)
        ending->until_elapsed_ns = config->until.ns;
    else if (config->until.kind != TIME_POINT_NONE)
        ending->until_ns = time_point_resolve(&config->until, start_ns, earliest_ns);
    if (max_ns != 0 && !ending->is_live)
        ending->timeout_ns = start_ns + max_ns;
}

void stop_condition_show_from(struct stop_condition *ending, int64_t from_ns)
{
    ending->from_ns = from_ns;
}

int64_t stop_condition_end_ns(const struct stop_condition *ending)
{
    return ending->reason == STOP_UNTIL ? ending->until_ns
           : ending->reason == STOP_DURATION ? ending->timeout_ns : INT64_MIN;
}

bool stop_condition_missed(const struct stop_condition *ending, const struct stop_range *range, char *out,
                           size_t size)
{
    const struct stop_config *config = ending->config;
    char first[32], last[32];
    if (ending->is_live || range->first_ns > range->last_ns)
        return false;
    time_point_format(range->first_ns, first, sizeof first);
    time_point_format(range->last_ns, last, sizeof last);
    if (ending->reason == STOP_UNTIL && ending->until_ns < range->first_ns)
        snprintf(out, size, "--until %s is before the first packet, which came at %s (local time)",
                 config->until_text, first);
    else if (ending->reason == STOP_INPUT && ending->since_ns > range->last_ns &&
             config->since_text == NULL)
        snprintf(out, size, "the stream has no packets of that time: the last one came at %s (local time)",
                 last);
    else if (ending->reason == STOP_INPUT && ending->since_ns > range->last_ns)
        snprintf(out, size,
                 "--since %s is after the last packet: the capture goes from %s to %s (local time)",
                 config->since_text, first, last);
    else
        return false;
    return true;
}

void stop_condition_set(struct stop_condition *ending, enum stop_reason reason)
{
    if (ending->reason == STOP_NONE)
        ending->reason = reason;
}

bool stop_condition_accepts(struct stop_condition *ending, int64_t ts_ns)
{
    const bool is_past = ts_ns > ending->until_ns;
    const bool is_late = ts_ns > ending->timeout_ns;
    if (is_past || is_late)
        stop_condition_set(ending, is_past ? STOP_UNTIL : STOP_DURATION);
    return !is_past && !is_late;
}

void stop_condition_count(struct stop_condition *ending, uint64_t num_packets)
{
    const uint64_t max = ending->config->max_packets;
    if (max != 0 && num_packets >= max)
        stop_condition_set(ending, STOP_PACKETS);
}

bool stop_condition_file(struct stop_condition *ending, uint64_t num_bytes)
{
    const uint64_t max_kb = ending->config->max_file_kb;
    const bool is_full = max_kb != 0 && num_bytes / 1000 >= max_kb;
    if (is_full)
        stop_condition_set(ending, STOP_FILESIZE);
    return is_full;
}

/* follow_clock keeps --since +5s at the same moment, even if the clock of the time stamps was set. Once
 * it has passed, no packet is before it. */
static void follow_clock(struct stop_condition *ending, int64_t elapsed_ns, int64_t now_ns)
{
    enum { SURE_NS = 1000000000 }; /* the kernel may still have packets */
    const struct time_point *since = &ending->config->since;
    if (since->kind != TIME_POINT_RELATIVE || !ending->is_live)
        return;
    ending->since_ns =
        elapsed_ns >= since->ns + SURE_NS ? INT64_MIN : now_ns - elapsed_ns + since->ns;
}

void stop_condition_clock(struct stop_condition *ending, int64_t elapsed_ns, int64_t now_ns)
{
    follow_clock(ending, elapsed_ns, now_ns);
    const int64_t max_ns = (int64_t)(ending->config->max_seconds * 1e9);
    if (max_ns != 0 && elapsed_ns >= max_ns)
        stop_condition_set(ending, STOP_DURATION);
    if (now_ns > ending->until_ns || elapsed_ns > ending->until_elapsed_ns)
        stop_condition_set(ending, STOP_UNTIL);
}

static void print_count(FILE *out, uint64_t count, const char *noun)
{
    fprintf(out, "%" PRIu64 " %s%s", count, noun, count != 1 ? "s" : "");
}

/* print_value prints the value between the two parts of the text. */
static void print_value(const struct stop_condition *ending, FILE *out)
{
    const struct stop_config *config = ending->config;
    const char *name;
    switch (ending->reason) {
    case STOP_COUNT:
        print_count(out, config->max_messages, "message");
        break;
    case STOP_PACKETS:
        print_count(out, config->max_packets, "packet");
        break;
    case STOP_DURATION:
        fprintf(out, "%.12g", config->max_seconds);
        break;
    case STOP_FILESIZE:
        fprintf(out, "%" PRIu64, config->max_file_kb);
        break;
    case STOP_FILES:
        print_count(out, config->max_files, "file");
        break;
    case STOP_ROTATION:
        print_count(out, config->max_ring_files, "file");
        break;
    case STOP_UNTIL:
        fputs(config->until_text, out);
        break;
    case STOP_RATE:
        fputs(config->rate_text, out);
        break;
    case STOP_SIGNAL:
        name = ending->signal == SIGINT    ? "INT"
               : ending->signal == SIGTERM ? "TERM"
               : ending->signal == SIGHUP  ? "HUP"
                                           : "?";
        fputs(name, out);
        break;
    default:
        break;
    }
}

void stop_condition_print(const struct stop_condition *ending, FILE *out)
{
    fprintf(out, "stopped: %s", texts[ending->reason].before);
    print_value(ending, out);
    fprintf(out, "%s\n", texts[ending->reason].after);
}
