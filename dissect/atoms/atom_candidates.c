/*
 * atom_candidates.c - see atom_candidates.h.
 */
#include "atoms/atom_candidates.h"

#include "atoms/atom_fit.h"
#include "atoms/atom_weights.h"
#include "atoms/data_names.h"
#include "atoms/shape_contexts.h"

#include <math.h>

enum {
    TELLING_FAMILIES = 3,
    TELLING_TIMES = 10,
    RIVAL_SHARE = 16, /* a rival has at least this part of the atoms in a role: one in 16 */
};

static const double DEFINED_TWICE = 0.02; /* probability, in a slot where atoms collide */
static const double DEFINED_OFTEN = 0.3;  /* likewise, if it is known to be defined repeatedly */
static const double NODE_WEIGHT = 6; /* of a node found by its creation */
static const double NEXT_AGAINST = 0.25; /* part of the evidence of each further role against an atom */
static const double LEAST_OF_NEW = -3;   /* limit for a role in which no atom was counted */
static const double LEAST_THERE = -4; /* limit for other directions: they may have another atom */

struct candidate *candidates_find(struct judge *judge, struct ds_text text)
{
    for (unsigned i = 0; i < judge->num; i++) {
        if (judge->candidates[i].text.len == text.len &&
            memcmp(judge->candidates[i].text.data, text.data, text.len) == 0)
            return &judge->candidates[i];
    }
    return NULL;
}

void candidates_add(struct judge *judge, struct ds_text text, double weight)
{
    if (judge->num < MAX_CANDIDATES)
        judge->candidates[judge->num++] =
            (struct candidate){.text = text, .weight = weight, .number = atom_table_find(text)};
}

bool judge_is_here(const struct judge *judge, unsigned role)
{
    return judge->num_held != 0 || (judge->slot->seen_by[role] & judge->bit) != 0;
}

/* weigh adds up the evidence of the roles of a slot. In another direction the slot may contain
 * another atom: roles seen there count for at most as much as a definition there. */
static double weigh(const struct judge *judge, double weight, const double *ratios)
{
    double here = 0, there = 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++)
        *(judge_is_here(judge, r) ? &here : &there) += ratios[r];
    there = there < LEAST_THERE ? LEAST_THERE : there;
    const double most = weight > JUDGE_MOST_THERE ? weight : JUDGE_MOST_THERE;
    return (weight + there < most ? weight + there : most) + here;
}

double candidates_bits_if_later(const struct judge *judge, const struct learned *learned,
                                uint64_t direction)
{
    for (unsigned d = 0; d < learned->num_directions; d++) {
        const struct defining *by = &learned->directions[d];
        if (by->direction == direction)
            return by->first_ns <= judge->book->now_ns ? 0
                   : by->is_again                      ? log2(DEFINED_OFTEN)
                                                       : log2(DEFINED_TWICE);
    }
    return learned->is_everywhere ? log2(DEFINED_TWICE) : 0;
}

/* weigh_once removes evidence for an atom from roles that it never had, if they resemble another
 * role of the slot: the same evidence counts once. */
static void weigh_once(const struct judge *judge, const struct learned *learned, unsigned text,
                       double *ratios)
{
    const struct seen_role *seen = judge->slot->seen;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        for (unsigned other = 0; other < judge->slot->num_seen && ratios[r] > 0; other++) {
            if (other != r && seen[other].coarse == seen[r].coarse &&
                judge_is_here(judge, other) == judge_is_here(judge, r) &&
                ratios[other] >= ratios[r] &&
                !atom_was_seen(learned, text, seen[r]))
                ratios[r] = 0;
        }
    }
}

void candidates_add_learned(struct judge *judge, uint64_t direction)
{
    const struct node_atoms *book = judge->book;
    const struct book_slot *slot = judge->slot;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        const struct learned *learned = &book->learned[i - 1];
        const struct ds_text text = {learned->text, learned->len};
        struct candidate *same = candidates_find(judge, text);
        if (same != NULL && same < &judge->candidates[judge->num_held])
            continue;
        double ratios[ATOM_BOOK_ROLES];
        for (unsigned r = 0; r < slot->num_seen; r++)
            ratios[r] = atom_ratio_of_seen(learned, slot->seen[r], -1 + judge->others[r]);
        weigh_once(judge, learned, learned->number, ratios);
        const double weight = weigh(judge, log2(0.95 / book->texts[judge->number].num) +
                                               candidates_bits_if_later(judge, learned, direction), ratios);
        if (same == NULL)
            candidates_add(judge, text, weight);
        else if (weight > same->weight)
            *same = (struct candidate){.text = text, .weight = weight, .number = learned->number};
    }
}

