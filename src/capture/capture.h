/*
 * capture.h - the source of packets: one interface, or files merged by time. The caller pulls packets
 * one by one.
 */
#ifndef SRC_CAPTURE_H
#define SRC_CAPTURE_H

#include "capture/capture_input.h"
#include "capture/capture_points.h"

/* capture_open opens the inputs of config. Returns false after an error message. */
bool capture_open(struct capture *capture, const struct capture_config *config);

/* capture_begin reads the heads of files, after the process has dropped its privileges. If the user
 * stops it before any data has come, an input counts as empty. Returns false after an error message. */
bool capture_begin(struct capture *capture);

/* capture_next returns the next packet; its data is valid until the next call. */
enum capture_status capture_next(struct capture *capture, struct ds_packet *packet);

/* capture_wait waits up to a tenth of a second for packets of a live capture. */
void capture_wait(struct capture *capture);

/* capture_is_input says whether the file of that name is being read, after an error message: opening it
 * for writing would empty it. */
bool capture_is_input(const struct capture *capture, const char *name);

/* capture_is_input_file does the same for an open file. */
bool capture_is_input_file(const struct capture *capture, int fd, const char *name);

/* capture_goes_on says whether packets may come that are sent after capture_open: the capture is live,
 * or reads a pipe. */
bool capture_goes_on(const struct capture *capture);

/* capture_has_nanoseconds says whether any input has time stamps in nanoseconds. */
bool capture_has_nanoseconds(const struct capture *capture);

/* capture_has_made says whether a file may contain packets from a snapshot. */
bool capture_has_made(const struct capture *capture);

/* capture_get_drops sets how many packets the kernel and the interface dropped. */
void capture_get_drops(const struct capture *capture, uint64_t *by_kernel, uint64_t *by_interface);

/* capture_get_progress sets how much of the files has been read. Returns false if that is unknown. */
bool capture_get_progress(const struct capture *capture, double *fraction);

/* capture_close reports errors of the inputs and releases everything. Returns false if there were any. */
bool capture_close(struct capture *capture);

#endif
