/*
 * endpoint_cache.h - the ends of connections as text. Every record names both of them, who sends first,
 * and they hardly ever change.
 */
#ifndef SRC_ENDPOINT_CACHE_H
#define SRC_ENDPOINT_CACHE_H

#include <distsniff/event.h>

/* endpoint_print_fn appends what a format shows of the ends of a connection where that one sends. */
typedef void (*endpoint_print_fn)(const struct ds_conn *conn, unsigned from, struct ds_buffer *out);

struct endpoint_cache;

/* endpoint_cache_new returns an empty cache, NULL when memory ran out. */
struct endpoint_cache *endpoint_cache_new(endpoint_print_fn print);

/* endpoint_cache_get returns that text, ended by a NUL. It stays until the next call for the same end of
 * a connection with another number, or whose nodes are called otherwise. The two ends of one connection
 * never displace each other. When memory ran out the text is absent. */
struct ds_text endpoint_cache_get(struct endpoint_cache *cache, const struct ds_conn *conn,
                                  unsigned from);

void endpoint_cache_free(struct endpoint_cache *cache);

#endif
