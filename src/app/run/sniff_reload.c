/*
 * sniff_reload.c - SIGHUP of a service: --config is read again and its selection applied, and
 * renamed files are created again under their names. Streams, open calls and all counts go on. See
 * sniff_parts.h.
 */
#include "app/run/sniff_parts.h"

#include "app/options/option_reload.h"
#include "core/bounded_regex.h"
#include "core/complain.h"

#include <stdlib.h>

/* can_be_found says whether this run detects what a selection needs. */
static bool can_be_found(const struct sniff *s, const struct options *again)
{
    if (again->select.filter != NULL && !s->config.facts) {
        complain("-Y needs facts that a run without outputs does not collect: restart the program");
        return false;
    }
    return pipeline_may_select(s->pipeline, &again->select);
}

static bool reload_selection(struct sniff *s)
{
    struct options *again = calloc(1, sizeof *again);
    if (again == NULL) {
        complain("out of memory");
        return false;
    }
    if (!option_reload(again, s->options) || !can_be_found(s, again) ||
        !pipeline_select(s->pipeline, &again->select)) {
        options_free(again);
        free(again);
        return false;
    }
    sniff_free_again(s);
    s->again = again;
    return true;
}

void sniff_reload(struct sniff *s)
{
    const char *name = s->options->config_file;
    if (s->options->sandbox != SANDBOX_OFF)
        bounded_regex_interpret();
    if (reload_selection(s))
        complain("%s was reloaded", name);
    else
        complain("%s: the options are unchanged", name);
    capture_writer_reopen(&s->save);
    if (s->annotated != NULL)
        annotated_reopen(s->annotated);
    pipeline_reopen(s->pipeline);
}

void sniff_free_again(struct sniff *s)
{
    if (s->again == NULL)
        return;
    options_free(s->again);
    free(s->again);
    s->again = NULL;
}
