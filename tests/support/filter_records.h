/*
 * filter_records.h - records for tests of the field filter, and whether expressions hold of them.
 *
 * make_message() gives an event that has all a message may have, make_event() one with a type, a
 * time and a connection alone. assert_all_hold() and assert_none_hold() take expressions, with a
 * NULL behind the last; was_seen() says whether a field has been in one that held.
 */
#ifndef TESTS_FILTER_RECORDS_H
#define TESTS_FILTER_RECORDS_H

#include "select/filter_program.h"

#include <distsniff/dissect.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})
#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal),                        \
                                        .len = sizeof(literal) - 1})

static const struct ds_conn conn = {
    .number = 7,
    .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 1000, .node = {"alice@h", 7}},
            {.addr = {4, {10, 0, 0, 2}}, .port = 1001, .node = {"bob@h", 5},
             .node_inferred = true}},
    .counters = {{11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, {21, 22, 23, 24, 25, 26, 27, 28, 29, 30}},
};

static inline struct ds_event make_event(enum ds_event_type type)
{
    return (struct ds_event){.type = type, .frame = 12, .conn = &conn,
                             .ts_ns = INT64_C(1700000000123456789)};
}

static inline bool holds(const char *expression, const struct record *record)
{
    struct filter_error error = {0};
    struct filter *filter = filter_parse(expression, NULL, &error);
    if (filter == NULL)
        fail_msg("%s: column %zu: %s", expression, error.column, error.what);
    bool value = filter_run(filter, record);
    assert_int_equal(filter_no_memory(filter), 0);
    filter_free(filter);
    return value;
}

/* The fields that occurred in an expression that was true. */
enum { MAX_SEEN = 256 };
static const struct filter_field *seen[MAX_SEEN];
static size_t num_seen;

static inline bool was_seen(const struct filter_field *field)
{
    for (size_t i = 0; i < num_seen; i++) {
        if (seen[i] == field)
            return true;
    }
    return false;
}

static inline void note_fields(const char *expression)
{
    struct filter_error error;
    struct filter *filter = filter_parse(expression, NULL, &error);
    for (size_t i = 0; i < filter->num_steps; i++) {
        if (filter->steps[i].kind == STEP_TEST && !was_seen(filter->steps[i].field)) {
            assert_true(num_seen < MAX_SEEN);
            seen[num_seen++] = filter->steps[i].field;
        }
    }
    filter_free(filter);
}

static inline void assert_all_hold(const struct record *record, const char *const *expressions)
{
    for (; *expressions != NULL; expressions++) {
        char inverted[512];
        if (!holds(*expressions, record))
            fail_msg("does not hold: %s", *expressions);
        snprintf(inverted, sizeof inverted, "!(%s)", *expressions);
        assert_false(holds(inverted, record));
        note_fields(*expressions);
    }
}

static inline void assert_none_hold(const struct record *record, const char *const *expressions)
{
    for (; *expressions != NULL; expressions++) {
        if (holds(*expressions, record))
            fail_msg("holds: %s", *expressions);
    }
}

static inline struct ds_event make_message(void)
{
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    event.message = (struct ds_message){.code = 30, .op = ds_op_find(30), .size = 2000,
                                        .fragments = 3};
    struct ds_message *m = &event.message;
    m->control = TERM("h\1a\x16");
    m->role[DS_ROLE_FROM] = TERM("X" "w\7alice@h" "\0\0\0\x55\0\0\0\0\0\0\0\1");
    m->role[DS_ROLE_TO] = TERM("w\3rex");
    m->role[DS_ROLE_REF] = TERM("w\1r");
    m->role[DS_ROLE_FLAGS] = TERM("a\2");
    m->role[DS_ROLE_MFA] = TERM("h\3w\1mw\1fa\2");
    m->role[DS_ROLE_OPTS] = TERM("j");
    m->role[DS_ROLE_LEADER] = TERM("w\1g");
    m->role[DS_ROLE_ID] = TERM("a\5");
    m->role[DS_ROLE_RESULT] = TERM("w\2ok");
    m->role[DS_ROLE_REASON] = TERM("w\6normal");
    m->role[DS_ROLE_TOKEN] = TERM("w\1k");
    m->token = (struct ds_token){true, 3, TERM("w\1l"), -5, TERM("w\1p"), 4};
    m->payload = TERM("h\2w\3catm\0\0\0\5Tihon");
    event.fault = (struct ds_fault){DS_FAULT_GAP, 17, "packets are missing"};
    event.unknown_atoms = 2;
    event.inferred_atoms = 1;
    event.likely_atoms = 3;
    event.address_atoms = 4;
    return event;
}

#endif
