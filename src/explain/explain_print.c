/*
 * explain_print.c - the explanation as text: the thing, what belongs to it, its neighbours, and the
 * commands that show more. See explain_parts.h.
 */
#include "explain/explain_parts.h"
#include "reports/report_finding.h"

#include <distsniff/counted.h>
#include <inttypes.h>

static void print_lines(const struct explain_lines *lines, const char *title, struct ds_buffer *out)
{
    if (lines->num == 0)
        return;
    ds_buffer_printf(out, "\n%s:\n", title);
    for (size_t i = 0; i < lines->num; i++)
        ds_buffer_printf(out, "  %s\n", lines->line[i].text);
    if (lines->num_more != 0)
        ds_buffer_printf(out, "  and %" PRIu64 " more\n", lines->num_more);
}

static void print_near(const struct explain_near *near, const char *title, struct ds_buffer *out)
{
    if (near->num_before + near->num_after == 0) {
        ds_buffer_printf(out, "\n%s: nothing else\n", title);
        return;
    }
    ds_buffer_printf(out, "\n%s:\n", title);
    for (size_t i = 0; i < near->num_before; i++)
        ds_buffer_printf(out, "  before  %s\n", near->before[i].text);
    for (size_t i = 0; i < near->num_after; i++)
        ds_buffer_printf(out, "  after   %s\n", near->after[i].text);
}

/* next_title begins the list of commands that show more. */
static void next_title(const struct explain *e, struct ds_buffer *out)
{
    if (e->text.command != NULL)
        ds_buffer_add_text(out, "\nnext:\n");
}

static void next_explain(const struct explain *e, const char *what, enum explain_kind kind, uint64_t number,
                         struct ds_buffer *out)
{
    if (number != 0)
        report_print_command(&e->text, out, what, "--explain %s:%" PRIu64, explain_kind_word(kind),
                             number);
}

static void next_filter(const struct explain *e, const char *what, const char *field, uint64_t number,
                        struct ds_buffer *out)
{
    if (number != 0)
        report_print_command(&e->text, out, what, "-Y '%s == %" PRIu64 "'", field, number);
}

/* next_conn writes the command for the connection, or the first of several. */
static void next_conn(const struct explain *e, struct ds_buffer *out)
{
    if (e->found.num_conns != 0)
        next_explain(e, "the connection", EXPLAIN_CONN, e->found.conns[0], out);
}

static uint64_t first_of(const struct explain_lines *lines)
{
    return lines->num != 0 ? lines->line[0].number : 0;
}

/* nearest returns the number of the nearest neighbour: the one before, or else the one after. */
static uint64_t nearest(const struct explain_near *near)
{
    return near->num_before != 0  ? near->before[near->num_before - 1].number
           : near->num_after != 0 ? near->after[0].number
                                  : 0;
}

static void print_call(const struct explain *e, struct ds_buffer *out)
{
    const struct explain_found *found = &e->found;
    ds_buffer_add(out, e->head.data, e->head.len);
    print_lines(&e->own, "its messages", out);
    if (!e->has_request)
        ds_buffer_add_text(out, "  the request is not among them: it came before the capture, or was not "
                                "decoded\n");
    if (!e->has_reply)
        ds_buffer_printf(out, "  no reply: the call ended as %s\n", call_outcome_name(e->outcome));
    print_lines(&e->parent, "the call it is nested in", out);
    if (e->parent.num == 0 && found->parent != 0)
        ds_buffer_printf(out, "\nnested in call %" PRIu64 ", whose end was not captured\n", found->parent);
    else if (e->parent.num == 0)
        ds_buffer_add_text(out, "\nnested in no call that was captured\n");
    else if (e->parent_note != NULL)
        ds_buffer_printf(out, "  (%s)\n", e->parent_note);
    print_lines(&e->children, "calls nested in it", out);
    if (e->children.num == 0)
        ds_buffer_add_text(out, "calls nested in it: none captured\n");
    print_lines(&e->findings, "findings about it", out);
    print_near(&e->same_caller, "calls of the same caller", out);
    print_near(&e->same_callee, "calls to the same callee", out);
    print_near(&e->same_link, "messages on the same link", out);
    next_title(e, out);
    next_filter(e, "its messages alone", "call", e->target.number, out);
    next_explain(e, "its request, decoded", EXPLAIN_PACKET, found->start_frame, out);
    next_explain(e, "the call it is nested in", EXPLAIN_CALL, first_of(&e->parent), out);
    next_explain(e, "the first call nested in it", EXPLAIN_CALL, first_of(&e->children), out);
    next_explain(e, "the nearest call of the same caller", EXPLAIN_CALL, nearest(&e->same_caller), out);
    next_explain(e, "the nearest call to the same callee", EXPLAIN_CALL, nearest(&e->same_callee), out);
    next_explain(e, "the first finding about it", EXPLAIN_FINDING, first_of(&e->findings), out);
    next_conn(e, out);
}

