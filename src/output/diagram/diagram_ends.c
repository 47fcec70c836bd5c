/*
 * diagram_ends.c - see diagram_ends.h.
 */
#include "output/diagram/diagram_ends.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ENDS = 4096, SHOWN_LEN = 64 };

struct end {
    struct table_entry entry;
    uint64_t number;
    bool is_over; /* its name cannot be learnt any more */
    char *name;   /* NULL: unknown */
    uint32_t name_len;
    uint32_t unsure_node; /* the node as which it was drawn without a whole name; 0: not drawn */
    uint32_t shown_len;
    char shown[SHOWN_LEN]; /* its name when drawn */
};
TABLE_KEYED(struct end, number);

bool diagram_ends_init(struct diagram_ends *ends, uint32_t max_nodes)
{
    table_init(&ends->ends, sizeof(struct end), MAX_ENDS);
    ends->named = calloc(max_nodes + 1, sizeof *ends->named);
    if (ends->named != NULL && id_map_init(&ends->nodes, max_nodes))
        return true;
    free(ends->named);
    ends->named = NULL;
    return false;
}

static void forget_oldest(struct diagram_ends *ends)
{
    struct end *oldest = table_oldest(&ends->ends);
    free(oldest->name);
    table_remove(&ends->ends, oldest);
}

void diagram_ends_free(struct diagram_ends *ends)
{
    while (table_oldest(&ends->ends) != NULL)
        forget_oldest(ends);
    table_free(&ends->ends);
    id_map_free(&ends->nodes);
    free(ends->named);
    ends->named = NULL;
}

static void learn(struct end *end, struct ds_text name)
{
    if (end->name != NULL || !diagram_name_is_whole(name) ||
        (end->name = malloc(name.len)) == NULL)
        return;
    memcpy(end->name, name.data, name.len);
    end->name_len = (uint32_t)name.len;
}

void diagram_ends_learn(struct diagram_ends *ends, const struct ds_conn *conn, bool is_over)
{
    for (unsigned side = 0; side < 2; side++) {
        struct end *end = table_find(&ends->ends, diagram_end_number(conn->number, side));
        if (end == NULL)
            continue;
        learn(end, conn->end[side].node);
        end->is_over = is_over;
    }
}

void diagram_ends_add(struct diagram_ends *ends, const struct ds_conn *conn)
{
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t number = diagram_end_number(conn->number, side);
        if (table_find(&ends->ends, number) != NULL)
            continue;
        if (table_is_full(&ends->ends))
            forget_oldest(ends);
        struct end *end = table_put(&ends->ends, number);
        if (end != NULL)
            learn(end, conn->end[side].node);
    }
}

static bool is_open(const struct end *end)
{
    return end != NULL && end->name == NULL && !end->is_over && end->unsure_node == 0;
}

bool diagram_ends_is_open(const struct diagram_ends *ends, uint64_t conn)
{
    return is_open(table_find(&ends->ends, diagram_end_number(conn, 0))) ||
           is_open(table_find(&ends->ends, diagram_end_number(conn, 1)));
}

struct ds_text diagram_ends_name(const struct diagram_ends *ends, uint64_t number)
{
    const struct end *end = table_find(&ends->ends, number);
    return end != NULL ? (struct ds_text){end->name, end->name_len} : (struct ds_text){NULL, 0};
}

/* keys are what identifies a node, the best first. */
struct keys {
    uint64_t key[3];
    size_t num;
};

static struct keys keys_of(const struct diagram_place *place)
{
    const struct ds_text name = place->name;
    const char *at = name.len != 0 ? memchr(name.data, '@', name.len) : NULL;
    struct keys keys = {.num = 0};
    if (!place->is_unsure || place->port == 0)
        keys.key[keys.num++] = hash_add_text(1, name.data, name.len);
    if (place->has_name && place->host != 0)
        keys.key[keys.num++] =
            hash_add_text(place->host, name.data, at != NULL ? (size_t)(at - name.data) : name.len);
    if (place->port != 0)
        keys.key[keys.num++] = place->port;
    return keys;
}

/* find_known returns the number of the node with one of the keys, 0 for none. If a whole name is
 * not known itself, its other keys must not belong to a node with another whole name. */
static uint32_t find_known(const struct diagram_ends *ends, const struct keys *keys, bool is_whole)
{
    for (size_t i = 0; i < keys->num; i++) {
        const uint32_t node = id_map_find(&ends->nodes, keys->key[i]);
        if (node != 0 && (!is_whole || i == 0 || !ends->named[node]))
            return node;
    }
    return 0;
}

uint32_t diagram_ends_node(struct diagram_ends *ends, const struct diagram_place *place,
                           struct ds_text *was_called, bool *is_new)
{
    const bool is_whole = !place->is_unsure;
    const struct keys keys = keys_of(place);
    struct end *end = place->end != 0 ? table_find(&ends->ends, place->end) : NULL;
    const uint32_t before = end != NULL ? end->unsure_node : 0;
    uint32_t node = find_known(ends, &keys, is_whole);
    *was_called = (struct ds_text){NULL, 0};
    *is_new = false;
    if (before != 0 && (!is_whole || (node == 0 && !ends->named[before])))
        node = before;
    if (node == 0)
        node = id_map_get(&ends->nodes, keys.key[0], is_new);
    if (node == 0)
        return 0;
    const bool is_learnt = is_whole && !ends->named[node];
    if (is_whole && before != 0 && (is_learnt || before != node)) {
        *was_called = (struct ds_text){end->shown, end->shown_len};
    } else if (is_learnt && !*is_new) {
        *was_called = (struct ds_text){"", 0};
    } else if (!is_whole && end != NULL && before == 0) {
        end->unsure_node = node;
        end->shown_len = place->name.len < SHOWN_LEN ? (uint32_t)place->name.len : 0;
        if (end->shown_len != 0)
            memcpy(end->shown, place->name.data, end->shown_len);
    }
    if (is_whole && end != NULL)
        end->unsure_node = 0;
    ends->named[node] = ends->named[node] || is_whole;
    for (size_t i = 0; i < keys.num; i++)
        id_map_set(&ends->nodes, keys.key[i], node);
    return node;
}
