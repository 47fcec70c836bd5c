/*
 * test_record_queue.c - what goes through the queue comes out as it went in: all records of real
 * captures, shown at once and shown by the queue's thread, are the same text and JSON.
 */
#include "correlate.h"
#include "draft.h"
#include "failing_alloc.h"
#include "record_copy.h"
#include "clock.h"
#include "record_queue.h"
#include "stop.h"
#include "sink.h"

#include <fcntl.h>
#include <pcap/pcap.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { NUM_KINDS = 4, MAX_THREADS = 8, MEGABYTE = 1024 * 1024 };
static const struct sink_kind *const kinds[NUM_KINDS] = {&sink_text, &sink_json, &sink_etf,
                                                         &sink_mermaid};

/* A run of a capture, with the sinks fed at once or through a queue. */
struct run {
    struct sink sinks[NUM_KINDS];
    int num_sinks;
    char names[NUM_KINDS][32];
    struct record_queue *queue;
    void *drafts[MAX_THREADS + 1];
    struct correlate *correlate;
    uint64_t num_records;
    bool record_queue_failed;
};

/* What the queue's thread does with a record. */
static bool write_record(void *context, const struct record *record)
{
    struct run *run = context;
    bool ok = true;
    for (int i = 0; i < run->num_sinks; i++) {
        sink_record(&run->sinks[i], record);
        ok = ok && !run->sinks[i].output.failed;
    }
    return ok;
}

static bool flush_sinks(void *context)
{
    struct run *run = context;
    for (int i = 0; i < run->num_sinks; i++)
        output_file_flush(&run->sinks[i].output);
    return true;
}

static struct record_queue *start_relay(struct run *run)
{
    const struct record_queue_target target = {write_record, flush_sinks, NULL, run, {0}};
    return record_queue_start(&target, 0);
}

static bool add_to_draft(void *draft, const struct record *record)
{
    return draft_add(draft, record);
}

static bool write_draft(void *context, void *draft, bool wanted)
{
    struct run *run = context;
    bool ok = wanted;
    if (wanted)
        draft_write(draft, run->sinks);
    else
        draft_clear(draft);
    for (int i = 0; i < run->num_sinks; i++)
        ok = ok && !run->sinks[i].output.failed;
    return ok;
}

static bool write_rest(void *context, const struct record *record)
{
    struct run *run = context;
    for (int i = 0; i < run->num_sinks; i++) {
        if (!sink_is_drafted(&run->sinks[i]))
            sink_record(&run->sinks[i], record);
    }
    return true;
}

/* The same with several threads that draft. */
static struct record_queue *start_threads(struct run *run, unsigned num)
{
    for (unsigned i = 0; i <= num; i++) {
        run->drafts[i] = draft_new(run->sinks, (size_t)run->num_sinks);
        assert_non_null(run->drafts[i]);
    }
    const struct record_queue_target target = {
        write_record,
        flush_sinks,
        NULL,
        run,
        {num, run->drafts, add_to_draft, write_draft, write_rest}};
    return record_queue_start(&target, 0);
}

static void free_drafts(struct run *run)
{
    for (int i = 0; i <= MAX_THREADS; i++)
        draft_free(run->drafts[i]);
}

static void take_record(void *context, const struct record *record)
{
    struct run *run = context;
    run->num_records++;
    if (run->queue != NULL)
        run->record_queue_failed =
            !record_queue_record(run->queue, record) || run->record_queue_failed;
    else
        write_record(run, record);
}

static void take_event(void *context, const struct ds_event *event)
{
    correlate_event(((struct run *)context)->correlate, event);
}

static void read_capture(struct run *run, const char *name)
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
    correlate_end(run->correlate);
    ds_session_free(session);
    correlate_free(run->correlate);
    pcap_close(pcap);
}

static void open_sinks(struct run *run, const struct sink_config *options)
{
    for (int i = 0; i < NUM_KINDS; i++) {
        strcpy(run->names[i], "/tmp/test_record_queue.XXXXXX");
        int fd = mkstemp(run->names[i]);
        assert_true(fd >= 0);
        close(fd);
        const struct sink_format format = {kinds[i], run->names[i]};
        assert_true(sink_open(&run->sinks[i], &format, options));
        run->sinks[i].time_digits = 9;
    }
    run->num_sinks = NUM_KINDS;
}

