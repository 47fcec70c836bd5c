/*
 * danger.h - what of connections and messages others can make use of: who can listen, cookies that
 * are sent, functions that give power over a node. Facts only: what is made of them is the matter
 * of findings and of --report audit.
 */
#ifndef SRC_DANGER_H
#define SRC_DANGER_H

#include "record/record.h"

/* Who can reach an address (RFC 6890): this host alone, a network of one's own, anybody. */
enum addr_scope { ADDR_LOCAL, ADDR_PRIVATE, ADDR_PUBLIC };
enum addr_scope addr_scope_of(const struct ds_addr *addr);

/* danger_is_one_host says whether both ends are one host, so that nobody else can listen. */
bool danger_is_one_host(const struct ds_conn *conn);

/* danger_is_old says whether a handshake message is of the protocol of before OTP 23, version 5. */
bool danger_is_old(const struct ds_handshake *handshake);

/* danger_has_cookie says whether a message has a cookie in it: those of nodes before OTP 21 do. */
bool danger_has_cookie(const struct ds_message *message);

/* danger_is_run says whether a message has a function run on the other node: rpc, erpc, spawn. */
static inline bool danger_is_run(const struct note *note)
{
    return note->role == NOTE_REQUEST || note->role == NOTE_CAST || note->role == NOTE_INFO;
}

/* danger is why it matters that somebody may call a function. */
struct danger {
    const char *mod, *fun; /* fun "": any */
    bool runs;             /* code, commands or files of the caller's choice */
    const char *what;      /* "runs a command of the host" */
};

/* danger_find returns the danger of a function, a row of dangerous.def; NULL: none is known. */
const struct danger *danger_find(struct ds_text mod, struct ds_text fun);

#endif
