/*
 * detect_effects.c - finds which findings are effects of others: calls time out as their link was
 * stalled, Mnesia is split as nodes were parted. Both are reported, the cause first.
 *
 * A finding is the effect of another one if the table below pairs their codes, they are about the
 * same connection, link or node, and they overlap in time. When all causes are over, so is the
 * effect, unless it goes on.
 */
#include "analyse/findings/detect.h"

#include <string.h>

/* A process that waited may time out this long after packets got through again. */
#define BEHIND_NS INT64_C(30000000000)
/* The usual timeout of a call: so long after it, a callee may still catch up. */
#define CALL_NS INT64_C(5000000000)

/* What an effect and its cause have in common. OF_LINK: a connection, or both nodes. OF_NODE: a
 * connection or one node. OF_CALLEE: as OF_NODE; such a cause decides only if there is no other. */
enum bond { OF_LINK, OF_NODE, OF_CALLEE };

static const struct effect_rule {
    enum finding_code effect, cause;
    enum bond bond;
} rules[] = {
    {FINDING_DS201, FINDING_DS205, OF_LINK}, {FINDING_DS201, FINDING_DS207, OF_NODE},
    {FINDING_DS301, FINDING_DS201, OF_LINK}, {FINDING_DS301, FINDING_DS205, OF_LINK},
    {FINDING_DS301, FINDING_DS214, OF_LINK}, {FINDING_DS301, FINDING_DS216, OF_LINK},
    {FINDING_DS305, FINDING_DS201, OF_LINK}, {FINDING_DS305, FINDING_DS205, OF_LINK},
    {FINDING_DS305, FINDING_DS214, OF_LINK}, {FINDING_DS305, FINDING_DS216, OF_LINK},
    {FINDING_DS310, FINDING_DS201, OF_LINK}, {FINDING_DS310, FINDING_DS205, OF_LINK},
    {FINDING_DS310, FINDING_DS214, OF_LINK}, {FINDING_DS310, FINDING_DS216, OF_LINK},
    {FINDING_DS310, FINDING_DS312, OF_CALLEE}, {FINDING_DS313, FINDING_DS201, OF_LINK},
    {FINDING_DS313, FINDING_DS205, OF_LINK}, {FINDING_DS313, FINDING_DS214, OF_LINK},
    {FINDING_DS313, FINDING_DS216, OF_LINK}, {FINDING_DS210, FINDING_DS201, OF_NODE},
    {FINDING_DS210, FINDING_DS204, OF_NODE}, {FINDING_DS211, FINDING_DS105, OF_NODE},
    {FINDING_DS211, FINDING_DS106, OF_NODE}, {FINDING_DS601, FINDING_DS201, OF_LINK},
    {FINDING_DS602, FINDING_DS107, OF_NODE}, {FINDING_DS605, FINDING_DS214, OF_LINK},
    {FINDING_DS605, FINDING_DS216, OF_LINK}, {FINDING_DS606, FINDING_DS201, OF_NODE},
};

enum { NUM_RULES = sizeof rules / sizeof rules[0] };

/* find_rules finds the rules about an effect. */
static size_t find_rules(const struct finding *effect, const struct effect_rule *out[NUM_RULES])
{
    size_t num = 0;
    for (size_t i = 0; i < NUM_RULES; i++) {
        if (effect->kind == finding_kind_at(rules[i].effect))
            out[num++] = &rules[i];
    }
    return num;
}

static bool shares_conn(const struct finding *a, const struct finding *b)
{
    for (size_t i = 0; i < a->num_evidence; i++) {
        for (size_t j = 0; j < b->num_evidence; j++) {
            if (a->evidence[i].conn != 0 && a->evidence[i].conn == b->evidence[j].conn)
                return true;
        }
    }
    return false;
}

/* is_at says whether this node of one finding is that node of another one. */
static bool is_at(const struct finding *a, int i, const struct finding *b, int j)
{
    const struct ds_text one = finding_node(a, i), other = finding_node(b, j);
    return one.data != NULL && one.len == other.len && memcmp(one.data, other.data, one.len) == 0;
}

static bool shares_nodes(const struct finding *a, const struct finding *b, enum bond bond)
{
    if (bond == OF_LINK)
        return (is_at(a, 0, b, 0) && is_at(a, 1, b, 1)) || (is_at(a, 0, b, 1) && is_at(a, 1, b, 0));
    return is_at(a, 0, b, 0) || is_at(a, 0, b, 1) || is_at(a, 1, b, 0) || is_at(a, 1, b, 1);
}

/* ended_ns returns since when a cause is over: as its detector has seen, or as its nodes are
 * connected again. 0: it is not. */
static int64_t ended_ns(const struct detect *d, const struct found *cause)
{
    const struct finding *f = &cause->finding;
    if (cause->finding.over_ns != 0 || !f->is_past)
        return cause->finding.over_ns;
    const struct presence_pair *pair =
        presence_find_pair(&d->presence, finding_node(f, 0), finding_node(f, 1));
    return pair != NULL ? pair->up_ns : f->last_ns;
}

struct caused detect_find_causes(const struct detect *d, const struct found *effect)
{
    const struct effect_rule *rule[NUM_RULES];
    const size_t num = find_rules(&effect->finding, rule);
    struct caused caused = {false, false};
    bool is_decided = false;
    for (const struct found *found = num != 0 ? table_oldest(&d->found) : NULL; found != NULL;
         found = table_newer(&d->found, found)) {
        const struct finding *f = &found->finding;
        size_t i = 0;
        while (i < num && f->kind != finding_kind_at(rule[i]->cause))
            i++;
        if (i == num || f->first_ns > effect->finding.last_ns ||
            (!shares_conn(f, &effect->finding) && !shares_nodes(f, &effect->finding, rule[i]->bond)))
            continue;
        const int64_t over_ns = ended_ns(d, found);
        if (over_ns != 0 && effect->finding.last_ns > over_ns + BEHIND_NS)
            continue;
        const bool is_over = over_ns != 0 && effect->began_ns <= over_ns + CALL_NS;
        caused.is_effect = true;
        if (rule[i]->bond == OF_CALLEE)
            continue;
        caused.is_over = is_over && (caused.is_over || !is_decided);
        is_decided = true;
    }
    return caused;
}
