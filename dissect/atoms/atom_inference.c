/*
 * atom_inference.c - see atom_inference.h. The candidates of a slot (atom_candidates.h,
 * atom_by_shape.h) are compared with each other, and with any other atom.
 */
#include "atoms/atom_inference.h"

#include "atoms/atom_by_shape.h"
#include "atoms/atom_fit.h"
#include "atoms/atom_shape_claims.h"
#include "atoms/atom_verdicts.h"
#include "atoms/atom_weights.h"
#include "atoms/shape_contexts.h"

#include <math.h>

enum { LEAST_UNSEEN = 2 }; /* added to the number of unknown slots without a text */

static const double LEAST_REST = 1e-12;
static const double LEAST_ODDS_OF_ANY = 9; /* log2, for an atom of a release that may not fit */
/* Limit for how much less likely the roles of a slot are for any other atom. */
static const double LEAST_OTHERS = -8;

/* count_of_candidates adds up how often the candidates that are atoms of OTP occur in a role,
 * and in all roles. */
static unsigned count_of_candidates(struct judge *judge, uint32_t role, unsigned *total)
{
    const struct node_atoms *book = judge->book;
    unsigned count = 0, num = judge->num;
    uint32_t next = book->texts[judge->number].first;
    *total = 0;
    while (num != 0 || next != 0) {
        unsigned number;
        if (num != 0) {
            number = judge->candidates[--num].number;
        } else {
            const struct learned *learned = &book->learned[next - 1];
            next = learned->next;
            if (candidates_find(judge, (struct ds_text){learned->text, learned->len}) != NULL)
                continue;
            number = learned->number;
        }
        if (number != ATOM_TABLE_NONE) {
            count += atom_table_count(role, number);
            *total += atom_table_uses[number].num;
        }
    }
    return count;
}

/* weight_like_others returns what a candidate loses if it is like any other atom: it was never
 * counted, or not in the close form of a role, or only contexts support it, which count more
 * than roles. */
static double weight_like_others(const struct judge *judge, const struct candidate *candidate)
{
    const unsigned number = candidate->number;
    double weight = 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const struct seen_role *seen = &judge->slot->seen[r];
        if (candidate->is_by_shape || number == ATOM_TABLE_NONE || atom_table_uses[number].num == 0 ||
            (seen->rank != 0 && atom_table_count(seen->close, number) == 0))
            weight += judge->others[r];
    }
    return weight > LEAST_OTHERS ? weight : LEAST_OTHERS;
}

/* weigh_others returns the weight of any atom that is not a candidate. It has a role as often as
 * the counted atoms without the candidates, which are those of the tables and, added later, of
 * the book. */
static double weigh_others(struct judge *judge)
{
    double weight = 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const struct seen_role *seen = &judge->slot->seen[r];
        const uint32_t role = seen->rank != 0 ? seen->close : seen->fine;
        const unsigned all = atom_table_count_all(role);
        unsigned total;
        const unsigned ours = count_of_candidates(judge, role, &total);
        const double others = (all - (ours < all ? ours : all) + 1.0) /
                              (atom_table_total - (total < atom_table_total ? total : 0) + 2.0);
        const double ratio = log2(others / atom_share_of_role(role));
        judge->others[r] = all != 0 && ratio < 0 && judge_is_here(judge, r) ? ratio : 0;
        weight += judge->others[r];
    }
    weight = weight > LEAST_OTHERS ? weight : LEAST_OTHERS;
    for (unsigned i = judge->num_held; i < judge->num; i++)
        judge->candidates[i].weight += weight_like_others(judge, &judge->candidates[i]);
    return log2(judge->num_others / ATOM_BOOK_MODULUS) + weight;
}

/* num_unlearned estimates the number of atoms whose definition was not seen: those in slots
 * without a text, and the same share of the slots with one. */
static double num_unlearned(const struct node_atoms *book)
{
    const double empty = ATOM_BOOK_MODULUS - (double)book->num_slots_learned;
    return (book->num_seen_other + LEAST_UNSEEN) * ATOM_BOOK_MODULUS / (empty > 1 ? empty : 1);
}

double atom_share_unlearned(const struct node_atoms *book)
{
    const double num = num_unlearned(book);
    return num / (num + book->num_slots_learned);
}

/* gets_it_later says whether a direction defines a known text of the slot later: then it
 * certainly contains another atom before. */
static bool gets_it_later(const struct judge *judge, uint64_t direction)
{
    const struct node_atoms *book = judge->book;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        if (candidates_bits_if_later(judge, &book->learned[i - 1], direction) < 0)
            return true;
    }
    return false;
}

