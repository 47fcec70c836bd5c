/*
 * test_prerender.c - the size of drafts: no more than their share of the memory, in all outputs
 * together, and no record whose text may be long.
 */
#include "big_event.h"
#include "output/prerender.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { FEW = 9, MANY = 65, KB = 1024 };

static const struct sink_config config = {.color = COLOR_NEVER};
static uint8_t bytes[80 * KB];
static struct ds_conn conn = {.number = 1};
static struct sink sinks[2];

/* The message is one binary of len bytes, with its header. */
static bool takes(struct prerender *draft, uint32_t len, uint64_t atom_bytes)
{
    const uint32_t num = len - 5;
    const uint8_t head[] = {109, num >> 24, (uint8_t)(num >> 16), (uint8_t)(num >> 8), (uint8_t)num};
    memcpy(bytes, head, sizeof head);
    struct ds_event event = big_event(&conn, bytes, len);
    const struct record record = {.event = &event};
    event.message.atom_bytes = atom_bytes;
    return prerender_add(draft, &record);
}

static void open_sinks(size_t num)
{
    static const struct sink_format formats[] = {{&sink_json, "/dev/null"}, {&sink_text, "/dev/null"}};
    for (size_t i = 0; i < num; i++)
        assert_true(sink_open(&sinks[i], &formats[i], &config));
}

static void close_sinks(size_t num)
{
    for (size_t i = 0; i < num; i++)
        sink_close(&sinks[i]);
}

static void leaves_large_records(void **state)
{
    static const struct {
        size_t num_sinks;
        unsigned num_drafts;
        uint32_t most;
    } cases[] = {{1, FEW, 64 * KB}, {2, FEW, 32 * KB}, {1, MANY, 8 * 1024 * KB / MANY / 8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t most = cases[i].most;
        open_sinks(cases[i].num_sinks);
        struct prerender *draft = prerender_new(sinks, cases[i].num_sinks, cases[i].num_drafts);
        assert_non_null(draft);
        assert_true(takes(draft, most, 0));
        assert_false(takes(draft, most + 1, 0));
        assert_true(takes(draft, 100, most - 100));
        assert_false(takes(draft, 100, most - 99)); /* atoms that its bytes refer to */
        prerender_free(draft);
        close_sinks(cases[i].num_sinks);
    }
}

/* Bytes that are no text, four characters each in JSON. */
static void takes_its_share(void **state)
{
    static const struct {
        size_t num_sinks;
        unsigned num_drafts, least, most;
    } cases[] = {{1, FEW, 120, 132}, {1, MANY, 30, 33}, {2, MANY, 15, 29}};
    (void)state;
    memset(bytes, 200, sizeof bytes);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned num = 0;
        open_sinks(cases[i].num_sinks);
        struct prerender *draft = prerender_new(sinks, cases[i].num_sinks, cases[i].num_drafts);
        assert_non_null(draft);
        while (num < 1000 && takes(draft, 1000, 0))
            num++;
        assert_in_range(num, cases[i].least, cases[i].most);
        prerender_clear(draft);
        assert_true(takes(draft, 1000, 0));
        prerender_free(draft);
        close_sinks(cases[i].num_sinks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_large_records),
        cmocka_unit_test(takes_its_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
