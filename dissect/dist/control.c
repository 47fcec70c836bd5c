/*
 * control.c - control messages (erl_dist_protocol, "Protocol between connected nodes").
 *
 *     {CODE, ELEMENT ...} [PAYLOAD]            after a distribution header
 *     131 {CODE, ELEMENT ...} [131 PAYLOAD]    in a pass-through frame
 *
 * ops.def lists the elements of each message. The common tuple, 104 N 97 CODE, is parsed without
 * the token walk. Each element is walked once, for its length and its atoms.
 */
#include "dist/control.h"

#include "dist/dist_header.h"
#include "dist/ops.h"
#include "etf/term_token.h"

enum {
    IS_PID = 1 << TERM_PID,
    IS_PORT = 1 << TERM_PORT,
    IS_REFERENCE = 1 << TERM_REFERENCE,
    IS_ATOM = 1 << TERM_ATOM,
    IS_INTEGER = 1 << TERM_INTEGER,
    IS_TUPLE = 1 << TERM_TUPLE,
    IS_LIST = 1 << TERM_LIST | 1 << TERM_NIL,
    IS_ANY = (1 << TERM_NUM_CLASSES) - 1,
};

/* The types that the element of each role may have. */
static const uint32_t ROLE_CLASSES[DS_ROLE_COUNT] = {
#define ROLE(letter, id, key, is) [DS_ROLE_##id] = is,
#include <distsniff/roles.def>
#undef ROLE
};

static const uint32_t TAG_CLASSES[256] = {
#define TAG(code, id, class) [code] = 1u << TERM_##class,
#include "etf/tags.def"
#undef TAG
};

enum { TAG_COMPRESSED = 80 };
enum { TOKEN_FLAGS, TOKEN_LABEL, TOKEN_SERIAL, TOKEN_FROM, TOKEN_PREVIOUS, TOKEN_LEN };

static const char WRONG_TYPE[] = "an element of the control tuple has the wrong type";

void control_fault(struct ds_event *event, const struct control_source *source,
                   const struct cursor *at, enum ds_fault_kind kind, const char *what)
{
    if (event->fault.kind != DS_FAULT_NONE)
        return;
    event->fault = (struct ds_fault){
        .kind = kind,
        .offset = source->base + cursor_offset(at, &source->start),
        .what = what,
    };
}

/* fault_of_walk records why a walk failed. In a damaged frame, a term that ends too early is
 * reported as the frame's damage. */
static void fault_of_walk(const struct control_source *source, const struct cursor *at,
                          enum term_status status, const char *what, struct ds_event *event)
{
    if (status == TERM_CUT && source->damage.kind != DS_FAULT_NONE) {
        control_fault(event, source, at, source->damage.kind, source->damage.what);
    } else {
        control_fault(event, source, at, DS_FAULT_MALFORMED, what);
    }
}

static inline struct ds_term term_view(const struct control_source *source, struct cursor start,
                                       const struct cursor *end, bool damaged)
{
    return (struct ds_term){
        .data = start.at,
        .len = cursor_offset(end, &start),
        .atoms = source->atoms.atoms,
        .num_atoms = source->atoms.num_atoms,
        .damaged = damaged,
    };
}

/* read_code reads the head of the tuple: the number of elements, and the code, which counts as one
 * of them. False if this is not a tuple that begins with an integer; at is then undefined. */
static bool read_code(const struct control_source *source, struct cursor *at, uint64_t *num_terms,
                      int64_t *code)
{
    struct cursor fast = *at;
    uint8_t tag, arity, integer_tag, value;
    if (cursor_read_u8(&fast, &tag) && cursor_read_u8(&fast, &arity) &&
        cursor_read_u8(&fast, &integer_tag) && cursor_read_u8(&fast, &value) &&
        tag == TERM_TAG_SMALL_TUPLE && arity != 0 && integer_tag == TERM_TAG_SMALL_INTEGER) {
        *at = fast;
        *num_terms = arity;
        *code = value;
        return true;
    }

    struct term_token token;
    if (term_read_token(at, &source->atoms, &token, NULL) != TERM_OK || token.class != TERM_TUPLE ||
        token.num_terms == 0)
        return false;
    *num_terms = token.num_terms;
    struct cursor start = *at;
    uint32_t unused = 0;
    if (term_check(at, &source->atoms, &unused, &unused, NULL) != TERM_OK)
        return false;
    struct ds_term first = term_view(source, start, at, false);
    return term_get_integer(&first, code);
}

