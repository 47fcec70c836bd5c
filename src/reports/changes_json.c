/*
 * changes_json.c - see changes_json.h.
 */
#include "reports/changes_json.h"

#include <stdlib.h>

static void put_value(struct json_writer *json, struct json_key key, const struct difference *d,
                      double value, const struct profile_entry *entry)
{
    if (d->measure == MEASURE_RELEASE)
        json_put_string(json, key, entry != NULL ? entry->value : "");
    else
        json_put_real(json, key, value);
}

static void put_fields(const struct difference *d, struct json_writer *json)
{
    const struct profile_entry *at = d->after != NULL ? d->after : d->before;
    json_put_string(json, JSON_KEY("change"), change_name(d->change));
    json_put_string(json, JSON_KEY("measure"), measure_name(d->measure));
    json_put_string(json, JSON_KEY("kind"), profile_kind_name(d->kind));
    json_put_text(json, JSON_KEY("key"), d->key);
    put_value(json, JSON_KEY("before"), d, d->before_value, d->before);
    put_value(json, JSON_KEY("after"), d, d->after_value, d->after);
    json_put_unsigned(json, JSON_KEY("before_count"),
                      d->before != NULL ? profile_sum(d->before).count : 0);
    json_put_unsigned(json, JSON_KEY("after_count"), d->after != NULL ? profile_sum(d->after).count : 0);
    json_put_bool(json, JSON_KEY("worse"), d->is_worse);
    if (at != NULL && at->frame != 0)
        json_put_unsigned(json, JSON_KEY("packet"), at->frame);
    if (at != NULL && at->conn != 0)
        json_put_unsigned(json, JSON_KEY("conn"), at->conn);
    if (at != NULL && at->call != 0)
        json_put_unsigned(json, JSON_KEY("call"), at->call);
}

static void put_side(struct json_writer *json, struct json_key key, const struct profile *profile)
{
    json_put_open(json, key);
    json_put_real(json, JSON_KEY("seconds"), profile_seconds(profile));
    json_put_unsigned(json, JSON_KEY("messages"), profile->num_messages);
    json_put_unsigned(json, JSON_KEY("unread"), profile->num_unread);
    json_put_unsigned(json, JSON_KEY("unnamed"), profile->num_unnamed);
    json_put_close(json);
}

/* put_sums writes what was compared and what could not be. */
static void put_sums(const struct compare *c, const struct differences *all, struct json_writer *json)
{
    put_side(json, JSON_KEY("before"), &c->before);
    put_side(json, JSON_KEY("after"), &c->after);
    json_put_unsigned(json, JSON_KEY("differences"), all->num);
    json_put_unsigned(json, JSON_KEY("compared"), all->num_compared);
    json_put_unsigned(json, JSON_KEY("implied"), all->num_implied);
    json_put_unsigned(json, JSON_KEY("not_judged"), all->num_not_judged);
    json_put_unsigned(json, JSON_KEY("too_rare"), all->num_too_thin);
    json_put_bool(json, JSON_KEY("incomplete"), all->is_incomplete);
    json_put_bool(json, JSON_KEY("before_cut"), c->before_was_cut);
    json_put_bool(json, JSON_KEY("worse"), all->is_worse);
    json_put_bool(json, JSON_KEY("no_memory"),
                  all->no_memory || c->before.no_memory || c->after.no_memory);
}

void changes_print_json(const struct compare *c, const struct differences *all, struct ds_buffer *out)
{
    struct json_writer json = {.out = out};
    for (size_t i = 0; i < all->num; i++) {
        json_begin(&json, (struct json_type)JSON_TYPE_INIT("difference"));
        put_fields(&all->rows[i], &json);
        json_end(&json);
    }
    json_begin(&json, (struct json_type)JSON_TYPE_INIT("comparison"));
    put_sums(c, all, &json);
    json_end(&json);
    json_writer_free(&json);
}

/* put_slices writes how often something happened in each slice of a capture, and the length of a
 * slice. */
static void put_slices(struct json_writer *json, struct json_key key, const struct profile *profile,
                       const struct profile_entry *entry)
{
    const unsigned num = profile_num_slices(profile);
    json_put_list(json, key);
    for (unsigned i = 0; entry != NULL && i < num; i++) {
        json_item(json);
        json_value_unsigned(json, entry->slices[i]);
    }
    json_put_list_end(json);
}

static void put_row(const struct compare *c, const struct difference *d, struct json_writer *json)
{
    const bool is_after = d->after != NULL && d->change != CHANGE_VANISHED;
    const struct profile_entry *shown = is_after ? d->after : d->before;
    json_item_open(json);
    put_fields(d, json);
    json_put_string(json, JSON_KEY("words"), measure_words(d->measure));
    json_put_string(json, JSON_KEY("kind_words"), profile_kind_words(d->kind));
    put_slices(json, JSON_KEY("before_slices"), &c->before, d->before);
    put_slices(json, JSON_KEY("after_slices"), &c->after, d->after);
    json_put_list(json, JSON_KEY("why"));
    for (int i = 0; d->measure == MEASURE_FAILED && shown != NULL && i < CALL_OUTCOME_COUNT; i++) {
        if (!call_outcome_is_failure(i) || shown->outcomes[i] == 0)
            continue;
        json_item_open(json);
        json_put_string(json, JSON_KEY("outcome"), call_outcome_name(i));
        json_put_unsigned(json, JSON_KEY("calls"), shown->outcomes[i]);
        json_put_close(json);
    }
    json_put_list_end(json);
    json_put_close(json);
}

void changes_write(const struct compare *c, uint64_t max_rows, struct json_writer *json)
{
    struct differences all;
    differ(&c->before, &c->after, c->config->thresholds, &all);
    put_sums(c, &all, json);
    json_put_microseconds(json, JSON_KEY("before_first"), c->before.begin_ns);
    json_put_signed(json, JSON_KEY("before_width"), c->before.width_ns);
    json_put_signed(json, JSON_KEY("after_width"), c->after.width_ns);
    json_put_string(json, JSON_KEY("file"), c->config->file);
    json_put_list(json, JSON_KEY("rows"));
    for (size_t i = 0; i < all.num && i < max_rows; i++)
        put_row(c, &all.rows[i], json);
    json_put_list_end(json);
    differences_free(&all);
}
