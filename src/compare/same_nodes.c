/*
 * same_nodes.c - see same_nodes.h. Keys are texts in which nodes are words: "a", "a - b", "a > b ...".
 * A node without a name is "ADDRESS:PORT", in findings "~ADDRESS:PORT".
 */
#include "compare/same_nodes.h"

#include <stdlib.h>

struct joining {
    const struct profile *const *profile; /* both */
    struct ds_buffer key;                 /* the new one */
    bool is_unnamed;                      /* a node in it has no name */
};

/* role_at returns the node that has an address; absent: none has, or several. */
static struct ds_text role_at(const struct joining *j, struct ds_text addr)
{
    const char *role = NULL;
    for (int side = 0; side < 2; side++) {
        const struct profile_entry *place = profile_find(j->profile[side], PROFILE_PLACE, addr);
        if (place == NULL)
            continue;
        if (place->is_unnamed || (role != NULL && strcmp(role, place->value) != 0))
            return (struct ds_text){NULL, 0};
        role = place->value;
    }
    return (struct ds_text){role, role != NULL ? strlen(role) : 0};
}

static void add(struct joining *j, struct ds_text text)
{
    ds_buffer_add(&j->key, text.data, text.len);
}

/* host_of returns the address in "10.0.0.1:4711" and "[::1]:4711". */
static struct ds_text host_of(struct ds_text place)
{
    const char *colon = memchr(place.data, ':', place.len), *end = place.data + place.len;
    if (place.len != 0 && place.data[0] == '[' && (end = memchr(place.data, ']', place.len)) != NULL)
        return (struct ds_text){place.data + 1, (size_t)(end - place.data) - 1};
    if (colon == NULL || memchr(colon + 1, ':', (size_t)(place.data + place.len - colon - 1)) != NULL)
        return place;
    return (struct ds_text){place.data, (size_t)(colon - place.data)};
}

/* is_shared says whether several nodes have an address. */
static bool is_shared(const struct joining *j, struct ds_text addr)
{
    for (int side = 0; side < 2; side++) {
        const struct profile_entry *place = profile_find(j->profile[side], PROFILE_PLACE, addr);
        if (place != NULL && place->is_unnamed)
            return true;
    }
    return false;
}

/* name_of returns the name for a node in a key, which may be one already. A node that stays without a
 * name has its address: its port may be another one on each connection. */
static struct ds_text name_of(struct joining *j, struct ds_text node)
{
    if (memchr(node.data, '@', node.len) != NULL)
        return node;
    const struct ds_text host = host_of(node);
    struct ds_text role = role_at(j, node);
    if (role.data == NULL)
        role = role_at(j, host);
    j->is_unnamed = j->is_unnamed || role.data == NULL;
    if (role.data == NULL)
        role = is_shared(j, host) ? node : host;
    return role;
}

/* find returns the index of the first sep in text; its length if there is none. */
static size_t find(struct ds_text text, const char *sep)
{
    const size_t len = strlen(sep);
    size_t at = 0;
    while (at + len <= text.len && memcmp(text.data + at, sep, len) != 0)
        at++;
    return at + len <= text.len ? at : text.len;
}

/* split removes what is before sep, and sep, from *text, and returns it. */
static struct ds_text split(struct ds_text *text, const char *sep)
{
    const size_t at = find(*text, sep), end = at < text->len ? at + strlen(sep) : at;
    const struct ds_text before = {text->data, at};
    *text = (struct ds_text){text->data + end, text->len - end};
    return before;
}

/* print_link appends two nodes in their order. */
static void print_link(struct joining *j, struct ds_text key)
{
    const struct ds_text a = name_of(j, split(&key, " - ")), b = name_of(j, key);
    const int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);
    const bool is_swapped = order > 0 || (order == 0 && a.len > b.len);
    add(j, is_swapped ? b : a);
    ds_buffer_add_text(&j->key, " - ");
    add(j, is_swapped ? a : b);
}

/* print_message appends the nodes of a message, and the rest. While nodes have no names, other things are
 * unknown as well, such as the call that a message answers, so that it is not judged to be missing. */
static void print_message(struct joining *j, struct ds_text key)
{
    j->is_unnamed = true;
    add(j, name_of(j, split(&key, " > ")));
    ds_buffer_add_text(&j->key, " > ");
    add(j, name_of(j, split(&key, " ")));
    ds_buffer_add_text(&j->key, " ");
    add(j, key);
}

/* print_finding appends a finding with the names of its nodes. If one of them had none, another one may be
 * missing in it, so it is not judged. */
