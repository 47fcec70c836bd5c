/*
 * atom_inference.c - see atom_inference.h. Candidates are what the sender was seen to give to the slot,
 * the atoms that the release which fits has there, and atoms of OTP whose roles are those in
 * which the slot was seen. What these say is weighed in atom_weights.h, the releases in atom_fit.h.
 */
#include "atoms/atom_inference.h"

#include "atoms/atom_fit.h"
#include "atoms/atom_shape_claims.h"
#include "atoms/atom_shape_fit.h"
#include "atoms/atom_weights.h"
#include "atoms/data_names.h"
#include "atoms/shape_contexts.h"

#include <math.h>

enum {
    MAX_CANDIDATES = 64,
    TELLING_FAMILIES = 3,
    TELLING_TIMES = 10,
    RIVAL_SHARE = 16, /* of what stands in a role, so large a part at least */
    WELL_COUNTED = 20, /* times that an atom was, to know in which roles it does not stand */
    LEAST_UNSEEN = 2, /* slots that nothing is known of, beside those that were seen */
};

static const double DEFINED_TWICE = 0.02; /* in a slot that collides */
static const double DEFINED_OFTEN = 0.3;  /* as is known, and before that, too */
static const double LISTED_ONLY = -3; /* of an atom that was defined, but not to use it */
static const double AGAIN = 0.05; /* what it is worth that a role is not an atom's once more */
static const double NO_ROLE = -2; /* of what stands where nothing is told of it, as in long messages */
static const double NODE_WEIGHT = 6; /* of a node by its creation */
static const double NEXT_AGAINST = 0.25; /* of what one more role says against an atom */
static const double LEAST_OF_NEW = -3;   /* as far as a role does in which no atom was counted */
static const double USED = 0.5; /* of the application's atoms */
static const double LEAST_OF_ROLES = -10; /* as far as roles speak against one of these */
/* Of an atom that nothing but contexts speak for, as log2: the other one may not have been counted. Against
 * another one of the same contexts less is enough, but more than that it is claimed. */
static const double LEAST_ODDS = 9, LEAST_RIVAL_ODDS = 8.2, LEAST_REST = 1e-12;
static const double MORE_RIVAL_ODDS = 2; /* as long as it is not known that the table fits */
static const double LEAST_RIVAL_ODDS_OF_KEY = 16; /* against the next one, of the key of a map */
static const double LEAST_ODDS_OF_ANY = 9; /* the same of an atom of a release that may not fit */
static const double SETTLED = 0.9999, GONE = 0.5;

/* As far as that any other atom stands in the roles of a slot is held to be less likely. */
static const double LEAST_OTHERS = -8;
/* What other directions say: that it is another atom, and that it is this one. */
static const double LEAST_THERE = -4, MOST_THERE = -0.07;

struct candidate {
    struct ds_text text;
    double weight;
    bool is_by_shape; /* nothing but contexts says that it is in this slot */
    bool is_rival;    /* it cannot be likely itself: its roles are not its own */
    bool is_of_any;   /* some release has it there, of which it is not known yet that it fits */
};

struct judge {
    struct node_atoms *book;
    const struct book_slot *slot;
    uint16_t number, bit; /* the latter: of the direction */
    double unlearned; /* what an atom loses of which no definition was seen */
    double num_others; /* atoms that are no candidates, as far as they can be in this slot */
    double others[ATOM_BOOK_ROLES]; /* log2 P(role | an atom that is no candidate) / P(role) */
    struct candidate candidates[MAX_CANDIDATES];
    unsigned num, num_held; /* the latter: the first one is what the slot held before */
    unsigned num_claimed;   /* atoms of its contexts that other slots are */
};

/* find returns the candidate with a text, or NULL. */
static struct candidate *find(struct judge *judge, struct ds_text text)
{
    for (unsigned i = 0; i < judge->num; i++) {
        if (judge->candidates[i].text.len == text.len &&
            memcmp(judge->candidates[i].text.data, text.data, text.len) == 0)
            return &judge->candidates[i];
    }
    return NULL;
}

static void add(struct judge *judge, struct ds_text text, double weight)
{
    if (judge->num < MAX_CANDIDATES)
        judge->candidates[judge->num++] = (struct candidate){.text = text, .weight = weight};
}

static bool is_here(const struct judge *judge, unsigned role)
{
    return judge->num_held != 0 || (judge->slot->seen_by[role] & judge->bit) != 0;
}

