/*
 * summary.c - see summary.h.
 */
#include "app/run/summary.h"

#include <distsniff/counted.h>
#include <inttypes.h>

static void print_count(FILE *out, const char *before, uint64_t count, const char *what)
{
    fprintf(out, "%s%s", before, ds_counted(count, what).text);
}

/* print_counts writes the lines that are always present. */
static void print_counts(const struct summary *summary, FILE *out)
{
    const struct ds_stats *stats = summary->stats;
    print_count(out, "", summary->num_passed, "packets");
    fputs(" captured", out);
    if (summary->num_read != summary->num_passed)
        fprintf(out, " of %" PRIu64 " read", summary->num_read);
    if (summary->is_live)
        fprintf(out, ", %" PRIu64 " dropped by the kernel, %" PRIu64 " by the interface",
                summary->num_dropped, summary->num_missed);
    print_count(out, "\n", stats->connections, "connections");
    print_count(out, ", ", stats->messages, "messages");
    print_count(out, ", ", stats->message_bytes, "bytes");
    print_count(out, ", ", stats->ticks, "ticks");
    print_count(out, "\n", stats->gaps, "gaps");
    if (stats->gaps != 0)
        print_count(out, " of ", stats->gap_bytes, "bytes");
    print_count(out, ", ", stats->faults, "faults");
    print_count(out, ", ", stats->unknown_atoms, "unknown atoms");
    if (stats->likely_atoms != 0)
        print_count(out, ", ", stats->likely_atoms, "likely atoms");
    if (stats->address_atoms != 0)
        print_count(out, ", ", stats->address_atoms, "unknown node names");
    fputc('\n', out);
}

/* print_troubles writes counts that are usually zero, if they are not. */
static void print_troubles(const struct ds_stats *stats, FILE *out)
{
    const struct {
        uint64_t count;
        const char *what, *of_them;
    } troubles[] = {
        {stats->one_way, "connections",
         " captured in one direction only: the other half is missing; capture both directions"},
        {stats->truncated_packets, "packets", " cut by the snap length: capture with -s 0"},
        {stats->malformed_packets, "packets", " with malformed headers"},
        {stats->unknown_link, "packets", " of an unknown link type"},
        {stats->fragments_ignored, "IP fragments",
         " ignored, as Linux does: contained in earlier fragments"},
        {stats->fragments_discarded, "IP packets",
         " discarded, as Linux does: their fragments overlap or disagree about the length"},
        {stats->overlaps_differing, "retransmitted segments",
         " with different bytes than the first copy; the first copy was used"},
        {stats->ignored, "packets",
         " ignored, as a node would do: damaged, spoofed or out of place"},
        {stats->no_memory, "times", " no memory was left: the output is incomplete"},
    };
    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++) {
        if (troubles[i].count != 0) {
            print_count(out, "", troubles[i].count, troubles[i].what);
            fprintf(out, "%s\n", troubles[i].of_them);
        }
    }
}

void summary_print(const struct summary *summary, FILE *out)
{
    const struct ds_stats *stats = summary->stats;
    print_counts(summary, out);
    if (stats->tls_connections != 0) {
        print_count(out, "", stats->tls_connections, "TLS connections");
        fprintf(out, ", %" PRIu64 " decrypted", stats->tls_opened);
        if (stats->tls_unknown != 0)
            fprintf(out, ", %" PRIu64 " not known to be Erlang's", stats->tls_unknown);
        if (stats->tls_opened == 0 && stats->tls_unknown < stats->tls_connections)
            fputs(summary->has_keylog ? ": no secret in --keylog-file fits"
                                      : ": decrypt with --keylog-file", out);
        fputc('\n', out);
    }

    if (summary->chooses)
        fprintf(out, "%" PRIu64 " of %s shown\n", summary->num_shown,
                ds_counted(stats->messages, "messages").text);

    print_troubles(stats, out);
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        if (stats->limits_hit[i] == 0)
            continue;
        print_count(out, "limit reached ", stats->limits_hit[i], "times");
        fprintf(out, ": --max-%s %" PRIu64 ", %s\n", ds_limit_name((enum ds_limit)i),
                summary->config->limits[i], ds_limit_what((enum ds_limit)i));
    }
}

bool summary_is_complete(const struct ds_stats *stats)
{
    uint64_t trouble = stats->gaps | stats->faults | stats->unknown_atoms |
                       stats->likely_atoms | stats->address_atoms | stats->no_memory;
    trouble |= stats->tls_connections - stats->tls_unknown - stats->tls_opened;
    for (int i = 0; i < DS_LIMIT_COUNT; i++)
        trouble |= stats->limits_hit[i];
    return trouble == 0;
}
