/*
 * sinks.c - the common part of all outputs: how they are opened, get records, and are closed, and
 * what some of them need. See sink.h.
 */
#include "output/sink.h"

#include "core/complain.h"
#include "core/signals.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char *sink_name_companion(const struct sink_kind *kind, const char *file)
{
    const size_t ending = strlen(kind->ending);
    size_t len = strlen(file);
    char *name;
    if (len > ending && memcmp(file + len - ending, kind->ending, ending) == 0)
        len -= ending;
    return asprintf(&name, "%.*s%s", (int)len, file, kind->companion_ending) < 0 ? NULL : name;
}

const char *sink_companion_of(const struct sink_config *config, const char *file)
{
    for (size_t i = 0; i + 1 < config->num_formats; i++) {
        if (config->formats[i].kind->companion != NULL &&
            strcmp(config->formats[i].file, file) == 0)
            return config->formats[i + 1].file;
    }
    return NULL;
}

bool sinks_want_raw(const struct sink_config *config)
{
    /* Bytes as sent cannot be redacted. */
    for (size_t i = 0; i < config->num_formats && !config->redacted; i++) {
        if (config->formats[i].kind->raw)
            return true;
    }
    return false;
}

bool sinks_are_read_back(const struct sink_config *config)
{
    for (size_t i = 0; i < config->num_formats; i++) {
        if (config->formats[i].kind->read_back)
            return true;
    }
    return false;
}

bool sinks_want_timeline(const struct sink_config *config)
{
    for (size_t i = 0; i < config->num_formats; i++) {
        if (config->formats[i].kind->takes_timeline && config->formats[i].kind->wants_findings)
            return true;
    }
    return false;
}

bool sinks_want_findings(const struct sink_config *config)
{
    for (size_t i = 0; i < config->num_formats; i++) {
        if (config->formats[i].kind->wants_findings)
            return true;
    }
    return false;
}

const struct sink_format *sinks_find_of_packets(const struct sink_config *config)
{
    for (size_t i = 0; i < config->num_formats; i++) {
        if (config->formats[i].kind->is_of_packets)
            return &config->formats[i];
    }
    return NULL;
}

bool sinks_want_unselected(const struct sink_config *config)
{
    for (size_t i = 0; i < config->num_formats; i++) {
        if (config->formats[i].kind->wants_unselected)
            return true;
    }
    return false;
}

static bool open_output(struct sink *sink, const char *file)
{
    if (sink->kind->writes_nothing) {
        sink->output = (struct output_file){.name = sink->kind->name, .fd = -1};
        return true;
    }
    if (sink->kind->is_script)
        return output_file_open_script(&sink->output, file, sink->config->line_buffered);
    if (!sink->kind->keeps)
        return output_file_open(&sink->output, file, sink->config->line_buffered);
    if (output_file_open_new(&sink->output, file))
        return true;
    if (errno == EEXIST)
        complain("%s exists and may have been edited: remove it, or leave out -T %s to write "
                 "only the recording", file, sink->kind->name);
    else
        complain("cannot write %s: %s", file, strerror(errno));
    return false;
}

bool sink_open(struct sink *sink, const struct sink_format *format, const struct sink_config *config)
{
    *sink = (struct sink){.kind = format->kind, .config = config, .time_digits = 6};
    if (sink->kind->open_by_itself != NULL)
        return sink->kind->open_by_itself(sink, format->file);
    if (!open_output(sink, format->file))
        return false;
    if (!sink->kind->open(sink)) {
        complain("out of memory");
        output_file_close(&sink->output);
        return false;
    }
    return true;
}

void sink_withdraw(struct sink *sink)
{
    if (sink->kind->keeps)
        (void)file_helper_remove(sink->output.name);
}

static bool shows_finding(const struct sink *sink, const struct finding *finding)
{
    const struct sink_kind *kind = sink->kind;
    if (finding->happening != HAPPENING_NONE)
        return kind->takes_timeline && (kind->wants_findings || sink->config->has_timeline);
    return kind->wants_findings || (kind->takes_findings && !finding->is_update);
}

bool sink_wants(const struct sink *sink, const struct record *record)
{
    const struct sink_kind *kind = sink->kind;
    const bool is_raw = record->event != NULL && ds_event_is_raw(record->event);
    return (!is_raw || kind->raw) && (!record->left_out || kind->wants_unselected) &&
           (!record->link_facts || kind->takes_links) &&
           (record->monitor == NULL || kind->takes_monitors) &&
           (record->finding == NULL || shows_finding(sink, record->finding)) &&
           (kind->skips == NULL || !kind->skips(sink->config, record));
}

void sink_record(struct sink *sink, const struct record *record)
{
    struct ds_buffer *out = &sink->output.buffer;
    if (sink->output.failed || !sink_wants(sink, record))
        return;
    if (stop_is_overdue()) {
        sink->num_cut++;
        return;
    }
    const size_t begin = out->len;
    out->is_stopped = stop_is_overdue;
    sink->kind->record(sink, record);
    out->is_stopped = NULL;
    if (out->failed && sink->output.part_len == 0 && stop_is_overdue()) {
        out->len = begin;
        out->failed = false;
        sink->num_cut++;
        return;
    }
    output_file_end_record(&sink->output);
}

void sink_flush(struct sink *sink)
{
    if (sink->kind->flush != NULL && !sink->output.failed)
        sink->kind->flush(sink);
    output_file_flush(&sink->output);
}

void sink_lost(struct sink *sink, const struct loss *loss)
{
    if (sink->output.failed || sink->kind->lost == NULL || stop_is_overdue())
        return;
    sink->kind->lost(sink, loss);
    output_file_end_record(&sink->output);
}

void sink_reopen(struct sink *sink)
{
    const struct sink_kind *kind = sink->kind;
    const int fd = kind->writes_nothing || kind->keeps ? -1 : output_file_find_new(&sink->output);
    if (fd < 0)
        return;
    if (kind->end != NULL)
        kind->end(sink);
    output_file_go_on(&sink->output, fd, kind->end == NULL);
    kind->close(sink);
    sink->state = NULL;
    sink->is_closed = !kind->open(sink);
    if (sink->is_closed) {
        complain("out of memory");
        sink->output.failed = true;
    }
}

void sink_end(struct sink *sink)
{
    if (sink->kind->end != NULL && !sink->is_closed && !sink->has_ended)
        sink->kind->end(sink);
    sink->has_ended = true;
}

void sink_close(struct sink *sink)
{
    sink_end(sink);
    output_file_close(&sink->output);
    if (!sink->is_closed)
        sink->kind->close(sink);
}
