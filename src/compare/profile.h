/* profile.h - what a capture is like: how often each kind of thing happens in it, how large it is,
 * how long it takes and how often it fails. Two profiles are compared (differ.h); one can be
 * written to a file and read again (profile_file.h). * Time is divided into slices of equal width.
 * Where a capture outgrows them, two become one, so that there are always between half of
 * PROFILE_SLICES and all of them, but for a very short capture. Slices show whether a rate is
 * steady. Parts show how much a figure varies within a capture: slice N belongs to part N modulo
 * PROFILE_PARTS, as the slices are when something happens. */
#ifndef SRC_PROFILE_H
#define SRC_PROFILE_H

#include "core/histogram.h"
#include "core/table.h"
#include "record/record.h"

enum profile_kind {
#define PROFILE_KIND(id, name, words, presence) PROFILE_##id,
#include "compare/profile_kinds.def"
#undef PROFILE_KIND
    PROFILE_KIND_COUNT
};

enum { PROFILE_SLICES = 32, PROFILE_PARTS = 4, PROFILE_KEY_MAX = 1000, PROFILE_VALUE_MAX = 60 };
#define PROFILE_LEAST_WIDTH_NS INT64_C(50000000)

/* profile_part is what happened in one part of a capture. spans are latencies in nanoseconds, of
 * calls of which it is known how long they took. */
struct profile_part {
    uint64_t count, bytes, failed;
    struct histogram spans;
};

/* profile_window is a time of at least PROFILE_WINDOW_NS with at least PROFILE_WINDOW_LEAST calls or
 * messages in it. It comes to the median of how long these calls take, or the mean size of these
 * messages. */
enum { PROFILE_WINDOW_LEAST = 5 };
#define PROFILE_WINDOW_NS UINT64_C(500000000)
struct profile_window {
    int64_t begin_ns;
    uint64_t count, bytes;
    struct histogram spans;
    uint64_t before; /* what the one before came to */
    bool has_before;
};

/* What novelty.h knows of an entry. */
enum profile_standing { STANDING_UNKNOWN, STANDING_NEW, STANDING_DOUBTED, STANDING_USUAL, STANDING_TOLD };

/* profile_entry is one kind of thing. */
struct profile_entry {
    struct table_entry entry;
    enum profile_kind kind;
    struct ds_text key;              /* UTF-8 that is fit for a terminal; owned */
    uint64_t slices[PROFILE_SLICES]; /* how often it happened in each */
    struct profile_part parts[PROFILE_PARTS];
    uint64_t outcomes[CALL_OUTCOME_COUNT]; /* of calls */
    uint64_t unread; /* of a LINK: messages between the two that could not be read whole, or were lost */
    bool is_of_call; /* messages of calls, which are counted as such */
    bool is_unnamed; /* an end of it is an address, as its node is not known */
    char value[PROFILE_VALUE_MAX]; /* of a NODE: its release, "OTP 27"; empty: not known */
    struct profile_window window; /* of CALL and MESSAGE: the present one */
    uint64_t most;    /* that two windows in a row both came to, nanoseconds of CALL, bytes of MESSAGE */
    uint64_t windows; /* how many pairs there were */
    enum profile_standing standing;
    uint64_t frame, call, conn; /* where to look: of the first one, of a call the slowest; 0: nowhere */
    int64_t slowest_ns;
};

struct profile {
    struct table entries;
    int64_t begin_ns, end_ns; /* of what it was made of, nanoseconds since 1970 */
    int64_t width_ns;         /* of a slice */
    bool has_begun;
    uint64_t num_messages;
    uint64_t num_unread;  /* of these: messages that could not be read whole, and those that were lost */
    uint64_t num_answers; /* of num_unread: answers, and ends, of what began before the capture */
    uint64_t num_unnamed; /* messages of which a node is not known */
    uint64_t num_left_out; /* things for which there was no room */
    bool no_memory;
};

/* profile_init makes it empty; it has max entries at most. profile_free frees what it owns. */
void profile_init(struct profile *profile, uint64_t max);
void profile_free(struct profile *profile);

/* profile_at tells the time of what happens next, and returns its slice. */
unsigned profile_at(struct profile *profile, int64_t ts_ns);

/* profile_entry_get finds an entry, or makes one. The key is copied, as far as PROFILE_KEY_MAX.
 * NULL where there is no room: then it is counted as left out. */
struct profile_entry *profile_entry_get(struct profile *profile, enum profile_kind kind,
                                        struct ds_text key);
struct profile_entry *profile_find(const struct profile *profile, enum profile_kind kind,
                                   struct ds_text key);

/* profile_count counts one thing of bytes bytes in a slice, and returns the part that it belongs
 * to. */
struct profile_part *profile_count(struct profile_entry *entry, unsigned slice, uint64_t bytes);

/* profile_window_add adds a call that took value nanoseconds, or a message of value bytes, to the window of
 * its entry. It returns true when that ends a window that is not the first one: *least is the lesser of
 * what the latest two came to. Where memory runs out, the profile notes it. */
bool profile_window_add(struct profile *profile, struct profile_entry *entry, int64_t ts_ns,
                        uint64_t value, uint64_t *least);

/* profile_sum adds up the parts, without their spans. */
struct profile_part profile_sum(const struct profile_entry *entry);

/* profile_num_slices returns how many slices the capture has, 0: none. profile_seconds is how long
 * it took. */
unsigned profile_num_slices(const struct profile *profile);
double profile_seconds(const struct profile *profile);

const char *profile_kind_name(enum profile_kind kind);
const char *profile_kind_words(enum profile_kind kind);

#endif
