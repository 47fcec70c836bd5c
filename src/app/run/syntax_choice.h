/*
 * syntax_choice.h - --syntax auto: whether those whose messages are seen write Erlang or Elixir.
 * What counts are modules, each once: those of Elixir in whatever place, by their names, and all
 * others where a call names one that is none of Erlang/OTP's own.
 */
#ifndef SRC_SYNTAX_CHOICE_H
#define SRC_SYNTAX_CHOICE_H

#include "capture/capture.h"

#include <distsniff/otp.h>

enum {
    SYNTAX_MESSAGES = 500, /* after so many it is decided, */
    SYNTAX_MODULES = 64,   /* or so many modules */
};

struct syntax_choice {
    struct ds_otp *otp; /* NULL: there is nothing to find out any more */
    bool verbose;
    unsigned num_messages, num_elixir, num_modules;
    uint64_t modules[SYNTAX_MODULES]; /* hashed */
};

/* syntax_choice_begin begins to find out, and looks at the first packets of files that can be read
 * twice: then it is decided before anything is written. False after a complaint. */
bool syntax_choice_begin(struct syntax_choice *choice, struct capture *capture,
                         const struct ds_config *config, bool verbose);

/* syntax_choice_event takes the next event of a capture that could not be looked at. */
void syntax_choice_event(struct syntax_choice *choice, const struct ds_event *event);

/* syntax_choice_end ends it. */
void syntax_choice_end(struct syntax_choice *choice);

#endif