static void print_finding(struct joining *j, struct ds_text key)
{
    while (key.len != 0) {
        const struct ds_text word = split(&key, " ");
        const bool has_comma = word.len != 0 && word.data[word.len - 1] == ',';
        const struct ds_text node = {word.data, word.len - has_comma};
        const bool is_place = node.len > 1 && node.data[0] == '~';
        j->is_unnamed = j->is_unnamed || is_place;
        add(j, is_place ? name_of(j, (struct ds_text){node.data + 1, node.len - 1}) : node);
        ds_buffer_add_text(&j->key, has_comma ? "," : "");
        ds_buffer_add_text(&j->key, key.len != 0 ? " " : "");
    }
}

/* print_key makes the new key of an entry. */
static void print_key(struct joining *j, const struct profile_entry *entry)
{
    j->key.len = 0;
    j->is_unnamed = false;
    if (entry->kind == PROFILE_FINDING) {
        print_finding(j, entry->key);
    } else if (entry->is_unnamed && entry->kind == PROFILE_NODE) {
        add(j, name_of(j, entry->key));
    } else if (entry->is_unnamed && entry->kind == PROFILE_LINK) {
        print_link(j, entry->key);
    } else if (entry->is_unnamed && entry->kind == PROFILE_MESSAGE) {
        print_message(j, entry->key);
    } else {
        add(j, entry->key);
        j->is_unnamed = entry->is_unnamed;
    }
}

/* merge adds the counts of one entry to those of another one. */
static void merge(struct profile_entry *into, const struct profile_entry *from)
{
    for (int i = 0; i < PROFILE_SLICES; i++)
        into->slices[i] += from->slices[i];
    for (int i = 0; i < PROFILE_PARTS; i++) {
        into->parts[i].count += from->parts[i].count;
        into->parts[i].bytes += from->parts[i].bytes;
        into->parts[i].failed += from->parts[i].failed;
    }
    into->unread += from->unread;
    into->is_of_call |= from->is_of_call;
    into->is_unnamed &= from->is_unnamed;
    into->most = from->most > into->most ? from->most : into->most;
    into->windows += from->windows;
    if (into->frame == 0 || (from->frame != 0 && from->frame < into->frame)) {
        into->frame = from->frame;
        into->conn = from->conn;
    }
}

/* copy adds an entry with its new key. False if memory ran out. */
static bool copy(struct joining *j, const struct profile_entry *from, struct profile *out)
{
    print_key(j, from);
    if (j->key.failed)
        return false;
    const struct ds_text key = {j->key.len != 0 ? j->key.data : "", j->key.len};
    const struct profile_entry *same = profile_find(out, from->kind, key);
    struct profile_entry *to = profile_entry_get(out, from->kind, key);
    if (to == NULL)
        return false;
    if (from->kind == PROFILE_LINK && from->is_unnamed && !j->is_unnamed) {
        const uint64_t num = profile_sum(from).count;
        out->num_unnamed -= num < out->num_unnamed ? num : out->num_unnamed;
    }
    if (same != NULL) {
        merge(to, from);
        return true;
    }
    const struct table_entry entry = to->entry;
    const struct ds_text own = to->key;
    *to = *from;
    to->entry = entry;
    to->key = own;
    to->is_unnamed = j->is_unnamed;
    return true;
}

/* has_unnamed says whether a profile has a node without a name. */
static bool has_unnamed(const struct profile *profile)
{
    for (const struct profile_entry *e = table_oldest(&profile->entries); e != NULL;
         e = table_newer(&profile->entries, e)) {
        if (e->kind == PROFILE_NODE && e->is_unnamed)
            return true;
    }
    return false;
}

bool same_nodes_join(const struct profile *const profile[static 2], struct profile joined[static 2],
                     bool *no_memory)
{
    struct joining j = {.profile = profile};
    bool ok = true;
    if (!has_unnamed(profile[0]) && !has_unnamed(profile[1]))
        return false;
    for (int side = 0; side < 2; side++) {
        joined[side] = *profile[side];
        table_init(&joined[side].entries, sizeof(struct profile_entry), profile[side]->entries.max);
    }
    for (int side = 0; side < 2; side++) {
        for (const struct profile_entry *e = table_oldest(&profile[side]->entries); e != NULL && ok;
             e = table_newer(&profile[side]->entries, e))
            ok = copy(&j, e, &joined[side]);
    }
    ds_buffer_free(&j.key);
    if (!ok) {
        *no_memory = true;
        same_nodes_free(joined);
    }
    return ok;
}

void same_nodes_free(struct profile joined[static 2])
{
    for (int side = 0; side < 2; side++) {
        for (struct profile_entry *e = table_oldest(&joined[side].entries); e != NULL;
             e = table_newer(&joined[side].entries, e)) {
            for (int i = 0; i < PROFILE_PARTS; i++)
                e->parts[i].spans = (struct histogram){0};
            e->window.spans = (struct histogram){0};
        }
        profile_free(&joined[side]);
    }
}
