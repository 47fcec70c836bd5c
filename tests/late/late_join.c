/*
 * late_join.c - decodes a capture whole and then from a part of it on, or without some of its
 * packets, and holds each atom of each message of the second against the first.
 *
 *     late_join [--certain] [--learned | --twice | --hold SECONDS] [--from PERCENT | --drop PERCENT]
 *               FILE
 *
 * --contexts OTHER: an earlier run has learned the contexts of atoms from another capture; --same: and
 * which nodes these were, where that is one of the same nodes, which were restarted since.
 *
 * --random N: drop other packets. --verbose, --unknown: say which atoms are wrong, and which stay
 * unknown, in what roles they stand and what they may be.
 *
 * It prints one line:
 *
 *     the messages whose own bytes are all in the packets of the second run, in connections that
 *       were joined late, or with --drop in all
 *     of them, in percent, those whose atoms are all known without likely ones, and with them
 *     in percent, those readable of the messages that can be: each of their atoms is defined in
 *       some message of this node whose bytes are all there, or certain by its place
 *     references that are likely, and those that are wrong: firm, and likely
 *
 * --learned: the part that is cut off has been decoded by an earlier run, which remembered what it
 * learned; --twice: the same packets were; --hold: packets wait so long for what comes after. Exit status
 * 1: an atom is wrong that is firm, or, where no packets were dropped, likely.
 */
#include "app/run/packet_hold.h"
#include "atoms/atom_memory.h"
#include "atoms/atom_roles.h"
#include "atoms/node_atoms_parts.h"

#include <distsniff/dissect.h>

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIRECTIONS = 1 << 16, MAX_SLOTS = 2048, MAX_OPEN = 64, SET_SIZE = 1 << 20, NEAR = 512 };

struct message {
    uint64_t frame; /* the packet that completed the message */
    uint64_t hash; /* of its terms */
    uint32_t num_atoms;
    struct ds_atom *atoms; /* their texts are copies */
    uint64_t node;         /* the sender */
    bool is_there;         /* all its bytes are captured */
    bool could_be;         /* the message can be readable */
    bool is_found;         /* the second run has found it */
};

struct range {
    uint64_t start, end;
};

/* direction is one direction of a connection in the whole capture. */
struct direction {
    uint64_t key;
    struct message *messages;
    size_t num, cap, at;
    uint64_t data_end, frames_end; /* offsets in the stream */
    struct range *lost; /* its bytes in packets that are left out */
    size_t num_lost, cap_lost, lost_at;
    struct {
        uint64_t sequence;
        bool is_there;
    } open[MAX_OPEN]; /* fragmented messages */
    unsigned num_open;
    uint64_t slots[MAX_SLOTS]; /* hashes of the atoms in the slots */
    bool is_late; /* the second run joined it late */
};

struct comparison {
    struct direction *directions[MAX_DIRECTIONS];
    size_t num_directions;
    bool first; /* this is the first run */
    bool all;   /* compare all connections, not only those that were joined late */
    bool *left_out; /* packets that are left out */
    uint64_t *defined; /* a hash set of definitions */
    uint64_t messages, readable, readable_firm, likely, wrong_firm, wrong_likely;
    uint64_t could_be, could_be_readable;
    bool verbose;
    bool unknown; /* print unknown atoms */
};

static uint64_t add_bytes(uint64_t hash, const void *data, size_t len)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static const uint64_t HASH_START = 1469598103934665603u;

static uint64_t hash_of_terms(const struct ds_message *message)
{
    const uint64_t hash = add_bytes(HASH_START, message->control.data, message->control.len);
    return add_bytes(hash, message->payload.data, message->payload.data != NULL ? message->payload.len : 0);
}

static uint64_t hash_of_node(const struct ds_endpoint *end)
{
    const uint64_t hash = add_bytes(HASH_START, end->node.data, end->node.len);
    return add_bytes(hash, &end->creation, sizeof end->creation);
}

static uint64_t hash_of_atom(uint64_t start, const struct ds_atom *atom)
{
    return add_bytes(add_bytes(start, &atom->slot, sizeof atom->slot), atom->text, atom->len) | 1;
}

