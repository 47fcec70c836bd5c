/*
 * detect_sum.c - the lines at the end of doctor's output: what was checked and is in order, what
 * could not be checked, and counts. Each line has a fixed number, with which it is reported again
 * when its counts change.
 */
#include "analyse/findings/detect.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* put_line emits a line of the checks. Lines are numbered from UINT64_MAX down. */
static void put_line(struct detect *d, unsigned line, enum severity severity, struct finding *f)
{
    f->number = UINT64_MAX - line;
    f->severity = severity;
    f->is_update = true;
    detect_emit(d, f);
}

static void say(struct detect *d, unsigned line, enum severity severity, const char *format,
                const char *number)
{
    struct finding f = {0};
    wording_add(&f.sentence, number);
    wording_add(&f.sentence, format);
    put_line(d, line, severity, &f);
}

/* say_unseen reports what the capture lacks, for the verdict. */
static void say_unseen(struct detect *d, unsigned line, const char *format, const char *number)
{
    struct finding f = {.limits = LIMITS_SEEN};
    wording_add(&f.sentence, number);
    wording_add(&f.sentence, format);
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

/* say_calls counts calls by outcome. */
static void say_calls(struct detect *d, unsigned line)
{
    static const struct {
        enum call_outcome outcome;
        const char *words;
    } outcomes[] = {{CALL_OK, "ok"},
                    {CALL_ANSWERED_ELSEWHERE, "answered elsewhere"},
                    {CALL_TIMEOUT, "timed out"},
                    {CALL_ABANDONED, "abandoned"},
                    {CALL_ERROR, "failed (error)"},
                    {CALL_NOPROC, "noproc"},
                    {CALL_NOCONNECTION, "noconnection"},
                    {CALL_UNKNOWN, "unknown"},
                    {CALL_UNANSWERED, "unanswered"}};
    const struct checks *c = &d->checks;
    struct finding f = {0};
    const bool is_fine =
        c->ended[CALL_OK] + c->ended[CALL_ANSWERED_ELSEWHERE] == c->calls && c->unarrived == 0;
    if (c->calls == 0)
        return;
    wording_add(&f.sentence, ds_counted(c->calls, "calls").text);
    for (size_t i = 0, num = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        const uint64_t count = c->ended[outcomes[i].outcome];
        if (count != 0)
            wording_printf(&f.sentence, "%s %" PRIu64 " %s", num++ == 0 ? ":" : ",", count,
                           outcomes[i].words);
    }
    if (c->ended[CALL_UNANSWERED] == 0 && d->is_over)
        wording_add(&f.sentence, ", none still open");
    put_line(d, line, is_fine ? SEVERITY_FINE : SEVERITY_COUNTED, &f);
}

/* say_unread reports how many messages could not be read in full. */
static void say_unread(struct detect *d, unsigned line)
{
    const struct checks *c = &d->checks;
    const uint64_t unread = c->undecoded + c->unknown;
    struct finding f = {.limits = LIMITS_READ,
                        .num_read = c->messages - unread,
                        .num_guessed = c->guessed,
                        .num_messages = c->messages + c->sealed};
    if (unread + c->sealed == 0)
        return;
    wording_printf(&f.sentence, "%" PRIu64 " of ", unread + c->sealed);
    wording_add(&f.sentence, ds_counted(f.num_messages, "messages").text);
    wording_add(&f.sentence, ", as they could not be read in full: ");
    const struct {
        uint64_t num;
        const char *words;
    } kinds[] = {{c->unknown, "have unknown atoms"},
                 {c->undecoded, "could not be decoded"},
                 {c->sealed, "are sealed by TLS, one to a record"}};
    for (size_t i = 0, num = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].num != 0)
            wording_printf(&f.sentence, "%s%" PRIu64 " %s", num++ == 0 ? "" : ", ", kinds[i].num,
                           kinds[i].words);
    }
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

/* say_baseline reports what was compared with a baseline. */
static void say_baseline(struct detect *d, unsigned line)
{
    const struct baseline_checks *b = &d->baseline;
    if (b->is_incomplete)
        say(d, line, SEVERITY_UNCHECKED, ": too many kinds of things (--max-tallies)",
            "what the baseline does not have");
    else if (b->num_not_judged != 0)
        say(d, line, SEVERITY_UNCHECKED,
            " of things that may be new: the baseline has messages that could not be read (DS504)",
            ds_counted(b->num_not_judged, "kinds").text);
    else if (b->num_more != 0)
        say(d, line, SEVERITY_UNCHECKED, " more that the baseline does not have: --compare shows all",
            ds_counted(b->num_more, "things").text);
    else if (b->num_told == 0)
        say(d, line, SEVERITY_FINE, " that the baseline does not have (DS504)", "nothing");
}

/* sum_line is reported if num is not 0: "NUM unit text". */
enum sum_kind { IS_FINE, IS_COUNTED, IS_UNCHECKED, IS_UNSEEN /* for the verdict */ };
struct sum_line {
    enum sum_kind kind;
    uint64_t num;
    const char *unit, *text;
};

