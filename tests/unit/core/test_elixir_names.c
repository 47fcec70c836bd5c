/*
 * test_elixir_names.c - names and labels in Elixir's spelling.
 */
#include "core/elixir_name.h"
#include "core/label_show.h"
#include "core/term_show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

static void test_names(void **state)
{
    (void)state;
    assert_true(elixir_name_means(text("Shop.Cart"), text("Elixir.Shop.Cart")));
    assert_true(elixir_name_means(text(":cart"), text("cart")));
    assert_true(elixir_name_means(text(":\"a b\""), text("a b")));
    assert_true(elixir_name_means(text(":\"\""), text("")));
    assert_false(elixir_name_means(text("Shop.Cart"), text("Shop.Cart"))); /* it is itself */
    assert_false(elixir_name_means(text("Shop"), text("Elixir.Shop.Cart")));
    assert_false(elixir_name_means(text("cart"), text("Elixir.cart")));
    assert_false(elixir_name_means(text("cart"), text("cart")));
    assert_false(elixir_name_means(text(":"), text("x")));
    assert_false(elixir_name_means(text(":\""), text("x")));
    assert_false(elixir_name_means(text(""), text("")));
    assert_false(elixir_name_means((struct ds_text){0}, text("x")));
    assert_false(elixir_name_means(text("Shop"), (struct ds_text){0}));
    assert_false(elixir_name_means(text("S"), text("Elixir.")));
}

static void assert_label(const char *erlang, const char *elixir)
{
    char room[LABEL_ROOM];
    struct ds_buffer out = {0};
    term_show_use(DS_SYNTAX_ELIXIR);
    label_show(erlang, &out);
    term_show_use(DS_SYNTAX_ERLANG);
    assert_int_equal(out.len, strlen(elixir));
    assert_memory_equal(out.data, elixir, out.len);
    const struct ds_text back = label_read(text(elixir), room);
    assert_int_equal(back.len, strlen(erlang));
    assert_memory_equal(back.data, erlang, back.len);
    out.len = 0;
    label_show(erlang, &out);
    assert_int_equal(out.len, strlen(erlang));
    assert_memory_equal(out.data, erlang, out.len);
    ds_buffer_free(&out);
}

static void test_labels(void **state)
{
    (void)state;
    assert_label("gen:call", "GenServer.call");
    assert_label("supervisor:start_child", "Supervisor.start_child");
    assert_label("erpc:call", ":erpc.call");
    assert_label("gen_event:notify", ":gen_event.notify");
    assert_label("Agent.get", "Agent.get");
    assert_label("Task", "Task");
    assert_label("io_request", "io_request");
}

static void test_labels_are_read(void **state)
{
    (void)state;
    char room[LABEL_ROOM], longer[2 * LABEL_ROOM];
    struct ds_text label = label_read(text("GenServer"), room);
    assert_int_equal(label.len, 3);
    assert_memory_equal(label.data, "gen", 3);
    label = label_read(text(":global"), room);
    assert_int_equal(label.len, 6);
    assert_memory_equal(label.data, "global", 6);
    label = label_read(text("gen:call"), room);
    assert_int_equal(label.len, 8);
    memset(longer, 'x', sizeof longer);
    longer[0] = ':';
    label = label_read((struct ds_text){longer, sizeof longer}, room);
    assert_ptr_equal(label.data, longer);
    assert_int_equal(label.len, sizeof longer);
    label = label_read((struct ds_text){longer, LABEL_ROOM + 1}, room);
    assert_ptr_equal(label.data, room);
    assert_int_equal(label_read(text(""), room).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_labels_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
