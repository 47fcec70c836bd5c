/*
 * endpoint_cache.h - the ends of connections as text. Every record names both ends, the sender
 * first, and they rarely change.
 */
#ifndef SRC_ENDPOINT_CACHE_H
#define SRC_ENDPOINT_CACHE_H

#include <distsniff/event.h>

/* endpoint_print_fn appends the ends of a connection in a format; end from is the sender. */
typedef void (*endpoint_print_fn)(const struct ds_conn *conn, unsigned from, struct ds_buffer *out);

struct endpoint_cache;

/* endpoint_cache_new returns an empty cache, NULL if memory ran out. */
struct endpoint_cache *endpoint_cache_new(endpoint_print_fn print);

/* endpoint_cache_get returns that text, terminated by a NUL. Valid until the next call for the same
 * end of a connection with another number, or with other node names. The two ends of one connection
 * never evict each other. Absent if memory ran out. */
struct ds_text endpoint_cache_get(struct endpoint_cache *cache, const struct ds_conn *conn,
                                  unsigned from);

void endpoint_cache_free(struct endpoint_cache *cache);

#endif