/* place_in returns the place of a hash in the set, or a free place for it. */
static uint64_t *place_in(uint64_t *set, uint64_t hash)
{
    size_t i = hash % SET_SIZE;
    while (set[i] != 0 && set[i] != hash)
        i = (i + 1) % SET_SIZE;
    return &set[i];
}

static struct direction *direction_of(struct comparison *comparison, const struct ds_conn *conn,
                                      unsigned dir)
{
    uint64_t key = HASH_START;
    for (unsigned i = 0; i < 2; i++) {
        const struct ds_endpoint *end = &conn->end[i == 0 ? dir : 1 - dir];
        key = add_bytes(add_bytes(key, &end->addr, sizeof end->addr), &end->port, sizeof end->port);
    }
    size_t i = key % MAX_DIRECTIONS;
    while (comparison->directions[i] != NULL && comparison->directions[i]->key != key)
        i = (i + 1) % MAX_DIRECTIONS;
    if (comparison->directions[i] == NULL) {
        if (++comparison->num_directions == MAX_DIRECTIONS) {
            fprintf(stderr, "late_join: the capture has more than %d directions\n", MAX_DIRECTIONS - 1);
            exit(2);
        }
        comparison->directions[i] = calloc(1, sizeof *comparison->directions[i]);
        comparison->directions[i]->key = key;
    }
    return comparison->directions[i];
}

static void remember(struct direction *direction, const struct ds_event *event)
{
    if (direction->num == direction->cap) {
        direction->cap = direction->cap * 2 + 64;
        direction->messages =
            realloc(direction->messages, direction->cap * sizeof *direction->messages);
    }
    struct message *m = &direction->messages[direction->num++];
    const struct ds_term *term = &event->message.control;
    *m = (struct message){event->frame, hash_of_terms(&event->message), term->num_atoms, NULL,
                          hash_of_node(&event->conn->end[event->dir]), false, false, false};
    m->atoms = calloc(term->num_atoms + 1, sizeof *m->atoms);
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        m->atoms[i] = term->atoms[i];
        if (term->atoms[i].text != NULL) {
            uint8_t *text = malloc(term->atoms[i].len + 1u);
            memcpy(text, term->atoms[i].text, term->atoms[i].len);
            m->atoms[i].text = text;
        }
    }
}

/* take_data records the bytes that one packet adds to a stream. */
static void take_data(struct comparison *comparison, struct direction *direction,
                      const struct ds_event *event)
{
    const uint64_t len = event->bytes_len + event->data.missing;
    if (len != 0 && (event->data.missing != 0 || comparison->left_out[event->frame])) {
        if (direction->num_lost == direction->cap_lost) {
            direction->cap_lost = direction->cap_lost * 2 + 64;
            direction->lost =
                realloc(direction->lost, direction->cap_lost * sizeof *direction->lost);
        }
        direction->lost[direction->num_lost++] =
            (struct range){direction->data_end, direction->data_end + len};
    }
    direction->data_end += len;
}

/* is_there returns whether all of the next len bytes of frames are captured. */
static bool is_there(struct direction *direction, uint64_t len)
{
    const uint64_t start = direction->frames_end, end = start + len;
    direction->frames_end = end;
    while (direction->lost_at < direction->num_lost &&
           direction->lost[direction->lost_at].end <= start)
        direction->lost_at++;
    return direction->lost_at == direction->num_lost ||
           direction->lost[direction->lost_at].start >= end;
}

/* note_definitions records what the latest message of a direction defines: each atom that was not
 * in its slot before. */
static void note_definitions(struct comparison *comparison, struct direction *direction)
{
    const struct message *m = &direction->messages[direction->num - 1];
    for (uint32_t i = 0; i < m->num_atoms; i++) {
        const uint64_t hash = hash_of_atom(m->node, &m->atoms[i]);
        if (!ds_atom_is_certain(m->atoms[i].state) || direction->slots[m->atoms[i].slot] == hash)
            continue;
        direction->slots[m->atoms[i].slot] = hash;
        if (m->is_there)
            *place_in(comparison->defined, hash) = hash;
    }
}