/* check_term walks a term and adds its atom counts to the event. */
static enum term_status check_term(const struct control_source *source, struct cursor *at,
                                   struct ds_event *event, const char **what)
{
    struct term_counts counts = {0};
    const enum term_status status = term_check_counted(at, &source->atoms, &counts, what);
    event->unknown_atoms += counts.unknown;
    event->inferred_atoms += counts.inferred;
    event->likely_atoms += counts.likely;
    event->address_atoms += counts.address;
    event->message.atom_bytes += counts.atom_bytes;
    return status;
}

/* skip_known skips an element that consists of a known atom of the cache and numbers, as most do.
 * False for any other element, and nothing moves: use check_term then. */
static inline bool skip_known(const struct control_source *source, struct cursor *at,
                              struct ds_event *event)
{
    struct cursor next = *at;
    const struct ds_atom *atom;
    if (!token_skip_plain(&next, &source->atoms, &atom) || atom->state != DS_ATOM_KNOWN)
        return false;
    event->message.atom_bytes += atom->len;
    *at = next;
    return true;
}

/* read_element walks one element; out is a view of it. */
static bool read_element(const struct control_source *source, struct cursor *at,
                         struct ds_event *event, struct ds_term *out)
{
    struct cursor start = *at;
    const char *what = NULL;
    if (skip_known(source, at, event)) {
        *out = term_view(source, start, at, false);
        return true;
    }
    enum term_status status = check_term(source, at, event, &what);
    if (status != TERM_OK) {
        fault_of_walk(source, at, status, what, event);
        return false;
    }
    *out = term_view(source, start, at, false);
    return true;
}

/* has_class says whether the element that begins there has one of these classes. */
static inline bool has_class(struct cursor element, uint32_t classes)
{
    uint8_t tag;
    return cursor_peek_u8(&element, &tag) && (TAG_CLASSES[tag] & classes) != 0;
}

/* read_roles walks the elements after the code. False if one of them does not end. */
static bool read_roles(const struct control_source *source, struct cursor *at, const char *roles,
                       uint64_t num, struct ds_event *event, bool *types_fit)
{
    struct ds_term unused;
    uint32_t set = 0;
    for (; num != 0; roles++) {
        if (*roles == '?')
            continue;
        const enum ds_role role = op_role(*roles);
        const struct cursor start = *at;
        struct ds_term *out = role != DS_ROLE_COUNT ? &event->message.role[role] : &unused;
        if (!read_element(source, at, event, out))
            return false;
        num--;
        set |= 1u << role;
        if (role != DS_ROLE_COUNT && !has_class(start, ROLE_CLASSES[role]))
            *types_fit = false;
    }
    event->message.role_set = set & ((1u << DS_ROLE_COUNT) - 1);
    return true;
}

static void clear_roles(struct ds_message *message)
{
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        message->role[role] = (struct ds_term){0};
    message->role_set = 0;
}

/* read_token decodes {Flags, Label, Serial, From, Prev}; false if the term is not such a tuple. */
static bool read_token(const struct control_source *source, const struct ds_term *term,
                       struct ds_token *token)
{
    struct cursor at = cursor_make(term->data, term->len);
    struct term_token head;
    struct ds_term element[TOKEN_LEN];
    uint32_t unused = 0;
    if (term_read_token(&at, &source->atoms, &head, NULL) != TERM_OK || head.class != TERM_TUPLE ||
        head.num_terms != TOKEN_LEN)
        return false;
    for (int i = 0; i < TOKEN_LEN; i++) {
        struct cursor start = at;
        if (term_check(&at, &source->atoms, &unused, &unused, NULL) != TERM_OK)
            return false;
        element[i] = term_view(source, start, &at, false);
    }
    if (!term_get_integer(&element[TOKEN_FLAGS], &token->flags) ||
        !term_get_integer(&element[TOKEN_SERIAL], &token->serial) ||
        !term_get_integer(&element[TOKEN_PREVIOUS], &token->previous))
        return false;
    token->label = element[TOKEN_LABEL];
    token->from = element[TOKEN_FROM];
    token->present = true;
    return true;
}

/* check_token decodes the token of a message that has one. In ALTACT_SIG_SEND, the flags say
 * whether there is a token. */
