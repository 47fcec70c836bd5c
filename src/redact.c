/*
 * redact.c - see redact.h. A redacted record is put together in memory of its own, in pieces
 * that are freed as a whole with the next one.
 */
#include "redact.h"

#include "complain.h"
#include "redact_values.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>
#include <stdlib.h>
#include <string.h>

/* piece is memory of the record at hand. */
struct piece {
    struct piece *next;
    max_align_t bytes[];
};

struct redact {
    struct redact_values *values;
    struct piece *pieces;
    struct ds_buffer scratch;
    bool failed;
    struct record record;
    struct ds_event event;
    struct ds_conn conn;
    bool reencode;
    struct record frame;
    struct ds_event frame_event;
    struct call call;
    struct monitor_end monitor;
    const struct ds_atom *atoms; /* the last ones replaced */
    const struct ds_atom *new_atoms;
};

static void *take(struct redact *r, size_t len)
{
    struct piece *piece = malloc(sizeof *piece + len);
    if (piece == NULL) {
        r->failed = true;
        return NULL;
    }
    piece->next = r->pieces;
    r->pieces = piece;
    return piece->bytes;
}

/* take_scratch returns a copy of what stands in scratch, never NULL but when memory ran out. */
static void *take_scratch(struct redact *r)
{
    void *copy = r->scratch.failed ? NULL : take(r, r->scratch.len);
    if (copy != NULL && r->scratch.len != 0)
        memcpy(copy, r->scratch.data, r->scratch.len);
    r->failed |= copy == NULL;
    return copy;
}

void redact_begin(struct redact *r)
{
    enum { KEEP_AT_MOST = 1024 * 1024 };
    struct piece *next;
    for (struct piece *piece = r->pieces; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
    }
    r->pieces = NULL;
    r->atoms = NULL;
    if (r->scratch.failed || r->scratch.cap > KEEP_AT_MOST)
        ds_buffer_free(&r->scratch);
}

/* Texts */

typedef void (*text_fn)(struct redact_values *values, struct ds_text text, struct ds_buffer *out);

static void replace(struct redact *r, text_fn how, struct ds_text *text)
{
    if (text->data == NULL)
        return;
    r->scratch.len = 0;
    how(r->values, *text, &r->scratch);
    text->data = take_scratch(r);
    text->len = text->data != NULL ? r->scratch.len : 0;
}

/* replace_answer replaces a text that is not one of those that belong to the protocol. */
static void replace_answer(struct redact *r, struct ds_text *text)
{
    static const char *const known[] = {
        "OK",  "NOEXIST",     "STOPPED", "ok",   "ok_simultaneous", "nok",
        "not_allowed", "alive", "true", "false", "named:",
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (text->len == strlen(known[i]) && memcmp(text->data, known[i], text->len) == 0)
            return;
    }
    replace(r, redact_other, text);
}

/* Terms */

/* replace_atoms gives a term a table of atoms in which only the unknown ones stand: no others
 * are referred to. */
static void replace_atoms(struct redact *r, struct ds_term *term)
{
    bool any = false;
    for (uint32_t i = 0; i < term->num_atoms; i++)
        any |= term->atoms[i].state == DS_ATOM_UNKNOWN;
    if (!any) {
        term->atoms = NULL;
        term->num_atoms = 0;
        return;
    }
    if (r->atoms != term->atoms) {
        struct ds_atom *atoms = take(r, term->num_atoms * sizeof *atoms);
        for (uint32_t i = 0; atoms != NULL && i < term->num_atoms; i++)
            atoms[i] = (struct ds_atom){.slot = term->atoms[i].slot, .state = DS_ATOM_UNKNOWN};
        r->atoms = term->atoms;
        r->new_atoms = atoms;
    }
    term->atoms = r->new_atoms;
    if (term->atoms == NULL)
        term->num_atoms = 0;
}

