/*
 * changes_json.h - differences between two captures as JSON: for -T json one line each,
 * {"type":"difference", ...}, and finally {"type":"comparison", ...}; for the page an object with
 * all of them, and how often each happened in the slices of both captures (compare/profile.h).
 */
#ifndef SRC_CHANGES_JSON_H
#define SRC_CHANGES_JSON_H

#include "compare/compare.h"
#include "output/json_write.h"

/* changes_print_json appends the lines. out->failed: memory ran out. */
void changes_print_json(const struct compare *compare, const struct differences *all,
                        struct ds_buffer *out);

/* changes_write writes the fields of the object for the page, at most max_rows differences. */
void changes_write(const struct compare *compare, uint64_t max_rows, struct json_writer *json);

#endif
