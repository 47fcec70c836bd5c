/*
 * detect_messages.c - findings of family 3 from single messages: messages that no node can read,
 * messages to processes that are gone or to many at once, atoms created without end.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"
#include "record/refresh_code.h"

#include <inttypes.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define MS INT64_C(1000000)

enum {
    SAMPLE_LEN = 64,
    MIN_PAYLOAD = 1000,     /* smaller payloads are not checked */
    MIN_REPEATED = 100000,  /* bytes of the copies after the first */
    MIN_PROCESSES = 4,      /* or nodes, that get the same payload */
    SHAPE_LEN = 64,
};

/* repeated_payload is a large payload that may come again, to other receivers. */
struct repeated_payload {
    struct table_entry entry;
    uint64_t sample, all; /* hashes of the sender with parts of it, and of the whole; 0: none yet */
    uint64_t receiver;    /* of the latest */
    int64_t first_ns, last_ns;
    uint64_t frame; /* of the first */
    uint32_t copies, same_node; /* after the first; those to a node that already had one */
    uint8_t num_conns;
    bool is_told[2];
    uint64_t conn[8];
};
TABLE_KEYED(struct repeated_payload, sample);

/* dynamic_atoms is a form of atoms from one node: the same text, each time with other numbers in it. */
enum { COINED_EXAMPLES = 3, COINED_LEN = 60, COINED_ENOUGH = 200, COINED_PLACES = 256 };
struct dynamic_atoms {
    struct table_entry entry;
    uint64_t key;
    int64_t first_ns;
    uint64_t frame;
    uint32_t num; /* distinct ones, counted up to COINED_ENOUGH */
    uint64_t seen[COINED_PLACES]; /* their hashes, with the secret key of this run; 0: free */
    uint8_t len[COINED_EXAMPLES];
    char example[COINED_EXAMPLES][COINED_LEN];
};
TABLE_KEYED(struct dynamic_atoms, key);

enum { MAX_COPIED = 1024, MAX_COINED = 256 };

struct messages_watch {
    struct table copied, coined;
};

const struct detect_family detect_messages_family = {
    sizeof(struct messages_watch),
    {{offsetof(struct messages_watch, copied), sizeof(struct repeated_payload), MAX_COPIED},
     {offsetof(struct messages_watch, coined), sizeof(struct dynamic_atoms), MAX_COINED}},
};

static bool is_whole(const struct ds_event *event)
{
    return event->fault.kind == DS_FAULT_NONE;
}

/* is_by_outsider says whether another host may have sent the packet: others in the name of that end
 * are ignored, or the latest one came from another distance than the rest. */
static bool is_by_outsider(const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn->link;
    const struct ds_tcp_side *side = link != NULL ? &link->side[event->dir] : NULL;
    return event->conn->counters[event->dir].ignored != 0 ||
           (side != NULL && (side->ignored.first_frame != 0 ||
                             (side->segments != 0 && !detect_is_usual_ttl(side, side->ttl))));
}

static __attribute__((noinline)) void take_malformed(struct detect *d, const struct ds_event *event)
{
    if (detect_has_gaps(event->conn))
        return; /* the framing may have been resumed at the wrong place */
    struct finding *f = detect_begin(d, FINDING_DS306, event);
    const bool is_foreign = is_by_outsider(event);
    if (is_foreign)
        wording_add(&f->sentence, "in the name of ");
    f->variant = is_foreign;
    wording_say(&f->sentence, "{node}{}{reason}", an_end(&event->conn->end[event->dir]),
                a_word(is_foreign ? ", invalid data arrives: " : " sends invalid data: "),
                a_word(event->fault.what != NULL ? event->fault.what : "malformed"));
    wording_say(&f->detail, "at offset {offset} of the message", a_number(event->fault.offset));
    detect_frame(f, event->frame, "the message");
    if (is_foreign) {
        f->severity = SEVERITY_WARNING;
        wording_add(&f->detail, "; somebody else sends packets in its name, or they are damaged on the way "
                                "(DS505)");
        detect_unsure(f, CERTAINTY_POSSIBLE, "a capture at the end in whose name it comes");
        detect_commit(d);
        return;
    }
    /* An entirely unreadable frame may not come from the peer. */
    if (event->type == DS_EVENT_MESSAGE && event->message.control.data == NULL)
        detect_unsure(f, CERTAINTY_LIKELY,
                      "a capture at the other host, which does not have what somebody else "
                      "injected");
    detect_commit(d);
}

