/*
 * fuzz_filter.c - any bytes as the expression of -Y. What parses is run on records of several
 * kinds, a damaged term among them, and must say of each the same again, and the opposite when
 * it is turned around; what does not parse must have a reason and a place within it.
 */
#include "select/filter.h"

#include <distsniff/dissect.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define TEXT(literal) {(literal), sizeof(literal) - 1}
#define TERM(literal) {.data = (const uint8_t *)(literal), .len = sizeof(literal) - 1}

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct ds_conn conn = {
    .number = 1,
    .end = {{.addr = {4, {10, 0, 0, 1}}, .port = 1000, .node = TEXT("a@h")},
            {.addr = {6, {0xfe, 0x80}}, .port = 4369}},
};

static const struct call call = {
    .number = 1, .conn = 1, .label = "rpc:call", .group = "",
    .caller = {.node = TEXT("a@h"), .name = TEXT("me"), .has_pid = true, .id = 1, .serial = 2,
               .creation = 3},
    .result = TERM("w\2ok"),
    .end_ns = 5000000, .outcome = CALL_OK,
};

static const struct ds_event events[] = {
    {.type = DS_EVENT_MESSAGE,
     .conn = &conn,
     .fault = {DS_FAULT_MALFORMED, 3, "nonsense"},
     .unknown_atoms = 1,
     .message = {.code = -1,
                 .control = {.data = (const uint8_t *)"h\3R", .len = 3, .damaged = true},
                 .role = {[DS_ROLE_TO] = TERM("w\3rex"), [DS_ROLE_ID] = TERM("b\xff\0\0\0")},
                 .payload = TERM("h\2w\3catm\0\0\0\3Tom"),
                 .size = 99}},
    {.type = DS_EVENT_HANDSHAKE,
     .conn = &conn,
     .dir = 1,
     .handshake = {.flags = UINT64_MAX, .has_flags = true, .name = TEXT("a@h"),
                   .has_digest = true}},
    {.type = DS_EVENT_EPMD, .conn = &conn, .epmd = {.name = TEXT("a"), .port = 1}},
    {.type = DS_EVENT_CONN, .conn = &conn, .change = {.final = true}},
    {.type = DS_EVENT_GAP, .conn = &conn, .gap = {5, -1}},
    {.type = DS_EVENT_TICK, .conn = &conn},
};

enum { NUM_EVENTS = sizeof events / sizeof events[0] };

/* run returns the filter's result for each record, one bit each. */
static unsigned run(struct filter *filter)
{
    unsigned said = 0;
    for (unsigned i = 0; i < NUM_EVENTS; i++) {
        const struct record record = {.event = &events[i]};
        said |= (unsigned)filter_run(filter, &record) << i;
    }
    const struct record ended = {.call = &call};
    return said | (unsigned)filter_run(filter, &ended) << NUM_EVENTS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const unsigned all = (2u << NUM_EVENTS) - 1;
    struct filter_error error = {0};
    char *text = malloc(len + 4);
    must(text != NULL);
    memcpy(text, "!(", 2);
    if (len != 0)
        memcpy(text + 2, data, len);
    text[len + 2] = '\0';

    struct filter *filter = filter_parse(text + 2, NULL, &error);
    if (filter != NULL) {
        const unsigned said = run(filter);
        must(run(filter) == said);
        filter_free(filter);
        const size_t text_len = strlen(text);
        memcpy(text + text_len, ")", 2);
        filter = filter_parse(text, NULL, &error); /* two levels deeper: it may be too deep or too long */
        must(filter != NULL || strstr(error.what, "er than") != NULL);
        must(filter == NULL || run(filter) == (all & ~said));
        filter_free(filter);
    } else {
        must(error.what[0] != '\0');
        must(error.column >= 1 && error.column <= strlen(text + 2) + 1);
    }
    free(text);
    return 0;
}
