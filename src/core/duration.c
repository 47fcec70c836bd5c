/*
 * duration.c - see duration.h.
 */
#include "core/duration.h"

struct form {
    uint64_t below; /* nanoseconds */
    uint64_t unit;  /* nanoseconds of the last digit that is shown */
    unsigned scale; /* units in one of name */
    const char *name;
};

static void add_number(uint64_t number, struct ds_buffer *out)
{
    char text[DS_DIGITS_MAX];
    ds_buffer_add(out, text, (size_t)(ds_digits_put(text, number) - text));
}

static void print(const struct form *form, uint64_t ns, struct ds_buffer *out)
{
    while (ns >= form->below)
        form++;
    const unsigned scale = form->scale;
    const uint64_t value = ns / form->unit + (ns % form->unit >= (form->unit + 1) / 2);
    add_number(value / scale, out);
    if (scale > 1) {
        ds_buffer_add(out, ".", 1);
        for (unsigned digit = scale / 10; digit > 1 && value % scale < digit; digit /= 10)
            ds_buffer_add(out, "0", 1);
        add_number(value % scale, out);
    }
    ds_buffer_add_text(out, form->name);
}

void duration_print(int64_t ns, struct ds_buffer *out)
{
    static const struct form forms[] = {
        {1000, 1, 1, " ns"},
        {1000000, 1000, 1, " us"},
        {10000000, 10000, 100, " ms"},
        {1000000000, 100000, 10, " ms"},
        {60000000000, 10000000, 100, " s"},
        {UINT64_MAX, 6000000000, 10, " min"},
    };
    if (ns < 0)
        ds_buffer_add(out, "-", 1);
    print(forms, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, out);
}

void duration_print_fine(uint64_t ns, struct ds_buffer *out)
{
    static const struct form forms[] = {
        {1000000, 100, 10, " us"},
        {1000000000, 1000, 1000, " ms"},
        {UINT64_MAX, 1000, 1000000, " s"},
    };
    print(forms, ns < UINT64_MAX ? ns : UINT64_MAX - 1, out);
}
