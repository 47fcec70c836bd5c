/*
 * histogram.c - counts time spans (distsniff/tcp_stats.h). The bucket of a span is the position of
 * its highest bit, in microseconds, and the next two bits.
 */
#include <distsniff/tcp_stats.h>

static unsigned bucket_of(uint64_t us)
{
    if (us < 4)
        return (unsigned)us;
    const unsigned high = 63u - (unsigned)__builtin_clzll(us);
    const unsigned at = high * 4 - 4 + (unsigned)(us >> (high - 2) & 3);
    return at < DS_HISTOGRAM_BUCKETS ? at : DS_HISTOGRAM_BUCKETS - 1;
}

/* middle_of returns the middle of a bucket's range. */
static int64_t middle_of(unsigned at)
{
    if (at < 4)
        return at * INT64_C(1000) + 500;
    const unsigned high = at / 4 + 1;
    const uint64_t low = (UINT64_C(4) + at % 4) << (high - 2);
    return (int64_t)((low * 2 + (UINT64_C(1) << (high - 2))) * 500);
}

void ds_histogram_add(struct ds_histogram *histogram, int64_t ns)
{
    if (ns < 0)
        return;
    if (histogram->num == 0 || ns < histogram->min_ns)
        histogram->min_ns = ns;
    if (ns > histogram->max_ns)
        histogram->max_ns = ns;
    histogram->num++;
    uint32_t *bucket = &histogram->bucket[bucket_of((uint64_t)ns / 1000)];
    *bucket += *bucket != UINT32_MAX;
}

int64_t ds_histogram_at(const struct ds_histogram *histogram, unsigned per_mille)
{
    uint64_t total = 0, passed = 0;
    for (unsigned i = 0; i < DS_HISTOGRAM_BUCKETS; i++)
        total += histogram->bucket[i];
    const uint64_t wanted = (total * per_mille + 999) / 1000;
    for (unsigned i = 0; i < DS_HISTOGRAM_BUCKETS && total != 0; i++) {
        passed += histogram->bucket[i];
        if (passed >= wanted && passed != 0) {
            const int64_t ns = middle_of(i);
            return ns < histogram->min_ns   ? histogram->min_ns
                   : ns > histogram->max_ns ? histogram->max_ns
                                         : ns;
        }
    }
    return 0;
}
