/*
 * dedup.c - see dedup.h. The counts are in a hash table of buckets; a full bucket evicts its oldest
 * count.
 */
#include "capture/dedup.h"

#include "capture/packet_id.h"

#include <stdlib.h>

enum { NUM_BUCKETS = 1 << 15, BUCKET_SIZE = 8 };

struct count {
    uint64_t key; /* 0: free */
    uint32_t times;
    uint32_t touched; /* age by the table's own clock, which wraps */
    uint32_t number;
};

struct dedup {
    uint32_t clock;
    struct count counts[NUM_BUCKETS][BUCKET_SIZE];
};

struct dedup *dedup_new(void)
{
    return calloc(1, sizeof(struct dedup));
}

void dedup_free(struct dedup *dedup)
{
    free(dedup);
}

static struct count *find_count(struct dedup *dedup, uint64_t key)
{
    key |= 1;
    struct count *bucket = dedup->counts[key >> 32 & (NUM_BUCKETS - 1)];
    struct count *oldest = bucket;
    for (int i = 0; i < BUCKET_SIZE; i++) {
        if (bucket[i].key == key) {
            bucket[i].touched = dedup->clock;
            return &bucket[i];
        }
        if (oldest->key != 0 && (bucket[i].key == 0 || dedup->clock - bucket[i].touched >
                                                           dedup->clock - oldest->touched))
            oldest = &bucket[i];
    }
    *oldest = (struct count){.key = key, .touched = dedup->clock};
    return oldest;
}

bool dedup_is_copy(struct dedup *dedup, uint64_t packet, size_t point, uint32_t *number)
{
    dedup->clock++;
    struct count *seen = find_count(dedup, hash_mix(packet, point + 1));
    uint32_t times = ++seen->times;
    struct count *shown = find_count(dedup, packet);
    if (times <= shown->times) {
        *number = shown->number;
        return true;
    }
    shown->times = times;
    shown->number = *number;
    return false;
}

bool dedup_was_shown(struct dedup *dedup, uint64_t packet, size_t point)
{
    dedup->clock++;
    const uint32_t times = ++find_count(dedup, hash_mix(packet, point + 1))->times;
    return times <= find_count(dedup, packet)->times;
}
