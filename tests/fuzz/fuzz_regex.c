/*
 * fuzz_regex.c - any bytes up to a NUL as an expression of -e, any bytes behind it as what a
 * node sent: as a term if they are one, else in a binary. What the search in the bytes says
 * cannot match must not match the text; a bad expression must have a reason.
 */
#include "etf/term.h"
#include "output/event_text.h"
#include "select/match_regex.h"

#include <distsniff/dissect.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct ds_atom atoms[] = {
    {.text = (const uint8_t *)"lab_srv", .len = 7, .state = DS_ATOM_KNOWN},
};

static const struct ds_conn conn = {
    .number = 1,
    .end = {{.node = {"alice@h", 7}}, {.node = {"bob@h", 5}}},
};

static struct ds_term make_term(const void *bytes, size_t len)
{
    return (struct ds_term){.data = bytes, .len = len, .atoms = atoms, .num_atoms = 1};
}

/* make_payload makes a term. The caller frees *made. */
static struct ds_term make_payload(const uint8_t *bytes, size_t len, uint8_t **made)
{
    const struct term_env env = {atoms, 1};
    uint32_t unknown = 0, inferred = 0;
    *made = malloc(5 + len);
    must(*made != NULL);
    struct cursor c = cursor_make(bytes, len);
    if (term_check(&c, &env, &unknown, &inferred, NULL) == TERM_OK && cursor_left(&c) == 0) {
        memcpy(*made, bytes, len);
        return make_term(*made, len);
    }
    const uint8_t head[5] = {109, (uint8_t)(len >> 24), (uint8_t)(len >> 16), (uint8_t)(len >> 8),
                             (uint8_t)len};
    memcpy(*made, head, sizeof head);
    if (len != 0)
        memcpy(*made + sizeof head, bytes, len);
    return make_term(*made, sizeof head + len);
}

static void search(struct match_regex *regex, const struct ds_term *payload)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn};
    event.message.code = 22;
    event.message.op = ds_op_find(22);
    event.message.fragments = 1;
    event.message.control = make_term("h\3a\x16w\4fromw\2to", 14);
    event.message.role[DS_ROLE_FROM] = make_term("w\4from", 6);
    event.message.role[DS_ROLE_TO] = make_term("w\2to", 4);
    event.message.payload = *payload;
    const struct record record = {.event = &event};
    struct ds_buffer text = {0};
    struct event_text *printer = event_text_new();
    must(printer != NULL);
    event_text_print(printer, &record, &text);
    must(!text.failed);
    if (match_regex_text(regex, text.data, text.len) == REGEX_YES)
        must(match_regex_may(regex, &record));
    event_text_free(printer);
    ds_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const uint8_t *nul = len != 0 ? memchr(data, 0, len) : NULL;
    const size_t text_len = nul != NULL ? (size_t)(nul - data) : len;
    struct regex_error error = {0};
    char *text = calloc(1, text_len + 1);
    must(text != NULL);
    if (text_len != 0)
        memcpy(text, data, text_len);
    struct match_regex *regex = match_regex_compile(text, false, &error);
    if (regex == NULL) {
        must(error.what[0] != '\0' && error.column <= text_len + 1);
    } else {
        uint8_t *made;
        const struct ds_term payload =
            make_payload(nul != NULL ? nul + 1 : data, nul != NULL ? len - text_len - 1 : 0,
                         &made);
        search(regex, &payload);
        free(made);
    }
    match_regex_free(regex);
    free(text);
    return 0;
}