static void say_counts(struct detect *d, unsigned *line, const struct sum_line *counts, size_t num)
{
    static const enum severity severity[] = {
        [IS_FINE] = SEVERITY_FINE, [IS_COUNTED] = SEVERITY_COUNTED, [IS_UNCHECKED] = SEVERITY_UNCHECKED};
    for (size_t i = 0; i < num; i++) {
        const struct sum_line *c = &counts[i];
        ++*line;
        if (c->num != 0 && c->kind == IS_UNSEEN)
            say_unseen(d, *line, c->text, ds_counted(c->num, c->unit).text);
        else if (c->num != 0)
            say(d, *line, severity[c->kind], c->text, ds_counted(c->num, c->unit).text);
    }
}
#define SAY_COUNTS(d, line, counts) say_counts(d, line, counts, sizeof(counts) / sizeof(counts)[0])

static void say_ticks(struct detect *d, unsigned line)
{
    const struct checks *c = &d->checks;
    struct finding f = {0};
    if (c->links == 0)
        return;
    if (c->ticking == 0) {
        wording_printf(&f.sentence, "%s with too few ticks to check their timing",
                       ds_counted(c->links, "links").text);
        if (c->busy == 0)
            wording_add(&f.sentence, " (capture longer than net_ticktime)");
        else if (c->busy == c->links)
            wording_add(&f.sentence, ": busy links send none");
        else
            wording_printf(&f.sentence, ": %" PRIu64 " busy (such links send none), the others too short",
                           c->busy);
        put_line(d, line, SEVERITY_UNCHECKED, &f);
        return;
    }
    wording_printf(&f.sentence, "ticks seen at regular intervals on %" PRIu64, c->ticking);
    wording_printf(&f.sentence, " of %s", ds_counted(c->links, "links").text);
    put_line(d, line, SEVERITY_FINE, &f);
}

static void say_links(struct detect *d, unsigned *line)
{
    const struct checks *c = &d->checks;
    const struct sum_line counts[] = {
        {IS_FINE, c->handshakes, "handshakes", " complete"},
        {IS_FINE, c->cookies, "digests", " made with the cookie given"},
    };
    SAY_COUNTS(d, line, counts);
    say_ticks(d, ++*line);
    ++*line;
    if (c->links != c->one_way && c->zero_windows == 0)
        say(d, *line, SEVERITY_FINE, " ever closed its TCP window", "no receiver");
    ++*line;
    const uint64_t lacking = c->gaps + c->one_way + c->cut + d->unseen.cut_packets + d->unseen.cut_files;
    if (lacking == 0 && c->links != 0)
        say(d, *line, SEVERITY_FINE, " is complete (no missing packets)", "the capture");
    say_calls(d, ++*line);
    say_unread(d, ++*line);
}

