/* test_shape.c - the common shape of similar terms: {put,_,_}. */
#include "failing_alloc.h"
#include "guard_page.h"
#include "term_samples.h"

#include <distsniff/identity.h>
#include <distsniff/shape.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ATOM(len, ...) 119, len, __VA_ARGS__
#define PUT ATOM(3, 'p', 'u', 't')
#define OK ATOM(2, 'o', 'k')

static struct ds_term term(const uint8_t *bytes, size_t len)
{
    return (struct ds_term){
        .data = bytes, .len = len, .atoms = samples_atoms, .num_atoms = SAMPLES_NUM_ATOMS};
}

static void assert_shape(const struct ds_shape *shape, const char *wanted)
{
    struct ds_buffer text = {0};
    ds_shape_print(shape, &text);
    ds_buffer_add(&text, "", 1);
    assert_string_equal(text.data, wanted);
    ds_buffer_free(&text);
}

static bool is_text(struct ds_text a, struct ds_text b)
{
    return (a.data == NULL) == (b.data == NULL) && a.len == b.len &&
           (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* get_same_head returns whether a term begins like another one. */
static bool get_same_head(const struct ds_term *term, const struct ds_term *first,
                          struct ds_shape_head *head)
{
    struct ds_shape_head wanted;
    ds_shape_get_head(first, &wanted);
    ds_shape_get_head(term, head);
    return head->form == wanted.form && head->inner_form == wanted.inner_form &&
           is_text(head->word, wanted.word) && is_text(head->inner_word, wanted.inner_word);
}

/* check makes the shape of the first term and adds the others. If all have the same head, a second
 * shape uses that, and must not differ. */
static void check(const char *wanted, const struct ds_term *terms, size_t num)
{
    struct ds_shape *shape = ds_shape_new(&terms[0]), *headed = ds_shape_new(&terms[0]);
    bool same_heads = true;
    assert_non_null(shape);
    assert_non_null(headed);
    for (size_t i = 1; i < num; i++) {
        struct guard_page page = guard_page_copy(terms[i].data, terms[i].len);
        struct ds_term guarded = terms[i];
        struct ds_shape_head head;
        guarded.data = page.bytes;
        ds_shape_fit(shape, &guarded);
        same_heads = get_same_head(&guarded, &terms[0], &head) && same_heads;
        ds_shape_fit_headed(headed, &guarded, &head);
        guard_page_free(&page);
    }
    assert_shape(shape, wanted);
    if (same_heads)
        assert_shape(headed, wanted);
    ds_shape_free(shape);
    ds_shape_free(headed);
}

/* check_damaged adds a truncated term to the shape of the whole one: an equal head proves nothing
 * about what follows. */
static void check_damaged(const struct ds_term *all, const struct ds_term *cut)
{
    struct ds_shape *shape = ds_shape_new(all), *headed = ds_shape_new(all);
    struct ds_term damaged = *cut;
    struct ds_shape_head head;
    struct ds_buffer text = {0};
    damaged.damaged = true;
    assert_non_null(shape);
    assert_non_null(headed);
    if (get_same_head(&damaged, all, &head)) {
        ds_shape_fit(shape, &damaged);
        ds_shape_fit_headed(headed, &damaged, &head);
        ds_shape_print(shape, &text);
        ds_buffer_add(&text, "", 1);
        assert_shape(headed, text.data);
        ds_buffer_free(&text);
    }
    ds_shape_free(shape);
    ds_shape_free(headed);
}

#define TERMS(...)                                                                                 \
    (const struct ds_term[]){__VA_ARGS__},                                                         \
        sizeof((const struct ds_term[]){__VA_ARGS__}) / sizeof(struct ds_term)

static void what_varies_goes(void **state)
{
    (void)state;
    check("{put,1,\"a\"}", TERMS(term(BYTES(104, 3, PUT, 97, 1, 107, 0, 1, 'a'))));
    check("{put,_,\"a\"}", TERMS(term(BYTES(104, 3, PUT, 97, 1, 107, 0, 1, 'a')),
                                 term(BYTES(104, 3, PUT, 97, 2, 107, 0, 1, 'a'))));
    check("{put,_,_}", TERMS(term(BYTES(104, 3, PUT, 97, 1, 107, 0, 1, 'a')),
                             term(BYTES(104, 3, PUT, 97, 2, 107, 0, 1, 'a')),
                             term(BYTES(104, 3, PUT, OK, 107, 0, 1, 'b'))));
    /* An element that has become "_" stays so, and the elements behind it still count. */
    check("{put,_,ok}", TERMS(term(BYTES(104, 3, PUT, 104, 2, 97, 1, 97, 2, OK)),
                              term(BYTES(104, 3, PUT, 104, 3, 97, 1, 97, 2, 97, 3, OK)),
                              term(BYTES(104, 3, PUT, 104, 2, 97, 1, 97, 2, OK))));
    /* An inline atom is the same as one from the cache, a large tuple the same as a small one. */
    check("{alice@host,_}", TERMS(term(BYTES(104, 2, 82, 0, 97, 1)),
                                  term(BYTES(105, 0, 0, 0, 2, 119, 10, 'a', 'l', 'i', 'c', 'e', '@',
                                             'h', 'o', 's', 't', 97, 2))));
}

static void inner_tuples(void **state)
{
    (void)state;
    check("{put,{ok,_},7}", TERMS(term(BYTES(104, 3, PUT, 104, 2, OK, 97, 1, 97, 7)),
                                  term(BYTES(104, 3, PUT, 104, 2, OK, 97, 2, 97, 7))));
    check("{put,{ok,_,{}},{}}", TERMS(term(BYTES(104, 3, PUT, 104, 3, OK, 97, 1, 104, 0, 104, 0)),
                                      term(BYTES(104, 3, PUT, 104, 3, OK, 97, 2, 104, 0, 104, 0))));
    /* Four deep is too deep. */
    check("{{{_}}}", TERMS(term(BYTES(104, 1, 104, 1, 104, 1, 104, 1, 97, 1))));
    /* The first eight of many elements. */
    check("{{1,2,3,4,5,6,7,8,...},ok}",
          TERMS(term(BYTES(104, 2, 104, 10, 97, 1, 97, 2, 97, 3, 97, 4, 97, 5, 97, 6, 97, 7, 97, 8,
                           97, 9, 97, 10, OK)),
                term(BYTES(104, 2, 104, 10, 97, 1, 97, 2, 97, 3, 97, 4, 97, 5, 97, 6, 97, 7, 97, 8,
                           98, 0, 0, 9, 9, 97, 11, OK))));
    /* The fourth of these would exceed the cap of nodes. */
    check("{{_,_,_,_,_,_,_,_},{_,_,_,_,_,_,_,_},_,_}",
          TERMS(term(BYTES(104, 4, 104, 8, 106, 106, 106, 106, 106, 106, 106, 106, 104, 8, 106, 106,
                           106, 106, 106, 106, 106, 106, 104, 8, 106, 106, 106, 106, 106, 106, 106,
                           106, 104, 1, 106)),
                term(BYTES(104, 4, 104, 8, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1,
                           104, 8, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1, 97, 1,
                           97, 1))));
}

static void leaves(void **state)
{
    (void)state;
    check("_::map", TERMS(term(BYTES(116, 0, 0, 0, 0))));
    check("_::list", TERMS(term(BYTES(107, 0, 1, 'a'))));
    check("_::pid", TERMS(term(BYTES(PID))));
    check("_::integer", TERMS(term(BYTES(97, 1))));
    check("_::integer", TERMS(term(BYTES(97, 1)), term(BYTES(98, 0, 0, 1, 1))));
    check("_", TERMS(term(BYTES(97, 1)), term(BYTES(106))));
    check("ok", TERMS(term(BYTES(OK)), term(BYTES(OK))));
    check("{put,_}", TERMS(term(BYTES(104, 2, PUT, PID)))); /* pids are never the same for long */
    /* Atoms that are likely or not known. */
    check("{?'$gen_call',_}", TERMS(term(BYTES(104, 2, 82, 5, 82, 1))));
    check("{'$gen_call',_}",
          TERMS(term(BYTES(104, 2, 82, 5, 82, 1)),
                term(BYTES(104, 2, 119, 9, '$', 'g', 'e', 'n', '_', 'c', 'a', 'l', 'l', 82, 1))));
    check("{?'$gen_call',_}", TERMS(term(BYTES(104, 2, 82, 5, 82, 1)), term(BYTES(104, 2, 82, 5, OK))));
    check("{'$gen_call',_}",
          TERMS(term(BYTES(104, 2, 119, 9, '$', 'g', 'e', 'n', '_', 'c', 'a', 'l', 'l', 82, 1)),
                term(BYTES(104, 2, 82, 5, OK))));
    check("'$gen_call'",
          TERMS(term(BYTES(82, 5)), term(BYTES(119, 9, '$', 'g', 'e', 'n', '_', 'c', 'a', 'l', 'l'))));
    check("?'$gen_call'", TERMS(term(BYTES(82, 5)), term(BYTES(82, 5))));
    check("{put,_}", TERMS(term(BYTES(104, 2, PUT, 104, 1, OK)), term(BYTES(104, 2, PUT, 104, 2, OK, OK)),
                           term(BYTES(104, 2, PUT, OK))));
    check("{put,_,_}", TERMS(term(BYTES(104, 3, PUT, OK, 97, 1)), term(BYTES(104, 3, PUT, 97, 1, OK)),
                             term(BYTES(104, 3, PUT, OK, 97, 1))));
    check("{_,ok}", TERMS(term(BYTES(104, 2, 82, 6, OK)))); /* an address */
    /* Long constants become "_". */
    uint8_t binary[] = {104, 2, PUT, 109, 0, 0, 0, 32, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4,
                        5,   6, 7,   8,   1, 2, 3, 4,  5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    check("{put,_}", TERMS(term(binary, sizeof binary)));
    /* An Elixir struct by its module. */
    const uint8_t user[] = {116, 0,   0,   0,   2,   119, 1,   'a', 97,  1,   119, 10,
                            '_', '_', 's', 't', 'r', 'u', 'c', 't', '_', '_', 119, 11,
                            'E', 'l', 'i', 'x', 'i', 'r', '.', 'U', 's', 'e', 'r'};
    uint8_t other[sizeof user], number[sizeof user];
    memcpy(other, user, sizeof user);
    other[sizeof user - 1] = 't';
    memcpy(number, user, sizeof user);
    number[9] = 2;
    check("#'Elixir.User'{...}", TERMS(term(user, sizeof user), term(number, sizeof number)));
    check("_", TERMS(term(user, sizeof user), term(other, sizeof other)));
}

static void heads(void **state)
{
    struct ds_shape_head a, b;
    struct ds_term put3 = term(BYTES(104, 3, PUT, 97, 1, 97, 2));
    struct ds_term put2 = term(BYTES(104, 2, PUT, 97, 1));
    struct ds_term large = term(BYTES(105, 0, 0, 0, 3, PUT, PID, 106));
    struct ds_term wrapped = term(BYTES(104, 2, PID, 104, 2, OK, 97, 1));
    struct ds_term absent = {0};
    (void)state;
    assert_true(ds_shape_get_head(&put3, &a));
    assert_int_equal(a.word.len, 3);
    assert_memory_equal(a.word.data, "put", 3);
    assert_int_equal(a.inner_form, 0);
    assert_true(ds_shape_get_head(&put2, &b));
    assert_int_not_equal(a.form, b.form);
    assert_true(ds_shape_get_head(&large, &b));
    assert_int_equal(a.form, b.form);
    assert_true(ds_shape_get_head(&wrapped, &a));
    assert_null(a.word.data);
    assert_int_not_equal(a.inner_form, 0);
    assert_int_equal(a.inner_word.len, 2);
    assert_false(ds_shape_get_head(&absent, &a));
}

static void assert_head(struct ds_term all, const char *wanted)
{
    struct ds_shape_head head;
    struct ds_buffer text = {0};
    ds_shape_get_head(&all, &head);
    ds_shape_head_print(&head, &text);
    ds_buffer_add(&text, "", 1);
    assert_string_equal(text.data, wanted);
    ds_buffer_free(&text);
}

/* The text of a head contains only the head: what is behind its words is "_". */
static void texts_of_heads(void **state)
{
    (void)state;
    assert_head((struct ds_term){0}, "_");
    assert_head(term(BYTES(119, 2, 'o', 'k')), "ok");
    assert_head(term(BYTES(97, 7)), "_::integer");
    assert_head(term(BYTES(106)), "_::list");
    assert_head(term(BYTES(116, 0, 0, 0, 0)), "_::map");
    assert_head(term(BYTES(104, 0)), "{}");
    assert_head(term(BYTES(104, 1, 97, 7)), "{_}");
    assert_head(term(BYTES(104, 1, PUT)), "{put}");
    assert_head(term(BYTES(104, 3, PUT, 97, 1, 97, 2)), "{put,_,_}");
    assert_head(term(BYTES(104, 2, 97, 7, OK)), "{_,ok}");
    assert_head(term(BYTES(104, 3, 97, 7, 97, 8, 97, 9)), "{_,_::integer,_}");
    assert_head(term(BYTES(104, 2, PID, 104, 2, OK, 97, 1)), "{_,{ok,_}}");
    assert_head(term(BYTES(104, 2, PID, 104, 2, 97, 1, OK)), "{_,{_,_}}");
    assert_head(term(BYTES(104, 2, PID, 104, 0)), "{_,{}}");
    assert_head(term(BYTES(104, 9, PUT, 106, 106, 106, 106, 106, 106, 106, 106)), "{put,_,_,_,_,_,_,_,...}");
    assert_head(term(BYTES(105, 255, 255, 255, 255, PUT)), "_"); /* more than there can be */
}

static void lengths(void **state)
{
    uint32_t length = 77;
    struct ds_term three = term(BYTES(108, 0, 0, 0, 3, 97, 1, 97, 2, 97, 3, 106));
    struct ds_term string = term(BYTES(107, 1, 0)), nil = term(BYTES(106)), no = term(BYTES(97, 1));
    uint8_t bytes[3 + 256] = {107, 1, 0};
    (void)state;
    assert_true(ds_term_get_length(&three, &length));
    assert_int_equal(length, 3);
    assert_false(ds_term_get_length(&string, &length)); /* cut */
    string = term(bytes, sizeof bytes);
    assert_true(ds_term_get_length(&string, &length));
    assert_int_equal(length, 256);
    assert_true(ds_term_get_length(&nil, &length));
    assert_int_equal(length, 0);
    assert_false(ds_term_get_length(&no, &length));
}

/* Each sample, whole and cut anywhere, alone and in a tuple, is added to the shape of each other
 * one; nothing is read beyond the end. */
static void all_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct guard_page page = guard_page_copy(samples[i].bytes, samples[i].len);
        for (size_t j = 0; j < sizeof samples / sizeof samples[0]; j += 1 + i % 3) {
            const struct ds_term first = term(samples[j].bytes, samples[j].len);
            struct ds_shape *shape = ds_shape_new(&first);
            struct ds_buffer text = {0};
            const struct ds_term whole = term(page.bytes, page.len);
            ds_shape_fit(shape, &whole);
            ds_shape_fit(shape, &first);
            ds_shape_print(shape, &text);
            assert_false(text.failed);
            assert_true(text.len != 0);
            ds_buffer_free(&text);
            ds_shape_free(shape);
        }
        guard_page_free(&page);
        for (size_t len = 0; len < samples[i].len && len < 300; len++) {
            struct guard_page cut = guard_page_copy(samples[i].bytes, len);
            const struct ds_term damaged = term(cut.bytes, len);
            struct ds_shape *shape = ds_shape_new(&damaged);
            struct ds_shape_head head;
            struct ds_buffer text = {0};
            ds_shape_get_head(&damaged, &head);
            ds_shape_print(shape, &text);
            ds_buffer_free(&text);
            ds_shape_free(shape);
            const struct ds_term all = term(samples[i].bytes, samples[i].len);
            shape = ds_shape_new(&all);
            ds_shape_fit(shape, &damaged);
            ds_shape_fit_headed(shape, &damaged, &head);
            ds_shape_free(shape);
            check_damaged(&all, &damaged);
            guard_page_free(&cut);
        }
    }
}

static void run_without_memory(void *context)
{
    const struct ds_term one = term(BYTES(104, 3, PUT, 97, 1, 97, 2));
    struct ds_shape *shape = ds_shape_new(&one);
    struct ds_buffer text = {0};
    (void)context;
    if (shape != NULL)
        ds_shape_print(shape, &text);
    ds_buffer_free(&text);
    ds_shape_free(shape);
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_without_memory, NULL) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_varies_goes), cmocka_unit_test(inner_tuples),
        cmocka_unit_test(leaves),           cmocka_unit_test(heads),
        cmocka_unit_test(texts_of_heads),
        cmocka_unit_test(lengths),          cmocka_unit_test(all_samples),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
