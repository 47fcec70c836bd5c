/*
 * reason_show.c - see reason_show.h.
 *
 *   {Reason, Stack}                  an error: Stack begins with {Module, Function, Args or Arity, Where}
 *   {Reason, {Module, Function, Args}}   a call that failed for that reason
 */
#include "record/reason_show.h"

#include "core/character.h"
#include "core/printable.h"
#include "core/term_show.h"
#include "record/record.h"

#include <distsniff/identity.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_LAYERS = 4, MAX_TERMS = 2, CALL_LEN = 200 };

static const struct known_reason {
    const char *word;
    uint32_t num_terms;
    const char *exception; /* NULL: an exit */
    const char *text;
} known_reasons[] = {
#define ERROR(word, arity, exception, text) {word, arity, exception, text},
#define EXIT(word, arity, text) {word, arity, NULL, text},
#include "record/reasons.def"
#undef EXIT
#undef ERROR
};

/* stack_top is the function on top of a stack trace. */
struct stack_top {
    struct ds_text module, name; /* absent: there is no stack trace */
    uint32_t arity;
};

/* parts is a reason that is split into a word and the terms after it in its tuple. */
struct parts {
    struct ds_text word;
    uint32_t num_terms;
    struct ds_term terms[MAX_TERMS];
};

static bool split_reason(const struct ds_term *reason, struct parts *parts)
{
    struct ds_term first;
    parts->num_terms = 0;
    if (ds_term_get_atom(reason, &parts->word))
        return true;
    if (!ds_term_get_element(reason, 0, &first) || !ds_term_get_atom(&first, &parts->word))
        return false;
    while (parts->num_terms < MAX_TERMS &&
           ds_term_get_element(reason, parts->num_terms + 1, &parts->terms[parts->num_terms]))
        parts->num_terms++;
    return !ds_term_get_element(reason, MAX_TERMS + 1, &first);
}

static const struct known_reason *find_reason(const struct parts *parts, bool is_error,
                                              bool has_function)
{
    for (size_t i = 0; i < sizeof known_reasons / sizeof known_reasons[0]; i++) {
        const struct known_reason *known = &known_reasons[i];
        if ((known->exception != NULL) == is_error && known->num_terms == parts->num_terms &&
            strlen(known->word) == parts->word.len &&
            memcmp(known->word, parts->word.data, parts->word.len) == 0 &&
            (has_function || strstr(known->text, "%f") == NULL))
            return known;
    }
    return NULL;
}

/* show_text appends the text of a row. */
static void show_text(const struct known_reason *known, const struct parts *parts,
                      const struct stack_top *at, const struct ds_term_print_options *options,
                      struct ds_buffer *out)
{
    struct ds_text word;
    for (const char *c = known->text; *c != '\0'; c++) {
        if (*c != '%') {
            ds_buffer_add(out, c, 1);
            continue;
        }
        switch (*++c) {
        case 'f':
            term_show_call(at->module, at->name, out);
            ds_buffer_printf(out, "/%" PRIu32, at->arity);
            break;
        case 'w':
            if (ds_term_get_atom(&parts->terms[0], &word))
                printable_text(word, out);
            else
                term_show(&parts->terms[0], options, out);
            break;
        default:
            term_show(&parts->terms[*c - '1'], options, out);
            break;
        }
    }
}

/* read_stack says whether a term is a stack trace that is not empty, and reads its top. */
static bool read_stack(const struct ds_term *term, struct stack_top *at)
{
    struct ds_term_list list;
    struct ds_term entry, module, name, arity, where;
    int64_t number;
    *at = (struct stack_top){.arity = 0};
    if (!ds_term_get_list(term, &list) || !ds_term_list_next(&list, &entry) ||
        !ds_term_get_element(&entry, 0, &module) || !ds_term_get_element(&entry, 1, &name) ||
        !ds_term_get_element(&entry, 2, &arity) || !ds_term_get_element(&entry, 3, &where) ||
        !ds_term_get_atom(&module, &at->module) || !ds_term_get_atom(&name, &at->name))
        return false;
    if (ds_term_get_integer(&arity, &number) && number >= 0 && number <= UINT8_MAX)
        at->arity = (uint32_t)number;
    else if (!ds_term_get_length(&arity, &at->arity))
        return false;
    return true;
}

/* read_exception reads an Elixir exception, %{__struct__: Module, __exception__: true, message: "..."}.
 * It returns false if the term is something else, or has no message. */
static bool read_exception(const struct ds_term *term, struct ds_term *module, struct ds_text *message)
{
    struct ds_term value;
    struct ds_text is_exception, name;
    return ds_term_get_value(term, "__exception__", &value) &&
           ds_term_get_atom(&value, &is_exception) && is_exception.len == strlen("true") &&
           memcmp(is_exception.data, "true", is_exception.len) == 0 &&
           ds_term_get_value(term, "__struct__", module) && ds_term_get_atom(module, &name) &&
           ds_term_get_value(term, "message", &value) && ds_term_get_binary(&value, message);
}

