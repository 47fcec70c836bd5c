/*
 * profile_file.h - a profile as a JSON document, --write-baseline. What it holds:
 *
 *   {"distsniff_baseline":2, "program":"distsniff 1.0.0", "begin_us":N, "end_us":N, "width_ns":N,
 *    "messages":N, "unread":N, "unnamed":N, "left_out":N,
 *    "kinds":[{"kind":"call", "key":"a@h > b@h rpc lists:seq/2", "value":"OTP 25", "unread":N,
 *              "unnamed":true, "of_call":true, "most":N, "windows":N, "packet":N, "conn":N, "call":N,
 *              "slices":[N, ...],
 *              "parts":[{"count":N, "bytes":N, "failed":N, "spans":[NS, N, NS, N, ...]}, ...],
 *              "outcomes":{"ok":N, ...}}, ...]}
 *
 * Numbers are whole and at most 2^53. A number that is zero may be missing. spans are pairs of a
 * latency and of how many had about that, within 1.6 %. The number behind distsniff_baseline is
 * that of this format: another one is refused.
 */
#ifndef SRC_PROFILE_FILE_H
#define SRC_PROFILE_FILE_H

#include "compare/profile.h"

enum { PROFILE_FORMAT = 2, PROFILE_WHY = 200 };
#define PROFILE_FILE_MAX (64u << 20) /* bytes */

/* profile_file_print appends the document, and a newline. out->failed: memory ran out. */
void profile_file_print(const struct profile *profile, struct ds_buffer *out);

/* profile_file_read reads one into a profile that profile_init has made. False, and why is filled
 * in, when it is something else, damaged, of another version, or has more than profile takes. */
bool profile_file_read(struct ds_text text, struct profile *profile, char why[static PROFILE_WHY]);

/* profile_file_is_one says whether a text begins as such a document does. */
bool profile_file_is_one(struct ds_text text);

#endif
