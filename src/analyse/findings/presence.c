/*
 * presence.c - see presence.h.
 */
#include "analyse/findings/presence.h"

#include "analyse/findings/tools.h"
#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_NODES = 2048,
    MAX_PAIRS = 8192,
    MAX_LINKS = 8192,
    ASKED_FOR = 64, /* nodes seen last, among which the one in a request to EPMD is searched */
};
#define TICK_NS INT64_C(15000000000) /* a quarter of the default net_ticktime */
#define CLOSES_NS INT64_C(500000000) /* a node that stops closes its links within this time */
#define VISIT_NS INT64_C(60000000000) /* a node that only asks stays no longer */

/* presence_link is a link between nodes: a connection that is up, or being set up. */
struct presence_link {
    struct table_entry entry;
    uint64_t conn;
    uint32_t node[2]; /* numbers in nodes, 0: no name */
    bool is_up, was_up, is_counted;
    bool has_flags[2], is_hidden[2];
};

void presence_init(struct presence *p, uint16_t epmd_port)
{
    table_init(&p->nodes, sizeof(struct presence_node), MAX_NODES);
    table_init(&p->pairs, sizeof(struct presence_pair), MAX_PAIRS);
    table_init(&p->links, sizeof(struct presence_link), MAX_LINKS);
    p->epmd_port = epmd_port;
}

void presence_free(struct presence *p)
{
    for (struct presence_node *node = table_oldest(&p->nodes); node != NULL;
         node = table_newer(&p->nodes, node))
        free(node->name);
    table_free(&p->nodes);
    table_free(&p->pairs);
    table_free(&p->links);
}

static struct presence_link *find_link(const struct presence *p, uint64_t conn)
{
    struct presence_link *link = table_first(&p->links, hash_key(&conn, sizeof conn));
    while (link != NULL && link->conn != conn)
        link = table_next(&p->links, link);
    return link;
}

static struct presence_link *make_link(struct presence *p, uint64_t conn)
{
    struct presence_link *link = find_link(p, conn);
    if (link != NULL)
        return link;
    if (table_is_full(&p->links)) { /* the oldest is evicted */
        const struct presence_link *oldest = table_oldest(&p->links);
        p->unnamed -= oldest != NULL && oldest->is_up && !oldest->is_counted;
    }
    link = table_add_forgetting(&p->links, hash_key(&conn, sizeof conn));
    if (link != NULL)
        link->conn = conn;
    else
        p->no_memory++;
    return link;
}

static struct presence_node *find_node(const struct presence *p, struct ds_text name)
{
    struct presence_node *node = table_first(&p->nodes, hash_text(name));
    while (node != NULL && (node->len != name.len || memcmp(node->name, name.data, name.len) != 0))
        node = table_next(&p->nodes, node);
    return node;
}

static bool is_at(const struct presence_node *node, struct ds_text name, const struct ds_addr *addr)
{
    return name.len != 0 && node->len > name.len && node->name[name.len] == '@' &&
           memcmp(node->name, name.data, name.len) == 0 && node->addr.family == addr->family &&
           memcmp(node->addr.bytes, addr->bytes, sizeof addr->bytes) == 0;
}

void presence_locate(const struct presence *p, struct finding *finding)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct presence_node *node =
            finding->node[i].len != 0 ? presence_find(p, finding_node(finding, i)) : NULL;
        if (node != NULL)
            finding->node[i].addr = node->addr;
    }
}

const struct presence_node *presence_find_at(const struct presence *p, struct ds_text name,
                                             const struct ds_addr *addr)
{
    const struct presence_node *node = table_oldest(&p->nodes);
    while (node != NULL && !is_at(node, name, addr))
        node = table_newer(&p->nodes, node);
    return node;
}

const struct presence_node *presence_find(const struct presence *p, struct ds_text name)
{
    return name.data != NULL ? find_node(p, name) : NULL;
}

