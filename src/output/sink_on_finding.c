/*
 * sink_on_finding.c - --on-finding: runs a command for each finding, with the JSON of -T json on
 * its standard input. The file helper runs it (file_helper_spawn_with): it sees no packets and does not
 * delay the capture.
 *
 * It runs for current problems, so not for hygiene (finding_is_aside). The same code between the
 * same nodes runs it once in on_finding_every_ns, by the clock of the capture; the latest
 * MOST_REMEMBERED runs are remembered. MOST_AT_ONCE commands run at a time, and MOST_WAITING
 * findings wait for them to end. Findings beyond that are counted, and reported at the end.
 */
#include "core/complain.h"
#include "core/hash.h"
#include "output/sink.h"
#include "privsep/file_helper.h"
#include "privsep/side_commands.h"

#include <distsniff/counted.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REMEMBERED = 512, MOST_AT_ONCE = 8, MOST_WAITING = 64 };

/* At the end, commands that do not finish are not waited for any longer. */
static const int64_t end_wait_ns = 5000000000;
enum { POLL_NS = 20000000 };

struct last_run {
    const struct finding_kind *kind; /* NULL: free */
    uint64_t nodes;                  /* a hash of their names */
    int64_t ts_ns;                   /* when the command last ran */
};

struct on_finding {
    struct sink json;
    struct side_commands commands;
    struct last_run runs[MOST_REMEMBERED];
    struct waiting {
        const char *code;
        char *text;
        size_t len;
    } waiting[MOST_WAITING]; /* a ring buffer */
    size_t first, num_waiting;
    uint64_t num_left_out; /* findings for which there was no room */
};

static uint64_t hash_nodes(const struct finding *f)
{
    uint64_t hash = 0;
    for (int i = 0; i < 2; i++) {
        hash = hash_more(hash, f->node[i].text, f->node[i].len);
        hash = hash_more(hash, "", 1);
    }
    return hash;
}

/* find_run returns the last run for the same finding, else the oldest of all, whose place is
 * reused. */
static struct last_run *find_run(struct on_finding *s, const struct finding *f, uint64_t nodes)
{
    struct last_run *oldest = s->runs;
    for (size_t i = 0; i < MOST_REMEMBERED; i++) {
        struct last_run *t = &s->runs[i];
        if (t->kind == f->kind && t->nodes == nodes)
            return t;
        if (oldest->kind != NULL && (t->kind == NULL || t->ts_ns < oldest->ts_ns))
            oldest = t;
    }
    *oldest = (struct last_run){0};
    return oldest;
}

static bool is_within(int64_t before_ns, int64_t now_ns, int64_t span_ns)
{
    int64_t passed;
    return !__builtin_sub_overflow(now_ns, before_ns, &passed) && passed < span_ns && passed > -span_ns;
}

/* run_waiting runs the command for waiting findings, as far as the limit allows. */
static void run_waiting(struct on_finding *s)
{
    while (s->num_waiting != 0 && side_commands_have_room(&s->commands)) {
        struct waiting *next = &s->waiting[s->first];
        pid_t pid = 0;
        const int error =
            file_helper_spawn_with(s->commands.command, (struct ds_text){next->text, next->len}, &pid);
        if (error == 0) {
            side_commands_add(&s->commands, pid);
        } else {
            s->commands.failed = true;
            complain("cannot run %s for %s: %s", s->commands.command, next->code, strerror(error));
        }
        free(next->text);
        s->first = (s->first + 1) % MOST_WAITING;
        s->num_waiting--;
    }
}

/* add_waiting queues a finding as text. False if there is no room or memory ran out. */
static bool add_waiting(struct on_finding *s, const struct record *record)
{
    struct ds_buffer *text = &s->json.output.buffer;
    if (s->num_waiting == MOST_WAITING)
        return false;
    text->len = 0;
    sink_json.record(&s->json, record);
    char *copy = text->failed || text->len == 0 ? NULL : malloc(text->len);
    text->failed = false;
    if (copy == NULL)
        return false;
    memcpy(copy, text->data, text->len);
    s->waiting[(s->first + s->num_waiting++) % MOST_WAITING] =
        (struct waiting){record->finding->kind->code, copy, text->len};
    return true;
}

static void on_finding_record(struct sink *sink, const struct record *record)
{
    struct on_finding *s = sink->state;
    const struct finding *f = record->finding;
    const uint64_t nodes = hash_nodes(f);
    struct last_run *last = find_run(s, f, nodes);
    if (last->kind != NULL && is_within(last->ts_ns, f->last_ns, sink->config->on_finding_every_ns))
        return;
    run_waiting(s);
    s->json.time_digits = sink->time_digits;
    if (!add_waiting(s, record)) {
        s->num_left_out++;
        return;
    }
    *last = (struct last_run){f->kind, nodes, f->last_ns};
    run_waiting(s);
}

static void on_finding_flush(struct sink *sink)
{
    run_waiting(sink->state);
}

static bool on_finding_open(struct sink *sink)
{
    struct on_finding *s = calloc(1, sizeof *s);
    if (s == NULL)
        return false;
    s->json = (struct sink){.kind = &sink_json, .config = sink->config};
    s->commands = (struct side_commands){
        .option = "--on-finding", .command = sink->config->on_finding, .most = MOST_AT_ONCE};
    if (!sink_json.open(&s->json)) {
        free(s);
        return false;
    }
    sink->state = s;
    return true;
}

static void on_finding_end(struct sink *sink)
{
    struct on_finding *s = sink->state;
    size_t num_running = 0;
    int64_t left_ns = end_wait_ns;
    do {
        run_waiting(s);
        num_running = side_commands_wait_for(&s->commands, s->num_waiting != 0 ? POLL_NS : left_ns);
        left_ns -= POLL_NS;
    } while (s->num_waiting != 0 && left_ns > 0);
    s->num_left_out += s->num_waiting;
    if (num_running != 0)
        complain("--on-finding: %s of %s did not end, and still %s", ds_counted(num_running, "runs").text,
                 s->commands.command, num_running == 1 ? "continues" : "continue");
    if (s->num_left_out != 0)
        complain("--on-finding: %s was not run for %s: %d runs had not ended", s->commands.command,
                 ds_counted(s->num_left_out, "findings").text, MOST_AT_ONCE);
    if (s->commands.failed || s->num_left_out != 0)
        sink->output.failed = true;
}

static void on_finding_close(struct sink *sink)
{
    struct on_finding *s = sink->state;
    for (; s->num_waiting != 0; s->num_waiting--) {
        free(s->waiting[s->first].text);
        s->first = (s->first + 1) % MOST_WAITING;
    }
    sink_json.close(&s->json);
    ds_buffer_free(&s->json.output.buffer);
    free(s);
    sink->state = NULL;
}

static bool on_finding_skips(const struct sink_config *config, const struct record *record)
{
    (void)config;
    return record->finding == NULL || record->finding->kind == NULL || finding_is_aside(record->finding);
}

const struct sink_kind sink_on_finding = {
    .name = "--on-finding",
    .help = "",
    .open = on_finding_open,
    .record = on_finding_record,
    .flush = on_finding_flush,
    .end = on_finding_end,
    .close = on_finding_close,
    .skips = on_finding_skips,
    .takes_findings = true,
    .writes_nothing = true,
};
