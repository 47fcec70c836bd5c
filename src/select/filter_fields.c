/*
 * filter_fields.c - the fields of the field filter: one line per field, in the files with their getters.
 * The names are those of JSON, and some that combine several: node, addr and port mean either end.
 */
#include "core/suggest.h"
#include "select/filter_program.h"

#include <string.h>

static const struct field_group *const groups[] = {
    &filter_message_fields,
    &filter_note_fields,
    &filter_call_fields,
    &filter_conn_fields,
};

enum { NUM_GROUPS = sizeof groups / sizeof groups[0], MAX_FIELDS = 256 };

const struct filter_field *filter_field_at(size_t i)
{
    for (int g = 0; g < NUM_GROUPS; g++) {
        if (i < groups[g]->num)
            return &groups[g]->fields[i];
        i -= groups[g]->num;
    }
    return NULL;
}

const struct filter_field *filter_field_find(struct ds_text name)
{
    const struct filter_field *field;
    for (size_t i = 0; (field = filter_field_at(i)) != NULL; i++) {
        if (strlen(field->name) == name.len && memcmp(field->name, name.data, name.len) == 0)
            break;
    }
    return field;
}

const char *filter_field_nearest(struct ds_text name)
{
    const char *names[MAX_FIELDS];
    const struct filter_field *field;
    size_t num = 0;
    while (num < MAX_FIELDS && (field = filter_field_at(num)) != NULL)
        names[num++] = field->name;
    return suggest_find(name.data, name.len, names, num);
}

bool filter_field_needs_calls(const struct filter_field *field)
{
    for (int g = 0; g < NUM_GROUPS; g++) {
        for (size_t i = 0; i < groups[g]->num; i++) {
            if (&groups[g]->fields[i] == field)
                return groups[g]->needs_calls;
        }
    }
    return false;
}

const char *filter_type_name(enum field_type type)
{
    static const char *const names[] = {
        [FIELD_TEXT] = "text",         [FIELD_NUMBER] = "number",
        [FIELD_SIZE] = "size",         [FIELD_DURATION] = "duration",
        [FIELD_MICROSECONDS] = "duration", [FIELD_TIME] = "time",
        [FIELD_BOOL] = "bool",         [FIELD_TERM] = "term",
    };
    _Static_assert(sizeof names / sizeof names[0] == FIELD_TYPE_COUNT, "a name for each");
    return names[type];
}

void filter_list_fields(FILE *out)
{
    const struct filter_field *field;
    for (size_t i = 0; (field = filter_field_at(i)) != NULL; i++)
        fprintf(out, "%-24s %s\n", field->name, filter_type_name(field->type));
}
