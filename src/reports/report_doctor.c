/*
 * report_doctor.c - what is wrong: each finding with its evidence and advice, what is down now
 * first; warnings and notes of hygiene in one line each; then what was checked and is fine, and
 * what could not be checked.
 */
#include "reports/report_finding.h"

#include "output/finding_json.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_KEPT = 2048 };

struct doctor {
    struct report_text *text;
    struct finding **found; /* in order of discovery, or sorted by finding_compare */
    size_t num, cap;
    uint64_t no_memory;
    bool is_part; /* only part of the capture is selected, but the checks cover all of it */
    uint64_t drawn; /* the greatest number of a finding when last drawn: later ones are new */
};

static void *open_report(struct report_text *text, const struct report_config *config)
{
    struct doctor *doctor = calloc(1, sizeof *doctor);
    if (doctor == NULL)
        return NULL;
    doctor->text = text;
    doctor->is_part = config->is_part;
    return doctor;
}

static struct finding *find_kept(const struct doctor *doctor, uint64_t number)
{
    for (size_t i = doctor->num; i > 0; i--) {
        if (doctor->found[i - 1]->number == number)
            return doctor->found[i - 1];
    }
    return NULL;
}

static void on_record(void *state, const struct record *record)
{
    struct doctor *doctor = state;
    if (record->finding->happening != HAPPENING_NONE)
        return;
    struct finding *kept = find_kept(doctor, record->finding->number);
    if (kept != NULL) {
        *kept = *record->finding;
        return;
    }
    if (doctor->num == doctor->cap && doctor->cap < MAX_KEPT) {
        const size_t cap = doctor->cap != 0 ? doctor->cap * 2 : 16;
        struct finding **found = realloc(doctor->found, cap * sizeof *found);
        if (found != NULL) {
            doctor->found = found;
            doctor->cap = cap;
        }
    }
    kept = doctor->num < doctor->cap ? malloc(sizeof *kept) : NULL;
    if (kept == NULL) {
        doctor->no_memory++;
        return;
    }
    *kept = *record->finding;
    doctor->found[doctor->num++] = kept;
}

static void add_evidence(const struct finding *f, struct ds_buffer *out)
{
    for (size_t i = 0; i < f->num_evidence; i++) {
        const struct evidence *e = &f->evidence[i];
        ds_buffer_printf(out, i == 0 ? "  evidence: " : "            ");
        if (e->conn != 0)
            ds_buffer_printf(out, "conn %" PRIu64, e->conn);
        for (unsigned j = 0; j < e->num; j++)
            ds_buffer_printf(out, "%s%s%" PRIu64 " %s",
                             j != 0         ? ", "
                             : e->conn != 0 ? ", "
                                            : "",
                             j == 0 ? (e->num > 1 ? "packets " : "packet ") : "", e->packet[j].frame,
                             e->packet[j].what);
        ds_buffer_add_text(out, "\n");
    }
}

static int compare(const void *a, const void *b)
{
    return finding_compare(*(struct finding *const *)a, *(struct finding *const *)b);
}

/* sort sorts the findings for output. */
static void sort(struct doctor *doctor)
{
    if (doctor->num > 1)
        qsort(doctor->found, doctor->num, sizeof(struct finding *), compare);
}

/* trim removes blanks at the end: times may end with one. */
static void trim(struct ds_buffer *out)
{
    while (out->len != 0 && out->data[out->len - 1] == ' ')
        out->len--;
}

/* add_when adds count and times, in an open parenthesis. */
static void add_when(const struct report_text *text, const struct finding *f, struct ds_buffer *out)
{
    ds_buffer_add_text(out, " (");
    if (f->count > 1)
        ds_buffer_printf(out, "%" PRIu64 " times, ", f->count);
    report_print_time(text, f->first_ns, out);
    trim(out);
    if (f->last_ns != f->first_ns) {
        ds_buffer_add_text(out, " to ");
        report_print_time(text, f->last_ns, out);
        trim(out);
    }
}

/* add_title_and_sentence leaves out the title if the sentence says the same. */
static void add_title_and_sentence(const struct finding *f, struct ds_buffer *out)
{
    const size_t at = out->len, title = strlen(f->kind->title);
    wording_print(&f->sentence, out);
    if (out->failed || (out->len - at == title && memcmp(out->data + at, f->kind->title, title) == 0))
        return;
    out->len = at;
    ds_buffer_printf(out, "%s: ", f->kind->title);
    wording_print(&f->sentence, out);
}