/* weigh adds up what the roles of a slot say. In another direction it may hold another atom: the
 * roles in which it stands there can say no more of it than that it was defined there. */
static double weigh(const struct judge *judge, double weight, const double *ratios)
{
    double here = 0, there = 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++)
        *(is_here(judge, r) ? &here : &there) += ratios[r];
    there = there < LEAST_THERE ? LEAST_THERE : there;
    const double most = weight > MOST_THERE ? weight : MOST_THERE;
    return (weight + there < most ? weight + there : most) + here;
}

/* bits_if_later weighs that a direction is going to define a text, so that its slot holds another
 * one just before: but that may be a second time, and the first one was not seen. */
static double bits_if_later(const struct judge *judge, const struct learned *learned,
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

/* say_once takes away what speaks for an atom in roles in which it never was, but that are like one before:
 * that has been said. */
static void say_once(const struct judge *judge, const struct learned *learned, unsigned text,
                     double *ratios)
{
    const struct seen_role *seen = judge->slot->seen;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        for (unsigned other = 0; other < judge->slot->num_seen && ratios[r] > 0; other++) {
            if (other != r && seen[other].coarse == seen[r].coarse &&
                is_here(judge, other) == is_here(judge, r) && ratios[other] >= ratios[r] &&
                !atom_was_seen(learned, text, seen[r]))
                ratios[r] = 0;
        }
    }
}

static void add_learned(struct judge *judge, uint64_t direction)
{
    const struct node_atoms *book = judge->book;
    const struct book_slot *slot = judge->slot;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        const struct learned *learned = &book->learned[i - 1];
        const struct ds_text text = {learned->text, learned->len};
        struct candidate *same = find(judge, text);
        if (same != NULL && same < &judge->candidates[judge->num_held])
            continue;
        double ratios[ATOM_BOOK_ROLES];
        for (unsigned r = 0; r < slot->num_seen; r++)
            ratios[r] = atom_ratio_of_seen(learned, slot->seen[r], -1 + judge->others[r]);
        say_once(judge, learned, atom_table_find(text), ratios);
        const double weight = weigh(judge, log2(0.95 / book->texts[judge->number].num) +
                                               bits_if_later(judge, learned, direction), ratios);
        if (same == NULL)
            add(judge, text, weight);
        else if (weight > same->weight)
            *same = (struct candidate){.text = text, .weight = weight};
    }
}

/* is_only_learned says whether nothing was seen to be defined in the slot at hand, or that atom alone. */
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

/* damp takes away most of what roles say against an atom, but for the one that says most: a program that
 * uses an atom in one way that was not counted does so in others, too. A role that no atom was counted in
 * says less. */
static void damp(const struct judge *judge, double *ratios)
{
    for (int here = 0; here < 2; here++) {
        unsigned worst = ATOM_BOOK_ROLES;
        for (unsigned r = 0; r < judge->slot->num_seen; r++) {
            if (is_here(judge, r) != (here != 0) || ratios[r] >= 0)
                continue;
            if (ratios[r] > -ATOM_NEVER && ratios[r] < LEAST_OF_NEW &&
                atom_table_count_all(judge->slot->seen[r].fine) == 0)
                ratios[r] = LEAST_OF_NEW;
            if (worst == ATOM_BOOK_ROLES || ratios[r] < ratios[worst])
                worst = r;
        }
        for (unsigned r = 0; r < judge->slot->num_seen; r++) {
            if (is_here(judge, r) == (here != 0) && ratios[r] < 0 && r != worst && ratios[r] > -ATOM_NEVER)
                ratios[r] *= NEXT_AGAINST;
        }
    }
}

/* weight_here is that of an atom of OTP in the direction at hand; rarity: bits that speak against
 * it. */
static double weight_here(const struct judge *judge, unsigned text, double rarity)
{
    const struct atom_table_use use = user_atoms_use(judge->book->own, text);
    double ratios[ATOM_BOOK_ROLES] = {0};
    for (unsigned r = 0; r < judge->slot->num_seen; r++)
        ratios[r] = atom_ratio_of_static(judge->book, text, judge->slot->seen[r]);
    say_once(judge, NULL, text, ratios);
    if (is_only_learned(judge, user_atoms_text(judge->book->own, text)))
        damp(judge, ratios);
    return weigh(judge, log2(atom_prior(use)) + judge->unlearned - rarity, ratios);
}

