/*
 * late_hints.h - what is said on standard error of connections that were up before the capture
 * began, and what --print-refresh writes.
 */
#ifndef SRC_LATE_HINTS_H
#define SRC_LATE_HINTS_H

#include <distsniff/dissect.h>
#include <stdio.h>

/* How code is brought to run in a node. */
enum refresh_way {
    REFRESH_ALL,
    REFRESH_ERL,
    REFRESH_IEX,
    REFRESH_ELIXIR,
    REFRESH_RABBITMQCTL,
    REFRESH_ERL_CALL,
};

/* late_hints_print_refresh writes the code that makes the nodes of a cluster send all atoms again. What it
 * sends, what that costs and how to run it are said on standard error if one way is asked for. */
void late_hints_print_refresh(enum refresh_way way, FILE *out);

/* late_hints_way finds a way by its name; false when there is none. */
bool late_hints_way(const char *name, enum refresh_way *way);

/* late_hints_joined says what to do about connections that were up before, in one line. */
void late_hints_joined(void);

/* late_hints_silence says what to type where nothing of Erlang has passed an expression. interface
 * may be NULL. */
void late_hints_silence(int seconds, const char *expression, const char *interface);

/* late_hints_known says that from here on all atoms of a direction are known. may_name: the nodes
 * may be named. */
void late_hints_known(const struct ds_conn *conn, unsigned dir, bool may_name);

#endif
