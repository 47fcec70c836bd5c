/*
 * sink_tests.c - test modules over a fixture (sink_erlmod.c), for EUnit and for ExUnit. They
 * are templates/eunit.erl and templates/exunit.exs, which find in the fixture whatever there is
 * to test: nothing in them comes from a peer but the names that the user gave the files. So the
 * recording can be made anew beside a test that was edited.
 */
#include "fixture.h"
#include "sink.h"
#include "templates/templates.h"

#include <distsniff/code.h>

#include <string.h>

/* fixture_of returns the name of the module that -T erlmod writes, which option_conflicts.def
 * sees to that there is. */
static struct ds_text fixture_of(const struct options *options)
{
    for (size_t i = 0; i < options->num_formats; i++) {
        if (options->formats[i].kind == &sink_erlmod)
            return fixture_module(options->formats[i].file);
    }
    return (struct ds_text){"", 0};
}

/* add_cookie adds where the cookie is to be found. Itself it is not written to any file; where
 * something is redacted its file is nobody's business, and there are no digests to verify. */
static void add_cookie(const struct options *options, enum ds_code_language language,
                       struct ds_buffer *out)
{
    const char *file = options->redact == 0 ? options->cookie_file : NULL;
    if (file == NULL) {
        ds_buffer_add_text(out, language == DS_CODE_ERLANG ? "undefined" : "nil");
        return;
    }
    ds_buffer_add_text(out, language == DS_CODE_ERLANG ? "{file, " : "{:file, ");
    ds_code_binary((struct ds_text){file, strlen(file)}, language, out);
    ds_buffer_add_text(out, "}");
}

static bool open_tests(struct sink *sink, const struct template *template,
                       enum ds_code_language language)
{
    struct ds_buffer *out = &sink->output.buffer;
    const char *at = (const char *)template->bytes;
    const char *end = at + template->len;
    const char *const opens = language == DS_CODE_ERLANG ? "'@" : ":\"@";
    const char *const closes = language == DS_CODE_ERLANG ? "@'" : "@\"";
    const char *begin;
    while ((begin = memmem(at, (size_t)(end - at), opens, strlen(opens))) != NULL) {
        const char *word = begin + strlen(opens);
        const char *close = memmem(word, (size_t)(end - word), closes, strlen(closes));
        if (close == NULL)
            break;
        ds_buffer_add(out, at, (size_t)(begin - at));
        switch (*word) {
        case 'T':
            ds_code_atom(fixture_module(sink->output.name), language, out);
            break;
        case 'F':
            ds_code_atom(fixture_of(sink->options), language, out);
            break;
        default:
            add_cookie(sink->options, language, out);
            break;
        }
        at = close + strlen(closes);
    }
    ds_buffer_add(out, at, (size_t)(end - at));
    return !out->failed;
}

static bool eunit_open(struct sink *sink)
{
    return open_tests(sink, &template_eunit, DS_CODE_ERLANG);
}

static bool exunit_open(struct sink *sink)
{
    return open_tests(sink, &template_exunit, DS_CODE_ELIXIR);
}

static void no_record(struct sink *sink, const struct record *record)
{
    (void)sink;
    (void)record;
}

static void nothing(struct sink *sink)
{
    (void)sink;
}

const struct sink_kind sink_eunit = {
    .name = "eunit",
    .help = "tests for EUnit over the module that -T erlmod writes",
    .open = eunit_open,
    .record = no_record,
    .close = nothing,
    .check = fixture_check_erl,
    .keeps = true,
};

const struct sink_kind sink_exunit = {
    .name = "exunit",
    .help = "tests for ExUnit over the module that -T erlmod writes",
    .open = exunit_open,
    .record = no_record,
    .close = nothing,
    .check = fixture_check_exs,
    .keeps = true,
};