static char *read_file(const char *name, size_t *len)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *len = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*len + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *len, file), *len);
    fclose(file);
    return text;
}

static void compare(const char *capture, unsigned num_threads)
{
    const struct sink_config options = {
        .verbose = 2, .hex = true, .etf = true, .color = COLOR_NEVER};
    struct run at_once = {0}, relayed = {0};
    open_sinks(&at_once, &options);
    open_sinks(&relayed, &options);
    read_capture(&at_once, capture);
    relayed.queue = num_threads == 1 ? start_relay(&relayed) : start_threads(&relayed, num_threads);
    assert_non_null(relayed.queue);
    read_capture(&relayed, capture);
    assert_true(record_queue_stop(relayed.queue, NULL));
    free_drafts(&relayed);
    assert_false(relayed.record_queue_failed);
    assert_true(at_once.num_records > 100);
    assert_int_equal(at_once.num_records, relayed.num_records);
    for (int i = 0; i < NUM_KINDS; i++) {
        sink_close(&at_once.sinks[i]);
        sink_close(&relayed.sinks[i]);
        size_t len, relayed_len;
        char *text = read_file(at_once.names[i], &len);
        char *relayed_text = read_file(relayed.names[i], &relayed_len);
        assert_true(len > 1000);
        assert_int_equal(len, relayed_len);
        assert_memory_equal(text, relayed_text, len);
        free(text);
        free(relayed_text);
        unlink(at_once.names[i]);
        unlink(relayed.names[i]);
    }
}

static void passes_everything_on(void **state)
{
    (void)state;
    for (unsigned num_threads = 1; num_threads <= MAX_THREADS; num_threads *= 2) {
        compare("../pcaps/otp29-ops.pcap", num_threads); /* seq_trace, fragments, all ops */
        compare("../pcaps/cnode.pcap", num_threads);   /* no cache, a fault, a 100 kB frame */
        compare("../pcaps/frag-29.pcap", num_threads); /* messages of 300 kB */
    }
}

static void stops_when_nobody_can_write(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, "/dev/full"};
    struct run run = {.num_sinks = 1};
    struct sink *sink = &run.sinks[0];
    (void)state;
    assert_true(sink_open(sink, &format, &options));
    run.queue = start_relay(&run);
    assert_non_null(run.queue);
    for (int i = 0; i < 8; i++) /* more than is under way at once */
        read_capture(&run, "../pcaps/frag-29.pcap");
    assert_true(record_queue_stop(run.queue, NULL));
    assert_true(run.record_queue_failed);
    assert_true(sink->output.failed);
    sink_close(sink);
}

/* A disk that is full ends the run, and no record goes out behind one that did not. */
static void stops_threads_when_nobody_can_write(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, "/dev/full"};
    struct run run = {.num_sinks = 1};
    uint64_t num_left = 0;
    (void)state;
    assert_true(sink_open(&run.sinks[0], &format, &options));
    run.queue = start_threads(&run, 3);
    assert_non_null(run.queue);
    for (int i = 0; i < 8; i++)
        read_capture(&run, "../pcaps/otp29-ops.pcap");
    assert_true(record_queue_stop(run.queue, &num_left));
    assert_true(run.record_queue_failed);
    assert_true(run.sinks[0].output.failed);
    assert_true(num_left != 0);
    free_drafts(&run);
    sink_close(&run.sinks[0]);
}

static struct ds_event big_event(struct ds_conn *conn, const uint8_t *bytes, size_t len)
{
    return (struct ds_event){.type = DS_EVENT_MESSAGE,
                             .conn = conn,
                             .bytes = bytes,
                             .bytes_len = len,
                             .message = {.code = -1, .control = {.data = bytes, .len = len}}};
}

