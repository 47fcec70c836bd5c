/*
 * data_names.c - see data_names.h. The tokens of a message are compared with patterns of
 * consecutive tokens.
 */
#include "atoms/data_names.h"

#include "atoms/atom_verdicts.h"
#include "atoms/data_name_list.h"
#include "atoms/raft_rounds.h"
#include "etf/term.h"

enum {
    MAX_TOKENS = 1024, /* of a message */
    MAX_PATTERN = 16,
    ENOUGH_ROUTED = 2, /* messages routed there, or answers */
    MOST_REFS = 255,   /* of a header to atoms */
    TO_ELEMENT = 4,    /* index of the token with the registered name in a control message */
};

static const double TOLD_WEIGHT = 12, ROUTED_WEIGHT = 8;
static const double ELSEWHERE_WEIGHT = 3; /* if it was seen only in other directions */

/* The letters of patterns; a digit is a tuple of that size. */
enum letter {
    ATOM = 'a', RESOURCE = 'r', QUEUE = 'q', EXCHANGE = 'x', NODE = 'n', NAMED = 'N',
    HOST_NAME = 'H', QUEUE_NAME = 'Q', EMPTY = 'e', ONE = '[', NIL = ']',
    MAP = '#', ENQUEUE = 'E', PID = 'p', INTEGER = 'i', RPC = 'A', REPLY = 'R', LIST = 'l',
};

/* The meaning of a pattern. */
enum meaning { TELLS, ENQUEUES, SENDS_ENTRIES, ANSWERS, ROUTED, HAS_NO_EXCHANGE, HAS_KEY, BEGINS_MAP };

#define RULE(letters, meaning) {letters, sizeof(letters) - 1, meaning}
struct data_rule {
    const char *letters;
    unsigned len;
    enum meaning meaning;
};

/* The patterns, by the class of their last token. */
static const struct data_rule on_atom[] = {
    /* {queue_event, Resource, {{Name, Node}, ...}} */
    RULE("3a4rHqQ22Nn", TELLS),
};
/* {append_entries_rpc, Term, {Name, Node}, _, Previous, _, Entries} */
#define SENT_ENTRIES RULE("7Ai2Nniiil", SENDS_ENTRIES)
static const struct data_rule on_list[] = {SENT_ENTRIES};
static const struct data_rule on_nil[] = {
    /* {enqueue, Pid, Number, {basic_message, {resource, Host, exchange, <<>>}, [Queue], ...}}:
     * only quorum queues receive this; the ROUTED row matches it, too */
    RULE("4Epi6a4rHxe[Q]", ENQUEUES),
    SENT_ENTRIES,
    RULE("4rHxe[Q]", ROUTED), /* {resource, Host, exchange, <<>>}, [Queue]: RabbitMQ 3 */
    RULE("a[Q]", HAS_KEY),    /* rk => [Queue], in one map: RabbitMQ 4, with */
};
static const struct data_rule on_binary[] = {
    RULE("ae", HAS_NO_EXCHANGE), /* x => <<>> */
};
static const struct data_rule on_integer[] = {
    /* {{Name, Node}, {append_entries_reply, Term, _, Next, _, _}} */
    RULE("22Nn6Riaiii", ANSWERS),
};
static const struct data_rule on_map[] = {RULE("#", BEGINS_MAP)};

#define RULES(of) {of, sizeof(of) / sizeof((of)[0])}
static const struct data_rules {
    const struct data_rule *rules;
    size_t num;
} rules_of[TERM_NUM_CLASSES] = {
    [TERM_ATOM] = RULES(on_atom),     [TERM_LIST] = RULES(on_list),       [TERM_NIL] = RULES(on_nil),
    [TERM_BINARY] = RULES(on_binary), [TERM_INTEGER] = RULES(on_integer), [TERM_MAP] = RULES(on_map),
};

struct data_walk {
    struct node_atoms *book;
    struct dissect_ctx *env;
    uint16_t bit;
    uint32_t other; /* creation of the node that the message goes to; 0: unknown */
    struct term_token last[MAX_PATTERN];
    unsigned num; /* tokens so far */
    struct ds_text host, queue;
    const struct ds_atom *named;
    uint64_t map_left;    /* terms left of the present map; 0: not in one */
    bool has_no_exchange; /* of the present map */
    struct ds_text key;   /* of the present map */
    uint16_t routed;      /* number of the name that the message is routed to; 0: none */
    bool is_routed_to_more;
};

