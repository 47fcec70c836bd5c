/*
 * distsniff/keylog.h - the secrets of TLS connections, as the nodes wrote them down: lines of
 * the NSS key log format (draft-ietf-tls-keylogfile).
 *
 * A key log outlives the sessions that use it (ds_config.keylog) and belongs to their thread.
 * It grows at any time: what a session holds of a connection is opened when its keys come. One
 * without secrets, of which none are expected, is as none.
 * Secrets are in no event and are wiped from memory when they are given up.
 */
#ifndef DISTSNIFF_KEYLOG_H
#define DISTSNIFF_KEYLOG_H

#include <distsniff/term.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

DS_BEGIN_PUBLIC

struct ds_keylog;

/* ds_keylog_stats: what was read so far. */
struct ds_keylog_stats {
    uint64_t secrets;   /* taken */
    uint64_t repeated;  /* known already */
    uint64_t malformed; /* lines that are no line of a key log; comments and empty ones are */
    uint64_t unused;    /* lines of secrets that open no messages */
    uint64_t dropped;   /* the oldest, beyond max_secrets */
    uint64_t no_memory;
    uint64_t used; /* see ds_keylog_used */
};

/* ds_keylog_new returns an empty key log, or NULL when memory ran out. max_secrets: how many it
 * keeps; the oldest go first. */
struct ds_keylog *ds_keylog_new(uint64_t max_secrets);
void ds_keylog_free(struct ds_keylog *keylog); /* NULL is allowed */

/* ds_keylog_add takes the next len bytes of a key log, which may begin and end anywhere in its
 * lines; ends of lines are LF, CR LF or CR. A line of more than 512 bytes is malformed. */
void ds_keylog_add(struct ds_keylog *keylog, const char *bytes, size_t len);

/* ds_keylog_try takes what may be a whole line, or the beginning of one that is still being written:
 * where it makes no sense as it is nothing is taken or counted, and where it does it may be given again. */
void ds_keylog_try(struct ds_keylog *keylog, const char *bytes, size_t len);

/* ds_keylog_end says that what was added last is complete: it ends its line. What follows is
 * the beginning of another file. */
void ds_keylog_end(struct ds_keylog *keylog);

/* ds_keylog_expect says that secrets may come after what they open, whatever ds_config.keylog_grows
 * says. */
void ds_keylog_expect(struct ds_keylog *keylog);

/* ds_keylog_on_want has want called whenever secrets are needed that are not there, and once more
 * before what they would open is given up as its connection ends: it may add them. */
void ds_keylog_on_want(struct ds_keylog *keylog, void (*want)(void *context), void *context);

/* ds_keylog_used calls take with each secret of a connection that a session has seen which notes
 * that (ds_config.keylog_notes), but for those that were noted before the returned value was after:
 * tcp is ds_conn.tcp, line a line of a key log with its end, which lives during the call. */
uint64_t ds_keylog_used(const struct ds_keylog *keylog, uint64_t after,
                        void (*take)(void *context, uint64_t tcp, struct ds_text line),
                        void *context);

const struct ds_keylog_stats *ds_keylog_stats(const struct ds_keylog *keylog);

DS_END_PUBLIC

#endif
