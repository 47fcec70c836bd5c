/*
 * capture_points.h - several files that may be points of one capture: all are read once to find that
 * out, then merged.
 */
#ifndef SRC_CAPTURE_POINTS_H
#define SRC_CAPTURE_POINTS_H

#include "capture/capture_input.h"

/* capture_survey searches several files for packets that more than one of them contains, and reports
 * the result on standard error. After that, capture_next returns each packet once, with the time of the
 * first file's clock if correct_clocks is true. Returns false after an error message. */
bool capture_survey(struct capture *capture, bool correct_clocks);

/* capture_look_through passes all packets of the files that can be read again to a callback, one file
 * after the other, and goes back to their beginnings. It leaves a file when wants_more returns false.
 * Returns false after an error message. */
typedef bool (*capture_look_fn)(void *context, const struct ds_packet *packet);
bool capture_look_through(struct capture *capture, capture_look_fn wants_more, void *context);

/* capture_report_clocks appends the table of the points' clocks. */
void capture_report_clocks(const struct capture *capture, struct ds_buffer *out);

/* capture_points_next returns the next packet of all points. */
enum capture_status capture_points_next(struct capture *capture, struct ds_packet *packet);

#endif
