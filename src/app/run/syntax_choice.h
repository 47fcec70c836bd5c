/*
 * syntax_choice.h - --syntax auto: whether the applications seen are written in Erlang or Elixir.
 * It counts modules, each once: Elixir modules anywhere, recognised by their names, and all other
 * modules that calls name, except those of Erlang/OTP.
 */
#ifndef SRC_SYNTAX_CHOICE_H
#define SRC_SYNTAX_CHOICE_H

#include "capture/capture.h"

#include <distsniff/otp.h>

enum {
    SYNTAX_MESSAGES = 500, /* decided after so many messages */
    SYNTAX_MODULES = 64,   /* or so many modules */
};

struct syntax_choice {
    struct ds_otp *otp; /* NULL: the syntax is decided */
    bool verbose;
    unsigned num_messages, num_elixir, num_modules;
    uint64_t modules[SYNTAX_MODULES]; /* hashes */
};

/* syntax_choice_begin looks at the first packets of files that can be read twice, so that it is
 * decided before anything is written; else it begins to observe. False after a complaint. */
bool syntax_choice_begin(struct syntax_choice *choice, struct capture *capture,
                         const struct ds_config *config, bool verbose);

/* syntax_choice_event processes the next event of a capture that could not be read in advance. */
void syntax_choice_event(struct syntax_choice *choice, const struct ds_event *event);

/* syntax_choice_end ends the observation; with -v it prints what was observed. */
void syntax_choice_end(struct syntax_choice *choice);

#endif
