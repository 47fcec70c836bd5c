/*
 * labels.h - the words of --only and --hide: their meaning, and which there are.
 */
#ifndef SRC_LABELS_H
#define SRC_LABELS_H

#include <stdbool.h>
#include <stddef.h>

struct own_labels;

/* labels_fit says whether one of the words, separated by commas, is this label ("gen:call"), the part
 * of it before a colon, or its group ("otp"). */
bool labels_fit(const char *list, const char *label, const char *group);

/* All labels, and all groups, from 0 on; NULL after the last. Some appear more than once. */
const char *labels_name(const struct own_labels *own, size_t i);
const char *labels_group(const struct own_labels *own, size_t i);

/* The labels of ways in which a call can fail. */
const char *labels_class(const struct own_labels *own, size_t i);

/* labels_check says whether each of the words is a label that messages, calls, monitors or links can
 * have. Returns false after an error message that names option. */
bool labels_check(const struct own_labels *own, const char *option, const char *list);

#endif
