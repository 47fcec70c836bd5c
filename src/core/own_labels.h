/*
 * own_labels.h - the labels of a user's own protocols, from the file of --labels: in the language
 * of otp.def, and before those of it.
 */
#ifndef SRC_OWN_LABELS_H
#define SRC_OWN_LABELS_H

#include <distsniff/otp.h>

#include <stdio.h>

/* own_labels_read reads the file. False after a complaint, which says where the mistake is. To be
 * called before all else, by one thread; again for more files. */
bool own_labels_read(const char *name);

/* own_labels returns all lines: those of the file first, then those of otp.def. They stay until the
 * end of the run. */
const struct ds_otp_line *own_labels(size_t *num_lines);

/* own_labels_new returns the table of these lines; NULL when memory ran out. */
struct ds_otp *own_labels_new(void);

void own_labels_free(void);

/* own_labels_print writes all of them, one a line, as the file has them. */
void own_labels_print(FILE *out);

#endif