/* add_node adds the name of the node whose creation the pids have that the slot stands in. */
static void add_node(struct judge *judge)
{
    const struct ds_text name = node_atoms_name_of(judge->book, judge->number);
    struct candidate *same = name.data != NULL ? find(judge, name) : NULL;
    if (same != NULL)
        same->weight = same->weight > NODE_WEIGHT ? same->weight : NODE_WEIGHT;
    else if (name.data != NULL)
        add(judge, name, NODE_WEIGHT);
}

/* add_named adds the name that data says the slot has. */
static void add_named(struct judge *judge)
{
    double weight = 0;
    const struct ds_text name = data_names_of(judge->book, judge->number, judge->bit, &weight);
    if (name.data == NULL || node_atoms_has_elsewhere(judge->book, judge->number, name))
        return;
    struct candidate *same = find(judge, name);
    if (same != NULL)
        same->weight = same->weight > weight ? same->weight : weight;
    else
        add(judge, name, weight);
}

/* add_of_table adds what one release has in the slot. As long as none fits, several may have the same
 * there: then it is as probable as these together. */
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
        struct candidate *same = find(judge, text);
        if (same == NULL && judge->num < MAX_CANDIDATES)
            judge->candidates[judge->num++] = (struct candidate){
                .text = text, .weight = weight, .is_of_any = !book->has_table};
        else if (same == NULL)
            return;
        else if (same >= &judge->candidates[judge->num_held] && !book->has_table)
            same->weight = log2(exp2(same->weight) + exp2(weight));
        else if (same >= &judge->candidates[judge->num_held] && weight > same->weight)
            same->weight = weight;
    }
}

/* add_static adds what the releases that fit, or may, have in the slot. */
static void add_static(struct judge *judge)
{
    for (int t = 0; t < ATOM_TABLES_ALL; t++) {
        if (atom_fit_bits_of(judge->book, t) > -ATOM_NEVER)
            add_of_table(judge, t);
    }
}

/* rarity_of returns how many bits speak against that an atom is in the slot at hand: in so many
 * others it could be; or ATOM_NEVER, where it is known to be in another one: each has one. */
static double rarity_of(const struct judge *judge, unsigned number)
{
    struct node_atoms *book = judge->book;
    const struct ds_text text = shape_contexts_text(book, number);
    const unsigned own =
        number < atom_table_num_texts ? number : user_atoms_find(book->own, text);
    bool is_elsewhere = false, is_its_own = false;
    for (int t = 0; t < ATOM_TABLES_ALL && own != ATOM_TABLE_NONE; t++) {
        const unsigned index = user_atoms_index(book->own, t, own);
        if (index >= atom_fit_num(book, t))
            continue;
        /* As long as no release fits, this is where one of them has it. */
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

/* is_telling says whether a role gives an atom away: programs of several kinds have it there, and
 * hardly any other atom. */
static bool is_telling(const struct atom_table_role *role)
{
    const unsigned all = atom_table_count_all(role->hash);
    return atom_table_uses[role->text].families >= TELLING_FAMILIES && all >= TELLING_TIMES &&
           role->num >= all - all / 20;
}

/* add_rivals adds, beside atoms for one role, those of OTP that stand in any other one of the slot: where
 * the slot does what both do, each by itself, it is neither. */
static void add_rivals(struct judge *judge)
{
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        unsigned num;
        const struct seen_role *seen = &judge->slot->seen[r];
        const struct atom_table_role *roles = atom_table_range(seen->fine, &num);
        const unsigned all = atom_table_count_all(seen->fine);
        for (unsigned i = 0; i < num && judge->num < MAX_CANDIDATES; i++) {
            if (roles[i].num < all / RIVAL_SHARE ||
                find(judge, atom_table_text(roles[i].text)) != NULL)
                continue;
            const double rarity = rarity_of(judge, roles[i].text);
            if (rarity == ATOM_NEVER)
                continue;
            add(judge, atom_table_text(roles[i].text),
                weight_here(judge, roles[i].text, rarity));
            judge->candidates[judge->num - 1].is_rival = true;
        }
    }
}

/* add_by_role adds atoms of OTP that can be in any slot, for the roles that hardly another has. */
static void add_by_role(struct judge *judge)
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
            if (!is_telling(&roles[i]) || find(judge, text) != NULL)
                continue;
            const double rarity = rarity_of(judge, roles[i].text);
            if (rarity < ATOM_NEVER)
                add(judge, text, weight_here(judge, roles[i].text, rarity));
        }
    }
    if (judge->num != before)
        add_rivals(judge);
}

