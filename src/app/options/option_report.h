/*
 * option_report.h - the names that --report takes: of one table, the beginning of such a name, all, list.
 */
#ifndef SRC_OPTION_REPORT_H
#define SRC_OPTION_REPORT_H

#include "reports/reports.h"

#include <stdio.h>

/* option_report_names writes the names of the tables that value asks for to names and returns how many
 * there are. 0: value is no name of a table, or the beginning of several. The names are static. */
size_t option_report_names(const char *value, const char *names[REPORT_COUNT]);

/* option_report_list writes a line for each table: its name, and what it shows. */
void option_report_list(FILE *out);

#endif
