/*
 * simple_filter.c - see simple_filter.h.
 */
#include "select/simple_filter.h"

#include "core/complain.h"
#include "core/elixir_name.h"
#include "core/suggest.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* The ops by name: control messages first, then those of EPMD. */
static const char *const op_names[] = {
#define OP(code, id, name, ...) #name,
#include <distsniff/ops.def>
#undef OP
#define EPMD(code, id, name) name,
#include <distsniff/epmd.def>
#undef EPMD
};

static const uint8_t op_codes[] = {
#define OP(code, id, name, ...) code,
#include <distsniff/ops.def>
#undef OP
};

enum { NUM_OPS = sizeof op_codes, NUM_NAMES = sizeof op_names / sizeof op_names[0] };
_Static_assert(DS_EPMD_COUNT <= 32, "a bit each");

const char *pick_op_name(size_t i)
{
    return i < NUM_NAMES ? op_names[i] : i == NUM_NAMES ? "socket_send" : NULL;
}

bool pick_is_unnamed_op(const char *word, size_t len)
{
    return len > 3 && len <= 6 && memcmp(word, "op_", 3) == 0 &&
           strspn(word + 3, "0123456789") >= len - 3;
}

static void add_code(struct op_set *set, unsigned code)
{
    set->codes[code / 64] |= UINT64_C(1) << code % 64;
    set->any = true;
}

static bool add_op(struct op_set *set, const char *word, size_t len)
{
    for (size_t i = 0; i < NUM_NAMES; i++) {
        if (strlen(op_names[i]) != len || memcmp(op_names[i], word, len) != 0)
            continue;
        if (i < NUM_OPS)
            add_code(set, op_codes[i]);
        else
            set->epmd |= UINT32_C(1) << (i - NUM_OPS);
        set->any = true;
        return true;
    }
    if (pick_is_unnamed_op(word, len)) {
        const unsigned long code = strtoul(word + 3, NULL, 10);
        if (code < 256) {
            add_code(set, (unsigned)code);
            return true;
        }
    }
    const char *nearest = suggest_find(word, len, op_names, NUM_NAMES);
    if (nearest != NULL)
        complain("--op: there is no op '%.*s': did you mean %s?", (int)len, word, nearest);
    else
        complain("--op: there is no op '%.*s'; ops are send, reg_send, link, exit ... or op_N",
                 (int)len, word);
    return false;
}

bool op_set_add(struct op_set *set, const char *list)
{
    for (const char *word = list;; word++) {
        const size_t len = strcspn(word, ",");
        if (!add_op(set, word, len))
            return false;
        word += len;
        if (*word == '\0')
            return true;
    }
}

bool op_set_has(const struct op_set *set, const struct ds_event *event)
{
    if (event->type == DS_EVENT_EPMD)
        return (set->epmd >> event->epmd.op & 1) != 0;
    if (event->type != DS_EVENT_MESSAGE)
        return false;
    const int64_t code = event->message.code;
    return code >= 0 && code < 256 && (set->codes[code / 64] >> code % 64 & 1) != 0;
}

/* parse_number reads ".N" at the end of text and removes it. */
static bool parse_number(struct ds_text *text, uint32_t *out)
{
    uint64_t number = 0, scale = 1;
    size_t at = text->len;
    while (at > 0 && text->data[at - 1] >= '0' && text->data[at - 1] <= '9' &&
           scale <= 1000000000) {
        number += (uint64_t)(text->data[at - 1] - '0') * scale;
        scale *= 10;
        at--;
    }
    if (at == text->len || at < 2 || text->data[at - 1] != '.' || number > UINT32_MAX)
        return false;
    text->len = at - 1;
    *out = (uint32_t)number;
    return true;
}

static size_t count_digits(struct ds_text text)
{
    size_t num = 0;
    while (num < text.len && text.data[num] >= '0' && text.data[num] <= '9')
        num++;
    return num;
}

