/*
 * history_run.c - see history_run.h. This process reads no packets: it talks to the servers itself,
 * confined as the one that reads packets from them.
 */
#include "app/run/history_run.h"

#include "app/run/sniff.h"
#include "core/complain.h"
#include "reports/history.h"
#include "reports/redraw.h"
#include "send/nats/nats_records.h"

#include <distsniff/counted.h>
#include <stdio.h>
#include <unistd.h>

struct history_run {
    struct history *history;
    uint64_t num_odd; /* records that are called findings, and are none */
};

static void take(void *context, struct ds_text host, struct ds_text json)
{
    struct history_run *run = context;
    run->num_odd += !history_add(run->history, host, json);
}

/* print writes the history. False after a complaint. */
static bool print(struct history *history)
{
    struct ds_buffer out = {0};
    history_print(history, screen_width(STDOUT_FILENO), &out);
    const bool has_memory = !out.failed;
    const bool good = has_memory && fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
    if (!has_memory)
        complain("out of memory");
    else if (!good)
        complain("cannot write the report");
    ds_buffer_free(&out);
    return good;
}

static bool is_one_stream(const struct options *options)
{
    if (options->capture.num_read_files == 1 && options->nats.num_reads == 1 &&
        !options->nats.reads[0].follows)
        return true;
    complain("--report history reads one stream of findings: -r nats://HOST:PORT/STREAM, without ?follow");
    return false;
}

int history_run(const struct options *options)
{
    const struct nats_reader_config config = {
        .nats = &options->nats,
        .user = options->keep.user,
        .is_confined = options->sandbox != SANDBOX_OFF,
    };
    struct history_run run = {0};
    bool is_whole = false;
    if (!is_one_stream(options))
        return STATUS_USAGE;
    run.history = history_new();
    if (run.history == NULL) {
        complain("out of memory");
        return STATUS_TROUBLE;
    }
    bool good = nats_records_read(&config, &options->nats.reads[0], NATS_FINDING, take, &run, &is_whole);
    if (run.num_odd != 0)
        complain("NATS: %s of the stream skipped: not findings, although named so",
                 ds_counted(run.num_odd, "messages").text);
    good = good && print(run.history) && is_whole;
    history_free(run.history);
    return good ? STATUS_OK : STATUS_TROUBLE;
}
