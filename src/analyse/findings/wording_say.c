/*
 * wording_say.c - see wording_say.h.
 */
#include "analyse/findings/wording_say.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "core/term_show.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <string.h>

void wording_say_all(struct wording *w, const char *sentence, const struct saying *sayings, size_t num)
{
    size_t i = 0;
    for (const char *at = sentence, *open; *at != '\0';) {
        open = strchr(at, '{');
        const char *close = open != NULL ? strchr(open, '}') : NULL;
        if (close == NULL || i == num) {
            wording_add(w, at);
            return;
        }
        wording_put(w, WORD_PLAIN, (struct ds_text){at, (size_t)(open - at)});
        const struct ds_text name = {open + 1, (size_t)(close - open - 1)};
        const enum finding_param param = finding_param_find(name);
        const size_t part = w->num;
        sayings[i].put(w, &sayings[i]);
        if (param != PARAM_NONE && finding_param_is_number(param) && sayings[i].is_number)
            wording_mark_number(w, part, param, sayings[i].number);
        else if (param != PARAM_NONE && !finding_param_is_number(param))
            wording_mark(w, part, param);
        i++;
        at = close + 1;
    }
}

static void put_end(struct wording *w, const struct saying *s)
{
    wording_end(w, s->at);
}

struct saying an_end(const struct ds_endpoint *end)
{
    return (struct saying){.put = put_end, .at = end};
}

static void put_node(struct wording *w, const struct saying *s)
{
    wording_put(w, WORD_NODE, s->text);
}

struct saying a_node(struct ds_text name)
{
    return (struct saying){.put = put_node, .text = name};
}

static void put_atom(struct wording *w, const struct saying *s)
{
    wording_put(w, WORD_ATOM, s->text);
}

struct saying an_atom(struct ds_text name)
{
    return (struct saying){.put = put_atom, .text = name};
}

static void put_addr(struct wording *w, const struct saying *s)
{
    wording_addr(w, s->at);
}

struct saying an_addr(const struct ds_addr *addr)
{
    return (struct saying){.put = put_addr, .at = addr};
}

void wording_party(struct wording *w, const struct party *party)
{
    if (party->name.data != NULL) {
        wording_put(w, WORD_ATOM, party->name);
        if (party->node.data != NULL)
            wording_add(w, " of ");
    } else if (party->has_pid) {
        wording_printf(w, "<%u.%u> of ", (unsigned)party->id, (unsigned)party->serial);
    }
    if (party->node.data != NULL)
        wording_put(w, WORD_NODE, party->node);
}

static void put_party(struct wording *w, const struct saying *s)
{
    wording_party(w, s->at);
}

struct saying a_party(const struct party *party)
{
    return (struct saying){.put = put_party, .at = party};
}

/* wording_function writes the function in the syntax chosen for this run. */
void wording_function(struct wording *w, struct ds_text module, struct ds_text function)
{
    struct ds_buffer call = {0};
    if (term_show_syntax() == DS_SYNTAX_ERLANG) {
        wording_put(w, WORD_ATOM, module);
        wording_add(w, ":");
        wording_put(w, WORD_ATOM, function);
        return;
    }
    term_show_call(module, function, &call);
    if (!call.failed)
        wording_put(w, WORD_ATOM, (struct ds_text){call.data, call.len});
    ds_buffer_free(&call);
}

static void put_function(struct wording *w, const struct saying *s)
{
    wording_function(w, s->text, s->more);
}

struct saying a_function(struct ds_text module, struct ds_text function)
{
    return (struct saying){.put = put_function, .text = module, .more = function};
}

void wording_label(struct wording *w, const char *label)
{
    struct ds_buffer text = {0};
    label_show(label, &text);
    if (!text.failed)
        wording_put(w, WORD_PLAIN, (struct ds_text){text.data, text.len});
    ds_buffer_free(&text);
}

static void put_label(struct wording *w, const struct saying *s)
{
    wording_label(w, s->at);
}

struct saying a_label(const char *label)
{
    return (struct saying){.put = put_label, .at = label};
}

static void put_text(struct wording *w, const struct saying *s)
{
    wording_put(w, WORD_PLAIN, s->text);
}

struct saying a_text(struct ds_text text)
{
    return (struct saying){.put = put_text, .text = text};
}

struct saying a_word(const char *text)
{
    return a_text((struct ds_text){text, text != NULL ? strlen(text) : 0});
}

static void put_number(struct wording *w, const struct saying *s)
{
    wording_printf(w, "%" PRId64, s->number);
}

struct saying a_number(int64_t number)
{
    return (struct saying){.put = put_number, .number = number, .is_number = true};
}

static void put_count(struct wording *w, const struct saying *s)
{
    wording_add(w, ds_counted((uint64_t)s->number, s->at).text);
}

struct saying a_count(uint64_t number, const char *unit)
{
    return (struct saying){.put = put_count, .at = unit, .number = (int64_t)number, .is_number = true};
}

void wording_size(struct wording *w, uint64_t bytes)
{
    if (bytes < 10000)
        wording_add(w, ds_counted(bytes, "bytes").text);
    else if (bytes < 1000000)
        wording_printf(w, "%.0f kB", (double)bytes / 1e3);
    else
        wording_printf(w, "%.1f MB", (double)bytes / 1e6);
}

static void put_size(struct wording *w, const struct saying *s)
{
    wording_size(w, (uint64_t)s->number);
}

struct saying a_size(uint64_t bytes)
{
    return (struct saying){.put = put_size, .number = (int64_t)bytes, .is_number = true};
}

void wording_span(struct wording *w, int64_t ns)
{
    struct ds_buffer text = {0};
    duration_print(ns, &text);
    if (!text.failed)
        wording_put(w, WORD_PLAIN, (struct ds_text){text.data, text.len});
    ds_buffer_free(&text);
}

static void put_span(struct wording *w, const struct saying *s)
{
    wording_span(w, s->number);
}

struct saying a_span(int64_t ns)
{
    return (struct saying){.put = put_span, .number = ns, .is_number = true};
}

void wording_icmp(struct wording *detail, const char *what)
{
    if (what != NULL)
        wording_say(detail, "; ICMP says: {icmp}", a_word(what));
}

void wording_words(struct wording *to, const struct wording *from)
{
    for (unsigned i = 0; i < from->num; i++)
        wording_append(to, from, i, (struct ds_text){from->bytes + from->part[i].at, from->part[i].len});
}
