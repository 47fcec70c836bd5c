/*
 * atom_weights.c - see atom_weights.h.
 */
#include "atoms/atom_weights.h"

#include <math.h>
#include <stdio.h>

static const double MIN_RATIO = -6, MAX_RATIO = 11; /* limits for one role */
static const double NODE_BITS = 3; /* for a text with an @ as the node of an identity */
enum { WELL_KNOWN = 20 }; /* counted uses from which on an atom hardly has others */

static double clamp(double ratio)
{
    return ratio < MIN_RATIO ? MIN_RATIO : ratio > MAX_RATIO ? MAX_RATIO : ratio;
}

double atom_share_of_role(uint32_t role)
{
    return (atom_table_count_all(role) + 0.5) / (atom_table_total + 1.0);
}

static bool is_node(struct seen_role role)
{
    return role.fine == atom_role_hash(ATOM_ROLE_NODE);
}

/* ratio_of_node returns the ratio of a text as the node of an identity: a node has an @. */
static double ratio_of_node(struct ds_text text)
{
    return text.len != 0 && memchr(text.data, '@', text.len) != NULL ? NODE_BITS : -ATOM_NEVER;
}

double atom_ratio_of_use(unsigned text, struct seen_role role)
{
    if (is_node(role))
        return ratio_of_node(atom_table_text(text));
    const double num = atom_table_uses[text].num;
    const unsigned close = role.rank != 0 ? atom_table_count(role.close, text) : 0;
    if (close != 0)
        return clamp(log2((close - 0.5) / (num + 2) / atom_share_of_role(role.close)));
    const unsigned coarse = atom_table_count(role.coarse, text);
    const unsigned fine = atom_table_count(role.fine, text);
    const double share = atom_share_of_role(role.coarse);
    const double back = (coarse + 2 * share) / (num + 2) / share;
    if (fine != 0)
        return clamp(log2((fine - 0.5) / (num + 2) / atom_share_of_role(role.fine)));
    /* A role that it was never seen in: the more often an atom was counted, the less likely. */
    const double novelty = 2 / (num + 2) / 0.05;
    return clamp(log2(back * (novelty < 1 ? novelty : 1)));
}

double atom_ratio_of_seen(const struct learned *learned, struct seen_role role, double best)
{
    const unsigned text = learned->number;
    if (is_node(role))
        return ratio_of_node((struct ds_text){learned->text, learned->len});
    /* For atoms that only the user's table has, the use is unknown. */
    if (text != ATOM_TABLE_NONE && atom_table_uses[text].num != 0) {
        const double ratio = atom_ratio_of_use(text, role);
        /* A well-known atom would have been seen in a role that others have. */
        const bool is_not_it =
            atom_table_uses[text].num >= WELL_KNOWN && atom_table_count_all(role.fine) != 0;
        best = ratio > best || is_not_it ? ratio : best;
    }
    for (unsigned i = 0; i < learned->num_roles; i++) {
        double ratio = best;
        if (learned->roles[i].fine == role.fine)
            ratio = log2(0.4 / atom_share_of_role(role.fine));
        else if (learned->roles[i].coarse == role.coarse)
            ratio = log2(0.3 / atom_share_of_role(role.coarse));
        best = ratio > best ? ratio : best;
    }
    return clamp(best);
}

/* is_listed_only says whether an atom was seen only in lists and as keys of maps. */
static bool is_listed_only(const struct learned *learned)
{
    static const char *const roles[] = {"~0[", "~+[", "~0#k", "~+#k"};
    unsigned num = 0;
    if (memchr(learned->text, '@', learned->len) != NULL)
        return false; /* nodes are also listed */
    for (unsigned i = 0; i < learned->num_roles; i++) {
        for (size_t r = 0; r < sizeof roles / sizeof roles[0] && !learned->roles[i].is_argument; r++)
            num += learned->roles[i].coarse == atom_role_hash(roles[r]);
    }
    return num != 0 && num == learned->num_roles;
}

/* is_tag says whether a role is the first element of a tuple. */
static bool is_tag(struct seen_role role)
{
    char tag[24];
    for (int num = 1; num <= 15; num++) {
        for (int nested = 0; nested < 2; nested++) {
            snprintf(tag, sizeof tag, "~%c{%d.0", nested ? '+' : '0', num);
            if (role.coarse == atom_role_hash(tag))
                return true;
        }
    }
    return false;
}

double atom_ratio_of_held(const struct learned *learned, struct seen_role role)
{
    if (is_listed_only(learned) && is_tag(role))
        return atom_ratio_of_seen(learned, role, -5);
    return atom_ratio_of_seen(learned, role,
                         !learned->is_watched      ? -1
                         : learned->num_roles <= 1 ? -2
                                                   : -3);
}

double atom_prior(struct atom_table_use use)
{
    const double families = use.families;
    /* An atom that one kind of program uses is less often used by the next one. */
    return families == 0 ? 0.002 : (families - 0.5) / atom_table_families;
}

bool atom_was_seen(const struct learned *learned, unsigned text, struct seen_role role)
{
    for (unsigned i = 0; learned != NULL && i < learned->num_roles; i++) {
        if (learned->roles[i].fine == role.fine)
            return true;
    }
    return text != ATOM_TABLE_NONE && atom_table_count(role.fine, text) != 0;
}

double atom_ratio_of_static(const struct node_atoms *book, unsigned text, struct seen_role role)
{
    if (is_node(role))
        return ratio_of_node(user_atoms_text(book->own, text));
    return user_atoms_use(book->own, text).num != 0 ? atom_ratio_of_use(text, role) : 0;
}

double atom_weight_of_text(const struct node_atoms *book, const struct book_slot *slot, unsigned text)
{
    const struct atom_table_use use = user_atoms_use(book->own, text);
    double weight = log2(atom_prior(use));
    for (unsigned r = 0; r < slot->num_seen; r++)
        weight += atom_ratio_of_static(book, text, slot->seen[r]);
    return weight;
}
