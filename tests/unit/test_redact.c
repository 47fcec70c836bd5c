/*
 * test_redact.c - terms written anew: accepted, of the same shape, and without what was in
 * them; records the same. With failing memory nothing is shown at all.
 */
#include "etf_maker.h"
#include "failing_alloc.h"
#include "guard_page.h"
#include "kept.h"
#include "redact.h"
#include "redact_title.h"
#include "redact_values.h"
#include "same_shape.h"
#include "term_samples.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ALL = (1 << REDACT_WHAT_COUNT) - 1 };

static char key_file[] = "/tmp/test_redact.XXXXXX";

static bool write_key(void)
{
    const int fd = mkstemp(key_file);
    const bool ok = fd >= 0 && write(fd, "the same key each time", 22) == 22;
    return fd >= 0 && close(fd) == 0 && ok;
}

static struct redact_values *make(uint32_t what, const char *keep)
{
    struct options options = {.redact = what, .redact_key_file = key_file};
    if (keep != NULL)
        options.redact_keep.word[options.redact_keep.num++] = keep;
    struct redact_values *values = redact_values_new(&options);
    assert_non_null(values);
    return values;
}

static struct ds_term redacted(struct redact_values *values, const struct ds_term *term,
                               struct ds_buffer *out)
{
    out->len = 0;
    assert_int_equal(redact_rewrite(values, term, false, out), DS_REWRITE_OK);
    assert_false(redact_values_failed(values));
    return (struct ds_term){.data = (const uint8_t *)out->data,
                            .len = out->len,
                            .atoms = term->atoms,
                            .num_atoms = term->num_atoms};
}

/* Whatever is redacted: a term again, and the same one when nothing is. */
static void keeps_the_shape_of_all_samples(void **state)
{
    (void)state;
    for (uint32_t what = 0; what <= ALL; what = what < 1 ? 1 : what * 2 + (what == 32)) {
        struct redact_values *values = make(what, NULL);
        struct ds_buffer out = {0}, text = {0};
        for (size_t i = 0; i < NUM_SAMPLES; i++) {
            struct guard_page page = guard_page_copy(samples[i].bytes, samples[i].len);
            const struct ds_term term = samples_term(page.bytes, page.len);
            const struct ds_term copy = redacted(values, &term, &out);
            if (!shape_same(&term, &copy))
                fail_msg("sample %zu, %s, words %u", i, samples[i].text, what);
            text.len = 0;
            ds_term_print(&copy, NULL, &text);
            if (what == 0 && strstr(samples[i].text, "Local") == NULL &&
                (text.len != strlen(samples[i].text) ||
                 memcmp(text.data, samples[i].text, text.len) != 0))
                fail_msg("sample %zu, %s became %.*s", i, samples[i].text, (int)text.len,
                         text.data);
            guard_page_free(&page);
        }
        ds_buffer_free(&out);
        ds_buffer_free(&text);
        redact_values_free(values);
    }
}

/* A term that is cut anywhere gives what stands before the cut. */
static void ends_where_a_term_ends(void **state)
{
    struct redact_values *values = make(ALL, NULL);
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        for (size_t len = 0; len < samples[i].len; len++) {
            struct guard_page page = guard_page_copy(samples[i].bytes, len);
            const struct ds_term term = samples_term(page.bytes, page.len);
            struct ds_buffer out = {0};
            assert_int_equal(redact_rewrite(values, &term, false, &out), DS_REWRITE_DAMAGED);
            ds_buffer_free(&out);
            guard_page_free(&page);
        }
    }
    redact_values_free(values);
}

/* What a term becomes, as text. */
static const char *become(struct redact_values *values, struct ds_term term)
{
    static struct ds_buffer text[4];
    static unsigned next;
    struct ds_buffer out = {0}, *into = &text[next++ % 4];
    const struct ds_term copy = redacted(values, &term, &out);
    into->len = 0;
    ds_term_print(&copy, NULL, into);
    ds_buffer_add(into, "", 1);
    ds_buffer_free(&out);
    return into->data;
}

static struct ds_term string(const char *text)
{
    uint8_t bytes[256] = {107, 0, (uint8_t)strlen(text)};
    memcpy(bytes + 3, text, strlen(text));
    return etf_raw(bytes, 3 + strlen(text));
}

