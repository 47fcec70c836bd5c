/*
 * detect.c - what all detectors need: the state of connections, and the store of findings, which
 * merges equal ones. See detect.h.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <string.h>

enum { MAX_FOUND = 1024 };

#define GAP_WAIT_NS INT64_C(5000000000) /* a gap is reported when no packet fills it within this time */

void detect_init(struct detect *d, const struct findings_config *config)
{
    d->config = *config;
    table_init(&d->watched, sizeof(struct conn_watch), config->limits[DS_LIMIT_CONNECTIONS]);
    table_init(&d->found, sizeof(struct found), MAX_FOUND);
}

void detect_free(struct detect *d)
{
    table_free(&d->watched);
    table_free(&d->found);
}

struct conn_watch *detect_find_watched(const struct detect *d, uint64_t conn)
{
    return table_find(&d->watched, conn);
}

struct conn_watch *detect_watch(struct detect *d, const struct ds_conn *conn)
{
    struct conn_watch *w = detect_find_watched(d, conn->number);
    if (w != NULL)
        return w;
    w = table_find_or_put(&d->watched, conn->number);
    if (w == NULL) {
        d->no_memory++;
        return NULL;
    }
    w->initiator = -1;
    w->last_step = DS_STEP_UNKNOWN;
    w->opened_ns = d->now_ns;
    return w;
}

struct finding *detect_begin(struct detect *d, enum finding_code code, const struct ds_event *event)
{
    struct finding *f = &d->draft;
    memset(f, 0, sizeof *f);
    d->has_since = false;
    d->is_guess = event != NULL && event->type == DS_EVENT_MESSAGE && event->likely_atoms != 0;
    f->kind = finding_kind_at(code);
    f->severity = f->kind->severity;
    f->num_evidence = 1;
    f->evidence[0].ts_ns = d->now_ns;
    if (event == NULL)
        return f;
    f->evidence[0].conn = event->conn->number;
    f->evidence[0].ts_ns = event->ts_ns;
    for (int end = 0; end < 2; end++) {
        const struct ds_text node = event->conn->end[end].node;
        if (node.data == NULL || node.len > FINDING_NODE_LEN)
            continue;
        memcpy(f->node[end].text, node.data, node.len);
        f->node[end].len = node.len;
    }
    return f;
}

void detect_frame(struct finding *f, uint64_t frame, const char *what)
{
    struct evidence *e = &f->evidence[0];
    if (frame == 0 || e->num == FINDING_FRAMES)
        return;
    e->packet[e->num].frame = frame;
    e->packet[e->num].what = what;
    e->num++;
}

void detect_unsure(struct finding *f, enum certainty certainty, const char *proof)
{
    f->certainty = certainty;
    f->proof = proof;
}

void detect_emit(struct detect *d, struct finding *finding)
{
    const struct record record = {.finding = finding};
    presence_locate(&d->presence, finding);
    if (d->timeline != NULL)
        timeline_finding(d->timeline, finding);
    if (!d->awaits_since || finding->kind == NULL)
        d->config.emit(d->config.context, &record);
    else
        d->has_held_back = true;
}

/* identify hashes the code, the variant and the parameters of the sentence: findings are equal if
 * these are, whatever the words of the sentence. */
static uint64_t identify(const struct finding *f)
{
    const struct wording *w = &f->sentence;
    uint64_t hash = hash_more(hash_more(0, &f->kind, sizeof f->kind), &f->variant, sizeof f->variant);
    for (size_t i = 0; i < w->num; i++) {
        if (w->part[i].param == PARAM_NONE)
            continue;
        hash = hash_more(hash, &w->part[i].param, 1);
        hash = hash_more(hash, w->bytes + w->part[i].at, w->part[i].len);
    }
    return hash;
}

void detect_guess(struct detect *d)
{
    d->is_guess = true;
}

uint64_t detect_count(const struct detect *d)
{
    const struct found *found = table_find(&d->found, identify(&d->draft));
    return found != NULL ? found->finding.count : 0;
}

/* temper makes the draft less certain if its evidence spans a loss: true if it did. A draft that
 * depends on likely atoms is only likely. */
