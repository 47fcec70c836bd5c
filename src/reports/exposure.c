/*
 * exposure.c - see exposure.h.
 */
#include "reports/exposure.h"

#include "record/danger.h"
#include "core/hash.h"
#include "core/printable.h"
#include "core/term_show.h"
#include "core/label_show.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_TYPE_HIDDEN = 72, PUBLISHED = 1, CODE_LEN = 120 };

/* handshake is what is known of a connection before it is up. */
struct handshake {
    struct table_entry entry;
    uint64_t conn;
    uint64_t cookies_ok, cookies_wrong;
    bool is_hidden, is_old;
};
TABLE_KEYED(struct handshake, conn);

static void forget(void *entry)
{
    struct exposed *exposed = entry;
    free(exposed->text);
}

void exposure_init(struct exposure *e, const uint64_t limits[DS_LIMIT_COUNT])
{
    const uint64_t max = limits[DS_LIMIT_TALLIES];
    *e = (struct exposure){0};
    hitters_init(&e->links, sizeof(struct exposed_link), max, forget);
    hitters_init(&e->code, sizeof(struct exposed), max, forget);
    hitters_init(&e->listening, sizeof(struct exposed), max, forget);
    hitters_init(&e->asking, sizeof(struct exposed), max, forget);
    table_init(&e->handshakes, sizeof(struct handshake), limits[DS_LIMIT_CONNECTIONS]);
}

void exposure_free(struct exposure *e)
{
    hitters_free(&e->links);
    hitters_free(&e->code);
    hitters_free(&e->listening);
    hitters_free(&e->asking);
    table_free(&e->handshakes);
    ds_buffer_free(&e->scratch);
}

/* add counts a fact with that key; a new one has no text yet. NULL if memory ran out. */
static struct exposed *add(struct exposure *e, struct heavy_hitters *hitters, uint64_t key,
                           const struct ds_event *event)
{
    bool is_new;
    struct exposed *exposed = hitters_add(hitters, key, 1, &is_new);
    if (exposed == NULL) {
        e->no_memory = true;
        return NULL;
    }
    if (is_new) {
        exposed->frame = event->frame;
        exposed->conn = event->conn->number;
    }
    return exposed;
}

/* add_text adds a fact whose key is the text in scratch. */
static struct exposed *add_text(struct exposure *e, struct heavy_hitters *hitters,
                                const struct ds_event *event)
{
    const struct ds_buffer *text = &e->scratch;
    struct exposed *exposed = text->failed || text->len == 0
                                  ? NULL
                                  : add(e, hitters, hash_more(1, text->data, text->len), event);
    e->no_memory |= text->failed;
    if (exposed != NULL && exposed->text == NULL) {
        exposed->text = strndup(text->data, text->len);
        e->no_memory |= exposed->text == NULL;
    }
    return exposed;
}

static void print_addr(const struct ds_addr *addr, struct ds_buffer *out)
{
    char text[DS_ADDR_LEN];
    ds_addr_print(addr, text);
    ds_buffer_add_text(out, text);
}

static void print_end(const struct ds_endpoint *end, bool with_port, struct ds_buffer *out)
{
    if (end->node.data != NULL && end->node.len != 0) {
        printable_text(end->node, out);
        ds_buffer_add_text(out, " at ");
    }
    print_addr(&end->addr, out);
    if (with_port)
        ds_buffer_printf(out, " port %u", end->port);
}

static void on_handshake(struct exposure *e, const struct ds_event *event)
{
    const struct ds_handshake *said = &event->handshake;
    struct handshake *h = table_find_or_put(&e->handshakes, event->conn->number);
    if (h == NULL) {
        e->no_memory = true;
        return;
    }
    h->conn = event->conn->number;
    h->cookies_ok += said->cookie == DS_COOKIE_OK;
    h->cookies_wrong += said->cookie == DS_COOKIE_WRONG;
    h->is_hidden |= said->has_flags && (said->flags & PUBLISHED) == 0;
    h->is_old |= danger_is_old(said);
    e->num_digests += said->has_digest;
}

/* find_link returns the entry of a pair of nodes. */
static struct exposed_link *find_link(struct exposure *e, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    uint64_t key = 2;
    for (int i = 0; i < 2; i++) {
        const struct ds_text node = conn->end[i].node;
        key = hash_more(key, conn->end[i].addr.bytes, sizeof conn->end[i].addr.bytes);
        key = hash_more(key, node.data != NULL ? node.data : "", node.len);
    }
    struct exposed_link *link = (struct exposed_link *)add(e, &e->links, key, event);
    if (link == NULL || link->exposed.text != NULL)
        return link;
    e->scratch.len = 0;
    print_end(&conn->end[0], false, &e->scratch);
    ds_buffer_add_text(&e->scratch, " > ");
    print_end(&conn->end[1], true, &e->scratch);
    link->exposed.text = e->scratch.failed ? NULL : strndup(e->scratch.data, e->scratch.len);
    e->no_memory |= link->exposed.text == NULL;
    link->is_local = danger_is_one_host(conn);
    return link;
}

static void on_conn(struct exposure *e, const struct ds_event *event)
{
    const enum ds_conn_state state = event->change.state;
    struct handshake *h = table_find(&e->handshakes, event->conn->number);
    const bool is_up = state == DS_CONN_UP || state == DS_CONN_JOINED_LATE;
    const bool is_refused = event->change.final && h != NULL;
    const bool is_sealed = event->change.final && event->conn->tls != NULL; /* no keys */
    struct exposed_link *link = is_up || is_refused || is_sealed ? find_link(e, event) : NULL;
    if (link != NULL) {
        link->conns += is_up || is_refused;
        link->is_clear |= event->conn->tls == NULL;
        if (event->conn->tls != NULL)
            link->tls = event->conn->tls->version;
        link->is_late |= state == DS_CONN_JOINED_LATE;
        link->is_refused |= is_refused;
        if (h != NULL) {
            link->cookies_ok += h->cookies_ok;
            link->cookies_wrong += h->cookies_wrong;
            link->is_hidden |= h->is_hidden;
            link->is_old |= h->is_old;
        }
    }
    if (h != NULL && (is_up || event->change.final))
        table_remove(&e->handshakes, h);
}

