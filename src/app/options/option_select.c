/*
 * option_select.c - options that select which records are shown.
 */
#include "app/options/option_set.h"

#include "core/complain.h"
#include "app/options/keylog_hints.h"
#include "select/filter.h"
#include "select/labels.h"
#include "app/options/option_values.h"

#include <string.h>

static bool add_word(const char *option, struct string_list *words, const char *value)
{
    if (value[0] == '\0') {
        complain("%s takes a name, not nothing", option);
        return false;
    }
    if (words->num == MAX_WORDS) {
        complain("%s can be used at most %d times", option, MAX_WORDS);
        return false;
    }
    words->word[words->num++] = value;
    return true;
}

bool option_set_only(struct options *o, const char *value)
{
    return labels_check(o->labels, "--only", value) && add_word("--only", &o->select.only, value);
}

bool option_set_hide(struct options *o, const char *value)
{
    return labels_check(o->labels, "--hide", value) && add_word("--hide", &o->select.hide, value);
}

/* option_set_node takes one node, or several with commas between them, which no name contains. */
bool option_set_node(struct options *o, const char *value)
{
    if (strchr(value, ',') == NULL)
        return add_word("--node", &o->select.nodes, value);
    char *list = o->num_node_lists < MAX_WORDS ? strdup(value) : NULL, *word;
    if (list == NULL) {
        complain(o->num_node_lists < MAX_WORDS ? "out of memory" : "--node names too many nodes");
        return false;
    }
    o->node_lists[o->num_node_lists++] = list;
    while ((word = strsep(&list, ",")) != NULL) {
        if (!add_word("--node", &o->select.nodes, word))
            return false;
    }
    return true;
}

bool option_set_process(struct options *o, const char *value)
{
    if (o->select.num_processes == MAX_WORDS) {
        complain("--process can be used at most %d times", MAX_WORDS);
        return false;
    }
    return pick_process_parse(&o->select.processes[o->select.num_processes++], value);
}

bool option_set_op(struct options *o, const char *value)
{
    return op_set_add(&o->select.ops, value);
}

bool option_set_regex(struct options *o, const char *value)
{
    if (o->num_patterns == MAX_REGEXES) {
        complain("-e can be used at most %d times", MAX_REGEXES);
        return false;
    }
    o->patterns[o->num_patterns++] = value;
    o->select.searches[o->select.num_searches++] = (struct sought){"-e", value};
    return true;
}

bool option_set_match(struct options *o, const char *value)
{
    if (o->select.num_matches == MAX_MATCHES) {
        complain("-m can be used at most %d times", MAX_MATCHES);
        return false;
    }
    struct ds_match *match = match_record_compile(value);
    if (match == NULL)
        return false;
    o->select.matches[o->select.num_matches++] = match;
    o->select.searches[o->select.num_searches++] = (struct sought){"-m", value};
    return true;
}

bool option_set_after(struct options *o, const char *value)
{
    return option_parse_number("-A", value, 0, UINT32_MAX, &o->select.num_after);
}

bool option_set_filter(struct options *o, const char *value)
{
    struct filter_error error;
    struct filter *filter = filter_parse(value, o->labels, &error);
    if (filter == NULL && error.column == 0)
        complain("%s", error.what);
    else if (filter == NULL)
        complain("-Y: column %zu: %s", error.column, error.what);
    else
        o->select.filter = filter_and(o->select.filter, filter);
    return filter != NULL;
}

bool option_set_print_refresh(struct options *o, const char *value)
{
    o->action = ACTION_PRINT_REFRESH;
    if (value == NULL || late_hints_way(value, &o->refresh_way))
        return true;
    complain("--print-refresh takes erl, iex, rabbitmqctl, erl_call or elixir, not '%s'", value);
    return false;
}

bool option_set_print_keylog_config(struct options *o, const char *value)
{
    o->action = ACTION_PRINT_KEYLOG_CONFIG;
    if (keylog_hints_release(value, &o->keylog_release))
        return true;
    complain("--print-keylog-config takes a release of Erlang/OTP from 24 on, not '%s'", value);
    return false;
}

bool option_set_fields(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_LIST_FIELDS;
    return true;
}