static void grows_for_a_large_record(void **state)
{
    const size_t len = 5 * 1024 * 1024;
    uint8_t *bytes = calloc(1, len);
    struct ds_conn conn = {.number = 1};
    struct record_block block = {0};
    (void)state;
    assert_non_null(bytes);
    bytes[len - 1] = 42;
    const struct ds_event small = big_event(&conn, bytes, 10);
    const struct ds_event big = big_event(&conn, bytes, len);
    struct record record = {.event = &small};
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    record.event = &big;
    assert_int_equal(record_block_add(&block, &record), COPY_FULL);
    record_block_clear(&block);
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    const struct ds_event *copy = copied_record_get(block.first)->event;
    assert_non_null(copy);
    assert_ptr_not_equal(copy->bytes, bytes);
    assert_ptr_equal(copy->bytes, copy->message.control.data);
    assert_int_equal(copy->bytes[len - 1], 42);
    record_block_clear(&block);
    assert_null(block.data); /* as much is not kept */
    record_block_free(&block);
    free(bytes);
}

/* What one record has does not show in the next: records are put together in one place. */
static void leaves_nothing_of_the_last_record(void **state)
{
    const uint8_t bytes[] = {97, 1};
    const struct ds_term term = {.data = bytes, .len = sizeof bytes};
    const struct titles titles = {.num = 1, .text = {{"pg:a", 4}}};
    struct ds_conn conn = {.number = 1};
    struct ds_event full = big_event(&conn, bytes, sizeof bytes), less = full;
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        full.message.role[role] = term;
    full.message.token = (struct ds_token){.present = true, .label = term, .from = term};
    less.message.role[0] = term;
    const struct record records[] = {
        {.event = &full, .note = {.to_titles = &titles}, .left_out = true},
        {.event = &less},
        {.call = &(struct call){.number = 3}},
        {.event = &less},
    };
    struct record_block block = {0};
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
        assert_int_equal(record_block_add(&block, &records[i]), COPY_OK);

    const struct copied_record *copy = block.first;
    const struct record *record = copied_record_get(copy);
    assert_int_equal(record->note.to_titles->num, 1);
    assert_true(record->left_out && record->event->message.token.present);
    assert_non_null(record->event->message.role[DS_ROLE_COUNT - 1].data);
    for (int again = 0; again < 2; again++) {
        record = copied_record_get(copy = copy->next);
        assert_null(record->note.to_titles);
        assert_null(record->call);
        assert_false(record->left_out || record->event->message.token.present);
        assert_null(record->event->message.token.label.data);
        assert_non_null(record->event->message.role[0].data);
        for (int role = 1; role < DS_ROLE_COUNT; role++)
            assert_null(record->event->message.role[role].data);
        if (again == 0) {
            record = copied_record_get(copy = copy->next);
            assert_null(record->event);
            assert_int_equal(record->call->number, 3);
        }
    }
    record_block_free(&block);
}

/* What a copy says of its connection is what was known when it was made. */
static void keeps_what_a_connection_was(void **state)
{
    const uint8_t bytes[] = {97, 1};
    struct ds_conn conn = {.number = 1};
    struct record_block block = {0};
    struct ds_conn expected[7];
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    (void)state;
    for (int i = 0; i < 7; i++) {
        struct ds_endpoint *end = &conn.end[i % 2];
        conn.counters[1].gaps += i == 1;
        conn.counters[0].faults += i == 2;
        if (i == 3)
            end->node = (struct ds_text){"a@h", 3};
        end->creation += i == 4;
        end->node_inferred = end->node_inferred || i == 5;
        if (i == 6)
            conn.end[1].node = (struct ds_text){"b@h", 3};
        expected[i] = conn;
        assert_int_equal(record_block_add(&block, &record), COPY_OK);
    }
    const struct copied_record *copy = block.first;
    for (int i = 0; i < 7; i++, copy = copy->next) {
        const struct ds_conn *known = copied_record_get(copy)->event->conn;
        for (int end = 0; end < 2; end++) {
            assert_int_equal(known->counters[end].gaps, expected[i].counters[end].gaps);
            assert_int_equal(known->counters[end].faults, expected[i].counters[end].faults);
            assert_int_equal(known->end[end].creation, expected[i].end[end].creation);
            assert_int_equal(known->end[end].node_inferred, expected[i].end[end].node_inferred);
            assert_int_equal(known->end[end].node.len, expected[i].end[end].node.len);
            if (known->end[end].node.len != 0)
                assert_memory_equal(known->end[end].node.data, expected[i].end[end].node.data, 3);
        }
    }
    record_block_free(&block);
}

