/*
 * capture_points.h - several files that may be points of one capture: all are read once to find
 * out, then merged.
 */
#ifndef SRC_CAPTURE_POINTS_H
#define SRC_CAPTURE_POINTS_H

#include "capture/capture_input.h"

/* capture_survey looks through several files for packets that more than one of them shows, and
 * says on standard error what it finds. From then on capture_next gives out each packet once,
 * by the clock of the file named first when correct_clocks is set. False after a complaint. */
bool capture_survey(struct capture *capture, bool correct_clocks);

/* capture_look_through shows all packets of the files that can be read again, one file after the
 * other, and goes back to their beginnings. Of each file until wants_more says no.
 * False after a complaint. */
typedef bool (*capture_look_fn)(void *context, const struct ds_packet *packet);
bool capture_look_through(struct capture *capture, capture_look_fn wants_more, void *context);

/* capture_report_clocks appends the table of the points' clocks. */
void capture_report_clocks(const struct capture *capture, struct ds_buffer *out);

/* capture_points_next gives out the next packet of all points. */
enum capture_status capture_points_next(struct capture *capture, struct ds_packet *packet);

#endif
