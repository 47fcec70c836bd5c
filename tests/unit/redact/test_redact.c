/*
 * test_redact.c - redacted terms and texts: accepted by the check, of the same shape, and without
 * the secrets.
 */
#include "etf_maker.h"
#include "failing_alloc.h"
#include "guard_page.h"
#include "redact/redact_keep.h"
#include "redact/redact_title.h"
#include "redact/redact_values.h"
#include "same_shape.h"
#include "term_samples.h"

#include <distsniff/dissect.h>

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
    struct redact_config options = {.what = what, .key_file = key_file};
    if (keep != NULL)
        options.keep.word[options.keep.num++] = keep;
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

/* Any option: the result is a term, and is unchanged if nothing is redacted. */
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

/* A term that is cut anywhere becomes the part before the cut. */
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

/* The text of a redacted term. */
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

/* Each word replaces its kind of value and no other. */
static void replaces_what_is_named(void **state)
{
    static const struct {
        const char *text; /* one of each kind of value */
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

/* One value, one pseudonym: as a string in two encodings, and in two runs with the same key. */
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
    /* 63 bits with the same beginning are not that text; and the bit behind them stays 0. */
    static const uint8_t bits[] = {77, 0, 0, 0, 8, 7, 'u', 's', 'e', 'r', '_', 'i', 'd', 'p'};
    struct ds_buffer out = {0};
    const struct ds_term padded = etf_raw(bits, sizeof bits);
    for (int i = 0; i < 2; i++) {
        const struct ds_term copy = redacted(values, &padded, &out);
        assert_int_equal(copy.len, sizeof bits);
        assert_memory_not_equal(copy.data + 6, bits + 6, 8);
        assert_int_equal(copy.data[13] & 1, 0);
    }
    ds_buffer_free(&out);
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
    values = make(ALL, "user_id"); /* only a whole text: one line of several does not count */
    assert_null(strstr(become(values, etf_binary("user_id\n")), "user_id"));
    assert_null(strstr(become(values, etf_binary("user_id\nsecret")), "user_id"));
    redact_values_free(values);
    struct string_list bad = {.word = {"[a"}, .num = 1};
    assert_null(redact_keep_new(&bad));
}

/* The redacted text of a record. */
static const char *become_text(struct redact_values *values,
                               void (*how)(struct redact_values *, struct ds_text, struct ds_buffer *),
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

/* A colon within a binary or string does not make the text behind it an atom. */
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
            text = become_text(values, redact_title_elixir, titles[i].title);
            if (hidden != (strstr(text, "secret") == NULL))
                fail_msg("word %u made %s of %s, in Elixir", what, text, titles[i].title);
        }
        redact_values_free(values);
    }
    struct redact_values *values = make(ALL, NULL);
    /* lists is an atom of OTP, but not in a title */
    assert_null(strstr(become_text(values, redact_title, "pg:<<\"a:lists:b\">>"), "lists"));
    const char *title = become_text(values, redact_title, "pg:secret:secret");
    const char *atom = become_text(values, redact_atom, "secret");
    assert_int_equal(strncmp(title, "pg:", 3), 0);
    assert_string_equal(title + 10, atom);
    etf_reset(); /* a name has the same pseudonym as the same text in a term */
    assert_string_equal(become_text(values, redact_title, "pg:<<\"secret\">>") + 3,
                        become(values, etf_binary("secret")));
    assert_string_equal(become_text(values, redact_title, "global:'My Secret'") + 7,
                        become(values, etf_atom("My Secret")));
    redact_values_free(values);
    values = make(1 << REDACT_BINARIES, NULL);
    assert_string_equal(become_text(values, redact_title, "pg:shop:carts"), "pg:shop:carts");
    assert_string_equal(become_text(values, redact_title_elixir, "pg:shop:carts"), "pg::shop::carts");
    assert_string_equal(become_text(values, redact_title_elixir, "global:'Elixir.Shop.Cart'"),
                        "global:Shop.Cart");
    redact_values_free(values);
}

/* EPMD knows a node by its short name, whose pseudonym is also the part before the host, even if
 * OTP has an atom of that name. */
static void hides_nodes_that_are_called_as_modules(void **state)
{
    struct redact_values *values = make(1 << REDACT_NODES, NULL);
    (void)state;
    assert_true(redact_keep_is_otp((struct ds_text){"lists", 5}));
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

/* The host of a node's name may be an address. */
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

/* The table is searched by bisection: it must be sorted, and contain the most common atoms. */
static void knows_the_atoms_of_otp(void **state)
{
    static const char *const atoms[] = {
#define OTP_ATOM(text) text,
#include "redact/otp_atoms.def"
#undef OTP_ATOM
    };
    (void)state;
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++) {
        assert_true(redact_keep_is_otp((struct ds_text){atoms[i], strlen(atoms[i])}));
        assert_true(i == 0 || strcmp(atoms[i - 1], atoms[i]) < 0);
    }
    static const char *const some[] = {"ok", "lists", "reverse", "$gen_call", "net_kernel", "rex",
                                       "badarg", "DOWN", "", "noconnection", "__struct__"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        assert_true(redact_keep_is_otp((struct ds_text){some[i], strlen(some[i])}));
    static const char *const others[] = {"secret", "rabbit", "ejabberd", "delivery", "Elixir.My"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(redact_keep_is_otp((struct ds_text){others[i], strlen(others[i])}));
}

/* The arity of a spawned function is kept, but no other number in its place. */
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

/* An atom in the cache need not be UTF-8; a redacted term is valid. */
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

/* Nesting of any depth needs no stack, and nesting in last places no memory either. */
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

static void open_with_failing_memory(void *context)
{
    const struct redact_config options = {
        .what = ALL, .key_file = key_file, .keep = {.word = {"user_*"}, .num = 1}};
    (void)context;
    struct redact_values *values = redact_values_new(&options);
    assert_true(values != NULL || failing_alloc_failed());
    redact_values_free(values);
}

static void opens_or_says_why(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(open_with_failing_memory, NULL) >= 3);
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
        cmocka_unit_test(opens_or_says_why),
    };
    if (!write_key())
        return 1;
    const int num_failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(key_file);
    return num_failed;
}