static void print_finding(const struct explain *e, struct ds_buffer *out)
{
    if (e->finding == NULL)
        return;
    ds_buffer_printf(out, "finding %" PRIu64 ": ", e->target.number);
    report_finding_print(&e->text, e->finding, out);
    print_lines(&e->own, "the packets that show it", out);
    if (e->own.num == 0)
        ds_buffer_add_text(out, "\nno packet that shows it completed a message or event\n");
    ds_buffer_printf(out, "\n%s in general:\n", e->finding->kind->code);
    ds_buffer_printf(out, "%s\n", e->finding->kind->page);
    next_title(e, out);
    if (e->found.num_frames != 0)
        next_explain(e, "the first packet that shows it", EXPLAIN_PACKET, e->found.frames[0], out);
    next_explain(e, "the call that it is about", EXPLAIN_CALL, e->first_call, out);
    next_conn(e, out);
    if (e->found.num_conns != 0)
        next_filter(e, "all that went over the connection", "conn", e->found.conns[0], out);
    report_print_command(&e->text, out, "all findings", "--report doctor");
}

static void print_conn(struct explain *e, struct ds_buffer *out)
{
    struct ds_buffer *links = &e->links_text.buffer;
    ds_buffer_printf(out, "connection %" PRIu64 "\n", e->target.number);
    print_lines(&e->own, "what became of it", out);
    if (e->first_message.text != NULL) {
        report_links.show(e->links);
        ds_buffer_add_text(out, "\nfacts:\n");
        ds_buffer_add(out, links->data, links->len);
        out->failed |= links->failed;
    }
    if (e->first_message.text != NULL)
        ds_buffer_printf(out, "\nmessages:\n  first  %s\n", e->first_message.text);
    else
        ds_buffer_add_text(out, "\nmessages: none\n");
    if (e->last_message.text != NULL)
        ds_buffer_printf(out, "  last   %s\n", e->last_message.text);
    ds_buffer_printf(out, "\n%s began on it, ", ds_counted(e->num_calls, "calls").text);
    ds_buffer_printf(out, "%" PRIu64 " of them failed\n", e->num_failed);
    print_lines(&e->calls, "calls that failed", out);
    print_lines(&e->findings, "findings about it", out);
    if (e->findings.num == 0)
        ds_buffer_add_text(out, "\nno findings about it\n");
    next_title(e, out);
    next_filter(e, "all that went over it", "conn", e->target.number, out);
    next_explain(e, "the first finding about it", EXPLAIN_FINDING, first_of(&e->findings), out);
    next_explain(e, "the first call on it that failed", EXPLAIN_CALL, e->first_failed, out);
    next_explain(e, "the slowest call on it", EXPLAIN_CALL, e->slowest, out);
    next_explain(e, "its first message", EXPLAIN_PACKET, e->first_message.number, out);
    next_explain(e, "its last message", EXPLAIN_PACKET, e->last_message.number, out);
}

/* print_packet writes packets and messages. */
static void print_packet(const struct explain *e, struct ds_buffer *out)
{
    const struct explain_found *found = &e->found;
    const uint64_t frame = first_of(&e->own);
    ds_buffer_printf(out, "%s %" PRIu64 "\n", explain_kind_word(e->target.kind), e->target.number);
    print_lines(&e->own, "decoded", out);
    if (e->own.num == 0 && e->target.kind == EXPLAIN_PACKET) {
        ds_buffer_add_text(out, "it completes no message and no event: ");
        ds_buffer_add_text(out, found->tcp != 0
                                    ? "it acknowledges, opens or closes, or holds a part of what a later "
                                      "packet completes\n"
                                    : "it is of no connection that is followed\n");
    }
    print_lines(&e->calls, "its call", out);
    if (e->calls.num == 0)
        ds_buffer_add_text(out, "\nit belongs to no call that is known\n");
    print_lines(&e->findings, "findings about it", out);
    print_near(&e->same_link, "on the same link", out);
    next_title(e, out);
    next_filter(e, "the packet alone", "packet", frame, out);
    next_explain(e, "its call", EXPLAIN_CALL, first_of(&e->calls), out);
    next_explain(e, "the first finding about it", EXPLAIN_FINDING, first_of(&e->findings), out);
    if (e->target.kind == EXPLAIN_PACKET) {
        next_explain(e, "the nearest one on the same link", EXPLAIN_PACKET, nearest(&e->same_link), out);
    } else {
        next_explain(e, "its packet", EXPLAIN_PACKET, frame, out);
        next_explain(e, "the nearest one on the same link", EXPLAIN_MESSAGE, nearest(&e->same_link), out);
    }
    next_conn(e, out);
    report_print_command(&e->text, out, "what is wrong in this capture", "--report doctor");
}

void explain_print(struct explain *e, struct ds_buffer *out)
{
    if (e->finds)
        return;
    switch (e->target.kind) {
    case EXPLAIN_CALL:
        print_call(e, out);
        break;
    case EXPLAIN_FINDING:
        print_finding(e, out);
        break;
    case EXPLAIN_CONN:
        print_conn(e, out);
        break;
    default:
        print_packet(e, out);
        break;
    }
    out->failed |= e->failed || e->head.failed;
}
