/*
 * term_show.c - see term_show.h.
 */
#include "term_show.h"

static bool unicode;

void term_show_unicode(void)
{
    unicode = true;
}

bool term_show(const struct ds_term *term, const struct ds_term_print_options *options,
               struct ds_buffer *out)
{
    if (!unicode)
        return ds_term_print(term, options, out);
    struct ds_term_print_options all = {0};
    if (options != NULL)
        all = *options;
    all.unicode = true;
    return ds_term_print(term, &all, out);
}