static void check_token(const struct control_source *source, const struct cursor *start,
                        struct ds_event *event)
{
    struct ds_message *message = &event->message;
    const struct ds_term *term = &message->role[DS_ROLE_TOKEN];
    if (message->code == OP_ALTACT_SIG_SEND) {
        int64_t flags = 0;
        if (!term_get_integer(&message->role[DS_ROLE_FLAGS], &flags) ||
            ((flags & OP_ALTACT_TOKEN) != 0) != (term->data != NULL))
            control_fault(event, source, start, DS_FAULT_MALFORMED,
                          "the flags and the token of the message disagree");
    }
    if (term->data != NULL && !read_token(source, term, &message->token)) {
        message->token = (struct ds_token){0};
        control_fault(event, source, start, DS_FAULT_MALFORMED, "the token is not a seq_trace token");
    }
}

/* read_other walks a control term that is not a tuple of a known op. */
static bool read_other(const struct control_source *source, struct cursor *at, struct ds_event *event)
{
    const char *what = NULL;
    enum term_status status = check_term(source, at, event, &what);
    if (status != TERM_OK)
        fault_of_walk(source, at, status, what, event);
    return status == TERM_OK;
}

static bool read_version(const struct control_source *source, struct cursor *at, struct ds_event *event)
{
    uint8_t version;
    if (!source->pass_through)
        return true;
    if (!cursor_peek_u8(at, &version)) {
        fault_of_walk(source, at, TERM_CUT, "the frame ends where a term should begin", event);
        return false;
    }
    if (version != TERM_VERSION) {
        control_fault(event, source, at, DS_FAULT_MALFORMED, "a term does not begin with 131");
        return false;
    }
    return cursor_skip(at, 1);
}

bool control_read(const struct control_source *source, struct cursor *at, struct ds_event *event)
{
    struct ds_message *message = &event->message;
    message->code = -1;
    message->op = NULL;
    if (!read_version(source, at, event))
        return false;

    struct cursor start = *at;
    uint64_t num_terms = 0;
    int64_t code = -1;
    bool complete;
    bool types_fit = true;
    const struct op *op = NULL;
    if (!read_code(source, at, &num_terms, &code)) {
        *at = start;
        complete = read_other(source, at, event);
        control_fault(event, source, &start, DS_FAULT_MALFORMED,
                      "the control message is not a tuple that begins with an integer");
    } else {
        message->code = code;
        op = op_find(code);
        if (op == NULL || !op_fits(op, num_terms - 1)) {
            if (op != NULL)
                control_fault(event, source, &start, DS_FAULT_MALFORMED,
                              "the control tuple has the wrong number of elements");
            op = NULL;
            *at = start;
            complete = read_other(source, at, event);
        } else {
            message->op = &op->face;
            complete = read_roles(source, at, op->face.roles, num_terms - 1, event, &types_fit);
        }
    }
    struct cursor end = *at;
    if (!complete)
        end.at = end.end;
    message->control = term_view(source, start, &end, !complete);
    if (!types_fit) {
        control_fault(event, source, &start, DS_FAULT_MALFORMED, WRONG_TYPE);
        message->op = NULL;
        clear_roles(message);
    } else if (op != NULL && complete &&
               (message->role[DS_ROLE_TOKEN].data != NULL || code == OP_ALTACT_SIG_SEND)) {
        check_token(source, &start, event);
    }
    return complete;
}

/* inflate_payload replaces a payload that is compressed as a whole. */
static bool inflate_payload(const struct control_source *source, struct cursor *at,
                            struct dissect_ctx *env, struct cursor *out, struct ds_event *event)
{
    bool capped = false;
    const char *what = NULL;
    struct conn *conn = source->conn;
    const uint64_t *limits = env->config.limits;
    const uint64_t size = event->message.size;
    const uint64_t left =
        expansion_budget_left(&conn->growth, conn->tcp->now_ns, size, limits[DS_LIMIT_GROWTH]);
    const bool few = left < limits[DS_LIMIT_INFLATED];
    const uint64_t max_len = few ? left : limits[DS_LIMIT_INFLATED];
    enum term_status status = term_inflate(at, &env->arena, max_len, out, &capped, &what);
    if (status == TERM_OK) {
        expansion_budget_charge(&conn->growth, conn->tcp->now_ns, size, cursor_left(out));
        return true;
    }
    if (capped) {
        env->stats.limits_hit[few ? DS_LIMIT_GROWTH : DS_LIMIT_INFLATED]++;
        control_fault(event, source, at, DS_FAULT_CAP, what);
    } else {
        fault_of_walk(source, at, status, what, event);
    }
    return false;
}

