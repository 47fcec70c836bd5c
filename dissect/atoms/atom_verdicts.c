/*
 * atom_verdicts.c - see atom_verdicts.h.
 */
#include "atoms/atom_verdicts.h"

static bool is_of(const struct atom_verdict *verdict, uint16_t slot, uint64_t direction)
{
    return verdict->is_kept && verdict->slot == slot && verdict->direction == direction;
}

/* place_of returns the entry of a verdict, or the one to replace: each has two possible places,
 * and replaces the entry that was asked for less often. */
static struct atom_verdict *place_of(const struct node_atoms *book, uint16_t slot, uint64_t direction)
{
    const uint64_t mixed = (direction ^ direction >> 32) * 40503u + slot;
    struct atom_verdict *first = &book->verdicts[mixed % ATOM_BOOK_VERDICTS];
    struct atom_verdict *second = &book->verdicts[(mixed / ATOM_BOOK_VERDICTS + slot) % ATOM_BOOK_VERDICTS];
    if (is_of(first, slot, direction))
        return first;
    return is_of(second, slot, direction) || first->num_asked > second->num_asked ? second : first;
}

/* is_due says whether to judge a slot again for which nothing was likely, more and more rarely:
 * evidence from other slots may be enough by now. */
static bool is_due(struct atom_verdict *verdict)
{
    verdict->num_asked += verdict->num_asked < UINT16_MAX;
    unsigned num = verdict->num_asked;
    while (num % 2 == 0 && num != 0)
        num /= 2;
    return verdict->text.data == NULL && (num == 1 || num == 3);
}

const struct ds_text *atom_verdicts_find(const struct node_atoms *book, uint16_t slot, uint64_t direction)
{
    struct atom_verdict *verdict = place_of(book, slot, direction);
    const bool holds = is_of(verdict, slot, direction) &&
                       verdict->generation == book->generation &&
                       verdict->changes == book->slots[slot].changes;
    return holds && !is_due(verdict) ? &verdict->text : NULL;
}

void atom_verdicts_keep(struct node_atoms *book, uint16_t slot, uint64_t direction, struct ds_text text)
{
    struct atom_verdict *verdict = place_of(book, slot, direction);
    const bool is_same = is_of(verdict, slot, direction);
    *verdict = (struct atom_verdict){.direction = direction,
                                     .text = text,
                                     .generation = book->generation,
                                     .changes = book->slots[slot].changes,
                                     .slot = slot,
                                     .num_asked = is_same ? verdict->num_asked : 0,
                                     .is_kept = true};
}

void atom_verdicts_forget(struct node_atoms *book, uint16_t slot)
{
    if (book->slots != NULL)
        book->slots[slot].changes++;
}
