/*
 * explain.c - see explain.h.
 */
#include "explain/explain_parts.h"

#include <stdlib.h>

static const struct {
    const char *word, *all;
} kinds[EXPLAIN_COUNT] = {
#define EXPLAIN(id, word, one, all) {word, all},
#include "explain/explain_kinds.def"
#undef EXPLAIN
};

const char *explain_kind_word(enum explain_kind kind)
{
    return kinds[kind].word;
}

const char *explain_kind_all(enum explain_kind kind)
{
    return kinds[kind].all;
}

static bool open_second(struct explain *e)
{
    enum { BRIEF = 0, FULL = 2 };
    e->brief = event_text_new_shown(BRIEF);
    e->full = event_text_new_shown(FULL);
    if (e->target.kind == EXPLAIN_CONN)
        e->links = report_links.open(&e->links_text, e->config);
    return e->brief != NULL && e->full != NULL && (e->target.kind != EXPLAIN_CONN || e->links != NULL);
}

struct explain *explain_new(const struct explain_target *target, const struct explain_found *found,
                            const struct report_config *config, unsigned time_digits)
{
    struct explain *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->target = *target;
    e->finds = found == NULL;
    e->config = config;
    e->text.time_digits = e->links_text.time_digits = time_digits;
    e->text.command = config->command;
    e->text.behind = config->behind;
    if (found != NULL)
        e->found = *found;
    if (e->finds || open_second(e))
        return e;
    explain_free(e);
    return NULL;
}

static void free_lines(struct explain_lines *lines)
{
    for (size_t i = 0; i < lines->num; i++)
        free(lines->line[i].text);
}

static void free_near(struct explain_near *near)
{
    for (size_t i = 0; i < near->num_before; i++)
        free(near->before[i].text);
    for (size_t i = 0; i < near->num_after; i++)
        free(near->after[i].text);
}

void explain_free(struct explain *e)
{
    if (e == NULL)
        return;
    event_text_free(e->brief);
    event_text_free(e->full);
    ds_buffer_free(&e->scratch);
    ds_buffer_free(&e->head);
    ds_buffer_free(&e->links_text.buffer);
    free_lines(&e->own);
    free_lines(&e->parent);
    free_lines(&e->children);
    free_lines(&e->calls);
    free_lines(&e->findings);
    free_near(&e->same_caller);
    free_near(&e->same_callee);
    free_near(&e->same_link);
    free(e->first_message.text);
    free(e->last_message.text);
    free(e->finding);
    if (e->links != NULL)
        report_links.end(e->links);
    free(e);
}

void explain_record(struct explain *e, const struct record *record, const struct record *shown)
{
    if (e->finds)
        explain_find(e, record);
    else
        explain_keep(e, record, shown);
}

bool explain_selects(const struct explain *e)
{
    return !e->finds && e->is_selected;
}

void explain_packet(struct explain *e, uint64_t tcp)
{
    if (e->finds)
        e->found.tcp = tcp;
}

const struct explain_found *explain_get_found(struct explain *e, uint64_t num_packets)
{
    e->found.num[EXPLAIN_PACKET] = num_packets;
    if (e->target.kind == EXPLAIN_PACKET)
        e->found.is_there = e->target.number <= num_packets;
    return &e->found;
}
