/*
 * atom_held.c - see atom_held.h.
 */
#include "atoms/atom_held.h"

#include "atoms/atom_candidates.h"
#include "atoms/atom_fit.h"
#include "atoms/atom_inference.h"
#include "atoms/atom_weights.h"

#include <math.h>

static const double LISTED_ONLY = -3; /* if the atom was defined by a message that does not use it */
static const double AGAIN = 0.05; /* weight of a repeated role against the atom */
static const double NO_ROLE = -2; /* for an atom in a place without a role, as in long messages */
static const double SETTLED = 0.9999, GONE = 0.5;

/* weigh_held adds the evidence for the previous atom, without its prior probability. Repetitions
 * of a role against it count together at most as much as the role itself: whatever atom is in
 * the slot has that role. Returns whether the use of the atom is known. */
static bool weigh_held(const struct judge *judge, struct atom_held *held, double *here)
{
    const struct ds_text text = held->text;
    const struct node_atoms *book = judge->book;
    const unsigned number = atom_table_find(text);
    const struct learned *learned = NULL;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        const struct learned *l = &book->learned[i - 1];
        if (l->len == text.len && memcmp(l->text, text.data, text.len) == 0)
            learned = l;
    }
    const bool is_seen = learned != NULL && (learned->num_roles != 0 || learned->is_watched);
    const bool is_counted = number != ATOM_TABLE_NONE && atom_table_uses[number].num != 0;
    const double before = held->weight;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const struct seen_role role = judge->slot->seen[r];
        double ratio = 0;
        if (is_seen)
            ratio = atom_ratio_of_held(learned, role);
        else if (is_counted)
            ratio = atom_ratio_of_use(number, role);
        else if (learned == NULL && r == 0 && before == 0)
            ratio = LISTED_ONLY;
        *here += ratio;
        if (r < held->num_new) {
            /* Similar new roles are not independent evidence against the atom. */
            held->weight += ratio >= 0                     ? ratio
                            : (held->alike & 1u << r) != 0 ? ratio * AGAIN
                                                           : ratio / (1 + held->num_before + r);
        } else if (ratio < held->again) {
            held->weight += ratio * AGAIN;
            held->again += ratio * AGAIN;
        }
    }
    return is_seen || is_counted;
}

enum atom_held_verdict atom_infer_held(struct node_atoms *book, uint16_t slot, uint64_t direction,
                                       struct atom_held *held, struct ds_text *out)
{
    *out = (struct ds_text){NULL, 0};
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar)
        return ATOM_HELD_DOUBTFUL;
    struct book_slot seen = {.num_seen = (uint8_t)held->num_roles};
    struct judge judge = {.book = book, .slot = &seen, .number = slot, .num_held = 1};
    for (unsigned r = 0; r < held->num_roles; r++)
        seen.seen[r] = held->roles[r];
    atom_fit_choose(book);
    /* Only an atom without a known definition can have come: all others have slots of their own.
     * If the use of the previous atom is unknown, that counts only in part. */
    const double share = atom_share_unlearned(book);
    double here = 0;
    const double changed = held->changed * (weigh_held(&judge, held, &here) ? share : sqrt(share));
    /* This is the first candidate; candidates with the same text are not added. */
    candidates_add(&judge, held->text,
        log2(1 - changed) + held->weight + (held->num_roles == 0 ? NO_ROLE : 0));
    candidates_add_learned(&judge, direction);
    /* The others may have had the earlier roles, too. */
    for (unsigned i = judge.num_held; i < judge.num && held->weight > here; i++)
        judge.candidates[i].weight += held->weight - here;
    judge.unlearned = log2(share);
    candidates_add_static(&judge);
    candidates_add_by_role(&judge);
    const double holds = exp2(judge.candidates[0].weight);
    double all = holds + changed, best = holds;
    *out = held->text;
    for (unsigned i = 1; i < judge.num; i++) {
        const double weight = held->lost * exp2(judge.candidates[i].weight);
        all += weight;
        if (weight > best) {
            best = weight;
            *out = judge.candidates[i].text;
        }
    }
    if (best / all < ATOM_LIKELY_FROM)
        *out = (struct ds_text){NULL, 0};
    return holds / all >= SETTLED ? ATOM_HELD_STILL
           : holds / all < GONE   ? ATOM_HELD_GONE
                                  : ATOM_HELD_DOUBTFUL;
}