static __attribute__((noinline)) void take_exit(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    const struct ds_term *reason =
        m->payload.data != NULL ? &m->payload : &m->role[DS_ROLE_REASON];
    struct ds_text atom;
    if (reason->data == NULL || !ds_term_get_atom(reason, &atom) || atom.len != 4 ||
        memcmp(atom.data, "kill", 4) != 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS311, event);
    wording_say(&f->sentence, "{node} sent exit(kill) to a process on {peer}",
                an_end(&event->conn->end[event->dir]), an_end(&event->conn->end[!event->dir]));
    detect_frame(f, event->frame, "exit/2");
    detect_commit(d);
}

/* --- the same to many --- */

/* hash_sample hashes the sender, and the beginning, middle and end of the payload: a difference
 * there makes another payload. */
static uint64_t hash_sample(const struct ds_event *event)
{
    const struct ds_endpoint *from = &event->conn->end[event->dir];
    const struct ds_term *payload = &event->message.payload;
    const size_t middle = payload->len / 2;
    const uint64_t len = payload->len;
    uint64_t hash = hash_more(3, &len, sizeof len);
    if (from->node.data != NULL)
        hash = hash_more(hash, from->node.data, from->node.len);
    else
        hash = hash_more(hash, from->addr.bytes, sizeof from->addr.bytes);
    hash = hash_more(hash, payload->data, SAMPLE_LEN);
    hash = hash_more(hash, payload->data + middle, SAMPLE_LEN);
    return hash_more(hash, payload->data + payload->len - SAMPLE_LEN, SAMPLE_LEN);
}

/* hash_receiver hashes the receiver, however its name or node is written. */
static uint64_t hash_receiver(const struct ds_event *event)
{
    const struct ds_term *to = &event->message.role[DS_ROLE_TO];
    struct ds_identity identity;
    struct ds_text name;
    if (ds_term_get_atom(to, &name))
        return hash_more(event->conn->number, name.data, name.len);
    if (ds_term_get_identity(to, &identity))
        return hash_more(event->conn->number, identity.word,
                         identity.num_words * sizeof identity.word[0]);
    return event->conn->number;
}

static bool note_conn(struct repeated_payload *c, uint64_t conn)
{
    for (size_t i = 0; i < c->num_conns; i++) {
        if (c->conn[i] == conn)
            return false;
    }
    if (c->num_conns < sizeof c->conn / sizeof c->conn[0])
        c->conn[c->num_conns++] = conn;
    return true;
}

static void report_copies(struct detect *d, const struct ds_event *event,
                          const struct repeated_payload *c, bool of_one_node)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS307, event);
    wording_say(&f->sentence, "{node}{}", an_end(&end[event->dir]),
                a_word(of_one_node ? " sends the same payload to several processes of "
                                   : " sends the same payload to several nodes"));
    if (of_one_node)
        wording_say(&f->sentence, "{peer}", an_end(&end[!event->dir]));
    else
        f->severity = SEVERITY_NOTE; /* there is no other way to send it to them */
    wording_say(&f->detail, "{copies} copies of {message_bytes} so far, within {within}",
                a_number(c->copies + 1), a_size(event->message.size), a_span(event->ts_ns - c->first_ns));
    detect_frame(f, c->frame, "the first");
    detect_frame(f, event->frame, "the latest");
    detect_commit(d);
}

/* take_copies counts payloads that come again to other receivers. From the second on it compares
 * the whole payload. */
