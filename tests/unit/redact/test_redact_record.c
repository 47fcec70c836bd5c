/*
 * test_redact_record.c - redacted records: nothing of their secrets is left. If memory fails,
 * nothing is shown.
 */
#include "etf_maker.h"
#include "failing_alloc.h"
#include "redact/redact.h"
#include "same_shape.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = (1 << REDACT_WHAT_COUNT) - 1 };

static struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

struct sample {
    struct ds_conn conn;
    struct ds_event event;
    struct call call;
    struct record record;
};

static void make_message(struct sample *s)
{
    etf_reset();
    *s = (struct sample){0};
    for (int end = 0; end < 2; end++) {
        s->conn.end[end].addr = (struct ds_addr){4, {10, 1, 2, 3}};
        s->conn.end[end].node = text_of(end == 0 ? "secret@secrethost" : "other@secrethost");
    }
    s->conn.number = 1;
    s->event = (struct ds_event){.type = DS_EVENT_MESSAGE,
                                 .conn = &s->conn,
                                 .bytes = (const uint8_t *)"secret",
                                 .bytes_len = 6};
    struct ds_message *m = &s->event.message;
    m->op = ds_op_find(23); /* SEND_SENDER_TT: f t k */
    m->code = 23;
    m->token.present = true;
    m->token.serial = 5;
    m->token.label = etf_binary("secret");
    m->token.from = etf_pid("secret@secrethost", 9);
    m->role[DS_ROLE_FROM] = etf_pid("secret@secrethost", 9);
    m->role[DS_ROLE_TO] = etf_pid("other@secrethost", 8);
    m->role[DS_ROLE_TOKEN] =
        etf_tuple(5, etf_int(0), m->token.label, etf_int(5), m->token.from, etf_int(4));
    m->control = etf_tuple(4, etf_int(23), m->role[DS_ROLE_FROM], m->role[DS_ROLE_TO],
                           m->role[DS_ROLE_TOKEN]);
    m->payload = etf_list(1, etf_binary("secret"), etf_atom("secret"));
    s->record.event = &s->event;
    s->record.note.mod = etf_atom("secret");
    s->record.note.fun = etf_atom("secret");
    s->record.note.from_name = text_of("secret");
    s->call.mod = etf_atom("secret");
    s->call.fun = etf_cached("secret");
    s->call.args = etf_list(1, etf_binary("secret"), etf_nil());
    s->call.mfa = text_of("secret:secret(<<\"secret\">>)");
    s->call.request = etf_tuple(3, s->call.mod, s->call.fun, s->call.args);
    s->call.caller.node = text_of("secret@secrethost");
    s->call.callee.name = text_of("secret");
    s->record.call = &s->call;
}

static void no_secret(const void *bytes, size_t len)
{
    assert_true(len == 0 || memmem(bytes, len, "secret", 6) == NULL);
}

static void no_secret_term(const struct ds_term *term)
{
    no_secret(term->data, term->data != NULL ? term->len : 0);
    for (uint32_t i = 0; i < term->num_atoms; i++)
        no_secret(term->atoms[i].text, term->atoms[i].len);
}

static void no_secret_text(struct ds_text text)
{
    no_secret(text.data, text.len);
}

static void look_at(const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    no_secret_text(event->conn->end[0].node);
    no_secret_text(event->conn->end[1].node);
    assert_null(event->bytes);
    no_secret_term(&m->control);
    no_secret_term(&m->payload);
    no_secret_term(&m->token.label);
    no_secret_term(&m->token.from);
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        no_secret_term(&m->role[role]);
    const struct note *note = &record->note;
    no_secret_term(&note->mod);
    no_secret_term(&note->fun);
    no_secret_text(note->from_name);
    const struct call *call = record->call;
    no_secret_term(&call->mod);
    no_secret_term(&call->fun);
    no_secret_term(&call->args);
    no_secret_text(call->mfa);
    no_secret_term(&call->request);
    no_secret_text(call->caller.node);
    no_secret_text(call->callee.name);
}

