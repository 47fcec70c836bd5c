/*
 * atom_judge.c - see atom_judge.h. Candidates are what the sender was seen to give to the slot,
 * the atoms that the release which fits has there, and atoms of OTP whose roles are those in
 * which the slot was seen. All weights are logarithms to the base 2.
 */
#include "atom_judge.h"

#include "atom_book_parts.h"

#include <math.h>

enum {
    MAX_CANDIDATES = 64,
    TELLING_FAMILIES = 3,
    TELLING_TIMES = 10,
    OTHERS = 120, /* atoms that a node uses and that no table has */
};

static const double DEFINED_TWICE = 0.02; /* in a slot that collides */
static const double LISTED_ONLY = -3; /* of an atom that was defined, but not to use it */
static const double AGAIN = 0.05; /* what it is worth that a role is not an atom's once more */
static const double SETTLED = 0.9999, GONE = 0.5;
static const double MIN_RATIO = -6, MAX_RATIO = 11; /* of one role */
/* An atom more or less moves all those behind it. So a table is used as far as its atoms explain
 * what is seen: those from the last PART on that does so by that much are not believed. */
enum { PART = 128, MAX_PARTS = DS_STATIC_ATOMS_MAX / PART + 1 };
static const double BUILD_BITS = 10;
static const double FIT_BITS = 20; /* by which a table must be better than none, and than another */

struct candidate {
    struct ds_text text;
    double weight;
};

struct judge {
    struct atom_book *book;
    const struct book_slot *slot;
    uint16_t number;
    struct candidate candidates[MAX_CANDIDATES];
    unsigned num;
};

static double clamp(double ratio)
{
    return ratio < MIN_RATIO ? MIN_RATIO : ratio > MAX_RATIO ? MAX_RATIO : ratio;
}

/* all_of returns P(role) over all atoms. */
static double all_of(uint32_t role)
{
    return (atom_table_count_all(role) + 0.5) / (atom_table_total + 1.0);
}

/* ratio_of_use returns log2 P(role | atom) / P(role) of an atom of OTP. */
static double ratio_of_use(unsigned text, struct seen_role role)
{
    const double num = atom_table_uses[text].num;
    const unsigned coarse = atom_table_count(role.coarse, text);
    const unsigned fine = atom_table_count(role.fine, text);
    const double back = (coarse + 2 * all_of(role.coarse)) / (num + 2) / all_of(role.coarse);
    if (fine != 0)
        return clamp(log2((fine - 0.5) / (num + 2) / all_of(role.fine)));
    /* A role that it was never seen in: the better an atom is known, the less likely. */
    const double novelty = 2 / (num + 2) / 0.05;
    return clamp(log2(back * (novelty < 1 ? novelty : 1)));
}

/* ratio_of_learned does that for an atom that was seen in a few messages. */
static double ratio_of_seen(const struct learned *learned, struct seen_role role, double best)
{
    for (unsigned i = 0; i < learned->num_roles; i++) {
        double ratio = best;
        if (learned->roles[i].fine == role.fine)
            ratio = log2(0.4 / all_of(role.fine));
        else if (learned->roles[i].coarse == role.coarse)
            ratio = log2(0.3 / all_of(role.coarse));
        best = ratio > best ? ratio : best;
    }
    /* Of what only the user's table has it is not known how it is used. */
    const unsigned text = atom_table_find((struct ds_text){learned->text, learned->len});
    if (text != ATOM_TABLE_NONE && atom_table_uses[text].num != 0) {
        const double ratio = ratio_of_use(text, role);
        best = ratio > best ? ratio : best;
    }
    return clamp(best);
}

static double ratio_of_learned(const struct learned *learned, struct seen_role role)
{
    return ratio_of_seen(learned, role, -1);
}

/* ratio_of_held does that for an atom that would be seen in a role of another kind. */
static double ratio_of_held(const struct learned *learned, struct seen_role role)
{
    return ratio_of_seen(learned, role,
                         !learned->is_watched        ? -1
                         : learned->num_roles <= 1 ? -2
                                                     : -3);
}

/* prior_of returns P(a program uses an atom of OTP). */
static double prior_of(struct atom_table_use use)
{
    const double families = use.families;
    /* What one of them uses is the next one's less often than that. */
    return families == 0 ? 0.002 : (families - 0.5) / atom_table_families;
}

static bool has_text(const struct judge *judge, struct ds_text text)
{
    for (unsigned i = 0; i < judge->num; i++) {
        if (judge->candidates[i].text.len == text.len &&
            memcmp(judge->candidates[i].text.data, text.data, text.len) == 0)
            return true;
    }
    return false;
}

static void add(struct judge *judge, struct ds_text text, double weight)
{
    if (judge->num < MAX_CANDIDATES)
        judge->candidates[judge->num++] = (struct candidate){text, weight};
}

