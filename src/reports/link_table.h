/*
 * link_table.h - what --report links stores of a link, and its two tables: one with a line for each
 * link, and below it one with a line for each end.
 */
#ifndef SRC_LINK_TABLE_H
#define SRC_LINK_TABLE_H

#include "core/table.h"
#include "reports/report.h"

enum { LINK_NAME_LEN = 64 };

struct link_name {
    uint64_t hash; /* of the whole name, or only of its address */
    uint8_t len;
    bool is_cut, is_address;
    char text[LINK_NAME_LEN];
};

/* link_row is a link, as of its latest event. */
struct link_row {
    struct table_entry entry;
    uint64_t conn;
    struct link_name name[2];
    int64_t first_ns, last_ns, up_ns; /* up_ns: when the handshake was done */
    uint64_t bytes[2], messages[2], ticks[2], largest[2], gaps;
    uint64_t sent[2], again[2], stalls[2], ignored[2];
    int64_t stalled_ns[2], round_trip_ns[2], slow_trip_ns[2], tick_ns[2];
    const char *release[2];
    enum ds_close close;
    int64_t facts_ns; /* when the statistics were last updated */
    int8_t closed_by;
    int8_t unseen; /* the end whose packets were not captured, -1: none */
    const char *proto; /* of a connection other than a distribution connection; NULL: it is a link */
    bool is_up, is_late, is_tls, has_facts;
    bool is_under_way; /* its first record is not its beginning: that was before the capture or --since */
    bool is_chosen; /* some of its records were selected */
    bool has_before;
    uint64_t bytes_before[2], messages_before[2], ticks_before[2]; /* before --since */
};
TABLE_KEYED(struct link_row, conn);

/* link_sockets is what the kernel reports of a link, with --kernel. */
enum { MAX_SOCKETS = 4096 };
struct link_sockets {
    struct table_entry entry;
    uint64_t conn;
    struct ds_socket socket[2];
};
TABLE_KEYED(struct link_sockets, conn);

/* link_name_add appends a name, with dots if it was truncated. */
void link_name_add(const struct link_name *name, struct ds_buffer *out);

/* link_is_over says whether a link was closed, or is no longer followed. */
bool link_is_over(const struct link_row *row);

/* link_table_add appends the tables of links. total is the bytes of all links, for the shares;
 * sockets is a table of struct link_sockets. */
void link_table_add(const struct report_text *text, struct link_row *const *rows, size_t num,
                    uint64_t total, const struct table *sockets, struct ds_buffer *out);

/* link_table_write writes a link with both ends as an object. */
void link_table_write(const struct link_row *row, struct json_writer *json);

#endif
