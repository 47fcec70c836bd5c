/*
 * refresh_code.c - see refresh_code.h.
 */
#include "record/refresh_code.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>
#include <string.h>

enum {
    LONGEST = 8192, /* bytes of arguments; the longest ones here have 1300 */
    MOST_ARGS = 2,  /* further arguments may bring functions that replace those of the code */
};

/* The code, as text. */
static const char *const texts[] = {
    REFRESH_ERLANG,
    REFRESH_ELIXIR_PARSES REFRESH_ELIXIR_RUNS,
    REFRESH_ELIXIR_PARSES "IO.inspect(" REFRESH_ELIXIR_RUNS ")",
    /* As --print-refresh printed it at first. */
    "S = \"" REFRESH_EXPRESSION "\",{ok, T, _} = erl_scan:string(S), {ok, E} = erl_parse:parse_exprs(T),"
    "[case R of {ok, {value, L, _}} -> length(L); _ -> R end || R <- erpc:multicall([node() | nodes()], "
    "erl_eval, exprs, [E, []])].",
};

/* The parsed code, as erl_parse:parse_exprs/1 of any release returns it: the expression that each node
 * runs, and the code as rabbitmqctl eval runs it. */
static const char *const parsed[] = {
    "[{lc,1,{call,1,{remote,1,{atom,1,erlang},{atom,1,send}},[{tuple,1,[{atom,1,"
    REFRESH_NAME
    "},{var,1,'N'}]},{call,1,{atom,1,binary_to_term},[{bin,1,[{bin_element,1,{integer,1,131},"
    "default,default},{bin_element,1,{integer,1,108},default,default},{bin_element,1,{integer,1,"
    "200},{integer,1,32},default},{bin_element,1,{bc,1,{bin,1,[{bin_element,1,{integer,1,75},"
    "default,default},{bin_element,1,{op,1,'+',{var,1,'J'},{var,1,'I'}},{integer,1,24},"
    "default}]},[{generate,1,{var,1,'I'},{call,1,{remote,1,{atom,1,lists},{atom,1,seq}},"
    "[{integer,1,0},{integer,1,199}]}}]},default,[binary]},{bin_element,1,{integer,1,106},"
    "default,default}]}]},{cons,1,{atom,1,noconnect},{nil,1}}]},[{generate,1,{var,1,'B'},{cons,1,"
    "{integer,1,2039},{cons,1,{integer,1,0},{nil,1}}}},{generate,1,{var,1,'J'},{call,1,{remote,1,"
    "{atom,1,lists},{atom,1,seq}},[{var,1,'B'},{op,1,'+',{var,1,'B'},{integer,1,2038}},{integer,"
    "1,200}]}},{generate,1,{var,1,'N'},{call,1,{atom,1,nodes},[]}}]}]",
    "[{call,1,{'fun',1,{clauses,[{clause,1,[],[],[{match,1,{tuple,1,[{atom,1,ok},{var,1,'T'},"
    "{var,1,'_'}]},{call,1,{remote,1,{atom,1,erl_scan},{atom,1,string}},[{string,1,\""
    REFRESH_EXPRESSION
    "\"}]}},{match,1,{tuple,1,[{atom,1,ok},{var,1,'E'}]},{call,1,{remote,1,{atom,1,erl_parse},"
    "{atom,1,parse_exprs}},[{var,1,'T'}]}},{lc,1,{'case',1,{var,1,'R'},[{clause,1,[{tuple,1,"
    "[{atom,1,ok},{tuple,1,[{atom,1,value},{var,1,'L'},{var,1,'_'}]}]}],[],[{tuple,1,[{atom,1,"
    "ok},{call,1,{atom,1,length},[{var,1,'L'}]}]}]},{clause,1,[{var,1,'_'}],[],[{var,1,'R'}]}]},"
    "[{generate,1,{var,1,'R'},{call,1,{remote,1,{atom,1,erpc},{atom,1,multicall}},[{cons,1,{call,"
    "1,{atom,1,node},[]},{call,1,{atom,1,nodes},[]}},{atom,1,erl_eval},{atom,1,exprs},{cons,1,"
    "{var,1,'E'},{cons,1,{nil,1},{nil,1}}}]}}]}]}]}},[]}]",
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n';
}

/* is_same compares two texts, ignoring blanks. */
static bool is_same(struct ds_text text, const char *code)
{
    size_t at = 0;
    for (;; at++, code++) {
        while (at < text.len && is_blank(text.data[at]))
            at++;
        while (is_blank(*code))
            code++;
        if (at == text.len || *code == '\0')
            return at == text.len && *code == '\0';
        if (text.data[at] != *code)
            return false;
    }
}

static bool is_parsed(const struct ds_term *exprs)
{
    enum { ALL = 1 << 20 };
    const struct ds_term_print_options options = {
        .max_bytes = ALL, .max_items = ALL, .max_depth = ALL, .max_len = ALL, .unmarked = true};
    struct ds_buffer text = {0};
    bool is = false;
    if (ds_term_print(exprs, &options, &text) && !text.failed && text.len != 0) {
        for (size_t i = 0; !is && i < sizeof parsed / sizeof parsed[0]; i++)
            is = text.len == strlen(parsed[i]) && memcmp(text.data, parsed[i], text.len) == 0;
    }
    ds_buffer_free(&text);
    return is;
}

bool refresh_code_is(const struct ds_term *args)
{
    struct ds_term_list list;
    struct ds_term code;
    struct ds_text text;
    uint32_t num;
    if (args->data == NULL || args->len > LONGEST || !ds_term_get_length(args, &num) || num > MOST_ARGS ||
        !ds_term_get_list(args, &list) || !ds_term_list_next(&list, &code))
        return false;
    if (!ds_term_get_binary(&code, &text))
        return is_parsed(&code);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (is_same(text, texts[i]))
            return true;
    }
    return false;
}

bool refresh_code_is_sent(const struct ds_message *message)
{
    const struct ds_term *control = &message->control;
    for (uint32_t i = 0; i < control->num_atoms; i++) {
        const struct ds_atom *atom = &control->atoms[i];
        if (atom->text != NULL && atom->len == sizeof REFRESH_NAME - 1 &&
            memcmp(atom->text, REFRESH_NAME, atom->len) == 0)
            return true;
    }
    return false;
}
