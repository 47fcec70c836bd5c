/*
 * map_write.h - a record as an Erlang map: as Erlang source, as Elixir source, or in external term
 * format with its length in 4 bytes before it ({packet, 4}). The contents are the same in all
 * three, except that pids, ports, references and funs are real in the last, and in the others what
 * distsniff/code.h describes.
 */
#ifndef SRC_MAP_WRITE_H
#define SRC_MAP_WRITE_H

#include <distsniff/code.h>

enum map_form { MAP_ERLANG, MAP_ELIXIR, MAP_ETF };

enum { MAP_OPEN_MAX = 6 };

/* map_writer writes records one after the other. The owner sets out, form and max_depth. */
struct map_writer {
    struct ds_buffer *out;
    enum map_form form;
    uint32_t max_depth; /* of terms; 0: unlimited */
    size_t start;       /* where the record begins in out */
    bool failed;        /* memory ran out */
    struct {
        size_t num_at; /* in external format: the position of the number of its elements */
        uint32_t num;
    } open[MAP_OPEN_MAX]; /* nested maps and lists */
    unsigned num_open;
};

/* map_begin begins a record. */
void map_begin(struct map_writer *map);

/* map_end ends it. If memory ran out, out is as before the record, and out->failed is set. */
void map_end(struct map_writer *map);

/* map_key begins a field; its value follows. Keys are constants. */
void map_key(struct map_writer *map, const char *key);

/* Values: of a field, or of an element of a list, after map_element. */
void map_put_open(struct map_writer *map); /* a map */
void map_put_close(struct map_writer *map);
void map_put_list(struct map_writer *map);
void map_element(struct map_writer *map);
void map_put_list_end(struct map_writer *map);
void map_put_word(struct map_writer *map, const char *atom); /* plain */
void map_put_atom(struct map_writer *map, struct ds_text atom);
void map_put_binary(struct map_writer *map, struct ds_text bytes);
void map_put_unsigned(struct map_writer *map, uint64_t number);
void map_put_signed(struct map_writer *map, int64_t number);
/* A damaged term cannot be written in external format: '$damaged' replaces all of it there. */
void map_put_term(struct map_writer *map, const struct ds_term *term);
void map_put_pid(struct map_writer *map, struct ds_text node, uint32_t id, uint32_t serial,
                 uint32_t creation);
/* Words are in the order of the bytes; source text has them in reverse order, as #Ref<> does. */
void map_put_reference(struct map_writer *map, struct ds_text node, const uint32_t *words,
                       uint32_t num_words, uint32_t creation);

/* These write a field, key and value; nothing if the text, string or term is absent. */
void map_field_text(struct map_writer *map, const char *key, struct ds_text text);
void map_field_atom(struct map_writer *map, const char *key, struct ds_text atom);
void map_field_string(struct map_writer *map, const char *key, const char *text);
void map_field_word(struct map_writer *map, const char *key, const char *word); /* an atom */
void map_field_unsigned(struct map_writer *map, const char *key, uint64_t number);
void map_field_signed(struct map_writer *map, const char *key, int64_t number);
void map_field_bool(struct map_writer *map, const char *key, bool value);
void map_field_term(struct map_writer *map, const char *key, const struct ds_term *term);

/* map_put_tuple begins a tuple of num elements, separated by map_put_next. */
void map_put_tuple(struct map_writer *map, uint8_t num);
void map_put_next(struct map_writer *map);
void map_put_tuple_end(struct map_writer *map);

#endif
