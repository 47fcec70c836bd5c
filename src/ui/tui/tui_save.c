/*
 * tui_save.c - see tui_save.h.
 *
 * The process that draws may open nothing. It requests names that were registered before:
 * screen.ENDING in the folder, with a time before the ending, which the process that opens files
 * recognises as later names (run_name.h). An existing file is never overwritten.
 */
#include "ui/tui/tui_save.h"

#include "output/sink.h"
#include "privsep/file_helper.h"
#include "ui/tui/tui_index.h"
#include "ui/tui/tui_packets.h"
#include "ui/tui/view_messages.h"

#include <distsniff/counted.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 100 };

static const struct {
    const char *name, *ending;
    const struct sink_kind *sink;
    bool has_calls;
} saves[] = {
#define SAVE(name, ending, sink, has_calls) {name, ending, sink, has_calls},
#include "ui/tui/saves.def"
#undef SAVE
};
enum { NUM_SAVES = sizeof saves / sizeof saves[0] };
_Static_assert(sizeof saves / sizeof saves[0] <= (size_t)SAVE_NAMES, "each has a name");

char *tui_save_name(const char *folder, size_t i)
{
    struct ds_buffer name = {0};
    if (i >= NUM_SAVES)
        return NULL;
    for (const char *at = folder; *at != '\0'; at++)
        ds_buffer_add(&name, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1); /* for strftime */
    ds_buffer_printf(&name, "/screen.%s", saves[i].ending);
    ds_buffer_add(&name, "", 1);
    if (!name.failed)
        return name.data;
    ds_buffer_free(&name);
    return NULL;
}

void tui_save_formats(char *what, size_t len)
{
    size_t used = 0;
    for (size_t i = 0; i < NUM_SAVES && used < len; i++)
        used += (size_t)snprintf(what + used, len - used, "%s%s", i != 0 ? "  " : "", saves[i].name);
}

void tui_save_complete(struct tui_line *line, char *what, size_t len)
{
    const size_t typed = strlen(line->text);
    size_t found = NUM_SAVES, num = 0;
    for (size_t i = 0; i < NUM_SAVES; i++) {
        if (strncmp(saves[i].name, line->text, typed) == 0) {
            found = i;
            num++;
        }
    }
    if (num == 1)
        tui_line_begin(line, saves[found].name);
    if (num != 1)
        tui_save_formats(what, len);
    else
        what[0] = '\0';
}

