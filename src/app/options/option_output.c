/*
 * option_output.c - options that choose what is written, and how.
 */
#include "app/options/option_set.h"

#include "app/options/option_values.h"
#include "core/complain.h"
#include "core/habits.h"
#include "core/units.h"
#include "output/sink.h"
#include "record/record_queue.h"
#include "ui/web/metrics_server.h"
#include "ui/tui/tui.h"
#include "ui/web/web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* add_beside adds the companion output of the format that was added last. */
static bool add_beside(struct options *o, const struct sink_format *format)
{
    char *name = sink_name_companion(format->kind, format->file);
    if (name == NULL) {
        complain("out of memory");
        return false;
    }
    o->names_beside[o->output.num_formats] = name;
    o->output.formats[o->output.num_formats++] = (struct sink_format){format->kind->companion,
                                                                      name};
    return true;
}

/* name_also_written makes the names of the files that the next format keeps beside its file while
 * it writes. */
static bool name_also_written(struct options *o, const struct sink_kind *kind, const char *file)
{
    for (size_t i = 0; i < MAX_ALSO_WRITTEN && kind->also_writes[i] != NULL; i++) {
        char **name = &o->names_also[o->output.num_formats][i];
        if (asprintf(name, "%s%s", file, kind->also_writes[i]) < 0) {
            *name = NULL;
            complain("out of memory");
            return false;
        }
    }
    return true;
}

/* set_otlp processes -T otlp=URL, set_nats -T nats=URL. */
static bool set_otlp(struct options *o, const struct sink_kind *kind, const char *url)
{
    if (o->otlp.url[0] != '\0') {
        complain("-T otlp=URL can be used only once: a collector can forward to several receivers");
        return false;
    }
    if (!otlp_check() || !otlp_url_parse(url, &o->otlp))
        return false;
    o->output.formats[o->output.num_formats++] = (struct sink_format){kind, NULL};
    return true;
}

static bool set_nats(struct options *o, const struct sink_kind *kind, const char *url)
{
    if (o->nats.publish.num_servers != 0) {
        complain("-T nats can be used only once: list the servers of one cluster in one URL, "
                 "nats://a:4222,b:4222");
        return false;
    }
    if (!nats_check() || !nats_url_parse("-T nats=", url != NULL ? url : "", &o->nats.publish))
        return false;
    o->output.formats[o->output.num_formats++] = (struct sink_format){kind, NULL};
    return true;
}

bool option_set_nats_types(struct options *o, const char *value)
{
    o->nats.types = 0;
    for (const char *at = value; ; at++) {
        const size_t len = strcspn(at, ",");
        int type = 0;
        while (type < NATS_TYPE_COUNT && (strlen(nats_type_names[type]) != len ||
                                          memcmp(nats_type_names[type], at, len) != 0))
            type++;
        if (type == NATS_TYPE_COUNT) {
            const struct choices choices =
                option_print_choices(at, len, nats_type_names, NATS_TYPE_COUNT);
            complain("unknown type '%.*s': --nats-types takes %s%s", (int)len, at, choices.all,
                     choices.meant);
            return false;
        }
        o->nats.types |= UINT32_C(1) << type;
        at += len;
        if (*at == '\0')
            return true;
    }
}

bool option_set_nats_inbox(struct options *o, const char *value)
{
    if (nats_is_prefix(value)) {
        o->nats.inbox = value;
        return true;
    }
    complain("--nats-inbox takes letters, digits, - and _, with dots between them, such as _INBOX_web1, at "
             "most %d, not '%s'", NATS_MAX_WORD - 1, value);
    return false;
}

bool option_set_nats_spool(struct options *o, const char *value)
{
    const char *comma = strrchr(value, ',');
    const size_t len = comma != NULL ? (size_t)(comma - value) : strlen(value);
    char *folder = strndup(value, len);
    o->nats.spool_size = NATS_SPOOL_SIZE;
    const bool has_size =
        comma == NULL || (units_parse(QUANTITY_SIZE, comma + 1, 1, &o->nats.spool_size) &&
                          o->nats.spool_size >= NATS_QUEUE_LEAST && o->nats.spool_size <= NATS_SPOOL_MOST &&
                          (uint64_t)o->nats.spool_size <= SIZE_MAX / 2);
    if (folder != NULL && len != 0 && has_size) {
        free(o->nats.spool);
        o->nats.spool = folder;
        return true;
    }
    complain(folder == NULL ? "out of memory"
                            : "--nats-spool takes a folder, and a size from 64KiB to 1TB, such as "
                              "/var/spool/distsniff,4GB, not '%s'",
             value);
    free(folder);
    return false;
}