/* is_only_learned says whether the slot was not seen to be given any other atom. */
static bool is_only_learned(const struct judge *judge, struct ds_text text)
{
    const struct node_atoms *book = judge->book;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        if (book->learned[i - 1].len != text.len ||
            memcmp(book->learned[i - 1].text, text.data, text.len) != 0)
            return false;
    }
    return true;
}

/* damp reduces the evidence of roles against an atom, except the strongest: a program that uses
 * an atom in one way that was not counted also uses it in others. A role in which no atom was
 * counted counts less. */
static void damp(const struct judge *judge, double *ratios)
{
    for (int here = 0; here < 2; here++) {
        unsigned worst = ATOM_BOOK_ROLES;
        for (unsigned r = 0; r < judge->slot->num_seen; r++) {
            if (judge_is_here(judge, r) != (here != 0) || ratios[r] >= 0)
                continue;
            if (ratios[r] > -ATOM_NEVER && ratios[r] < LEAST_OF_NEW &&
                atom_table_count_all(judge->slot->seen[r].fine) == 0)
                ratios[r] = LEAST_OF_NEW;
            if (worst == ATOM_BOOK_ROLES || ratios[r] < ratios[worst])
                worst = r;
        }
        for (unsigned r = 0; r < judge->slot->num_seen; r++) {
            if (judge_is_here(judge, r) == (here != 0) && ratios[r] < 0 && r != worst &&
                ratios[r] > -ATOM_NEVER)
                ratios[r] *= NEXT_AGAINST;
        }
    }
}

/* weight_here returns the weight of an atom of OTP in the direction that is judged; rarity:
 * evidence against it, in bits. */
static double weight_here(const struct judge *judge, unsigned text, double rarity)
{
    const struct atom_table_use use = user_atoms_use(judge->book->own, text);
    double ratios[ATOM_BOOK_ROLES] = {0};
    for (unsigned r = 0; r < judge->slot->num_seen; r++)
        ratios[r] = atom_ratio_of_static(judge->book, text, judge->slot->seen[r]);
    weigh_once(judge, NULL, text, ratios);
    if (is_only_learned(judge, user_atoms_text(judge->book->own, text)))
        damp(judge, ratios);
    return weigh(judge, log2(atom_prior(use)) + judge->unlearned - rarity, ratios);
}

void candidates_add_node(struct judge *judge)
{
    const struct ds_text name = node_atoms_name_of(judge->book, judge->number);
    struct candidate *same = name.data != NULL ? candidates_find(judge, name) : NULL;
    if (same != NULL)
        same->weight = same->weight > NODE_WEIGHT ? same->weight : NODE_WEIGHT;
    else if (name.data != NULL)
        candidates_add(judge, name, NODE_WEIGHT);
}

void candidates_add_named(struct judge *judge)
{
    double weight = 0;
    const struct ds_text name = data_names_of(judge->book, judge->number, judge->bit, &weight);
    if (name.data == NULL || node_atoms_has_elsewhere(judge->book, judge->number, name))
        return;
    struct candidate *same = candidates_find(judge, name);
    if (same != NULL)
        same->weight = same->weight > weight ? same->weight : weight;
    else
        candidates_add(judge, name, weight);
}

/* add_of_table adds the atom that one release has in the slot. While none fits, several may have
 * the same atom there: their probabilities add up. */
static void add_of_table(struct judge *judge, int t)
{
    const struct node_atoms *book = judge->book;
    const uint32_t num = atom_fit_num(book, t);
    for (uint32_t index = judge->number; index < num; index += ATOM_BOOK_MODULUS) {
        const unsigned number = user_atoms_table(book->own, t)->texts[index];
        const double weight =
            weight_here(judge, number,
                        atom_fit_bits_against(book, t, index) - atom_fit_bits_of(book, t));
        const struct ds_text text = user_atoms_text(book->own, number);
        struct candidate *same = candidates_find(judge, text);
        if (same == NULL && judge->num < MAX_CANDIDATES)
            judge->candidates[judge->num++] = (struct candidate){
                .text = text,
                .weight = weight,
                .number = number < atom_table_num_texts ? number : ATOM_TABLE_NONE,
                .is_of_any = !book->has_table};
        else if (same == NULL)
            return;
        else if (same >= &judge->candidates[judge->num_held] && !book->has_table)
            same->weight = log2(exp2(same->weight) + exp2(weight));
        else if (same >= &judge->candidates[judge->num_held] && weight > same->weight)
            same->weight = weight;
    }
}