static void redacts_a_message(void **state)
{
    const struct redact_config options = {.what = ALL};
    struct redact *redact = redact_new(&options);
    struct sample s;
    const struct record *out = NULL;
    (void)state;
    make_message(&s);
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    look_at(out);
    assert_true(shape_same(&s.event.message.control, &out->event->message.control));
    assert_true(shape_same(&s.event.message.payload, &out->event->message.payload));
    int64_t code;
    const struct ds_term *from = &out->event->message.role[DS_ROLE_FROM];
    assert_true(from->data > out->event->message.control.data);
    assert_true(ds_term_get_integer(&(struct ds_term){.data = out->event->message.control.data + 2,
                                                      .len = 5},
                                    &code));
    assert_int_equal(code, 23);
    assert_int_equal(out->event->message.token.serial, 5);
    redact_free(redact);
}

/* The cookie in the place where older nodes and C nodes put it: it is hidden for any option, and
 * however little of the message is there or fits its code. */
static void hides_the_cookie_in_what_is_cut(void **state)
{
    static const struct {
        int64_t code;
        unsigned num; /* elements behind the code that are there */
        bool fits;
    } cases[] = {{6, 3, true}, {6, 2, true}, {6, 1, true}, {6, 0, true}, {6, 3, false},
                 {16, 2, true}, {16, 4, false}};
    const struct redact_config options = {.what = 1 << REDACT_BINARIES};
    struct redact *redact = redact_new(&options);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct record *out = NULL;
        struct sample s;
        make_message(&s);
        s.record = (struct record){.event = &s.event};
        struct ds_message *m = &s.event.message;
        *m = (struct ds_message){.code = cases[i].code};
        const struct ds_term elements[] = {etf_pid("a@h", 7), etf_atom("secret"), etf_atom("rex"),
                                           etf_nil()};
        const struct ds_term all = etf_tuple(5, etf_int((int)m->code), elements[0], elements[1],
                                             elements[2], elements[3]);
        size_t len = 2 + 5;
        for (unsigned e = 0; e < cases[i].num; e++)
            len += elements[e].len;
        m->control = all;
        m->control.len = len;
        m->control.damaged = cases[i].num < 4;
        if (cases[i].fits) {
            m->op = ds_op_find(m->code);
            m->role[DS_ROLE_FROM] = cases[i].num > 0 ? elements[0] : (struct ds_term){0};
            m->role[DS_ROLE_TO] = cases[i].num > 2 ? elements[2] : (struct ds_term){0};
        }
        assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
        const struct ds_message *shown = &out->event->message;
        no_secret_term(&shown->control);
        assert_true(shown->control.damaged);
        int64_t code;
        assert_true(ds_term_get_integer(
            &(struct ds_term){.data = shown->control.data + 2, .len = 5}, &code));
        assert_int_equal(code, cases[i].code);
        assert_int_equal(shown->control.data[1], cases[i].code == 6 ? 4 : 5);
        struct ds_identity from;
        assert_int_equal(ds_term_get_identity(&shown->role[DS_ROLE_FROM], &from),
                         cases[i].fits && cases[i].num > 0);
        struct ds_text to;
        assert_int_equal(ds_term_get_atom(&shown->role[DS_ROLE_TO], &to),
                         cases[i].fits && cases[i].num > 2);
    }
    redact_free(redact);
}

