/*
 * tcp_conversation.h - tests that feed a table of segments and compare the result of all of them,
 * once nothing waits any more.
 */
#ifndef TESTS_TCP_CONVERSATION_H
#define TESTS_TCP_CONVERSATION_H

#include "tcp_world.h"

struct conversation {
    void (*begin)(struct world *w); /* NULL: with the text of the entry */
    struct told told[8];            /* up to one without a text */
    const char *log;
    uint64_t ignored;
};

#define CONVERSATION(name) {#name, converse, setup_conversation, teardown, &(name)}

static inline int setup_conversation(void **state)
{
    struct conversation *conversation = *state;
    const int result = setup(state);
    if (result == 0)
        ((struct world *)*state)->user = conversation;
    return result;
}

static inline void converse(void **state)
{
    struct world *w = *state;
    const struct conversation *conversation = w->user;
    if (conversation->begin != NULL)
        conversation->begin(w);
    for (const struct told *told = conversation->told; told->text != NULL; told++)
        feed_told(w, told);
    tcp_table_settle(w->table);
    expect_log(w, conversation->log);
    assert_int_equal(w->stats.ignored, conversation->ignored);
}

#endif