/* parse_shown reads <85.0> and <85.0> of alice@host, as reports show pids. */
static bool parse_shown(struct pick_process *process, const char *word, size_t len)
{
    static const char of[] = "> of ";
    const char *at = memchr(word, '>', len);
    uint64_t id = 0;
    if (word[0] != '<' || at == NULL || (at[1] != '\0' && (strncmp(at, of, sizeof of - 1) != 0 ||
                                                          at[sizeof of - 1] == '\0')))
        return false;
    struct ds_text pid = {word + 1, (size_t)(at - word) - 1};
    if (!parse_number(&pid, &process->serial) || count_digits(pid) != pid.len)
        return false;
    for (size_t i = 0; i < pid.len && id <= UINT32_MAX; i++)
        id = id * 10 + (uint64_t)(pid.data[i] - '0');
    const struct ds_text node = {at + sizeof of - 1, len - (size_t)(at - word) - (sizeof of - 1)};
    process->id = (uint32_t)id;
    process->name = (struct ds_text){NULL, 0};
    process->node = at[1] == '\0' ? (struct ds_text){NULL, 0} : node;
    return id <= UINT32_MAX;
}

/* has_one_at says whether a word is the name of a node, with one @: calc@bob@10.0.0.1 has two. */
static bool has_one_at(struct ds_text node)
{
    const char *at = memchr(node.data, '@', node.len);
    return at != NULL && memchr(at + 1, '@', node.len - (size_t)(at - node.data) - 1) == NULL;
}

/* split_name splits a word into a name and its node: calc@bob@host, 'a b'@bob@host. */
static void split_name(struct pick_process *process, const char *word)
{
    const char *quote = word[0] == '\'' ? strchr(word + 1, '\'') : NULL;
    const char *at = strchr(quote != NULL ? quote : word, '@');
    if (at == NULL || at == word || at[1] == '\0' || (quote != NULL && at != quote + 1))
        return;
    process->name_there = quote != NULL ? (struct ds_text){word + 1, (size_t)(quote - word) - 1}
                                        : (struct ds_text){word, (size_t)(at - word)};
    process->there = (struct ds_text){at + 1, strlen(at + 1)};
}

bool pick_process_parse(struct pick_process *process, const char *word)
{
    static const char elixir[] = "#PID";
    const char *const given = word;
    if (strncmp(word, elixir, sizeof elixir - 1) == 0 && word[sizeof elixir - 1] == '<')
        word += sizeof elixir - 1;
    const size_t len = strlen(word);
    const bool bracketed = word[0] == '<';
    struct ds_text pid = {word, len};
    if (bracketed && word[len - 1] == '>')
        pid = (struct ds_text){word + 1, len - 2};
    *process = (struct pick_process){.word = given, .name = {word, len}};
    if (bracketed && parse_shown(process, word, len))
        return true;
    if (parse_number(&pid, &process->serial) && parse_number(&pid, &process->id)) {
        const bool any_node = count_digits(pid) == pid.len; /* shells number nodes by their own count */
        if (bracketed || any_node || has_one_at(pid)) {
            process->name = (struct ds_text){NULL, 0};
            process->node = any_node ? (struct ds_text){NULL, 0} : pid;
            return true;
        }
    }
    if (bracketed || len == 0) {
        complain("--process takes a registered name or a pid such as <alice@host.85.0>, not '%s'",
                 word);
        return false;
    }
    if (len > 2 && word[0] == '\'' && word[len - 1] == '\'')
        process->name = (struct ds_text){word + 1, len - 2};
    split_name(process, word);
    return true;
}