void report_finding_head(const struct finding *f, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s %s ", severity_name(f->severity), f->kind->code);
    add_title_and_sentence(f, out);
}

void report_finding_print(const struct report_text *text, const struct finding *f, struct ds_buffer *out)
{
    report_finding_head(f, out);
    add_when(text, f, out);
    ds_buffer_add_text(out, ")\n");
    if (f->detail.len != 0) {
        ds_buffer_add_text(out, "  ");
        wording_print(&f->detail, out);
        ds_buffer_add_text(out, "\n");
    }
    add_evidence(f, out);
    ds_buffer_printf(out, "  do: %s\n", finding_advice(f));
    ds_buffer_printf(out, "  certainty: %s", certainty_name(f->certainty));
    if (f->certainty != CERTAINTY_SURE && f->proof != NULL)
        ds_buffer_printf(out, "; to confirm: %s", f->proof);
    ds_buffer_add_text(out, "\n");
}

static void add_finding(const struct doctor *doctor, const struct finding *f, struct ds_buffer *out)
{
    report_finding_print(doctor->text, f, out);
    if (doctor->text->command != NULL)
        ds_buffer_printf(out, "  in full: --explain finding:%" PRIu64 "\n", f->number);
    ds_buffer_add_text(out, "\n");
}

/* add_aside adds the warnings and notes of hygiene, one line each. */
static void add_aside(const struct doctor *doctor, struct ds_buffer *out)
{
    bool has_title = false;
    for (size_t i = 0; i < doctor->num; i++) {
        const struct finding *f = doctor->found[i];
        if (!finding_is_aside(f))
            continue;
        if (!has_title)
            ds_buffer_printf(out, "hygiene, one line each (--explain %s shows what to do):\n"
                                  "\n",
                             f->kind->code);
        has_title = true;
        report_finding_head(f, out);
        add_when(doctor->text, f, out);
        if (f->num_evidence != 0 && f->evidence[0].num != 0)
            ds_buffer_printf(out, "; packet %" PRIu64, f->evidence[0].packet[0].frame);
        if (doctor->text->command != NULL)
            ds_buffer_printf(out, "; finding:%" PRIu64, f->number);
        ds_buffer_add_text(out, ")\n");
    }
    if (has_title)
        ds_buffer_add_text(out, "\n");
}

static void add_list(const struct doctor *doctor, enum severity severity, const char *title,
                     struct ds_buffer *out)
{
    bool has_title = false;
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->severity != severity)
            continue;
        if (!has_title)
            ds_buffer_printf(out, "%s%s:\n", title, doctor->is_part ? ", in the whole capture" : "");
        has_title = true;
        ds_buffer_add_text(out, "  ");
        wording_print(&doctor->found[i]->sentence, out);
        ds_buffer_add_text(out, "\n");
    }
}

/* find_limit returns a finding that limits the verdict in that way, or NULL. */
static const struct finding *find_limit(const struct doctor *doctor, enum verdict_limit limits)
{
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->limits == limits)
            return doctor->found[i];
    }
    return NULL;
}

/* print_percent prints num of all, rounded down, so that 100 % means all. From 99 % on it has
 * tenths. */
static void print_percent(uint64_t num, uint64_t all, struct ds_buffer *out)
{
    const double share = (double)num * 100 / (double)all;
    if (share >= 99)
        ds_buffer_printf(out, "%.1f %%", floor(share * 10) / 10);
    else
        ds_buffer_printf(out, "%.0f %%", floor(share));
}

/* print_share prints how many messages were read, and how many of these only with guesses. */
static void print_share(const struct finding *unread, struct ds_buffer *out)
{
    if (unread->num_messages == 0)
        return;
    print_percent(unread->num_read, unread->num_messages, out);
    ds_buffer_add_text(out, " of the messages");
    if (unread->num_guessed * 100 >= unread->num_read && unread->num_guessed != 0) {
        ds_buffer_add_text(out, ", of these ");
        print_percent(unread->num_guessed, unread->num_read, out);
        ds_buffer_add_text(out, " with guessed atoms");
    }
}

/* is_anything_down says whether anything has left and not come back, with which the verdict begins. */
static bool is_anything_down(const struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->severity == SEVERITY_DOWN)
            return true;
    }
    return false;
}