/* make_node ignores a new node when the table is full: the known ones stay. */
static struct presence_node *make_node(struct presence *p, struct ds_text name, bool *is_new)
{
    struct presence_node *node = find_node(p, name);
    *is_new = node == NULL;
    if (node != NULL || name.len > PRESENCE_NAME_LEN)
        return node;
    char *own = malloc(name.len + 1);
    node = own != NULL ? table_add(&p->nodes, hash_text(name)) : NULL;
    if (node == NULL) {
        free(own);
        p->no_memory++;
        return NULL;
    }
    memcpy(own, name.data, name.len);
    node->len = name.len;
    node->name = own;
    return node;
}

static struct presence_pair *find_pair(const struct presence *p, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    struct presence_pair *pair = table_first(&p->pairs, hash_key(&key, sizeof key));
    while (pair != NULL && ((uint64_t)pair->node[0] << 32 | pair->node[1]) != key)
        pair = table_next(&p->pairs, pair);
    return pair;
}

const struct presence_pair *presence_find_pair(const struct presence *p, struct ds_text a, struct ds_text b)
{
    const struct presence_node *one = presence_find(p, a), *other = presence_find(p, b);
    return one != NULL && other != NULL ? find_pair(p, one->entry.number, other->entry.number) : NULL;
}

static struct presence_pair *make_pair(struct presence *p, uint32_t a, uint32_t b)
{
    struct presence_pair *pair = find_pair(p, a, b);
    if (pair != NULL)
        return pair;
    const uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    pair = table_add_forgetting(&p->pairs, hash_key(&key, sizeof key));
    if (pair == NULL) {
        p->no_memory++;
        return NULL;
    }
    pair->node[0] = a < b ? a : b;
    pair->node[1] = a < b ? b : a;
    return pair;
}

bool presence_is_gone(const struct presence_node *node)
{
    return node->left_ns != 0;
}

bool presence_is_missed(const struct presence_node *node)
{
    return node->left_ns != 0 && !node->is_visitor;
}

bool presence_is_apart(const struct presence *p, const struct presence_pair *pair)
{
    const struct presence_node *a = table_get(&p->nodes, pair->node[0]);
    const struct presence_node *b = table_get(&p->nodes, pair->node[1]);
    return pair->links == 0 && pair->down_ns != 0 && a != NULL && b != NULL && a->left_ns == 0 &&
           b->left_ns == 0;
}

/* place sets the time and place of a change. */
static void place(struct presence_change *change, const struct ds_event *event)
{
    change->ts_ns = event->ts_ns;
    change->frame = event->frame;
    change->conn = event->conn->number;
    change->end = event->conn->end;
}

static void emit(const struct presence *p, const struct presence_change *change)
{
    if (p->emit != NULL)
        p->emit(p->context, change);
}

static bool is_numbered(struct ds_text name)
{
    return tools_number_len(name, TOOLS_NUMBER_LEN) != 0;
}

/* on_node handles a link to a node that is up. comes: the node connected to one that was there. */
static void on_node(struct presence *p, const struct ds_event *event, const struct ds_endpoint *end,
                    struct presence_node *node, bool is_new, bool comes)
{
    const bool is_known = node->creation != 0 && end->creation != 0;
    const bool is_other = is_known && node->creation != end->creation;
    const bool was_alone = !is_new && node->links == 0; /* what it did since is unknown */
    const bool was_there = !is_new && node->left_ns == 0 && !(was_alone && is_other);
    struct presence_change change = {.what = is_new ? PRESENCE_SEEN : PRESENCE_BACK,
                                     .node = node,
                                     .is_restarted = !is_new && is_other,
                                     .is_same = !is_new && is_known && !is_other};
    node->links++;
    if (end->creation != 0)
        node->creation = end->creation;
    if (was_there)
        return;
    if (change.is_restarted && !node->is_visitor) {
        node->restarts++;
        node->away_ns = node->left_ns != 0 ? node->left_ns : node->alone_ns;
        node->again_ns = event->ts_ns;
    }
    if (was_alone && node->left_ns == 0)
        p->new_ones -= node->came; /* it seemed to stay, and was counted */
    node->left_ns = 0;
    node->back_ns = event->ts_ns;
    node->addr = end->addr;
    node->came = comes;
    node->was_cut = node->has_answered = node->has_shell = node->is_visitor = node->was_lost = false;
    p->new_ones += comes;
    place(&change, event);
    emit(p, &change);
}

