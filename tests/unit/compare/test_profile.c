/* test_profile.c - slices and parts, and the file format of a profile. */
#include "compare/profile.h"
#include "compare/profile_file.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ds_text text(const char *s)
{
    return (struct ds_text){s, strlen(s)};
}

#define SECOND INT64_C(1000000000)
#define BEGIN (1700000000 * SECOND)

static uint64_t sum_slices(const struct profile_entry *e)
{
    uint64_t sum = 0;
    for (int i = 0; i < PROFILE_SLICES; i++)
        sum += e->slices[i];
    return sum;
}

static void slices_grow(void **state)
{
    struct profile p;
    (void)state;
    profile_init(&p, 10);
    assert_int_equal(profile_num_slices(&p), 0);
    struct profile_entry *e = profile_entry_get(&p, PROFILE_NODE, text("a@h"));
    /* one event in each of the shortest slices, up to one more than there are */
    for (int i = 0; i < PROFILE_SLICES; i++) {
        const unsigned slice = profile_at(&p, BEGIN + i * PROFILE_LEAST_WIDTH_NS);
        assert_int_equal(slice, i);
        profile_count(e, slice, 10);
    }
    assert_int_equal(p.width_ns, PROFILE_LEAST_WIDTH_NS);
    assert_int_equal(profile_num_slices(&p), PROFILE_SLICES);
    const unsigned next = profile_at(&p, BEGIN + PROFILE_SLICES * PROFILE_LEAST_WIDTH_NS);
    assert_int_equal(next, PROFILE_SLICES / 2);
    assert_int_equal(p.width_ns, 2 * PROFILE_LEAST_WIDTH_NS);
    for (int i = 0; i < PROFILE_SLICES; i++)
        assert_int_equal(e->slices[i], i < PROFILE_SLICES / 2 ? 2 : 0);
    for (int i = 0; i < PROFILE_PARTS; i++)
        assert_int_equal(e->parts[i].count, PROFILE_SLICES / PROFILE_PARTS);
    assert_int_equal(profile_sum(e).bytes, 10 * PROFILE_SLICES);
    profile_free(&p);
}

/* Times that jump, and those before the first one, lose nothing and cost little. */
static void any_time(void **state)
{
    static const int64_t times[] = {BEGIN, 0, INT64_MIN, INT64_MAX, BEGIN - 1, -1, INT64_MAX};
    struct profile p;
    (void)state;
    profile_init(&p, 10);
    struct profile_entry *e = profile_entry_get(&p, PROFILE_NODE, text("a@h"));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        const unsigned slice = profile_at(&p, times[i]);
        assert_true(slice < PROFILE_SLICES);
        profile_count(e, slice, 1);
        assert_int_equal(sum_slices(e), i + 1);
    }
    assert_true(profile_num_slices(&p) <= PROFILE_SLICES);
    profile_free(&p);
    profile_init(&p, 10);
    (void)profile_at(&p, INT64_MIN);
    assert_true(profile_at(&p, INT64_MAX) < PROFILE_SLICES);
    profile_free(&p);
}

/* add adds num calls, or messages, of one value at one time; true if one of them ended a window
 * that is not the first one. */
static bool add(struct profile *p, struct profile_entry *e, int64_t ts_ns, int num, uint64_t value, uint64_t *least)
{
    bool is_pair = false;
    for (int i = 0; i < num; i++)
        is_pair |= profile_window_add(p, e, ts_ns, value, least);
    return is_pair;
}

/* A window ends with the first event at least half a second after its beginning, if it has five;
 * the lower of two consecutive windows counts. */