static __attribute__((noinline)) void take_copies(struct detect *d, const struct ds_event *event)
{
    const struct ds_message *m = &event->message;
    const struct ds_term *to = &m->role[DS_ROLE_TO];
    if (to->data == NULL || !is_whole(event))
        return;
    const uint64_t sample = hash_sample(event);
    const uint64_t receiver = hash_receiver(event);
    struct repeated_payload *c = table_find(&d->messages->copied, sample);
    if (c == NULL)
        c = table_add_forgetting(&d->messages->copied, (uint32_t)sample);
    if (c == NULL) {
        d->no_memory++;
        return;
    }
    const uint64_t all = c->sample == 0 ? 0 : hash_more(4, m->payload.data, m->payload.len);
    const bool begins_anew = c->sample == 0 || event->ts_ns - c->last_ns > SECOND ||
                             (c->all != 0 && c->all != all);
    if (begins_anew) {
        const struct table_entry entry = c->entry;
        *c = (struct repeated_payload){.entry = entry, .sample = sample, .first_ns = event->ts_ns,
                                       .frame = event->frame};
    } else if (c->receiver != receiver) {
        c->copies++;
        c->all = all;
    }
    const bool is_same = !begins_anew && c->receiver != receiver;
    c->last_ns = event->ts_ns;
    c->receiver = receiver;
    const bool is_known = !note_conn(c, event->conn->number);
    if (!is_same)
        return;
    c->same_node += is_known;
    if (!c->is_told[0] && c->same_node + 1 >= MIN_PROCESSES &&
        c->same_node * m->size >= MIN_REPEATED) {
        c->is_told[0] = true;
        report_copies(d, event, c, true);
    } else if (!c->is_told[1] && c->num_conns >= MIN_PROCESSES &&
               (c->num_conns - 1u) * m->size >= MIN_REPEATED) {
        c->is_told[1] = true;
        report_copies(d, event, c, false);
    }
}

/* --- messages to processes that are gone --- */

/* on_earlier_life compares the creation in the receiver's pid with the creation of its node. */
static void on_earlier_life(struct detect *d, const struct ds_event *event)
{
    enum { OLDEST_LARGE = 4 }; /* smaller ones have two bits, or match any */
    const struct ds_message *m = &event->message;
    const struct ds_endpoint *end = &event->conn->end[!event->dir];
    struct ds_identity identity;
    if (end->creation < OLDEST_LARGE || m->role[DS_ROLE_TO].data == NULL ||
        ds_term_is_pid_of(&m->role[DS_ROLE_TO], end->creation) ||
        !ds_term_get_identity(&m->role[DS_ROLE_TO], &identity) ||
        identity.creation == end->creation || identity.creation < OLDEST_LARGE ||
        identity.node.data == NULL || end->node.data == NULL ||
        identity.node.len != end->node.len ||
        memcmp(identity.node.data, end->node.data, end->node.len) != 0)
        return;
    const enum ds_op_kind kind = ds_message_kind(m);
    if (kind != DS_KIND_SEND && kind != DS_KIND_MONITOR && kind != DS_KIND_LINK)
        return;
    struct finding *f = detect_begin(d, FINDING_DS308, event);
    wording_say(&f->sentence, "{node} sends to processes from before the restart of {peer}",
                an_end(&event->conn->end[event->dir]), an_end(end));
    wording_say(&f->detail, "their creation is {creation}, that of the node is now {creation_now}",
                a_number(identity.creation), a_number(end->creation));
    detect_frame(f, event->frame, "the message");
    detect_commit(d);
}

/* --- atoms created without end --- */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* shape_of copies an atom with '#' for each number or hash in it. It returns 0 if there are none,
 * or it is the name of a node, or too long. */
static size_t shape_of(const struct ds_atom *atom, char shape[SHAPE_LEN])
{
    const char *text = (const char *)atom->text;
    size_t len = 0;
    bool any = false;
    for (size_t i = 0; i < atom->len;) {
        size_t run = i;
        bool has_digit = false;
        for (; run < atom->len && is_hex(text[run]); run++)
            has_digit |= text[run] <= '9';
        if (len == SHAPE_LEN || text[i] == '@')
            return 0;
        any |= has_digit;
        shape[len++] = has_digit ? '#' : text[i];
        i = has_digit ? run : i + 1;
    }
    return any ? len : 0;
}