/* count adds a link to its nodes and their pair, once both have names. */
static void count(struct presence *p, const struct ds_event *event, struct presence_link *link)
{
    struct presence_node *node[2];
    bool is_new[2];
    if (event->conn->end[0].node.data == NULL || event->conn->end[1].node.data == NULL)
        return;
    p->unnamed -= !link->is_counted;
    link->is_counted = true;
    for (int end = 0; end < 2; end++)
        link->is_hidden[end] |= tools_have_name(event->conn->end[end].node);
    if (link->is_hidden[0] || link->is_hidden[1])
        return;
    for (int end = 0; end < 2; end++) {
        node[end] = make_node(p, event->conn->end[end].node, &is_new[end]);
        link->node[end] = node[end] != NULL ? node[end]->entry.number : 0;
    }
    /* Other nodes connect to a script whose first link, to its own host, is not in the capture. */
    bool comes[2];
    for (int end = 0; end < 2; end++)
        comes[end] = !link->was_up && node[!end] != NULL && node[!end]->links != 0 &&
                     (end == 0 || is_numbered(event->conn->end[end].node));
    for (int end = 0; end < 2; end++) {
        if (node[end] != NULL)
            on_node(p, event, &event->conn->end[end], node[end], is_new[end], comes[end]);
    }
    struct presence_pair *pair =
        node[0] != NULL && node[1] != NULL ? make_pair(p, link->node[0], link->node[1]) : NULL;
    if (pair == NULL)
        return;
    pair->links++;
    pair->up_ns = event->ts_ns;
}

static void on_up(struct presence *p, const struct ds_event *event, bool was_up)
{
    struct presence_link *link = make_link(p, event->conn->number);
    if (link == NULL || link->is_up)
        return;
    link->is_up = true;
    link->was_up = was_up;
    p->unnamed++;
    count(p, event, link);
    struct presence_change change = {.what = PRESENCE_UP,
                                     .is_hidden = link->is_hidden[0] || link->is_hidden[1],
                                     .is_hidden_end = {link->is_hidden[0], link->is_hidden[1]},
                                     .was_up = was_up};
    place(&change, event);
    emit(p, &change);
}

void presence_name(struct presence *p, const struct ds_event *event)
{
    struct presence_link *link = find_link(p, event->conn->number);
    if (link != NULL && link->is_up && !link->is_counted)
        count(p, event, link);
}

/* tick_of returns the tick interval of a link, as measured at either end, or the default. */
static int64_t tick_of(const struct ds_tcp_stats *link, int end)
{
    const struct ds_tcp_side *side = &link->side[link->side[end].tick_intervals != 0 ? end : !end];
    const bool is_measured = side->tick_intervals != 0 && side->tick_last_ns < 8 * TICK_NS;
    return is_measured ? side->tick_last_ns : TICK_NS;
}

/* was_silent says whether the end that did not close the link had been silent for about three
 * ticks, though the other one had not. On an idle link between running nodes, an end is silent for
 * less than two. */
static bool was_silent(const struct ds_event *event, int closed_by)
{
    const struct ds_tcp_stats *link = event->conn->link;
    if (link == NULL || closed_by < 0)
        return false;
    const struct ds_tcp_side *silent = &link->side[!closed_by], *heard = &link->side[closed_by];
    const int64_t since_ns = silent->last_data_ns != 0 ? silent->last_data_ns : silent->first_ns;
    const int64_t tick_ns = tick_of(link, closed_by);
    return since_ns != 0 && event->ts_ns - since_ns >= 3 * tick_ns - tick_ns / 10 &&
           heard->last_data_ns - since_ns >= tick_ns;
}

