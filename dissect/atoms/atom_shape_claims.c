/*
 * atom_shape_claims.c - see atom_shape_claims.h.
 */
#include "atoms/atom_shape_claims.h"

#include "atoms/atom_verdicts.h"
#include "atoms/shape_contexts.h"

static const double CLEARLY = 8;  /* bits by which another slot must be more likely */
static const double MOST_CLAIMED = 8; /* limit for the evidence of a claim */

void shape_claims_leave(struct node_atoms *book, uint16_t slot)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->slots == NULL || shapes->slots[slot].claim == 0)
        return;
    shapes->claims[shapes->slots[slot].claim - 1].slot = 0;
    shapes->slots[slot].claim = 0;
}

bool shape_claims_add(struct node_atoms *book, uint16_t slot, unsigned text, double odds)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->slots == NULL || text >= shape_contexts_num_atoms())
        return false;
    struct slot_shapes *s = &shapes->slots[slot];
    struct shape_claim *claim = &shapes->claims[text];
    const uint8_t bits = (uint8_t)(odds < UINT8_MAX ? odds : UINT8_MAX);
    if (s->claim == text + 1) {
        claim->bits = bits;
        return true;
    }
    if (claim->slot != 0 && bits < claim->bits + CLEARLY) {
        /* If two slots may both mean it, neither is likely. */
        if (claim->slot != SHAPE_CONTESTED && bits + CLEARLY > claim->bits) {
            const uint16_t other = (uint16_t)(claim->slot - 1);
            shape_claims_leave(book, other);
            atom_verdicts_forget(book, other);
            claim->slot = SHAPE_CONTESTED;
            claim->bits = bits > claim->bits ? bits : claim->bits;
        }
        return false;
    }
    if (claim->slot != 0 && claim->slot != SHAPE_CONTESTED) {
        const uint16_t other = (uint16_t)(claim->slot - 1);
        shape_claims_leave(book, other);
        atom_verdicts_forget(book, other);
    }
    shape_claims_leave(book, slot);
    shapes->num_claims += shapes->num_claims < UINT16_MAX / 2;
    *claim = (struct shape_claim){(uint16_t)(slot + 1), bits};
    s->claim = (uint16_t)(text + 1);
    return true;
}

double shape_claims_against(const struct node_atoms *book, uint16_t slot, unsigned text)
{
    const struct book_shapes *shapes = &book->shapes;
    if (shapes->claims == NULL || text >= shape_contexts_num_atoms() || shapes->claims[text].slot == 0 ||
        shapes->claims[text].slot == SHAPE_CONTESTED || shapes->claims[text].slot == slot + 1)
        return 0;
    const double bits = shapes->claims[text].bits;
    return bits < MOST_CLAIMED ? bits : MOST_CLAIMED;
}

bool shape_claims_have_news(struct node_atoms *book, uint16_t slot)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->slots == NULL || shapes->slots[slot].num == 0 ||
        shapes->num_claims < shapes->slots[slot].next_claims)
        return false;
    shapes->slots[slot].next_claims = (uint16_t)(shapes->num_claims + shapes->num_claims / 4 + 1);
    return true;
}

void shape_claims_define(struct node_atoms *book, uint16_t slot, unsigned text)
{
    const struct book_shapes *shapes = &book->shapes;
    if (shapes->claims == NULL || text >= shape_contexts_num_atoms() || shapes->claims[text].slot == 0 ||
        shapes->claims[text].slot == SHAPE_CONTESTED || shapes->claims[text].slot == slot + 1)
        return;
    const uint16_t other = (uint16_t)(shapes->claims[text].slot - 1);
    shape_claims_leave(book, other);
    atom_verdicts_forget(book, other);
}
