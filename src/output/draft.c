/*
 * draft.c - see draft.h. A draft has a sink of its own beside each of those it is made for: the
 * same format and options, but nothing is written from its buffer.
 */
#include "draft.h"

#include <stdlib.h>

enum { MAX_TEXT = 512 * 1024, LARGE_TERMS = 64 * 1024 };

struct draft {
    size_t num;
    struct sink beside[MAX_SINKS]; /* kind NULL: of a sink that is not drafted */
};

bool sink_is_drafted(const struct sink *sink)
{
    const struct sink_kind *kind = sink->kind;
    return kind->by_itself != NULL && kind->by_itself(sink->config);
}

/* open_beside opens a format without its output, of which only what a terminal shows counts. */
static bool open_beside(struct sink *beside, const struct sink *sink)
{
    *beside = (struct sink){
        .kind = sink->kind,
        .config = sink->config,
        .time_digits = sink->time_digits,
        .output = {.name = sink->output.name,
                   .fd = sink->output.fd,
                   .is_stdout = sink->output.is_stdout},
    };
    if (!sink->kind->open(beside)) {
        beside->kind = NULL;
        return false;
    }
    beside->output.buffer.len = 0; /* the file has begun already */
    return true;
}

struct draft *draft_new(const struct sink *sinks, size_t num)
{
    struct draft *draft = calloc(1, sizeof *draft);
    if (draft == NULL)
        return NULL;
    for (; draft->num < num; draft->num++) {
        if (sink_is_drafted(&sinks[draft->num]) &&
            !open_beside(&draft->beside[draft->num], &sinks[draft->num])) {
            draft_free(draft);
            return NULL;
        }
    }
    return draft;
}

void draft_free(struct draft *draft)
{
    if (draft == NULL)
        return;
    for (size_t i = 0; i < draft->num; i++) {
        struct sink *beside = &draft->beside[i];
        if (beside->kind == NULL)
            continue;
        beside->kind->close(beside);
        ds_buffer_free(&beside->output.buffer);
        ds_buffer_free(&beside->output.ends);
    }
    free(draft);
}

static bool has_room(const struct draft *draft)
{
    for (size_t i = 0; i < draft->num; i++) {
        if (draft->beside[i].output.buffer.len >= MAX_TEXT)
            return false;
    }
    return true;
}

bool draft_add(struct draft *draft, const struct record *record)
{
    if (!has_room(draft) || record_terms_len(record) > LARGE_TERMS)
        return false;
    for (size_t i = 0; i < draft->num; i++) {
        struct sink *beside = &draft->beside[i];
        if (beside->kind == NULL || !sink_takes(beside, record))
            continue;
        beside->kind->record(beside, record);
        output_file_mark_end(&beside->output);
    }
    return true;
}

void draft_write(struct draft *draft, struct sink *sinks)
{
    for (size_t i = 0; i < draft->num; i++) {
        struct sink *beside = &draft->beside[i];
        if (beside->kind != NULL)
            output_file_take(&sinks[i].output, &beside->output);
    }
}

void draft_clear(struct draft *draft)
{
    for (size_t i = 0; i < draft->num; i++)
        output_file_forget(&draft->beside[i].output);
}