static bool is_same(struct ds_text a, struct ds_text b)
{
    return a.data != NULL && b.data != NULL && a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static bool is_text(struct ds_text word, struct ds_text text)
{
    return text.data != NULL && is_same(word, text);
}

/* is_global says whether a title is that name in global: with the quotes of an atom, or without, as
 * users write it. */
static bool is_global(struct ds_text word, struct ds_text title)
{
    static const char global[] = "global:";
    const size_t len = sizeof global - 1;
    if (title.data == NULL || title.len <= len || memcmp(title.data, global, len) != 0)
        return false;
    const struct ds_text name = {title.data + len, title.len - len};
    const bool is_quoted = name.len >= 2 && name.data[0] == '\'' && name.data[name.len - 1] == '\'';
    return is_same(word, name) ||
           (is_quoted && is_same(word, (struct ds_text){name.data + 1, name.len - 2}));
}

/* has_title says whether one of the titles is that name, in either language's syntax: as it is, or as
 * the name in global, which belongs to one process in the whole cluster. */
static bool has_title(struct ds_text name, const struct titles *titles)
{
    for (size_t i = 0; titles != NULL && i < titles->num; i++) {
        if (is_text(name, titles->text[i]) || is_text(name, titles->elixir[i]) ||
            is_global(name, titles->text[i]) || is_global(name, titles->elixir[i]))
            return true;
    }
    return false;
}

/* means says whether a user's word is that name, in either language's syntax. */
static bool means(struct ds_text word, struct ds_text name)
{
    return is_same(word, name) || elixir_name_means(word, name);
}

static bool is_process(const struct pick_process *process, const struct ds_term *term,
                       struct ds_text known_name, const struct titles *titles)
{
    if (process->name.data != NULL) {
        struct ds_text atom;
        return means(process->name, known_name) || has_title(process->name, titles) ||
               (term->data != NULL && ds_term_get_atom(term, &atom) &&
                means(process->name, atom));
    }
    struct ds_identity pid;
    return term->data != NULL && ds_term_get_identity(term, &pid) &&
           pid.kind == DS_IDENTITY_PID && pid.word[0] == process->id &&
           pid.word[1] == process->serial &&
           (process->node.data == NULL || is_same(process->node, pid.node));
}

/* has_name_sent_to says whether the message is sent to a name or alias of a process given as a pid. */
static bool has_name_sent_to(const struct pick_process *process, const struct record *record)
{
    const struct note *note = &record->note;
    return note->has_to_pid && process->name.data == NULL && note->to_id == process->id &&
           note->to_serial == process->serial &&
           (process->node.data == NULL ||
            is_same(process->node, record->event->conn->end[!record->event->dir].node));
}

/* is_host says whether a word is the host of a node, in full or its first part. */
static bool is_host(struct ds_text word, struct ds_text host)
{
    const char *dot = memchr(host.data, '.', host.len);
    return is_same(word, host) ||
           (dot != NULL && is_same(word, (struct ds_text){host.data, (size_t)(dot - host.data)}));
}

/* An end may be known only from EPMD, without its host. A name without a host means any node of this
 * name, and any node on the host of this name. */
static bool is_node(struct ds_text asked, struct ds_text node)
{
    if (node.data == NULL)
        return false;
    const char *asked_host = memchr(asked.data, '@', asked.len);
    const char *host = memchr(node.data, '@', node.len);
    if (asked_host == NULL && host != NULL) {
        const size_t name_len = (size_t)(host - node.data);
        if (is_host(asked, (struct ds_text){host + 1, node.len - name_len - 1}))
            return true;
        node.len = name_len;
    }
    if (asked_host != NULL && host == NULL)
        asked.len = (size_t)(asked_host - asked.data);
    return is_same(asked, node);
}

/* is_there says whether a process has the name, and is on the node, of a --process with both. */
static bool is_there(const struct pick_process *process, const struct ds_term *term,
                     struct ds_text known_name, const struct titles *titles, struct ds_text node)
{
    const struct pick_process named = {.name = process->name_there};
    return process->name_there.data != NULL && is_node(process->there, node) &&
           is_process(&named, term, known_name, titles);
}

bool pick_process_has(const struct pick_process *process, const struct record *record)
{
    if (record->event->type != DS_EVENT_MESSAGE)
        return false;
    const struct ds_endpoint *end = record->event->conn->end;
    const bool dir = record->event->dir;
    const struct ds_term *role = record->event->message.role;
    return is_process(process, &role[DS_ROLE_FROM], record->note.from_name,
                      record->note.from_titles) ||
           is_process(process, &role[DS_ROLE_TO], record->note.to_name,
                      record->note.to_titles) ||
           is_there(process, &role[DS_ROLE_FROM], record->note.from_name, record->note.from_titles,
                    end[dir].node) ||
           is_there(process, &role[DS_ROLE_TO], record->note.to_name, record->note.to_titles,
                    end[!dir].node) ||
           has_name_sent_to(process, record);
}

bool pick_process_is(const struct pick_process *process, const struct party *party)
{
    if (process->name.data != NULL)
        return means(process->name, party->name) || has_title(process->name, party->titles) ||
               (process->name_there.data != NULL && is_node(process->there, party->node) &&
                (means(process->name_there, party->name) || has_title(process->name_there, party->titles)));
    return party->has_pid && party->id == process->id && party->serial == process->serial &&
           (process->node.data == NULL || is_same(process->node, party->node));
}

/* pick_node_text returns the name of a node from the user's word, which in Elixir may be :"bob@h". */
struct ds_text pick_node_text(const char *node)
{
    struct ds_text asked = {node, strlen(node)};
    if (asked.len > 1 && asked.data[0] == ':')
        asked = (struct ds_text){asked.data + 1, asked.len - 1};
    if (asked.len > 2 && asked.data[0] == '"' && asked.data[asked.len - 1] == '"')
        asked = (struct ds_text){asked.data + 1, asked.len - 2};
    return asked;
}

/* node_place is what a word for a node may be: an address, alone or with a port. */
struct node_place {
    struct ds_addr addr; /* family 0: the word is not an address */
    uint16_t port;       /* 0: any port */
};

static bool parse_addr(const char *text, size_t len, bool is_bracketed, struct ds_addr *addr)
{
    char host[DS_ADDR_LEN];
    if (len >= sizeof host)
        return false;
    memcpy(host, text, len);
    host[len] = '\0';
    *addr = (struct ds_addr){0};
    if (!is_bracketed && inet_pton(AF_INET, host, addr->bytes) == 1)
        addr->family = 4;
    else if (inet_pton(AF_INET6, host, addr->bytes) == 1)
        addr->family = 6;
    return addr->family != 0;
}

static bool parse_port(const char *text, uint16_t *port)
{
    const size_t len = strlen(text);
    const bool is_number = len <= 5 && strspn(text, "0123456789") == len;
    const unsigned long number = is_number ? strtoul(text, NULL, 10) : 0;
    *port = (uint16_t)number;
    return number > 0 && number <= UINT16_MAX;
}

/* parse_place reads 10.0.0.1, 2001:db8::1 or [2001:db8::1]; with a port after a colon, or after a dot
 * as in printed text. Without brackets, everything after a colon is part of an IPv6 address. */
static struct node_place parse_place(const char *word)
{
    struct node_place place = {0};
    const char *host = word + (word[0] == '~'); /* as a node without a name is shown */
    const bool is_bracketed = host[0] == '[';
    if (!is_bracketed && host[0] != ':' && strspn(host, "0123456789abcdefABCDEF") == 0)
        return place; /* nearly all words are names */
    if (!is_bracketed && parse_addr(host, strlen(host), false, &place.addr))
        return place;
    host += is_bracketed;
    const char *end = is_bracketed ? strchr(host, ']') : strrchr(host, ':');
    if (!is_bracketed && (end == NULL || strchr(end, '.') != NULL))
        end = strrchr(host, '.');
    const char *port = end != NULL ? end + is_bracketed : NULL;
    if (end == NULL || !parse_addr(host, (size_t)(end - host), is_bracketed, &place.addr))
        return place;
    const bool is_alone = is_bracketed && *port == '\0';
    const bool may_follow = *port == '.' || (*port == ':' && (is_bracketed || place.addr.family == 4));
    if (!is_alone && (!may_follow || !parse_port(port + 1, &place.port)))
        place.addr.family = 0;
    return place;
}

static bool is_at(const struct node_place *place, const struct ds_addr *addr, uint16_t port)
{
    return place->addr.family != 0 && place->addr.family == addr->family &&
           memcmp(place->addr.bytes, addr->bytes, addr->family == 4 ? 4 : 16) == 0 &&
           (place->port == 0 || place->port == port);
}

bool pick_node_is_at(const char *node, const struct ds_addr *addr, uint16_t port)
{
    const struct node_place place = parse_place(node);
    return is_at(&place, addr, port);
}

bool pick_node_is_on(const char *node, const struct ds_addr *addr)
{
    const struct node_place place = parse_place(node);
    return is_at(&place, addr, place.port);
}

bool pick_node_is_written(const char *node, struct ds_text addr)
{
    char text[DS_ADDR_LEN + sizeof "[]:65535"];
    if (addr.len >= sizeof text)
        return false;
    memcpy(text, addr.data, addr.len);
    text[addr.len] = '\0';
    const struct node_place place = parse_place(node), written = parse_place(text);
    return is_at(&place, &written.addr, written.port != 0 ? written.port : place.port);
}

bool pick_node_has(const char *node, const struct ds_event *event)
{
    const struct ds_text asked = pick_node_text(node);
    const struct node_place place = parse_place(node);
    const struct ds_endpoint *end = event->conn->end;
    if (is_node(asked, end[0].node) || is_node(asked, end[1].node) ||
        is_at(&place, &end[0].addr, end[0].port) || is_at(&place, &end[1].addr, end[1].port))
        return true;
    if (event->type == DS_EVENT_EPMD)
        return is_node(asked, event->epmd.name);
    return event->type == DS_EVENT_HANDSHAKE && is_node(asked, event->handshake.name);
}

bool pick_node_is(const char *node, const struct party *party)
{
    return is_node(pick_node_text(node), party->node);
}