/* A frame is made from what the record shows, and nothing else; the original bytes are dropped. */
static void makes_frames_anew(void **state)
{
    const struct redact_config options = {.what = ALL, .reencode = true};
    const struct term_env no_atoms = {0};
    struct redact *redact = redact_new(&options);
    struct sample s;
    const struct record *out = NULL;
    uint32_t unknown = 0, inferred = 0;
    (void)state;
    make_message(&s);
    s.record.call = NULL;
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    const struct record *frame = redact_get_frame(redact);
    assert_non_null(frame);
    assert_int_equal(frame->event->type, DS_EVENT_FRAME);
    struct cursor at = cursor_make(frame->event->bytes, frame->event->bytes_len);
    no_secret(frame->event->bytes, frame->event->bytes_len);
    uint32_t len;
    uint8_t header[3];
    assert_true(cursor_read_u32(&at, &len));
    assert_int_equal(len, cursor_left(&at));
    assert_true(cursor_read_bytes(&at, header, sizeof header));
    assert_memory_equal(header, "\x83\x44\0", 3);
    const struct ds_term *terms[] = {&out->event->message.control, &out->event->message.payload};
    for (int i = 0; i < 2; i++) {
        struct cursor term = at;
        assert_int_equal(term_check(&at, &no_atoms, &unknown, &inferred, NULL), TERM_OK);
        const struct ds_term copy = {.data = term.at, .len = cursor_offset(&at, &term)};
        assert_true(shape_same(&copy, terms[i]));
    }
    assert_int_equal(cursor_left(&at), 0);
    s.event.fault.kind = DS_FAULT_MALFORMED;
    s.event.message.size = 4711;
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    frame = redact_get_frame(redact);
    assert_null(frame->event->bytes); /* a whole frame cannot be made */
    assert_int_equal(frame->event->frame_sent.size, 4711);
    assert_int_equal(frame->event->fault.kind, DS_FAULT_MALFORMED);
    s.event = (struct ds_event){.type = DS_EVENT_TICK, .conn = &s.conn};
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    frame = redact_get_frame(redact);
    assert_int_equal(frame->event->bytes_len, 4);
    assert_memory_equal(frame->event->bytes, "\0\0\0\0", 4);
    s.event.type = DS_EVENT_FRAME;
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_DROP);
    s.event.type = DS_EVENT_DATA;
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_DROP);
    redact_free(redact);
}

/* The guesses for an unknown atom come from other senders. */
static void hides_guesses(void **state)
{
    const struct redact_config options = {.what = ALL};
    const struct ds_guess guess = {.slot = 5, .num = 1, .atom = {{{"my_secret_server", 16}, 71}}};
    struct redact *redact = redact_new(&options);
    struct sample s;
    const struct record *out = NULL;
    (void)state;
    make_message(&s);
    s.event.message.guesses = &guess;
    s.event.message.num_guesses = 1;
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    assert_null(out->event->message.guesses);
    assert_int_equal(out->event->message.num_guesses, 0);
    redact_free(redact);
}

/* To a node that does not support headers, messages are passed through without one. */
static void makes_frames_without_a_header(void **state)
{
    static const uint8_t sent[] = {0, 0, 0, 9, 112, 131, 104};
    const struct redact_config options = {.what = ALL, .reencode = true};
    struct redact *redact = redact_new(&options);
    struct sample s;
    const struct record *out = NULL;
    (void)state;
    make_message(&s);
    s.record.call = NULL;
    s.event.bytes = sent;
    s.event.bytes_len = sizeof sent;
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    const struct ds_event *frame = redact_get_frame(redact)->event;
    assert_int_equal(frame->frame_sent.kind, DS_FRAME_PASS_THROUGH);
    struct cursor at = cursor_make(frame->bytes, frame->bytes_len);
    uint32_t len, unused = 0;
    uint8_t type, version;
    assert_true(cursor_read_u32(&at, &len) && cursor_read_u8(&at, &type));
    assert_int_equal(len, frame->bytes_len - 4);
    assert_int_equal(type, 112);
    for (int i = 0; i < 2; i++) {
        assert_true(cursor_read_u8(&at, &version));
        assert_int_equal(version, 131);
        assert_int_equal(term_check(&at, &(struct term_env){0}, &unused, &unused, NULL), TERM_OK);
    }
    assert_int_equal(cursor_left(&at), 0);
    redact_free(redact);
}

