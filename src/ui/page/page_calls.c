/*
 * page_calls.c - see page_calls.h. A call is kept as its text in the page.
 */
#include "ui/page/page_calls.h"

#include "core/label_show.h"

#include "reports/report.h"

enum { WHAT_LEN = 300, CHILDREN_TOLD = 64 };

void page_calls_init(struct page_calls *c, uint64_t max, page_calls_line *make_line)
{
    *c = (struct page_calls){.make_line = make_line};
    /* A failed call may also be one of the slowest. */
    c->failed.max = max / 4;
    c->slowest.max = max - c->failed.max;
}

void page_calls_free(struct page_calls *c)
{
    best_rows_clear(&c->slowest);
    best_rows_clear(&c->failed);
    ds_buffer_free(&c->line);
    ds_buffer_free(&c->scratch);
}

static void put_scratch(struct page_calls *c, struct json_key key, struct json_writer *json)
{
    json->failed |= c->scratch.failed;
    json_put_text(json, key,
                  (struct ds_text){c->scratch.len != 0 ? c->scratch.data : "", c->scratch.len});
    c->scratch.len = 0;
}

static void put_party(struct page_calls *c, struct json_key key, const struct party *party,
                      struct json_writer *json)
{
    party_print(party, &c->scratch);
    put_scratch(c, key, json);
}

void page_calls_json(struct page_calls *c, const struct call *call)
{
    struct json_writer json = {.out = &c->line};
    c->line.len = c->scratch.len = 0;
    json_begin_object(&json);
    json_put_unsigned(&json, JSON_KEY("call"), call->number);
    json_put_unsigned(&json, JSON_KEY("conn"), call->conn);
    label_show(call->label, &c->scratch);
    put_scratch(c, JSON_KEY("label"), &json);
    json_put_string(&json, JSON_KEY("group"), call->group != NULL ? call->group : "");
    json_put_string(&json, JSON_KEY("outcome"), call_outcome_name(call->outcome));
    json_put_bool(&json, JSON_KEY("failed"), call_outcome_is_failure(call->outcome));
    json_put_microseconds(&json, JSON_KEY("start"), call->start_ns);
    json_put_signed(&json, JSON_KEY("span"), call->end_ns - call->start_ns);
    json_put_bool(&json, JSON_KEY("has_end"), call_has_end(call));
    json_put_unsigned(&json, JSON_KEY("packet"), call->start_frame);
    json_put_unsigned(&json, JSON_KEY("end_packet"), call->end_frame);
    put_party(c, JSON_KEY("caller"), &call->caller, &json);
    put_party(c, JSON_KEY("callee"), &call->callee, &json);
    report_print_callee(call, &c->scratch);
    put_scratch(c, JSON_KEY("by_callee"), &json);
    report_print_what(call, WHAT_LEN, &c->scratch);
    put_scratch(c, JSON_KEY("what"), &json);
    if (call->parent != 0)
        json_put_unsigned(&json, JSON_KEY("parent"), call->parent);
    if (call->parent_ambiguous)
        json_put_bool(&json, JSON_KEY("ambiguous"), true);
    if (call->num_children != 0) {
        json_put_unsigned(&json, JSON_KEY("num_children"), call->num_children);
        json_put_list(&json, JSON_KEY("children"));
        for (size_t i = 0; i < call->num_children && i < CHILDREN_TOLD; i++) {
            json_item(&json);
            json_value_unsigned(&json, call->children[i]);
        }
        json_put_list_end(&json);
    }
    json_end_object(&json);
    json_writer_free(&json);
}

void page_calls_add(struct page_calls *c, const struct call *call)
{
    const int64_t span_ns = call->end_ns - call->start_ns;
    const bool is_slow = best_rows_wants(&c->slowest, span_ns, call->number);
    const bool is_failed = call_outcome_is_failure(call->outcome) &&
                           best_rows_wants(&c->failed, span_ns, call->number);
    if (!is_slow && !is_failed)
        return;
    c->make_line(c, call);
    if (is_slow)
        c->no_memory |= !best_rows_add(&c->slowest, span_ns, call->number, &c->line);
    if (is_failed)
        c->no_memory |= !best_rows_add(&c->failed, span_ns, call->number, &c->line);
    if (c->line.failed)
        ds_buffer_free(&c->line);
}

static void write_rows(struct best_rows *rows, struct json_key key, struct json_writer *json)
{
    best_rows_sort(rows);
    json_put_list(json, key);
    for (size_t i = rows->num; i-- > 0;) {
        json_item(json);
        ds_buffer_add_text(json->out, rows->rows[i].line);
    }
    json_put_list_end(json);
}

void page_calls_write(struct page_calls *c, struct json_writer *json)
{
    write_rows(&c->slowest, JSON_KEY("slowest"), json);
    write_rows(&c->failed, JSON_KEY("failed"), json);
    json_put_bool(json, JSON_KEY("no_memory"), c->no_memory);
}