/* show_message appends the message, up to the limit for texts of terms. */
static void show_message(struct ds_text message, const struct ds_term_print_options *options,
                         struct ds_buffer *out)
{
    size_t shown = message.len;
    if (options != NULL && options->max_bytes != 0)
        shown = character_cut(message.data, message.len, options->max_bytes);
    printable_text((struct ds_text){message.data, shown}, out);
    if (shown < message.len)
        ds_buffer_printf(out, "... %zu more bytes", message.len - shown);
}

/* show_exception shows an Elixir exception and whatever follows it. Returns false if it is not one. */
static bool show_exception(const struct ds_term *reason,
                           const struct ds_term_print_options *options, struct ds_buffer *out)
{
    struct ds_term exception = *reason, stack, module;
    struct ds_text message;
    const bool has_stack = ds_term_get_pair(reason, &exception, &stack);
    if (!read_exception(&exception, &module, &message))
        return false;
    ds_buffer_add_text(out, "** (");
    term_show(&module, options, out);
    ds_buffer_add_text(out, ") ");
    show_message(message, options, out);
    if (has_stack) {
        ds_buffer_add_text(out, " ");
        term_show(&stack, options, out);
    }
    return true;
}

/* show_error shows an Erlang error with its stack trace, which may be absent. */
static void show_error(const struct ds_term *error, const struct ds_term *stack,
                       const struct stack_top *at, const struct ds_term_print_options *options,
                       struct ds_buffer *out)
{
    struct parts parts;
    const struct known_reason *known =
        split_reason(error, &parts) ? find_reason(&parts, true, at->module.data != NULL) : NULL;
    if (known != NULL) {
        ds_buffer_printf(out, "** (%s) ", known->exception);
        show_text(known, &parts, at, options, out);
    } else {
        ds_buffer_add_text(out, "** (ErlangError) Erlang error: ");
        term_show(error, options, out);
    }
    if (stack != NULL) {
        ds_buffer_add_text(out, " ");
        term_show(stack, options, out);
    }
}

/* strip_call removes the call from {Reason, {Module, Function, Args}}, and shows it. */
static bool strip_call(struct ds_term *reason, struct ds_buffer *out)
{
    struct ds_term inner, call, more;
    uint32_t num_args;
    struct ds_text word;
    struct note note = {.call = 0};
    if (!ds_term_get_pair(reason, &inner, &call) || !ds_term_get_element(&call, 0, &note.mod) ||
        !ds_term_get_element(&call, 1, &note.fun) || !ds_term_get_element(&call, 2, &note.args) ||
        ds_term_get_element(&call, 3, &more) || !ds_term_get_atom(&note.mod, &word) ||
        !ds_term_get_atom(&note.fun, &word) || !ds_term_get_length(&note.args, &num_args))
        return false;
    ds_buffer_add_text(out, "** (EXIT) exited in: ");
    note_print_mfa_as(DS_SYNTAX_ELIXIR, &note, CALL_LEN, out);
    ds_buffer_add_text(out, " ");
    *reason = inner;
    return true;
}

/* strip_exit removes the wrapper that rpc and catch put around a reason: {'EXIT', Reason}. */
static bool strip_exit(struct ds_term *reason)
{
    struct ds_term first, inner;
    struct ds_text word;
    if (!ds_term_get_pair(reason, &first, &inner) || !ds_term_get_atom(&first, &word) ||
        word.len != 4 || memcmp(word.data, "EXIT", 4) != 0)
        return false;
    *reason = inner;
    return true;
}

static void show_in_elixir(struct ds_term reason, bool is_error,
                           const struct ds_term_print_options *options, struct ds_buffer *out)
{
    struct ds_term error, stack;
    struct stack_top at = {.arity = 0};
    struct parts parts;
    for (int i = 0; i < MAX_LAYERS && (strip_exit(&reason) || strip_call(&reason, out)); i++)
        is_error = false;
    if (show_exception(&reason, options, out))
        return;
    if (ds_term_get_pair(&reason, &error, &stack) && read_stack(&stack, &at)) {
        show_error(&error, &stack, &at, options, out);
        return;
    }
    if (is_error) {
        show_error(&reason, NULL, &at, options, out);
        return;
    }
    const struct known_reason *known =
        split_reason(&reason, &parts) ? find_reason(&parts, false, false) : NULL;
    if (known == NULL) {
        term_show(&reason, options, out);
        return;
    }
    ds_buffer_add_text(out, "** (EXIT) ");
    show_text(known, &parts, &at, options, out);
}

bool reason_show(const struct ds_term *reason, bool is_error,
                 const struct ds_term_print_options *options, struct ds_buffer *out)
{
    if (term_show_syntax() == DS_SYNTAX_ELIXIR)
        show_in_elixir(*reason, is_error, options, out);
    else
        term_show(reason, options, out);
    return !out->failed;
}
