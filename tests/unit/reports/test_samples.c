/*
 * test_samples.c - which three of many similar messages are kept, and that many of them cost
 * little.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "failing_alloc.h"
#include "reports/samples.h"

#include <string.h>

static const struct ds_text nothing = {NULL, 0};

/* take offers the count-th message, of that size, with the number says; its packet is the count. */
static bool take(struct samples *samples, uint64_t count, uint64_t size, uint8_t says)
{
    const uint8_t bytes[] = {97, says}; /* SMALL_INTEGER_EXT */
    const struct ds_term body = {.data = bytes, .len = sizeof bytes};
    const struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = count, .ts_ns = (int64_t)count * 1000,
                                   .message.size = size};
    struct ds_buffer scratch = {0};
    const bool ok = samples_add(samples, count, &event, nothing, nothing, &body, &scratch);
    ds_buffer_free(&scratch);
    return ok;
}

/* told compares the samples with a text. */
static void told(const struct samples *samples, const char *want)
{
    struct ds_buffer out = {0};
    struct json_writer json = {.out = &out};
    json_begin_object(&json);
    samples_write(samples, &json);
    json_end_object(&json);
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, want);
    json_writer_free(&json);
    ds_buffer_free(&out);
}

#define SAMPLE(packet, bytes, at, text)                                                            \
    "{\"packet\":" #packet ",\"bytes\":" #bytes ",\"at\":" #at ",\"text\":\"" #text "\"}"

static void keeps_three(void **state)
{
    struct samples samples = {0};
    (void)state;
    told(&samples, "{\"samples\":[]}");
    assert_true(take(&samples, 1, 80, 1));
    told(&samples, "{\"samples\":[" SAMPLE(1, 80, 1, 1) "]}");
    assert_true(take(&samples, 2, 80, 2));
    assert_true(take(&samples, 3, 90, 3)); /* no more than an eighth larger */
    told(&samples, "{\"samples\":[" SAMPLE(1, 80, 1, 1) "," SAMPLE(2, 80, 2, 2) "]}");
    assert_true(take(&samples, 5, 91, 5)); /* more */
    told(&samples, "{\"samples\":[" SAMPLE(1, 80, 1, 1) "," SAMPLE(2, 80, 2, 2) ","
                   SAMPLE(5, 91, 5, 5) "]}");
    assert_true(take(&samples, 8, 91, 8)); /* a later one, now behind the large one */
    assert_true(take(&samples, 9, 91, 9)); /* neither */
    told(&samples, "{\"samples\":[" SAMPLE(1, 80, 1, 1) "," SAMPLE(5, 91, 5, 5) ","
                   SAMPLE(8, 91, 8, 8) "]}");
    samples_free(&samples);
    told(&samples, "{\"samples\":[]}");
    samples_free(&samples); /* a second time */
}

/* Of a million messages, each larger by a byte than the last, few are copied. */
static void takes_few_of_many(void **state)
{
    struct samples samples = {0};
    (void)state;
    failing_alloc_at(0);
    for (uint64_t count = 1; count <= 1000000; count++)
        assert_true(take(&samples, count, 100 + count, (uint8_t)count));
    assert_true(failing_alloc_count() < 1000);
    assert_int_equal(samples.sample[0].frame, 1);
    assert_true(samples.sample[1].size * 9 / 8 >= 1000100);
    assert_int_equal(samples.sample[2].frame, 524288);
    samples_free(&samples);
}

static void survives_without_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 10; n++) {
        struct samples samples = {0};
        assert_true(take(&samples, 1, 10, 1));
        failing_alloc_from(n);
        const bool ok = take(&samples, 2, 100, 2);
        const bool failed = failing_alloc_failed();
        failing_alloc_at(0);
        assert_true(ok || failed);
        assert_true(samples.sample[0].text != NULL && (samples.sample[1].text != NULL) == ok);
        samples_free(&samples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_three),
        cmocka_unit_test(takes_few_of_many),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
