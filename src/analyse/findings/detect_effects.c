/*
 * detect_effects.c - finds which findings are effects of others: calls time out as their link was
 * stalled, Mnesia is split as nodes were parted. Both are reported, the cause first.
 *
 * A finding is the effect of another one if the table below pairs their codes, they are about the
 * same connection or node, and they overlap in time. When the cause is over, so is the effect,
 * unless it goes on.
 */
#include "analyse/findings/detect.h"

#include <string.h>

/* A process that waited may time out this long after packets got through again. */
#define BEHIND_NS INT64_C(30000000000)

static const struct {
    enum finding_code effect, cause;
} causes[] = {
    {FINDING_DS201, FINDING_DS205}, {FINDING_DS201, FINDING_DS207}, {FINDING_DS301, FINDING_DS201},
    {FINDING_DS301, FINDING_DS205}, {FINDING_DS301, FINDING_DS214}, {FINDING_DS301, FINDING_DS216},
    {FINDING_DS305, FINDING_DS201}, {FINDING_DS305, FINDING_DS205}, {FINDING_DS305, FINDING_DS214},
    {FINDING_DS305, FINDING_DS216}, {FINDING_DS310, FINDING_DS201}, {FINDING_DS310, FINDING_DS205},
    {FINDING_DS310, FINDING_DS214}, {FINDING_DS310, FINDING_DS216}, {FINDING_DS310, FINDING_DS312},
    {FINDING_DS313, FINDING_DS201}, {FINDING_DS313, FINDING_DS205}, {FINDING_DS313, FINDING_DS214},
    {FINDING_DS313, FINDING_DS216}, {FINDING_DS210, FINDING_DS201}, {FINDING_DS210, FINDING_DS204},
    {FINDING_DS211, FINDING_DS105}, {FINDING_DS211, FINDING_DS106}, {FINDING_DS601, FINDING_DS201},
    {FINDING_DS602, FINDING_DS107}, {FINDING_DS605, FINDING_DS214}, {FINDING_DS605, FINDING_DS216},
    {FINDING_DS606, FINDING_DS201},
};

static bool is_cause_of(const struct finding *cause, const struct finding *effect)
{
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        if (effect->kind == finding_kind_at(causes[i].effect) &&
            cause->kind == finding_kind_at(causes[i].cause))
            return true;
    }
    return false;
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

static bool shares_node(const struct finding *a, const struct finding *b)
{
    for (int i = 0; i < 4; i++) {
        const struct ds_text one = finding_node(a, i / 2), other = finding_node(b, i % 2);
        if (one.data != NULL && one.len == other.len && memcmp(one.data, other.data, one.len) == 0)
            return true;
    }
    return false;
}

const struct found *detect_find_cause(const struct detect *d, const struct finding *effect)
{
    for (const struct found *found = table_oldest(&d->found); found != NULL;
         found = table_newer(&d->found, found)) {
        const struct finding *f = &found->finding;
        if (is_cause_of(f, effect) && f->first_ns <= effect->last_ns &&
            (found->finding.over_ns == 0 || effect->last_ns <= found->finding.over_ns + BEHIND_NS) &&
            (shares_conn(f, effect) || shares_node(f, effect)))
            return found;
    }
    return NULL;
}