/* weight_of_roles is what speaks against an atom of contexts of which it is well known how it is used:
 * that the slot stands in roles in which the atom never does. */
static double weight_of_roles(const struct judge *judge, unsigned number)
{
    double weight = 0;
    if (number >= atom_table_num_texts || atom_table_uses[number].num < WELL_COUNTED)
        return 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const double ratio = atom_ratio_of_use(number, judge->slot->seen[r]);
        weight += ratio < 0 && is_here(judge, r) ? ratio : 0;
    }
    return weight > LEAST_OF_ROLES ? weight : LEAST_OF_ROLES;
}

/* is_one_of_a_row says whether an atom is one of many that differ by a number, delegate_8 say, and not a
 * version as amqp_0_9_1: where one stands, another may. */
static bool is_one_of_a_row(struct ds_text text)
{
    size_t at = text.len;
    while (at != 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9')
        at--;
    return at != text.len && at > 1 && text.data[at - 1] == '_' &&
           (text.data[at - 2] < '0' || text.data[at - 2] > '9');
}

/* add_by_shape adds atoms of the application, for the contexts that they were seen in. */
static void add_by_shape(struct judge *judge)
{
    const struct book_shapes *shapes = &judge->book->shapes;
    const struct slot_shapes *s = shapes->slots != NULL ? &shapes->slots[judge->number] : NULL;
    for (unsigned c = 0; s != NULL && c < s->num; c++) {
        const unsigned num = shape_contexts_num(judge->book, s->context[c]);
        for (unsigned i = 0; i < num; i++) {
            const unsigned number = shape_contexts_filler(judge->book, s->context[c], i);
            const struct ds_text text = shape_contexts_text(judge->book, number);
            struct candidate *same = find(judge, text);
            if (same != NULL && !same->is_rival)
                continue;
            const double rarity = rarity_of(judge, number);
            judge->num_claimed += rarity == ATOM_NEVER;
            if (rarity == ATOM_NEVER || is_one_of_a_row(text))
                continue;
            if (same == NULL && judge->num == MAX_CANDIDATES)
                return;
            if (same == NULL)
                same = &judge->candidates[judge->num++];
            *same = (struct candidate){.text = text, .is_by_shape = true,
                                       .weight = log2(USED) + judge->unlearned - rarity +
                                                 weight_of_roles(judge, number)};
        }
    }
}

/* weigh_shapes adds what the contexts of the slot say, to all candidates. Returns the bits by which any
 * other atom is less likely, as what is new in such contexts is rare there. */
static double weigh_shapes(struct judge *judge)
{
    struct shape_weight weights[MAX_CANDIDATES];
    const struct node_atoms *book = judge->book;
    if (book->shapes.slots == NULL || book->shapes.slots[judge->number].num == 0)
        return 0;
    const struct shape_weight others =
        shape_fit_weigh(book, judge->number, ATOM_TABLE_NONE, judge->bit);
    double least = others.surprise;
    for (unsigned i = 0; i < judge->num; i++) {
        weights[i] = shape_fit_weigh(book, judge->number,
                                     shape_contexts_atom(book, judge->candidates[i].text), judge->bit);
        least = weights[i].surprise < least ? weights[i].surprise : least;
    }
    const double most = shape_fit_most_surprise(book, judge->number);
    for (unsigned i = 0; i < judge->num; i++) {
        struct candidate *candidate = &judge->candidates[i];
        const double surprise = weights[i].surprise - least;
        const double there = candidate->weight + weights[i].there;
        const double defined = candidate->weight > MOST_THERE ? candidate->weight : MOST_THERE;
        candidate->weight = (there < defined ? there : defined) + weights[i].here -
                            (surprise < most ? surprise : most);
        const double claimed =
            candidate->is_by_shape
                ? shape_claims_against(book, judge->number, shape_contexts_atom(book, candidate->text))
                : 0;
        candidate->weight -= claimed;
        judge->num_claimed += claimed > 0;
    }
    const double new = shape_fit_most_against_others(book, judge->number);
    return others.surprise - least < new ? others.surprise - least : new;
}

/* count_of_candidates adds up how often those of OTP among the candidates stand in a role, and in
 * all. */
static unsigned count_of_candidates(struct judge *judge, uint32_t role, unsigned *total)
{
    const struct node_atoms *book = judge->book;
    unsigned count = 0, num = judge->num;
    struct ds_text text;
    uint32_t next = book->texts[judge->number].first;
    *total = 0;
    while (num != 0 || next != 0) {
        if (num != 0) {
            text = judge->candidates[--num].text;
        } else {
            text = (struct ds_text){book->learned[next - 1].text, book->learned[next - 1].len};
            next = book->learned[next - 1].next;
            if (find(judge, text) != NULL)
                continue;
        }
        const unsigned number = atom_table_find(text);
        if (number != ATOM_TABLE_NONE) {
            count += atom_table_count(role, number);
            *total += atom_table_uses[number].num;
        }
    }
    return count;
}

/* weight_like_others is what a candidate loses where it is like the others: an atom that was never
 * counted, or not in the close form of a role; or one of which contexts tell, which say more than roles. */
static double weight_like_others(const struct judge *judge, const struct candidate *candidate)
{
    const unsigned number = atom_table_find(candidate->text);
    double weight = 0;
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const struct seen_role *seen = &judge->slot->seen[r];
        if (candidate->is_by_shape || number == ATOM_TABLE_NONE || atom_table_uses[number].num == 0 ||
            (seen->rank != 0 && atom_table_count(seen->close, number) == 0))
            weight += judge->others[r];
    }
    return weight > LEAST_OTHERS ? weight : LEAST_OTHERS;
}