bool option_set_nats_state(struct options *o, const char *value)
{
    if (units_parse(QUANTITY_DURATION, value, 0, &o->nats.state_ns) &&
        o->nats.state_ns >= NATS_STATE_LEAST_NS && o->nats.state_ns <= NATS_STATE_NS)
        return true;
    complain("--nats-state takes a time from 1s to 1min, such as 10s, not '%s'", value);
    return false;
}

bool option_set_nats_queue(struct options *o, const char *value)
{
    if (units_parse(QUANTITY_SIZE, value, 1, &o->nats.queue_size) &&
        o->nats.queue_size >= NATS_QUEUE_LEAST && o->nats.queue_size <= INT32_MAX)
        return true;
    complain("--nats-queue takes a size from 64KiB to 2GB, such as 32MB, not '%s'", value);
    return false;
}

bool option_set_otlp_queue(struct options *o, const char *value)
{
    if (units_parse(QUANTITY_SIZE, value, 1, &o->otlp.queue_size) &&
        o->otlp.queue_size >= OTLP_QUEUE_LEAST && o->otlp.queue_size <= INT32_MAX)
        return true;
    complain("--otlp-queue takes a size from 64KiB to 2GB, such as 16MB, not '%s'", value);
    return false;
}

bool option_set_html(struct options *o, const char *value)
{
    const struct sink_kind *kind = sink_find("html", strlen("html"));
    if (o->output.num_formats == MAX_FORMATS) {
        complain("-T can be used at most %d times", MAX_FORMATS);
        return false;
    }
    if (value == NULL)
        o->page_to_name = kind;
    else if (!kind->check(value))
        return false;
    o->output.formats[o->output.num_formats++] = (struct sink_format){kind, value};
    return true;
}

bool option_set_format(struct options *o, const char *value)
{
    size_t len = strcspn(value, "=");
    const struct sink_kind *kind = sink_find(value, len);
    if (strcmp(value, "list") == 0) {
        o->action = ACTION_LIST_FORMATS;
        return true;
    }
    const char *answer = kind == NULL ? habit_answer(HABIT_FORMAT, value, len) : NULL;
    if (answer != NULL) {
        complain("unknown format '%.*s': %s", (int)len, value, answer);
        return false;
    }
    if (kind == NULL) {
        const char *names[MAX_KINDS];
        const struct choices choices = option_print_choices(value, len, names, sink_get_names(names));
        complain("unknown format '%.*s': -T takes %s%s", (int)len, value, choices.all,
                 choices.meant);
        return false;
    }
    if (o->output.num_formats + (kind->companion != NULL) >= MAX_FORMATS) {
        complain("-T can be used at most %d times, and a format that writes two files counts twice",
                 MAX_FORMATS);
        return false;
    }
    const char *file = value[len] == '=' ? value + len + 1 : NULL;
    if (kind->by_url != NULL && file != NULL && otlp_is_url(file))
        return set_otlp(o, kind->by_url, file);
    if (kind->takes_url)
        return set_nats(o, kind, file);
    if (file != NULL && file[0] == '\0') {
        complain("-T %s needs a file name after the =", value);
        return false;
    }
    if (file != NULL && strcmp(file, "-") == 0)
        file = NULL;
    if (kind->test_suffix == NULL && kind->check != NULL && !kind->check(file))
        return false;
    if (!name_also_written(o, kind, file))
        return false;
    o->output.formats[o->output.num_formats++] = (struct sink_format){kind, file};
    return kind->companion == NULL || add_beside(o, &o->output.formats[o->output.num_formats - 1]);
}

bool option_set_web(struct options *o, const char *value)
{
    return web_check() && listen_address_parse("--web", value, &o->web);
}

bool option_set_mcp(struct options *o, const char *value)
{
    if (value != NULL && strcmp(value, "plain") != 0) {
        complain("--mcp takes nothing, or plain, which shows private data to the assistant, not '%s'",
                 value);
        return false;
    }
    o->mcp = true;
    o->mcp_plain = value != NULL;
    return true;
}

bool option_set_tui(struct options *o, const char *value)
{
    (void)value;
    o->tui = true;
    return tui_check();
}

bool option_set_lanes(struct options *o, const char *value)
{
    static const char *const names[] = {[LANES_NODE] = "node", [LANES_PROCESS] = "process"};
    size_t which;
    if (!option_parse_choice("--lanes", value, names, 2, &which))
        return false;
    o->output.lanes = (enum lanes)which;
    return true;
}

bool option_set_json_binaries(struct options *o, const char *value)
{
    static const char *const names[] = {"text", "base64"};
    size_t which;
    if (!option_parse_choice("--json-binaries", value, names, 2, &which))
        return false;
    o->output.json_base64 = which == 1;
    return true;
}

