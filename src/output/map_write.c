/*
 * map_write.c - see map_write.h. The tags are those of erl_ext_dist:
 *
 *     length:4 131 MAP n:4 key value ...
 *     LIST n:4 element ... NIL      SMALL_TUPLE n:1 element ...      BINARY n:4 bytes
 *     SMALL_ATOM_UTF8 n:1 text      ATOM_UTF8 n:2 text
 *     INTEGER n:4                   SMALL_BIG n:1 sign:1 bytes, the lowest first
 *     NEW_PID node id:4 serial:4 creation:4
 *     NEWER_REFERENCE num:2 node creation:4 word:4 ...
 */
#include "map_write.h"

#include "term_show.h"

#include <inttypes.h>
#include <string.h>

enum {
    ETF_VERSION = 131,
    ETF_INTEGER = 98,
    ETF_NEW_PID = 88,
    ETF_NEWER_REFERENCE = 90,
    ETF_SMALL_TUPLE = 104,
    ETF_NIL = 106,
    ETF_LIST = 108,
    ETF_BINARY = 109,
    ETF_SMALL_BIG = 110,
    ETF_MAP = 116,
    ETF_ATOM_UTF8 = 118,
    ETF_SMALL_ATOM_UTF8 = 119,
};

static void etf_u8(struct ds_buffer *out, uint8_t value)
{
    ds_buffer_add(out, &value, sizeof value);
}

static void etf_u32(struct ds_buffer *out, uint32_t value)
{
    uint32_t wire = __builtin_bswap32(value);
    ds_buffer_add(out, &wire, sizeof wire);
}

static void etf_tagged_u32(struct ds_buffer *out, uint8_t tag, uint32_t value)
{
    etf_u8(out, tag);
    etf_u32(out, value);
}

/* etf_set fills in a number whose place was left open. */
static void etf_set(struct ds_buffer *out, size_t at, size_t value)
{
    uint32_t wire = __builtin_bswap32((uint32_t)value);
    if (!out->failed)
        memcpy(&out->data[at], &wire, sizeof wire);
}

static void etf_atom(struct ds_buffer *out, struct ds_text atom)
{
    static const char no_atom[] = "?atom";
    if (!ds_atom_ok(atom))
        atom = (struct ds_text){no_atom, sizeof no_atom - 1};
    if (atom.len <= UINT8_MAX) {
        etf_u8(out, ETF_SMALL_ATOM_UTF8);
    } else {
        etf_u8(out, ETF_ATOM_UTF8);
        etf_u8(out, (uint8_t)(atom.len >> 8));
    }
    etf_u8(out, (uint8_t)atom.len);
    ds_buffer_add(out, atom.data, atom.len);
}

static void etf_number(struct ds_buffer *out, bool negative, uint64_t magnitude)
{
    if (magnitude <= INT32_MAX) {
        etf_tagged_u32(out, ETF_INTEGER, negative ? 0 - (uint32_t)magnitude : (uint32_t)magnitude);
        return;
    }
    const uint8_t head[] = {ETF_SMALL_BIG, sizeof magnitude, negative};
    ds_buffer_add(out, head, sizeof head);
    ds_buffer_add(out, &magnitude, sizeof magnitude); /* little-endian, as the machine is */
}

/* What is source text in one of these. */
static void put(struct map_writer *map, const char *erlang, const char *elixir)
{
    ds_buffer_add_text(map->out, map->form == MAP_ERLANG ? erlang : elixir);
}

static enum ds_code_language language(const struct map_writer *map)
{
    return map->form == MAP_ERLANG ? DS_CODE_ERLANG : DS_CODE_ELIXIR;
}

static void begin(struct map_writer *map, uint8_t tag, const char *erlang, const char *elixir)
{
    map->open[map->num_open].num = 0;
    if (map->form == MAP_ETF) {
        etf_u8(map->out, tag);
        map->open[map->num_open].num_at = map->out->len;
        etf_u32(map->out, 0);
    } else {
        put(map, erlang, elixir);
    }
    map->num_open++;
}

static void end(struct map_writer *map, const char *close)
{
    map->num_open--;
    if (map->form == MAP_ETF)
        etf_set(map->out, map->open[map->num_open].num_at, map->open[map->num_open].num);
    else
        ds_buffer_add_text(map->out, close);
}

/* next begins the next of what is open. */
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
        etf_u32(map->out, 0);
        etf_u8(map->out, ETF_VERSION);
    }
    map_put_open(map);
}

void map_end(struct map_writer *map)
{
    const size_t length_len = 4;
    map_put_close(map);
    if (map->form == MAP_ETF)
        etf_set(map->out, map->start, map->out->len - map->start - length_len);
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
        etf_atom(map->out, text);
    else
        ds_code_key(text, language(map), map->out);
}

void map_put_open(struct map_writer *map)
{
    begin(map, ETF_MAP, "#{", "%{");
}

void map_put_close(struct map_writer *map)
{
    end(map, "}");
}

void map_put_list(struct map_writer *map)
{
    begin(map, ETF_LIST, "[", "[");
}

void map_element(struct map_writer *map)
{
    next(map);
}

void map_put_list_end(struct map_writer *map)
{
    end(map, "]");
    if (map->form == MAP_ETF)
        etf_u8(map->out, ETF_NIL);
}

void map_put_word(struct map_writer *map, const char *atom)
{
    map_put_atom(map, (struct ds_text){atom, strlen(atom)});
}

void map_put_atom(struct map_writer *map, struct ds_text atom)
{
    if (map->form == MAP_ETF)
        etf_atom(map->out, atom);
    else
        ds_code_atom(atom, language(map), map->out);
}

void map_put_binary(struct map_writer *map, struct ds_text bytes)
{
    if (map->form == MAP_ETF) {
        etf_tagged_u32(map->out, ETF_BINARY, (uint32_t)bytes.len);
        ds_buffer_add(map->out, bytes.data, bytes.len);
    } else {
        ds_code_binary(bytes, language(map), map->out);
    }
}

void map_put_unsigned(struct map_writer *map, uint64_t number)
{
    if (map->form == MAP_ETF)
        etf_number(map->out, false, number);
    else
        ds_buffer_printf(map->out, "%" PRIu64, number);
}

void map_put_signed(struct map_writer *map, int64_t number)
{
    if (map->form == MAP_ETF)
        etf_number(map->out, number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    else
        ds_buffer_printf(map->out, "%" PRId64, number);
}

/* map_put_copy puts a term in external format, without its 131. */
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

/* put_large says how many bytes a term has of which the text might become too long. */
static void put_large(struct map_writer *map, const struct ds_term *term)
{
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

/* put_tag begins a tuple that says what it is, of num elements: the second is the node. */
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
        etf_u8(map->out, ETF_NEW_PID);
        etf_atom(map->out, node);
        etf_u32(map->out, id);
        etf_u32(map->out, serial);
        etf_u32(map->out, creation);
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
        etf_u8(map->out, ETF_NEWER_REFERENCE);
        etf_u8(map->out, (uint8_t)(num_words >> 8));
        etf_u8(map->out, (uint8_t)num_words);
        etf_atom(map->out, node);
        etf_u32(map->out, creation);
        for (uint32_t i = 0; i < num_words; i++)
            etf_u32(map->out, words[i]);
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
    if (map->form == MAP_ETF) {
        etf_u8(map->out, ETF_SMALL_TUPLE);
        etf_u8(map->out, num);
    } else {
        put(map, "{", "{");
    }
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
