/*
 * option_keep.c - options for files of packets.
 */
#include "app/options/option_set.h"

#include "app/options/option_values.h"
#include "core/complain.h"
#include "core/units.h"
#include "select/filter.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
        uint64_t size;
        if (strcasecmp(value + len, units[i].name) == 0 && number != 0 &&
            !__builtin_mul_overflow(number, units[i].bytes, &size)) {
            o->keep.rotation.size = size;
            return true;
        }
    }
    complain("-C takes a number of million bytes, or a number with k, m or g (KiB, MiB, GiB), "
             "not '%s'", value);
    return false;
}

bool option_set_rotate_seconds(struct options *o, const char *value)
{
    return option_parse_number("-G", value, 1, INT32_MAX, &o->keep.rotation.seconds);
}

bool option_set_rotate_files(struct options *o, const char *value)
{
    return option_parse_number("-W", value, 1, INT32_MAX, &o->keep.rotation.files);
}

bool option_set_connections_file(struct options *o, const char *value)
{
    o->keep.connections_file = value;
    if (strcmp(value, "-") != 0)
        return true;
    complain("-O takes the name of a file, not standard output");
    return false;
}

bool option_set_trigger(struct options *o, const char *value)
{
    struct filter_error error;
    if (o->keep.trigger != NULL) {
        complain("--trigger can be used only once: join expressions with ||");
        return false;
    }
    o->keep.trigger = filter_parse(value, o->labels, &error);
    if (o->keep.trigger == NULL && error.column == 0)
        complain("%s", error.what);
    else if (o->keep.trigger == NULL)
        complain("--trigger: column %zu: %s", error.column, error.what);
    return o->keep.trigger != NULL;
}

bool option_set_keep(struct options *o, const char *value)
{
    int64_t amount;
    o->keep.before_ns = 0;
    o->keep.max_bytes = 0;
    if (units_parse(QUANTITY_DURATION, value, 0, &amount) && amount > 0)
        o->keep.before_ns = amount;
    else if (units_parse(QUANTITY_SIZE, value, 0, &amount) && amount > 0)
        o->keep.max_bytes = (uint64_t)amount;
    else
        complain("--keep takes a time (%s) or a size (%s), such as 60s or 64MB, not '%s'",
                 units_list(QUANTITY_DURATION), units_list(QUANTITY_SIZE), value);
    return o->keep.before_ns != 0 || o->keep.max_bytes != 0;
}

bool option_set_keep_after(struct options *o, const char *value)
{
    if (units_parse(QUANTITY_DURATION, value, 0, &o->keep.after_ns) && o->keep.after_ns >= 0)
        return true;
    complain("--keep-after takes a time (%s), such as 10s, not '%s'",
             units_list(QUANTITY_DURATION), value);
    return false;
}
