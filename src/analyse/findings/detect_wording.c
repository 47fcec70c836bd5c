/*
 * detect_wording.c - what findings have in their sentences beside nodes and addresses: time spans, sizes,
 * functions, labels, processes. See detect.h.
 */
#include "analyse/findings/detect.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "core/term_show.h"

#include <distsniff/counted.h>

void wording_span(struct wording *wording, int64_t ns)
{
    struct ds_buffer text = {0};
    duration_print(ns, &text);
    if (!text.failed)
        wording_put(wording, WORD_PLAIN, text_of(text.data, text.len));
    ds_buffer_free(&text);
}

void wording_size(struct wording *wording, uint64_t bytes)
{
    if (bytes < 10000)
        wording_add(wording, ds_counted(bytes, "bytes").text);
    else if (bytes < 1000000)
        wording_printf(wording, "%.0f kB", (double)bytes / 1e3);
    else
        wording_printf(wording, "%.1f MB", (double)bytes / 1e6);
}

void wording_function(struct wording *wording, struct ds_text module, struct ds_text function)
{
    struct ds_buffer call = {0};
    if (term_show_syntax() == DS_SYNTAX_ERLANG) {
        wording_put(wording, WORD_ATOM, module);
        wording_add(wording, ":");
        wording_put(wording, WORD_ATOM, function);
        return;
    }
    term_show_call(module, function, &call);
    if (!call.failed)
        wording_put(wording, WORD_ATOM, (struct ds_text){call.data, call.len});
    ds_buffer_free(&call);
}

void wording_label(struct wording *wording, const char *label)
{
    struct ds_buffer text = {0};
    label_show(label, &text);
    if (!text.failed)
        wording_put(wording, WORD_PLAIN, (struct ds_text){text.data, text.len});
    ds_buffer_free(&text);
}

void wording_party(struct wording *wording, const struct party *party)
{
    if (party->name.data != NULL) {
        wording_put(wording, WORD_ATOM, party->name);
        if (party->node.data != NULL)
            wording_add(wording, " of ");
    } else if (party->has_pid) {
        wording_printf(wording, "<%u.%u> of ", (unsigned)party->id, (unsigned)party->serial);
    }
    if (party->node.data != NULL)
        wording_put(wording, WORD_NODE, party->node);
}

void detect_add_icmp(struct wording *detail, const char *what)
{
    if (what == NULL)
        return;
    wording_add(detail, "; ICMP says: ");
    wording_add(detail, what);
}