static void windows(void **state)
{
    const int64_t over_ns = BEGIN + (int64_t)PROFILE_WINDOW_NS;
    struct profile p;
    uint64_t least = 0;
    (void)state;
    profile_init(&p, 10);
    struct profile_entry *call = profile_entry_get(&p, PROFILE_CALL, text("a@h > b@h m:f/1"));
    struct profile_entry *message = profile_entry_get(&p, PROFILE_MESSAGE, text("a@h > b@h m"));
    for (int i = 0; i < 5; i++) /* the median is 30 */
        assert_false(add(&p, call, BEGIN + i, 1, (uint64_t)(10 + 10 * i), &least));
    assert_false(add(&p, call, over_ns - 1, 1, 30, &least)); /* it is not over */
    assert_false(add(&p, call, over_ns, 1, 20, &least));     /* it was the first window */
    assert_int_equal(call->windows, 0);
    assert_false(add(&p, call, BEGIN + 10 * SECOND, 3, 20, &least)); /* four in it */
    assert_false(add(&p, call, BEGIN + 11 * SECOND, 1, 20, &least)); /* five: the next event ends it */
    assert_true(add(&p, call, BEGIN + 12 * SECOND, 1, 50, &least));
    assert_int_equal(least, 20); /* of 30 and 20 */
    assert_int_equal(call->most, 20);
    assert_int_equal(call->windows, 1);
    assert_false(add(&p, call, INT64_MIN, 1, 50, &least)); /* times that jump */
    assert_false(add(&p, call, BEGIN, 3, 50, &least));
    assert_true(add(&p, call, INT64_MAX, 1, 50, &least));
    assert_int_equal(least, 20);
    assert_false(add(&p, call, INT64_MIN, 5, 1, &least));
    assert_int_equal(call->most, 20);
    for (int i = 0; i < 3; i++) /* means of 100 to 102 bytes */
        (void)add(&p, message, BEGIN + i * SECOND, 5, (uint64_t)(100 + i), &least);
    assert_int_equal(message->windows, 1);
    assert_int_equal(message->most, 100);
    profile_free(&p);
}

static void no_more_than_the_cap(void **state)
{
    struct profile p;
    (void)state;
    profile_init(&p, 2);
    struct profile_entry *a = profile_entry_get(&p, PROFILE_NODE, text("a"));
    assert_non_null(profile_entry_get(&p, PROFILE_LINK, text("a"))); /* another kind is another thing */
    assert_null(profile_entry_get(&p, PROFILE_NODE, text("b")));
    assert_int_equal(p.num_left_out, 1);
    assert_false(p.no_memory);
    assert_ptr_equal(profile_entry_get(&p, PROFILE_NODE, text("a")), a);
    profile_free(&p);
}

static void long_keys_end_at_a_character(void **state)
{
    char key[PROFILE_KEY_MAX + 3];
    struct profile p;
    (void)state;
    memset(key, 'k', sizeof key);
    memcpy(key + PROFILE_KEY_MAX - 1, "\xc3\xa4", 2);
    profile_init(&p, 2);
    struct profile_entry *e = profile_entry_get(&p, PROFILE_NODE, (struct ds_text){key, sizeof key});
    assert_int_equal(e->key.len, PROFILE_KEY_MAX - 1);
    assert_ptr_equal(profile_find(&p, PROFILE_NODE, (struct ds_text){key, sizeof key}), e);
    profile_free(&p);
}

static void fill(struct profile *p)
{
    profile_init(p, 10);
    for (int i = 0; i < 1000; i++) {
        const unsigned slice = profile_at(p, BEGIN + i * SECOND / 10);
        struct profile_entry *call = profile_entry_get(p, PROFILE_CALL, text("a@h > b@h rpc m:f/1"));
        struct profile_entry *node = profile_entry_get(p, PROFILE_NODE, text("a@h"));
        if (call == NULL || node == NULL)
            continue;
        struct profile_part *part = profile_count(call, slice, 100);
        part->failed += i % 10 == 0;
        call->outcomes[i % 10 == 0 ? CALL_TIMEOUT : CALL_OK]++;
        p->no_memory |= !histogram_add(&part->spans, (uint64_t)i * 1000);
        profile_count(node, slice, 100);
        strcpy(node->value, "OTP 27");
        call->call = 7;
        call->most = 1234567;
        call->windows = 40;
        call->frame = 9;
    }
    p->num_messages = 2000;
    p->num_unread = 3;
    p->num_answers = 2;
}

static void print(const struct profile *p, struct ds_buffer *out)
{
    out->len = 0;
    profile_file_print(p, out);
    assert_false(out->failed);
}

