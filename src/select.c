/*
 * select.c - see select.h. A word of --only or --hide means a label of otp.def
 * ("gen:call"), all labels that begin with it and a colon ("global"), or a group ("otp").
 */
#include "select.h"

#include <string.h>

static bool word_fits(const char *word, size_t len, const char *label, const char *group)
{
    return (strncmp(label, word, len) == 0 && (label[len] == '\0' || label[len] == ':')) ||
           (strlen(group) == len && memcmp(group, word, len) == 0);
}

/* list_fits says whether one of the words, separated by commas, fits. */
static bool list_fits(const char *list, const char *label, const char *group)
{
    for (const char *word = list; *word != '\0'; word += *word == ',') {
        size_t len = strcspn(word, ",");
        if (len != 0 && word_fits(word, len, label, group))
            return true;
        word += len;
    }
    return false;
}

bool select_wants(const struct options *options, const struct record *record)
{
    if (!options->calls_only && options->hide == NULL && options->only == NULL)
        return true;
    const struct call *call = record->call;
    const char *label = call != NULL ? call->label : record->note.label;
    const char *group = call != NULL ? call->group : record->note.group;
    if (call == NULL && record->event->type == DS_EVENT_GAP)
        return true; /* what is missing may be what was asked for */
    if (options->calls_only && call == NULL && record->note.call == 0)
        return false;
    if (label == NULL)
        return options->only == NULL;
    if (options->only != NULL && !list_fits(options->only, label, group))
        return false;
    return options->hide == NULL || !list_fits(options->hide, label, group);
}
