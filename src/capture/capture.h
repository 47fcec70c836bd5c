/*
 * capture.h - where packets come from: one interface, or files merged by time. Packets are
 * pulled one by one.
 */
#ifndef SRC_CAPTURE_H
#define SRC_CAPTURE_H

#include "capture/capture_input.h"
#include "capture/capture_points.h"

/* capture_open opens what config names. False after a complaint. */
bool capture_open(struct capture *capture, const struct capture_config *config);

/* capture_begin reads the heads of files, once rights have been given up. Where the user wants to
 * end before anything has come, an input is as one without packets. False after a complaint. */
bool capture_begin(struct capture *capture);

/* capture_next gives out the next packet; its data stays valid until the next call. */
enum capture_status capture_next(struct capture *capture, struct ds_packet *packet);

/* capture_wait waits up to a tenth of a second for packets of a live capture. */
void capture_wait(struct capture *capture);

/* capture_is_input says, after a complaint, whether the file of that name is being read: opening
 * it for writing would empty it. */
bool capture_is_input(const struct capture *capture, const char *name);

/* capture_is_input_file is the same for an open file. */
bool capture_is_input_file(const struct capture *capture, int fd, const char *name);

/* capture_goes_on says whether packets may come that were sent after it was opened: they are live, or
 * come through a pipe. */
bool capture_goes_on(const struct capture *capture);

/* capture_has_nanoseconds says whether any input is that exact. */
bool capture_has_nanoseconds(const struct capture *capture);

/* capture_has_made says whether a file may hold packets that stand for the past. */
bool capture_has_made(const struct capture *capture);

/* capture_get_drops says how many packets the kernel and the interface dropped. */
void capture_get_drops(const struct capture *capture, uint64_t *by_kernel, uint64_t *by_interface);

/* capture_get_progress says how much of the files has been read; false when not known. */
bool capture_get_progress(const struct capture *capture, double *fraction);

/* capture_close says what went wrong with the inputs and releases everything. False when
 * something did. */
bool capture_close(struct capture *capture);

#endif
