/*
 * match_record.h - matches records against the patterns of all -m, as described in distsniff/match.h.
 *
 * A pattern for calls is matched against the function that a request of rpc, erpc or spawn names; a
 * pattern for terms against the whole payload, and against the request, message or answer inside its
 * wrapper ('$gen_call', '$gen_cast' and the other wrappers of otp.def).
 */
#ifndef SRC_MATCH_RECORD_H
#define SRC_MATCH_RECORD_H

#include "record/record.h"

#include <distsniff/match.h>

/* match_record_compile returns the pattern of one -m. The caller frees it with ds_match_free. NULL
 * after an error message that says where it is wrong. */
struct ds_match *match_record_compile(const char *text);

struct match_record;
struct own_labels;

/* match_record_new uses num patterns and own, which the caller still owns; NULL when memory ran out. */
struct match_record *match_record_new(struct ds_match *const *patterns, size_t num,
                                      const struct own_labels *own);
void match_record_free(struct match_record *m);

enum match_record_result { MATCH_RECORD_NO, MATCH_RECORD_YES, MATCH_RECORD_WITH_REPLY };

/* match_record_run says whether any pattern matches the message of a record, and whether one of these
 * asks for the reply ("-> return"). */
enum match_record_result match_record_run(struct match_record *m, const struct record *record);

/* How many messages would have taken too long, and how often memory ran out. */
uint64_t match_record_num_given_up(const struct match_record *m);
uint64_t match_record_no_memory(const struct match_record *m);

#endif
