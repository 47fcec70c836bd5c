/*
 * outputs.c - see outputs.h.
 */
#include "app/pipeline/outputs.h"

#include "core/complain.h"
#include "core/signals.h"
#include "output/prerender.h"
#include "ui/tui/tui.h"
#include "ui/web/web.h"

#include <distsniff/counted.h>

static bool open_one(struct outputs *o, const struct sink_config *config, unsigned time_digits,
                     const struct sink_format *format)
{
    if (!sink_open(&o->sinks[o->num_sinks], format, config))
        return false;
    o->sinks[o->num_sinks++].time_digits = time_digits;
    atomic_fetch_add(&o->num_written, 1);
    return true;
}

static bool open_some(struct outputs *o, const struct sink_config *config, unsigned time_digits,
                      bool keeps)
{
    for (size_t i = 0; i < config->num_formats; i++) {
        const struct sink_kind *kind = config->formats[i].kind;
        if (kind->keeps == keeps && !kind->is_of_packets &&
            !open_one(o, config, time_digits, &config->formats[i]))
            return false;
    }
    return true;
}

/* outputs_open first opens outputs whose files must not exist yet: if one does, no other was
 * emptied. */
bool outputs_open(struct outputs *o, const struct sink_config *config, unsigned time_digits)
{
    const struct sink_format page = {.kind = &sink_web}, screen = {.kind = &sink_tui},
                             command = {.kind = &sink_on_finding};
    if (open_some(o, config, time_digits, true) && open_some(o, config, time_digits, false) &&
        (config->web == NULL || open_one(o, config, time_digits, &page)) &&
        (config->tui == NULL || open_one(o, config, time_digits, &screen)) &&
        (config->on_finding == NULL || open_one(o, config, time_digits, &command)))
        return true;
    for (size_t i = 0; i < o->num_sinks; i++)
        sink_withdraw(&o->sinks[i]);
    return false;
}

/* lose_output drops a sink whose reader has gone, or to which writing failed (with a complaint). */
static void lose_output(struct outputs *o, struct sink *sink)
{
    const bool goes_on = atomic_fetch_sub(&o->num_written, 1) > 1 || o->has_recorder ||
                         o->has_packets;
    sink->is_lost = true;
    if (!sink->output.closed)
        atomic_store(&o->has_failed, true);
    else if (goes_on)
        complain("the reader of %s closed it: the other outputs continue", sink->output.name);
}

/* note_output says whether it makes sense to go on. */
static bool note_output(struct outputs *o, struct sink *sink)
{
    if (!sink->output.failed)
        return true;
    if (!sink->is_lost)
        lose_output(o, sink);
    if (atomic_load(&o->num_written) != 0 || o->has_recorder)
        return true;
    o->on_over(o->context);
    return false;
}

bool outputs_record(void *context, const struct record *record)
{
    struct outputs *o = context;
    bool ok = true;
    for (size_t i = 0; i < o->num_sinks; i++) {
        sink_record(&o->sinks[i], record);
        ok = note_output(o, &o->sinks[i]) && ok;
    }
    return ok;
}

/* write_rest passes a record to the sinks that are not drafted in advance. */
static bool write_rest(void *context, const struct record *record)
{
    struct outputs *o = context;
    bool ok = true;
    for (size_t i = 0; i < o->num_sinks; i++) {
        if (sink_is_drafted(&o->sinks[i]))
            continue;
        sink_record(&o->sinks[i], record);
        ok = note_output(o, &o->sinks[i]) && ok;
    }
    return ok;
}

static bool write_draft(void *context, void *draft, bool wanted)
{
    struct outputs *o = context;
    bool ok = true;
    if (!wanted) {
        prerender_clear(draft);
        return false;
    }
    prerender_write(draft, o->sinks);
    for (size_t i = 0; i < o->num_sinks; i++)
        ok = note_output(o, &o->sinks[i]) && ok;
    return ok;
}

static bool add_to_draft(void *draft, const struct record *record)
{
    return prerender_add(draft, record);
}

bool outputs_flush(void *context)
{
    struct outputs *o = context;
    bool ok = true;
    const bool reopens = atomic_load_explicit(&o->reopen_wanted, memory_order_relaxed) &&
                         atomic_exchange(&o->reopen_wanted, false);
    for (size_t i = 0; reopens && i < o->num_sinks; i++)
        sink_reopen(&o->sinks[i]);
    for (size_t i = 0; i < o->num_sinks; i++) {
        sink_flush(&o->sinks[i]);
        ok = note_output(o, &o->sinks[i]) && ok;
    }
    return ok;
}