static bool temper(struct detect *d)
{
    const uint64_t conn = d->draft.evidence[0].conn;
    if (d->draft.is_proved)
        return false;
    if (d->is_guess && d->draft.certainty == CERTAINTY_SURE)
        detect_unsure(&d->draft, CERTAINTY_LIKELY, "a capture of the connection from its start");
    return detect_temper(d, &d->draft, conn != 0 ? detect_find_watched(d, conn) : NULL);
}

/* set_over records whether it is over, and since when. */
static void set_over(const struct detect *d, struct found *found, bool is_over)
{
    found->finding.is_over = is_over;
    found->finding.over_ns = is_over ? d->now_ns : 0;
}

static struct found *complete(struct detect *d)
{
    const struct finding *draft = &d->draft;
    struct found *found = table_find(&d->found, identify(draft));
    if (found == NULL)
        return NULL;
    found->is_tempered = temper(d);
    struct finding *f = &found->finding;
    const bool was_error = f->severity == SEVERITY_ERROR;
    f->detail = draft->detail;
    set_over(d, found, draft->is_over);
    f->is_update = true;
    if (draft->certainty < f->certainty || (draft->is_proved && !f->is_proved)) {
        f->is_proved = draft->is_proved;
        f->certainty = draft->certainty;
        f->proof = draft->proof;
        f->severity = draft->severity;
    } else if (found->is_tempered && !f->is_proved) {
        f->certainty = draft->certainty;
        f->proof = draft->proof;
    }
    f->error_change = (int8_t)((f->severity == SEVERITY_ERROR) - was_error);
    for (size_t i = f->num_evidence; i-- > 0;) {
        if (f->evidence[i].conn != draft->evidence[0].conn)
            continue;
        f->evidence[i] = draft->evidence[0];
        break;
    }
    return found;
}

void detect_complete(struct detect *d)
{
    struct found *found = complete(d);
    if (found != NULL)
        detect_emit(d, &found->finding);
}

void detect_change(struct detect *d, enum severity severity)
{
    struct found *found = complete(d);
    if (found == NULL)
        return;
    struct finding *f = &found->finding;
    f->error_change += (int8_t)((severity == SEVERITY_ERROR) - (f->severity == SEVERITY_ERROR));
    f->severity = severity;
    detect_emit(d, f);
}

uint64_t detect_commit(struct detect *d)
{
    struct finding *draft = &d->draft;
    const int64_t ts_ns = draft->evidence[0].ts_ns;
    const uint64_t id = identify(draft);
    struct found *found = table_find(&d->found, id);
    const bool is_tempered = temper(d);
    const int64_t began_ns = d->has_since ? d->since_ns : ts_ns;
    d->found_ns = d->now_ns;
    if (found == NULL) {
        found = table_add_forgetting(&d->found, (uint32_t)id);
        if (found == NULL) {
            d->no_memory++;
            return 0;
        }
        draft->number = ++d->num_found;
        draft->count = 1;
        draft->last_ns = ts_ns;
        if (draft->first_ns == 0 || draft->first_ns > ts_ns)
            draft->first_ns = ts_ns;
        draft->error_change = draft->severity == SEVERITY_ERROR;
        found->finding = *draft;
        set_over(d, found, draft->is_over);
        found->began_ns = began_ns;
        found->id = id;
        found->is_tempered = is_tempered;
        detect_emit(d, &found->finding);
        return draft->number;
    }
    struct finding *f = &found->finding;
    f->count++;
    if (ts_ns > f->last_ns) /* the clock of the capture may go back */
        f->last_ns = ts_ns;
    found->began_ns = began_ns;
    set_over(d, found, draft->is_over);
    f->is_past = false;
    f->is_aside &= draft->is_aside;
    /* A finding that became worse is reported as new. */
    const bool is_worse = draft->severity < f->severity;
    f->is_update = f->num_evidence == FINDING_SETS && !is_worse;
    if (f->num_evidence != FINDING_SETS)
        f->evidence[f->num_evidence++] = draft->evidence[0];
    f->error_change = is_worse && draft->severity == SEVERITY_ERROR;
    if (is_worse) {
        f->severity = draft->severity;
        f->detail = draft->detail;
    }
    if (draft->certainty < f->certainty) { /* it is proven now */
        f->certainty = draft->certainty;
        f->proof = draft->proof;
        f->is_proved |= draft->is_proved;
        found->is_tempered = is_tempered;
    }
    if (f->is_before) { /* to those who see what is since then, it is new */
        f->is_before = f->is_update = false;
        f->error_change = f->severity == SEVERITY_ERROR;
    }
    detect_emit(d, f);
    return f->number;
}

