/*
 * test_reopen.c - outputs whose files were renamed: earlier output stays in the renamed file, and
 * later output begins in a new file with the name.
 */
#include "failing_alloc.h"
#include "output/sink.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/reopen.XXXXXX", name[64], old[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(name, sizeof name, "%s/x", folder);
    snprintf(old, sizeof old, "%s/old", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(name);
    unlink(old);
    return rmdir(folder);
}

static void assert_has(const char *file, const char *expected)
{
    char text[4096];
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    const size_t len = fread(text, 1, sizeof text - 1, in);
    text[len] = '\0';
    fclose(in);
    assert_string_equal(text, expected);
}

static void write_file(const char *file, const char *text)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void add(struct output_file *output, const char *text)
{
    ds_buffer_add_text(&output->buffer, text);
    output_file_end_record(output);
}

static struct sink open_one(const struct sink_kind *kind, const struct sink_config *config)
{
    struct sink sink;
    const struct sink_format format = {kind, name};
    unlink(name);
    assert_true(sink_open(&sink, &format, config));
    return sink;
}

static void stays_where_nothing_was_renamed(void **state)
{
    static const struct sink_config config;
    struct sink sink = open_one(&sink_json, &config);
    (void)state;
    add(&sink.output, "1\n");
    sink_reopen(&sink);
    add(&sink.output, "2\n");
    sink_close(&sink);
    assert_has(name, "1\n2\n");
}

static void goes_on_under_its_name(void **state)
{
    static const struct sink_config config;
    struct sink sink = open_one(&sink_json, &config);
    struct stat status;
    (void)state;
    add(&sink.output, "1\n");
    assert_int_equal(rename(name, old), 0);
    sink_reopen(&sink);
    add(&sink.output, "2\n");
    sink_close(&sink);
    assert_has(old, "1\n");
    assert_has(name, "2\n");
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void writes_lines_behind_what_is_there(void **state)
{
    static const struct sink_config config;
    struct sink sink = open_one(&sink_json, &config);
    (void)state;
    assert_int_equal(rename(name, old), 0);
    write_file(name, "somebody's\n");
    sink_reopen(&sink);
    add(&sink.output, "2\n");
    sink_close(&sink);
    assert_has(name, "somebody's\n2\n");
}

/* A format with a footer writes it, and one with a header begins the new file with it. */
static void ends_and_begins(void **state)
{
    static const struct sink_config config;
    struct sink sink = open_one(&sink_ex, &config);
    (void)state;
    assert_int_equal(rename(name, old), 0);
    write_file(name, "somebody's\n");
    sink_reopen(&sink);
    sink_close(&sink);
    assert_has(old, "# for Code.eval_file/1\n[\n]\n");
    assert_has(name, "# for Code.eval_file/1\n[\n]\n");
}

static void leaves_alone_what_is_no_file(void **state)
{
    static const struct sink_config config;
    struct sink sink;
    const struct sink_format format = {&sink_json, "/dev/null"};
    (void)state;
    assert_true(sink_open(&sink, &format, &config));
    const int fd = sink.output.fd;
    sink_reopen(&sink);
    assert_int_equal(sink.output.fd, fd);
    sink_close(&sink);
}

static void says_when_it_cannot(void **state)
{
    static const struct sink_config config;
    struct sink sink = open_one(&sink_json, &config);
    (void)state;
    assert_int_equal(rename(name, old), 0);
    assert_int_equal(mkdir(name, 0700), 0);
    sink_reopen(&sink); /* a folder has the name */
    add(&sink.output, "1\n");
    sink_close(&sink);
    assert_int_equal(rmdir(name), 0);
    assert_has(old, "1\n");
}

static void run_short_of_memory(void *context)
{
    static const struct sink_config config;
    const struct sink_kind *const kinds[] = {&sink_json, &sink_ex, &sink_mermaid, &sink_html};
    (void)context;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct sink sink;
        const struct sink_format format = {kinds[i], name};
        unlink(name);
        if (!sink_open(&sink, &format, &config))
            continue;
        assert_int_equal(rename(name, old), 0);
        sink_reopen(&sink);
        sink_close(&sink);
    }
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_short_of_memory, NULL) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_where_nothing_was_renamed),
        cmocka_unit_test(goes_on_under_its_name),
        cmocka_unit_test(writes_lines_behind_what_is_there),
        cmocka_unit_test(ends_and_begins),
        cmocka_unit_test(leaves_alone_what_is_no_file),
        cmocka_unit_test(says_when_it_cannot),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
