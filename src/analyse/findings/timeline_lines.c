/*
 * timeline_lines.c - the lines of the timeline: those that may go on are merged with what follows, and
 * those that are over are emitted, for files in the order of their times.
 */
#include "analyse/findings/timeline_parts.h"

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

struct timeline *timeline_new(const struct timeline_config *config)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->config = *config;
    table_init(&t->open, sizeof(struct open_line), MAX_OPEN);
    table_init(&t->releases, sizeof(struct seen_release), MAX_FLAGS);
    table_init(&t->registrations, sizeof(struct registration), MAX_REGISTERED);
    t->kept = config->is_live ? NULL : calloc(MAX_KEPT, sizeof(struct finding *));
    if (!config->is_live && t->kept == NULL) {
        timeline_free(t);
        return NULL;
    }
    return t;
}

void timeline_free(struct timeline *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->num_kept; i++)
        free(t->kept[i]);
    free(t->kept);
    table_free(&t->open);
    table_free(&t->releases);
    table_free(&t->registrations);
    free(t);
}

uint64_t timeline_left_out(const struct timeline *t)
{
    return t->left_out;
}

/* --- lines that are over --- */

static void emit(const struct timeline *t, struct finding *line)
{
    const struct record record = {.finding = line};
    presence_locate(t->config.presence, line);
    t->config.emit(t->config.context, &record);
}

static int compare(const void *a, const void *b)
{
    const struct finding *one = *(struct finding *const *)a, *other = *(struct finding *const *)b;
    if (one->first_ns != other->first_ns)
        return one->first_ns < other->first_ns ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

/* emit_kept emits the first num of the kept lines, in order of time. */
static void emit_kept(struct timeline *t, size_t num)
{
    qsort(t->kept, t->num_kept, sizeof(struct finding *), compare);
    for (size_t i = 0; i < num; i++) {
        emit(t, t->kept[i]);
        free(t->kept[i]);
    }
    memmove(t->kept, t->kept + num, (t->num_kept - num) * sizeof(struct finding *));
    t->num_kept -= num;
}

void timeline_put(struct timeline *t, struct finding *line)
{
    if (t->config.is_live) {
        emit(t, line);
        return;
    }
    if (t->num_kept == MAX_KEPT)
        emit_kept(t, MAX_KEPT / 2);
    struct finding *copy = malloc(sizeof *copy);
    if (copy == NULL) {
        t->left_out++;
        return;
    }
    *copy = *line;
    t->kept[t->num_kept++] = copy;
}

/* --- lines that may go on --- */

struct finding *timeline_begin(struct timeline *t, enum happening moment, int64_t ts_ns)
{
    struct finding *line = calloc(1, sizeof *line);
    if (line == NULL) {
        t->left_out++;
        return NULL;
    }
    line->happening = moment;
    line->severity = SEVERITY_NOTE;
    line->number = ++t->num;
    line->count = 1;
    line->first_ns = line->last_ns = ts_ns;
    return line;
}

void timeline_name_node(struct finding *line, int i, struct ds_text node)
{
    if (node.data == NULL || node.len > FINDING_NODE_LEN)
        return;
    memcpy(line->node[i].text, node.data, node.len);
    line->node[i].len = node.len;
}

void timeline_name_ends(struct finding *line, const struct ds_endpoint end[2])
{
    timeline_name_node(line, 0, end[0].node);
    timeline_name_node(line, 1, end[1].node);
}

void timeline_name_place(struct finding *line, uint64_t conn, uint64_t frame, const char *what)
{
    line->num_evidence = 1;
    line->evidence[0] = (struct evidence){.conn = conn, .ts_ns = line->first_ns, .num = frame != 0};
    line->evidence[0].packet[0].frame = frame;
    line->evidence[0].packet[0].what = what;
}

struct open_line *timeline_hold(struct timeline *t, struct finding *line, uint64_t key, int64_t hold_ns)
{
    if (table_is_full(&t->open))
        timeline_finish(t, table_oldest(&t->open));
    struct open_line *o = table_put(&t->open, key);
    if (o == NULL) {
        timeline_put(t, line);
        return NULL;
    }
    o->finding = *line;
    o->finding.is_update = true;
    o->due_ns = line->last_ns + hold_ns;
    if (t->config.is_live)
        emit(t, &o->finding);
    o->finding.is_update = false;
    return o;
}

struct open_line *timeline_merge(struct timeline *t, uint64_t key, int64_t ts_ns)
{
    struct open_line *o = table_find(&t->open, key);
    if (o == NULL)
        return NULL;
    if (o->is_given) { /* this is a new failure */
        table_remove(&t->open, o);
        return NULL;
    }
    o->finding.count++;
    if (ts_ns > o->finding.last_ns)
        o->finding.last_ns = ts_ns;
    o->due_ns = o->finding.last_ns + FOLD_NS;
    o->recovered_ns = 0;
    return o;
}

uint64_t timeline_key(enum happening moment, uint64_t a, uint64_t b)
{
    const uint64_t words[] = {(uint64_t)moment, a, b};
    return hash_more(7, words, sizeof words);
}

uint64_t timeline_hash_node(const struct ds_endpoint *end)
{
    if (end->node.data != NULL)
        return hash_more(1, end->node.data, end->node.len);
    return hash_more(2, end->addr.bytes, sizeof end->addr.bytes) + end->port;
}

static void recover(struct timeline *t, const struct open_line *o)
{
    const struct finding *was = &o->finding;
    struct finding *line = timeline_begin(t, HAPPENING_RECOVERED, o->recovered_ns);
    if (line == NULL)
        return;
    line->node[0] = was->node[0];
    line->num_evidence = was->num_evidence;
    line->evidence[0] = was->evidence[0];
    line->sentence = was->detail;
    wording_add(&line->sentence, " answers again");
    timeline_put(t, line);
    free(line);
}

/* --- what is over --- */

/* end_line emits a line that is over. is_last: it is not kept for an answer that may end it. */
static void end_line(struct timeline *t, struct open_line *o, bool is_last)
{
    struct open_line *copy = malloc(sizeof *copy);
    const bool waits = o->finding.happening == HAPPENING_FAILING && o->recovered_ns == 0 && !o->is_given;
    if (copy != NULL)
        *copy = *o;
    if (waits && !is_last) {
        o->is_given = o->goes_on = true;
    } else {
        table_remove(&t->open, o);
    }
    if (copy == NULL) {
        t->left_out++;
        return;
    }
    const bool has_recovered = copy->finding.happening == HAPPENING_FAILING && copy->recovered_ns != 0;
    if (has_recovered)
        recover(t, copy);
    copy->finding.detail = (struct wording){.len = 0};
    if (!copy->is_given)
        timeline_put(t, &copy->finding);
    free(copy);
}

void timeline_finish(struct timeline *t, struct open_line *o)
{
    end_line(t, o, true);
}

void timeline_time(struct timeline *t, int64_t now_ns)
{
    struct open_line *next;
    if (now_ns <= t->now_ns + SECOND / 4)
        return;
    t->now_ns = now_ns;
    for (struct open_line *o = table_oldest(&t->open); o != NULL; o = next) {
        next = table_newer(&t->open, o);
        if (!o->goes_on && o->due_ns <= now_ns)
            end_line(t, o, false);
    }
}

void timeline_end(struct timeline *t)
{
    while (table_oldest(&t->open) != NULL)
        timeline_finish(t, table_oldest(&t->open));
    if (t->num_kept != 0)
        emit_kept(t, t->num_kept);
}