/* rewrite appends a term to scratch. False when it is not whole. */
static bool rewrite(struct redact *r, const struct ds_term *term, bool counts)
{
    const enum ds_rewrite_status status =
        redact_rewrite(r->values, term, counts, &r->scratch);
    r->failed |= status == DS_REWRITE_NO_MEMORY;
    return status == DS_REWRITE_OK;
}

void redact_term(struct redact *r, struct ds_term *term)
{
    if (term->data == NULL)
        return;
    r->scratch.len = 0;
    term->damaged |= !rewrite(r, term, false);
    replace_atoms(r, term);
    term->data = take_scratch(r);
    term->len = term->data != NULL ? r->scratch.len : 0;
}

static void replace_titles(struct redact *r, const struct titles **titles)
{
    struct titles *copy = *titles != NULL ? take(r, sizeof *copy) : NULL;
    if (copy != NULL)
        *copy = **titles;
    for (size_t i = 0; copy != NULL && i < copy->num; i++)
        replace(r, redact_title, &copy->text[i]);
    *titles = copy;
}

void redact_party(struct redact *r, struct party *party)
{
    replace_titles(r, &party->titles);
    replace(r, redact_node, &party->node);
    replace(r, redact_atom, &party->name);
}

/* Control messages: what their roles say is replaced, the numbers of the protocol stay. */

enum { TAG_INTEGER = 98, TAG_SMALL_BIG = 110, TAG_SMALL_TUPLE = 104, TAG_SMALL_ATOM_UTF8 = 119 };

static void put(struct redact *r, const void *bytes, size_t len)
{
    ds_buffer_add(&r->scratch, bytes, len);
}

static void put_integer(struct redact *r, int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (value >= INT32_MIN && value <= INT32_MAX) {
        const uint32_t bits = (uint32_t)value;
        const uint8_t bytes[] = {TAG_INTEGER, (uint8_t)(bits >> 24), (uint8_t)(bits >> 16),
                                 (uint8_t)(bits >> 8), (uint8_t)bits};
        put(r, bytes, sizeof bytes);
        return;
    }
    uint8_t bytes[3 + 8] = {TAG_SMALL_BIG, 8, value < 0};
    for (size_t i = 0; i < 8; i++, rest >>= 8)
        bytes[3 + i] = (uint8_t)rest;
    put(r, bytes, sizeof bytes);
}

static void put_tuple(struct redact *r, size_t num)
{
    const uint8_t head[] = {TAG_SMALL_TUPLE, (uint8_t)num};
    put(r, head, sizeof head);
}

static void put_token(struct redact *r, const struct ds_token *token)
{
    put_tuple(r, 5);
    put_integer(r, token->flags);
    rewrite(r, &token->label, false);
    put_integer(r, token->serial);
    rewrite(r, &token->from, false);
    put_integer(r, token->previous);
}

static void put_role(struct redact *r, const struct ds_message *m, enum ds_role role)
{
    const struct ds_term *term = &m->role[role];
    const bool is_number = role == DS_ROLE_FLAGS || role == DS_ROLE_ID;
    int64_t value;
    if (role == DS_ROLE_TOKEN && m->token.present && m->token.label.data != NULL &&
        m->token.from.data != NULL)
        put_token(r, &m->token);
    else if (is_number && ds_term_get_integer(term, &value))
        put_integer(r, value);
    else
        rewrite(r, term, role == DS_ROLE_MFA);
}

/* role_of returns the role with that letter; DS_ROLE_COUNT for none. */
static enum ds_role role_of(char letter)
{
    static const char letters[] = {
#define ROLE(a, id, key) [DS_ROLE_##id] = a,
#include <distsniff/roles.def>
#undef ROLE
    };
    int role = 0;
    while (role < DS_ROLE_COUNT && letters[role] != letter)
        role++;
    return (enum ds_role)role;
}

/* count_elements returns how many a control tuple has: if it was cut, all that it must have. */
static size_t count_elements(const struct ds_message *m)
{
    size_t num = 1; /* the code */
    bool optional = false;
    for (const char *letter = m->op->roles; *letter != '\0'; letter++) {
        const bool must = *letter == '_' || (m->control.damaged && !optional);
        optional |= *letter == '?';
        num += *letter != '?' && (must || m->role[role_of(*letter)].data != NULL);
    }
    return num;
}

