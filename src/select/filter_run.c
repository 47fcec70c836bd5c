/*
 * filter_run.c - runs the program of a field filter on a record; see filter_program.h.
 */
#include "core/elixir_name.h"
#include "select/suggestion.h"
#include "select/filter_program.h"
#include "core/term_show.h"

#include <distsniff/identity.h>
#include <stdlib.h>
#include <string.h>

/* filter_probe is one test while the values of a record are compared. */
struct filter_probe {
    struct filter *filter;
    const struct filter_step *step;
    bool present; /* the record has a value */
    bool matches; /* one of its values is as required; for NE, is not */
    bool failed;  /* memory ran out */
};

enum { KEEP_BUFFER = 1024 * 1024 };

static bool fits(enum test_kind test, int order)
{
    switch (test) {
    case TEST_EQ:
    case TEST_NE:
        return order == 0;
    case TEST_LT:
        return order < 0;
    case TEST_LE:
        return order <= 0;
    case TEST_GT:
        return order > 0;
    case TEST_GE:
        return order >= 0;
    case TEST_PRESENT:
    case TEST_CONTAINS:
    case TEST_MATCHES:
        break;
    }
    return false;
}

static int compare_texts(struct ds_text a, struct ds_text b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len != 0 ? memcmp(a.data, b.data, len) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static const struct literal *literals_of(const struct filter_probe *probe)
{
    return &probe->filter->literals[probe->step->first_literal];
}

static bool regex_matches(struct filter_probe *probe, struct match_regex *regex, struct ds_text text)
{
    enum regex_result result = match_regex_text(regex, text.data, text.len);
    probe->filter->num_given_up += result == REGEX_GAVE_UP;
    return result == REGEX_YES;
}

/* suggest_text remembers which of the words occur, and what is similar to the others. */
static void suggest_text(const struct filter_probe *probe, struct ds_text text)
{
    const struct literal *literals = literals_of(probe);
    for (size_t i = 0; i < probe->step->num_literals; i++) {
        struct suggestion *near = literals[i].near;
        if (near == NULL || near->occurs)
            continue;
        near->occurs = compare_texts(text, literals[i].text) == 0 ||
                       elixir_name_means(literals[i].text, text);
        suggestion_add(near, literals[i].text, text);
    }
}

void probe_offer_text(struct filter_probe *probe, struct ds_text text)
{
    if (text.data == NULL)
        return;
    probe->present = true;
    const enum test_kind test = probe->step->test;
    const struct literal *literals = literals_of(probe);
    if (test == TEST_EQ && probe->filter->num_near != 0)
        suggest_text(probe, text);
    for (size_t i = 0; i < probe->step->num_literals && !probe->matches; i++) {
        const struct ds_text wanted = literals[i].text;
        if (wanted.data == NULL)
            continue;
        if (test == TEST_CONTAINS)
            probe->matches = memmem(text.data, text.len, wanted.data, wanted.len) != NULL;
        else if (test == TEST_MATCHES)
            probe->matches = regex_matches(probe, literals[i].regex, text);
        else
            probe->matches = fits(test, compare_texts(text, wanted)) ||
                             ((test == TEST_EQ || test == TEST_NE) &&
                              elixir_name_means(wanted, text));
    }
}

void probe_offer_string(struct filter_probe *probe, const char *string)
{
    if (string != NULL)
        probe_offer_text(probe, (struct ds_text){string, strlen(string)});
}

void probe_offer_number(struct filter_probe *probe, int64_t number)
{
    probe->present = true;
    const struct literal *literals = literals_of(probe);
    for (size_t i = 0; i < probe->step->num_literals && !probe->matches; i++) {
        const int64_t wanted = literals[i].number;
        probe->matches = literals[i].text.data == NULL &&
                         fits(probe->step->test, (number > wanted) - (number < wanted));
    }
}

void probe_offer_unsigned(struct filter_probe *probe, uint64_t number)
{
    probe_offer_number(probe, number < INT64_MAX ? (int64_t)number : INT64_MAX);
}

static bool wants_text(const struct filter_probe *probe)
{
    const struct literal *literals = literals_of(probe);
    for (size_t i = 0; i < probe->step->num_literals; i++) {
        if (literals[i].text.data != NULL)
            return true;
    }
    return false;
}

/* The text of a term is made only if nothing simpler decides. */
void probe_offer_term(struct filter_probe *probe, const struct ds_term *term)
{
    struct ds_text atom;
    int64_t number;
    if (term->data == NULL)
        return;
    probe->present = true;
    if (ds_term_get_integer(term, &number))
        probe_offer_number(probe, number);
    if (probe->matches || !wants_text(probe))
        return;
    if (ds_term_get_atom(term, &atom)) {
        probe_offer_text(probe, atom);
        if (!probe->filter->has_quote || probe->matches)
            return;
    }
    const struct ds_term_print_options options = {.max_depth = probe->filter->max_depth,
                                                  .unmarked = true};
    struct ds_buffer *text = &probe->filter->text;
    text->len = 0;
    if (term_show_as(DS_SYNTAX_ERLANG, term, &options, text) && !text->failed)
        probe_offer_text(probe, (struct ds_text){text->data, text->len});
    else
        probe->failed = true;
}

struct ds_buffer *probe_scratch(struct filter_probe *probe)
{
    probe->filter->scratch.len = 0;
    return &probe->filter->scratch;
}

static bool run_test(struct filter *filter, const struct filter_step *step,
                     const struct record *record, bool *failed)
{
    struct filter_probe probe = {.filter = filter, .step = step};
    step->field->get(&probe, record, step->field->which);
    *failed |= probe.failed || filter->scratch.failed;
    if (step->test == TEST_PRESENT)
        return probe.present;
    return step->test == TEST_NE ? probe.present && !probe.matches : probe.matches;
}

static void trim(struct ds_buffer *buffer)
{
    if (buffer->failed || buffer->cap > KEEP_BUFFER)
        ds_buffer_free(buffer);
}

static bool run_one(struct filter *filter, const struct record *record)
{
    bool value = true, failed = false;
    for (size_t i = 0; i < filter->num_steps && !failed;) {
        const struct filter_step *step = &filter->steps[i++];
        switch (step->kind) {
        case STEP_TEST:
            value = run_test(filter, step, record, &failed);
            break;
        case STEP_NOT:
            value = !value;
            break;
        case STEP_SKIP_IF_FALSE:
        case STEP_SKIP_IF_TRUE:
            if (value == (step->kind == STEP_SKIP_IF_TRUE))
                i = step->target;
            break;
        }
    }
    filter->num_no_memory += failed;
    trim(&filter->scratch);
    trim(&filter->text);
    return value || failed;
}

bool filter_run(struct filter *filter, const struct record *record)
{
    for (; filter != NULL; filter = filter->next) {
        if (!run_one(filter, record))
            return false;
    }
    return true;
}

struct filter *filter_and(struct filter *first, struct filter *second)
{
    if (first == NULL)
        return second;
    struct filter *last = first;
    while (last->next != NULL)
        last = last->next;
    last->next = second;
    return first;
}

void filter_set_depth(struct filter *filter, uint64_t max_depth)
{
    for (; filter != NULL; filter = filter->next)
        filter->max_depth = max_depth < UINT32_MAX ? (uint32_t)max_depth : UINT32_MAX;
}

uint64_t filter_no_memory(const struct filter *filter)
{
    uint64_t num = 0;
    for (; filter != NULL; filter = filter->next)
        num += filter->num_no_memory;
    return num;
}

uint64_t filter_num_given_up(const struct filter *filter)
{
    uint64_t num = 0;
    for (; filter != NULL; filter = filter->next)
        num += filter->num_given_up;
    return num;
}

void filter_suggest(const struct filter *filter)
{
    for (; filter != NULL; filter = filter->next) {
        for (size_t i = 0; i < filter->num_steps; i++) {
            const struct filter_step *step = &filter->steps[i];
            const struct literal *literals = &filter->literals[step->first_literal];
            for (size_t n = 0; step->kind == STEP_TEST && n < step->num_literals; n++) {
                if (literals[n].near != NULL)
                    suggestion_say(literals[n].near, "-Y", step->field->name, literals[n].text);
            }
        }
    }
}

void filter_free(struct filter *filter)
{
    while (filter != NULL) {
        struct filter *next = filter->next;
        for (size_t i = 0; i < filter->num_literals; i++) {
            match_regex_free(filter->literals[i].regex);
            free(filter->literals[i].near);
        }
        free(filter->steps);
        free(filter->literals);
        free(filter->pool);
        ds_buffer_free(&filter->scratch);
        ds_buffer_free(&filter->text);
        free(filter);
        filter = next;
    }
}
