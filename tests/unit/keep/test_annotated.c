/* test_annotated.c - packets with comments: which packet gets a record, comments that are too long
 * or too many, the end, and failing memory. scripts/wireshark tests how Wireshark shows them. */
#include "failing_alloc.h"
#include "keep/annotated_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char name[64];
static struct capture_input input = {.link_type = 101, .dlt = DLT_RAW, .name = "test"};
static struct capture capture = {.inputs = &input, .num_inputs = 1};
static struct ds_conn conn = {
    .number = 1,
    .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 1, .node = {"a@h", 3}},
            {.addr = {4, {10, 0, 0, 2}}, .port = 2, .node = {"b@h", 3}}},
};

static struct annotated_file *open_file(void)
{
    const struct annotated_config config = {.name = name};
    return annotated_new(&config, &capture);
}

static void add_packet(struct annotated_file *file, uint64_t frame)
{
    uint8_t bytes[20] = {0x45};
    const struct ds_packet packet = {.ts_ns = (int64_t)frame * 1000,
                                     .frame = frame,
                                     .link_type = 101,
                                     .data = bytes,
                                     .cap_len = sizeof bytes,
                                     .len = sizeof bytes};
    bytes[19] = (uint8_t)frame;
    annotated_packet(file, &packet);
}

/* A message with an op of that number. */
static void add_message(struct annotated_file *file, uint64_t frame, int64_t number)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .frame = frame, .conn = &conn};
    const struct record record = {.event = &event};
    event.message.code = number;
    annotated_record(file, &record);
}

static char *read_all(size_t *len)
{
    FILE *file = fopen(name, "rb");
    char *bytes = malloc(1 << 20);
    assert_non_null(file);
    *len = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* where returns the block that contains a text, or -1; num_blocks: the number of blocks. The
 * lengths at both ends of each are equal. */
static int where(const char *bytes, size_t len, const char *text, int *num_blocks)
{
    int found = -1;
    *num_blocks = 0;
    for (size_t at = 0; at < len; (*num_blocks)++) {
        uint32_t block, again;
        memcpy(&block, bytes + at + 4, sizeof block);
        assert_true(block >= 12 && block % 4 == 0 && at + block <= len);
        memcpy(&again, bytes + at + block - 4, sizeof again);
        assert_int_equal(again, block);
        if (memmem(bytes + at, block, text, strlen(text)) != NULL)
            found = *num_blocks;
        at += block;
    }
    return found;
}

static void assert_at(const char *text, int block)
{
    size_t len;
    int num;
    char *bytes = read_all(&len);
    assert_int_equal(where(bytes, len, text, &num), block);
    free(bytes);
}

enum { FIRST_PACKET = 2 }; /* after the section and the interface */

static void at_its_packet(void **state)
{
    (void)state;
    struct annotated_file *file = open_file();
    for (uint64_t i = 1; i <= 70; i++) {
        add_packet(file, i);
        add_message(file, i == 10 ? 7 : 1000, (int64_t)i + 500); /* one comes a little later */
    }
    add_message(file, 1, 900); /* its packet is written already: the latest has it */
    const struct call call = {.label = "gen:call", .number = 5, .outcome = CALL_UNANSWERED};
    const struct record open = {.call = &call};
    annotated_record(file, &open);
    annotated_end(file);
    assert_int_equal(annotated_get_stop(file), STOP_NONE);
    annotated_free(file);
    assert_at("op_510", FIRST_PACKET + 6);
    assert_at("op_509", FIRST_PACKET + 8);
    assert_at("op_900", FIRST_PACKET + 69);
    assert_at("#5 gen:call", FIRST_PACKET + 70);
}

static void too_many(void **state)
{
    size_t len;
    int num;
    (void)state;
    struct annotated_file *file = open_file();
    add_packet(file, 1);
    for (int i = 0; i < 20000; i++)
        add_message(file, 1, i);
    add_packet(file, 2);
    annotated_end(file);
    annotated_free(file);
    char *bytes = read_all(&len);
    assert_true(len < 300 * 1024);
    assert_int_equal(where(bytes, len, " more", &num), FIRST_PACKET);
    assert_int_equal(num, FIRST_PACKET + 2);
    free(bytes);
}

static void run_once(void *context)
{
    (void)context;
    struct annotated_file *file = open_file();
    if (file == NULL)
        return;
    for (uint64_t i = 1; i <= 70; i++) {
        add_packet(file, i);
        add_message(file, i, (int64_t)i);
    }
    annotated_end(file);
    annotated_free(file);
}

static void memory_runs_out(void **state)
{
    (void)state;
    fclose(stderr);
    failing_alloc_each(run_once, NULL);
}

int main(void)
{
    snprintf(name, sizeof name, "/tmp/test_annotated.%d.pcapng", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_its_packet),
        cmocka_unit_test(too_many),
        cmocka_unit_test(memory_runs_out),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(name);
    return failed;
}
