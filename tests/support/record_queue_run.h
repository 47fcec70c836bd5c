/*
 * record_queue_run.h - a capture read into sinks, at once or through a record queue.
 *
 * The test opens the sinks of a run, and sets its queue: start_relay() makes one whose only thread
 * writes, start_threads() one where so many draft; free_drafts() gives those drafts back when the
 * queue has stopped. read_capture() writes at once where there is no queue. start_correlation() puts
 * calls together in a thread before that queue.
 */
#ifndef TESTS_RECORD_QUEUE_RUN_H
#define TESTS_RECORD_QUEUE_RUN_H

#include "analyse/calls/correlate.h"
#include "output/prerender.h"
#include "output/sink.h"
#include "record/record_queue.h"

#include <pcap/pcap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { NUM_KINDS = 4, MAX_THREADS = 8 };

/* A run over a capture that feeds the sinks directly or through a queue. */
struct run {
    struct sink sinks[NUM_KINDS];
    int num_sinks;
    char names[NUM_KINDS][32];
    struct record_queue *queue, *events; /* receives events: the correlation */
    void *drafts[MAX_THREADS + 1];
    struct correlate *correlate;
    uint64_t num_records;
    bool record_queue_failed;
};

/* write_record writes a record in the queue's thread. */
static inline bool write_record(void *context, const struct record *record)
{
    struct run *run = context;
    bool ok = true;
    for (int i = 0; i < run->num_sinks; i++) {
        sink_record(&run->sinks[i], record);
        ok = ok && !run->sinks[i].output.failed;
    }
    return ok;
}

static inline bool flush_sinks(void *context)
{
    struct run *run = context;
    for (int i = 0; i < run->num_sinks; i++)
        output_file_flush(&run->sinks[i].output);
    return true;
}

static inline struct record_queue *start_relay(struct run *run)
{
    const struct record_queue_target target = {.record = write_record, .flush = flush_sinks,
                                               .context = run};
    return record_queue_start(&target, 0);
}

static inline bool add_to_draft(void *draft, const struct record *record)
{
    return prerender_add(draft, record);
}

static inline bool write_draft(void *context, void *draft, bool wanted)
{
    struct run *run = context;
    bool ok = wanted;
    if (wanted)
        prerender_write(draft, run->sinks);
    else
        prerender_clear(draft);
    for (int i = 0; i < run->num_sinks; i++)
        ok = ok && !run->sinks[i].output.failed;
    return ok;
}

static inline bool write_rest(void *context, const struct record *record)
{
    struct run *run = context;
    for (int i = 0; i < run->num_sinks; i++) {
        if (!sink_is_drafted(&run->sinks[i]))
            sink_record(&run->sinks[i], record);
    }
    return true;
}

/* The same with several threads that draft. */
static inline struct record_queue *start_threads(struct run *run, unsigned num)
{
    for (unsigned i = 0; i <= num; i++) {
        run->drafts[i] = prerender_new(run->sinks, (size_t)run->num_sinks, num + 1);
        assert_non_null(run->drafts[i]);
    }
    const struct record_queue_target target = {
        .record = write_record,
        .flush = flush_sinks,
        .context = run,
        .ahead = {num, run->drafts, add_to_draft, write_draft, write_rest},
    };
    return record_queue_start(&target, 0);
}

static inline void free_drafts(struct run *run)
{
    for (int i = 0; i <= MAX_THREADS; i++)
        prerender_free(run->drafts[i]);
}

static inline void take_record(void *context, const struct record *record)
{
    struct run *run = context;
    run->num_records++;
    if (run->queue != NULL)
        run->record_queue_failed =
            !record_queue_record(run->queue, record) || run->record_queue_failed;
    else
        write_record(run, record);
}

static inline void take_event(void *context, const struct ds_event *event)
{
    struct run *run = context;
    if (run->events != NULL)
        assert_true(record_queue_event(run->events, event));
    else
        correlate_event(run->correlate, event);
}

static inline bool take_copied(void *context, const struct record *record,
                               const struct copied_record *copy)
{
    struct run *run = context;
    record_queue_refer(run->queue, copy, record->event);
    correlate_event(run->correlate, record->event);
    return !run->record_queue_failed;
}

static inline void keep_block(void *context, struct record_block *block)
{
    record_queue_keep(((struct run *)context)->queue, block);
}

static inline bool flush_queue(void *context)
{
    record_queue_flush(((struct run *)context)->queue);
    return true;
}

static inline void start_correlation(struct run *run)
{
    const struct record_queue_target target = {
        .copied = take_copied, .done = keep_block, .flush = flush_queue, .context = run};
    run->events = record_queue_start(&target, 0);
    assert_non_null(run->events);
}

static inline void read_capture(struct run *run, const char *name)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_offline_with_tstamp_precision(name, PCAP_TSTAMP_PRECISION_NANO, error);
    assert_non_null(pcap);
    struct ds_config config;
    ds_config_init(&config);
    config.on_event = take_event;
    config.context = run;
    struct correlate_config correlate = {
        .emit = take_record, .context = run, .keep = 65536, .names = true};
    memcpy(correlate.limits, config.limits, sizeof correlate.limits);
    run->correlate = correlate_new(&correlate);
    struct ds_session *session = ds_session_new(&config);
    assert_non_null(run->correlate);
    assert_non_null(session);
    struct pcap_pkthdr *header;
    const u_char *data;
    uint64_t frame = 0;
    while (pcap_next_ex(pcap, &header, &data) == 1) {
        const struct ds_packet packet = {
            .ts_ns = (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec,
            .frame = ++frame,
            .link_type = (uint32_t)pcap_datalink(pcap),
            .data = data,
            .cap_len = header->caplen,
            .len = header->len,
        };
        ds_session_packet(session, &packet);
    }
    ds_session_end(session);
    if (run->events != NULL)
        assert_true(record_queue_stop(run->events, NULL));
    run->events = NULL;
    correlate_end(run->correlate);
    ds_session_free(session);
    correlate_free(run->correlate);
    pcap_close(pcap);
}

#endif
