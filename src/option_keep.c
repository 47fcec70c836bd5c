/*
 * option_keep.c - options about the packets that are kept in files.
 */
#include "option_set.h"

#include "complain.h"
#include "option_values.h"

#include <stdlib.h>
#include <string.h>

/* As in tcpdump, a size without a unit is in millions of bytes. */
bool option_set_rotate_size(struct options *o, const char *value)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } units[] = {{"", 1000000}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}};
    const size_t len = strspn(value, "0123456789");
    for (size_t i = 0; i < sizeof units / sizeof units[0] && len > 0 && len < 12; i++) {
        const uint64_t number = strtoull(value, NULL, 10);
        if (strcasecmp(value + len, units[i].name) == 0 && number != 0) {
            o->rotation.size = number * units[i].bytes;
            return true;
        }
    }
    complain("-C takes a number of millions of bytes, or with k, m or g after it of KiB, MiB or "
             "GiB, not '%s'", value);
    return false;
}

bool option_set_rotate_seconds(struct options *o, const char *value)
{
    return option_parse_number("-G", value, 1, INT32_MAX, &o->rotation.seconds);
}

bool option_set_rotate_files(struct options *o, const char *value)
{
    return option_parse_number("-W", value, 1, INT32_MAX, &o->rotation.files);
}