static void print_nothing_checked(const struct doctor *doctor, struct ds_buffer *out)
{
    ds_buffer_add_text(out, "nothing could be checked");
    if (find_limit(doctor, LIMITS_LINKS) != NULL)
        ds_buffer_add_text(out, ": no connection between nodes was recognised");
}

/* print_nothing_wrong claims no more than the capture allows. */
static void print_nothing_wrong(const struct doctor *doctor, struct ds_buffer *out)
{
    const struct finding *unread = find_limit(doctor, LIMITS_READ);
    if (find_limit(doctor, LIMITS_NODES) != NULL) {
        ds_buffer_add_text(out, "the nodes of --node never occurred: nothing can be said of them");
        return;
    }
    ds_buffer_add_text(out, is_anything_down(doctor) ? "no other problems found" : "no problems found");
    if (unread != NULL) {
        ds_buffer_add_text(out, " in what could be read (");
        print_share(unread, out);
        ds_buffer_add_text(out, ")");
    } else if (find_limit(doctor, LIMITS_SEEN) != NULL) {
        ds_buffer_add_text(out, " in what could be seen");
    }
    const struct finding *overdue = find_limit(doctor, LIMITS_ANSWERS);
    if (overdue != NULL)
        ds_buffer_printf(out, "; %s had no answer when the capture ended",
                         ds_counted(overdue->num_calls, "calls").text);
}

/* print_read ends the summary of problems: there may be more in messages that could not be read. */
static void print_read(const struct doctor *doctor, struct ds_buffer *out)
{
    const struct finding *unread = find_limit(doctor, LIMITS_READ);
    if (unread != NULL) {
        ds_buffer_add_text(out, "; based on what could be read (");
        print_share(unread, out);
        ds_buffer_add_text(out, ")");
    }
    ds_buffer_add_text(out, "\n\n");
}

/* print_down begins with what has left and not come back. */
static void print_down(const struct doctor *doctor, struct ds_buffer *out)
{
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->severity != SEVERITY_DOWN)
            continue;
        wording_print(&doctor->found[i]->sentence, out);
        ds_buffer_add_text(out, ". ");
    }
}

/* print_first prints a finding with its subject and time. */
static void print_first(const struct doctor *doctor, const struct finding *f, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s, ", f->kind->code);
    add_title_and_sentence(f, out);
    add_when(doctor->text, f, out);
    ds_buffer_add_text(out, ")");
}

/* first_wrong returns the first error or warning in the order of output. */
static const struct finding *first_wrong(const struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->severity <= SEVERITY_WARNING)
            return doctor->found[i];
    }
    return NULL;
}

/* print_sum begins the report: what is down, the number of findings, and the first one. */
static void print_sum(const struct doctor *doctor, struct ds_buffer *out)
{
    uint64_t num[SEVERITY_DOWN + 1] = {0}, wrong;
    const struct finding *first = first_wrong(doctor);
    for (size_t i = 0; i < doctor->num; i++)
        num[doctor->found[i]->severity]++;
    wrong = num[SEVERITY_ERROR] + num[SEVERITY_WARNING];
    if (wrong == 0 && num[SEVERITY_NOTE] + num[SEVERITY_FINE] + num[SEVERITY_COUNTED] == 0) {
        print_nothing_checked(doctor, out);
        ds_buffer_add_text(out, "\n\n");
        return;
    }
    print_down(doctor, out);
    if (wrong == 1 && num[SEVERITY_NOTE] == 0) {
        ds_buffer_printf(out, "1 %s: ", severity_name(first->severity));
        print_first(doctor, first, out);
        print_read(doctor, out);
        return;
    }
    if (wrong == 0)
        print_nothing_wrong(doctor, out);
    else
        ds_buffer_printf(out, "%s:", ds_counted(wrong + num[SEVERITY_NOTE], "findings").text);
    if (num[SEVERITY_ERROR] != 0)
        ds_buffer_printf(out, " %s", ds_counted(num[SEVERITY_ERROR], "errors").text);
    if (num[SEVERITY_WARNING] != 0)
        ds_buffer_printf(out, "%s %s", num[SEVERITY_ERROR] != 0 ? "," : "",
                         ds_counted(num[SEVERITY_WARNING], "warnings").text);
    if (num[SEVERITY_NOTE] != 0)
        ds_buffer_printf(out, "%s %s", wrong != 0 ? "," : ";",
                         ds_counted(num[SEVERITY_NOTE], "notes").text);
    if (first != NULL && first != doctor->found[0]) {
        ds_buffer_add_text(out, "; the warnings are hygiene, at the end");
    } else if (first != NULL) {
        ds_buffer_add_text(out, "; first: ");
        print_first(doctor, first, out);
    }
    if (wrong != 0)
        print_read(doctor, out);
    else
        ds_buffer_add_text(out, "\n\n");
}