/* say_overdue reports calls that the end of the capture left without an answer. */
static void say_overdue(struct detect *d, unsigned line)
{
    struct finding f = {.limits = LIMITS_ANSWERS, .num_calls = d->checks.overdue};
    if (d->checks.overdue == 0)
        return;
    wording_add(&f.sentence, ds_counted(f.num_calls, "calls").text);
    wording_add(&f.sentence, " without an answer when the capture ended, for longer than other answers "
                             "took: it may come later (--report calls)");
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

/* say_nodes reports that the selected nodes never occurred; in a running capture they still may. */
static void say_nodes(struct detect *d, unsigned line)
{
    struct finding f = {.limits = LIMITS_NODES};
    const struct findings_config *config = &d->config;
    if (!d->is_over || config->have_nodes_occurred == NULL || config->have_nodes_occurred(config->context))
        return;
    wording_add(&f.sentence, "the nodes of --node never occurred");
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

static void say_lacking(struct detect *d, unsigned *line)
{
    const struct checks *c = &d->checks;
    const struct sum_line counts[] = {
        {IS_UNSEEN, c->tls, "TLS connections", ": contents encrypted (give --keylog-file)"},
        {IS_UNSEEN, c->late, "links", " opened before the capture: handshakes and cookies not checked"},
        {IS_UNSEEN, c->one_way, "links",
         " captured in one direction only: replies, losses and silence not checked"},
        {IS_UNSEEN, c->gaps, "gaps", " in the capture: lost messages not checked"},
        {IS_UNSEEN, c->paused, "nodes",
         " silent while nothing was captured: a pause of the capture, or a clock that was set"},
    };
    SAY_COUNTS(d, line, counts);
}

/* say_no_link reports a capture without any connection between nodes, failed ones included: it
 * shows nothing about the cluster. */
static void say_no_link(struct detect *d, unsigned line)
{
    const struct checks *c = &d->checks;
    struct finding f = {.limits = LIMITS_LINKS};
    if (c->links + c->tls + c->handshakes + c->sockets + c->unmeasured + d->found.num != 0)
        return;
    wording_add(&f.sentence, "links: not checked (no connection between nodes was recognised)");
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

static void say_names(struct detect *d, unsigned *line)
{
    const struct checks *c = &d->checks;
    ++*line;
    if (c->epmd_messages == 0)
        say(d, *line, SEVERITY_UNCHECKED, ": not checked (no EPMD packets, port 4369, in the capture)",
            "registrations and names");
    ++*line;
    if (c->handshakes != 0 && !d->config.has_cookie)
        say(d, *line, SEVERITY_UNCHECKED, ": not checked (give --cookie-file)", "cookies");
    ++*line;
    if (c->lookups + c->questions == 0)
        say(d, *line, SEVERITY_UNCHECKED, ": not checked (no DNS packets in the capture)",
            "name resolution");
    else if (c->lookups == 0)
        say(d, *line, SEVERITY_UNCHECKED, " to DNS, without any answer in the capture",
            ds_counted(c->questions, "questions").text);
    else if (c->resolved == c->lookups)
        say(d, *line, SEVERITY_FINE, " of DNS, all with an address",
            ds_counted(c->lookups, "answers").text);
}

static void say_unresolved(struct detect *d, unsigned line)
{
    struct finding f = {0};
    if (d->checks.others_names == 0)
        return;
    wording_printf(&f.sentence, "%s did not resolve, of hosts on which no node was seen: ",
                   ds_counted(d->checks.others_names, "names").text);
    wording_put(&f.sentence, WORD_NODE, detect_unresolved(d));
    wording_add(&f.sentence, " first (DS109)");
    put_line(d, line, SEVERITY_UNCHECKED, &f);
}

static void say_unsure(struct detect *d, unsigned *line)
{
    const struct checks *c = &d->checks;
    const struct sum_line calls[] = {
        {IS_UNCHECKED, c->unarrived, "calls",
         " whose answers passed here and were never acknowledged: they may not have arrived"},
        {IS_UNCHECKED, c->unread_calls, "calls",
         " without an answer, which may be among messages that could not be read (DS305)"},
    };
    SAY_COUNTS(d, line, calls);
    say_overdue(d, ++*line);
    say_unresolved(d, ++*line);
    ++*line;
    if (detect_mesh_cap(d) != 0) {
        char text[16];
        snprintf(text, sizeof text, "%u", detect_mesh_cap(d));
        say(d, *line, SEVERITY_UNCHECKED, " nodes at most are looked at for links that are missing (DS211)",
            text);
    }
}

static void say_limits(struct detect *d, unsigned *line)
{
    const struct checks *c = &d->checks;
    const struct sum_line counts[] = {
        {IS_UNCHECKED, c->unseen_pairs, "pairs",
         " of nodes without a link: not checked (no traffic between their hosts passes here, DS211)"},
        {IS_UNCHECKED, c->unnamed, "links",
         " of nodes whose full names were not captured: missing links not checked (DS211)"},
        {IS_UNSEEN, c->unmeasured, "links",
         " without memory for TCP measurements: losses and silence not checked (--max-memory)"},
        {IS_COUNTED, c->sockets, "connections",
         " beside the distribution (-Y proto), of which losses and silence are not checked"},
        {IS_UNSEEN, d->found.num_forgotten, "findings", " dropped, because there were too many"},
        {IS_UNSEEN, d->unseen.lost_packets, "packets",
         " dropped by the kernel or the interface before they were captured"},
        {IS_UNSEEN, d->unseen.bad_packets, "packets",
         " of an unknown link type, or with malformed headers"},
        {IS_UNSEEN, d->unseen.cut_packets, "packets",
         " cut by the snap length: the part that was cut off was not checked (capture with -s 0)"},
        {IS_UNSEEN, d->unseen.cut_files, "capture files",
         " could not be read to the end: what follows there was not checked"},
        {IS_UNCHECKED, d->unseen.ignored, "packets",
         " ignored, that no node takes: damaged, somebody else's, or out of place (DS505)"},
        {IS_UNSEEN, d->unseen.differing, "segments",
         " retransmitted with other bytes than the first copy, which was taken"},
        {IS_UNSEEN, d->unseen.fragments, "IP packets",
         " discarded, as their fragments overlap or do not agree where they end"},
        {IS_UNSEEN, d->unseen.caps, "times",
         " a limit was reached, and entries were dropped (--max-*)"},
    };
    SAY_COUNTS(d, line, counts);
}

static void say_presence(struct detect *d, unsigned line)
{
    struct finding down = {0}, visitors = {0};
    if (detect_presence_down(d, &down.sentence)) {
        put_line(d, line, SEVERITY_DOWN, &down);
    } else if (detect_presence_restarted(d, &down.sentence)) {
        put_line(d, line, SEVERITY_DOWN, &down);
    } else if (d->was_down) {
        wording_add(&down.sentence, "nodes that had left: all have come back");
        put_line(d, line, SEVERITY_FINE, &down);
    }
    d->was_down |= down.sentence.len != 0;
    if (detect_presence_visitors(d, &visitors.sentence))
        put_line(d, line + 1, SEVERITY_FINE, &visitors);
}

void detect_sum(struct detect *d)
{
    unsigned line = 0;
    say_links(d, &line);
    say_lacking(d, &line);
    say_no_link(d, ++line);
    say_names(d, &line);
    say_unsure(d, &line);
    say_limits(d, &line);
    say_nodes(d, ++line);
    line++;
    if (d->has_baseline)
        say_baseline(d, line);
    say_presence(d, line + 1);
}
