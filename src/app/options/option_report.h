/*
 * option_report.h - the arguments of --report: names of tables, unique prefixes of them, all, list.
 */
#ifndef SRC_OPTION_REPORT_H
#define SRC_OPTION_REPORT_H

#include "reports/reports.h"

#include <stdio.h>

/* option_report_names writes to names the names of the tables that value means and returns their
 * number. 0: value is not a name of a table, or a prefix of several. The names are static. */
size_t option_report_names(const char *value, const char *names[REPORT_COUNT]);

/* option_report_list writes a line for each table: its name, and a description. */
void option_report_list(FILE *out);

#endif