/* weigh_unlearned sets the weight of such atoms in a slot that was seen to be given a text. It
 * is less than in a slot without one, and the less, the more unknown slots have a text: those
 * mostly mean their texts, except for chance collisions. */
static void weigh_unlearned(struct judge *judge, uint64_t direction)
{
    const struct node_atoms *book = judge->book;
    const double learned = book->num_slots_learned, held = book->num_seen_learned;
    judge->num_others = ATOM_OTHERS;
    judge->unlearned = 0;
    if (book->texts[judge->number].num == 0 || learned >= ATOM_BOOK_MODULUS || held == 0 ||
        gets_it_later(judge, direction))
        return;
    const double num = num_unlearned(book) * learned / held;
    const double share = atom_share_unlearned(book) * learned / held;
    judge->num_others = num < ATOM_OTHERS ? num : ATOM_OTHERS;
    judge->unlearned = share < 1 ? log2(share) : 0;
}

/* weigh_all adds the candidates of a slot, and replaces their weights by probabilities. Returns
 * the sum of these and all other atoms. */
static double weigh_all(struct judge *judge, uint64_t direction)
{
    atom_fit_choose(judge->book);
    weigh_unlearned(judge, direction);
    candidates_add_static(judge);
    candidates_add_by_role(judge);
    by_shape_add(judge);
    double all = weigh_others(judge);
    candidates_add_learned(judge, direction);
    candidates_add_node(judge);
    candidates_add_named(judge);
    all = exp2(all - by_shape_weigh(judge));
    for (unsigned i = 0; i < judge->num; i++) {
        judge->candidates[i].weight = exp2(judge->candidates[i].weight);
        all += judge->candidates[i].weight;
    }
    return all;
}

/* judge_begin sets all but the array of candidates, which is large. */
static void judge_begin(struct judge *judge, struct node_atoms *book, uint16_t slot, uint64_t direction)
{
    judge->book = book;
    judge->slot = &book->slots[slot];
    judge->number = slot;
    judge->bit = node_atoms_bit_of(book, direction);
    judge->num = judge->num_held = judge->num_claimed = 0;
}

/* find_likely returns the likely candidate; absent: none. */
static struct ds_text find_likely(struct node_atoms *book, uint16_t slot, uint64_t direction)
{
    struct judge judge;
    double weight;
    judge_begin(&judge, book, slot, direction);
    const double all = weigh_all(&judge, direction);
    const struct candidate *best = candidates_pop_best(&judge, &weight);
    bool is_likely = best != NULL && !best->is_rival;
    if (is_likely && best->is_by_shape) {
        const double rest = (all - weight) / all;
        const double odds = -log2(rest > LEAST_REST ? rest : LEAST_REST);
        if (by_shape_is_likely(&judge, weight, all))
            return shape_claims_add(book, slot, shape_contexts_atom(book, best->text), odds)
                       ? best->text
                       : (struct ds_text){NULL, 0};
        is_likely = false;
    }
    shape_claims_leave(book, slot);
    if (is_likely && best->is_of_any)
        is_likely = weight >= exp2(LEAST_ODDS_OF_ANY) * (all - weight);
    return is_likely && weight >= ATOM_LIKELY_FROM * all ? best->text : (struct ds_text){NULL, 0};
}

struct ds_text atom_infer(struct node_atoms *book, uint16_t slot, uint64_t direction)
{
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar || book->slots == NULL)
        return (struct ds_text){NULL, 0};
    const struct ds_text *before = atom_verdicts_find(book, slot, direction);
    if (before != NULL && (before->data != NULL || !shape_claims_have_news(book, slot)))
        return *before;
    if (before != NULL)
        atom_verdicts_forget(book, slot);
    const struct ds_text verdict = find_likely(book, slot, direction);
    book->num_judged++;
    atom_verdicts_keep(book, slot, direction, verdict);
    return verdict;
}

void atom_infer_guess(struct node_atoms *book, uint16_t slot, uint64_t direction,
                      struct ds_guess *guess)
{
    *guess = (struct ds_guess){.slot = slot};
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar || book->slots == NULL)
        return;
    struct judge judge;
    const struct candidate *next;
    double weight;
    judge_begin(&judge, book, slot, direction);
    const double all = weigh_all(&judge, direction);
    while (guess->num < DS_GUESS_ATOMS && (next = candidates_pop_best(&judge, &weight)) != NULL &&
           weight / all >= 0.01) {
        guess->atom[guess->num].text = next->text;
        guess->atom[guess->num++].percent = (uint8_t)(100 * weight / all);
    }
}
