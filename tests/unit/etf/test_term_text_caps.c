/*
 * test_term_text_caps.c - limits of terms as text: nested too deeply, failing memory, and requests
 * to stop.
 */
#include "term_printing.h"
#include "term_samples.h"

struct layer {
    uint8_t bytes[48];
    size_t len;
    const char *open;
    const uint8_t *end;
    size_t end_len;
    const char *close;
};

static const struct layer layers[] = {
    {{104, 1}, 2, "{", NULL, 0, "}"},
    {{108, 0, 0, 0, 1}, 5, "[", BYTES(106), "]"},
    {{108, 0, 0, 0, 1, 106}, 6, "[[]|", NULL, 0, "]"},
    {{116, 0, 0, 0, 1, 97, 1}, 7, "#{1 => ", NULL, 0, "}"},
    {{116, 0, 0, 0, 1}, 5, "#{", BYTES(97, 2), " => 2}"},
    {{67, 0, 0, 0, 1, 1, 82, 0, 119, 1, 'r', 119, 1, 'f'}, 14, "#alice@host:r{f = ", NULL, 0, "}"},
};
enum { NUM_LAYERS = sizeof layers / sizeof layers[0], DEPTH = 250000 };

/* deep_term nests depth times: terms of one kind, or of all kinds in turn if kind is NUM_LAYERS. */
static struct ds_buffer deep_term(size_t kind, size_t depth)
{
    struct ds_buffer bytes = {0};
    for (size_t i = 0; i < depth; i++) {
        const struct layer *layer = &layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind];
        ds_buffer_add(&bytes, layer->bytes, layer->len);
    }
    ds_buffer_add(&bytes, (const uint8_t[]){104, 0}, 2);
    for (size_t i = depth; i-- > 0;) {
        const struct layer *layer = &layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind];
        ds_buffer_add(&bytes, layer->end, layer->end_len);
    }
    assert_false(bytes.failed);
    return bytes;
}

static struct ds_buffer deep_text(size_t kind, size_t depth)
{
    struct ds_buffer text = {0};
    for (size_t i = 0; i < depth; i++)
        ds_buffer_add_text(&text, layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind].open);
    ds_buffer_add_text(&text, "{}");
    for (size_t i = depth; i-- > 0;)
        ds_buffer_add_text(&text, layers[kind == NUM_LAYERS ? i % NUM_LAYERS : kind].close);
    assert_false(text.failed);
    return text;
}

static void test_deep(void **state)
{
    (void)state;
    for (size_t kind = 0; kind <= NUM_LAYERS; kind++) {
        struct ds_buffer bytes = deep_term(kind, DEPTH);
        struct ds_buffer expected = deep_text(kind, DEPTH);
        struct ds_buffer text = {0};
        struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
        assert_true(ds_term_print(&term, NULL, &text));
        assert_int_equal(text.len, expected.len);
        assert_memory_equal(text.data, expected.data, text.len);
        ds_buffer_free(&bytes);
        ds_buffer_free(&expected);
        ds_buffer_free(&text);
    }
}

/* Beyond half a million the rest is counted, not shown. */
static void test_too_deep(void **state)
{
    (void)state;
    enum { MAX = 500000, TOO_DEEP = MAX + 10 };
    struct ds_buffer bytes = deep_term(0, TOO_DEEP);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    struct ds_buffer text = {0};
    const char *middle = "{{... 1 more}}";
    assert_true(ds_term_print(&term, NULL, &text));
    assert_int_equal(text.len, 2 * (MAX - 1) + strlen(middle));
    assert_memory_equal(text.data + MAX - 1, middle, strlen(middle));
    ds_buffer_free(&bytes);
    ds_buffer_free(&text);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_term(NUM_LAYERS, 1000);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(failing_alloc_each(print_or_fail, &term) > 2);
    ds_buffer_free(&bytes);
    uint8_t big[6 + 4000] = {111, 0, 0, 4000 >> 8, 4000 & 255};
    memset(&big[6], 1, 4000);
    term = samples_term(big, sizeof big);
    assert_true(failing_alloc_each(print_or_fail, &term) > 2);
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        term = samples_term(samples[i].bytes, samples[i].len);
        assert_true(failing_alloc_each(print_or_fail, &term) > 0);
        assert_true(failing_alloc_each(inspect_or_fail, &term) > 0);
    }
}

static unsigned num_asked, num_patient;

static bool is_stopped(void)
{
    return ++num_asked > num_patient;
}

/* It checks from time to time whether to stop, and omits the rest. */
static void test_print_stops(void **state)
{
    num_asked = 0;
    num_patient = 2;
    (void)state;
    struct ds_buffer bytes = deep_term(0, 100000), text = {.is_stopped = is_stopped};
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_false(ds_term_print(&term, NULL, &text));
    assert_true(text.failed && num_asked == 3);
    assert_in_range(text.len, 1000, 20000);
    ds_buffer_free(&text);
    assert_ptr_equal(text.is_stopped, is_stopped);
    ds_buffer_free(&bytes);
}

/* Elixir's printer looks for structs first, and checks in both walks. */
static void test_inspect_stops(void **state)
{
    static const unsigned places[] = {2, 120};
    const struct ds_term_print_options options = {.syntax = DS_SYNTAX_ELIXIR};
    (void)state;
    struct ds_buffer bytes = deep_term(0, 100000);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    for (size_t i = 0; i < 2; i++) {
        struct ds_buffer text = {.is_stopped = is_stopped};
        num_asked = 0;
        num_patient = places[i];
        assert_false(ds_term_print(&term, &options, &text));
        assert_true(text.failed);
        assert_int_equal(num_asked, num_patient + 1);
        assert_int_equal(text.len != 0, i == 1);
        ds_buffer_free(&text);
    }
    ds_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_print_stops),
        cmocka_unit_test(test_inspect_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
