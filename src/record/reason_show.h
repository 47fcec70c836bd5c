/*
 * reason_show.h - why something failed, as this run shows it: in Elixir's syntax as Elixir tells it,
 * ** (ArithmeticError) bad argument in arithmetic expression.
 */
#ifndef SRC_REASON_SHOW_H
#define SRC_REASON_SHOW_H

#include <distsniff/term.h>

/* reason_show appends a reason. is_error: it is known to be that of an error which was raised; else it is
 * where a stack stands behind it, as it does where a process ends by one. In Elixir's syntax exceptions,
 * errors and exits are as Exception.format_exit/1 says them, but in one line and with the stack as a
 * term; what that only repeats, as :normal and :killed, is a term, too. False when memory ran out. */
bool reason_show(const struct ds_term *reason, bool is_error,
                 const struct ds_term_print_options *options, struct ds_buffer *out);

#endif
