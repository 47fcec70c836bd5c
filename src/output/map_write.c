/*
 * map_write.c - see map_write.h. In external format each map is preceded by a length of 4 bytes,
 * which counts what follows it.
 */
#include "output/map_write.h"

#include "core/term_show.h"

#include <distsniff/encode.h>
#include <inttypes.h>
#include <string.h>

enum { LENGTH_LEN = 4 };

/* atom_for returns a replacement for an atom that no node accepts. */
static struct ds_text atom_for(struct ds_text atom)
{
    return ds_atom_ok(atom) ? atom : (struct ds_text){"?atom", sizeof "?atom" - 1};
}

/* put writes source text in one of the two languages. */
static void put(struct map_writer *map, const char *erlang, const char *elixir)
{
    ds_buffer_add_text(map->out, map->form == MAP_ERLANG ? erlang : elixir);
}

static enum ds_code_language language(const struct map_writer *map)
{
    return map->form == MAP_ERLANG ? DS_CODE_ERLANG : DS_CODE_ELIXIR;
}

/* begin begins a map or list; open does so in external format. */
static void begin(struct map_writer *map, size_t (*open)(struct ds_buffer *out), const char *erlang,
                  const char *elixir)
{
    map->open[map->num_open].num = 0;
    if (map->form == MAP_ETF)
        map->open[map->num_open].num_at = open(map->out);
    else
        put(map, erlang, elixir);
    map->num_open++;
}

static void end(struct map_writer *map, const char *close)
{
    map->num_open--;
    if (map->form == MAP_ETF)
        ds_encode_close(map->out, map->open[map->num_open].num_at, map->open[map->num_open].num);
    else
        ds_buffer_add_text(map->out, close);
}

/* next begins the next element of the innermost map or list. */
static void next(struct map_writer *map)
{
    if (map->open[map->num_open - 1].num++ != 0 && map->form != MAP_ETF)
        ds_buffer_add_text(map->out, ", ");
}

void map_begin(struct map_writer *map)
{
    map->failed = false;
    map->num_open = 0;
    map->start = map->out->len;
    if (map->form == MAP_ETF) {
        ds_buffer_add(map->out, "\0\0\0", LENGTH_LEN);
        ds_encode_version(map->out);
    }
    map_put_open(map);
}

void map_end(struct map_writer *map)
{
    map_put_close(map);
    if (map->form == MAP_ETF)
        ds_encode_close(map->out, map->start,
                        (uint32_t)(map->out->len - map->start - LENGTH_LEN));
    else
        put(map, ".\n", ",\n");
    if (map->failed || map->out->failed) {
        map->out->len = map->start;
        map->out->failed = true;
    }
}

void map_key(struct map_writer *map, const char *key)
{
    const struct ds_text text = {key, strlen(key)};
    next(map);
    if (map->form == MAP_ETF)
        ds_encode_atom(map->out, text);
    else
        ds_code_key(text, language(map), map->out);
}

void map_put_open(struct map_writer *map)
{
    begin(map, ds_encode_open_map, "#{", "%{");
}

void map_put_close(struct map_writer *map)
{
    end(map, "}");
}

void map_put_list(struct map_writer *map)
{
    begin(map, ds_encode_open_list, "[", "[");
}

void map_element(struct map_writer *map)
{
    next(map);
}

void map_put_list_end(struct map_writer *map)
{
    end(map, "]");
    if (map->form == MAP_ETF)
        ds_encode_nil(map->out);
}

void map_put_word(struct map_writer *map, const char *atom)
{
    map_put_atom(map, (struct ds_text){atom, strlen(atom)});
}

void map_put_atom(struct map_writer *map, struct ds_text atom)
{
    if (map->form == MAP_ETF)
        ds_encode_atom(map->out, atom_for(atom));
    else
        ds_code_atom(atom, language(map), map->out);
}

void map_put_binary(struct map_writer *map, struct ds_text bytes)
{
    if (map->form == MAP_ETF)
        ds_encode_binary(map->out, bytes);
    else
        ds_code_binary(bytes, language(map), map->out);
}

void map_put_unsigned(struct map_writer *map, uint64_t number)
{
    if (map->form == MAP_ETF)
        ds_encode_number(map->out, false, number);
    else
        ds_buffer_printf(map->out, "%" PRIu64, number);
}

