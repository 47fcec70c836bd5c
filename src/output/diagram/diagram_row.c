/*
 * diagram_row.c - see diagram_row.h. A packed row is a struct packed followed by its texts.
 */
#include "output/diagram/diagram_row.h"

#include "core/printable.h"

#include <string.h>

enum { NUM_TEXTS = 7 };

/* text_of returns the texts of a row by index. */
static struct ds_buffer *text_of(struct diagram_row *row, size_t i)
{
    struct ds_buffer *const texts[NUM_TEXTS] = {&row->from.node,    &row->from.process,
                                                &row->to.node,      &row->to.process,
                                                &row->verb,         &row->text,
                                                &row->more};
    return texts[i];
}

struct packed {
    enum diagram_row_kind kind;
    struct diagram_row_at from, to;
    uint64_t number;
    int64_t start_ns, end_ns;
    uint32_t len[NUM_TEXTS];
};

bool diagram_row_pack(const struct diagram_row *row, struct ds_buffer *out)
{
    struct diagram_row shown = *row;
    struct packed packed = {.kind = row->kind,
                            .from = row->from.at,
                            .to = row->to.at,
                            .number = row->number,
                            .start_ns = row->start_ns,
                            .end_ns = row->end_ns};
    for (size_t i = 0; i < NUM_TEXTS; i++)
        packed.len[i] = (uint32_t)text_of(&shown, i)->len;
    ds_buffer_add(out, &packed, sizeof packed);
    for (size_t i = 0; i < NUM_TEXTS; i++)
        ds_buffer_add(out, text_of(&shown, i)->data, packed.len[i]);
    return !out->failed;
}

bool diagram_row_unpack(struct ds_text from, struct diagram_row *row)
{
    struct packed packed;
    memcpy(&packed, from.data, sizeof packed);
    row->kind = packed.kind;
    row->from.at = packed.from;
    row->to.at = packed.to;
    row->number = packed.number;
    row->start_ns = packed.start_ns;
    row->end_ns = packed.end_ns;
    const char *at = from.data + sizeof packed;
    for (size_t i = 0; i < NUM_TEXTS; i++) {
        struct ds_buffer *text = text_of(row, i);
        text->len = 0;
        ds_buffer_add(text, at, packed.len[i]);
        at += packed.len[i];
    }
    return !diagram_row_failed(row);
}

bool diagram_row_failed(const struct diagram_row *row)
{
    struct diagram_row shown = *row;
    for (size_t i = 0; i < NUM_TEXTS; i++) {
        if (text_of(&shown, i)->failed)
            return true;
    }
    return false;
}

/* settle gives an end the name that its connection has learnt. If a process said that it is on
 * another node, that node is not known to be at this address. */
static bool settle(struct diagram_row_end *end, const struct diagram_ends *ends)
{
    struct diagram_row_at *at = &end->at;
    struct ds_text learnt = {NULL, 0};
    struct ds_buffer name = {0};
    if (at->is_end_unsure && at->number != 0)
        learnt = diagram_ends_name(ends, at->number);
    if (learnt.data == NULL)
        return true;
    at->is_end_unsure = false;
    printable_text(learnt, &name);
    const bool is_same =
        end->node.len == name.len && memcmp(end->node.data, name.data, name.len) == 0;
    if (at->is_by_process && !is_same)
        at->host = at->port = 0;
    else
        at->is_unsure = false;
    if (!at->is_by_process) {
        at->has_name = true;
        end->node.len = 0;
        ds_buffer_add(&end->node, name.data, name.len);
    }
    const bool has_failed = name.failed || end->node.failed;
    ds_buffer_free(&name);
    return !has_failed;
}

bool diagram_row_settle(struct diagram_row *row, const struct diagram_ends *ends)
{
    return settle(&row->from, ends) && settle(&row->to, ends);
}

struct diagram_place diagram_row_place(const struct diagram_row_end *end)
{
    return (struct diagram_place){.end = end->at.number,
                                  .is_unsure = end->at.is_unsure,
                                  .has_name = end->at.has_name,
                                  .name = {end->node.data, end->node.len},
                                  .host = end->at.host,
                                  .port = end->at.port};
}

void diagram_row_free(struct diagram_row *row)
{
    for (size_t i = 0; i < NUM_TEXTS; i++)
        ds_buffer_free(text_of(row, i));
}