void candidates_add_static(struct judge *judge)
{
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        if (atom_fit_bits_of(judge->book, t) > -ATOM_NEVER)
            add_of_table(judge, t);
    }
}

double candidates_rarity(const struct judge *judge, unsigned number)
{
    struct node_atoms *book = judge->book;
    const struct ds_text text = shape_contexts_text(book, number);
    const unsigned own =
        number < atom_table_num_texts ? number : user_atoms_find(book->own, text);
    bool is_elsewhere = false, is_its_own = false;
    for (int t = 0; t < ATOM_TABLES_ALL && own != ATOM_TABLE_NONE; t++) {
        if (book->has_table && book->usable[t] == 0)
            continue;
        const uint32_t num = atom_fit_num(book, t);
        const unsigned index = num != 0 ? user_atoms_index(book->own, t, own) : 0;
        if (index >= num)
            continue;
        /* While no release fits: one of them has it in this slot. */
        if (!book->has_table && index % ATOM_BOOK_MODULUS == judge->number)
            is_its_own = true;
        else
            is_elsewhere = true;
    }
    if ((is_elsewhere && !is_its_own) ||
        node_atoms_has_elsewhere(book, judge->number, text))
        return ATOM_NEVER;
    return log2(is_its_own ? ATOM_TABLES_ALL : ATOM_BOOK_MODULUS);
}

/* is_telling says whether a role identifies an atom: programs of several kinds have it there,
 * and hardly any other atom. */
static bool is_telling(const struct atom_table_role *role)
{
    const unsigned all = atom_table_count_all(role->hash);
    return atom_table_uses[role->text].families >= TELLING_FAMILIES && all >= TELLING_TIMES &&
           role->num >= all - all / 20;
}

/* add_rivals adds, after atoms that one role suggests, atoms of OTP with any other role of the
 * slot. If the slot has roles of both, it is neither. */
static void add_rivals(struct judge *judge)
{
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        unsigned num;
        const struct seen_role *seen = &judge->slot->seen[r];
        const struct atom_table_role *roles = atom_table_range(seen->fine, &num);
        const unsigned all = atom_table_count_all(seen->fine);
        for (unsigned i = 0; i < num && judge->num < MAX_CANDIDATES; i++) {
            if (roles[i].num < all / RIVAL_SHARE ||
                candidates_find(judge, atom_table_text(roles[i].text)) != NULL)
                continue;
            const double rarity = candidates_rarity(judge, roles[i].text);
            if (rarity == ATOM_NEVER)
                continue;
            candidates_add(judge, atom_table_text(roles[i].text),
                           weight_here(judge, roles[i].text, rarity));
            judge->candidates[judge->num - 1].is_rival = true;
        }
    }
}

void candidates_add_by_role(struct judge *judge)
{
    const unsigned before = judge->num;
    for (unsigned r = 0; r < 2u * judge->slot->num_seen; r++) {
        const struct seen_role *seen = &judge->slot->seen[r / 2];
        unsigned num;
        if (r % 2 != 0 && seen->rank == 0)
            continue;
        const struct atom_table_role *roles =
            atom_table_range(r % 2 != 0 ? seen->close : seen->fine, &num);
        for (unsigned i = 0; i < num; i++) {
            const struct ds_text text = atom_table_text(roles[i].text);
            if (!is_telling(&roles[i]) || candidates_find(judge, text) != NULL)
                continue;
            const double rarity = candidates_rarity(judge, roles[i].text);
            if (rarity < ATOM_NEVER)
                candidates_add(judge, text, weight_here(judge, roles[i].text, rarity));
        }
    }
    if (judge->num != before)
        add_rivals(judge);
}

const struct candidate *candidates_pop_best(struct judge *judge, double *weight)
{
    struct candidate *best = NULL;
    *weight = 0;
    for (unsigned i = 0; i < judge->num; i++) {
        if (judge->candidates[i].weight > *weight) {
            best = &judge->candidates[i];
            *weight = best->weight;
        }
    }
    if (best != NULL)
        best->weight = 0;
    return best;
}
