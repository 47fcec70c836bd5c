/*
 * loss.c - see loss.h.
 */
#include "record/loss.h"

#include "core/duration.h"
#include "record/record.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name, *unit, *text;
} causes[LOSS_CAUSE_COUNT] = {
#define LOSS(id, name, unit, text) [LOSS_##id] = {name, unit, text},
#include "record/losses.def"
#undef LOSS
};

const char *loss_cause_name(enum loss_cause cause)
{
    return causes[cause].name;
}

const char *loss_unit(enum loss_cause cause)
{
    return causes[cause].unit;
}

void loss_print(const struct loss *loss, struct ds_buffer *out)
{
    ds_buffer_add_text(out, ds_counted(loss->count, causes[loss->cause].unit).text);
    if (loss->messages != 0)
        ds_buffer_printf(out, ", %" PRIu64 " of them messages,", loss->messages);
    ds_buffer_add_text(out, " ");
    ds_buffer_add_text(out, causes[loss->cause].text);
    if (loss->last_ns <= loss->first_ns)
        return;
    ds_buffer_add_text(out, ", within ");
    duration_print(loss->last_ns - loss->first_ns, out);
}
