/*
 * infer.c - see infer.h. ops.def lists which node the pids and references of a control message
 * belong to: a node sends its own pids as senders, monitors with its own references, and returns
 * the receiver's references to it. A group leader, or a pid that was passed on, proves nothing.
 */
#include "dist/infer.h"

#include "atoms/node_atoms.h"
#include "atoms/node_slot_names.h"
#include "dist/ops.h"
#include "dist/registry.h"

#include <stdio.h>

/* inference is the context of the functions here. */
struct inference {
    struct dissect_ctx *env;
    struct conn *conn;
    struct atom_cache *cache;
    struct ds_atom *refs;
    uint32_t num_refs;
    int dir;
    bool resolved; /* a slot was resolved */
};

static bool text_equal(struct ds_text a, struct ds_text b)
{
    return a.len == b.len && a.data != NULL && b.data != NULL && memcmp(a.data, b.data, a.len) == 0;
}

/* resolve sets a slot, and the references to it, to a text that is not from the wire. */
static void resolve(struct inference *in, uint16_t slot, struct ds_text text, enum ds_atom_state state)
{
    const struct ds_atom old = atoms_get(in->cache, slot);
    if (in->refs == NULL || ds_atom_is_certain(old.state))
        return; /* the same header overwrites it afterwards */
    if (old.state != state || !text_equal((struct ds_text){(const char *)old.text, old.len}, text))
        atoms_set(in->cache, in->env, slot, text, false, state);
    for (uint32_t i = 0; i < in->num_refs; i++) {
        if (in->refs[i].slot == slot && !ds_atom_is_certain(in->refs[i].state))
            in->refs[i] = atoms_get(in->cache, slot);
    }
    in->resolved = true;
}

/* recall_slot names an end by what the sender of the message has sent elsewhere for that slot. */
static void recall_slot(struct inference *in, uint16_t slot, int end)
{
    const struct ds_endpoint *endpoint = &in->conn->view.end[end];
    const struct ds_endpoint *sender = &in->conn->view.end[in->dir];
    uint32_t *seen = &in->conn->slots_seen[in->dir][end];
    if (in->env->books == NULL || in->env->config.certain || !in->conn->creation_certain[in->dir] ||
        !in->conn->creation_certain[end] || *seen == all_node_atoms_num_names(in->env->books))
        return;
    *seen = all_node_atoms_num_names(in->env->books);
    const struct ds_text name = node_slot_names_find(in->env->books, sender, slot, endpoint);
    if (name.data != NULL)
        conn_set_node(in->env, in->conn, end, name, endpoint->creation, true);
}

size_t infer_address(const struct ds_endpoint *end, char text[INFER_ADDRESS_LEN])
{
    char addr[DS_ADDR_LEN];
    ds_addr_print(&end->addr, addr);
    return (size_t)snprintf(text, INFER_ADDRESS_LEN, end->addr.family == 6 ? "~[%s]:%u" : "~%s:%u", addr,
                            (unsigned)end->port);
}

static bool has_host(struct ds_text name)
{
    return name.data != NULL && memchr(name.data, '@', name.len) != NULL;
}

/* resolve_node sets a slot to the name of an end. If this connection has not shown the name, it
 * uses the name of the node known to listen there, which is likely; otherwise the address. */
static void resolve_node(struct inference *in, uint16_t slot, int end)
{
    const struct ds_endpoint *endpoint = &in->conn->view.end[end];
    if (in->conn->certain[end]) {
        resolve(in, slot, endpoint->node, DS_ATOM_INFERRED);
        return;
    }
    if (!has_host(endpoint->node))
        recall_slot(in, slot, end);
    if (has_host(endpoint->node) && !in->env->config.certain) {
        resolve(in, slot, endpoint->node, DS_ATOM_LIKELY);
        return;
    }
    char text[INFER_ADDRESS_LEN];
    const size_t len = infer_address(endpoint, text);
    resolve(in, slot, (struct ds_text){text, len}, DS_ATOM_ADDRESS);
}

/* recall_told names an end by its address and port. A finished handshake there, with the creation
 * of the pids here, makes the name certain. EPMD only makes it likely: it does not know the host. */
static void recall_told(struct inference *in, int end)
{
    struct conn *conn = in->conn;
    const struct ds_endpoint *endpoint = &conn->view.end[end];
    uint32_t creation = 0;
    if (conn->certain[end] || conn->said[end] || in->env->registry == NULL || in->env->config.certain ||
        conn->told_seen[end] == registry_num_changes(in->env->registry))
        return;
    conn->told_seen[end] = registry_num_changes(in->env->registry);
    struct ds_text name = registry_find_said(in->env->registry, &endpoint->addr, endpoint->port,
                                             endpoint->creation);
    if (name.data != NULL) {
        conn_correct_node(in->env, conn, end, name);
        conn->certain[end] = text_equal(endpoint->node, name);
        return;
    }
    name = registry_find(in->env->registry, &endpoint->addr, endpoint->port, &creation);
    if (name.data != NULL && (creation == 0 || creation == endpoint->creation))
        conn_set_node(in->env, conn, end, name, 0, true);
}