/* replace_control makes the control tuple anew of its roles, which then lie in it. What has no role
 * may be the cookie, which nodes before OTP 21 and C nodes say there. */
static void replace_control(struct redact *r, struct ds_message *m)
{
    static const uint8_t empty_atom[] = {TAG_SMALL_ATOM_UTF8, 0};
    const struct ds_message old = *m;
    size_t at[DS_ROLE_COUNT], len[DS_ROLE_COUNT];
    r->scratch.len = 0;
    put_tuple(r, count_elements(&old));
    put_integer(r, old.code);
    for (const char *letter = old.op->roles; *letter != '\0'; letter++) {
        const enum ds_role role = role_of(*letter);
        if (*letter == '_')
            put(r, empty_atom, sizeof empty_atom);
        if (role == DS_ROLE_COUNT)
            continue;
        if (old.role[role].data == NULL)
            break; /* optional, or cut */
        at[role] = r->scratch.len;
        put_role(r, &old, role);
        len[role] = r->scratch.len - at[role];
    }
    replace_atoms(r, &m->control);
    m->control.data = take_scratch(r);
    m->control.len = m->control.data != NULL ? r->scratch.len : 0;
    for (int role = 0; role < DS_ROLE_COUNT; role++) {
        if (old.role[role].data == NULL)
            continue;
        m->role[role] = m->control;
        m->role[role].damaged = old.role[role].damaged;
        if (m->control.data != NULL) {
            m->role[role].data += at[role];
            m->role[role].len = len[role];
        }
    }
}

/* replace_odd_control: of a tuple that does not fit its code only the code is shown where the cookie
 * may stand in it. */
static void replace_odd_control(struct redact *r, struct ds_message *m)
{
    const struct ds_op *op = ds_op_find(m->code);
    if (op == NULL || strchr(op->roles, '_') == NULL) {
        redact_term(r, &m->control);
        return;
    }
    r->scratch.len = 0;
    put_tuple(r, count_elements(&(struct ds_message){.op = op, .control.damaged = true}));
    put_integer(r, m->code);
    replace_atoms(r, &m->control);
    m->control.damaged = true;
    m->control.data = take_scratch(r);
    m->control.len = m->control.data != NULL ? r->scratch.len : 0;
}

static void replace_message(struct redact *r, struct ds_message *m)
{
    if (m->op != NULL) {
        replace_control(r, m);
    } else {
        replace_odd_control(r, m);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            redact_term(r, &m->role[role]);
    }
    redact_term(r, &m->payload);
    redact_term(r, &m->token.label);
    redact_term(r, &m->token.from);
}

/* Connections */

static void replace_conn(struct redact *r, struct ds_event *event)
{
    r->conn = *event->conn;
    for (int end = 0; end < 2; end++) {
        struct ds_addr *addr = &r->conn.end[end].addr;
        redact_address(r->values, addr->bytes, addr->family == 6 ? 16 : 4);
        replace(r, redact_node, &r->conn.end[end].node);
    }
    event->conn = &r->conn;
}

/* replace_words replaces the names of the two ends in what the dissector has said of them. */
static void replace_words(struct redact *r, const char **words, const struct ds_conn *old)
{
    struct ds_buffer names[2] = {{0}, {0}};
    struct ds_buffer new_names[2] = {{0}, {0}};
    if (*words == NULL)
        return;
    for (int end = 0; end < 2; end++) {
        ds_endpoint_print(&old->end[end], &names[end]);
        ds_endpoint_print(&r->conn.end[end], &new_names[end]);
        r->failed |= names[end].failed || new_names[end].failed;
    }
    const int longer = names[1].len > names[0].len;
    r->scratch.len = 0;
    for (const char *at = *words; *at != '\0' && !r->failed;) {
        int end = longer;
        if (names[end].len == 0 || strncmp(at, names[end].data, names[end].len) != 0)
            end = !longer;
        if (names[end].len != 0 && strncmp(at, names[end].data, names[end].len) == 0) {
            put(r, new_names[end].data, new_names[end].len);
            at += names[end].len;
        } else {
            put(r, at++, 1);
        }
    }
    put(r, "", 1);
    *words = take_scratch(r);
    for (int end = 0; end < 2; end++) {
        ds_buffer_free(&names[end]);
        ds_buffer_free(&new_names[end]);
    }
}

