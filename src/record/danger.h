/*
 * danger.h - parts of connections and messages that can be abused: who can eavesdrop, cookies that are
 * sent, functions that give power over a node. This file has only the facts; findings and --report
 * audit judge them.
 */
#ifndef SRC_DANGER_H
#define SRC_DANGER_H

#include "record/record.h"

/* Who can reach an address (RFC 6890): this host alone, a private network, anyone. */
enum addr_scope { ADDR_LOCAL, ADDR_PRIVATE, ADDR_PUBLIC };
enum addr_scope addr_scope_of(const struct ds_addr *addr);

/* danger_is_one_host says whether both ends are on one host, so that no one else can eavesdrop. */
bool danger_is_one_host(const struct ds_conn *conn);

/* danger_is_old says whether a handshake message has version 5 of the protocol, from before OTP 23. */
bool danger_is_old(const struct ds_handshake *handshake);

/* danger_has_cookie says whether a message contains a cookie, as messages of nodes before OTP 21 do. */
bool danger_has_cookie(const struct ds_message *message);

/* danger_is_run says whether a message makes the other node run a function: rpc, erpc, spawn. */
static inline bool danger_is_run(const struct note *note)
{
    return note->role == NOTE_REQUEST || note->role == NOTE_CAST || note->role == NOTE_INFO;
}

/* danger says why it matters that someone may call a function. */
struct danger {
    const char *mod, *fun; /* fun is "": any function */
    bool runs;             /* it runs code, commands or files that the caller chooses */
    const char *what;      /* such as "runs a command of the host" */
};

/* danger_find returns the danger of a function, a row of dangerous.def; NULL if none is known. */
const struct danger *danger_find(struct ds_text mod, struct ds_text fun);

#endif