/* print_fun appends a fun that is to be run, alone or in a list. False: there is none. */
static bool print_fun(const struct ds_message *m, struct ds_buffer *out)
{
    const struct ds_term_print_options options = {
        .max_bytes = CODE_LEN, .max_items = 3, .max_len = CODE_LEN};
    struct ds_buffer text = {0};
    term_show(&m->payload, &options, &text);
    ds_buffer_add(&text, "", 1);
    const bool is_fun = !text.failed && (strstr(text.data, "#Fun<") != NULL ||
                                         strstr(text.data, "#Function<") != NULL);
    if (is_fun)
        ds_buffer_add_text(out, text.data);
    out->failed |= text.failed;
    ds_buffer_free(&text);
    return is_fun;
}

static void print_who(const struct record *record, struct ds_buffer *out)
{
    const struct ds_conn *conn = record->event->conn;
    const struct ds_term *from = &record->event->message.role[DS_ROLE_FROM];
    ds_buffer_add_text(out, " by ");
    if (record->note.from_name.data != NULL) {
        term_show_name(record->note.from_name, out);
        ds_buffer_add_text(out, " of ");
    } else if (from->data == NULL) {
        ds_buffer_add_text(out, "a process of ");
    }
    ds_endpoint_print(&conn->end[record->event->dir], out);
    ds_buffer_add_text(out, " on ");
    ds_endpoint_print(&conn->end[!record->event->dir], out);
}

static void on_code(struct exposure *e, const struct record *record)
{
    const struct note *note = &record->note;
    const struct ds_message *m = &record->event->message;
    struct ds_text mod, fun;
    uint32_t arity = 0;
    const char *what = NULL;
    if (!danger_is_run(note))
        return;
    e->scratch.len = 0;
    if (note->mod.data != NULL && ds_term_get_atom(&note->mod, &mod) &&
        ds_term_get_atom(&note->fun, &fun)) {
        const struct danger *danger = danger_find(mod, fun);
        if (danger == NULL) {
            e->num_other_code++;
            return;
        }
        what = danger->what;
        term_show_call(mod, fun, &e->scratch);
        if (ds_term_get_length(&note->args, &arity))
            ds_buffer_printf(&e->scratch, "/%" PRIu32, arity);
    } else if (ds_message_kind(m) == DS_KIND_SPAWN && print_fun(m, &e->scratch)) {
        what = "runs a fun that was sent";
    } else {
        return;
    }
    if (note->label != NULL) {
        ds_buffer_add_text(&e->scratch, " (");
        label_show(note->label, &e->scratch);
        ds_buffer_add_text(&e->scratch, ")");
    }
    print_who(record, &e->scratch);
    struct exposed *exposed = add_text(e, &e->code, record->event);
    if (exposed == NULL)
        return;
    exposed->count++;
    exposed->what = what;
}

static void on_message(struct exposure *e, const struct record *record)
{
    const struct ds_event *event = record->event;
    struct exposed_link *link = find_link(e, event);
    if (link != NULL)
        link->exposed.count++;
    if (danger_has_cookie(&event->message)) {
        if (e->num_cookies++ == 0) {
            e->cookie_frame = event->frame;
            e->cookie_conn = event->conn->number;
        }
    }
    on_code(e, record);
}

static void on_epmd(struct exposure *e, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    const struct ds_endpoint *from = &event->conn->end[event->dir];
    const bool registers = epmd->op == DS_EPMD_ALIVE2_REQ;
    const bool tells = epmd->op == DS_EPMD_PORT2_RESP && epmd->result == 0;
    e->scratch.len = 0;
    if ((registers || tells) && epmd->name.data != NULL) {
        printable_text(epmd->name, &e->scratch);
        ds_buffer_add_text(&e->scratch, " at ");
        print_addr(&from->addr, &e->scratch);
        ds_buffer_printf(&e->scratch, " port %u", epmd->port);
        struct exposed *exposed = add_text(e, &e->listening, event);
        if (exposed != NULL) {
            exposed->count++;
            if (epmd->node_type == NODE_TYPE_HIDDEN)
                exposed->what = "a hidden node";
        }
    } else if (epmd->op == DS_EPMD_NAMES_REQ || epmd->op == DS_EPMD_DUMP_REQ ||
               epmd->op == DS_EPMD_KILL_REQ || epmd->op == DS_EPMD_STOP_REQ) {
        print_addr(&from->addr, &e->scratch);
        ds_buffer_printf(&e->scratch, " sent %s to EPMD of ", ds_epmd_op_name(epmd->op));
        print_addr(&event->conn->end[!event->dir].addr, &e->scratch);
        struct exposed *exposed = add_text(e, &e->asking, event);
        if (exposed != NULL)
            exposed->count++;
    }
}

void exposure_record(struct exposure *e, const struct record *record)
{
    if (record->call != NULL || record->monitor != NULL)
        return;
    switch (record->event->type) {
    case DS_EVENT_EPMD:
        on_epmd(e, record->event);
        break;
    case DS_EVENT_HANDSHAKE:
        on_handshake(e, record->event);
        break;
    case DS_EVENT_CONN:
        on_conn(e, record->event);
        break;
    case DS_EVENT_MESSAGE:
        on_message(e, record);
        break;
    default:
        break;
    }
}