static void replace_epmd(struct redact *r, struct ds_epmd *epmd)
{
    replace(r, redact_node, &epmd->name);
    replace_answer(r, &epmd->extra);
    replace_answer(r, &epmd->raw);
    struct ds_epmd_node *nodes = take(r, epmd->num_nodes * sizeof *nodes);
    for (size_t i = 0; nodes != NULL && i < epmd->num_nodes; i++) {
        nodes[i] = epmd->nodes[i];
        replace(r, redact_node, &nodes[i].name);
    }
    epmd->nodes = nodes;
    if (nodes == NULL)
        epmd->num_nodes = 0;
}

static void replace_handshake(struct redact *r, struct ds_handshake *h,
                              const struct ds_conn *old)
{
    replace(r, redact_node, &h->name);
    replace_answer(r, &h->status);
    h->has_challenge = false;
    h->challenge = 0;
    h->has_digest = false;
    memset(h->digest, 0, sizeof h->digest);
    replace_words(r, &h->cookie_note, old);
}

/* False when there is nothing in the event that may be shown. */
static bool replace_event(struct redact *r, struct ds_event *event)
{
    const struct ds_conn *old = event->conn;
    event->bytes = NULL;
    event->bytes_len = 0;
    replace_conn(r, event);
    switch (event->type) {
    case DS_EVENT_EPMD:
        replace_epmd(r, &event->epmd);
        return true;
    case DS_EVENT_HANDSHAKE:
        replace_handshake(r, &event->handshake, old);
        return true;
    case DS_EVENT_CONN:
        replace_words(r, &event->change.reason, old);
        return true;
    case DS_EVENT_MESSAGE:
        replace_message(r, &event->message);
        return true;
    case DS_EVENT_TICK:
    case DS_EVENT_GAP:
        return true;
    case DS_EVENT_DATA:
    case DS_EVENT_FRAME:
        break; /* bytes as sent */
    }
    return false;
}

/* What the correlation knows */

static void replace_note(struct redact *r, struct note *note)
{
    redact_term(r, &note->body);
    redact_term(r, &note->mod);
    redact_term(r, &note->fun);
    redact_term(r, &note->args);
    replace(r, redact_atom, &note->from_name);
    replace(r, redact_atom, &note->to_name);
    replace_titles(r, &note->from_titles);
    replace_titles(r, &note->to_titles);
}

/* replace_call: the text of the function is made anew, of terms. */
static void replace_call(struct redact *r, struct call *call)
{
    struct note note = {.mod = call->mod, .fun = call->fun, .args = call->args};
    redact_party(r, &call->caller);
    redact_party(r, &call->callee);
    redact_term(r, &call->request);
    redact_term(r, &call->result);
    redact_term(r, &call->reason);
    replace_note(r, &note);
    call->mod = note.mod;
    call->fun = note.fun;
    call->args = note.args;
    if (call->mfa.data == NULL)
        return;
    call->mfa = (struct ds_text){NULL, 0};
    r->scratch.len = 0;
    note_print_mfa(&note, CALL_MFA_LEN, &r->scratch);
    if (r->scratch.len != 0)
        call->mfa = (struct ds_text){take_scratch(r), r->scratch.len};
}