static struct ds_text body_of(const struct term_token *token)
{
    return (struct ds_text){(const char *)token->body.at, cursor_left(&token->body)};
}

/* text_of returns the text of an atom, certain or likely; absent: unknown. */
static struct ds_text text_of(const struct term_token *token)
{
    if (token->atom == NULL)
        return body_of(token);
    return (struct ds_text){(const char *)token->atom->text, token->atom->len};
}

static bool is_text(const struct term_token *token, const char *text)
{
    const struct ds_text has = text_of(token);
    return token->class == TERM_ATOM && has.data != NULL && has.len == strlen(text) &&
           memcmp(has.data, text, has.len) == 0;
}

static bool is_node(const struct term_token *token)
{
    const struct ds_text text = text_of(token);
    return token->class == TERM_ATOM &&
           ((token->atom != NULL && token->atom->state == DS_ATOM_ADDRESS) ||
            (text.data != NULL && memchr(text.data, '@', text.len) != NULL));
}

static bool is_binary(const struct term_token *token, size_t least, size_t most)
{
    const size_t len = cursor_left(&token->body);
    return token->class == TERM_BINARY && len >= least && len <= most;
}

static bool is_letter(struct data_walk *walk, char letter, const struct term_token *token)
{
    switch (letter) {
    case ATOM: return token->class == TERM_ATOM;
    case RESOURCE: return is_text(token, "resource");
    case QUEUE: return is_text(token, "queue");
    case EXCHANGE: return is_text(token, "exchange");
    case NODE: return is_node(token);
    case NAMED: walk->named = token->atom; return token->class == TERM_ATOM;
    case HOST_NAME: walk->host = body_of(token); return is_binary(token, 1, DATA_NAME_HOST);
    case QUEUE_NAME: walk->queue = body_of(token); return is_binary(token, 1, DATA_NAME_QUEUE);
    case EMPTY: return is_binary(token, 0, 0);
    case ONE: return token->class == TERM_LIST && token->num_terms == 2;
    case NIL: return token->class == TERM_NIL;
    case MAP: return token->class == TERM_MAP;
    case ENQUEUE: return is_text(token, "enqueue");
    case PID: return token->class == TERM_PID;
    case INTEGER: return token->class == TERM_INTEGER;
    case RPC: return is_text(token, "append_entries_rpc");
    case REPLY: return is_text(token, "append_entries_reply");
    case LIST: return token->class == TERM_LIST || token->class == TERM_NIL;
    default: return token->class == TERM_TUPLE && token->num_terms == (uint64_t)(letter - '0');
    }
}

/* ends_here says whether a pattern ends with the latest token, and stores in walk what its
 * letters match. */
static bool ends_here(struct data_walk *walk, const struct data_rule *rule)
{
    for (unsigned i = 0; i < rule->len && rule->len <= walk->num; i++) {
        const unsigned at = walk->num - 1 - i;
        if (!is_letter(walk, rule->letters[rule->len - 1 - i], &walk->last[at % MAX_PATTERN]))
            return false;
    }
    return rule->len <= walk->num;
}

/* record records that a slot has a name. Each atom has one slot: if two slots have the same name,
 * both are doubtful. */
static void record(struct data_walk *walk, uint16_t slot, uint16_t name, bool is_told)
{
    struct node_atoms *book = walk->book;
    if (slot >= ATOM_BOOK_MODULUS || name == 0 || !node_atoms_has_names(book, walk->env))
        return;
    struct slot_name *s = &book->names[slot];
    const struct slot_name before = *s;
    if (s->name == 0 || (is_told && !s->is_told && s->name != name))
        *s = (struct slot_name){.name = name, .is_doubtful = s->is_doubtful};
    s->is_doubtful = s->is_doubtful || s->name != name;
    for (unsigned i = 0; before.name != s->name && i < ATOM_BOOK_MODULUS; i++) {
        if (i != slot && book->names[i].name == name) {
            s->is_doubtful = book->names[i].is_doubtful = true;
            book->generation++;
        }
    }
    s->is_told = s->is_told || is_told;
    s->routed += !is_told && s->routed < ENOUGH_ROUTED;
    s->seen_by |= walk->bit;
    if (memcmp(&before, s, sizeof before) != 0)
        atom_verdicts_forget(book, slot);
}