/* Each word replaces what it names and nothing else. */
static void replaces_what_is_named(void **state)
{
    static const struct {
        const char *text; /* of each kind of value */
        uint32_t what;    /* the words that replace it */
    } kinds[] = {
        {"<<\"secret\">>", 1 << REDACT_BINARIES},
        {"\"secret\"", 1 << REDACT_STRINGS},
        {"4711", 1 << REDACT_NUMBERS},
        {"secret", 1 << REDACT_ATOMS},
        {"secret@host", 1 << REDACT_NODES | 1 << REDACT_ATOMS},
        {"<secret@host.7.0>", 1 << REDACT_NODES},
        {"{10,1,2,3}", 1 << REDACT_ADDRESSES | 1 << REDACT_NUMBERS},
        {"[2000,-3]", 1 << REDACT_STRINGS | 1 << REDACT_NUMBERS},
        {"ok", 0},
    };
    (void)state;
    etf_reset();
    const struct ds_term terms[] = {
        etf_binary("secret"), string("secret"), etf_int(4711), etf_atom("secret"),
        etf_atom("secret@host"), etf_pid("secret@host", 7),
        etf_tuple(4, etf_int(10), etf_int(1), etf_int(2), etf_int(3)),
        etf_list(2, etf_int(2000), etf_int(-3), etf_nil()), etf_atom("ok"),
    };
    for (unsigned what = 0; what < REDACT_WHAT_COUNT; what++) {
        struct redact_values *values = make(1u << what, NULL);
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            const char *text = become(values, terms[i]);
            const bool replaced = (kinds[i].what >> what & 1) != 0;
            if (replaced == (strcmp(text, kinds[i].text) == 0))
                fail_msg("word %u made %s of %s", what, text, kinds[i].text);
        }
        redact_values_free(values);
    }
}

/* One value, one pseudonym: as a string in two encodings, in two runs with the same key. */
static void keeps_equal_what_is_equal(void **state)
{
    struct redact_values *values = make(ALL, NULL), *again = make(ALL, NULL);
    (void)state;
    etf_reset();
    const struct ds_term list =
        etf_list(3, etf_int('k'), etf_int('e'), etf_int('y'), etf_nil());
    assert_string_equal(become(values, string("key")), become(values, list));
    assert_string_equal(become(values, string("key")), become(again, string("key")));
    assert_string_not_equal(become(values, string("key")), become(values, string("kez")));
    assert_string_equal(become(values, etf_atom("n@h")) , become(values, etf_cached("n@h")));
    const char *pid = become(values, etf_pid("n@h", 7)), *node = become(values, etf_atom("n@h"));
    assert_int_equal(strncmp(pid + 1, node, strlen(node)), 0);
    redact_values_free(values);
    redact_values_free(again);
}

static void keeps_what_is_to_stay(void **state)
{
    struct redact_values *values = make(ALL, "user_*");
    (void)state;
    etf_reset();
    assert_string_equal(become(values, etf_binary("user_id")), "<<\"user_id\">>");
    assert_string_equal(become(values, string("user_id")), "\"user_id\"");
    assert_string_equal(become(values, etf_atom("user_id")), "user_id");
    assert_string_not_equal(become(values, etf_binary("my user_id")), "<<\"my user_id\">>");
    assert_string_not_equal(become(values, etf_atom("users_id")), "users_id");
    assert_null(strstr(become(values, etf_binary("my\nuser_id")), "user_id"));
    assert_string_equal(become(values, etf_atom("$gen_call")), "'$gen_call'");
    assert_int_equal(strncmp(become(values, etf_atom("Elixir.My.App")), "'Elixir.", 8), 0);
    assert_string_not_equal(become(values, etf_atom("Elixir.My.App")), "'Elixir.My.App'");
    redact_values_free(values);
    values = make(ALL, "a[bc]?d");
    assert_string_equal(become(values, etf_binary("abxd")), "<<\"abxd\">>");
    assert_string_not_equal(become(values, etf_binary("abxde")), "<<\"abxde\">>");
    assert_string_not_equal(become(values, etf_binary("aabxd")), "<<\"aabxd\">>");
    assert_string_not_equal(become(values, etf_binary("adxd")), "<<\"adxd\">>");
    redact_values_free(values);
    values = make(ALL, "user_id"); /* all of a text: of several lines none by itself */
    assert_null(strstr(become(values, etf_binary("user_id\n")), "user_id"));
    assert_null(strstr(become(values, etf_binary("user_id\nsecret")), "user_id"));
    redact_values_free(values);
    struct words bad = {.word = {"[a"}, .num = 1};
    assert_null(kept_new(&bad));
}

