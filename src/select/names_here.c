/*
 * names_here.c - see names_here.h. Only a few names are kept, and each new one is compared with all of
 * them: that happens only until a name that the user gave has occurred.
 */
#include "select/names_here.h"

#include "core/printable.h"

#include <string.h>

static bool is_name(const struct name_here *one, struct ds_text name)
{
    return one->len == name.len && memcmp(one->text, name.data, name.len) == 0;
}

void names_here_add(struct names_here *names, struct ds_text name, uint64_t weight)
{
    struct name_here *lightest = &names->name[0];
    if (name.data == NULL || name.len == 0 || name.len > SUGGESTION_MAX)
        return;
    for (size_t i = 0; i < names->num; i++) {
        if (is_name(&names->name[i], name)) {
            names->name[i].weight += weight;
            return;
        }
        if (names->name[i].weight < lightest->weight)
            lightest = &names->name[i];
    }
    names->has_more = names->has_more || names->num == NAMES_HERE_MAX;
    if (names->num < NAMES_HERE_MAX) {
        lightest = &names->name[names->num++];
        lightest->weight = 0;
    }
    lightest->weight += weight;
    lightest->len = (uint8_t)name.len;
    memcpy(lightest->text, name.data, name.len);
}

/* find_next returns the heaviest name that was not shown yet; of equal ones the first. */
static size_t find_next(const struct names_here *names, const bool *shown)
{
    size_t best = names->num;
    for (size_t i = 0; i < names->num; i++) {
        if (!shown[i] && (best == names->num || names->name[i].weight > names->name[best].weight))
            best = i;
    }
    return best;
}

bool names_here_print(const struct names_here *names, struct ds_buffer *text)
{
    bool shown[NAMES_HERE_MAX] = {false};
    for (size_t i = 0; i < names->num && i < NAMES_HERE_SHOWN; i++) {
        const size_t next = find_next(names, shown);
        const struct name_here *one = &names->name[next];
        shown[next] = true;
        ds_buffer_add_text(text, i != 0 ? ", " : "");
        printable_text((struct ds_text){one->text, one->len}, text);
    }
    if (names->has_more || names->num > NAMES_HERE_SHOWN)
        ds_buffer_add_text(text, " and more");
    return names->num != 0;
}