static void record_routed(struct data_walk *walk, struct ds_text queue)
{
    const uint16_t name = data_name_find(walk->book->books->data_names, queue);
    walk->is_routed_to_more = name == 0 || (walk->routed != 0 && walk->routed != name) ||
                                 walk->is_routed_to_more;
    walk->routed = name;
}

/* last_number returns the lowest 32 bits of the integer that is so many tokens before the latest. */
static uint32_t last_number(const struct data_walk *walk, unsigned before)
{
    struct cursor at = walk->last[(walk->num - 1 - before) % MAX_PATTERN].bytes;
    uint8_t tag, small, sign;
    uint32_t number = 0;
    if (!cursor_read_u8(&at, &tag))
        return 0;
    if (tag == TERM_TAG_SMALL_INTEGER)
        return cursor_read_u8(&at, &small) ? small : 0;
    if (tag == TERM_TAG_SMALL_BIG && cursor_read_u8(&at, &small) && cursor_read_u8(&at, &sign)) {
        uint8_t bytes[sizeof number] = {0}; /* the lowest first */
        if (!cursor_read_bytes(&at, bytes, small < sizeof bytes ? small : sizeof bytes))
            return 0;
        return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    }
    return tag == TERM_TAG_INTEGER && cursor_read_u32(&at, &number) ? number : 0;
}

/* record_entries records the entries that a leader sends. */
static void record_entries(struct data_walk *walk)
{
    enum { TERM_BEFORE = 7, PREVIOUS_BEFORE = 2 };
    const struct term_token *entries = &walk->last[(walk->num - 1) % MAX_PATTERN];
    const struct ds_atom *named = walk->named;
    if (named == NULL)
        return;
    struct raft_round round = {.leader = walk->book->creation, .follower = walk->other, .slot = named->slot,
                               .term = last_number(walk, TERM_BEFORE),
                               .next = last_number(walk, PREVIOUS_BEFORE) + 1};
    round.next += entries->class == TERM_LIST ? (uint32_t)entries->num_terms - 1 : 0;
    if (named->text != NULL)
        round.name =
            data_name_of(walk->book->books, (struct ds_text){(const char *)named->text, named->len});
    raft_rounds_add(walk->book->books, &round);
}

/* record_answer names the slot of a follower's queue. A repeated index counts once. */
static void record_answer(struct data_walk *walk)
{
    enum { TERM_BEFORE = 4, NEXT_BEFORE = 2 };
    const struct raft_round answer = {.leader = walk->other, .follower = walk->book->creation,
                                      .term = last_number(walk, TERM_BEFORE),
                                      .next = last_number(walk, NEXT_BEFORE)};
    const struct ds_atom *named = walk->named;
    const uint16_t name = raft_rounds_find(walk->book->books, &answer);
    if (named == NULL || named->state != DS_ATOM_UNKNOWN || name == 0 ||
        !node_atoms_has_names(walk->book, walk->env) || named->slot >= ATOM_BOOK_MODULUS ||
        walk->book->names[named->slot].answered == answer.next)
        return;
    record(walk, named->slot, name, false);
    walk->book->names[named->slot].answered = answer.next;
}

static void on_meaning(struct data_walk *walk, enum meaning meaning, bool is_in_map)
{
    switch (meaning) {
    case TELLS: {
        const uint16_t name = data_name_add(walk->book->books, walk->host, walk->queue);
        if (walk->named != NULL && walk->named->state == DS_ATOM_UNKNOWN)
            record(walk, walk->named->slot, name, true);
        break;
    }
    case ENQUEUES: (void)data_name_add(walk->book->books, walk->host, walk->queue); break;
    case SENDS_ENTRIES: record_entries(walk); break;
    case ANSWERS: record_answer(walk); break;
    case ROUTED: record_routed(walk, walk->queue); break;
    case BEGINS_MAP:
        walk->map_left = walk->last[(walk->num - 1) % MAX_PATTERN].num_terms;
        walk->has_no_exchange = false;
        walk->key = (struct ds_text){NULL, 0};
        break;
    case HAS_NO_EXCHANGE:
        walk->has_no_exchange = is_in_map;
        if (is_in_map && walk->key.data != NULL)
            record_routed(walk, walk->key);
        break;
    case HAS_KEY:
        walk->key = is_in_map ? walk->queue : (struct ds_text){NULL, 0};
        if (is_in_map && walk->has_no_exchange)
            record_routed(walk, walk->key);
        break;
    }
}

