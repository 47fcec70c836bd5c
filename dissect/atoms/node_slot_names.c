/*
 * node_slot_names.c - see node_slot_names.h. A slot is the index of an atom modulo 2039, so another
 * node's name in the sender's table has the same slot with a probability of 1 in 2039.
 */
#include "atoms/node_slot_names.h"

#include "atoms/node_atoms_parts.h"

enum {
    MAX_NAMES = ATOM_BOOK_MODULUS / 100, /* with more names, a name is less than 99 % likely */
    MOST_BOOKS = 16,                     /* the newest books, searched for other ports of a sender */
};

static const struct node_atoms *find_book(const struct all_node_atoms *books, const struct ds_endpoint *end)
{
    const struct node_atoms *book = books->newest;
    while (book != NULL && !node_atoms_is_of(book, end))
        book = book->older;
    return book;
}

static struct ds_text text_of(const struct learned *learned)
{
    return (struct ds_text){learned->text, learned->len};
}

/* has_few_names says whether the sender is known to know few nodes. */
static bool has_few_names(const struct node_atoms *book)
{
    unsigned num = 0;
    for (uint32_t i = 0; i < book->num_learned && num <= MAX_NAMES; i++)
        num += book->learned[i].text != NULL && node_slot_names_is_name(text_of(&book->learned[i]));
    return num <= MAX_NAMES;
}

/* is_of_another says whether another incarnation has that name, at another place or earlier. */
static bool is_of_another(const struct all_node_atoms *books, struct ds_text name,
                          const struct ds_endpoint *end)
{
    for (const struct node_atoms *book = books->newest; book != NULL; book = book->older) {
        if (book->name != NULL && book->creation != end->creation && book->name_len == name.len &&
            memcmp(book->name, name.data, name.len) == 0)
            return true;
    }
    return false;
}

struct ds_text node_slot_names_find(const struct all_node_atoms *books, const struct ds_endpoint *sender,
                                    uint16_t slot, const struct ds_endpoint *end)
{
    const struct ds_text none = {NULL, 0};
    const struct node_atoms *book = slot < ATOM_BOOK_MODULUS ? find_book(books, sender) : NULL;
    struct ds_text name = none;
    if (book == NULL || !node_atoms_trusts(book))
        return none;
    for (uint32_t i = book->texts[slot].first; i != 0; i = book->learned[i - 1].next) {
        const struct ds_text text = text_of(&book->learned[i - 1]);
        if (!node_slot_names_is_name(text))
            continue;
        if (name.data != NULL)
            return none;
        name = text;
    }
    return name.data != NULL && has_few_names(book) && !is_of_another(books, name, end) ? name : none;
}

/* is_node_in says whether a slot is a node according to one book. */
static bool is_node_in(const struct node_atoms *book, uint16_t slot)
{
    if ((book->nodes[slot / 32] & 1u << slot % 32) != 0)
        return true;
    for (uint32_t i = book->texts[slot].first; i != 0; i = book->learned[i - 1].next) {
        if (node_slot_names_is_name(text_of(&book->learned[i - 1])))
            return true;
    }
    return false;
}

bool node_slot_names_is_node(const struct node_atoms *book, uint16_t slot)
{
    /* While its name is unknown, a sender has a book for each of its ports. */
    if (slot >= ATOM_BOOK_MODULUS)
        return false;
    if (is_node_in(book, slot))
        return true;
    unsigned num = 0;
    for (const struct node_atoms *of = book->books->newest; of != NULL && num < MOST_BOOKS;
         of = of->older, num++) {
        if (of->creation == book->creation && is_node_in(of, slot))
            return true;
    }
    return false;
}

bool node_slot_names_add(struct node_atoms *book, uint16_t slot)
{
    const bool is_new = slot < ATOM_BOOK_MODULUS && !node_slot_names_is_node(book, slot);
    if (slot < ATOM_BOOK_MODULUS)
        book->nodes[slot / 32] |= 1u << slot % 32;
    return is_new;
}

void node_slot_names_add_end(struct node_atoms *book, uint16_t slot, const struct ds_endpoint *end)
{
    unsigned at = 0;
    if (slot >= ATOM_BOOK_MODULUS || end->creation == 0)
        return;
    if (book->ends == NULL)
        book->ends = memcap_calloc(book->memcap, ATOM_BOOK_ENDS * sizeof *book->ends);
    if (book->ends == NULL)
        return;
    while (at < book->num_ends && book->ends[at].slot != slot)
        at++;
    if (at == ATOM_BOOK_ENDS)
        memmove(&book->ends[0], &book->ends[1], --at * sizeof book->ends[0]);
    else
        book->num_ends += at == book->num_ends;
    book->ends[at] = (struct known_end){*end, slot};
    book->ends[at].end.node = (struct ds_text){NULL, 0};
}

const struct ds_endpoint *node_slot_names_end_of(const struct node_atoms *book, uint16_t slot,
                                                 uint32_t creation)
{
    for (unsigned i = 0; i < book->num_ends; i++) {
        if (book->ends[i].slot == slot)
            return book->ends[i].end.creation == creation ? &book->ends[i].end : NULL;
    }
    return NULL;
}
