/*
 * clocks_table.c - the table of capture points and their clocks.
 */
#include "capture/overlap_scan.h"

#include "core/duration.h"
#include "core/line_fit.h"
#include "core/printable.h"
#include "core/timestamp.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 24, TIME_WIDTH = 16 };

/* print_time writes a column with a time span. */
static void print_time(double ns, const char *sign, int width, struct ds_buffer *out)
{
    const double most = 18e18; /* two times are never further apart */
    struct ds_buffer text = {0};
    ds_buffer_add_text(&text, sign);
    duration_print_fine((uint64_t)(fmin(fabs(ns), most) + 0.5), &text);
    ds_buffer_printf(out, " %*.*s", width, (int)text.len, text.data != NULL ? text.data : "");
    out->failed |= text.failed;
    ds_buffer_free(&text);
}

static void report_clock(const struct overlap_scan *survey, size_t point, struct ds_buffer *out)
{
    const struct overlap_scan_point *p = &survey->points[point];
    double ahead = overlap_scan_get_ahead(survey, point);

    print_time(ahead, ahead < 0 ? "-" : "+", TIME_WIDTH, out);
    if (isinf(p->uncertainty_ns))
        ds_buffer_printf(out, " %16s", "unknown");
    else
        print_time(p->uncertainty_ns, "", TIME_WIDTH, out);
    ds_buffer_printf(out, " %+8.2f ppm %8" PRIu64, overlap_scan_get_drift(survey, point) * 1e6,
                     p->clock.num_late + p->clock.num_early);
    if (p->clock.state == CLOCK_ONE_WAY)
        ds_buffer_add_text(out, "  packets in one direction alone");
}

/* report_pieces writes a line for each period in which a clock was steady. */
static void report_pieces(const struct overlap_scan *survey, size_t point, struct ds_buffer *out)
{
    const struct overlap_scan_point *p = &survey->points[point];
    struct timestamp_cache cache = {0};
    ds_buffer_printf(out, "  not steady: in %zu pieces, of %" PRIu64 " samples",
                     p->clock.num_pieces, p->clock.num_late + p->clock.num_early);
    for (size_t i = 0; i < p->clock.num_pieces; i++) {
        const struct overlap_scan_piece piece = overlap_scan_get_piece(survey, point, i);
        ds_buffer_add_text(out, "\n  from ");
        timestamp_print_local(&cache, piece.from_ns, 6, false, out);
        ds_buffer_add_text(out, "  ");
        print_time(piece.ahead_ns, piece.ahead_ns < 0 ? "-" : "+", TIME_WIDTH, out);
        print_time(piece.uncertainty_ns, "", TIME_WIDTH, out);
        ds_buffer_printf(out, " %+8.2f ppm", piece.drift * 1e6);
    }
}

static void print_name(const char *name, struct ds_buffer *out)
{
    const size_t from = out->len;
    printable_text((struct ds_text){name, strlen(name)}, out); /* the name is chosen by whoever
                                                                  publishes the stream */
    const unsigned wide =
        out->failed ? 0 : line_columns((struct ds_text){out->data + from, out->len - from});
    ds_buffer_printf(out, "%*s", wide < NAME_WIDTH ? (int)(NAME_WIDTH - wide) : 0, "");
}

/* most_ahead returns how far, at most, a clock was ahead of or behind the reference. */
static double most_ahead(const struct overlap_scan *survey, size_t point)
{
    double most = fabs(overlap_scan_get_ahead(survey, point));
    for (size_t i = 0; i < survey->points[point].clock.num_pieces; i++)
        most = fmax(most, fabs(overlap_scan_get_piece(survey, point, i).ahead_ns));
    return most;
}

/* report_sum writes the beginning of the table. */
static void report_sum(const struct overlap_scan *survey, struct ds_buffer *out)
{
    size_t num_compared = 0;
    double most = 0;
    for (size_t i = 0; i < survey->num_points; i++) {
        if (!survey->points[i].looked_at || survey->points[i].parent == i)
            continue;
        num_compared++;
        most = fmax(most, most_ahead(survey, i));
    }
    ds_buffer_printf(out, "%s, ", ds_counted(survey->num_points, "capture points").text);
    if (num_compared == 0) {
        ds_buffer_add_text(out, "no two of which share packets: no clocks to compare\n");
        return;
    }
    ds_buffer_printf(out, "%s compared with another: at most",
                     ds_counted(num_compared, "clocks").text);
    print_time(most, "", 0, out);
    ds_buffer_add_text(out, " apart\n");
}

void overlap_scan_report(const struct overlap_scan *survey, const char *const *names,
                         struct ds_buffer *out)
{
    report_sum(survey, out);
    ds_buffer_printf(out, "%-*s %16s %16s %12s %8s\n", NAME_WIDTH, "capture point", "clock ahead by",
                     "uncertainty", "drift", "samples");
    for (size_t i = 0; i < survey->num_points; i++) {
        const struct overlap_scan_point *p = &survey->points[i];
        print_name(names[i], out);
        if (!p->looked_at)
            ds_buffer_add_text(out, "  no packets looked at");
        else if (p->parent != i && p->clock.num_pieces > 1)
            report_pieces(survey, i, out);
        else if (p->parent != i)
            report_clock(survey, i, out);
        else
            ds_buffer_add_text(out, p->group_size > 1 ? "  reference"
                                                      : "  shares no packets with another");
        ds_buffer_add_text(out, "\n");
    }
}
