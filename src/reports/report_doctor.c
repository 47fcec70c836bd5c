/*
 * report_doctor.c - what is wrong: each finding with its evidence and what to do, errors first; then
 * what was looked at and is in order, and what could not be looked at.
 */
#include "report.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_KEPT = 2048 };

struct doctor {
    struct report_text *text;
    struct finding **found; /* in the order in which they were found first */
    size_t num, cap;
    uint64_t no_memory;
};

static void *open_report(struct report_text *text, const struct report_config *config)
{
    struct doctor *doctor = calloc(1, sizeof *doctor);
    (void)config;
    if (doctor != NULL)
        doctor->text = text;
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

static void take_record(void *state, const struct record *record)
{
    struct doctor *doctor = state;
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

static void add_finding(const struct doctor *doctor, const struct finding *f, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s %s %s: ", severity_name(f->severity), f->kind->code, f->kind->title);
    wording_print(&f->sentence, out);
    ds_buffer_add_text(out, " (");
    if (f->count > 1)
        ds_buffer_printf(out, "%" PRIu64 " times, ", f->count);
    report_print_time(doctor->text, f->first_ns, out);
    if (f->count > 1) {
        ds_buffer_add_text(out, out->data[out->len - 1] == ' ' ? "to " : " to ");
        report_print_time(doctor->text, f->last_ns, out);
    }
    if (out->len != 0 && out->data[out->len - 1] == ' ')
        out->len--;
    ds_buffer_add_text(out, ")\n");
    if (f->detail.len != 0) {
        ds_buffer_add_text(out, "  ");
        wording_print(&f->detail, out);
        ds_buffer_add_text(out, "\n");
    }
    add_evidence(f, out);
    ds_buffer_printf(out, "  do: %s\n", f->kind->advice);
    ds_buffer_printf(out, "  certainty: %s", certainty_name(f->certainty));
    if (f->certainty != CERTAINTY_SURE && f->proof != NULL)
        ds_buffer_printf(out, "; what would prove it: %s", f->proof);
    ds_buffer_add_text(out, "\n\n");
}

static void add_list(const struct doctor *doctor, enum severity severity, const char *title,
                     struct ds_buffer *out)
{
    bool has_title = false;
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->severity != severity)
            continue;
        if (!has_title)
            ds_buffer_add_text(out, title);
        has_title = true;
        ds_buffer_add_text(out, "  ");
        wording_print(&doctor->found[i]->sentence, out);
        ds_buffer_add_text(out, "\n");
    }
}

static const struct finding *first_of(const struct doctor *doctor, enum severity severity,
                                      uint64_t *num)
{
    const struct finding *first = NULL;
    *num = 0;
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->severity != severity)
            continue;
        first = first != NULL ? first : doctor->found[i];
        ++*num;
    }
    return first;
}

/* find_limit returns a line that limits the verdict in that way, or NULL. */
static const struct finding *find_limit(const struct doctor *doctor, enum verdict_limit limits)
{
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->limits == limits)
            return doctor->found[i];
    }
    return NULL;
}

/* print_share: of messages, rounded down, so that less than all is never 100 %. */
static void print_share(const struct finding *unread, struct ds_buffer *out)
{
    if (unread->num_messages == 0)
        return;
    ds_buffer_printf(out, "%.0f %% of the messages",
                     floor((double)unread->num_read * 100 / (double)unread->num_messages));
}

/* print_nothing_wrong says no more than what the capture allows to say. */
static void print_nothing_wrong(const struct doctor *doctor, struct ds_buffer *out)
{
    const struct finding *unread = find_limit(doctor, LIMITS_READ);
    if (unread != NULL) {
        ds_buffer_add_text(out, "no problems found in what could be read (");
        print_share(unread, out);
        ds_buffer_add_text(out, ")");
    } else if (find_limit(doctor, LIMITS_SEEN) != NULL) {
        ds_buffer_add_text(out, "no problems found in what could be seen");
    } else {
        ds_buffer_add_text(out, "nothing wrong was found");
    }
}

/* print_read ends the line where something is wrong: there may be more in what could not be read. */
static void print_read(const struct doctor *doctor, struct ds_buffer *out)
{
    const struct finding *unread = find_limit(doctor, LIMITS_READ);
    if (unread != NULL) {
        ds_buffer_add_text(out, "; in what could be read (");
        print_share(unread, out);
        ds_buffer_add_text(out, ")");
    }
    ds_buffer_add_text(out, "\n\n");
}

