/*
 * option_compare.c - --compare, --baseline, --write-baseline, --node-role, --threshold.
 */
#include "app/options/option_compare.h"

#include "app/options/option_explain.h"
#include "app/options/option_files.h"
#include "app/options/option_set.h"
#include "app/options/option_values.h"
#include "core/complain.h"
#include "core/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    double least, most;
} bounds[THRESHOLD_COUNT_OF] = {
#define THRESHOLD(id, name, value, least, most, what) {least, most},
#include "compare/thresholds.def"
#undef THRESHOLD
};

void option_compare_begin(struct options *o)
{
    thresholds_init(o->compare.thresholds);
}

bool option_set_compare(struct options *o, const char *value)
{
    o->compare.file = value;
    o->report.wanted[REPORT_CHANGES] = true;
    return true;
}

bool option_set_baseline(struct options *o, const char *value)
{
    o->compare.finds_new = true;
    return option_set_compare(o, value);
}

bool option_set_write_baseline(struct options *o, const char *value)
{
    o->compare.write_file = value;
    o->report.wanted[REPORT_CHANGES] = true;
    return true;
}

bool option_set_node_role(struct options *o, const char *value)
{
    if (o->compare.num_rules == NODE_ROLES_MAX) {
        complain("--node-role can be used at most %d times", NODE_ROLES_MAX);
        return false;
    }
    o->compare.rules[o->compare.num_rules++] = value;
    return true;
}

static bool find_threshold(const char *name, size_t len, int *which)
{
    const char *names[THRESHOLD_COUNT_OF];
    for (int i = 0; i < THRESHOLD_COUNT_OF; i++) {
        names[i] = threshold_name(i);
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
            *which = i;
            return true;
        }
    }
    const char *nearest = suggest_find(name, len, names, THRESHOLD_COUNT_OF);
    complain("--threshold: '%.*s' is unknown%s%s", (int)len, name,
             nearest != NULL ? "; nearest: "
                             : ": they are chance, count, rate, latency, latency-least, "
                               "new-latency, new-latency-least, size, size-least and failed",
             nearest != NULL ? nearest : "");
    return false;
}

bool option_set_threshold(struct options *o, const char *value)
{
    const char *equals = strchr(value, '=');
    int which = 0;
    if (!find_threshold(value, equals != NULL ? (size_t)(equals - value) : strlen(value), &which))
        return false;
    char *end = NULL;
    const double number = equals != NULL ? strtod(equals + 1, &end) : NAN;
    if (equals == NULL || end == equals + 1 || *end != '\0' || !(number >= bounds[which].least) ||
        !(number <= bounds[which].most)) {
        complain("--threshold %s=NUMBER takes a number from %g to %g", threshold_name(which),
                 bounds[which].least, bounds[which].most);
        return false;
    }
    o->compare.thresholds[which] = number;
    return true;
}

/* choose_json writes differences as JSON, and nothing else, if -T json is the only format: records
 * would bury them. */
static bool choose_json(struct options *o)
{
    struct sink_config *output = &o->output;
    if (o->compare.file == NULL || output->num_formats != 1 ||
        strcmp(output->formats[0].kind->name, "json") != 0)
        return true;
    if (output->formats[0].file != NULL && strcmp(output->formats[0].file, "-") != 0) {
        complain("--compare writes its JSON to standard output: use -T json > %s",
                 output->formats[0].file);
        return false;
    }
    output->num_formats = 0;
    o->compare.is_json = true;
    return true;
}

/* choose_doctor chooses the report doctor if nothing else would show the findings that --baseline
 * adds. */
static void choose_doctor(struct options *o)
{
    bool has_output = o->output.num_formats != 0 || o->quiet || metrics_wanted(&o->metrics) ||
                      o->web.len != 0 || o->tui;
    for (int i = 0; i < REPORT_COUNT; i++)
        has_output |= o->report.wanted[i] && i != REPORT_CHANGES;
    o->report.wanted[REPORT_DOCTOR] |= !has_output;
}

bool option_compare_finish(struct options *o)
{
    struct compare_config *compare = &o->compare;
    char why[NODE_ROLE_TEXT];
    if (!compare_check(compare, why)) {
        complain("--node-role: %s", why);
        return false;
    }
    const bool reads_baseline = compare->file != NULL && !option_files_is_capture(compare->file);
    if (o->redact.what != 0 && o->redact.key_file == NULL &&
        (compare->write_file != NULL || reads_baseline)) {
        complain("--redact: a baseline needs --redact-key-file, for other runs have other pseudonyms");
        return false;
    }
    if (compare->file == NULL)
        return true;
    if (access(compare->file, R_OK) != 0) {
        complain("%s: cannot read %s: %s", compare->finds_new ? "--baseline" : "--compare", compare->file,
                 strerror(errno));
        return false;
    }
    compare->is_capture = option_files_is_capture(compare->file);
    if (compare->finds_new && compare->is_capture) {
        complain("--baseline: %s is a capture: distsniff -r %s --write-baseline FILE makes a baseline of "
                 "it", compare->file, compare->file);
        return false;
    }
    if (compare->finds_new) {
        choose_doctor(o);
        return true;
    }
    if (compare->is_capture)
        option_explain_commands_of(o, compare->file, &compare->command, &compare->behind);
    return choose_json(o);
}

void option_compare_free(struct options *o)
{
    free(o->compare.command);
    free(o->compare.behind);
    o->compare.command = o->compare.behind = NULL;
}