/* read_tokens reads a term and matches the patterns. */
static void read_tokens(struct data_walk *walk, const struct ds_term *term)
{
    struct cursor at = cursor_make(term->data, term->len);
    const struct term_env env = {term->atoms, term->num_atoms};
    uint64_t left = 1;
    walk->num = 0;
    walk->map_left = 0;
    while (left != 0 && walk->num < MAX_TOKENS) {
        struct term_token *token = &walk->last[walk->num % MAX_PATTERN];
        if (term_read_token(&at, &env, token, NULL) != TERM_OK)
            return;
        const bool is_in_map = walk->map_left != 0;
        left += token->num_terms;
        left--;
        walk->map_left = is_in_map ? walk->map_left - 1 + token->num_terms : 0;
        walk->num++;
        const struct data_rules *of = &rules_of[token->class];
        for (size_t i = 0; i < of->num; i++) {
            if (ends_here(walk, &of->rules[i]))
                on_meaning(walk, of->rules[i].meaning, is_in_map);
        }
    }
}

/* may_match says whether a pattern may match a message. All patterns have one of three atoms or a
 * map, so most messages need not be read. */
static bool may_match(const struct ds_term *payload)
{
    static const char *const words[] = {"resource", "append_entries_rpc", "append_entries_reply"};
    if (memchr(payload->data, TERM_TAG_MAP, payload->len) != NULL)
        return true;
    /* Without references, or with more than a header has, its atoms may be in the payload. */
    if (payload->num_atoms == 0 || payload->num_atoms >= MOST_REFS)
        return true;
    for (uint32_t i = 0; i < payload->num_atoms; i++) {
        const struct ds_atom *atom = &payload->atoms[i];
        for (size_t w = 0; w < sizeof words / sizeof words[0] && atom->text != NULL; w++) {
            if (atom->len == strlen(words[w]) && memcmp(atom->text, words[w], atom->len) == 0)
                return true;
        }
    }
    return false;
}

/* name_sent_to returns the atom of the registered name that a message is sent to; NULL: none. */
static const struct ds_atom *name_sent_to(const struct ds_message *message)
{
    enum { REG_SEND = 6, REG_SEND_TT = 16 };
    struct cursor at = cursor_make(message->control.data, message->control.len);
    const struct term_env env = {message->control.atoms, message->control.num_atoms};
    struct term_token token = {.class = TERM_NIL};
    if (message->code != REG_SEND && message->code != REG_SEND_TT)
        return NULL;
    for (int i = 0; i <= TO_ELEMENT; i++) {
        if (term_read_token(&at, &env, &token, NULL) != TERM_OK)
            return NULL;
    }
    return token.class == TERM_ATOM ? token.atom : NULL;
}

void data_names_see(struct node_atoms *book, struct dissect_ctx *env, uint64_t direction, uint32_t other,
                    const struct ds_message *message)
{
    struct data_walk walk = {.book = book, .env = env, .other = other};
    if (message->control.data == NULL || message->payload.data == NULL || book->is_liar)
        return;
    if (!may_match(&message->payload))
        return;
    walk.bit = node_atoms_bit_of(book, direction);
    read_tokens(&walk, &message->payload);
    const struct ds_atom *to = name_sent_to(message);
    if (to != NULL && to->state == DS_ATOM_UNKNOWN && !walk.is_routed_to_more)
        record(&walk, to->slot, walk.routed, false);
}

struct ds_text data_names_of(const struct node_atoms *book, uint16_t slot, uint16_t bit, double *weight)
{
    const struct slot_name *s = book->names != NULL ? &book->names[slot] : NULL;
    if (s == NULL || s->name == 0 || s->is_doubtful || (!s->is_told && s->routed < ENOUGH_ROUTED))
        return (struct ds_text){NULL, 0};
    *weight = (s->seen_by & bit) == 0 ? ELSEWHERE_WEIGHT : s->is_told ? TOLD_WEIGHT : ROUTED_WEIGHT;
    return data_name_text(book->books->data_names, s->name);
}