static void take_frame(struct comparison *comparison, struct direction *direction,
                       const struct ds_frame *frame)
{
    bool there = is_there(direction, frame->size);
    unsigned i = 0;
    if (frame->kind == DS_FRAME_FIRST || frame->kind == DS_FRAME_FURTHER) {
        while (i < direction->num_open && direction->open[i].sequence != frame->sequence)
            i++;
        if (i < direction->num_open)
            there = direction->open[i].is_there = there && direction->open[i].is_there;
        else if (i < MAX_OPEN)
            direction->open[direction->num_open++].sequence = frame->sequence,
            direction->open[i].is_there = there;
        if (frame->completes && i < direction->num_open)
            direction->open[i] = direction->open[--direction->num_open];
    } else if (frame->kind != DS_FRAME_MESSAGE && frame->kind != DS_FRAME_PASS_THROUGH) {
        return;
    }
    if (!frame->completes || direction->num == 0)
        return;
    direction->messages[direction->num - 1].is_there = there;
    note_definitions(comparison, direction);
}

static bool differ(const struct ds_atom *a, const struct ds_atom *b)
{
    return a->len != b->len || memcmp(a->text, b->text, a->len) != 0;
}

static bool is_same(const struct message *m, const struct ds_event *event, uint64_t hash)
{
    const struct ds_term *term = &event->message.control;
    bool same = m->is_there && !m->is_found && m->frame <= event->frame && m->hash == hash &&
                m->num_atoms == term->num_atoms;
    /* References in the terms have numbers; the header maps these to slots. */
    for (uint32_t i = 0; same && i < m->num_atoms; i++)
        same = m->atoms[i].slot == term->atoms[i].slot;
    return same;
}

static void print_role(void *context, const struct ds_atom *atom, const struct atom_role *role)
{
    const struct ds_atom *wanted = context;
    if (atom->slot == wanted->slot)
        printf(" %s", role->num_close != 0 ? role->close[0] : role->fine);
}

/* print_unknown prints an atom that stays unknown, and its roles. */
static void print_unknown(const struct comparison *comparison, const struct ds_event *event,
                          const struct message *m, const struct ds_atom *want)
{
    printf("unknown packet %llu conn %llu.%u slot %u %.*s%s", (unsigned long long)event->frame,
           (unsigned long long)event->conn->number, event->dir, want->slot, want->len,
           (const char *)want->text,
           *place_in(comparison->defined, hash_of_atom(m->node, want)) != 0 ? " DEFINED" : "");
    atom_roles_walk(&event->message, print_role, (void *)(uintptr_t)want);
    for (size_t i = 0; i < event->message.num_guesses; i++) {
        const struct ds_guess *guess = &event->message.guesses[i];
        for (unsigned g = 0; guess->slot == want->slot && g < guess->num; g++)
            printf(" | %.*s %u %%", (int)guess->atom[g].text.len, guess->atom[g].text.data,
                   guess->atom[g].percent);
    }
    printf("\n");
}

/* print_wrong prints an atom that is wrong, its sender, and its roles. */
static void print_wrong(const struct ds_event *event, const struct ds_atom *got,
                        const struct ds_atom *want)
{
    const struct ds_text node = event->conn->end[event->dir].node;
    printf("packet %llu conn %llu.%u %.*s slot %u: %s %.*s is %.*s",
           (unsigned long long)event->frame, (unsigned long long)event->conn->number, event->dir,
           (int)node.len, node.data != NULL ? node.data : "", got->slot,
           got->state == DS_ATOM_LIKELY ? "likely" : "firm", got->len, (const char *)got->text,
           want->len, (const char *)want->text);
    atom_roles_walk(&event->message, print_role, (void *)(uintptr_t)got);
    printf("\n");
}