/* What a text of a record becomes. */
static const char *become_text(struct redact_values *values,
                               void (*how)(struct redact_values *, struct ds_text,
                                           struct ds_buffer *),
                               const char *text)
{
    static struct ds_buffer out[4];
    static unsigned next;
    struct ds_buffer *into = &out[next++ % 4];
    into->len = 0;
    how(values, (struct ds_text){text, strlen(text)}, into);
    ds_buffer_add(into, "", 1);
    assert_false(redact_values_failed(values));
    return into->data;
}

/* A colon within a binary or string does not make an atom of what stands behind it. */
static void hides_all_of_a_title(void **state)
{
    enum { ALWAYS = ALL, BINARY = 1 << REDACT_BINARIES, STRING = 1 << REDACT_STRINGS,
           ATOM = 1 << REDACT_ATOMS };
    static const struct {
        const char *title;
        uint32_t what; /* the words that replace it */
    } titles[] = {
        {"pg:<<\"a:secret:b\">>", BINARY},
        {"pg:lists:<<\"a:secret\">>", BINARY},
        {"global:\"a:secret:b\"", STRING},
        {"global:'A:secret'", ATOM},
        {"global:secret", ATOM},
        {"global:{a,<<\"x:secret\">>}", ALWAYS},
        {"pg:'My scope':<<\"secret:secret\">>", ALWAYS},
        {"pg:<<\"secret \\\" \">>", ALWAYS},
        {"pg:{\"secret\",\"secret\"}", ALWAYS},
        {"pg:\"secret\",\"secret\"", ALWAYS},
    };
    (void)state;
    for (uint32_t what = 1; what <= ALL; what = what * 2 + (what == 32)) {
        struct redact_values *values = make(what, NULL);
        for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
            const char *text = become_text(values, redact_title, titles[i].title);
            const bool hidden = (titles[i].what & what) != 0;
            if (hidden ? strstr(text, "secret") != NULL : strcmp(text, titles[i].title) != 0)
                fail_msg("word %u made %s of %s", what, text, titles[i].title);
        }
        redact_values_free(values);
    }
    struct redact_values *values = make(ALL, NULL);
    /* lists is an atom of OTP, but not here */
    assert_null(strstr(become_text(values, redact_title, "pg:<<\"a:lists:b\">>"), "lists"));
    const char *title = become_text(values, redact_title, "pg:secret:secret");
    const char *atom = become_text(values, redact_atom, "secret");
    assert_int_equal(strncmp(title, "pg:", 3), 0);
    assert_string_equal(title + 10, atom);
    etf_reset(); /* what is called so is what was said so */
    assert_string_equal(become_text(values, redact_title, "pg:<<\"secret\">>") + 3,
                        become(values, etf_binary("secret")));
    assert_string_equal(become_text(values, redact_title, "global:'My Secret'") + 7,
                        become(values, etf_atom("My Secret")));
    redact_values_free(values);
    values = make(1 << REDACT_BINARIES, NULL);
    assert_string_equal(become_text(values, redact_title, "pg:shop:carts"), "pg:shop:carts");
    redact_values_free(values);
}

/* EPMD knows a node by its name alone, which is one pseudonym with that before the host, also where
 * OTP has an atom of that name. */
static void hides_nodes_that_are_called_as_modules(void **state)
{
    struct redact_values *values = make(1 << REDACT_NODES, NULL);
    (void)state;
    assert_true(kept_is_otp((struct ds_text){"lists", 5}));
    const char *name = become_text(values, redact_node, "lists");
    const char *node = become_text(values, redact_node, "lists@host");
    assert_string_not_equal(name, "lists");
    assert_int_equal(strncmp(node, name, strlen(name)), 0);
    assert_int_equal(node[strlen(name)], '@');
    assert_string_equal(become_text(values, redact_node, "nonode@nohost"), "nonode@nohost");
    assert_string_equal(become_text(values, redact_node, ""), "");
    assert_string_equal(become_text(values, redact_atom, "lists"), "lists");
    redact_values_free(values);
}

