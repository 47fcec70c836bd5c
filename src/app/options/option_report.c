/*
 * option_report.c - --report and the options for its tables.
 */
#include "app/options/option_report.h"

#include "app/options/option_set.h"
#include "app/options/option_values.h"
#include "core/complain.h"
#include "core/habits.h"

#include <string.h>

static const char *const report_names[] = {
#define REPORT(id, name, kind, what) name,
#include "reports/reports.def"
#undef REPORT
};

size_t option_report_names(const char *value, const char *names[REPORT_COUNT])
{
    const bool is_all = strcmp(value, "all") == 0;
    const size_t len = strlen(value);
    size_t num = 0;
    for (int i = 0; i < REPORT_COUNT; i++) {
        if (strcmp(report_names[i], value) == 0) {
            names[0] = report_names[i];
            return 1;
        }
        /* all leaves out clocks, which need several files, points and history, which need a stream, and
         * changes, which need two captures. */
        if (is_all ? i != REPORT_CLOCKS && i != REPORT_POINTS && i != REPORT_HISTORY && i != REPORT_CHANGES
                   : strncmp(report_names[i], value, len) == 0)
            names[num++] = report_names[i];
    }
    return is_all || (num == 1 && len != 0) ? num : 0;
}

void option_report_list(FILE *out)
{
#define REPORT(id, name, kind, what) fprintf(out, "%-10s %s\n", name, what);
#include "reports/reports.def"
#undef REPORT
}

bool option_set_report(struct options *o, const char *value)
{
    const char *names[REPORT_COUNT];
    size_t which;
    if (strcmp(value, "list") == 0) {
        o->action = ACTION_LIST_REPORTS;
        return true;
    }
    const bool is_report = option_report_names(value, names) != 0;
    const char *answer = is_report ? NULL : habit_answer(HABIT_REPORT, value, strlen(value));
    if (answer != NULL) {
        complain("there is no report %s: %s", value, answer);
        return false;
    }
    if (!option_parse_choice("--report", value, report_names, REPORT_COUNT, &which))
        return false;
    o->report.wanted[which] = true;
    return true;
}
