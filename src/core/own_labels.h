/*
 * own_labels.h - the labels of a user's own protocols, from the file of --labels. It is in the language
 * of otp.def, and its lines precede those of otp.def.
 */
#ifndef SRC_OWN_LABELS_H
#define SRC_OWN_LABELS_H

#include <distsniff/otp.h>

#include <stdio.h>

/* own_labels is the contents of one file. For all parameters of this type, NULL means the labels of
 * otp.def alone. Records refer to its lines. */
struct own_labels;

/* own_labels_read reads the file. It returns NULL after an error message that says where the mistake is. */
struct own_labels *own_labels_read(const char *name);
void own_labels_free(struct own_labels *own);

/* own_labels_lines returns all lines: those of the file first, then those of otp.def. */
const struct ds_otp_line *own_labels_lines(const struct own_labels *own, size_t *num_lines);

/* own_labels_table returns the lookup table for these lines; NULL when memory ran out. */
struct ds_otp *own_labels_table(const struct own_labels *own);

/* own_labels_print writes all lines in the format of the file. */
void own_labels_print(const struct own_labels *own, FILE *out);

#endif
