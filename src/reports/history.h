/*
 * history.h - --report history: what a stream of findings says of days and weeks. Findings are read as
 * JSON, as -T nats publishes them; anybody may have published them.
 */
#ifndef SRC_HISTORY_H
#define SRC_HISTORY_H

#include <distsniff/term.h>
#include <stdbool.h>

struct history;

/* history_new returns NULL if memory ran out. */
struct history *history_new(void);
void history_free(struct history *history); /* NULL is allowed */

/* history_add adds a finding that a host published. A finding that several hosts made at the same time
 * counts once. False if it is not a finding. */
bool history_add(struct history *history, struct ds_text host, struct ds_text json);

/* history_print appends the tables; width: of the terminal, 0: unlimited. */
void history_print(struct history *history, unsigned width, struct ds_buffer *out);

#endif