static void what_is_written_is_read(void **state)
{
    struct profile p, read;
    struct ds_buffer out = {0}, again = {0};
    char why[PROFILE_WHY] = "";
    (void)state;
    fill(&p);
    print(&p, &out);
    const struct ds_text document = {out.data, out.len};
    assert_true(profile_file_is_one(document));
    profile_init(&read, 10);
    if (!profile_file_read(document, &read, why))
        fail_msg("%s", why);
    print(&read, &again);
    assert_int_equal(again.len, out.len);
    assert_memory_equal(again.data, out.data, out.len);
    const struct profile_entry *call = profile_find(&read, PROFILE_CALL, text("a@h > b@h rpc m:f/1"));
    assert_int_equal(profile_sum(call).count, 1000);
    assert_int_equal(profile_sum(call).failed, 100);
    assert_int_equal(call->outcomes[CALL_TIMEOUT], 100);
    assert_int_equal(call->most, 1234567);
    assert_int_equal(call->windows, 40);
    assert_int_equal(call->parts[1].spans.total, call->parts[1].count);
    assert_string_equal(profile_find(&read, PROFILE_NODE, text("a@h"))->value, "OTP 27");
    assert_int_equal(profile_num_slices(&read), profile_num_slices(&p));
    assert_int_equal(read.num_answers, 2);
    profile_free(&p);
    profile_free(&read);
    ds_buffer_free(&out);
    ds_buffer_free(&again);
}

static bool reads(const char *data, size_t len, char why[static PROFILE_WHY])
{
    struct profile read;
    char *copy = malloc(len + 1); /* so that the sanitizer notices a read behind the end */
    memcpy(copy, data, len);
    profile_init(&read, 10);
    why[0] = '\0';
    const bool ok = profile_file_read((struct ds_text){copy, len}, &read, why);
    profile_free(&read);
    free(copy);
    if (!ok)
        assert_int_not_equal(strlen(why), 0);
    return ok;
}

static void no_prefix_is_one(void **state)
{
    struct profile p;
    struct ds_buffer out = {0};
    char why[PROFILE_WHY];
    (void)state;
    fill(&p);
    print(&p, &out);
    for (size_t len = 0; len + 1 < out.len; len += len < 300 ? 1 : 37)
        assert_false(reads(out.data, len, why));
    assert_false(reads(out.data, out.len - 2, why)); /* all but "}\n" */
    assert_true(reads(out.data, out.len - 1, why));
    /* one byte differs: the file is read or refused, and nothing worse */
    for (size_t at = 0; at < out.len; at += 7) {
        const char was = out.data[at];
        out.data[at] = (char)(was ^ 0x11);
        (void)reads(out.data, out.len, why);
        out.data[at] = was;
    }
    profile_free(&p);
    ds_buffer_free(&out);
}

#define HEAD "{\"distsniff_baseline\":2,\"begin_us\":1,\"end_us\":2,\"width_ns\":50000000,\"kinds\":["
#define ZEROS "\"slices\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"
#define PARTS "\"parts\":[{},{},{},{}]"