/* print_sum begins the report: how many findings there are, and what the first one is. */
static void print_sum(const struct doctor *doctor, struct ds_buffer *out)
{
    uint64_t num[SEVERITY_COUNTED + 1], wrong;
    const struct finding *error = first_of(doctor, SEVERITY_ERROR, &num[SEVERITY_ERROR]);
    const struct finding *warning = first_of(doctor, SEVERITY_WARNING, &num[SEVERITY_WARNING]);
    const struct finding *first = error != NULL ? error : warning;
    first_of(doctor, SEVERITY_NOTE, &num[SEVERITY_NOTE]);
    first_of(doctor, SEVERITY_FINE, &num[SEVERITY_FINE]);
    first_of(doctor, SEVERITY_COUNTED, &num[SEVERITY_COUNTED]);
    wrong = num[SEVERITY_ERROR] + num[SEVERITY_WARNING];
    if (wrong == 0 && num[SEVERITY_NOTE] + num[SEVERITY_FINE] + num[SEVERITY_COUNTED] == 0) {
        ds_buffer_add_text(out, "nothing could be checked\n\n");
        return;
    }
    if (wrong == 1 && num[SEVERITY_NOTE] == 0) {
        ds_buffer_printf(out, "1 %s: %s, %s", severity_name(first->severity), first->kind->code,
                         first->kind->title);
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
    if (first != NULL)
        ds_buffer_printf(out, "; the first is %s, %s", first->kind->code, first->kind->title);
    if (wrong != 0)
        print_read(doctor, out);
    else
        ds_buffer_add_text(out, "\n\n");
}

/* print_how says how evidence is seen. */
static void print_how(const struct doctor *doctor, struct ds_buffer *out)
{
    for (size_t i = 0; i < doctor->num; i++) {
        if (doctor->found[i]->num_evidence == 0)
            continue;
        ds_buffer_add_text(out, "-Y 'conn == CONN' shows the connection of a finding, -Y 'frame == "
                                "PACKET' what a packet brought, --explain CODE all about its kind\n\n");
        return;
    }
}

static void show_report(void *state)
{
    const struct doctor *doctor = state;
    struct ds_buffer *out = &doctor->text->buffer;
    print_sum(doctor, out);
    for (int severity = SEVERITY_ERROR; severity <= SEVERITY_NOTE; severity++) {
        for (size_t i = 0; i < doctor->num; i++) {
            if (doctor->found[i]->severity == (enum severity)severity)
                add_finding(doctor, doctor->found[i], out);
        }
    }
    if (doctor->no_memory != 0)
        ds_buffer_printf(out, "findings left out for lack of room: %" PRIu64 "\n", doctor->no_memory);
    print_how(doctor, out);
    add_list(doctor, SEVERITY_FINE, "checked and fine:\n", out);
    add_list(doctor, SEVERITY_COUNTED, "calls, by how they ended:\n", out);
    add_list(doctor, SEVERITY_UNCHECKED, "could not be checked:\n", out);
}

static void tell_wording(const struct wording *wording, struct json_key key,
                         struct json_writer *json)
{
    struct ds_buffer text = {0};
    wording_print(wording, &text);
    json->failed |= text.failed;
    json_put_text(json, key, (struct ds_text){text.len != 0 ? text.data : "", text.len});
    ds_buffer_free(&text);
}

static void tell_evidence(const struct finding *f, struct json_writer *json)
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

static void tell_finding(const struct finding *f, struct json_writer *json)
{
    json_item_open(json);
    json_put_string(json, JSON_KEY("severity"), severity_name(f->severity));
    tell_wording(&f->sentence, JSON_KEY("sentence"), json);
    if (f->kind != NULL) {
        json_put_string(json, JSON_KEY("code"), f->kind->code);
        json_put_string(json, JSON_KEY("title"), f->kind->title);
        json_put_string(json, JSON_KEY("advice"), f->kind->advice);
        if (f->kind->page != NULL)
            json_put_string(json, JSON_KEY("page"), f->kind->page);
        json_put_string(json, JSON_KEY("certainty"), certainty_name(f->certainty));
        if (f->certainty != CERTAINTY_SURE && f->proof != NULL)
            json_put_string(json, JSON_KEY("proof"), f->proof);
        tell_wording(&f->detail, JSON_KEY("detail"), json);
        json_put_unsigned(json, JSON_KEY("count"), f->count);
        json_put_microseconds(json, JSON_KEY("first"), f->first_ns);
        json_put_microseconds(json, JSON_KEY("last"), f->last_ns);
        tell_evidence(f, json);
    }
    json_put_close(json);
}

static void tell_report(void *state, struct json_writer *json)
{
    const struct doctor *doctor = state;
    struct ds_buffer verdict = {0};
    print_sum(doctor, &verdict);
    while (verdict.len != 0 && verdict.data[verdict.len - 1] == '\n')
        verdict.len--;
    json->failed |= verdict.failed;
    json_put_text(json, JSON_KEY("verdict"),
                  (struct ds_text){verdict.len != 0 ? verdict.data : "", verdict.len});
    ds_buffer_free(&verdict);
    json_put_list(json, JSON_KEY("found"));
    for (int severity = SEVERITY_ERROR; severity <= SEVERITY_COUNTED; severity++) {
        for (size_t i = 0; i < doctor->num; i++) {
            if (doctor->found[i]->severity == (enum severity)severity)
                tell_finding(doctor->found[i], json);
        }
    }
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
    .record = take_record,
    .takes = REPORT_TAKES_FINDINGS,
    .show = show_report,
    .tell = tell_report,
    .end = end_report,
    .takes_facts = true,
    .takes_names = true,
};