void detect_detail(struct detect *d, uint64_t number, const struct wording *detail)
{
    for (struct found *found = table_get(&d->found, d->found.oldest); found != NULL;
         found = table_get(&d->found, found->entry.newer)) {
        if (found->finding.number != number)
            continue;
        found->finding.detail = *detail;
        found->finding.is_update = true;
        found->finding.error_change = 0;
        detect_emit(d, &found->finding);
        return;
    }
}

void detect_over(struct detect *d, uint64_t number)
{
    for (struct found *found = table_oldest(&d->found); found != NULL;
         found = table_newer(&d->found, found)) {
        if (found->finding.number != number)
            continue;
        set_over(d, found, true);
        found->finding.is_update = true;
        found->finding.error_change = 0;
        detect_emit(d, &found->finding);
        return;
    }
}

void detect_gap(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w != NULL)
        w->gap_ns = event->ts_ns;
    if (d->num_found == 0 || event->ts_ns - d->found_ns > GAP_WAIT_NS)
        return;
    for (struct found *found = table_get(&d->found, d->found.newest); found != NULL;
         found = table_get(&d->found, found->entry.older)) {
        struct finding *f = &found->finding;
        if (f->last_ns < event->ts_ns - GAP_WAIT_NS)
            return;
        if (found->is_tempered || f->is_proved || f->count != 1 ||
            f->evidence[0].conn != event->conn->number || detect_is_of_one_packet(f))
            continue;
        detect_lower(f);
        f->is_update = true;
        f->error_change = 0;
        found->is_tempered = true;
        detect_emit(d, f);
    }
}

static bool is_of_an_end(const struct finding *f)
{
    return strcmp(f->kind->code, "DS119") == 0 || strcmp(f->kind->code, "DS204") == 0;
}

void detect_continued(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (w == NULL)
        return;
    w->is_half_closed = w->is_explained = false;
    for (struct found *found = table_oldest(&d->found); found != NULL;
         found = table_newer(&d->found, found)) {
        struct finding *f = &found->finding;
        if (f->count != 1 || f->evidence[0].conn != event->conn->number || !is_of_an_end(f))
            continue;
        f->error_change = -(int8_t)(f->severity == SEVERITY_ERROR);
        f->severity = SEVERITY_NOTE;
        f->certainty = CERTAINTY_POSSIBLE;
        f->proof = "a capture at the other end";
        f->is_update = true;
        wording_add(&f->detail, f->detail.len != 0 ? "; the connection continued nevertheless (DS505)"
                                                   : "the connection continued nevertheless (DS505)");
        detect_emit(d, f);
    }
}

void detect_fin_unacked(struct detect *d, const struct ds_event *event)
{
    for (struct found *found = table_oldest(&d->found); found != NULL;
         found = table_newer(&d->found, found)) {
        struct finding *f = &found->finding;
        if (f->kind != finding_kind_at(FINDING_DS204) || f->evidence[0].conn != event->conn->number ||
            f->certainty != CERTAINTY_SURE || f->is_proved)
            continue;
        detect_unsure(f, CERTAINTY_LIKELY, "the log of the other node");
        wording_add(&f->detail, "; but what it sent last is not acknowledged: the other node may not know "
                                "that yet");
        f->is_update = true;
        f->error_change = 0;
        detect_emit(d, f);
    }
}

bool detect_is_published(const struct conn_watch *w)
{
    const uint64_t published = 1; /* PUBLISHED: the node is not hidden, as tools are */
    return w->has_flags[0] && w->has_flags[1] && (w->flags[0] & w->flags[1] & published) != 0;
}

size_t detect_keep(char *out, size_t size, struct ds_text text)
{
    const size_t len = text.data == NULL ? 0 : text.len < size ? text.len : size;
    if (len != 0)
        memcpy(out, text.data, len);
    return len;
}