static void says_that_memory_ran_out(void **state)
{
    const uint8_t bytes[] = {1, 2, 3};
    struct ds_conn conn = {.number = 1};
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    struct record_block block = {0};
    (void)state;
    failing_alloc_at(1);
    assert_int_equal(record_block_add(&block, &record), COPY_NO_MEMORY);
    failing_alloc_at(0);
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    record_block_free(&block);
}

/* A reader that reads only when it is let, and checks that what is missing was told. */
struct slow_reader {
    pthread_mutex_t lock;
    pthread_cond_t let;
    bool may_read;
    uint64_t next; /* frame expected */
    uint64_t num_read, num_told, num_messages, num_flushes;
    uint64_t told[LOSS_CAUSE_COUNT];
};

static bool read_slowly(void *context, const struct record *record)
{
    struct slow_reader *reader = context;
    pthread_mutex_lock(&reader->lock);
    while (!reader->may_read)
        pthread_cond_wait(&reader->let, &reader->lock);
    const uint64_t next = reader->next++;
    reader->num_read++;
    pthread_mutex_unlock(&reader->lock);
    assert_int_equal(record->event->frame, next);
    return true;
}

static bool hear_loss(void *context, const struct loss *loss)
{
    struct slow_reader *reader = context;
    assert_true(loss->count != 0);
    if (loss->cause == LOSS_QUEUE) {
        assert_int_equal(loss->first_ns, reader->next * 10);
        reader->next += loss->count;
        assert_int_equal(loss->last_ns, (reader->next - 1) * 10);
        assert_int_equal(loss->messages, loss->count);
    }
    reader->told[loss->cause] += loss->count;
    reader->num_told++;
    return true;
}

static bool flush_slowly(void *context)
{
    ((struct slow_reader *)context)->num_flushes++;
    return true;
}

static void let_read(struct slow_reader *reader)
{
    pthread_mutex_lock(&reader->lock);
    reader->may_read = true;
    pthread_cond_broadcast(&reader->let);
    pthread_mutex_unlock(&reader->lock);
}

/* Records of len bytes, numbered by their frame, ten nanoseconds apart. */
static void feed(struct record_queue *queue, size_t len, uint64_t from, uint64_t to)
{
    static uint8_t bytes[3 * MEGABYTE];
    struct ds_conn conn = {.number = 1};
    for (uint64_t frame = from; frame < to; frame++) {
        struct ds_event event = big_event(&conn, bytes, len);
        event.frame = frame;
        event.ts_ns = (int64_t)frame * 10;
        const struct record record = {.event = &event};
        assert_true(record_queue_record(queue, &record));
    }
}

/* One record more; it is lost as long as there is no room. */
static bool has_lost_since(struct record_queue *queue, size_t len, uint64_t frame)
{
    const uint64_t num_lost = record_queue_num_lost(queue);
    feed(queue, len, frame, frame + 1);
    return record_queue_num_lost(queue) != num_lost;
}

static void tells_what_is_lost(size_t len, uint64_t num, uint64_t max_bytes)
{
    struct slow_reader reader = {.next = 1};
    const struct record_queue_target target = {read_slowly, flush_slowly, hear_loss, &reader, {0}};
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.let, NULL);
    struct record_queue *queue = record_queue_start(&target, max_bytes);
    assert_non_null(queue);
    feed(queue, len, 1, num);
    record_queue_flush(queue); /* does not wait */
    assert_true(record_queue_num_lost(queue) != 0);
    const struct loss by_kernel = {.cause = LOSS_KERNEL, .count = 7, .first_ns = 1, .last_ns = 1};
    record_queue_lose(queue, &by_kernel);
    record_queue_lose(queue, &by_kernel);
    let_read(&reader);
    for (int i = 0; i < 50 && has_lost_since(queue, len, num + (uint64_t)i); i++)
        usleep(20000);
    const uint64_t num_lost = record_queue_num_lost(queue);
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(reader.num_read + num_lost, reader.next - 1);
    assert_int_equal(reader.told[LOSS_QUEUE], num_lost);
    assert_int_equal(reader.told[LOSS_KERNEL], 14);
    assert_true(reader.num_read != 0);
    assert_true(reader.num_flushes != 0);
}

