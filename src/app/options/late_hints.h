/*
 * late_hints.h - messages on standard error about connections that were up before the capture
 * began, and the code of --print-refresh.
 */
#ifndef SRC_LATE_HINTS_H
#define SRC_LATE_HINTS_H

#include <distsniff/dissect.h>
#include <stdio.h>

/* How to run the code in a node. */
enum refresh_way {
    REFRESH_ALL,
    REFRESH_ERL,
    REFRESH_IEX,
    REFRESH_ELIXIR,
    REFRESH_RABBITMQCTL,
    REFRESH_ERL_CALL,
};

/* late_hints_print_refresh writes the code that makes the nodes of a cluster send all atoms again.
 * If one way is asked for, it also explains on standard error what the code sends, what that costs,
 * and how to run it. */
void late_hints_print_refresh(enum refresh_way way, FILE *out);

/* late_hints_way finds a way by its name; false if there is none. */
bool late_hints_way(const char *name, enum refresh_way *way);

/* late_hints_joined prints one line on what to do about connections that were up before. */
void late_hints_joined(void);

/* late_hints_silence prints what to type if an expression has let no Erlang traffic pass. interface
 * may be NULL. */
void late_hints_silence(int seconds, const char *expression, const char *interface);

/* late_hints_known prints that from now on all atoms of a direction are known. may_name: nodes may
 * be named. */
void late_hints_known(const struct ds_conn *conn, unsigned dir, bool may_name);

#endif
