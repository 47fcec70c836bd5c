/*
 * capture_points.c - see capture_points.h; overlap_scan.h finds the points, point_merge.h merges them.
 */
#include "capture/capture_points.h"

#include "capture/point_merge.h"
#include "core/complain.h"
#include "core/signals.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* survey_input passes all packets of one file, from its current position, to the survey. */
static void survey_input(struct capture *capture, size_t i)
{
    struct capture_input *input = &capture->inputs[i];
    while (!stop_wanted && capture_input_read(input) == 1) {
        struct ds_packet packet;
        capture_input_packet(capture, input, &packet);
        overlap_scan_packet(capture->survey, i, &packet);
    }
}

/* report_unsteady_clock reports a clock that was set, or changed its speed. */
static void report_unsteady_clock(const struct capture *capture, size_t i, const char *reference)
{
    const struct overlap_scan_point *point = &capture->survey->points[i];
    double least = INFINITY, most = -INFINITY;
    for (size_t piece = 0; piece < point->clock.num_pieces; piece++) {
        const double ahead = overlap_scan_get_piece(capture->survey, i, piece).ahead_ns;
        least = fmin(least, ahead);
        most = fmax(most, ahead);
    }
    const bool is_behind = most <= 0; /* then the smaller of the two comes first */
    const double from = is_behind ? most : least, to = is_behind ? least : most;
    complain("%s has packets of %s too; its clock is not steady, between %.6f%s and %.6f s %s "
             "(in %zu pieces, within %.6f s): corrected; --report clocks shows each",
             capture->inputs[i].name, reference, fabs(from) / 1e9,
             from < 0 && to > 0 ? " s behind" : "", fabs(to) / 1e9, to < 0 ? "behind" : "ahead",
             point->clock.num_pieces, point->uncertainty_ns / 1e9);
}

/* report_clock reports that a file is another point of the capture, and the offset of its clock. */
static void report_clock(const struct capture *capture, size_t i, bool correct_clocks)
{
    const struct overlap_scan_point *point = &capture->survey->points[i];
    const char *reference = capture->inputs[point->group].name;
    double ahead = overlap_scan_get_ahead(capture->survey, i);
    if (!correct_clocks)
        complain("%s has packets of %s too: each packet is shown once", capture->inputs[i].name,
                 reference);
    else if (point->clock.num_pieces > 1)
        report_unsteady_clock(capture, i, reference);
    else if (isinf(point->uncertainty_ns))
        complain("%s has packets of %s too, but in one direction only: its clock is assumed to "
                 "be %.6f s %s, which includes the delay",
                 capture->inputs[i].name, reference, fabs(ahead) / 1e9,
                 ahead < 0 ? "behind" : "ahead");
    else
        complain("%s has packets of %s too; its clock is %.6f s %s (within %.6f s): corrected",
                 capture->inputs[i].name, reference, fabs(ahead) / 1e9,
                 ahead < 0 ? "behind" : "ahead", point->uncertainty_ns / 1e9);
}

static void report_survey(const struct capture *capture, bool correct_clocks)
{
    const struct overlap_scan *survey = capture->survey;
    for (size_t i = 0; i < survey->num_points; i++) {
        size_t stranger = overlap_scan_stranger(survey, i);
        if (survey->points[i].group != i)
            report_clock(capture, i, correct_clocks);
        else if (stranger != i)
            complain("%s shares no packets with %s: their clocks cannot be aligned, and its "
                     "time stamps are not corrected",
                     capture->inputs[i].name, capture->inputs[stranger].name);
    }
}

bool capture_look_through(struct capture *capture, capture_look_fn wants_more, void *context)
{
    for (size_t i = 0; i < capture->num_inputs && !stop_wanted; i++) {
        struct capture_input *input = &capture->inputs[i];
        uint64_t frame = 0;
        bool wanted = true;
        if (input->fd < 0 || input->pcap == NULL)
            continue;
        while (wanted && !stop_wanted && capture_input_read(input) == 1) {
            struct ds_packet packet;
            capture_input_packet(capture, input, &packet);
            packet.frame = ++frame;
            wanted = wants_more(context, &packet);
        }
        if (!capture_reopen_file(capture, input))
            return false;
    }
    return true;
}

bool capture_survey(struct capture *capture, bool correct_clocks)
{
    if (capture->is_live || capture->num_inputs < 2)
        return true;
    capture->survey = calloc(1, sizeof *capture->survey);
    if (capture->survey == NULL || !overlap_scan_init(capture->survey, capture->num_inputs)) {
        complain("out of memory");
        return false;
    }
    for (size_t i = 0; i < capture->num_inputs && !stop_wanted; i++) {
        capture->survey->points[i].is_listed = capture->inputs[i].is_listed;
        if (capture->inputs[i].fd < 0) {
            complain("%s cannot be read twice: its clock is not compared with the others'",
                     capture->inputs[i].name);
            continue;
        }
        survey_input(capture, i);
        if (!capture_reopen_file(capture, &capture->inputs[i]))
            return false;
    }
    bool good = overlap_scan_end(capture->survey);
    if (good && overlap_scan_has_points(capture->survey)) {
        capture->points = point_merge_new(capture->survey, correct_clocks);
        good = capture->points != NULL;
    }
    if (!good)
        complain("out of memory");
    else
        report_survey(capture, correct_clocks);
    return good;
}

void capture_report_clocks(const struct capture *capture, struct ds_buffer *out)
{
    if (capture->survey == NULL) {
        ds_buffer_add_text(out, "one capture point: no clocks to compare\n");
        return;
    }
    const char **names = calloc(capture->num_inputs, sizeof *names);
    if (names == NULL) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < capture->num_inputs; i++)
        names[i] = capture->inputs[i].name;
    overlap_scan_report(capture->survey, names, out);
    if (capture->points != NULL)
        ds_buffer_printf(out, "%s, and %s of them left out\n",
                         ds_counted(capture->num_packets, "packets").text,
                         point_merge_copies(capture->points) == 1
                             ? "1 copy"
                             : ds_counted(point_merge_copies(capture->points), "copies").text);
    free(names);
}

enum capture_status capture_points_next(struct capture *capture, struct ds_packet *packet)
{
    while (!point_merge_pop(capture->points, packet)) {
        struct capture_input *input = capture_choose_oldest(capture);
        if (input == NULL && capture->ended)
            return CAPTURE_END;
        capture->ended = input == NULL;
        if (input == NULL) {
            point_merge_end(capture->points);
            continue;
        }
        struct ds_packet next;
        capture_input_packet(capture, input, &next);
        point_merge_push(capture->points, (size_t)(input - capture->inputs), &next);
        input->has_next = false;
    }
    packet->frame = ++capture->num_packets;
    capture->num_made += packet->past.kind != DS_SNAPSHOT_NONE;
    return CAPTURE_PACKET;
}