/* weigh_others returns the weight of any atom but the candidates, which are those of the tables
 * and, yet to be added, of the book: it stands in a role as often as what is left of those that
 * were counted. */
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
        judge->others[r] = all != 0 && ratio < 0 && is_here(judge, r) ? ratio : 0;
        weight += judge->others[r];
    }
    weight = weight > LEAST_OTHERS ? weight : LEAST_OTHERS;
    for (unsigned i = judge->num_held; i < judge->num; i++)
        judge->candidates[i].weight += weight_like_others(judge, &judge->candidates[i]);
    return log2(judge->num_others / ATOM_BOOK_MODULUS) + weight;
}

/* num_unlearned returns how many atoms there are that nobody was seen to define: those in the slots that
 * nothing is known of, and as many for each of the slots of which something is. */
static double num_unlearned(const struct node_atoms *book)
{
    const double empty = ATOM_BOOK_MODULUS - (double)book->num_slots_learned;
    return (book->num_seen_other + LEAST_UNSEEN) * ATOM_BOOK_MODULUS / (empty > 1 ? empty : 1);
}

/* share_of_unlearned returns how many of all atoms that are. */
static double share_of_unlearned(const struct node_atoms *book)
{
    const double num = num_unlearned(book);
    return num / (num + book->num_slots_learned);
}

/* gets_it_later says whether a direction is going to give a slot what it is known to get: so there
 * certainly is another atom before. */
static bool gets_it_later(const struct judge *judge, uint64_t direction)
{
    const struct node_atoms *book = judge->book;
    for (uint32_t i = book->texts[judge->number].first; i != 0; i = book->learned[i - 1].next) {
        if (bits_if_later(judge, &book->learned[i - 1], direction) < 0)
            return true;
    }
    return false;
}

/* weigh_unlearned says what weight such atoms have in the slot at hand, which was seen to get one: less
 * than any have in a slot that nothing is known of, and the less the more slots are unknown of which
 * it is known what they got. That is what these mean, but for as many as chance has meet. */
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
    const double share = share_of_unlearned(book) * learned / held;
    judge->num_others = num < ATOM_OTHERS ? num : ATOM_OTHERS;
    judge->unlearned = share < 1 ? log2(share) : 0;
}

/* weigh_all adds the candidates of a slot, their probability in the place of its logarithm. Returns what
 * they and all other atoms add up to. */
static double weigh_all(struct judge *judge, uint64_t direction)
{
    atom_fit_choose(judge->book);
    weigh_unlearned(judge, direction);
    add_static(judge);
    add_by_role(judge);
    add_by_shape(judge);
    double all = weigh_others(judge);
    add_learned(judge, direction);
    add_node(judge);
    add_named(judge);
    all = exp2(all - weigh_shapes(judge));
    for (unsigned i = 0; i < judge->num; i++) {
        judge->candidates[i].weight = exp2(judge->candidates[i].weight);
        all += judge->candidates[i].weight;
    }
    return all;
}

/* take_best returns the candidate that is most probable, and leaves nothing of that to it; NULL where
 * none is any more. */
static const struct candidate *take_best(struct judge *judge, double *weight)
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

