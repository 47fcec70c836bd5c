/*
 * match_record.c - see match_record.h. If calls are not correlated (--no-calls), a message has no note,
 * and is unwrapped here.
 */
#include "select/match_record.h"

#include "core/complain.h"
#include "core/own_labels.h"
#include "select/match_habits.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>

#include <distsniff/otp.h>
#include <stdlib.h>
#include <string.h>

struct match_record {
    struct ds_match *const *patterns;
    size_t num;
    const struct own_labels *own;
    struct ds_otp *otp; /* allocated when needed */
    uint64_t num_given_up, no_memory;
};

static void complain_pattern(const char *text, const struct ds_match_error *error)
{
    const char *habit = error->column != 0 ? match_habits_at(text, error->column - 1) : NULL;
    if (error->column == 0)
        complain("%s", error->what);
    else
        complain("-m: column %zu: %s", error->column, habit != NULL ? habit : error->what);
}

struct ds_match *match_record_compile(const char *text)
{
    struct ds_match_error error;
    const char *habit = match_habits_whole(text);
    if (habit != NULL) {
        complain("-m %s: %s", text, habit);
        return NULL;
    }
    struct ds_match *match = ds_match_compile(text, &error);
    const int module_len = match != NULL ? (int)match_habits_module(text) : 0;
    if (match == NULL)
        complain_pattern(text, &error);
    else if (module_len != 0)
        complain("-m: %.*s is a variable that matches any module: the Elixir module is "
                 "'Elixir.%.*s':...",
                 module_len, text + strspn(text, " \t\n"), module_len,
                 text + strspn(text, " \t\n"));
    return match;
}

struct match_record *match_record_new(struct ds_match *const *patterns, size_t num,
                                      const struct own_labels *own)
{
    struct match_record *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->patterns = patterns;
    m->num = num;
    m->own = own;
    return m;
}

void match_record_free(struct match_record *m)
{
    if (m == NULL)
        return;
    ds_otp_free(m->otp);
    free(m);
}

/* unwrap finds the data that a note would have: the function, or the contents of the wrapper. */
static void unwrap(struct match_record *m, const struct ds_message *message, struct note *note)
{
    const struct ds_term *mfa = &message->role[DS_ROLE_MFA];
    struct ds_otp_match found;
    struct ds_text name = {0};
    if (mfa->data == NULL && ds_message_kind(message) != DS_KIND_SEND)
        return;
    if (m->otp == NULL)
        m->otp = own_labels_table(m->own);
    if (m->otp == NULL) {
        m->no_memory++;
        return;
    }
    ds_term_get_atom(&message->role[DS_ROLE_TO], &name);
    if (mfa->data != NULL ? !ds_otp_find_spawn(m->otp, mfa, &message->payload, &found)
                          : !ds_otp_find_message(m->otp, name, &message->payload, &found))
        return;
    const struct ds_term *body =
        ds_otp_get(&found, found.kind == DS_OTP_REPLY ? DS_OTP_REPLY_TERM : DS_OTP_REQUEST);
    const struct ds_term *mod = ds_otp_get(&found, DS_OTP_M);
    const struct ds_term *fun = ds_otp_get(&found, DS_OTP_F);
    const struct ds_term *args = ds_otp_get(&found, DS_OTP_A);
    if (body != NULL)
        note->body = *body;
    if (mod != NULL && fun != NULL) {
        note->mod = *mod;
        note->fun = *fun;
        if (args != NULL)
            note->args = *args;
    }
}

static bool matches(struct match_record *m, enum ds_match_result result)
{
    m->num_given_up += result == DS_MATCH_GAVE_UP;
    m->no_memory += result == DS_MATCH_NO_MEMORY;
    return result == DS_MATCH_YES;
}

static bool pattern_fits(struct match_record *m, struct ds_match *pattern,
                         const struct ds_term *payload, const struct note *note)
{
    if (ds_match_is_for_calls(pattern) && note->mod.data != NULL &&
        matches(m, ds_match_run_call(pattern, &note->mod, &note->fun, &note->args)))
        return true;
    return ds_match_is_for_terms(pattern) &&
           ((payload->data != NULL && matches(m, ds_match_run_term(pattern, payload))) ||
            (note->body.data != NULL && note->body.data != payload->data &&
             matches(m, ds_match_run_term(pattern, &note->body))));
}

enum match_record_result match_record_run(struct match_record *m, const struct record *record)
{
    const struct ds_event *event = record->event;
    enum match_record_result result = MATCH_RECORD_NO;
    const struct note *note = &record->note;
    struct note own;
    if (event->type != DS_EVENT_MESSAGE)
        return MATCH_RECORD_NO;
    const struct ds_term *payload = &event->message.payload;
    if (note->role == NOTE_NONE && payload->data != NULL) {
        own = *note;
        unwrap(m, &event->message, &own);
        note = &own;
    }
    for (size_t i = 0; i < m->num && result != MATCH_RECORD_WITH_REPLY; i++) {
        if (!pattern_fits(m, m->patterns[i], payload, note))
            continue;
        result = ds_match_wants_return(m->patterns[i]) ? MATCH_RECORD_WITH_REPLY
                                                       : MATCH_RECORD_YES;
    }
    return result;
}

uint64_t match_record_num_given_up(const struct match_record *m)
{
    return m->num_given_up;
}

uint64_t match_record_no_memory(const struct match_record *m)
{
    return m->no_memory;
}