static void loses_records_rather_than_packets(void **state)
{
    (void)state;
    tells_what_is_lost(100, 100000, 4 * MEGABYTE);
    tells_what_is_lost(100, 100000, 1);
    tells_what_is_lost(300000, 100, 8 * MEGABYTE);
    tells_what_is_lost(2500000, 20, 8 * MEGABYTE); /* blocks that grew */
}

/* Each record has a block that grew to 4 MiB: two of them may wait, and a third is filled. Those
 * that were read make room again. */
static void has_as_much_room_as_allowed(void **state)
{
    enum { LEN = 2500000 };
    struct slow_reader reader = {.next = 1};
    const struct record_queue_target target = {read_slowly, flush_slowly, hear_loss, &reader, {0}};
    (void)state;
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.let, NULL);
    struct record_queue *queue = record_queue_start(&target, 8 * MEGABYTE);
    assert_non_null(queue);
    feed(queue, LEN, 1, 11);
    const uint64_t num_lost = record_queue_num_lost(queue);
    let_read(&reader);
    uint64_t frame = 11;
    for (int i = 0; i < 500 && has_lost_since(queue, LEN, frame++); i++)
        usleep(10000);
    /* Until nothing waits any more; then it may read no more. */
    for (int i = 0; i < 500 && reader.may_read; i++) {
        record_queue_flush(queue);
        usleep(10000);
        pthread_mutex_lock(&reader.lock);
        reader.may_read = reader.num_read + record_queue_num_lost(queue) != frame - 1;
        pthread_mutex_unlock(&reader.lock);
    }
    int in_a_row = 0;
    for (int i = 0; i < 500 && in_a_row < 2; i++) {
        in_a_row = has_lost_since(queue, LEN, frame++) ? 0 : in_a_row + 1;
        usleep(in_a_row == 0 ? 10000 : 0);
    }
    let_read(&reader);
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(num_lost, 7);
    assert_int_equal(in_a_row, 2);
}

static void loses_nothing_while_there_is_room(void **state)
{
    struct slow_reader reader = {.next = 1};
    const struct record_queue_target target = {read_slowly, flush_slowly, hear_loss, &reader, {0}};
    (void)state;
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.let, NULL);
    struct record_queue *queue = record_queue_start(&target, 32 * MEGABYTE);
    assert_non_null(queue);
    for (uint64_t frame = 1; frame < 1000; frame++) { /* flushes do not use it up */
        feed(queue, 1000, frame, frame + 1);
        record_queue_flush(queue);
    }
    feed(queue, 1000000, 1000, 1025);
    assert_int_equal(record_queue_num_lost(queue), 0);
    let_read(&reader);
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(reader.num_read, 1024);
    assert_int_equal(reader.num_told, 0);
}

/* A pipe that nobody reads, and a user who wants to end. */
static void ends_though_nobody_reads(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, NULL};
    struct run run = {.num_sinks = 1};
    int ends[2];
    uint64_t num_left = 0;
    (void)state;
    stop_install();
    assert_int_equal(pipe(ends), 0);
    assert_true(sink_open(&run.sinks[0], &format, &options));
    run.sinks[0].output.fd = ends[1];
    const struct record_queue_target target = {write_record, flush_sinks, NULL, &run, {0}};
    run.queue = record_queue_start(&target, 64 * MEGABYTE);
    assert_non_null(run.queue);
    read_capture(&run, "../pcaps/frag-29.pcap");
    assert_int_equal(record_queue_num_lost(run.queue), 0);
    usleep(100000); /* until it hangs in write */
    stop_wanted = SIGINT;
    const int64_t begin_ns = clock_now_ns();
    assert_true(record_queue_stop(run.queue, &num_left));
    const int64_t passed_ns = clock_now_ns() - begin_ns;
    stop_wanted = 0;
    assert_true(passed_ns > 1000000000);
    assert_true(passed_ns < 6000000000);
    assert_true(run.sinks[0].output.failed && run.sinks[0].output.gave_up);
    assert_true(run.sinks[0].output.num_left != 0);
    assert_true(num_left != 0);
    sink_close(&run.sinks[0]); /* does not wait again */
    close(ends[0]);
}

