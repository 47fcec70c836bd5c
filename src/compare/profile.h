/*
 * profile.h - a summary of a capture: how frequent, how large, how slow each kind of thing in it is,
 * and how often it fails. Two profiles can be compared (differ.h); a profile can be written to a file
 * and read again (profile_file.h).
 *
 * Time is divided into slices of equal width. If a capture outgrows them, each pair becomes one, so
 * that there are always between half of PROFILE_SLICES and all of them, except for a very short
 * capture. Slices show whether a rate is steady. Parts show how much a value varies within a capture:
 * slice N belongs to part N modulo PROFILE_PARTS, by the slices at the time of the event.
 */
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

/* profile_part is the events in one part of a capture. spans are latencies in nanoseconds, of calls
 * whose duration is known. */
struct profile_part {
    uint64_t count, bytes, failed;
    struct histogram spans;
};

/* profile_window is a period of at least PROFILE_WINDOW_NS with at least PROFILE_WINDOW_LEAST calls or
 * messages in it. Its value is the median duration of these calls, or the mean size of these messages. */
enum { PROFILE_WINDOW_LEAST = 5 };
#define PROFILE_WINDOW_NS UINT64_C(500000000)
struct profile_window {
    int64_t begin_ns;
    uint64_t count, bytes;
    struct histogram spans;
    uint64_t before; /* value of the previous window */
    bool has_before;
};

/* The state of an entry in novelty.h. */
enum profile_standing { STANDING_UNKNOWN, STANDING_NEW, STANDING_DOUBTED, STANDING_USUAL, STANDING_TOLD };

/* profile_entry is one kind of thing. */
struct profile_entry {
    struct table_entry entry;
    enum profile_kind kind;
    struct ds_text key;              /* UTF-8, escaped for a terminal; owned */
    uint64_t slices[PROFILE_SLICES]; /* number of events in each slice */
    struct profile_part parts[PROFILE_PARTS];
    uint64_t outcomes[CALL_OUTCOME_COUNT]; /* only calls */
    uint64_t unread; /* only LINK: messages between the two nodes that were lost or could not be read
                        completely */
    bool is_of_call; /* messages of calls, which are counted as calls */
    bool is_unnamed; /* one of its ends is an address, because its node is unknown; PLACE: several nodes
                        have it */
    char value[PROFILE_VALUE_MAX]; /* NODE: its release, "OTP 27"; PLACE: its node; empty: unknown */
    struct profile_window window; /* only CALL and MESSAGE: the current window */
    uint64_t most;    /* maximum that two consecutive windows both reached, nanoseconds for CALL, bytes
                         for MESSAGE */
    uint64_t windows; /* number of such pairs of windows */
    enum profile_standing standing;
    uint64_t frame, call, conn; /* example: the first one, for calls the slowest; 0: none */
    int64_t slowest_ns;
};

struct profile {
    struct table entries;
    int64_t begin_ns, end_ns; /* of the captured data, nanoseconds since 1970 */
    int64_t width_ns;         /* width of a slice */
    bool has_begun;
    uint64_t num_messages;
    uint64_t num_unread;  /* messages among them that were lost or could not be read completely */
    uint64_t num_answers; /* answers and ends among num_unread that belong to something from before the
                             capture */
    uint64_t num_unnamed; /* messages with an unknown node */
    uint64_t num_left_out; /* things left out because there was no room */
    bool no_memory;
};

/* profile_init makes an empty profile for at most max entries. profile_free releases what it owns. */
void profile_init(struct profile *profile, uint64_t max);
void profile_free(struct profile *profile);

/* profile_at sets the time of the next event, and returns its slice. */
unsigned profile_at(struct profile *profile, int64_t ts_ns);

/* profile_entry_get finds an entry, or makes one. The first PROFILE_KEY_MAX bytes of the key are
 * copied. NULL if there is no room: then it is counted as left out. */
struct profile_entry *profile_entry_get(struct profile *profile, enum profile_kind kind,
                                        struct ds_text key);
struct profile_entry *profile_find(const struct profile *profile, enum profile_kind kind,
                                   struct ds_text key);

/* profile_count counts one thing of `bytes` bytes in a slice, and returns the part to which it belongs. */
struct profile_part *profile_count(struct profile_entry *entry, unsigned slice, uint64_t bytes);

/* profile_window_add adds a call that lasted value nanoseconds, or a message of value bytes, to the
 * window of its entry. It returns true if that ends a window other than the first one: *least is the
 * smaller value of the latest two windows. If memory runs out, profile->no_memory is set. */
bool profile_window_add(struct profile *profile, struct profile_entry *entry, int64_t ts_ns,
                        uint64_t value, uint64_t *least);

/* profile_sum returns the sum of the parts, without their spans. */
struct profile_part profile_sum(const struct profile_entry *entry);

/* profile_num_slices returns the number of slices of the capture, 0: none. profile_seconds returns its
 * duration. */
unsigned profile_num_slices(const struct profile *profile);
double profile_seconds(const struct profile *profile);

const char *profile_kind_name(enum profile_kind kind);
const char *profile_kind_words(enum profile_kind kind);

#endif