/* A node's name may be an address as well. */
static void hides_addresses_in_names_of_nodes(void **state)
{
    static const char *const names[] = {"secret@10.211.37.199", "secret@fd00::37:199",
                                        "10.211.37.199"};
    (void)state;
    for (uint32_t what = 1; what <= ALL; what = what * 2 + (what == 32)) {
        const bool hidden = (what & (1 << REDACT_ADDRESSES | 1 << REDACT_NODES)) != 0;
        struct redact_values *values = make(what, NULL), *keep = make(what, "*@*");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const char *node = become_text(values, redact_node, names[i]);
            assert_int_equal(strstr(node, i == 1 ? "fd00::37:199" : "10.211.37.199") == NULL,
                             hidden);
            assert_int_equal(strstr(node, "secret@") == node,
                             i < 2 && (what & 1 << REDACT_NODES) == 0);
            if (i < 2 && hidden)
                assert_string_equal(become_text(values, redact_atom, names[i]), node);
        }
        assert_string_equal(become_text(keep, redact_node, names[0]), names[0]);
        redact_values_free(values);
        redact_values_free(keep);
    }
}

/* The table is searched by halves: it must be sorted, and have what is most common. */
static void knows_the_atoms_of_otp(void **state)
{
    static const char *const atoms[] = {
#define OTP_ATOM(text) text,
#include "otp_atoms.def"
#undef OTP_ATOM
    };
    (void)state;
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++) {
        assert_true(kept_is_otp((struct ds_text){atoms[i], strlen(atoms[i])}));
        assert_true(i == 0 || strcmp(atoms[i - 1], atoms[i]) < 0);
    }
    static const char *const some[] = {"ok", "lists", "reverse", "$gen_call", "net_kernel", "rex",
                                       "badarg", "DOWN", "", "noconnection", "__struct__"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        assert_true(kept_is_otp((struct ds_text){some[i], strlen(some[i])}));
    static const char *const others[] = {"secret", "rabbit", "ejabberd", "delivery", "Elixir.My"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(kept_is_otp((struct ds_text){others[i], strlen(others[i])}));
}

/* Of a function to be spawned the arity stays, not any number that somebody puts there. */
static void keeps_arities_alone(void **state)
{
    struct redact_values *values = make(1 << REDACT_NUMBERS, NULL);
    struct ds_buffer out = {0}, text = {0};
    (void)state;
    etf_reset();
    const struct ds_term mfa = etf_tuple(5, etf_atom("m"), etf_atom("f"), etf_int(3), etf_int(4711),
                                         etf_list(1, etf_int(7), etf_nil()));
    assert_int_equal(redact_rewrite(values, &mfa, true, &out), DS_REWRITE_OK);
    const struct ds_term copy = {.data = (const uint8_t *)out.data, .len = out.len};
    ds_term_print(&copy, NULL, &text);
    ds_buffer_add(&text, "", 1);
    assert_int_equal(strncmp(text.data, "{m,f,3,", 7), 0);
    assert_null(strstr(text.data, "4711"));
    assert_null(strstr(text.data, "[7]"));
    ds_buffer_free(&out);
    ds_buffer_free(&text);
    redact_values_free(values);
}

/* What stands in the atom cache need not be UTF-8; a term that is written anew is whole. */
static void mends_atoms_of_the_cache(void **state)
{
    static const char *const texts[] = {"\xff\xfe", "\xc3", "a\x80" "b@\xffhost", ""};
    const struct term_env no_atoms = {0};
    (void)state;
    for (uint32_t what = 0; what <= ALL; what += ALL) {
        struct redact_values *values = make(what, NULL);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            struct ds_buffer out = {0};
            uint32_t unknown = 0, inferred = 0;
            etf_reset();
            const struct ds_term atom = etf_cached(texts[i]);
            const struct ds_term term = etf_tuple(2, atom, etf_pid_of(atom, 1, 2));
            const struct ds_term copy = redacted(values, &term, &out);
            struct cursor at = cursor_make(copy.data, copy.len);
            assert_int_equal(term_check(&at, &no_atoms, &unknown, &inferred, NULL), TERM_OK);
            assert_int_equal(cursor_left(&at), 0);
            ds_buffer_free(&out);
        }
        redact_values_free(values);
    }
}