static struct judge judge_of(struct node_atoms *book, uint16_t slot, uint64_t direction)
{
    return (struct judge){.book = book, .slot = &book->slots[slot], .number = slot,
                          .bit = node_atoms_bit_of(book, direction)};
}

/* is_key says whether the slot at hand was seen as the key of maps, and as nothing else: which keys a map
 * has may be up to who fills it, and a shape tells them by their values alone. */
static bool is_key(const struct judge *judge)
{
    const uint32_t outer = atom_role_hash("~0#k"), inner = atom_role_hash("~+#k");
    for (unsigned r = 0; r < judge->slot->num_seen; r++) {
        const uint32_t role = judge->slot->seen[r].coarse;
        if (is_here(judge, r) && role != outer && role != inner)
            return false;
    }
    return judge->slot->num_seen != 0;
}

/* is_likely_by_shape says whether an atom that only contexts speak for is likely: against any that was
 * not counted, and against the next one of these contexts, from which nothing tells it but how often
 * each stands there. */
static bool is_likely_by_shape(struct judge *judge, double weight, double all)
{
    double next;
    const struct candidate *second = take_best(judge, &next);
    next = second != NULL && second->is_by_shape ? next : 0;
    if (is_key(judge) && (judge->num_claimed != 0 || weight < exp2(LEAST_RIVAL_ODDS_OF_KEY) * next))
        return false;
    const double rival = LEAST_RIVAL_ODDS + (shape_fit_is_sure(judge->book) ? 0 : MORE_RIVAL_ODDS);
    return weight >= exp2(LEAST_ODDS) * (all - weight - next) && weight >= exp2(rival) * next;
}

/* find_likely returns the candidate that is; absent: none is. */
static struct ds_text find_likely(struct node_atoms *book, uint16_t slot, uint64_t direction)
{
    struct judge judge = judge_of(book, slot, direction);
    double weight;
    const double all = weigh_all(&judge, direction);
    const struct candidate *best = take_best(&judge, &weight);
    bool is_likely = best != NULL && !best->is_rival;
    if (is_likely && best->is_by_shape) {
        const double rest = (all - weight) / all;
        const double odds = -log2(rest > LEAST_REST ? rest : LEAST_REST);
        if (is_likely_by_shape(&judge, weight, all))
            return shape_claims_take(book, slot, shape_contexts_atom(book, best->text), odds)
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
    struct book_slot *s = &book->slots[slot];
    if (!s->is_judged || s->generation != book->generation || s->direction != direction ||
        (s->verdict.data == NULL && shape_claims_have_news(book, slot))) {
        s->verdict = find_likely(book, slot, direction);
        s->is_judged = true;
        s->generation = book->generation;
        s->direction = direction;
    }
    return s->verdict;
}

void atom_infer_guess(struct node_atoms *book, uint16_t slot, uint64_t direction,
                      struct ds_guess *guess)
{
    *guess = (struct ds_guess){.slot = slot};
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar || book->slots == NULL)
        return;
    struct judge judge = judge_of(book, slot, direction);
    const struct candidate *next;
    double weight;
    const double all = weigh_all(&judge, direction);
    while (guess->num < DS_GUESS_ATOMS && (next = take_best(&judge, &weight)) != NULL &&
           weight / all >= 0.01) {
        guess->atom[guess->num].text = next->text;
        guess->atom[guess->num++].percent = (uint8_t)(100 * weight / all);
    }
}

/* weigh_held adds to the weight of what the slot held, without how probable that is beforehand. A
 * role in which it stands time and again says as much more as it said first: then it is known that
 * whatever is there stands in it. Returns whether it is known how the atom is used. */
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
            /* What one role that is new to it tells, others like it do not tell once more. */
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
    /* Only an atom that nobody was seen to define can have come: what was has a slot of its own. That is
     * believed in part of a slot of which it is not known how what it held is used. */
    const double share = share_of_unlearned(book);
    double here = 0;
    const double changed = held->changed * (weigh_held(&judge, held, &here) ? share : sqrt(share));
    /* The first candidate; those that say the same are not added once more. */
    add(&judge, held->text,
        log2(1 - changed) + held->weight + (held->num_roles == 0 ? NO_ROLE : 0));
    add_learned(&judge, direction);
    /* In what the slot stood since then these may have, too. */
    for (unsigned i = judge.num_held; i < judge.num && held->weight > here; i++)
        judge.candidates[i].weight += held->weight - here;
    judge.unlearned = log2(share);
    add_static(&judge);
    add_by_role(&judge);
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
