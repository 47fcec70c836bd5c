/*
 * prerender.c - see prerender.h. A draft has a second sink for each sink that it formats for: with
 * the same format and options, but its buffer is never written out.
 */
#include "output/prerender.h"

#include <stdlib.h>

/* Maximum text of a draft, and of all drafts together. The text that a record may add is estimated
 * from its terms: it is rarely longer than TEXT_OF_TERMS times their bytes. */
enum { MAX_TEXT = 512 * 1024, TEXT_OF_ALL = 8 * 1024 * 1024, TEXT_OF_TERMS = 8 };

struct prerender {
    size_t max_text;
    size_t num, num_drafted;
    struct sink beside[MAX_SINKS]; /* kind NULL: this sink is not drafted */
};

bool sink_is_drafted(const struct sink *sink)
{
    const struct sink_kind *kind = sink->kind;
    return kind->stateless != NULL && kind->stateless(sink->config);
}

/* open_beside opens a format without output; the output only decides what depends on a terminal. */
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
    beside->output.buffer.len = 0; /* the beginning of the file was already written */
    return true;
}

struct prerender *prerender_new(const struct sink *sinks, size_t num, unsigned num_drafts)
{
    struct prerender *draft = calloc(1, sizeof *draft);
    if (draft == NULL)
        return NULL;
    const size_t share = TEXT_OF_ALL / num_drafts;
    draft->max_text = share < MAX_TEXT ? share : MAX_TEXT;
    for (; draft->num < num; draft->num++) {
        if (!sink_is_drafted(&sinks[draft->num]))
            continue;
        if (!open_beside(&draft->beside[draft->num], &sinks[draft->num])) {
            prerender_free(draft);
            return NULL;
        }
        draft->num_drafted++;
    }
    return draft;
}

void prerender_free(struct prerender *draft)
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

static bool has_room(const struct prerender *draft)
{
    size_t len = 0;
    for (size_t i = 0; i < draft->num; i++)
        len += draft->beside[i].output.buffer.len;
    return len < draft->max_text;
}

/* is_large says whether a record may have too much text: two bytes in a message may be a cached
 * atom, whose text is as long as atoms can be. */
static bool is_large(const struct prerender *draft, const struct record *record)
{
    const struct ds_event *event = record->event;
    const size_t terms_len = record_terms_len(record);
    const uint64_t atom_bytes =
        event != NULL && event->type == DS_EVENT_MESSAGE ? event->message.atom_bytes : 0;
    return (terms_len + atom_bytes) * draft->num_drafted > draft->max_text / TEXT_OF_TERMS;
}

bool prerender_add(struct prerender *draft, const struct record *record)
{
    if (!has_room(draft) || is_large(draft, record))
        return false;
    for (size_t i = 0; i < draft->num; i++) {
        struct sink *beside = &draft->beside[i];
        if (beside->kind == NULL || !sink_wants(beside, record))
            continue;
        beside->kind->record(beside, record);
        output_file_mark_end(&beside->output);
    }
    return true;
}

void prerender_write(struct prerender *draft, struct sink *sinks)
{
    for (size_t i = 0; i < draft->num; i++) {
        struct sink *beside = &draft->beside[i];
        if (beside->kind != NULL)
            output_file_move(&sinks[i].output, &beside->output);
    }
}

void prerender_clear(struct prerender *draft)
{
    for (size_t i = 0; i < draft->num; i++)
        output_file_forget(&draft->beside[i].output);
}