/* recall_name names an end by what another connection, or another run, showed. */
static void recall_name(struct inference *in, int end)
{
    const struct ds_endpoint *endpoint = &in->conn->view.end[end];
    if (in->env->books == NULL || endpoint->node.data != NULL || in->env->config.certain ||
        in->conn->names_seen[end] == all_node_atoms_num_names(in->env->books))
        return;
    in->conn->names_seen[end] = all_node_atoms_num_names(in->env->books);
    const struct ds_text name = all_node_atoms_name(in->env->books, endpoint,
                                                    &in->conn->view.end[1 - end]);
    if (name.data != NULL)
        conn_set_node(in->env, in->conn, end, name, endpoint->creation, true);
}

/* learn_creation stores the creation of a pid of an end's own node. If EPMD or an earlier
 * connection gave the creation of a previous node there, the inferred name is forgotten. */
static void learn_creation(struct inference *in, int end, uint32_t creation)
{
    struct ds_endpoint *endpoint = &in->conn->view.end[end];
    if (!in->conn->creation_certain[end] && creation != 0) {
        if (endpoint->creation != 0 && endpoint->creation != creation && !in->conn->said[end])
            conn_forget_inferred(in->conn, end);
        endpoint->creation = creation;
        conn_mark_changed(in->conn);
        in->conn->creation_certain[end] = true;
    }
}

/* learn names an end of the connection from a term of its node; or the other way round, it resolves
 * the slot of the term's node from the name of that end. */
static void learn(struct inference *in, int end, const struct ds_term *term, bool creation_is_now)
{
    struct ds_text node;
    const struct ds_atom *atom = NULL;
    uint32_t creation = 0;
    struct ds_endpoint *endpoint = &in->conn->view.end[end];
    if (term->data == NULL || !term_get_node(term, &node, &atom, &creation))
        return;
    if (creation_is_now)
        learn_creation(in, end, creation);
    if (in->conn->creation_certain[end]) {
        recall_told(in, end);
        recall_name(in, end);
    }
    if (node.data != NULL) {
        if (!in->conn->said[end])
            conn_correct_node(in->env, in->conn, end, node);
        in->conn->said[end] = true;
        in->conn->certain[end] = text_equal(endpoint->node, node);
        return;
    }
    if (atom != NULL)
        resolve_node(in, atom->slot, end);
}

/* learn_empty resolves the third element of {6, FromPid, '', ToName} and of {16, ...}. Nodes up to
 * OTP 20 put their cookie there, but they have no pids with 32-bit creations. */
static void learn_empty(struct inference *in, const struct ds_message *message)
{
    struct ds_term element;
    struct term_token token;
    const struct ds_term *from = &message->role[DS_ROLE_FROM];
    const struct term_env env = {message->control.atoms, message->control.num_atoms};
    if (from->data == NULL || from->data[0] != TERM_TAG_NEW_PID ||
        !term_get_element(&message->control, 2, &element))
        return;
    struct cursor at = cursor_make(element.data, element.len);
    if (term_read_token(&at, &env, &token, NULL) == TERM_OK && token.class == TERM_ATOM &&
        token.atom != NULL)
        resolve(in, token.atom->slot, (struct ds_text){"", 0}, DS_ATOM_INFERRED);
}

static __attribute__((noinline)) void infer(const struct control_source *source,
                                            struct dissect_ctx *env,
                                            struct conn *conn, struct atom_cache *cache,
                                            struct ds_atom *refs, struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    struct inference in = {env, conn, cache, refs, source->atoms.num_atoms, event->dir, false};
    const int dir = event->dir;

    for (int end = 0; end < 2; end++) {
        const struct ds_endpoint *endpoint = &conn->view.end[end];
        if (endpoint->node.data != NULL && !endpoint->node_inferred)
            conn->certain[end] = true;
    }
    const struct op *op = op_find(message->code);
    if (op->from != OP_FROM_ANY)
        learn(&in, dir, &message->role[DS_ROLE_FROM], op->from == OP_FROM_OWN);
    /* A signal goes to the node of its receiver: pid, port or alias. */
    learn(&in, !dir, &message->role[DS_ROLE_TO], false);
    if (op->ref != OP_REF_ANY)
        learn(&in, op->ref == OP_REF_OWN ? dir : !dir, &message->role[DS_ROLE_REF], false);
    learn(&in, dir, &message->role[DS_ROLE_RESULT], true);
    if (event->unknown_atoms + event->likely_atoms != 0 && message->op->roles[0] == 'f' &&
        message->op->roles[1] == '_')
        learn_empty(&in, message);
    if (!in.resolved)
        return;
    struct cursor again = cursor_make(message->control.data, message->control.len);
    struct term_counts counts = {0};
    /* The second walk over the same bytes ends where the first one did. */
    if (term_check_counted(&again, &source->atoms, &counts, NULL) != TERM_OK)
        return;
    event->unknown_atoms = counts.unknown;
    event->inferred_atoms = counts.inferred;
    event->likely_atoms = counts.likely;
    event->address_atoms = counts.address;
    event->message.atom_bytes = counts.atom_bytes;
}

void infer_nodes(const struct control_source *source, struct dissect_ctx *env, struct conn *conn,
                 struct atom_cache *cache, struct ds_atom *refs, struct ds_event *event)
{
    const bool is_certain =
        (event->unknown_atoms | event->likely_atoms | event->address_atoms) == 0 && conn->certain[0] &&
        conn->certain[1] && conn->creation_certain[0] && conn->creation_certain[1];
    if (event->message.op != NULL && !is_certain)
        infer(source, env, conn, cache, refs, event);
}