static void report_atoms(struct detect *d, const struct ds_event *event, const struct dynamic_atoms *c)
{
    struct finding *f = detect_begin(d, FINDING_DS309, event);
    wording_say(&f->sentence, "{node} keeps creating atoms", an_end(&event->conn->end[event->dir]));
    wording_say(&f->detail, "{different} different atoms of the same form in {within}", a_number(c->num),
                a_span(event->ts_ns - c->first_ns));
    for (size_t i = 0; i < COINED_EXAMPLES; i++)
        wording_say(&f->detail, "{}{examples}", a_word(i == 0 ? ", such as " : ", "),
                    an_atom(text_of(c->example[i], c->len[i])));
    detect_frame(f, c->frame, "the first");
    detect_frame(f, event->frame, "the latest");
    detect_unsure(f, CERTAINTY_LIKELY, "erlang:system_info(atom_count) there, now and later");
    detect_commit(d);
}

/* note_coined says whether an atom differs from those before, and records it. It compares 63 bits
 * of an unpredictable hash, so the count is practically exact, and the same in each run. */
static bool note_coined(struct dynamic_atoms *c, const struct ds_atom *atom)
{
    const uint64_t hash = hash_more(6, atom->text, atom->len) | 1;
    uint32_t place = (uint32_t)(hash >> 32) % COINED_PLACES;
    while (c->seen[place] != 0 && c->seen[place] != hash)
        place = (place + 1) % COINED_PLACES;
    if (c->seen[place] != 0)
        return false;
    c->seen[place] = hash;
    return true;
}
_Static_assert((int)COINED_ENOUGH < (int)COINED_PLACES, "there is always a free place");

static void on_atom(struct detect *d, const struct ds_event *event, const struct ds_atom *atom)
{
    const struct ds_endpoint *from = &event->conn->end[event->dir];
    char shape[SHAPE_LEN];
    const size_t len = shape_of(atom, shape);
    if (len == 0)
        return;
    uint64_t key = from->node.data != NULL
                       ? hash_more(5, from->node.data, from->node.len)
                       : hash_more(5, from->addr.bytes, sizeof from->addr.bytes);
    key = hash_more(key, shape, len);
    struct dynamic_atoms *c = table_find_or_put(&d->messages->coined, key);
    if (c == NULL) {
        d->no_memory++;
        return;
    }
    if (c->num == 0) {
        c->first_ns = event->ts_ns;
        c->frame = event->frame;
    }
    if (c->num == COINED_ENOUGH || !note_coined(c, atom))
        return;
    if (c->num < COINED_EXAMPLES) {
        c->len[c->num] = (uint8_t)(atom->len < COINED_LEN ? atom->len : COINED_LEN);
        memcpy(c->example[c->num], atom->text, c->len[c->num]);
    }
    if (++c->num == COINED_ENOUGH)
        report_atoms(d, event, c);
}

/* has_new_atoms finds the few messages that add atoms. */
static inline bool has_new_atoms(const struct ds_term *control)
{
    unsigned any = 0;
    for (uint32_t i = 0; i < control->num_atoms; i++)
        any |= control->atoms[i].is_new;
    return any != 0;
}

static __attribute__((noinline)) void take_atoms(struct detect *d, const struct ds_event *event)
{
    const struct ds_term *control = &event->message.control;
    for (uint32_t i = 0; i < control->num_atoms; i++) {
        if (control->atoms[i].is_new && control->atoms[i].text != NULL)
            on_atom(d, event, &control->atoms[i]);
    }
}

void detect_messages(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (record->note.role == NOTE_EXIT && event->message.op != NULL)
        take_exit(d, record);
    if (event->fault.kind == DS_FAULT_MALFORMED)
        take_malformed(d, event);
    if (has_new_atoms(&event->message.control) && !refresh_code_is_sent(&event->message))
        take_atoms(d, event);
    on_earlier_life(d, event);
    if (event->message.payload.len >= MIN_PAYLOAD)
        take_copies(d, event);
}
