/*
 * data_name_list.c - see data_name_list.h.
 */
#include "atoms/data_name_list.h"

#include "atoms/atom_verdicts.h"
#include "util/fnv1a.h"

enum {
    MAX_NAME = 255, /* bytes */
    CAP_NAMES = 1024, PLACES = 2048, /* PLACES: of the hash table */
};

struct data_name {
    uint32_t hash; /* of the name of the queue */
    uint16_t len, queue_at;
    bool is_ambiguous; /* another virtual host has a queue of that name */
    char *text;
};

struct data_names {
    uint16_t num;
    uint16_t places[PLACES]; /* by the hash of the queue: number, from 1, of a name */
    struct data_name names[CAP_NAMES];
};

static uint32_t hash_of(struct ds_text text)
{
    const uint32_t hash = fnv1a(text);
    return hash ^ hash >> 15;
}

/* place_of returns the index in places of a queue, or a free one; *name: the first name that
 * ends with it, or 0. */
static unsigned place_of(const struct data_names *names, struct ds_text queue, uint16_t *name)
{
    const uint32_t hash = hash_of(queue);
    unsigned at = hash % PLACES;
    for (; (*name = names->places[at]) != 0; at = (at + 1) % PLACES) {
        const struct data_name *n = &names->names[*name - 1];
        if (n->hash == hash && (size_t)(n->len - n->queue_at) == queue.len &&
            memcmp(n->text + n->queue_at, queue.data, queue.len) == 0)
            break;
    }
    return at;
}

uint16_t data_name_find(const struct data_names *names, struct ds_text queue)
{
    uint16_t name;
    if (names == NULL)
        return 0;
    (void)place_of(names, queue, &name);
    return name != 0 && !names->names[name - 1].is_ambiguous ? name : 0;
}

/* names_of returns the list, which it allocates if needed; NULL if memory ran out. */
static struct data_names *names_of(struct all_node_atoms *books)
{
    if (books->data_names == NULL)
        books->data_names = memcap_calloc(&books->memcap, sizeof *books->data_names);
    return books->data_names;
}

/* add_name adds a text to the list and returns its number; 0: there is no room. */
static uint16_t add_name(struct all_node_atoms *books, struct ds_text text, size_t queue_at)
{
    struct data_names *names = books->data_names;
    char *copy = names->num < CAP_NAMES ? memcap_calloc(&books->memcap, text.len) : NULL;
    if (copy == NULL)
        return 0;
    memcpy(copy, text.data, text.len);
    names->names[names->num] = (struct data_name){
        .hash = hash_of((struct ds_text){text.data + queue_at, text.len - queue_at}),
        .len = (uint16_t)text.len, .queue_at = (uint16_t)queue_at, .text = copy};
    return ++names->num;
}

uint16_t data_name_add(struct all_node_atoms *books, struct ds_text host, struct ds_text queue)
{
    char text[3 + DATA_NAME_HOST + 1 + DATA_NAME_QUEUE];
    const bool is_root = host.len == 1 && host.data[0] == '/';
    const struct ds_text before = is_root ? (struct ds_text){"%2F", 3} : host;
    const size_t queue_at = before.len + 1, len = queue_at + queue.len;
    if (len > MAX_NAME)
        return 0;
    memcpy(text, before.data, before.len);
    text[before.len] = '_';
    memcpy(text + queue_at, queue.data, queue.len);
    struct data_names *names = names_of(books);
    uint16_t name;
    if (names == NULL)
        return 0;
    const unsigned place = place_of(names, queue, &name);
    if (name != 0) {
        struct data_name *n = &names->names[name - 1];
        const bool is_same = n->len == len && memcmp(n->text, text, len) == 0;
        n->is_ambiguous = n->is_ambiguous || !is_same;
        return is_same ? name : 0;
    }
    name = data_name_of(books, (struct ds_text){text, len});
    /* One text may be split in two ways: it has only one entry in places, so that some stay
     * free. */
    if (name != 0 && names->names[name - 1].queue_at == 0) {
        names->names[name - 1].queue_at = (uint16_t)queue_at;
        names->names[name - 1].hash = hash_of(queue);
        names->places[place] = name;
    }
    return name;
}

uint16_t data_name_of(struct all_node_atoms *books, struct ds_text text)
{
    const struct data_names *names = text.len != 0 && text.len <= MAX_NAME ? names_of(books) : NULL;
    for (uint16_t i = 0; names != NULL && i < names->num; i++) {
        if (names->names[i].len == text.len && memcmp(names->names[i].text, text.data, text.len) == 0)
            return (uint16_t)(i + 1);
    }
    return names != NULL ? add_name(books, text, 0) : 0;
}

void data_names_free(struct all_node_atoms *books)
{
    struct data_names *names = books->data_names;
    for (unsigned i = 0; names != NULL && i < names->num; i++)
        memcap_free(&books->memcap, names->names[i].text, names->names[i].len);
    if (names != NULL)
        memcap_free(&books->memcap, names, sizeof *names);
    books->data_names = NULL;
}

void data_names_define(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    const struct data_names *names = book->books->data_names;
    if (book->names == NULL || book->slots == NULL || names == NULL)
        return;
    for (unsigned i = 0; i < ATOM_BOOK_MODULUS; i++) {
        const uint16_t name = book->names[i].name;
        if (name != 0 && i != slot && names->names[name - 1].len == text.len &&
            memcmp(names->names[name - 1].text, text.data, text.len) == 0)
            atom_verdicts_forget(book, (uint16_t)i);
    }
}

struct ds_text data_name_text(const struct data_names *names, uint16_t name)
{
    return (struct ds_text){names->names[name - 1].text, names->names[name - 1].len};
}