static void leave(struct presence *p, const struct presence_change *down, struct presence_node *node)
{
    if (node->left_ns != 0)
        return;
    struct presence_change change = *down;
    change.what = PRESENCE_LEFT;
    change.node = node;
    node->left_ns = down->ts_ns;
    node->was_lost = down->was_silent || down->is_given_up;
    node->is_visitor = node->has_shell || (node->came && !node->was_cut && !node->has_answered &&
                                           node->left_ns - node->back_ns <= VISIT_NS);
    p->new_ones -= node->came;
    emit(p, &change);
}

/* stay takes back the departure of nodes that lost their last links to a node that has closed all
 * its links within a moment. */
static void stay(struct presence *p, const struct presence_change *down, const struct presence_node *closer)
{
    for (struct presence_node *node = table_oldest(&p->nodes); node != NULL;
         node = table_newer(&p->nodes, node)) {
        if (node->left_ns == 0 || node->left_by != closer->entry.number || node->has_shell ||
            down->ts_ns - node->left_ns > CLOSES_NS)
            continue;
        struct presence_change change = *down;
        change.what = PRESENCE_STAYS;
        change.node = node;
        node->left_ns = 0;
        node->is_visitor = node->was_lost = false;
        p->new_ones += node->came;
        emit(p, &change);
    }
}

void presence_answer(struct presence *p, struct ds_text node)
{
    struct presence_node *found = node.data != NULL ? find_node(p, node) : NULL;
    if (found != NULL)
        found->has_answered = true;
}

void presence_type(struct presence *p, struct ds_text node)
{
    struct presence_node *found = node.data != NULL ? find_node(p, node) : NULL;
    if (found != NULL)
        found->has_shell = true;
}

void presence_ask(struct presence *p, struct ds_text name, const struct ds_addr *epmd)
{
    struct presence_node *node = table_get(&p->nodes, p->nodes.newest);
    for (int i = 0; i < ASKED_FOR && node != NULL; i++, node = table_get(&p->nodes, node->entry.older)) {
        if (node->is_visitor && !node->has_shell && is_at(node, name, epmd) && !is_numbered(name))
            node->is_visitor = false;
    }
}

/* end_link removes a link, and updates its nodes and their pair. */
static void end_link(struct presence *p, struct presence_link *link, struct presence_change *change)
{
    const struct presence_link was = *link;
    table_remove(&p->links, link);
    p->unnamed -= was.is_up && !was.is_counted;
    if (!was.is_up)
        return;
    change->what = PRESENCE_DOWN;
    change->is_hidden = was.is_hidden[0] || was.is_hidden[1];
    change->is_hidden_end[0] = was.is_hidden[0];
    change->is_hidden_end[1] = was.is_hidden[1];
    struct presence_node *node[2] = {table_get(&p->nodes, was.node[0]), table_get(&p->nodes, was.node[1])};
    struct presence_pair *pair =
        node[0] != NULL && node[1] != NULL ? find_pair(p, was.node[0], was.node[1]) : NULL;
    change->is_replaced = pair != NULL && pair->links > 1;
    emit(p, change);
    if (pair != NULL && pair->links != 0 && --pair->links == 0)
        pair->down_ns = change->ts_ns;
    const bool is_in_order = !change->was_reset && !change->was_silent && !change->is_given_up;
    for (int end = 0; end < 2; end++) {
        if (node[end] != NULL && node[end]->links != 0 && --node[end]->links == 0)
            node[end]->alone_ns = change->ts_ns;
        if (node[end] != NULL)
            node[end]->was_cut |= !is_in_order || change->closed_by != end;
    }
    if (node[0] == NULL || node[1] == NULL)
        return;
    const bool is_last[2] = {node[0]->links == 0, node[1]->links == 0};
    const bool is_others = change->was_silent || change->is_given_up;
    struct presence_node *closer = change->closed_by >= 0 && !is_others ? node[change->closed_by] : NULL;
    struct presence_node *left = NULL;
    if (is_last[0] != is_last[1])
        left = node[is_last[1]];
    else if (is_last[0] && change->closed_by >= 0)
        left = node[is_others ? !change->closed_by : change->closed_by];
    if (left == NULL)
        return;
    if (left == closer)
        stay(p, change, closer);
    leave(p, change, left);
    left->left_by = closer != NULL && left != closer ? closer->entry.number : 0;
}