/* make_name writes the name of a file that does not exist yet. */
static bool make_name(const char *folder, const char *ending, char *name, size_t len)
{
    char stamp[32];
    struct tm tm = {0};
    const time_t now = time(NULL);
    localtime_r(&now, &tm);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
    for (int i = 1; i < TRIES; i++) {
        const int used = i == 1 ? snprintf(name, len, "%s/screen-%s.%s", folder, stamp, ending)
                                : snprintf(name, len, "%s/screen-%s-%d.%s", folder, stamp, i, ending);
        if (used < 0 || (size_t)used >= len)
            return false;
        if (!file_helper_exists(name))
            return true;
    }
    return false;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* write_records writes the records with these numbers to a sink, and returns how many there were. */
static uint64_t write_records(struct sink *sink, const struct tui_facts *facts,
                              const uint64_t *numbers, size_t num)
{
    struct record_view view = {0};
    uint64_t written = 0;
    for (size_t i = 0; i < num; i++) {
        const struct record *record = store_look_get(&facts->records, numbers[i], &view);
        if (record == NULL)
            continue;
        sink_record(sink, record);
        written++;
    }
    return written;
}

/* write_calls writes the ends of the calls of some records to a sink. False if memory ran out. */
static bool write_calls(struct sink *sink, const struct tui_facts *facts, const uint64_t *numbers,
                        size_t num)
{
    struct record_view view = {0};
    uint64_t *calls = malloc((num + 1) * sizeof *calls);
    size_t found = 0;
    if (calls == NULL)
        return false;
    for (size_t i = 0; i < num; i++) {
        const struct record *record = store_look_get(&facts->records, numbers[i], &view);
        if (record != NULL && record->note.call != 0)
            calls[found++] = record->note.call;
    }
    if (found != 0)
        qsort(calls, found, sizeof *calls, by_number);
    for (uint64_t i = facts->records.first; found != 0 && i < facts->records.end; i++) {
        const struct record *record = store_look_get(&facts->records, i, &view);
        if (record != NULL && record->call != NULL &&
            bsearch(&record->call->number, calls, found, sizeof *calls, by_number) != NULL)
            sink_record(sink, record);
    }
    free(calls);
    return true;
}

/* list_conns lists the connections of some records, sorted, each once, and returns how many there
 * are. */
static size_t list_conns(const struct tui_facts *facts, const uint64_t *numbers, size_t num,
                         uint64_t *conns)
{
    struct record_view view = {0};
    size_t found = 0, kept = 0;
    for (size_t i = 0; i < num; i++) {
        const struct record *record = store_look_get(&facts->records, numbers[i], &view);
        if (record != NULL && record->event != NULL && record->event->conn->tcp != 0)
            conns[found++] = record->event->conn->tcp;
    }
    if (found != 0)
        qsort(conns, found, sizeof *conns, by_number);
    for (size_t i = 0; i < found; i++) {
        if (kept == 0 || conns[kept - 1] != conns[i])
            conns[kept++] = conns[i];
    }
    return kept;
}

static void save_packets(const struct tui_facts *facts, const char *name, const uint64_t *numbers,
                         size_t num, char *what, size_t len)
{
    if (facts->packets == NULL) {
        snprintf(what, len, "packets are not kept: --redact cannot redact them");
        return;
    }
    uint64_t *conns = malloc((num + 1) * sizeof *conns);
    const size_t num_conns = conns != NULL ? list_conns(facts, numbers, num, conns) : 0;
    const int64_t written = conns != NULL ? tui_packets_save(facts->packets, name, conns, num_conns) : -1;
    if (written < 0)
        snprintf(what, len, "%s could not be written whole", name);
    else
        snprintf(what, len, "%s: %s of %s", name, ds_counted((uint64_t)written, "packets").text,
                 ds_counted(num_conns, "connections").text);
    free(conns);
}

static void save_records(const struct tui_facts *facts, const char *name, size_t save,
                         const uint64_t *numbers, size_t num, char *what, size_t len)
{
    struct sink sink;
    struct sink_config config = {.whole_lines = true, .color = COLOR_NEVER,
                                 .redacted = facts->packets == NULL};
    const struct sink_format format = {saves[save].sink, name};
    memcpy(config.limits, facts->limits, sizeof config.limits);
    if (!sink_open(&sink, &format, &config)) {
        snprintf(what, len, "cannot write %s", name);
        return;
    }
    sink.time_digits = facts->time_digits;
    const uint64_t written = write_records(&sink, facts, numbers, num);
    const bool has_calls = !saves[save].has_calls || write_calls(&sink, facts, numbers, num);
    sink_end(&sink);
    sink_flush(&sink);
    const bool failed = sink.output.failed || !has_calls;
    sink_close(&sink);
    if (failed)
        snprintf(what, len, "%s could not be written whole", name);
    else
        snprintf(what, len, "%s: %s", name, ds_counted(written, "records").text);
}

static void save_as(const struct tui_facts *facts, const char *folder, size_t format,
                    const uint64_t *numbers, size_t num, char *what, size_t len)
{
    char name[4096];
    if (!make_name(folder, saves[format].ending, name, sizeof name))
        snprintf(what, len, "no name is free in %s", folder);
    else if (saves[format].sink == NULL)
        save_packets(facts, name, numbers, num, what, len);
    else
        save_records(facts, name, format, numbers, num, what, len);
}

void tui_save(const struct tui_facts *facts, const char *folder, const char *format, const void *messages,
              char *what, size_t len)
{
    size_t i = 0;
    while (i < NUM_SAVES && strcmp(saves[i].name, format) != 0)
        i++;
    if (i == NUM_SAVES) {
        const int used = snprintf(what, len, "there is no such format: ");
        tui_save_formats(what + used, len - (size_t)used);
        return;
    }
    const struct tui_index *listed = view_messages_index(messages);
    const size_t num = facts->marks->num != 0 ? facts->marks->num : listed->num;
    uint64_t *numbers = malloc((num + 1) * sizeof *numbers);
    if (num == 0 || numbers == NULL) {
        snprintf(what, len, num == 0 ? "there is nothing to save" : "out of memory");
        free(numbers);
        return;
    }
    for (size_t j = 0; j < num; j++)
        numbers[j] = facts->marks->num != 0 ? facts->marks->number[j] : tui_index_get(listed, j);
    qsort(numbers, num, sizeof *numbers, by_number);
    save_as(facts, folder, i, numbers, num, what, len);
    free(numbers);
}