static const char *const syntaxes[] = {
    [OPTION_SYNTAX_ERLANG] = "erlang",
    [OPTION_SYNTAX_ELIXIR] = "elixir",
    [OPTION_SYNTAX_AUTO] = "auto",
};

bool option_set_syntax(struct options *o, const char *value)
{
    size_t which;
    if (!option_parse_choice("--syntax", value, syntaxes, OPTION_SYNTAX_AUTO + 1, &which))
        return false;
    o->syntax = (enum option_syntax)which;
    return true;
}

bool option_set_json_syntax(struct options *o, const char *value)
{
    size_t which;
    if (!option_parse_choice("--json-syntax", value, syntaxes, DS_SYNTAX_NUM, &which))
        return false;
    o->output.json_syntax = (enum ds_syntax)which;
    return true;
}

static bool set_metrics_address(struct options *o, const char *value)
{
    if (o->metrics.address.len != 0) {
        complain("--metrics takes one address, not also '%s'", value);
        return false;
    }
    return metrics_server_check() && listen_address_parse("--metrics", value, &o->metrics.address);
}

bool option_set_metrics(struct options *o, const char *value)
{
    static const char suffix[] = ".prom";
    const size_t len = strlen(value), suffix_len = sizeof suffix - 1;
    char *fresh;
    if (len != 0 && value[len - 1] >= '0' && value[len - 1] <= '9')
        return set_metrics_address(o, value);
    if (len <= suffix_len || strcmp(value + len - suffix_len, suffix) != 0) {
        complain("--metrics takes [ADDR:]PORT, or the name of a file that ends in .prom, not '%s'",
                 value);
        return false;
    }
    if (o->metrics.file != NULL) {
        complain("--metrics takes one file, not also '%s'", value);
        return false;
    }
    if (asprintf(&fresh, "%s.new", value) < 0) {
        complain("out of memory");
        return false;
    }
    o->metrics.file = value;
    o->metrics.fresh = fresh;
    return true;
}

bool option_set_jobs(struct options *o, const char *value)
{
    uint64_t num;
    if (!option_parse_number("--jobs", value, 1, MAX_JOBS, &num))
        return false;
    o->jobs = (unsigned)num;
    return true;
}

bool option_set_sort(struct options *o, const char *value)
{
    static const char *const names[] = {[CALLS_BY_LATENCY] = "latency", [CALLS_BY_TIME] = "time"};
    size_t which;
    if (!option_parse_choice("--sort", value, names, 2, &which))
        return false;
    o->report.call_order = (enum call_order)which;
    return true;
}

bool option_set_by(struct options *o, const char *value)
{
    static const char *const names[] = {
#define TRAFFIC_BY(id, name) name,
#include "reports/traffic_by.def"
#undef TRAFFIC_BY
    };
    size_t which;
    if (!option_parse_choice("--by", value, names, TRAFFIC_BY_COUNT, &which))
        return false;
    o->report.traffic_by = (enum traffic_by)which;
    return true;
}

bool option_set_every(struct options *o, const char *value)
{
    if (units_parse(QUANTITY_DURATION, value, 1000000000, &o->report.every_ns) &&
        o->report.every_ns >= REPORT_EVERY_LEAST_NS)
        return true;
    complain("--every takes a time of 100ms or more (%s), such as 10s, not '%s'",
             units_list(QUANTITY_DURATION), value);
    return false;
}

bool option_set_on_finding_every(struct options *o, const char *value)
{
    if (units_parse(QUANTITY_DURATION, value, 1000000000, &o->output.on_finding_every_ns) &&
        o->output.on_finding_every_ns >= 0)
        return true;
    complain("--on-finding-every takes a time (%s), such as 5min, not '%s'", units_list(QUANTITY_DURATION),
             value);
    return false;
}

bool option_set_rows(struct options *o, const char *value)
{
    if (!option_parse_number("--rows", value, 0, UINT64_MAX, &o->report.max_rows))
        return false;
    o->report.max_links = o->report.max_calls = o->report.max_rows;
    return true;
}

bool option_set_verbose(struct options *o, const char *value)
{
    (void)value;
    o->output.verbose++;
    return true;
}

bool option_set_time(struct options *o, const char *value)
{
    (void)value;
    if (++o->time_letters > TIME_SINCE_FIRST) {
        complain("-t can be used at most five times");
        return false;
    }
    o->output.time_style = (enum time_style)o->time_letters;
    return true;
}

bool option_set_color(struct options *o, const char *value)
{
    static const char *const names[] = {
        [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
    size_t which = COLOR_ALWAYS;
    if (value != NULL && !option_parse_choice("--color", value, names, 3, &which))
        return false;
    o->output.color = (enum color_when)which;
    return true;
}

bool option_set_numeric(struct options *o, const char *value)
{
    (void)o;
    (void)value;
    return true;
}