enum redact_status redact_record(struct redact *r, const struct record *record,
                                 const struct record **out)
{
    bool shown = true;
    redact_begin(r);
    r->record = *record;
    if (record->event != NULL) {
        r->event = *record->event;
        r->record.event = &r->event;
        shown = replace_event(r, &r->event);
    }
    replace_note(r, &r->record.note);
    if (record->call != NULL) {
        r->call = *record->call;
        r->record.call = &r->call;
        replace_call(r, &r->call);
    }
    if (record->monitor != NULL) {
        r->monitor = *record->monitor;
        r->record.monitor = &r->monitor;
        redact_party(r, &r->monitor.watcher);
        redact_party(r, &r->monitor.target);
        redact_term(r, &r->monitor.reason);
    }
    if (redact_failed(r))
        return REDACT_FAILED;
    *out = &r->record;
    return shown ? REDACT_OK : REDACT_DROP;
}

/* Frames: the length, and a message with an empty header, atoms inline.
 *
 *     length:4 131 68 0 control payload        length:4, of a tick 0
 */

enum { FRAME_LENGTH_LEN = 4, VERSION_LEN = 1 };

/* put_whole appends a term without 131; false when it cannot be read back. */
static bool put_whole(struct redact *r, const struct ds_term *term)
{
    const size_t at = r->scratch.len;
    if (term->data == NULL)
        return true;
    if (!ds_term_copy_etf(term, &r->scratch) || r->scratch.failed)
        return false;
    memmove(r->scratch.data + at, r->scratch.data + at + VERSION_LEN,
            r->scratch.len - at - VERSION_LEN);
    r->scratch.len -= VERSION_LEN;
    return true;
}

static bool put_frame(struct redact *r, const struct ds_event *event)
{
    static const uint8_t header[] = {131, 68, 0};
    const struct ds_message *m = &event->message;
    r->scratch.len = 0;
    put(r, "\0\0\0\0", FRAME_LENGTH_LEN);
    if (event->type == DS_EVENT_TICK)
        return true;
    put(r, header, sizeof header);
    if (m->control.data == NULL || event->fault.kind != DS_FAULT_NONE ||
        !put_whole(r, &m->control) || !put_whole(r, &m->payload))
        return false;
    const size_t len = r->scratch.len - FRAME_LENGTH_LEN;
    for (size_t i = 0; i < FRAME_LENGTH_LEN && !r->scratch.failed; i++)
        r->scratch.data[i] = (char)(len >> (8 * (FRAME_LENGTH_LEN - 1 - i)));
    return !r->scratch.failed;
}

const struct record *redact_get_frame(struct redact *r)
{
    const struct ds_event *event = r->record.event;
    if (!r->reencode || event == NULL || r->record.call != NULL || r->record.monitor != NULL ||
        (event->type != DS_EVENT_MESSAGE && event->type != DS_EVENT_TICK) ||
        !put_frame(r, event))
        return NULL;
    const uint8_t *bytes = take_scratch(r);
    if (bytes == NULL)
        return NULL;
    r->frame_event = (struct ds_event){
        .type = DS_EVENT_FRAME,
        .dir = event->dir,
        .frame = event->frame,
        .ts_ns = event->ts_ns,
        .conn = event->conn,
        .bytes = bytes,
        .bytes_len = r->scratch.len,
        .frame_sent = {.kind = event->type == DS_EVENT_TICK ? DS_FRAME_TICK : DS_FRAME_MESSAGE,
                       .size = r->scratch.len,
                       .completes = true},
    };
    r->frame = (struct record){.event = &r->frame_event, .left_out = r->record.left_out};
    return &r->frame;
}

bool redact_failed(struct redact *r)
{
    const bool failed = redact_values_failed(r->values) || r->failed || r->scratch.failed;
    r->failed = false;
    return failed;
}

struct redact *redact_new(const struct options *options)
{
    struct redact *r = calloc(1, sizeof *r);
    if (r == NULL) {
        complain("out of memory");
        return NULL;
    }
    r->reencode = options->reencode;
    r->values = redact_values_new(options);
    if (r->values == NULL) {
        free(r);
        return NULL;
    }
    return r;
}

void redact_free(struct redact *r)
{
    if (r == NULL)
        return;
    redact_begin(r);
    redact_values_free(r->values);
    ds_buffer_free(&r->scratch);
    free(r);
}
