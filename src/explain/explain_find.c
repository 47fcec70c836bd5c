/*
 * explain_find.c - the first reading: counts everything, and finds what the thing is related to.
 * See explain_parts.h.
 */
#include "explain/explain_parts.h"

#include <string.h>

static void add_number(uint64_t *list, size_t *num, size_t max, uint64_t number)
{
    for (size_t i = 0; i < *num; i++) {
        if (list[i] == number)
            return;
    }
    if (number != 0 && *num < max)
        list[(*num)++] = number;
}

static void add_conn(struct explain_found *found, uint64_t conn)
{
    add_number(found->conns, &found->num_conns, EXPLAIN_CONNS, conn);
}

static void add_call(struct explain_found *found, uint64_t call)
{
    add_number(found->calls, &found->num_calls, EXPLAIN_CONNS, call);
}

static uint16_t copy_name(char to[EXPLAIN_NAME], struct ds_text from)
{
    const size_t len = from.data == NULL ? 0 : from.len < EXPLAIN_NAME ? from.len : EXPLAIN_NAME;
    if (len != 0)
        memcpy(to, from.data, len);
    return (uint16_t)len;
}

static void copy_party(struct explain_party *to, const struct party *from)
{
    to->node_len = copy_name(to->node, from->node);
    to->name_len = from->is_for ? 0 : copy_name(to->name, from->name);
    to->has_pid = from->has_pid;
    to->id = from->id;
    to->serial = from->serial;
    to->creation = from->creation;
}

static void greatest(uint64_t *most, uint64_t number)
{
    if (number > *most)
        *most = number;
}

static void find_in_call(struct explain *e, const struct call *call)
{
    struct explain_found *found = &e->found;
    greatest(&found->num[EXPLAIN_CALL], call->number);
    if (e->target.kind != EXPLAIN_CALL || call->number != e->target.number)
        return;
    found->is_there = true;
    add_conn(found, call->conn);
    found->parent = call->parent;
    found->start_frame = call->start_frame;
    found->end_frame = call->end_frame;
    copy_party(&found->caller, &call->caller);
    copy_party(&found->callee, &call->callee);
}

static void find_in_finding(struct explain *e, const struct finding *finding)
{
    struct explain_found *found = &e->found;
    if (finding->kind == NULL || finding->happening != HAPPENING_NONE)
        return;
    greatest(&found->num[EXPLAIN_FINDING], finding->number);
    if (e->target.kind != EXPLAIN_FINDING || finding->number != e->target.number)
        return;
    found->is_there = true;
    found->num_conns = found->num_frames = 0; /* its last state counts */
    for (size_t i = 0; i < finding->num_evidence; i++) {
        add_conn(found, finding->evidence[i].conn);
        for (unsigned j = 0; j < finding->evidence[i].num; j++)
            add_number(found->frames, &found->num_frames, EXPLAIN_FRAMES,
                       finding->evidence[i].packet[j].frame);
    }
}

static void find_in_event(struct explain *e, const struct record *record)
{
    struct explain_found *found = &e->found;
    const struct ds_event *event = record->event;
    const uint64_t number = e->target.number;
    bool is_it = false;
    greatest(&found->num[EXPLAIN_CONN], event->conn->number);
    if (event->type == DS_EVENT_MESSAGE)
        found->num[EXPLAIN_MESSAGE]++;
    if (e->target.kind == EXPLAIN_CONN)
        is_it = event->conn->number == number;
    else if (e->target.kind == EXPLAIN_MESSAGE)
        is_it = event->type == DS_EVENT_MESSAGE && found->num[EXPLAIN_MESSAGE] == number;
    else if (e->target.kind == EXPLAIN_PACKET)
        is_it = explain_is_of_packet(record, number);
    if (!is_it)
        return;
    found->is_there = true;
    add_conn(found, event->conn->number);
    if (e->target.kind == EXPLAIN_CONN)
        return;
    add_call(found, record->note.call);
    add_number(found->frames, &found->num_frames, EXPLAIN_FRAMES, event->frame);
}

void explain_find(struct explain *e, const struct record *record)
{
    if (record->finding != NULL)
        find_in_finding(e, record->finding);
    else if (record->call != NULL)
        find_in_call(e, record->call);
    else if (explain_is_event(record))
        find_in_event(e, record);
}