static void compare(struct comparison *comparison, struct direction *direction,
                    const struct ds_event *event)
{
    const struct ds_term *term = &event->message.control;
    const uint64_t hash = hash_of_terms(&event->message);
    const size_t start = direction->at < NEAR ? 0 : direction->at - NEAR;
    size_t i = direction->at;
    /* Usually it is the next message. It is an earlier one if an equal message was lost. */
    while (i < direction->num && !is_same(&direction->messages[i], event, hash))
        i++;
    if (i == direction->num)
        for (i = start; i < direction->at && !is_same(&direction->messages[i], event, hash); i++)
            ;
    if (i == direction->num || !is_same(&direction->messages[i], event, hash))
        return; /* a damaged message, or none that the whole capture has */
    direction->messages[i].is_found = true;
    direction->at = i + 1;
    const struct message *m = &direction->messages[i];
    bool readable = true, firm = true, could_be = true;
    for (uint32_t a = 0; a < term->num_atoms; a++) {
        const struct ds_atom *got = &term->atoms[a], *want = &m->atoms[a];
        if (!ds_atom_is_certain(want->state))
            continue; /* it is unknown in the whole capture, too */
        could_be = could_be && (got->state == DS_ATOM_INFERRED ||
                                *place_in(comparison->defined, hash_of_atom(m->node, want)) != 0);
        if (got->state == DS_ATOM_ADDRESS) { /* no more can be known: it must be a node */
            comparison->wrong_firm += memchr(want->text, '@', want->len) == NULL;
            continue;
        }
        const bool is_wrong = ds_atom_has_name(got->state) && differ(got, want);
        readable = readable && ds_atom_has_name(got->state) && !is_wrong;
        firm = firm && ds_atom_is_certain(got->state);
        if (comparison->unknown && !ds_atom_has_name(got->state))
            print_unknown(comparison, event, m, want);
        comparison->likely += got->state == DS_ATOM_LIKELY;
        if (!is_wrong)
            continue;
        if (ds_atom_is_certain(got->state))
            comparison->wrong_firm++;
        else
            comparison->wrong_likely++;
        if (comparison->verbose)
            print_wrong(event, got, want);
    }
    comparison->readable += readable;
    comparison->readable_firm += firm;
    direction->messages[i].could_be = could_be;
    comparison->could_be_readable += readable && could_be;
}

static void on_event(void *context, const struct ds_event *event)
{
    struct comparison *comparison = context;
    if (event->type == DS_EVENT_EPMD || event->conn == NULL)
        return;
    struct direction *direction = direction_of(comparison, event->conn, event->dir);
    const bool is_message =
        event->type == DS_EVENT_MESSAGE && event->message.control.data != NULL;
    if (comparison->first) {
        if (is_message)
            remember(direction, event);
        else if (event->type == DS_EVENT_DATA)
            take_data(comparison, direction, event);
        else if (event->type == DS_EVENT_GAP)
            (void)is_there(direction, event->gap.bytes);
        else if (event->type == DS_EVENT_FRAME)
            take_frame(comparison, direction, &event->frame_sent);
        else if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_CLOSED)
            for (unsigned end = 0; end < 2; end++) {
                /* The next connection between these two starts from the beginning. */
                direction = direction_of(comparison, event->conn, end);
                direction->frames_end = direction->data_end;
            }
        return;
    }
    if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_JOINED_LATE)
        direction->is_late = direction_of(comparison, event->conn, 1u - event->dir)->is_late = true;
    if (is_message && event->fault.kind == DS_FAULT_NONE && (comparison->all || direction->is_late))
        compare(comparison, direction, event);
}

/* count_messages counts the messages that should be read. */
static void count_messages(struct comparison *comparison)
{
    for (size_t d = 0; d < MAX_DIRECTIONS; d++) {
        const struct direction *direction = comparison->directions[d];
        for (size_t i = 0; direction != NULL && i < direction->num; i++) {
            const struct message *m = &direction->messages[i];
            bool could_be = true;
            if (!m->is_there || !(comparison->all || direction->is_late))
                continue;
            for (uint32_t a = 0; a < m->num_atoms; a++)
                could_be = could_be &&
                           (!ds_atom_is_certain(m->atoms[a].state) ||
                            *place_in(comparison->defined, hash_of_atom(m->node, &m->atoms[a])) != 0);
            comparison->messages++;
            comparison->could_be += could_be || m->could_be;
        }
    }
}

