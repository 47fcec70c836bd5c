/*
 * filter_needs.c - says whether an expression needs the correlation of calls: fields that the table
 * marks so, and types of records that the correlation makes; and whether it asks for findings.
 */
#include "select/filter_program.h"

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

static const char *step_needs(const struct filter *filter, const struct filter_step *step)
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

const char *filter_asks_private(const struct filter *filter)
{
    for (; filter != NULL; filter = filter->next) {
        for (size_t i = 0; i < filter->num_steps; i++) {
            const struct filter_step *step = &filter->steps[i];
            if (step->kind == STEP_TEST && step->test != TEST_PRESENT && step->field->words == NULL &&
                (step->field->type == FIELD_TEXT || step->field->type == FIELD_TERM))
                return step->field->name;
        }
    }
    return NULL;
}

static bool is_of_findings(const struct filter *filter, const struct filter_step *step)
{
    static const char *const fields[] = {"finding", "severity", "certainty"};
    if (step->kind != STEP_TEST)
        return false;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(step->field->name, fields[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < step->num_literals && strcmp(step->field->name, "type") == 0; i++) {
        const struct ds_text text = filter->literals[step->first_literal + i].text;
        if (text.len == strlen("finding") && memcmp(text.data, "finding", text.len) == 0)
            return true;
    }
    return false;
}

bool filter_asks_findings(const struct filter *filter)
{
    for (; filter != NULL; filter = filter->next) {
        for (size_t i = 0; i < filter->num_steps; i++) {
            if (is_of_findings(filter, &filter->steps[i]))
                return true;
        }
    }
    return false;
}
