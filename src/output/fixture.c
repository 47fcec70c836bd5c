/*
 * fixture.c - see fixture.h.
 */
#include "fixture.h"

#include "complain.h"

#include <distsniff/code.h>

#include <string.h>

struct ds_text fixture_module(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    return (struct ds_text){name, dot != NULL ? (size_t)(dot - name) : strlen(name)};
}

/* is_plain says whether name is an atom without quotes. */
static bool is_plain(struct ds_text name)
{
    struct ds_buffer text = {0};
    ds_code_atom(name, DS_CODE_ERLANG, &text);
    bool plain = !text.failed && text.len == name.len && name.len != 0 &&
                 memcmp(text.data, name.data, name.len) == 0;
    ds_buffer_free(&text);
    return plain;
}

static bool check(const char *file, const char *ending)
{
    if (file == NULL) {
        complain("such a module is named after its file: give one, -T FORMAT=my_module%s",
                 ending);
        return false;
    }
    const struct ds_text name = fixture_module(file);
    if (strcmp(name.data + name.len, ending) != 0 || !is_plain(name)) {
        complain("'%s' is no name for such a module: it takes a small letter, then letters, "
                 "digits and _, then %s, as in my_module%s",
                 file, ending, ending);
        return false;
    }
    return true;
}

bool fixture_check_erl(const char *file)
{
    return check(file, ".erl");
}

bool fixture_check_exs(const char *file)
{
    return check(file, ".exs");
}
