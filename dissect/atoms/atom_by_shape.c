/*
 * atom_by_shape.c - see atom_by_shape.h.
 */
#include "atoms/atom_by_shape.h"

#include "atoms/atom_shape_claims.h"
#include "atoms/atom_shape_fit.h"
#include "atoms/atom_weights.h"
#include "atoms/shape_contexts.h"

#include <math.h>

enum {
    WELL_COUNTED = 20, /* uses of an atom from which on the roles that it does not have are known */
    MAX_OUT = 32, /* remembered atoms that cannot be in a slot */
};

static const double USED = 0.5; /* share of the application's atoms that are used */
static const double LEAST_OF_ROLES = -10; /* limit for roles against such an atom */
/* log2, for an atom that only contexts support: the real one may not have been counted. Against
 * the next one of the same contexts less is enough, but more than a claim counts
 * (atom_shape_claims.c). */
static const double LEAST_ODDS = 9, LEAST_RIVAL_ODDS = 8.2;
static const double MORE_RIVAL_ODDS = 2; /* added while the table is not known to fit */
static const double LEAST_RIVAL_ODDS_OF_KEY = 16; /* against the next one, for a key of a map */

/* weight_of_roles returns the evidence against an atom of contexts whose use is well known: the
 * slot has roles that the atom never has. */
static double weight_of_roles(const struct judge *judge, unsigned number)
{
    double weight = 0;
    if (number >= atom_table_num_texts || atom_table_uses[number].num < WELL_COUNTED)
        return 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const double ratio = atom_ratio_of_use(number, judge->slot->seen[r]);
        weight += ratio < 0 && judge_is_here(judge, r) ? ratio : 0;
    }
    return weight > LEAST_OF_ROLES ? weight : LEAST_OF_ROLES;
}

/* is_one_of_a_row says whether an atom is one of many that differ by a number, such as
 * delegate_8, and not a version such as amqp_0_9_1: in place of one, another may occur. */
static bool is_one_of_a_row(struct ds_text text)
{
    size_t at = text.len;
    while (at != 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9')
        at--;
    return at != text.len && at > 1 && text.data[at - 1] == '_' &&
           (text.data[at - 2] < '0' || text.data[at - 2] > '9');
}

/* is_out says whether an atom is in a list of those that cannot be in the slot. */
static bool is_out(const unsigned *out, unsigned num_out, unsigned number)
{
    unsigned i = 0;
    while (i < num_out && out[i] != number)
        i++;
    return i < num_out;
}

void by_shape_add(struct judge *judge)
{
    unsigned out[MAX_OUT], num_out = 0; /* several contexts have the same atoms */
    const struct book_shapes *shapes = &judge->book->shapes;
    const struct slot_shapes *s = shapes->slots != NULL ? &shapes->slots[judge->number] : NULL;
    for (unsigned c = 0; s != NULL && c < s->num; c++) {
        const unsigned num = shape_contexts_num(judge->book, s->context[c]);
        for (unsigned i = 0; i < num; i++) {
            const unsigned number = shape_contexts_filler(judge->book, s->context[c], i);
            if (is_out(out, num_out, number))
                continue;
            const struct ds_text text = shape_contexts_text(judge->book, number);
            struct candidate *same = candidates_find(judge, text);
            if (same != NULL && !same->is_rival)
                continue;
            const double rarity = candidates_rarity(judge, number);
            judge->num_claimed += rarity == ATOM_NEVER;
            if (rarity == ATOM_NEVER || is_one_of_a_row(text)) {
                if (num_out < MAX_OUT)
                    out[num_out++] = number;
                continue;
            }
            if (same == NULL && judge->num == MAX_CANDIDATES)
                return;
            if (same == NULL)
                same = &judge->candidates[judge->num++];
            *same = (struct candidate){.text = text,
                                       .number = number < atom_table_num_texts ? number : ATOM_TABLE_NONE,
                                       .is_by_shape = true,
                                       .weight = log2(USED) + judge->unlearned - rarity +
                                                 weight_of_roles(judge, number)};
        }
    }
}

/* atom_of returns the number of a candidate in contexts. */
static unsigned atom_of(const struct node_atoms *book, const struct candidate *candidate)
{
    return candidate->number != ATOM_TABLE_NONE ? candidate->number
                                                : shape_contexts_atom(book, candidate->text);
}

double by_shape_weigh(struct judge *judge)
{
    struct shape_weight weights[MAX_CANDIDATES + 1];
    unsigned texts[MAX_CANDIDATES + 1];
    const struct node_atoms *book = judge->book;
    if (book->shapes.slots == NULL || book->shapes.slots[judge->number].num == 0)
        return 0;
    for (unsigned i = 0; i < judge->num; i++)
        texts[i] = atom_of(book, &judge->candidates[i]);
    texts[judge->num] = ATOM_TABLE_NONE; /* any other */
    shape_fit_weigh(book, judge->number, judge->bit, texts, judge->num + 1, weights);
    const struct shape_weight others = weights[judge->num];
    double least = others.surprise;
    for (unsigned i = 0; i < judge->num; i++)
        least = weights[i].surprise < least ? weights[i].surprise : least;
    const double most = shape_fit_most_surprise(book, judge->number);
    for (unsigned i = 0; i < judge->num; i++) {
        struct candidate *candidate = &judge->candidates[i];
        const double surprise = weights[i].surprise - least;
        const double there = candidate->weight + weights[i].there;
        const double defined =
            candidate->weight > JUDGE_MOST_THERE ? candidate->weight : JUDGE_MOST_THERE;
        candidate->weight = (there < defined ? there : defined) + weights[i].here -
                            (surprise < most ? surprise : most);
        const double claimed =
            candidate->is_by_shape
                ? shape_claims_against(book, judge->number, texts[i])
                : 0;
        candidate->weight -= claimed;
        judge->num_claimed += claimed > 0;
    }
    const double new = shape_fit_most_against_others(book, judge->number);
    return others.surprise - least < new ? others.surprise - least : new;
}

/* is_key says whether the slot was seen only as a key of maps. The keys of a map may be chosen
 * freely, and a shape distinguishes them only by their values. */
static bool is_key(const struct judge *judge)
{
    const uint32_t outer = atom_role_hash("~0#k"), inner = atom_role_hash("~+#k");
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const uint32_t role = judge->slot->seen[r].coarse;
        if (judge_is_here(judge, r) && role != outer && role != inner)
            return false;
    }
    return judge->slot->num_seen != 0;
}

bool by_shape_is_likely(struct judge *judge, double weight, double all)
{
    double next;
    const struct candidate *second = candidates_pop_best(judge, &next);
    next = second != NULL && second->is_by_shape ? next : 0;
    if (is_key(judge) && (judge->num_claimed != 0 || weight < exp2(LEAST_RIVAL_ODDS_OF_KEY) * next))
        return false;
    const double rival = LEAST_RIVAL_ODDS + (shape_fit_is_sure(judge->book) ? 0 : MORE_RIVAL_ODDS);
    return weight >= exp2(LEAST_ODDS) * (all - weight - next) && weight >= exp2(rival) * next;
}