static void *want_stop_soon(void *context)
{
    (void)context;
    usleep(300000);
    stop_wanted = SIGINT;
    return NULL;
}

/* The same while the decoder waits for room. */
static void ends_decoding_though_nobody_reads(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, NULL};
    struct run run = {.num_sinks = 1};
    int ends[2];
    pthread_t thread;
    uint64_t num_left = 0;
    (void)state;
    stop_install();
    assert_int_equal(pipe(ends), 0);
    assert_true(sink_open(&run.sinks[0], &format, &options));
    run.sinks[0].output.fd = ends[1];
    run.queue = start_relay(&run);
    assert_non_null(run.queue);
    assert_int_equal(pthread_create(&thread, NULL, want_stop_soon, NULL), 0);
    for (int i = 0; i < 1000 && !run.record_queue_failed; i++)
        read_capture(&run, "../pcaps/frag-29.pcap");
    assert_true(run.record_queue_failed);
    assert_true(record_queue_stop(run.queue, &num_left));
    pthread_join(thread, NULL);
    stop_wanted = 0;
    assert_true(run.sinks[0].output.gave_up);
    assert_true(num_left != 0);
    sink_close(&run.sinks[0]);
    close(ends[0]);
}

/* burn takes 0.3 s of the processor for a record. */
static bool burn(void *context, const struct record *record)
{
    uint64_t *num_taken = context;
    struct timespec begin, now;
    (void)record;
    ++*num_taken;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 300000000);
    return true;
}

static bool flush_nothing(void *context)
{
    (void)context;
    return true;
}

/* What takes long to write is left when the user wants to end. */
static void leaves_what_takes_long(void **state)
{
    uint64_t num_taken = 0, num_left = 0;
    const struct record_queue_target target = {burn, flush_nothing, NULL, &num_taken, {0}};
    const struct ds_conn conn = {.number = 1};
    const struct ds_event event = {.type = DS_EVENT_TICK, .conn = &conn};
    const struct record record = {.event = &event};
    (void)state;
    struct record_queue *queue = record_queue_start(&target, 0);
    assert_non_null(queue);
    for (int i = 0; i < 20; i++)
        assert_true(record_queue_record(queue, &record));
    stop_wanted = SIGTERM;
    assert_true(record_queue_stop(queue, &num_left));
    stop_wanted = 0;
    assert_in_range(num_taken, 1, 4);
    assert_int_equal(num_left, 20 - num_taken);
}

static void does_not_start_without_memory(void **state)
{
    const struct record_queue_target target = {read_slowly, flush_slowly, hear_loss, NULL, {0}};
    (void)state;
    for (int n = 1; n <= 3; n++) {
        failing_alloc_at(n);
        assert_null(record_queue_start(&target, MEGABYTE));
        failing_alloc_at(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_everything_on),
        cmocka_unit_test(stops_when_nobody_can_write),
        cmocka_unit_test(stops_threads_when_nobody_can_write),
        cmocka_unit_test(loses_records_rather_than_packets),
        cmocka_unit_test(has_as_much_room_as_allowed),
        cmocka_unit_test(loses_nothing_while_there_is_room),
        cmocka_unit_test(ends_though_nobody_reads),
        cmocka_unit_test(ends_decoding_though_nobody_reads),
        cmocka_unit_test(leaves_what_takes_long),
        cmocka_unit_test(does_not_start_without_memory),
        cmocka_unit_test(grows_for_a_large_record),
        cmocka_unit_test(leaves_nothing_of_the_last_record),
        cmocka_unit_test(keeps_what_a_connection_was),
        cmocka_unit_test(says_that_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
