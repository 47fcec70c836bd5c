/*
 * detect_loss.c - a finding that spans a loss is never certain: packets of a connection are
 * missing, or records or packets were lost here. If its evidence spans such a loss, the finding
 * becomes less certain.
 */
#include "analyse/findings/detect.h"

/* Findings that one packet shows, whatever else is missing: their evidence spans no time. */
bool detect_is_of_one_packet(const struct finding *f)
{
    static const char *const codes[] = {
        "DS107", "DS108", "DS113", "DS116", "DS117", "DS118", "DS121", "DS204", "DS304", "DS308",
        "DS311", "DS401", "DS402", "DS403", "DS404", "DS405", "DS406", "DS501", "DS502",
        "DS503", "DS504", "DS606"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(f->kind->code, codes[i]) == 0)
            return true;
    }
    return false;
}

void detect_since(struct detect *d, int64_t since_ns)
{
    d->since_ns = since_ns;
    d->has_since = true;
}

void detect_lasts(struct detect *d, int64_t since_ns)
{
    detect_since(d, since_ns);
    d->draft.first_ns = since_ns;
}

void detect_lost(struct detect *d, int64_t first_ns, int64_t last_ns)
{
    d->hole[d->num_holes++ % MAX_HOLES] = (struct hole){first_ns, last_ns};
}

static bool has_hole(const struct detect *d, int64_t since_ns, int64_t until_ns)
{
    const uint64_t num = d->num_holes < MAX_HOLES ? d->num_holes : MAX_HOLES;
    for (uint64_t i = 0; i < num; i++) {
        if (d->hole[i].first_ns <= until_ns && d->hole[i].last_ns >= since_ns)
            return true;
    }
    return false;
}

void detect_lower(struct finding *f)
{
    if (f->certainty < CERTAINTY_POSSIBLE)
        f->certainty++;
    f->proof = "a capture without missing packets";
    wording_add(&f->detail, f->detail.len != 0 ? "; packets are missing in that time"
                                               : "packets are missing in that time");
}

bool detect_temper(const struct detect *d, struct finding *f, const struct conn_watch *w)
{
    const struct evidence *e = &f->evidence[0];
    const int64_t since_ns = d->has_since ? d->since_ns : w != NULL ? w->opened_ns : e->ts_ns;
    const int64_t until_ns = d->now_ns > e->ts_ns ? d->now_ns : e->ts_ns;
    const bool has_gap = w != NULL && w->gap_ns != 0 && w->gap_ns >= since_ns;
    if (detect_is_of_one_packet(f) || !(has_gap || has_hole(d, since_ns, until_ns)))
        return false;
    detect_lower(f);
    return true;
}
