/*
 * finding.c - see finding.h.
 */
#include "record/finding.h"

#include "core/printable.h"

#include <distsniff/dissect.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wording_put(struct wording *w, enum word_kind kind, struct ds_text text)
{
    const bool is_cut = kind != WORD_PLAIN && text.len > WORDING_LONGEST;
    const size_t len = is_cut ? WORDING_LONGEST : text.len;
    if (text.data == NULL || len == 0)
        return;
    if (w->is_cut || w->num == WORDING_PARTS || len > sizeof w->bytes - w->len) {
        w->is_cut = true;
        return;
    }
    memcpy(w->bytes + w->len, text.data, len);
    w->part[w->num].at = w->len;
    w->part[w->num].len = (uint16_t)len;
    w->part[w->num].kind = (uint8_t)kind;
    w->part[w->num].is_cut = is_cut;
    w->num++;
    w->len = (uint16_t)(w->len + len);
}

void wording_add(struct wording *w, const char *text)
{
    wording_put(w, WORD_PLAIN, (struct ds_text){text, strlen(text)});
}

void wording_printf(struct wording *w, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wording_add(w, text);
}

void wording_addr(struct wording *w, const struct ds_addr *addr)
{
    char text[DS_ADDR_LEN];
    ds_addr_print(addr, text);
    wording_put(w, WORD_ADDR, (struct ds_text){text, strlen(text)});
}

void wording_end(struct wording *w, const struct ds_endpoint *end)
{
    if (end->node.data != NULL) {
        wording_put(w, WORD_NODE, end->node);
        return;
    }
    if (end->addr.family == 6)
        wording_add(w, "[");
    wording_addr(w, &end->addr);
    wording_printf(w, end->addr.family == 6 ? "]:%u" : ":%u", (unsigned)end->port);
}

void wording_mark(struct wording *w, size_t part, enum finding_param param)
{
    for (size_t i = part; i < w->num; i++) {
        w->part[i].param = (uint8_t)param;
        w->part[i].begins = i == part;
    }
}

void wording_mark_number(struct wording *w, size_t part, enum finding_param param, int64_t number)
{
    if (part >= w->num || w->num_numbers == WORDING_NUMBERS)
        return;
    wording_mark(w, part, param);
    w->number[w->num_numbers++] = number;
    w->part[part].number = w->num_numbers & 15;
}

void wording_append(struct wording *w, const struct wording *from, size_t part, struct ds_text text)
{
    const size_t num = w->num;
    wording_put(w, (enum word_kind)from->part[part].kind, text);
    if (w->num == num)
        return;
    if (from->part[part].number != 0) {
        wording_mark_number(w, num, (enum finding_param)from->part[part].param,
                            from->number[from->part[part].number - 1]);
        return;
    }
    w->part[num].param = from->part[part].param;
    w->part[num].begins = from->part[part].begins;
}

static const struct {
    struct ds_text name;
    bool is_number;
} params[PARAM_COUNT] = {
#define KIND_TEXT false
#define KIND_TEXTS false
#define KIND_NUMBER true
#define KIND_SPAN true
#define PARAM(name, kind, help) [PARAM_##name] = {{#name, sizeof #name - 1}, KIND_##kind},
#include "record/finding_params.def"
#undef PARAM
#undef KIND_TEXT
#undef KIND_TEXTS
#undef KIND_NUMBER
#undef KIND_SPAN
};

enum finding_param finding_param_find(struct ds_text name)
{
    for (size_t i = 1; i < PARAM_COUNT; i++) {
        if (params[i].name.len == name.len && memcmp(params[i].name.data, name.data, name.len) == 0)
            return (enum finding_param)i;
    }
    return PARAM_NONE;
}

bool finding_param_is_number(enum finding_param param)
{
    return params[param].is_number;
}

static bool has_params(const struct wording *w)
{
    for (size_t i = 0; i < w->num; i++) {
        if (w->part[i].param != PARAM_NONE)
            return true;
    }
    return false;
}

bool finding_has_params(const struct finding *f)
{
    return has_params(&f->sentence) || has_params(&f->detail);
}

