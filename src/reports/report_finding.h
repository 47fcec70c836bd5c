/*
 * report_finding.h - a finding as --report doctor writes it, for other outputs. See
 * report_doctor.c.
 */
#ifndef DISTSNIFF_REPORT_FINDING_H
#define DISTSNIFF_REPORT_FINDING_H

#include "reports/report.h"

/* report_finding_head appends its first line, without count and times, and without the end of the
 * line. */
void report_finding_head(const struct finding *finding, struct ds_buffer *out);

/* report_finding_print appends all of it, in whole lines: what was found, when, the packets that
 * show it, what to do, and its certainty. */
void report_finding_print(const struct report_text *text, const struct finding *finding,
                          struct ds_buffer *out);

/* report_doctor_verdict appends the verdict of a doctor (its state) in one line without its end:
 * what is down now, the number of findings, and the title of the first one. */
void report_doctor_verdict(void *doctor, struct ds_buffer *out);

#endif