static void redacts_reasons_and_handshakes(void **state)
{
    const struct redact_config options = {.what = ALL};
    struct redact *redact = redact_new(&options);
    struct sample s;
    const struct record *out = NULL;
    (void)state;
    make_message(&s);
    s.record = (struct record){.event = &s.event};
    s.event.type = DS_EVENT_CONN;
    s.event.change = (struct ds_conn_change){
        .state = DS_CONN_FAILED,
        .reason = "closed by other@secrethost: secret@secrethost lacks BIG_CREATION"};
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    no_secret(out->event->change.reason, strlen(out->event->change.reason));
    assert_non_null(strstr(out->event->change.reason, " lacks BIG_CREATION"));
    s.event.type = DS_EVENT_HANDSHAKE;
    s.event.handshake = (struct ds_handshake){
        .step = DS_STEP_CHALLENGE_REPLY,
        .name = text_of("secret@secrethost"),
        .status = text_of("secret"),
        .challenge = 4711,
        .has_challenge = true,
        .has_digest = true,
        .digest = "secret",
        .cookie_note = "made with another cookie by the initiator secret@secrethost",
    };
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    const struct ds_handshake *h = &out->event->handshake;
    no_secret_text(h->name);
    no_secret_text(h->status);
    no_secret(h->digest, sizeof h->digest);
    no_secret(h->cookie_note, strlen(h->cookie_note));
    assert_false(h->has_challenge || h->has_digest || h->challenge != 0);
    const struct ds_epmd_node nodes[] = {{.name = text_of("secret")}};
    s.event.type = DS_EVENT_EPMD;
    s.event.epmd = (struct ds_epmd){.op = DS_EPMD_NAMES_RESP,
                                    .name = text_of("secret"),
                                    .extra = text_of("secret"),
                                    .raw = text_of("secret"),
                                    .nodes = nodes,
                                    .num_nodes = 1};
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    no_secret_text(out->event->epmd.name);
    no_secret_text(out->event->epmd.extra);
    no_secret_text(out->event->epmd.raw);
    no_secret_text(out->event->epmd.nodes[0].name);
    redact_free(redact);
}

static void replaces_findings(void **state)
{
    const struct redact_config options = {.what = ALL};
    struct redact *redact = redact_new(&options);
    static struct finding finding;
    const struct ds_endpoint end = {.node = {"alice@secret.example", 20}};
    const struct ds_addr addr = {4, {10, 1, 2, 3}};
    const struct record *out = NULL;
    (void)state;
    finding = (struct finding){.count = 1};
    wording_end(&finding.sentence, &end);
    wording_add(&finding.sentence, " refused ");
    wording_addr(&finding.sentence, &addr);
    wording_put(&finding.detail, WORD_ATOM, (struct ds_text){"my_secret_server", 16});
    memcpy(finding.node[1].text, end.node.data, end.node.len);
    finding.node[1].len = end.node.len;
    const struct record record = {.finding = &finding};
    assert_int_equal(redact_record(redact, &record, &out), REDACT_OK);
    struct ds_buffer text = {0};
    wording_print(&out->finding->sentence, &text);
    wording_print(&out->finding->detail, &text);
    ds_buffer_add(&text, out->finding->node[1].text, out->finding->node[1].len);
    ds_buffer_add(&text, "", 1);
    assert_null(strstr(text.data, "secret"));
    assert_null(strstr(text.data, "alice"));
    assert_null(strstr(text.data, "10.1.2.3"));
    assert_non_null(strstr(text.data, " refused "));
    ds_buffer_free(&text);
    redact_free(redact);
}

/* If you add to a record, decide in src/redact/redact.c how it is redacted, and then change the
 * number here. */
