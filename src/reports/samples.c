/*
 * samples.c - see samples.h.
 */
#include "reports/samples.h"

#include "core/term_show.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST, LARGE, LATE };

static const struct ds_term_print_options limits = {
    .max_bytes = 120, .max_items = 30, .max_depth = 10, .max_len = 240};

/* place_of returns the place that a message gets, -1: none. */
static int place_of(const struct samples *s, uint64_t count, uint64_t size)
{
    if (count == 1)
        return FIRST;
    const uint64_t large = s->sample[LARGE].text != NULL ? s->sample[LARGE].size
                                                         : s->sample[FIRST].size;
    if (size > large + large / 8)
        return LARGE;
    return (count & (count - 1)) == 0 ? LATE : -1;
}

bool samples_add(struct samples *s, uint64_t count, const struct ds_event *event, struct ds_text mod,
                 struct ds_text fun, const struct ds_term *body, struct ds_buffer *scratch)
{
    const int place = place_of(s, count, event->message.size);
    if (place < 0)
        return true;
    scratch->len = 0;
    if (mod.data != NULL) {
        term_show_call(mod, fun, scratch);
        ds_buffer_add_text(scratch, " ");
    }
    if (body->data != NULL && !term_show(body, &limits, scratch))
        ds_buffer_add_text(scratch, "...");
    char *text = scratch->failed ? NULL
                                 : strndup(scratch->len != 0 ? scratch->data : "", scratch->len);
    scratch->len = 0;
    if (text == NULL)
        return false;
    free(s->sample[place].text);
    s->sample[place] = (struct sample){event->frame, event->message.size, event->ts_ns, text};
    return true;
}

void samples_write(const struct samples *s, struct json_writer *json)
{
    /* The large one may be earlier or later than the latest one. */
    const bool swaps = s->sample[LARGE].text != NULL && s->sample[LATE].text != NULL &&
                       s->sample[LATE].frame < s->sample[LARGE].frame;
    const int order[NUM_SAMPLES] = {FIRST, swaps ? LATE : LARGE, swaps ? LARGE : LATE};
    json_put_list(json, JSON_KEY("samples"));
    for (int i = 0; i < NUM_SAMPLES; i++) {
        const struct sample *sample = &s->sample[order[i]];
        if (sample->text == NULL)
            continue;
        json_item_open(json);
        json_put_unsigned(json, JSON_KEY("packet"), sample->frame);
        json_put_unsigned(json, JSON_KEY("bytes"), sample->size);
        json_put_microseconds(json, JSON_KEY("at"), sample->ns);
        json_put_string(json, JSON_KEY("text"), sample->text);
        json_put_close(json);
    }
    json_put_list_end(json);
}

void samples_free(struct samples *s)
{
    for (int i = 0; i < NUM_SAMPLES; i++)
        free(s->sample[i].text);
    *s = (struct samples){0};
}
