/*
 * fuzz_correlate.c - conversations: the input is a row of messages that may or may not make
 * sense together, between two nodes.
 *
 *   message   op:1 bits:1 (0: direction; 1 to 6: which of from, to, ref, flags, mfa, result
 *             are there), then for each of them and the payload len:1 and so many bytes of
 *             external term. Terms that are none are left out, as the decoder would.
 */
#include "analyse/calls/correlate.h"
#include "etf/term.h"
#include "util/cursor.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void take_record(void *context, const struct record *record)
{
    struct ds_buffer *text = context;
    text->len = 0;
    if (record->call == NULL) {
        note_print_mfa(&record->note, 100, text);
        return;
    }
    party_print(&record->call->caller, text);
    party_print(&record->call->callee, text);
    if (record->call->request.data != NULL)
        ds_term_print(&record->call->request, NULL, text);
    if (record->call->result.data != NULL)
        ds_term_print(&record->call->result, NULL, text);
}

static const uint8_t names[2][4] = {"a@h", "b@h"};
static const struct ds_atom atoms[] = {
    {names[0], 3, 0, DS_ATOM_KNOWN, 0, false},
    {names[1], 3, 1, DS_ATOM_KNOWN, 0, false},
    {(const uint8_t *)"$gen_call", 9, 2, DS_ATOM_KNOWN, 0, false},
    {(const uint8_t *)"alias", 5, 3, DS_ATOM_KNOWN, 0, false},
    {NULL, 0, 4, DS_ATOM_UNKNOWN, 0, false},
};
enum { NUM_ATOMS = sizeof atoms / sizeof atoms[0] };

/* read_term reads one whole term, or nothing if the bytes are not a term. */
static struct ds_term read_term(struct cursor *c)
{
    const struct term_env env = {atoms, NUM_ATOMS};
    struct ds_term term = {0};
    uint32_t unknown = 0, inferred = 0;
    const char *what;
    struct cursor bytes, at;
    uint8_t len;
    if (!cursor_read_u8(c, &len) || !cursor_child(c, len, &bytes))
        return term;
    at = bytes;
    if (term_check(&at, &env, &unknown, &inferred, &what) == TERM_OK && at.at == at.end)
        term = (struct ds_term){
            .data = bytes.at, .len = len, .atoms = atoms, .num_atoms = NUM_ATOMS};
    return term;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const enum ds_role roles[] = {DS_ROLE_FROM,  DS_ROLE_TO,  DS_ROLE_REF,
                                         DS_ROLE_FLAGS, DS_ROLE_MFA, DS_ROLE_RESULT};
    struct ds_buffer text = {0};
    struct correlate_config config = {
        .emit = take_record, .context = &text, .names = true, .owners = true, .keep = 100};
    struct ds_config defaults;
    struct ds_conn conn = {.number = 1};
    struct cursor c = cursor_make(data, len);
    struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn};
    uint8_t op, bits;

    ds_config_init(&defaults);
    memcpy(config.limits, defaults.limits, sizeof config.limits);
    config.limits[DS_LIMIT_CALLS] = 4; /* small, so that the caps are reached */
    config.limits[DS_LIMIT_MONITORS] = 4;
    config.limits[DS_LIMIT_NAMES] = 24;
    conn.end[0].node = (struct ds_text){"a@h", 3};
    conn.end[1].node = (struct ds_text){"b@h", 3};
    struct correlate *correlate = correlate_new(&config);
    if (correlate == NULL)
        return 0;
    while (cursor_read_u8(&c, &op) && cursor_read_u8(&c, &bits)) {
        memset(&event.message, 0, sizeof event.message);
        event.type = op < 0xf0 ? DS_EVENT_MESSAGE : DS_EVENT_CONN;
        event.dir = bits & 1;
        event.ts_ns += 1000;
        if (event.type == DS_EVENT_CONN) {
            event.change = (struct ds_conn_change){
                .state = DS_CONN_CLOSED, .final = true, .unfollowed = (bits & 2) != 0};
        } else {
            event.message.code = op;
            event.message.op = ds_op_find(op);
            for (unsigned i = 0; i < sizeof roles / sizeof roles[0]; i++)
                if ((bits & 2u << i) != 0)
                    event.message.role[roles[i]] = read_term(&c);
            event.message.payload = read_term(&c);
        }
        correlate_event(correlate, &event);
    }
    correlate_end(correlate);
    correlate_free(correlate);
    ds_buffer_free(&text);
    return 0;
}
