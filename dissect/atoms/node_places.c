/*
 * node_places.c - see node_places.h.
 */
#include "atoms/node_places.h"

static bool is_same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* find_place returns the index of a place, num_places if the book does not have it. */
static unsigned find_place(const struct node_atoms *book, const struct ds_addr *addr, uint16_t port)
{
    unsigned i = 0;
    while (i < book->num_places &&
           (book->places[i].port != port || !is_same_addr(&book->places[i].addr, addr)))
        i++;
    return i;
}

bool node_places_has(const struct node_atoms *book, const struct ds_endpoint *end)
{
    return find_place(book, &end->addr, end->port) < book->num_places;
}

void node_places_add(struct node_atoms *book, const struct ds_endpoint *end,
                     const struct ds_endpoint *other)
{
    unsigned at = find_place(book, &end->addr, end->port);
    if (at == ATOM_BOOK_PLACES) {
        memmove(&book->places[0], &book->places[1], (ATOM_BOOK_PLACES - 1) * sizeof book->places[0]);
        at = --book->num_places;
    }
    if (at == book->num_places)
        book->places[book->num_places++] = (struct book_place){.addr = end->addr, .port = end->port};
    if (other == NULL)
        return;
    book->places[at].peer = other->addr;
    book->places[at].peer_creation = other->creation;
    book->places[at].has_peer = true;
}

void node_atoms_leave(struct node_atoms *book, const struct ds_addr *addr, uint16_t port)
{
    const unsigned at = book != NULL ? find_place(book, addr, port) : 0;
    if (book != NULL && at < book->num_places)
        book->places[at].has_peer = false;
}

static void judge_several(struct node_atoms *book)
{
    book->is_several = book->is_liar = true;
    book->generation++;
}

void node_atoms_set_own(struct node_atoms *book, uint16_t slot)
{
    if (book->name == NULL && book->own_slot != 0 && book->own_slot != slot + 1)
        judge_several(book);
    book->own_slot = (uint16_t)(slot + 1);
}

bool node_places_has_addr(const struct node_atoms *book, const struct ds_addr *addr)
{
    for (unsigned i = 0; i < book->num_places; i++) {
        if (is_same_addr(&book->places[i].addr, addr))
            return true;
    }
    return false;
}

/* may_have says whether a node without a name may have one more connection, with other. If it
 * has one with the same node already, there are two such nodes, and nothing is likely in this
 * book any more. */
static bool may_have(struct node_atoms *book, const struct ds_endpoint *other)
{
    for (unsigned i = 0; i < book->num_places; i++) {
        const struct book_place *place = &book->places[i];
        if (!place->has_peer || !is_same_addr(&place->peer, &other->addr) ||
            (place->peer_creation != other->creation && place->peer_creation != 0 && other->creation != 0))
            continue;
        if (place->peer_creation != 0 && place->peer_creation == other->creation && book->num_places > 1)
            judge_several(book);
        return false;
    }
    return true;
}

struct node_atoms *node_places_find(const struct all_node_atoms *books, const struct ds_endpoint *end,
                                    const struct ds_endpoint *other)
{
    struct node_atoms *found = NULL;
    if (other == NULL || is_same_addr(&end->addr, &other->addr))
        return NULL;
    for (struct node_atoms *book = books->newest; book != NULL; book = book->older) {
        if (book->creation != end->creation || !node_places_has_addr(book, &end->addr))
            continue;
        if (found != NULL)
            return NULL;
        found = book;
    }
    return found != NULL && found->name == NULL && !found->is_liar && may_have(found, other) ? found : NULL;
}

bool node_places_is_beside(const struct node_atoms *book, const struct node_atoms *other)
{
    for (unsigned i = 0; i < other->num_places; i++) {
        if (node_places_has_addr(book, &other->places[i].addr))
            return true;
    }
    return false;
}
