/*
 * sink_kinds.c - the table of output formats, from sinks.def.
 */
#include "output/sink.h"

#include <string.h>

static const struct sink_kind *const kinds[] = {
#define SINK(name) &sink_##name,
#define PART(name)
#include "output/sinks.def"
#undef SINK
#undef PART
};

enum { NUM_KINDS = sizeof kinds / sizeof kinds[0] };

const struct sink_kind *sink_find(const char *name, size_t len)
{
    for (int i = 0; i < NUM_KINDS; i++) {
        if (strlen(kinds[i]->name) == len && memcmp(kinds[i]->name, name, len) == 0)
            return kinds[i];
    }
    return NULL;
}

void sink_list(FILE *out)
{
    for (int i = 0; i < NUM_KINDS; i++)
        fprintf(out, "%-10s %s\n", kinds[i]->name, kinds[i]->help);
}

size_t sink_get_names(const char *names[MAX_KINDS])
{
    _Static_assert((int)NUM_KINDS <= (int)MAX_KINDS, "all have room");
    for (int i = 0; i < NUM_KINDS; i++)
        names[i] = kinds[i]->name;
    return NUM_KINDS;
}