void map_put_signed(struct map_writer *map, int64_t number)
{
    if (map->form == MAP_ETF)
        ds_encode_number(map->out, number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    else
        ds_buffer_printf(map->out, "%" PRId64, number);
}

/* map_put_copy writes a term in external format, without its version byte 131. */
static void map_put_copy(struct map_writer *map, const struct ds_term *term)
{
    size_t at = map->out->len;
    if (ds_term_copy_portable(term, map->out)) {
        map->out->len--;
        memmove(&map->out->data[at], &map->out->data[at + 1], map->out->len - at);
    } else {
        map_put_word(map, "$damaged");
    }
}

/* put_large writes the size of a term whose text might be too long. */
static void put_large(struct map_writer *map, const struct ds_term *term)
{
    term_show_mark_cut();
    map_put_tuple(map, 2);
    map_put_word(map, "$large");
    map_put_next(map);
    map_put_unsigned(map, term->len);
    map_put_tuple_end(map);
}

void map_put_term(struct map_writer *map, const struct ds_term *term)
{
    const struct ds_code_options options = {.language = language(map), .max_depth = map->max_depth};
    if (map->form == MAP_ETF)
        map_put_copy(map, term);
    else if (term_show_is_large(term->len))
        put_large(map, term);
    else if (!ds_code_term(term, &options, map->out))
        map->failed = true;
}

/* put_tag begins a tuple of num elements: the first says what it is, the second is the node. */
static void put_tag(struct map_writer *map, const char *tag, struct ds_text node, uint8_t num)
{
    map_put_tuple(map, num);
    map_put_word(map, tag);
    map_put_next(map);
    map_put_atom(map, node);
    map_put_next(map);
}

void map_put_pid(struct map_writer *map, struct ds_text node, uint32_t id, uint32_t serial,
                 uint32_t creation)
{
    if (map->form == MAP_ETF) {
        ds_encode_pid(map->out, atom_for(node), id, serial, creation);
        return;
    }
    put_tag(map, "$pid", node, 5);
    map_put_unsigned(map, id);
    map_put_next(map);
    map_put_unsigned(map, serial);
    map_put_next(map);
    map_put_unsigned(map, creation);
    map_put_tuple_end(map);
}

void map_put_reference(struct map_writer *map, struct ds_text node, const uint32_t *words,
                       uint32_t num_words, uint32_t creation)
{
    if (map->form == MAP_ETF) {
        ds_encode_reference(map->out, atom_for(node), words, (uint16_t)num_words, creation);
        return;
    }
    put_tag(map, "$ref", node, 4);
    put(map, "[", "[");
    for (uint32_t i = num_words; i > 0; i--) {
        map_put_unsigned(map, words[i - 1]);
        if (i > 1)
            map_put_next(map);
    }
    put(map, "]", "]");
    map_put_next(map);
    map_put_unsigned(map, creation);
    map_put_tuple_end(map);
}

void map_put_tuple(struct map_writer *map, uint8_t num)
{
    if (map->form == MAP_ETF)
        ds_encode_tuple(map->out, num);
    else
        put(map, "{", "{");
}

void map_put_next(struct map_writer *map)
{
    if (map->form != MAP_ETF)
        put(map, ",", ", ");
}

void map_put_tuple_end(struct map_writer *map)
{
    if (map->form != MAP_ETF)
        put(map, "}", "}");
}

static struct ds_text text_of(const char *string)
{
    return (struct ds_text){string, string != NULL ? strlen(string) : 0};
}

void map_field_text(struct map_writer *map, const char *key, struct ds_text text)
{
    if (text.data == NULL)
        return;
    map_key(map, key);
    map_put_binary(map, text);
}

void map_field_atom(struct map_writer *map, const char *key, struct ds_text atom)
{
    if (atom.data == NULL)
        return;
    map_key(map, key);
    map_put_atom(map, atom);
}

void map_field_string(struct map_writer *map, const char *key, const char *text)
{
    map_field_text(map, key, text_of(text));
}

void map_field_word(struct map_writer *map, const char *key, const char *word)
{
    map_field_atom(map, key, text_of(word));
}

void map_field_unsigned(struct map_writer *map, const char *key, uint64_t number)
{
    map_key(map, key);
    map_put_unsigned(map, number);
}

void map_field_signed(struct map_writer *map, const char *key, int64_t number)
{
    map_key(map, key);
    map_put_signed(map, number);
}

void map_field_bool(struct map_writer *map, const char *key, bool value)
{
    map_key(map, key);
    map_put_word(map, value ? "true" : "false");
}

void map_field_term(struct map_writer *map, const char *key, const struct ds_term *term)
{
    if (term->data == NULL)
        return;
    map_key(map, key);
    map_put_term(map, term);
}