/* bits_if_later weighs that a direction defines a text, so that its slot held another one just before:
 * but that may be a second time, and the first one was not seen. */
static double bits_if_later(const struct learned *learned, uint64_t direction)
{
    bool is_later = learned->is_everywhere;
    for (unsigned d = 0; d < learned->num_directions; d++)
        is_later = is_later || learned->directions[d] == direction;
    return is_later ? log2(DEFINED_TWICE) : 0;
}

static void add_learned(struct judge *judge, uint64_t direction)
{
    const struct atom_book *book = judge->book;
    const struct book_slot *slot = judge->slot;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        const struct learned *learned = &book->learned[i - 1];
        if (has_text(judge, (struct ds_text){learned->text, learned->len}))
            continue;
        double weight = log2(0.95 / book->texts[judge->number].num) +
                        bits_if_later(learned, direction);
        for (unsigned r = 0; r < slot->num_seen; r++)
            weight += ratio_of_learned(learned, slot->seen[r]);
        add(judge, (struct ds_text){learned->text, learned->len}, weight);
    }
}

static double weight_of_text(const struct atom_book *book, const struct book_slot *slot,
                             unsigned text)
{
    const struct atom_table_use use = own_atoms_use(book->own, text);
    double weight = log2(prior_of(use));
    for (unsigned r = 0; r < slot->num_seen; r++)
        weight += use.num != 0 ? ratio_of_use(text, slot->seen[r]) : 0;
    return weight;
}

/* num_usable returns how many atoms of a table a book agrees with. */
static uint32_t num_usable(const struct atom_book *book, int t)
{
    const struct atom_table *table = own_atoms_table(book->own, t);
    return book->has_table ? book->usable[t] : table != NULL ? table->num : 0;
}

/* add_static adds what the releases that fit have in the slot. */
static void add_static(struct judge *judge)
{
    const struct atom_book *book = judge->book;
    for (int t = 0; t < ATOM_TABLES_ALL && book->has_table; t++) {
        for (uint32_t index = judge->number; index < book->usable[t]; index += ATOM_BOOK_MODULUS) {
            const unsigned number = own_atoms_table(book->own, t)->texts[index];
            const struct ds_text text = own_atoms_text(book->own, number);
            if (!has_text(judge, text))
                add(judge, text, weight_of_text(book, judge->slot, number));
        }
    }
}

/* is_known_elsewhere says whether an atom is in another slot of this sender: each has one. */
static bool is_known_elsewhere(const struct judge *judge, unsigned number)
{
    const struct atom_book *book = judge->book;
    const struct ds_text text = atom_table_text(number);
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        const unsigned index = own_atoms_index(book->own, t, number);
        if (index < num_usable(book, t))
            return true; /* as a candidate of its own slot it is there already */
    }
    return atom_book_has_elsewhere(judge->book, judge->number, text);
}

/* is_telling says whether a role gives an atom away: programs of several kinds have it there, and
 * hardly any other atom. */
static bool is_telling(const struct atom_table_role *role)
{
    const unsigned all = atom_table_count_all(role->hash);
    return atom_table_uses[role->text].families >= TELLING_FAMILIES && all >= TELLING_TIMES &&
           role->num >= all - all / 20;
}

/* add_by_role adds atoms of OTP that can be in any slot, for the roles that hardly another has. */
static void add_by_role(struct judge *judge)
{
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        unsigned num;
        const struct atom_table_role *roles = atom_table_range(judge->slot->seen[r].fine, &num);
        for (unsigned i = 0; i < num; i++) {
            const struct ds_text text = atom_table_text(roles[i].text);
            if (!is_telling(&roles[i]) || has_text(judge, text) || is_known_elsewhere(judge, roles[i].text))
                continue;
            add(judge, text,
                weight_of_text(judge->book, judge->slot, roles[i].text) - log2(ATOM_BOOK_MODULUS));
        }
    }
}

/* fit_of says how much better what is seen is explained with a table than without, and how much of
 * the table is to be believed. */
static double fit_of(const struct atom_book *book, int t, uint16_t *usable)
{
    const struct atom_table *table = own_atoms_table(book->own, t);
    const struct table_fit *seen = &book->fits[t];
    const uint32_t num = seen->rest_misses != 0 ? table->num_common : table->num;
    double gains[MAX_PARTS] = {0};
    for (uint16_t number = 0; book->slots != NULL && number < ATOM_BOOK_MODULUS; number++) {
        const struct book_slot *slot = &book->slots[number];
        double all = OTHERS / (double)ATOM_BOOK_MODULUS;
        if (slot->num_seen == 0)
            continue;
        for (uint32_t index = number; index < num; index += ATOM_BOOK_MODULUS) {
            const double with = all + exp2(weight_of_text(book, slot, table->texts[index]));
            gains[index / PART] += log2(with / all);
            all = with;
        }
    }
    double fit = log2(ATOM_BOOK_MODULUS) * (seen->hits + (num > table->num_common ? seen->rest_hits : 0));
    double last = 0;
    *usable = 0;
    for (uint32_t part = (num + PART - 1) / PART; part-- > 0;) {
        last += gains[part];
        if (*usable != 0) {
            fit += gains[part];
        } else if (last > BUILD_BITS || part * PART < seen->end_of_hits) {
            *usable = (uint16_t)((part + 1) * PART < num ? (part + 1) * PART : num);
            fit += gains[part];
        }
    }
    return fit;
}