bool outputs_lost(void *context, const struct loss *loss)
{
    struct outputs *o = context;
    bool ok = true;
    for (size_t i = 0; i < o->num_sinks; i++) {
        sink_lost(&o->sinks[i], loss);
        ok = note_output(o, &o->sinks[i]) && ok;
    }
    return ok;
}

bool outputs_prepare_drafts(struct outputs *o, unsigned num_threads, struct record_queue_drafts *ahead)
{
    size_t num_drafted = 0;
    for (size_t i = 0; i < o->num_sinks; i++)
        num_drafted += sink_is_drafted(&o->sinks[i]);
    if (num_threads < 2 || num_drafted == 0)
        return true;
    for (unsigned i = 0; i <= num_threads; i++) {
        o->drafts[i] = prerender_new(o->sinks, o->num_sinks, num_threads + 1);
        if (o->drafts[i] == NULL) {
            complain("out of memory");
            return false;
        }
    }
    *ahead = (struct record_queue_drafts){
        .num_threads = num_threads,
        .drafts = o->drafts,
        .add = add_to_draft,
        .write = write_draft,
        .rest = num_drafted < o->num_sinks ? write_rest : NULL,
    };
    return true;
}

bool outputs_want(const struct outputs *o, const struct record *record)
{
    for (size_t i = 0; i < o->num_sinks; i++) {
        if (sink_wants(&o->sinks[i], record))
            return true;
    }
    return false;
}

bool outputs_want_answered(const struct outputs *o)
{
    const struct ds_event event = {.type = DS_EVENT_MESSAGE};
    const struct call call = {.outcome = CALL_OK};
    const struct record record = {.event = &event, .call = &call};
    return outputs_want(o, &record);
}

bool outputs_want_monitors(const struct outputs *o)
{
    for (size_t i = 0; i < o->num_sinks; i++) {
        if (o->sinks[i].kind->takes_monitors)
            return true;
    }
    return false;
}

bool outputs_want_links(const struct outputs *o)
{
    for (size_t i = 0; i < o->num_sinks; i++) {
        if (o->sinks[i].kind->takes_links)
            return true;
    }
    return false;
}

bool outputs_want_requests(const struct outputs *o)
{
    for (size_t i = 0; i < o->num_sinks; i++) {
        if (!o->sinks[i].kind->leaves_requests)
            return true;
    }
    return false;
}

bool outputs_have_stdout(const struct outputs *o)
{
    for (size_t i = 0; i < o->num_sinks; i++) {
        if (o->sinks[i].output.is_stdout)
            return true;
    }
    return false;
}

/* say_left says that records were not written because the user wanted to end quickly. It returns
 * their number. */
static uint64_t say_left(const struct outputs *o, uint64_t num_left)
{
    uint64_t most_cut = 0;
    for (size_t i = 0; i < o->num_sinks; i++)
        most_cut = o->sinks[i].num_cut > most_cut ? o->sinks[i].num_cut : most_cut;
    num_left += most_cut;
    bool is_said = num_left == 0 || o->num_sinks == 0 || !stop_wanted;
    for (size_t i = 0; i < o->num_sinks; i++)
        is_said = is_said || o->sinks[i].output.failed;
    if (!is_said)
        complain("interrupted: the last %s could not be written in time",
                 ds_counted(num_left, "records").text);
    return num_left;
}

uint64_t outputs_close(struct outputs *o, uint64_t num_unread, uint64_t num_cut)
{
    for (size_t i = 0; i < o->num_sinks; i++)
        sink_end(&o->sinks[i]);
    const uint64_t num_left = say_left(o, num_unread + num_cut);
    for (size_t i = 0; i < MAX_DRAFTS; i++) {
        prerender_free(o->drafts[i]);
        o->drafts[i] = NULL;
    }
    for (size_t i = 0; i < o->num_sinks; i++) {
        sink_close(&o->sinks[i]);
        note_output(o, &o->sinks[i]);
        output_file_say_unread(&o->sinks[i].output, num_unread);
    }
    o->num_sinks = 0;
    return num_left;
}
