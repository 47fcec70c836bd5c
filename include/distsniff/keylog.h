/*
 * distsniff/keylog.h - the secrets of TLS connections that nodes have logged: lines of the NSS key log
 * format (draft-ietf-tls-keylogfile), and keys as distsniff-keys writes them (docs/tls.md).
 *
 * A key log outlives the sessions that use it (ds_config.keylog) and belongs to their thread. Secrets can
 * be added at any time: when the keys of a connection come, a session decrypts the data that it has
 * kept. An empty key log counts as none, unless secrets are expected (ds_keylog_expect). Secrets never
 * appear in events. They are wiped from memory when they are evicted.
 */
#ifndef DISTSNIFF_KEYLOG_H
#define DISTSNIFF_KEYLOG_H

#include <distsniff/term.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

DS_BEGIN_PUBLIC

struct ds_keylog;

/* ds_keylog_stats counts what was read so far. */
struct ds_keylog_stats {
    uint64_t secrets;   /* secrets that were added */
    uint64_t repeated;  /* secrets that were known already */
    uint64_t malformed; /* lines in another format; comments and empty lines are not counted */
    uint64_t unused;    /* lines with secrets of kinds that decrypt no messages */
    uint64_t dropped;   /* old secrets evicted because of max_secrets */
    uint64_t no_memory;
    uint64_t used; /* see ds_keylog_used */
};

/* ds_keylog_new returns an empty key log, or NULL when memory ran out. max_secrets: how many secrets it
 * keeps; the oldest are evicted first. */
struct ds_keylog *ds_keylog_new(uint64_t max_secrets);
void ds_keylog_free(struct ds_keylog *keylog); /* NULL is allowed */

/* ds_keylog_add reads the next len bytes of a key log. They may begin and end anywhere in a line. Lines end
 * with LF, CR LF or CR. A line of more than 512 bytes is malformed. */
void ds_keylog_add(struct ds_keylog *keylog, const char *bytes, size_t len);

/* ds_keylog_try reads bytes that are a whole line, or the beginning of a line that is still being written.
 * If they are no valid line, nothing is added or counted. A valid line may be passed again later. */
void ds_keylog_try(struct ds_keylog *keylog, const char *bytes, size_t len);

/* ds_keylog_end ends the last line. The next bytes that are added begin another file. */
void ds_keylog_end(struct ds_keylog *keylog);

/* ds_keylog_expect says that secrets may come after the data that they decrypt, whatever
 * ds_config.keylog_grows says. */
void ds_keylog_expect(struct ds_keylog *keylog);

/* ds_keylog_on_want sets the function that is called when secrets are missing, and again before data is
 * abandoned for lack of them because its connection ends. It may add secrets. */
void ds_keylog_on_want(struct ds_keylog *keylog, void (*want)(void *context), void *context);

/* ds_keylog_used calls take with each secret for which sessions with ds_config.keylog_notes have found
 * a connection since an earlier call returned `after` (0: since the beginning). tcp is ds_conn.tcp.
 * line is a line of a key log with its line end; it lives during the call. Returns the next `after`. */
uint64_t ds_keylog_used(const struct ds_keylog *keylog, uint64_t after,
                        void (*take)(void *context, uint64_t tcp, struct ds_text line), void *context);

const struct ds_keylog_stats *ds_keylog_stats(const struct ds_keylog *keylog);

DS_END_PUBLIC

#endif