void control_read_term(const struct control_source *source, struct cursor *at, struct dissect_ctx *env,
                       struct ds_event *event)
{
    struct ds_message *message = &event->message;
    if (!read_version(source, at, event))
        return;

    struct cursor start = *at;
    struct cursor inflated;
    uint8_t tag = 0;
    const char *what = NULL;
    if (cursor_peek_u8(at, &tag) && tag == TAG_COMPRESSED) {
        if (!inflate_payload(source, at, env, &inflated, event))
            return;
        start = inflated;
        enum term_status status = check_term(source, &inflated, event, &what);
        if (status != TERM_OK)
            control_fault(event, source, at, DS_FAULT_MALFORMED, what);
        message->payload = term_view(source, start, &inflated, status != TERM_OK);
    } else {
        enum term_status status = check_term(source, at, event, &what);
        struct cursor end = *at;
        if (status != TERM_OK) {
            fault_of_walk(source, at, status, what, event);
            end.at = end.end;
        }
        message->payload = term_view(source, start, &end, status != TERM_OK);
    }
}

void control_read_payload(const struct control_source *source, struct cursor *at,
                          struct dissect_ctx *env, struct ds_event *event)
{
    const struct ds_op *op = event->message.op;
    if (cursor_left(at) == 0) {
        if (source->damage.kind != DS_FAULT_NONE)
            control_fault(event, source, at, source->damage.kind, source->damage.what);
        else if (op != NULL && op->has_payload)
            control_fault(event, source, at, DS_FAULT_MALFORMED, "the payload is missing");
        return;
    }
    if (op != NULL && !op->has_payload) {
        control_fault(event, source, at, DS_FAULT_MALFORMED,
                      "bytes are left over after the control message");
        return;
    }
    control_read_term(source, at, env, event);
    if (source->damage.kind != DS_FAULT_NONE)
        control_fault(event, source, at, source->damage.kind, source->damage.what);
    else if (cursor_left(at) != 0)
        control_fault(event, source, at, DS_FAULT_MALFORMED,
                      "bytes are left over after the payload");
}

void control_limit_growth(struct dissect_ctx *env, struct conn *conn, struct ds_event *event)
{
    struct ds_message *message = &event->message;
    const int64_t now_ns = conn->tcp->now_ns;
    const uint64_t max = env->config.limits[DS_LIMIT_GROWTH];
    const uint64_t max_size = env->config.limits[DS_LIMIT_MESSAGE], size = message->size;
    /* Copying the message writes all its atoms out, so the limit on message size applies to that
     * size. */
    const bool is_large = message->atom_bytes > (size < max_size ? max_size - size : 0);
    if (!is_large && expansion_budget_is_free(size, message->atom_bytes))
        return; /* nearly always */
    if (message->atom_bytes == 0 ||
        (!is_large &&
         message->atom_bytes <= expansion_budget_left(&conn->growth, now_ns, size, max))) {
        expansion_budget_charge(&conn->growth, now_ns, size, message->atom_bytes);
        return;
    }
    env->stats.limits_hit[is_large ? DS_LIMIT_MESSAGE : DS_LIMIT_GROWTH]++;
    message->control = message->payload = (struct ds_term){0};
    message->token = (struct ds_token){0};
    clear_roles(message);
    event->fault = (struct ds_fault){
        .kind = DS_FAULT_CAP, .what = "with its cached atoms written out it is larger than allowed"};
}

enum proto_guess control_plausible(const struct control_source *source, struct cursor *at,
                                   bool *has_payload)
{
    struct ds_event event = {0};
    bool complete = control_read(source, at, &event);
    if (!complete)
        return event.fault.kind == source->damage.kind && source->damage.kind != DS_FAULT_NONE
                   ? PROTO_MORE
                   : PROTO_NO;
    if (event.message.op == NULL || event.fault.kind != DS_FAULT_NONE)
        return PROTO_NO;
    *has_payload = event.message.op->has_payload;
    return PROTO_YES;
}