/* print_how ends the findings with the command that shows the first one in full. */
static void print_how(const struct doctor *doctor, struct ds_buffer *out)
{
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->kind == NULL)
            continue;
        report_print_command(doctor->text, out, "the first finding, in full", "--explain finding:%" PRIu64,
                             doctor->found[i]->number);
        if (doctor->text->command != NULL)
            ds_buffer_add_text(out, "\n");
        return;
    }
}

/* show_short writes as much as fits on a screen: one line per finding, with a mark for those that
 * are new since the last time. */
static void show_short(const struct doctor *doctor, struct ds_buffer *out)
{
    print_sum(doctor, out);
    for (size_t i = 0; i < doctor->num; i++) {
        const struct finding *f = doctor->found[i];
        if (f->kind == NULL)
            continue;
        ds_buffer_add_text(out, f->number > doctor->drawn ? "new  " : "     ");
        report_finding_head(f, out);
        add_when(doctor->text, f, out);
        ds_buffer_add_text(out, ")\n");
    }
    ds_buffer_add_text(out, "\nCtrl-C ends with the whole report: evidence, and what to do\n");
}

static void begin_anew(void *state, int64_t now_ns)
{
    struct doctor *doctor = state;
    (void)now_ns;
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->kind != NULL && doctor->found[i]->number > doctor->drawn)
            doctor->drawn = doctor->found[i]->number;
    }
}

/* print_verdict_wrong prints the number of findings, and the title of the first one. */
static void print_verdict_wrong(const struct doctor *doctor, struct ds_buffer *out)
{
    uint64_t errors = 0, warnings = 0;
    const struct finding *first = first_wrong(doctor);
    for (size_t i = 0; i < doctor->num; i++) {
        errors += doctor->found[i]->severity == SEVERITY_ERROR;
        warnings += doctor->found[i]->severity == SEVERITY_WARNING;
    }
    if (errors != 0)
        ds_buffer_add_text(out, ds_counted(errors, "errors").text);
    if (warnings != 0)
        ds_buffer_printf(out, "%s%s", errors != 0 ? ", " : "", ds_counted(warnings, "warnings").text);
    ds_buffer_printf(out, errors + warnings > 1 ? "; first: %s %s" : ": %s %s", first->kind->code,
                     first->kind->title);
}

void report_doctor_verdict(void *state, struct ds_buffer *out)
{
    struct doctor *doctor = state;
    bool has_checked = false, is_down = false;
    sort(doctor);
    for (size_t i = 0; i < doctor->num; i++) {
        const struct finding *f = doctor->found[i];
        has_checked |= f->severity != SEVERITY_UNCHECKED;
        if (f->severity != SEVERITY_DOWN)
            continue;
        ds_buffer_add_text(out, is_down ? "; " : "");
        wording_print(&f->sentence, out);
        is_down = true;
    }
    if (first_wrong(doctor) == NULL && is_down)
        return;
    ds_buffer_add_text(out, is_down ? "; " : "");
    if (first_wrong(doctor) != NULL)
        print_verdict_wrong(doctor, out);
    else if (has_checked)
        print_nothing_wrong(doctor, out);
    else
        print_nothing_checked(doctor, out);
}

static void show_report(void *state)
{
    struct doctor *doctor = state;
    struct ds_buffer *out = &doctor->text->buffer;
    sort(doctor);
    if (doctor->text->shortens && doctor->text->now_ns != 0) {
        show_short(doctor, out);
        return;
    }
    print_sum(doctor, out);
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->kind != NULL && !finding_is_aside(doctor->found[i]))
            add_finding(doctor, doctor->found[i], out);
    }
    add_aside(doctor, out);
    if (doctor->no_memory != 0)
        ds_buffer_printf(out, "out of memory: %s left out\n",
                         ds_counted(doctor->no_memory, "findings").text);
    print_how(doctor, out);
    add_list(doctor, SEVERITY_FINE, "checked and fine", out);
    add_list(doctor, SEVERITY_COUNTED, "calls, by outcome", out);
    add_list(doctor, SEVERITY_UNCHECKED, "could not be checked", out);
}

