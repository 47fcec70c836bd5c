/*
 * report_world.h - messages and exits on one connection between a@h and b@h, for tests of reports, and checks of
 * the text that a report has written.
 */
#ifndef TESTS_REPORT_WORLD_H
#define TESTS_REPORT_WORLD_H

#include "default_limits.h"
#include "reports/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ds_conn conn = {
    .number = 7,
    .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 1, .node = {"a@h", 3}},
            {.addr = {4, {10, 0, 0, 2}}, .port = 2, .node = {"b@h", 3}}},
};

/* A message with the payload {kN,1}. */
struct made {
    struct ds_event event;
    struct record record;
    uint8_t payload[32];
};

static inline void make(struct made *made, uint64_t number, uint64_t size)
{
    memset(made, 0, sizeof *made);
    uint8_t *p = made->payload;
    const int len = sprintf((char *)p + 4, "k%llu", (unsigned long long)number);
    p[0] = 104;
    p[1] = 2;
    p[2] = 119;
    p[3] = (uint8_t)len;
    p[4 + len] = 97;
    p[5 + len] = 1;
    made->event.type = DS_EVENT_MESSAGE;
    made->event.conn = &conn;
    made->event.frame = number + 1;
    made->event.ts_ns = (int64_t)number * 1000;
    made->event.message.size = size;
    made->event.message.payload = (struct ds_term){.data = p, .len = (size_t)len + 6};
    made->record.event = &made->event;
    made->record.note.role = NOTE_SEND;
}

static inline void init_config(struct report_config *config)
{
    memset(config, 0, sizeof *config);
    default_limits(config->limits);
    config->max_rows = 3;
}

static inline void assert_has(const struct report_text *text, const char *wanted)
{
    if (memmem(text->buffer.data, text->buffer.len, wanted, strlen(wanted)) == NULL) {
        print_error("no %s in\n%.*s", wanted, (int)text->buffer.len, text->buffer.data);
        fail();
    }
}

/* A message that reports the exit of process N. */
static inline void make_exit(struct made *made, uint8_t number, uint8_t reason)
{
    const uint8_t pid[] = {88, 119, 3, 'a', '@', 'h', 0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 1};
    make(made, number, 100);
    memcpy(made->payload, pid, sizeof pid);
    made->payload[20] = 97;
    made->payload[21] = reason;
    made->event.message.op = ds_op_find(24);
    made->event.message.code = 24;
    made->event.message.role[DS_ROLE_FROM] = (struct ds_term){.data = made->payload, .len = 18};
    made->event.message.role[DS_ROLE_TO] = made->event.message.role[DS_ROLE_FROM];
    made->event.message.payload = (struct ds_term){.data = made->payload + 20, .len = 2};
    made->record.note.role = NOTE_EXIT;
}

static inline size_t num_lines(const struct report_text *text)
{
    size_t num = 0;
    for (size_t i = 0; i < text->buffer.len; i++)
        num += text->buffer.data[i] == '\n';
    return num;
}

#endif