/* A nest of any depth needs no stack, and one in last places no memory either. */
static void walks_deep_terms(void **state)
{
    enum { DEPTH = 1000000 };
    struct redact_values *values = make(ALL, NULL);
    struct ds_buffer bytes = {0}, out = {0};
    (void)state;
    for (int i = 0; i < DEPTH; i++)
        ds_buffer_add(&bytes, i % 2 == 0 ? "\x68\x01" : "\x6c\0\0\0\1", i % 2 == 0 ? 2 : 5);
    ds_buffer_add(&bytes, "j", 1);
    for (int i = 0; i < DEPTH / 2; i++)
        ds_buffer_add(&bytes, "j", 1);
    const struct ds_term term = {.data = (const uint8_t *)bytes.data, .len = bytes.len};
    const struct ds_term copy = redacted(values, &term, &out);
    assert_true(shape_same(&term, &copy));
    ds_buffer_free(&bytes);
    ds_buffer_free(&out);
    redact_values_free(values);
}

/* Records */

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
    const struct options options = {.redact = ALL};
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

/* The cookie stands where older nodes and C nodes put it: it is hidden whatever the words are, and
 * however little of the message there is or fits its code. */
static void hides_the_cookie_in_what_is_cut(void **state)
{
    static const struct {
        int64_t code;
        unsigned num; /* elements behind the code that are there */
        bool fits;
    } cases[] = {{6, 3, true}, {6, 2, true}, {6, 1, true}, {6, 0, true}, {6, 3, false},
                 {16, 2, true}, {16, 4, false}};
    const struct options options = {.redact = 1 << REDACT_BINARIES};
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

/* A frame is made anew of what the record shows, and of that alone; bytes as sent are gone. */
static void makes_frames_anew(void **state)
{
    const struct options options = {.redact = ALL, .reencode = true};
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
    assert_null(frame->event->bytes); /* a whole one cannot be made */
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

/* To a node that knows no headers messages are passed through without, as they were. */
static void makes_frames_without_a_header(void **state)
{
    static const uint8_t sent[] = {0, 0, 0, 9, 112, 131, 104};
    const struct options options = {.redact = ALL, .reencode = true};
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
    const struct options options = {.redact = ALL};
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

/* Whoever adds to a record decides what becomes of it in src/redact.c, and then changes the
 * number here. */
static void knows_all_of_a_record(void **state)
{
    (void)state;
    if (sizeof(void *) != 8)
        return;
    assert_int_equal(sizeof(struct record), 264);
    assert_int_equal(sizeof(struct note), 232);
    assert_int_equal(sizeof(struct call), 440);
    assert_int_equal(sizeof(struct monitor_end), 232);
    assert_int_equal(sizeof(struct party), 56);
    assert_int_equal(sizeof(struct ds_conn), 240);
    assert_int_equal(sizeof(struct ds_epmd), 96);
    assert_int_equal(sizeof(struct ds_handshake), 104);
    assert_int_equal(sizeof(struct ds_message), 544);
    assert_int_equal(sizeof(struct ds_event), 624);
}

static void with_failing_memory(void *context)
{
    const struct options options = {
        .redact = ALL, .redact_key_file = key_file, .reencode = true};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_shape_of_all_samples),
        cmocka_unit_test(ends_where_a_term_ends),
        cmocka_unit_test(replaces_what_is_named),
        cmocka_unit_test(keeps_equal_what_is_equal),
        cmocka_unit_test(keeps_what_is_to_stay),
        cmocka_unit_test(hides_all_of_a_title),
        cmocka_unit_test(hides_nodes_that_are_called_as_modules),
        cmocka_unit_test(hides_addresses_in_names_of_nodes),
        cmocka_unit_test(keeps_arities_alone),
        cmocka_unit_test(knows_the_atoms_of_otp),
        cmocka_unit_test(mends_atoms_of_the_cache),
        cmocka_unit_test(walks_deep_terms),
        cmocka_unit_test(redacts_a_message),
        cmocka_unit_test(hides_the_cookie_in_what_is_cut),
        cmocka_unit_test(makes_frames_anew),
        cmocka_unit_test(makes_frames_without_a_header),
        cmocka_unit_test(redacts_reasons_and_handshakes),
        cmocka_unit_test(knows_all_of_a_record),
        cmocka_unit_test(shows_nothing_without_memory),
    };
    if (!write_key())
        return 1;
    const int num_failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(key_file);
    return num_failed;
}