/* on_down handles the end of a link. If the capture ends, or a cap is reached, the link may go on,
 * and still counts as up. */
static void on_down(struct presence *p, const struct ds_event *event)
{
    struct presence_link *link = find_link(p, event->conn->number);
    const struct ds_tcp_stats *facts = event->conn->link;
    const int closed_by = facts != NULL ? facts->closed_by : -1;
    struct presence_change change = {.was_silent = was_silent(event, closed_by),
                                     .was_reset = facts != NULL && facts->close == DS_CLOSE_RESET,
                                     .closed_by = closed_by};
    if (link == NULL || event->change.unfollowed || event->change.state == DS_CONN_OPEN_AT_END)
        return;
    place(&change, event);
    end_link(p, link, &change);
}

void presence_given_up(struct presence *p, uint64_t conn, int64_t ts_ns, const struct ds_endpoint end[2],
                       int waits)
{
    struct presence_link *link = find_link(p, conn);
    struct presence_change change = {
        .ts_ns = ts_ns, .conn = conn, .end = end, .is_given_up = true, .closed_by = waits};
    if (link != NULL)
        end_link(p, link, &change);
}

static void on_flags(struct presence *p, const struct ds_event *event)
{
    if (!event->handshake.has_flags)
        return;
    struct presence_link *link = make_link(p, event->conn->number);
    if (link == NULL)
        return;
    link->has_flags[event->dir] = true;
    link->is_hidden[event->dir] = tools_are_hidden(event->handshake.flags);
}

/* on_attempt handles a handshake with a node that seemed to have left, as its last link ended. Its
 * creation shows that it never left, whatever the handshake leads to. */
static void on_attempt(struct presence *p, const struct ds_event *event)
{
    const struct ds_endpoint *end = &event->conn->end[event->dir];
    struct presence_node *node = end->node.data != NULL ? find_node(p, end->node) : NULL;
    if (node == NULL || !presence_is_missed(node) || end->creation == 0 ||
        end->creation != node->creation)
        return;
    struct presence_change change = {.what = PRESENCE_BACK, .node = node, .is_same = true};
    node->left_ns = 0;
    node->was_lost = false;
    p->new_ones += node->came;
    place(&change, event);
    emit(p, &change);
}

void presence_event(struct presence *p, const struct ds_event *event)
{
    if (event->conn == NULL || event->conn->end[1].port == p->epmd_port ||
        event->conn->end[0].port == p->epmd_port)
        return;
    if (event->type == DS_EVENT_HANDSHAKE) {
        on_flags(p, event);
        on_attempt(p, event);
        return;
    }
    if (event->type == DS_EVENT_CONN) {
        switch (event->change.state) {
        case DS_CONN_UP:
            on_up(p, event, false);
            return;
        case DS_CONN_JOINED_LATE:
        case DS_CONN_CONTINUED:
            on_up(p, event, true);
            return;
        case DS_CONN_HALF_CLOSED:
        case DS_CONN_CLOSED:
        case DS_CONN_FAILED:
        case DS_CONN_OPEN_AT_END:
            on_down(p, event);
            return;
        default:
            break;
        }
    }
    if (p->unnamed != 0)
        presence_name(p, event);
}