static void write_wording(const struct wording *wording, struct json_key key, struct json_writer *json)
{
    struct ds_buffer text = {0};
    wording_print(wording, &text);
    json->failed |= text.failed;
    json_put_text(json, key, (struct ds_text){text.len != 0 ? text.data : "", text.len});
    ds_buffer_free(&text);
}

static void write_evidence(const struct finding *f, struct json_writer *json)
{
    json_put_list(json, JSON_KEY("evidence"));
    for (size_t i = 0; i < f->num_evidence; i++) {
        const struct evidence *e = &f->evidence[i];
        json_item_open(json);
        json_put_unsigned(json, JSON_KEY("conn"), e->conn);
        json_put_list(json, JSON_KEY("packets"));
        for (unsigned j = 0; j < e->num; j++) {
            json_item_open(json);
            json_put_unsigned(json, JSON_KEY("packet"), e->packet[j].frame);
            json_put_string(json, JSON_KEY("what"), e->packet[j].what);
            json_put_close(json);
        }
        json_put_list_end(json);
        json_put_close(json);
    }
    json_put_list_end(json);
}

static void write_finding(const struct finding *f, struct json_writer *json)
{
    json_item_open(json);
    json_put_string(json, JSON_KEY("severity"), severity_name(f->severity));
    write_wording(&f->sentence, JSON_KEY("sentence"), json);
    if (f->kind != NULL) {
        json_put_string(json, JSON_KEY("code"), f->kind->code);
        json_put_string(json, JSON_KEY("title"), f->kind->title);
        json_put_string(json, JSON_KEY("rank"), finding_rank_name(f->kind->rank));
        if (f->is_past)
            json_put_unsigned(json, JSON_KEY("past"), 1);
        if (finding_is_aside(f))
            json_put_unsigned(json, JSON_KEY("aside"), 1);
        json_put_string(json, JSON_KEY("advice"), finding_advice(f));
        if (f->kind->page != NULL)
            json_put_string(json, JSON_KEY("page"), f->kind->page);
        json_put_string(json, JSON_KEY("certainty"), certainty_name(f->certainty));
        if (f->certainty != CERTAINTY_SURE && f->proof != NULL)
            json_put_string(json, JSON_KEY("proof"), f->proof);
        write_wording(&f->detail, JSON_KEY("detail"), json);
        finding_params_put(f, JSON_KEY("params"), json);
        json_put_unsigned(json, JSON_KEY("count"), f->count);
        json_put_microseconds(json, JSON_KEY("first"), f->first_ns);
        json_put_microseconds(json, JSON_KEY("last"), f->last_ns);
        write_evidence(f, json);
    }
    json_put_close(json);
}

static void write_report(void *state, struct json_writer *json)
{
    struct doctor *doctor = state;
    struct ds_buffer verdict = {0};
    sort(doctor);
    print_sum(doctor, &verdict);
    while (verdict.len != 0 && verdict.data[verdict.len - 1] == '\n')
        verdict.len--;
    json->failed |= verdict.failed;
    json_put_text(json, JSON_KEY("verdict"),
                  (struct ds_text){verdict.len != 0 ? verdict.data : "", verdict.len});
    ds_buffer_free(&verdict);
    json_put_list(json, JSON_KEY("found"));
    for (size_t i = 0; i < doctor->num; i++)
        write_finding(doctor->found[i], json);
    json_put_list_end(json);
    json_put_unsigned(json, JSON_KEY("left_out"), doctor->no_memory);
}

static void end_report(void *state)
{
    struct doctor *doctor = state;
    for (size_t i = 0; i < doctor->num; i++)
        free(doctor->found[i]);
    free(doctor->found);
    free(doctor);
}

const struct report_kind report_doctor = {
    .open = open_report,
    .record = on_record,
    .takes = REPORT_TAKES_FINDINGS,
    .show = show_report,
    .write_json = write_report,
    .begin_anew = begin_anew,
    .end = end_report,
    .takes_facts = true,
    .takes_names = true,
};