static void print_part(const struct wording *w, size_t i, struct ds_buffer *out)
{
    const struct ds_text text = {w->bytes + w->part[i].at, w->part[i].len};
    if (w->part[i].kind == WORD_PLAIN)
        ds_buffer_add(out, text.data, text.len);
    else
        printable_text(text, out);
    if (w->part[i].is_cut)
        ds_buffer_add_text(out, "...");
}

void wording_print_param(const struct wording *w, size_t part, struct ds_buffer *out)
{
    size_t i = part;
    do
        print_part(w, i++, out);
    while (i < w->num && w->part[i].param == w->part[part].param && !w->part[i].begins);
}

void wording_print(const struct wording *w, struct ds_buffer *out)
{
    for (size_t i = 0; i < w->num; i++)
        print_part(w, i, out);
    if (w->is_cut)
        ds_buffer_add_text(out, " ...");
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"error", "warning", "note", "fine", "unchecked", "counted",
                                        "down"};
    return (size_t)severity < sizeof names / sizeof names[0] ? names[severity] : NULL;
}

const char *finding_rank_name(enum finding_rank rank)
{
    static const char *const names[] = {"availability", "correctness", "performance", "hygiene"};
    return (size_t)rank < sizeof names / sizeof names[0] ? names[rank] : NULL;
}

const char *happening_name(enum happening moment)
{
    static const char *const names[] = {
        NULL,
#define HAPPENING(id, name, words) name,
#include "record/happenings.def"
#undef HAPPENING
    };
    return (size_t)moment < HAPPENING_COUNT ? names[moment] : NULL;
}

const char *happening_words(enum happening moment)
{
    static const char *const all[] = {
        NULL,
#define HAPPENING(id, name, words) words,
#include "record/happenings.def"
#undef HAPPENING
    };
    return (size_t)moment < HAPPENING_COUNT ? all[moment] : NULL;
}

bool finding_is_aside(const struct finding *f)
{
    return f->kind != NULL && f->severity != SEVERITY_ERROR &&
           (f->kind->rank == RANK_HYGIENE || f->is_aside);
}

int finding_place(const struct finding *f)
{
    enum { NOW, BY_SEVERITY, ASIDE = 9, NO_FINDING };
    if (f->kind == NULL)
        return NO_FINDING;
    if (finding_is_aside(f))
        return ASIDE;
    return f->kind->rank == RANK_AVAILABILITY && !f->is_past && f->severity != SEVERITY_NOTE
               ? NOW
               : BY_SEVERITY + (int)f->severity;
}

bool finding_is_since(const struct finding *f, int64_t since_ns)
{
    const bool is_down = f->kind != NULL && f->kind->rank == RANK_AVAILABILITY &&
                         f->severity == SEVERITY_ERROR && !f->is_over && (!f->is_past || f->is_update);
    return f->last_ns >= since_ns ||
           (!f->is_before && (is_down || (f->is_over && f->over_ns >= since_ns)));
}

/* order_ns returns the time by which findings are sorted. A cause becomes known after it began, perhaps
 * after its effect was found: so a cause is sorted by its first time, an effect by its last one. */
static int64_t order_ns(const struct finding *f)
{
    return f->is_effect ? f->last_ns : f->first_ns;
}

int finding_compare(const struct finding *a, const struct finding *b)
{
    const int places[] = {finding_place(a) - finding_place(b), (int)a->severity - (int)b->severity};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i] != 0)
            return places[i];
    }
    if (a->kind != NULL && b->kind != NULL && a->kind->rank != b->kind->rank)
        return (int)a->kind->rank - (int)b->kind->rank;
    if (a->kind != NULL && b->kind != NULL && order_ns(a) != order_ns(b))
        return order_ns(a) < order_ns(b) ? -1 : 1;
    const int order = (a->number > b->number) - (a->number < b->number);
    return a->kind == NULL && b->kind == NULL ? -order : order; /* without a kind: the highest number
                                                                   first */
}

const char *certainty_name(enum certainty certainty)
{
    static const char *const names[] = {"sure", "likely", "possible"};
    return (size_t)certainty < sizeof names / sizeof names[0] ? names[certainty] : NULL;
}
