/*
 * filter_needs.c - what an expression asks for that needs calls to be put together: fields
 * that the table marks so, and the types of records that come of it.
 */
#include "filter_program.h"

#include <string.h>

static const char *const types[] = {"call", "monitor", "link"};

static const char *type_of_calls(const struct literal *literal)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (literal->text.data != NULL && literal->text.len == strlen(types[i]) &&
            memcmp(literal->text.data, types[i], literal->text.len) == 0)
            return types[i];
    }
    return NULL;
}

static const char *step_needs(const struct filter *filter, const struct step *step)
{
    const char *type = NULL;
    if (step->kind != STEP_TEST)
        return NULL;
    if (filter_field_needs_calls(step->field))
        return step->field->name;
    if (step->test != TEST_EQ || strcmp(step->field->name, "type") != 0)
        return NULL;
    for (size_t i = 0; i < step->num_literals && type == NULL; i++)
        type = type_of_calls(&filter->literals[step->first_literal + i]);
    return type;
}

const char *filter_needs_calls(const struct filter *filter)
{
    const char *what = NULL;
    for (; filter != NULL && what == NULL; filter = filter->next) {
        for (size_t i = 0; i < filter->num_steps && what == NULL; i++)
            what = step_needs(filter, &filter->steps[i]);
    }
    return what;
}
