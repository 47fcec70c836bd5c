/*
 * labels.h - the words of --only and --hide: what they mean, and which there are.
 */
#ifndef SRC_LABELS_H
#define SRC_LABELS_H

#include <stdbool.h>
#include <stddef.h>

struct own_labels;

/* labels_fit says whether one of the words, separated by commas, means this label ("gen:call"),
 * the part of it before a colon, or its group ("otp"). */
bool labels_fit(const char *list, const char *label, const char *group);

/* All labels, and all groups, from 0 on; NULL behind the last. Some come more than once. */
const char *labels_name(const struct own_labels *own, size_t i);
const char *labels_group(const struct own_labels *own, size_t i);

/* What a call can fail as, of them. */
const char *labels_class(const struct own_labels *own, size_t i);

/* labels_check says whether each of the words means a label that messages, calls, monitors or
 * links can have. False after a complaint, in which option stands. */
bool labels_check(const struct own_labels *own, const char *option, const char *list);

#endif
