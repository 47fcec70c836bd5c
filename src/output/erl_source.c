/*
 * erl_source.c - see erl_source.h.
 */
#include "erl_source.h"

#include <distsniff/code.h>
#include <distsniff/dissect.h>

#include <inttypes.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 6, TERM_INDENT = 10, BYTES_A_LINE = 36 };

void erl_clause(const char *name, uint64_t number, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s(%" PRIu64 ") ->\n    #{", name, number);
}

void erl_clause_end(struct ds_buffer *out)
{
    ds_buffer_add_text(out, "};\n");
}

void erl_first(const char *key, uint64_t number, struct ds_buffer *out)
{
    ds_buffer_printf(out, "%s => %" PRIu64, key, number);
}

/* next begins a field on a line of its own. */
static void next(const char *key, struct ds_buffer *out)
{
    ds_buffer_printf(out, ",\n%*s%s => ", INDENT, "", key);
}

void erl_number(const char *key, int64_t number, struct ds_buffer *out)
{
    ds_buffer_printf(out, ", %s => %" PRId64, key, number);
}

void erl_put_atom(struct ds_text atom, struct ds_buffer *out)
{
    ds_code_exact_atom(atom, DS_CODE_ERLANG, out);
}

void erl_atom(const char *key, struct ds_text atom, struct ds_buffer *out)
{
    if (atom.data == NULL)
        return;
    next(key, out);
    erl_put_atom(atom, out);
}

void erl_word(const char *key, const char *atom, struct ds_buffer *out)
{
    if (atom != NULL)
        erl_atom(key, (struct ds_text){atom, strlen(atom)}, out);
}

void erl_binary(const char *key, struct ds_text bytes, struct ds_buffer *out)
{
    if (bytes.data == NULL)
        return;
    next(key, out);
    ds_code_binary(bytes, DS_CODE_ERLANG, out);
}

bool erl_put_term(const struct ds_term *term, uint32_t indent, uint32_t max_depth,
                  struct ds_buffer *out)
{
    const struct ds_code_options options = {
        .language = DS_CODE_ERLANG,
        .exact = true,
        .width = WIDTH,
        .indent = indent,
        .max_depth = max_depth,
    };
    ds_buffer_printf(out, "\n%*s", (int)indent, "");
    return ds_code_term(term, &options, out);
}

bool erl_term(const char *key, const struct ds_term *term, uint32_t max_depth,
              struct ds_buffer *out)
{
    if (term->data == NULL)
        return true;
    ds_buffer_printf(out, ",\n%*s%s =>", INDENT, "", key);
    return erl_put_term(term, TERM_INDENT, max_depth, out);
}

void erl_put_bytes(const uint8_t *bytes, size_t len, struct ds_buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    ds_buffer_add_text(out, len == 0 ? "hex(<<" : "hex(<<\"");
    for (size_t i = 0; i < len; i++) {
        if (i != 0 && i % BYTES_A_LINE == 0)
            ds_buffer_printf(out, "\"\n%*s\"", TERM_INDENT + 6, "");
        const char pair[] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        ds_buffer_add(out, pair, sizeof pair);
    }
    ds_buffer_add_text(out, len == 0 ? ">>)" : "\">>)");
}

void erl_bytes(const char *key, const uint8_t *bytes, size_t len, struct ds_buffer *out)
{
    ds_buffer_printf(out, ",\n%*s%s =>\n%*s", INDENT, "", key, TERM_INDENT, "");
    erl_put_bytes(bytes, len, out);
}

void erl_put_address(const struct ds_endpoint *end, struct ds_buffer *out)
{
    const uint8_t *b = end->addr.bytes;
    const int num = end->addr.family == 4 ? 4 : 8;
    ds_buffer_add_text(out, "{{");
    for (int i = 0; i < num; i++)
        ds_buffer_printf(out, "%s%u", i == 0 ? "" : ",",
                         num == 4 ? b[i] : (unsigned)b[2 * i] << 8 | b[2 * i + 1]);
    ds_buffer_printf(out, "},%u}", (unsigned)end->port);
}

void erl_end(const char *key, const struct ds_endpoint *end, struct ds_buffer *out)
{
    next(key, out);
    if (end->node.data != NULL)
        erl_put_atom(end->node, out);
    else
        erl_put_address(end, out);
}

void erl_fault(const struct ds_fault *fault, struct ds_buffer *out)
{
    const char *what = fault->what != NULL ? fault->what : "";
    if (fault->kind == DS_FAULT_NONE)
        return;
    next("fault", out);
    ds_buffer_printf(out, "{%s, %" PRIu64 ", ", ds_fault_kind_name(fault->kind), fault->offset);
    ds_code_binary((struct ds_text){what, strlen(what)}, DS_CODE_ERLANG, out);
    ds_buffer_add_text(out, "}");
}

/* add_pid appends a pid by its numbers: NEW_PID, an atom of at most 255 bytes, 3 * 4 bytes. */
static bool add_pid(const struct party *party, struct ds_buffer *out)
{
    enum { NEW_PID = 88, ATOM_UTF8 = 118 };
    struct ds_buffer bytes = {0};
    const size_t len = party->node.len;
    const uint8_t head[] = {NEW_PID, ATOM_UTF8, (uint8_t)(len >> 8), (uint8_t)len};
    const uint32_t numbers[] = {__builtin_bswap32(party->id), __builtin_bswap32(party->serial),
                                __builtin_bswap32(party->creation)};
    ds_buffer_add(&bytes, head, sizeof head);
    ds_buffer_add(&bytes, party->node.data, len);
    ds_buffer_add(&bytes, numbers, sizeof numbers);
    const struct ds_term pid = {.data = (const uint8_t *)bytes.data, .len = bytes.len};
    const struct ds_code_options options = {.language = DS_CODE_ERLANG, .exact = true};
    bool ok = !bytes.failed && ds_code_term(&pid, &options, out);
    ds_buffer_free(&bytes);
    return ok;
}

bool erl_party(const char *key, const struct party *party, struct ds_buffer *out)
{
    const char *comma = "";
    bool ok = true;
    next(key, out);
    ds_buffer_add_text(out, "#{");
    if (party->name.data != NULL) {
        ds_buffer_add_text(out, "name => ");
        erl_put_atom(party->name, out);
        comma = ", ";
    }
    if (party->node.data != NULL) {
        ds_buffer_printf(out, "%snode => ", comma);
        erl_put_atom(party->node, out);
        comma = ", ";
    }
    if (party->has_pid && ds_atom_ok(party->node)) {
        ds_buffer_printf(out, "%s\n%*spid => ", comma[0] != '\0' ? "," : "", INDENT + 2, "");
        ok = add_pid(party, out);
    }
    ds_buffer_add_text(out, "}");
    return ok;
}
