/*
 * syntax_choice.c - see syntax_choice.h.
 */
#include "app/run/syntax_choice.h"

#include "app/run/first_pass.h"
#include "core/complain.h"
#include "core/hash.h"
#include "core/term_show.h"
#include "redact/redact_keep.h"

#include <distsniff/identity.h>

#include <string.h>

enum { LOOK_PACKETS = 5000 };

/* decide sets the syntax from now on. */
static void decide(struct syntax_choice *choice)
{
    const bool elixir = choice->num_elixir > choice->num_modules - choice->num_elixir;
    if (elixir)
        term_show_use(DS_SYNTAX_ELIXIR);
    if (choice->verbose)
        complain("--syntax auto: %s, because %u of the %u modules in the first %u messages are "
                 "Elixir's",
                 elixir ? "elixir" : "erlang", choice->num_elixir, choice->num_modules,
                 choice->num_messages);
    ds_otp_free(choice->otp);
    choice->otp = NULL;
}

static void add_module(struct syntax_choice *choice, struct ds_text name, bool is_elixir)
{
    const uint64_t hash = hash_more(1, name.data, name.len);
    for (unsigned i = 0; i < choice->num_modules; i++) {
        if (choice->modules[i] == hash)
            return;
    }
    if (choice->num_modules == SYNTAX_MODULES)
        return;
    choice->modules[choice->num_modules++] = hash;
    choice->num_elixir += is_elixir;
}

static bool is_elixir(struct ds_text name)
{
    static const char prefix[] = "Elixir.";
    return name.data != NULL && name.len > sizeof prefix - 1 &&
           memcmp(name.data, prefix, sizeof prefix - 1) == 0;
}

/* add_atoms adds the Elixir modules among the atoms that a message refers to. */
static void add_atoms(struct syntax_choice *choice, const struct ds_term *term)
{
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        const struct ds_atom *atom = &term->atoms[i];
        const struct ds_text name = {(const char *)atom->text, atom->len};
        if (ds_atom_is_certain(atom->state) && is_elixir(name))
            add_module(choice, name, true);
    }
}

static void add_call(struct syntax_choice *choice, const struct ds_message *message)
{
    const struct ds_term *mfa = &message->role[DS_ROLE_MFA];
    struct ds_otp_match match = {0};
    struct ds_text to = {0}, name;
    if (mfa->data == NULL && message->role[DS_ROLE_TO].data != NULL)
        ds_term_get_atom(&message->role[DS_ROLE_TO], &to);
    if (mfa->data != NULL ? !ds_otp_find_spawn(choice->otp, mfa, &message->payload, &match)
                          : !ds_otp_find_message(choice->otp, to, &message->payload, &match))
        return;
    const struct ds_term *module = ds_otp_get(&match, DS_OTP_M);
    if (module != NULL && ds_term_get_atom(module, &name) && !is_elixir(name) &&
        !redact_keep_is_otp(name))
        add_module(choice, name, false);
}

void syntax_choice_event(struct syntax_choice *choice, const struct ds_event *event)
{
    if (choice->otp == NULL || event->type != DS_EVENT_MESSAGE || event->past)
        return;
    add_atoms(choice, &event->message.control);
    add_atoms(choice, &event->message.payload);
    add_call(choice, &event->message);
    if (++choice->num_messages == SYNTAX_MESSAGES || choice->num_modules == SYNTAX_MODULES)
        decide(choice);
}

struct syntax_look {
    struct syntax_choice *choice;
    struct ds_session *session;
    uint64_t num_packets;
};

static void on_event(void *context, const struct ds_event *event)
{
    const struct syntax_look *look = context;
    syntax_choice_event(look->choice, event);
}

static bool look_at(void *context, const struct ds_packet *packet)
{
    struct syntax_look *look = context;
    ds_session_packet(look->session, packet);
    return look->choice->otp != NULL && ++look->num_packets < LOOK_PACKETS;
}

bool syntax_choice_begin(struct syntax_choice *choice, struct capture *capture,
                         const struct ds_config *config, bool verbose)
{
    struct syntax_look look = {.choice = choice};
    *choice = (struct syntax_choice){.otp = ds_otp_new(), .verbose = verbose};
    if (choice->otp == NULL) {
        complain("out of memory");
        return false;
    }
    if (capture->is_live)
        return true;
    struct ds_config counting = *config;
    counting.on_event = on_event;
    counting.atom_memory = NULL;
    const bool ok = first_pass_file(capture, &counting, &look.session, look_at, &look);
    if (choice->otp != NULL && choice->num_messages != 0)
        decide(choice);
    return ok;
}

void syntax_choice_end(struct syntax_choice *choice)
{
    if (choice->otp != NULL && choice->verbose)
        decide(choice);
    ds_otp_free(choice->otp);
    choice->otp = NULL;
}