static void knows_all_of_a_record(void **state)
{
    (void)state;
    if (sizeof(void *) != 8)
        return;
    assert_int_equal(sizeof(struct record), 296);
    assert_int_equal(sizeof(struct note), 256);
    assert_int_equal(sizeof(struct call), 488);
    assert_int_equal(sizeof(struct monitor_end), 256);
    assert_int_equal(sizeof(struct party), 64);
    assert_int_equal(sizeof(struct ds_conn), 312);
    assert_int_equal(sizeof(struct ds_epmd), 96);
    assert_int_equal(sizeof(struct ds_handshake), 104);
    /* Roles are a table: each is redacted. */
    const size_t roles_size = sizeof ((struct ds_message *)NULL)->role;
    assert_int_equal(sizeof(struct ds_message) - roles_size, 240);
    assert_int_equal(sizeof(struct ds_event) - roles_size, 336);
}

static void with_failing_memory(void *context)
{
    const struct redact_config options = {.what = ALL, .reencode = true};
    struct sample s;
    const struct record *out = NULL;
    (void)context;
    make_message(&s);
    struct redact *redact = redact_new(&options);
    if (redact == NULL)
        return;
    for (int i = 0; i < 2; i++) {
        if (redact_record(redact, &s.record, &out) != REDACT_OK) {
            assert_true(failing_alloc_failed());
            continue;
        }
        look_at(out);
        s.record.call = NULL;
        if (redact_record(redact, &s.record, &out) == REDACT_OK &&
            redact_get_frame(redact) == NULL)
            assert_true(redact_failed(redact));
        s.record.call = &s.call;
    }
    redact_free(redact);
}

static void shows_nothing_without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(with_failing_memory, NULL) > 10);
}

/* A likely atom stays likely, under a pseudonym; an address that stands for a node is hidden. */
static void hides_likely_atoms(void **state)
{
    const struct redact_config options = {.what = ALL};
    const struct ds_atom atoms[] = {
        {(const uint8_t *)"secret_likely", 13, 3, DS_ATOM_LIKELY, 0, false},
        {(const uint8_t *)"~10.9.8.7:25672", 15, 4, DS_ATOM_ADDRESS, 0, false},
    };
    static const uint8_t pair[] = {104, 2, 82, 0, 82, 1};
    struct redact *redact = redact_new(&options);
    struct sample s;
    const struct record *out;
    (void)state;
    make_message(&s);
    s.record = (struct record){.event = &s.event};
    s.event.message = (struct ds_message){.code = -1};
    s.event.message.payload = (struct ds_term){pair, sizeof pair, atoms, 2, false};
    s.event.message.control = s.event.message.payload;
    s.event.unknown_atoms = 3;
    s.event.likely_atoms = s.event.address_atoms = 1;
    assert_int_equal(redact_record(redact, &s.record, &out), REDACT_OK);
    const struct ds_term *shown = &out->event->message.payload;
    assert_int_equal(out->event->unknown_atoms, 4);
    assert_int_equal(out->event->likely_atoms, 1);
    assert_int_equal(out->event->address_atoms, 0);
    assert_int_equal(shown->num_atoms, 2);
    assert_int_equal(shown->atoms[0].state, DS_ATOM_LIKELY);
    assert_int_equal(shown->atoms[0].len, 13);
    assert_memory_not_equal(shown->atoms[0].text, "secret_likely", 13);
    assert_int_equal(shown->atoms[1].state, DS_ATOM_UNKNOWN);
    assert_null(shown->atoms[1].text);
    redact_free(redact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redacts_a_message),
        cmocka_unit_test(hides_the_cookie_in_what_is_cut),
        cmocka_unit_test(hides_likely_atoms), cmocka_unit_test(hides_guesses),
        cmocka_unit_test(makes_frames_anew),
        cmocka_unit_test(makes_frames_without_a_header),
        cmocka_unit_test(redacts_reasons_and_handshakes),
        cmocka_unit_test(replaces_findings),
        cmocka_unit_test(knows_all_of_a_record),
        cmocka_unit_test(shows_nothing_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
