/*
 * profile_file.h - a profile as a JSON document, --write-baseline. Its contents:
 *
 *   {"distsniff_baseline":2, "program":"distsniff 1.0.0", "begin_us":N, "end_us":N, "width_ns":N,
 *    "messages":N, "unread":N, "unnamed":N, "left_out":N,
 *    "kinds":[{"kind":"call", "key":"a@h > b@h rpc lists:seq/2", "value":"OTP 25", "unread":N,
 *              "unnamed":true, "of_call":true, "most":N, "windows":N, "packet":N, "conn":N, "call":N,
 *              "slices":[N, ...],
 *              "parts":[{"count":N, "bytes":N, "failed":N, "spans":[NS, N, NS, N, ...]}, ...],
 *              "outcomes":{"ok":N, ...}}, ...]}
 *
 * Numbers are integers up to 2^53. A number that is zero may be missing. spans are pairs of a latency
 * and the number of calls with about that latency, within 1.6 %. The value of distsniff_baseline is the
 * version of this format: others are rejected.
 */
#ifndef SRC_PROFILE_FILE_H
#define SRC_PROFILE_FILE_H

#include "compare/profile.h"

enum { PROFILE_FORMAT = 2, PROFILE_WHY = 200 };
#define PROFILE_FILE_MAX (64u << 20) /* bytes */

/* profile_file_print appends the document, and a newline. out->failed: memory ran out. */
void profile_file_print(const struct profile *profile, struct ds_buffer *out);

/* profile_file_read reads one into a profile made by profile_init. It returns false and sets why if the
 * text is something else, damaged, of another version, or has more entries than the profile can contain. */
bool profile_file_read(struct ds_text text, struct profile *profile, char why[static PROFILE_WHY]);

/* profile_file_is_one says whether a text begins like such a document. */
bool profile_file_is_one(struct ds_text text);

#endif