static pcap_t *open_pcap(const char *name)
{
    char command[4096], error[PCAP_ERRBUF_SIZE];
    const char *tool = strstr(name, ".gz") != NULL ? "gzip" : strstr(name, ".zst") != NULL ? "zstd" : NULL;
    if (tool == NULL)
        return pcap_open_offline_with_tstamp_precision(name, PCAP_TSTAMP_PRECISION_NANO, error);
    snprintf(command, sizeof command, "%s -dc '%s'", tool, name);
    FILE *file = popen(command, "r");
    return file == NULL ? NULL
                        : pcap_fopen_offline_with_tstamp_precision(
                              file, PCAP_TSTAMP_PRECISION_NANO, error);
}

/* A run reads the packets from number first to last, without those in left_out. */
struct run {
    uint64_t first, last;
    const bool *left_out; /* NULL: none */
};

/* feed gives a packet to the session of a run, or to the hold that delays it. */
static uint64_t feed_held(struct ds_session *session, struct packet_hold *hold, const char *name,
                          struct run run)
{
    pcap_t *pcap = open_pcap(name);
    struct pcap_pkthdr *header;
    const u_char *bytes;
    uint64_t frame = 0;
    if (pcap == NULL) {
        fprintf(stderr, "%s: cannot be read\n", name);
        exit(2);
    }
    while (pcap_next_ex(pcap, &header, &bytes) == 1) {
        const struct ds_packet packet = {
            .ts_ns = (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec,
            .frame = ++frame,
            .link_type = (uint32_t)pcap_datalink(pcap) == 12 ? 101 : (uint32_t)pcap_datalink(pcap),
            .data = bytes,
            .cap_len = header->caplen,
            .len = header->len,
        };
        if (frame < run.first || frame > run.last ||
            (run.left_out != NULL && run.left_out[frame]))
            continue;
        if (hold != NULL)
            packet_hold_packet(hold, &packet);
        else if (session != NULL)
            ds_session_packet(session, &packet);
    }
    pcap_close(pcap);
    return frame;
}

static uint64_t feed(struct ds_session *session, const char *name, struct run run)
{
    return feed_held(session, NULL, name, run);
}

static void take_held(void *context, const struct ds_packet *packet)
{
    ds_session_packet(context, packet);
}

static void keep_learned(void *context, const struct ds_learned *learned)
{
    (void)ds_atom_memory_add(context, learned);
}

static void keep_shape(void *context, const struct ds_learned_shape *shape)
{
    (void)ds_atom_memory_add_shape(context, shape);
}

static void keep_shape_elsewhere(void *context, const struct ds_learned_shape *shape)
{
    if (shape->kind != DS_LEARNED_PLACE)
        keep_shape(context, shape);
}

/* learn_contexts learns the contexts of a whole capture, but none of its slots. */
static void learn_contexts(const char *name, bool is_same, struct ds_atom_memory *memory)
{
    struct ds_atom_memory *earlier = ds_atom_memory_new(256);
    struct ds_config config;
    ds_config_init(&config);
    config.atom_memory = earlier;
    config.learn = true;
    struct ds_session *session = ds_session_new(&config);
    feed(session, name, (struct run){0, UINT64_MAX, NULL});
    ds_session_end(session);
    ds_session_free(session);
    ds_atom_memory_each_shape(earlier, is_same ? keep_shape : keep_shape_elsewhere, memory);
    ds_atom_memory_free(earlier);
}

/* check_ahead ends the program if a session judged slots that are never shown. */
static void check_ahead(const struct ds_atom_memory *memory)
{
    for (const struct node_atoms *book = memory->books->newest; book != NULL; book = book->older) {
        if (book->num_judged != 0) {
            fprintf(stderr, "late_join: what is read first is judged\n");
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    static struct comparison comparison;
    struct ds_config config;
    unsigned from = 0, drop = 0;
    int hold = 0;
    uint32_t random = 12345;
    bool certain = false, learned = false, twice = false, is_same = false;
    const char *contexts = NULL;
    const char *name = NULL;
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = &comparison;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--certain") == 0)
            certain = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            comparison.verbose = true;
        else if (strcmp(argv[i], "--unknown") == 0)
            comparison.unknown = config.guesses = true;
        else if (strcmp(argv[i], "--learned") == 0)
            learned = true;
        else if (strcmp(argv[i], "--twice") == 0)
            twice = true;
        else if (strcmp(argv[i], "--contexts") == 0 && i + 1 < argc)
            contexts = argv[++i];
        else if (strcmp(argv[i], "--same") == 0)
            is_same = true;
        else if (strcmp(argv[i], "--hold") == 0 && i + 1 < argc)
            hold = atoi(argv[++i]);
        else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
            from = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--drop") == 0 && i + 1 < argc)
            drop = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--random") == 0 && i + 1 < argc)
            random = (uint32_t)atoi(argv[++i]);
        else
            name = argv[i];
    }
    if (name == NULL)
        return 2;
    const uint64_t num = feed(NULL, name, (struct run){0, UINT64_MAX, NULL});
    const uint64_t first = num * from / 100 + 1;
    comparison.left_out = calloc(num + 1, sizeof *comparison.left_out);
    comparison.defined = calloc(SET_SIZE, sizeof *comparison.defined);
    for (uint64_t i = 1; i <= num; i++) {
        random = random * 1664525 + 1013904223;
        comparison.left_out[i] = i < first || (random >> 8) % 100 < drop;
    }
    comparison.first = config.raw = true;
    struct ds_session *session = ds_session_new(&config);
    feed(session, name, (struct run){0, UINT64_MAX, NULL});
    ds_session_end(session);
    ds_session_free(session);

    comparison.first = config.raw = false;
    comparison.all = drop != 0;
    config.certain = certain;
    struct ds_atom_memory *memory = ds_atom_memory_new(256);
    if (contexts != NULL)
        learn_contexts(contexts, is_same, memory);
    if (learned || twice) {
        struct ds_atom_memory *earlier = ds_atom_memory_new(256);
        const ds_event_fn listen = config.on_event;
        config.on_event = NULL;
        config.atom_memory = learned ? earlier : memory;
        config.learn = true;
        config.is_ahead = twice;
        session = ds_session_new(&config);
        feed(session, name,
             learned ? (struct run){0, first - 1, NULL}
                     : (struct run){first, UINT64_MAX, comparison.left_out});
        ds_session_end(session);
        ds_session_free(session);
        if (twice)
            check_ahead(memory);
        config.on_event = listen;
        config.learn = config.is_ahead = false;
        if (learned)
            ds_atom_memory_each(earlier, keep_learned, memory);
        ds_atom_memory_free(earlier);
    }
    config.atom_memory = memory;
    session = ds_session_new(&config);
    const struct packet_hold_config holding = {.hold_ns = hold * (int64_t)1000000000,
                                               .max_bytes = UINT64_MAX, .session = &config,
                                               .beside = session, .take = take_held, .context = session};
    struct packet_hold *held = hold != 0 ? packet_hold_new(&holding) : NULL;
    feed_held(session, held, name, (struct run){first, UINT64_MAX, comparison.left_out});
    if (held != NULL)
        packet_hold_end(held);
    packet_hold_free(held);
    ds_session_end(session);
    ds_session_free(session);
    ds_atom_memory_free(memory);
    count_messages(&comparison);
    const double all = comparison.messages != 0 ? (double)comparison.messages : 1;
    /* If no message can be readable, none is missing: of encrypted connections nothing is seen. */
    const double share =
        comparison.could_be != 0 ? (double)comparison.could_be_readable / (double)comparison.could_be : 1;
    printf("%7llu %5.1f %5.1f %5.1f %7llu %llu %llu\n", (unsigned long long)comparison.messages,
           100 * (double)comparison.readable_firm / all, 100 * (double)comparison.readable / all,
           100 * share, (unsigned long long)comparison.likely,
           (unsigned long long)comparison.wrong_firm, (unsigned long long)comparison.wrong_likely);
    return comparison.wrong_firm != 0 || (drop == 0 && comparison.wrong_likely != 0);
}