/* choose_tables finds the releases that fit: mostly one; or several that differ where nothing was
 * seen. */
static void choose_tables(struct atom_book *book)
{
    double fits[ATOM_TABLES_ALL], best = 0;
    uint16_t usable[ATOM_TABLES_ALL] = {0};
    if (book->num_seen < book->next_fit)
        return;
    book->next_fit = book->num_seen + book->num_seen / 4 + 1;
    book->work += ATOM_BOOK_MODULUS;
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        fits[t] = -1e9;
        if (own_atoms_table(book->own, t) == NULL || book->fits[t].misses != 0)
            continue;
        fits[t] = fit_of(book, t, &usable[t]);
        best = fits[t] > best ? fits[t] : best;
    }
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        /* The user knows best: what his table is like is not considered where that fits. */
        if (best < FIT_BITS || fits[t] < best - FIT_BITS ||
            (own_atoms_is_like(book->own, t) && fits[ATOM_TABLE_OWN] >= best - FIT_BITS))
            usable[t] = 0;
    }
    if (memcmp(usable, book->usable, sizeof usable) != 0)
        book->generation++;
    memcpy(book->usable, usable, sizeof usable);
    book->has_table = best >= FIT_BITS;
}

struct ds_text atom_judge(struct atom_book *book, uint16_t slot, uint64_t direction)
{
    struct judge judge = {.book = book, .slot = &book->slots[slot], .number = slot};
    choose_tables(book);
    add_learned(&judge, direction);
    add_static(&judge);
    add_by_role(&judge);
    double all = OTHERS / (double)ATOM_BOOK_MODULUS, best = 0;
    struct ds_text text = {NULL, 0};
    for (unsigned i = 0; i < judge.num; i++) {
        const double weight = exp2(judge.candidates[i].weight);
        all += weight;
        if (weight > best) {
            best = weight;
            text = judge.candidates[i].text;
        }
    }
    return best / all >= ATOM_LIKELY_FROM ? text : (struct ds_text){NULL, 0};
}

/* weight_of_held is that of what the slot held, without how probable that is beforehand. */
static double weight_of_held(const struct judge *judge, struct ds_text text, unsigned num_new,
                             double before)
{
    const struct atom_book *book = judge->book;
    const unsigned number = atom_table_find(text);
    const struct learned *learned = NULL;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        const struct learned *l = &book->learned[i - 1];
        if (l->len == text.len && memcmp(l->text, text.data, text.len) == 0)
            learned = l;
    }
    double weight = 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const struct seen_role role = judge->slot->seen[r];
        double ratio = 0;
        if (learned != NULL && (learned->num_roles != 0 || learned->is_watched))
            ratio = ratio_of_held(learned, role);
        else if (number != ATOM_TABLE_NONE && atom_table_uses[number].num != 0)
            ratio = ratio_of_use(number, role);
        else if (learned == NULL && r == 0 && before == 0)
            ratio = LISTED_ONLY;
        weight += r < num_new ? ratio : ratio < 0 ? ratio * AGAIN : 0;
    }
    return weight;
}

enum atom_held_verdict atom_judge_held(struct atom_book *book, uint16_t slot, uint64_t direction,
                                       struct atom_held *held, struct ds_text *out)
{
    struct book_slot seen = {.num_seen = (uint8_t)held->num_roles};
    struct judge judge = {.book = book, .slot = &seen, .number = slot};
    for (unsigned r = 0; r < held->num_roles; r++)
        seen.seen[r] = held->roles[r];
    choose_tables(book);
    /* The first candidate; those that say the same are not added once more. */
    held->weight += weight_of_held(&judge, held->text, held->num_new, held->weight);
    add(&judge, held->text, log2(1 - held->changed) + held->weight);
    add_learned(&judge, direction);
    add_static(&judge);
    add_by_role(&judge);
    const double holds = exp2(judge.candidates[0].weight);
    double all = holds + held->changed, best = holds;
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
    return holds / all >= SETTLED ? ATOM_HELD_STILL : holds / all < GONE ? ATOM_HELD_GONE : ATOM_HELD_DOUBTFUL;
}