static void what_is_refused(void **state)
{
    static const struct {
        const char *document, *why;
    } cases[] = {
        {"", "not a baseline"},
        {"[]", "not a baseline"},
        {"{\"a\":1}", "not a baseline"},
        {"{\"distsniff_baseline\":1}", "format 1"},
        {"{\"distsniff_baseline\":3}", "format 3"},
        {"{\"distsniff_baseline\":2.5}", "not a baseline"},
        {"{\"distsniff_baseline\":2}", "damaged"},
        {"{\"distsniff_baseline\":2,\"begin_us\":3,\"end_us\":2,\"width_ns\":50000000,\"kinds\":[]}", "damaged"},
        {"{\"distsniff_baseline\":2,\"begin_us\":1,\"end_us\":2,\"width_ns\":50000001,\"kinds\":[]}", "damaged"},
        {"{\"distsniff_baseline\":2,\"begin_us\":1,\"end_us\":2,\"width_ns\":0,\"kinds\":[]}", "damaged"},
        {"{\"distsniff_baseline\":2,\"begin_us\":1,\"end_us\":2,\"width_ns\":1e300,\"kinds\":[]}", "damaged"},
        {"{\"distsniff_baseline\":2,\"begin_us\":1,\"end_us\":9e15,\"width_ns\":50000000,\"kinds\":[]}", NULL},
        {"{\"distsniff_baseline\":2,\"begin_us\":1,\"end_us\":1e17,\"width_ns\":50000000,\"kinds\":[]}", "damaged"},
        {"{\"distsniff_baseline\":2,\"begin_us\":1,\"end_us\":2,\"width_ns\":50000000,\"unread\":2,\"answers\":3,"
         "\"kinds\":[]}", "damaged"},
        {HEAD "]}", NULL},
        {HEAD "1]}", "kind 1"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," ZEROS "," PARTS "}]}", NULL},
        {HEAD "{\"kind\":\"nodes\",\"key\":\"a\"," ZEROS "," PARTS "}]}", "no kind"},
        {HEAD "{\"kind\":\"node\",\"key\":7," ZEROS "," PARTS "}]}", "no key"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\\u001b[2J\"," ZEROS "," PARTS "}]}", "such a key"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\",\"value\":\"\\n\"," ZEROS "," PARTS "}]}", "such a value"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," PARTS "}]}", "numbers"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\",\"slices\":[1]," PARTS "}]}", "numbers"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," ZEROS "}]}", "numbers"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," ZEROS ",\"parts\":[{},{},{}]}]}", "numbers"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," ZEROS ",\"parts\":[{},{},{},{},{}]}]}", "numbers"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," ZEROS ",\"parts\":[{\"count\":-1},{},{},{}]}]}", "numbers"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," ZEROS ",\"parts\":[{\"spans\":[1]},{},{},{}]}]}", "numbers"},
        {HEAD "{\"kind\":\"node\",\"key\":\"a\"," ZEROS "," PARTS "},{\"kind\":\"node\",\"key\":\"a\"," ZEROS
              "," PARTS "}]}", "kind 2 of it: its key is there twice"},
    };
    char why[PROFILE_WHY];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool ok = reads(cases[i].document, strlen(cases[i].document), why);
        if (ok != (cases[i].why == NULL) || (!ok && strstr(why, cases[i].why) == NULL))
            fail_msg("%s: %s", cases[i].document, why);
    }
}

static void more_than_the_cap_is_refused(void **state)
{
    char why[PROFILE_WHY];
    struct ds_buffer out = {0};
    (void)state;
    ds_buffer_add_text(&out, HEAD);
    for (int i = 0; i < 11; i++)
        ds_buffer_printf(&out, "%s{\"kind\":\"node\",\"key\":\"n%d\"," ZEROS "," PARTS "}", i != 0 ? "," : "", i);
    ds_buffer_add_text(&out, "]}");
    assert_false(reads(out.data, out.len, why));
    assert_non_null(strstr(why, "--max-tallies"));
    ds_buffer_free(&out);
}

static void run(void *context)
{
    struct profile p, read;
    struct ds_buffer out = {0};
    char why[PROFILE_WHY] = "";
    (void)context;
    uint64_t least;
    fill(&p);
    struct profile_entry *call = profile_entry_get(&p, PROFILE_CALL, text("a@h > b@h rpc m:f/1"));
    for (int i = 0; call != NULL && i < 12; i++)
        (void)profile_window_add(&p, call, BEGIN + i * SECOND, 1000, &least);
    profile_file_print(&p, &out);
    profile_init(&read, 10);
    if (!out.failed && !p.no_memory && !profile_file_read((struct ds_text){out.data, out.len}, &read, why))
        assert_true(failing_alloc_failed());
    profile_free(&p);
    profile_free(&read);
    ds_buffer_free(&out);
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run, NULL) >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_grow),
        cmocka_unit_test(any_time),
        cmocka_unit_test(windows),
        cmocka_unit_test(no_more_than_the_cap),
        cmocka_unit_test(long_keys_end_at_a_character),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(no_prefix_is_one),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(more_than_the_cap_is_refused),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
