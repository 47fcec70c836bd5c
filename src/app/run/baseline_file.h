/*
 * baseline_file.h - reads, inside the sandbox, what a capture is compared with: the profile of
 * another capture, or a file of --write-baseline.
 */
#ifndef SRC_BASELINE_FILE_H
#define SRC_BASELINE_FILE_H

#include "compare/compare.h"

/* baseline_file_read fills in compare->before: from compare->document, which it frees, else from
 * the file of --compare, if any. False after a complaint. */
bool baseline_file_read(struct compare *compare);

/* baseline_file_write replaces a file by the profile of this run. False after a complaint. */
bool baseline_file_write(const char *name, const struct compare *compare);

#endif
