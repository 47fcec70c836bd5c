/*
 * filter_get_conn.c - fields of connections: handshakes, EPMD, counters, gaps and faults.
 */
#include "core/community_id.h"
#include "record/fields.h"
#include "select/filter_get.h"

#include <distsniff/dissect.h>
#include <distsniff/identity.h>
#include <stdio.h>
#include <string.h>

static void get_flag_names(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_HANDSHAKE);
    const uint64_t flags =
        event != NULL && event->handshake.has_flags ? event->handshake.flags : 0;
    (void)which;
    for (unsigned bit = 0; bit < 64; bit++) {
        char unknown[16];
        const char *name = ds_flag_name(bit);
        snprintf(unknown, sizeof unknown, "bit_%u", bit);
        if ((flags >> bit & 1) != 0)
            probe_offer_string(probe, name != NULL ? name : unknown);
    }
}

static void get_release(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_HANDSHAKE);
    (void)which;
    if (event != NULL && event->handshake.has_flags)
        probe_offer_string(probe, ds_flags_release(event->handshake.flags));
}

enum handshake_part { SHAKE_STEP, SHAKE_VERSION, SHAKE_STATUS, SHAKE_CHALLENGE, SHAKE_DIGEST,
                      SHAKE_COOKIE_OK, SHAKE_COOKIE_NOTE };

static void offer_digest(struct filter_probe *probe, const uint8_t *digest)
{
    char text[2 * 16 + 1];
    for (int i = 0; i < 16; i++)
        snprintf(&text[2 * i], 3, "%02x", digest[i]);
    probe_offer_string(probe, text);
}

static void get_handshake(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_HANDSHAKE);
    if (event == NULL)
        return;
    const struct ds_handshake *h = &event->handshake;
    switch ((enum handshake_part)which) {
    case SHAKE_STEP:
        probe_offer_string(probe, ds_handshake_step_name(h->step));
        break;
    case SHAKE_VERSION:
        if (h->version != 0)
            probe_offer_number(probe, h->version);
        break;
    case SHAKE_STATUS:
        probe_offer_text(probe, h->status);
        break;
    case SHAKE_CHALLENGE:
        if (h->has_challenge)
            probe_offer_number(probe, h->challenge);
        break;
    case SHAKE_DIGEST:
        if (h->has_digest)
            offer_digest(probe, h->digest);
        break;
    case SHAKE_COOKIE_OK:
        if (h->cookie != DS_COOKIE_UNCHECKED)
            probe_offer_number(probe, h->cookie == DS_COOKIE_OK);
        break;
    case SHAKE_COOKIE_NOTE:
        probe_offer_string(probe, h->cookie_note);
        break;
    }
}

/* The name in a message of EPMD or a handshake. */
static void get_name(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    (void)which;
    if (event != NULL && event->type == DS_EVENT_EPMD)
        probe_offer_text(probe, event->epmd.name);
    else if (event != NULL && event->type == DS_EVENT_HANDSHAKE)
        probe_offer_text(probe, event->handshake.name);
}

static void get_creation(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    (void)which;
    if (event != NULL && event->type == DS_EVENT_EPMD && event->epmd.creation != 0)
        probe_offer_number(probe, event->epmd.creation);
    else if (event != NULL && event->type == DS_EVENT_HANDSHAKE && event->handshake.creation != 0)
        probe_offer_number(probe, event->handshake.creation);
}

enum epmd_part { EPMD_NODE_TYPE, EPMD_PROTOCOL, EPMD_HIGHEST, EPMD_LOWEST, EPMD_EXTRA, EPMD_PORT,
                 EPMD_NODES, EPMD_ANSWER };

static void get_epmd(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_EPMD);
    if (event == NULL)
        return;
    const struct ds_epmd *epmd = &event->epmd;
    const bool registers = epmd_has_registration(epmd);
    const bool lists = epmd_has_nodes(epmd);
    switch ((enum epmd_part)which) {
    case EPMD_NODE_TYPE:
        if (registers)
            probe_offer_number(probe, epmd->node_type);
        break;
    case EPMD_PROTOCOL:
        if (registers)
            probe_offer_number(probe, epmd->protocol);
        break;
    case EPMD_HIGHEST:
        if (registers)
            probe_offer_number(probe, epmd->highest_version);
        break;
    case EPMD_LOWEST:
        if (registers)
            probe_offer_number(probe, epmd->lowest_version);
        break;
    case EPMD_EXTRA:
        if (registers)
            probe_offer_text(probe, epmd->extra);
        break;
    case EPMD_PORT:
        if (lists)
            probe_offer_number(probe, epmd->epmd_port);
        break;
    case EPMD_NODES:
        for (size_t i = 0; lists && i < epmd->num_nodes; i++)
            probe_offer_text(probe, epmd->nodes[i].name);
        break;
    case EPMD_ANSWER:
        probe_offer_text(probe, epmd->raw);
        break;
    }
}

static void get_state(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_CONN);
    (void)which;
    if (event != NULL)
        probe_offer_string(probe, ds_conn_state_name(event->change.state));
}

enum { CONN_ICMP_FROM, CONN_COMMUNITY_ID };

static void get_conn_text(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_CONN);
    char addr[DS_ADDR_LEN], id[COMMUNITY_ID_SIZE];
    if (event == NULL)
        return;
    if (which == CONN_ICMP_FROM && event->change.from.family != 0) {
        ds_addr_print(&event->change.from, addr);
        probe_offer_string(probe, addr);
    }
    if (which == CONN_COMMUNITY_ID && community_id_print(event->conn->end, id))
        probe_offer_string(probe, id);
}

enum { STALL_WHY, STALL_OVER, STALL_IN_FLIGHT, STALL_MESSAGE_SIZE, STALL_MESSAGE_PASSED };

static void get_stall(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_STALL);
    if (event == NULL)
        return;
    const struct ds_stall *stall = &event->stall;
    if (which == STALL_WHY)
        probe_offer_string(probe, ds_stall_why_name(stall->why));
    else if (which == STALL_OVER)
        probe_offer_number(probe, stall->is_over);
    else if (which == STALL_IN_FLIGHT)
        probe_offer_unsigned(probe, stall->in_flight);
    else if (stall->message_size != 0)
        probe_offer_unsigned(probe, which == STALL_MESSAGE_SIZE ? stall->message_size
                                                                : stall->message_passed);
}

/* The counters of a connection that ended: which one, and of which end. */
enum counter { COUNT_BYTES, COUNT_FRAMES, COUNT_MESSAGES, COUNT_TICKS, COUNT_GAPS,
               COUNT_GAP_BYTES, COUNT_FAULTS, COUNT_UNKNOWN_ATOMS, COUNT_LIKELY_ATOMS,
               COUNT_IGNORED, COUNT_DST = 16 };

static void get_counter(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_CONN);
    if (event == NULL || !event->change.final)
        return;
    const struct ds_counters *c =
        &event->conn->counters[event->dir ^ ((which & COUNT_DST) != 0)];
    const uint64_t counts[] = {
        [COUNT_BYTES] = c->bytes,         [COUNT_FRAMES] = c->frames,
        [COUNT_MESSAGES] = c->messages,   [COUNT_TICKS] = c->ticks,
        [COUNT_GAPS] = c->gaps,           [COUNT_GAP_BYTES] = c->gap_bytes,
        [COUNT_FAULTS] = c->faults,       [COUNT_UNKNOWN_ATOMS] = c->unknown_atoms,
        [COUNT_LIKELY_ATOMS] = c->likely_atoms, [COUNT_IGNORED] = c->ignored,
    };
    probe_offer_unsigned(probe, counts[which & (COUNT_DST - 1)]);
}

enum { GAP_BYTES, GAP_MESSAGES };

static void get_gap(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_GAP);
    const struct ds_event *piece = record_event_of(record, DS_EVENT_STREAM);
    if (which == GAP_BYTES && piece != NULL)
        probe_offer_unsigned(probe, piece->stream.bytes);
    if (event == NULL)
        return;
    if (which == GAP_BYTES)
        probe_offer_unsigned(probe, event->gap.bytes);
    else if (event->gap.messages >= 0)
        probe_offer_number(probe, event->gap.messages);
}

enum { STREAM_WHAT, STREAM_OFFSET, STREAM_RECORDS, STREAM_ENTRIES, STREAM_EPOCH, STREAM_WRITTEN };

static void get_stream(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event_of(record, DS_EVENT_STREAM);
    if (event == NULL)
        return;
    const struct ds_stream *stream = &event->stream;
    if (which == STREAM_WHAT)
        probe_offer_string(probe, stream->what);
    else if (which == STREAM_WRITTEN && stream->has_offset)
        probe_offer_number(probe, stream->written_ns);
    else if (stream->has_offset)
        probe_offer_unsigned(probe, which == STREAM_OFFSET    ? stream->offset
                                    : which == STREAM_RECORDS ? stream->records
                                    : which == STREAM_ENTRIES ? stream->entries
                                                              : stream->epoch);
}

/* Fields of links: of a stall, of a message that a stall delayed, and of the end of a connection. */
enum link_part { LINK_STALL, LINK_WIRE_TIME, LINK_RETRANSMITTED, LINK_SILENT };

static void get_link_of_end(struct filter_probe *probe, const struct ds_event *event,
                            enum link_part which)
{
    const struct ds_tcp_stats *link = event->conn->link;
    if (link == NULL || !event->change.final)
        return;
    for (int end = 0; end < 2; end++) {
        const struct ds_tcp_side *side = &link->side[end];
        if (which == LINK_RETRANSMITTED)
            probe_offer_unsigned(probe, side->retransmitted + side->lost_upstream);
        else if (side->last_data_ns != 0 && side->max_idle_ns < event->ts_ns - side->last_data_ns)
            probe_offer_number(probe, event->ts_ns - side->last_data_ns);
        else if (side->last_data_ns != 0)
            probe_offer_number(probe, side->max_idle_ns);
    }
}

static void get_link(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    if (event == NULL)
        return;
    if (which == LINK_STALL && event->type == DS_EVENT_STALL)
        probe_offer_number(probe, event->stall.duration_ns);
    else if (which == LINK_STALL && event->type == DS_EVENT_MESSAGE && event->message.stalled_ns != 0)
        probe_offer_number(probe, event->message.stalled_ns);
    else if (which == LINK_WIRE_TIME && event->type == DS_EVENT_MESSAGE)
        probe_offer_number(probe, event->message.wire_ns);
    else if (which >= LINK_RETRANSMITTED && event->type == DS_EVENT_CONN)
        get_link_of_end(probe, event, (enum link_part)which);
}

/* The owner of a socket according to the kernel: of either end, of src, of dst. */
enum { HOST_POD, HOST_CONTAINER, HOST_PROCESS, HOST_PID, HOST_PARTS, HOST_SRC = HOST_PARTS,
       HOST_DST = 2 * HOST_PARTS };

/* offer_pod offers the name of a pod: "shop/rabbit-0" is rabbit-0, too. */
static void offer_pod(struct filter_probe *probe, const char *pod)
{
    const char *slash = strchr(pod, '/');
    probe_offer_string(probe, pod);
    if (slash != NULL)
        probe_offer_string(probe, slash + 1);
}

static void get_host(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    const int sides = which / HOST_PARTS * HOST_PARTS, part = which % HOST_PARTS;
    for (int end = 0; end < 2 && event != NULL && event->conn->link != NULL; end++) {
        const struct ds_socket *socket = &event->conn->link->side[end].socket;
        if (socket->asked_ns == 0 || (sides == HOST_SRC && end != event->dir) ||
            (sides == HOST_DST && end == event->dir))
            continue;
        if (part == HOST_POD && socket->pod[0] != '\0')
            offer_pod(probe, socket->pod);
        else if (part == HOST_CONTAINER && socket->container[0] != '\0')
            probe_offer_string(probe, socket->container);
        else if (part == HOST_PROCESS && socket->process[0] != '\0')
            probe_offer_string(probe, socket->process);
        else if (part == HOST_PID && socket->pid != 0)
            probe_offer_number(probe, socket->pid);
    }
}

enum { TLS_VERSION, TLS_SUITE, TLS_GROUP, TLS_SNI, TLS_KEYS, TLS_CERTIFICATE, TLS_ALERT, TLS_ECH,
       TLS_RENEWALS };

static void get_tls(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    const struct ds_tls *tls = event != NULL ? event->conn->tls : NULL;
    if (tls == NULL)
        return;
    const char *const words[] = {
        [TLS_VERSION] = ds_tls_version_name(tls->version),
        [TLS_SUITE] = tls->suite_name,
        [TLS_GROUP] = tls->group,
        [TLS_KEYS] = ds_tls_keys_name(tls->keys),
    };
    if (which == TLS_SNI && tls->sni.data != NULL)
        probe_offer_text(probe, tls->sni);
    if (which == TLS_ECH)
        probe_offer_number(probe, tls->has_ech);
    if (which == TLS_RENEWALS)
        probe_offer_unsigned(probe, tls->key_updates[0] + tls->key_updates[1]);
    for (int dir = 0; dir < 2; dir++) {
        if (which == TLS_CERTIFICATE && tls->certificate[dir].data != NULL)
            probe_offer_text(probe, tls->certificate[dir]);
        if (which == TLS_ALERT && tls->alert[dir] != NULL)
            probe_offer_string(probe, tls->alert[dir]);
    }
    if (which < (int)(sizeof words / sizeof words[0]) && words[which] != NULL)
        probe_offer_string(probe, words[which]);
}

enum { OF_FINDING_CODE, OF_FINDING_SEVERITY, OF_FINDING_CERTAINTY };

static void get_finding(struct filter_probe *probe, const struct record *record, int which)
{
    const struct finding *f = record->finding;
    if (which == OF_FINDING_CERTAINTY && record->call != NULL &&
        record->call->certainty != CERTAINTY_SURE)
        probe_offer_string(probe, certainty_name(record->call->certainty));
    if (f == NULL || f->kind == NULL)
        return;
    probe_offer_string(probe, which == OF_FINDING_CODE       ? f->kind->code
                              : which == OF_FINDING_SEVERITY ? severity_name(f->severity)
                                                             : certainty_name(f->certainty));
}

enum { FAULT_KIND, FAULT_OFFSET, FAULT_WHAT };

static void get_fault(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    if (event == NULL || event->fault.kind == DS_FAULT_NONE)
        return;
    if (which == FAULT_KIND)
        probe_offer_string(probe, ds_fault_kind_name(event->fault.kind));
    else if (which == FAULT_OFFSET)
        probe_offer_unsigned(probe, event->fault.offset);
    else
        probe_offer_string(probe, event->fault.what);
}

enum { ATOMS_UNKNOWN, ATOMS_INFERRED, ATOMS_LIKELY, ATOMS_ADDRESS };

static void get_atoms(struct filter_probe *probe, const struct record *record, int which)
{
    const struct ds_event *event = record_event(record);
    if (record->call != NULL && record->call->likely_atoms != 0 && which == ATOMS_LIKELY)
        probe_offer_number(probe, record->call->likely_atoms);
    if (event == NULL)
        return;
    const uint32_t num = which == ATOMS_UNKNOWN    ? event->unknown_atoms
                         : which == ATOMS_INFERRED ? event->inferred_atoms
                         : which == ATOMS_LIKELY   ? event->likely_atoms
                                                   : event->address_atoms;
    if (num != 0)
        probe_offer_number(probe, num);
}

#define COUNTERS(side, end)                                                                        \
    {side "_sent.bytes", FIELD_SIZE, get_counter, COUNT_BYTES | (end), NULL},                      \
    {side "_sent.frames", FIELD_NUMBER, get_counter, COUNT_FRAMES | (end), NULL},                  \
    {side "_sent.messages", FIELD_NUMBER, get_counter, COUNT_MESSAGES | (end), NULL},              \
    {side "_sent.ticks", FIELD_NUMBER, get_counter, COUNT_TICKS | (end), NULL},                    \
    {side "_sent.gaps", FIELD_NUMBER, get_counter, COUNT_GAPS | (end), NULL},                      \
    {side "_sent.gap_bytes", FIELD_SIZE, get_counter, COUNT_GAP_BYTES | (end), NULL},              \
    {side "_sent.faults", FIELD_NUMBER, get_counter, COUNT_FAULTS | (end), NULL},                  \
    {side "_sent.unknown_atoms", FIELD_NUMBER, get_counter, COUNT_UNKNOWN_ATOMS | (end), NULL},    \
    {side "_sent.likely_atoms", FIELD_NUMBER, get_counter, COUNT_LIKELY_ATOMS | (end), NULL},      \
    {side "_sent.ignored", FIELD_NUMBER, get_counter, COUNT_IGNORED | (end), NULL}

#define HOST(side, end)                                                                            \
    {side ".pod", FIELD_TEXT, get_host, HOST_POD + (end), NULL},                                   \
    {side ".container", FIELD_TEXT, get_host, HOST_CONTAINER + (end), NULL},                       \
    {side ".process", FIELD_TEXT, get_host, HOST_PROCESS + (end), NULL},                           \
    {side ".pid", FIELD_NUMBER, get_host, HOST_PID + (end), NULL}

static const struct filter_field fields[] = {
    {"step", FIELD_TEXT, get_handshake, SHAKE_STEP, filter_word_of_step},
    {"version", FIELD_NUMBER, get_handshake, SHAKE_VERSION, NULL},
    {"status", FIELD_TEXT, get_handshake, SHAKE_STATUS, NULL},
    {"name", FIELD_TEXT, get_name, 0, NULL},
    {"creation", FIELD_NUMBER, get_creation, 0, NULL},
    {"challenge", FIELD_NUMBER, get_handshake, SHAKE_CHALLENGE, NULL},
    {"digest", FIELD_TEXT, get_handshake, SHAKE_DIGEST, NULL},
    {"cookie_ok", FIELD_BOOL, get_handshake, SHAKE_COOKIE_OK, NULL},
    {"cookie_note", FIELD_TEXT, get_handshake, SHAKE_COOKIE_NOTE, NULL},
    {"flag_names", FIELD_TEXT, get_flag_names, 0, filter_word_of_flag},
    {"release", FIELD_TEXT, get_release, 0, filter_word_of_release},
    {"node_type", FIELD_NUMBER, get_epmd, EPMD_NODE_TYPE, NULL},
    {"protocol", FIELD_NUMBER, get_epmd, EPMD_PROTOCOL, NULL},
    {"highest_version", FIELD_NUMBER, get_epmd, EPMD_HIGHEST, NULL},
    {"lowest_version", FIELD_NUMBER, get_epmd, EPMD_LOWEST, NULL},
    {"extra", FIELD_TEXT, get_epmd, EPMD_EXTRA, NULL},
    {"epmd_port", FIELD_NUMBER, get_epmd, EPMD_PORT, NULL},
    {"nodes", FIELD_TEXT, get_epmd, EPMD_NODES, NULL},
    {"answer", FIELD_TEXT, get_epmd, EPMD_ANSWER, NULL},
    {"state", FIELD_TEXT, get_state, 0, filter_word_of_state},
    {"icmp_from", FIELD_TEXT, get_conn_text, CONN_ICMP_FROM, NULL},
    {"community_id", FIELD_TEXT, get_conn_text, CONN_COMMUNITY_ID, NULL},
    COUNTERS("src", 0),
    COUNTERS("dst", COUNT_DST),
    {"bytes", FIELD_SIZE, get_gap, GAP_BYTES, NULL},
    {"messages", FIELD_NUMBER, get_gap, GAP_MESSAGES, NULL},
    {"what", FIELD_TEXT, get_stream, STREAM_WHAT, NULL},
    {"offset", FIELD_NUMBER, get_stream, STREAM_OFFSET, NULL},
    {"records", FIELD_NUMBER, get_stream, STREAM_RECORDS, NULL},
    {"entries", FIELD_NUMBER, get_stream, STREAM_ENTRIES, NULL},
    {"epoch", FIELD_NUMBER, get_stream, STREAM_EPOCH, NULL},
    {"written", FIELD_TIME, get_stream, STREAM_WRITTEN, NULL},
    {"stall", FIELD_DURATION, get_link, LINK_STALL, NULL},
    {"why", FIELD_TEXT, get_stall, STALL_WHY, filter_word_of_why},
    {"over", FIELD_BOOL, get_stall, STALL_OVER, NULL},
    {"in_flight", FIELD_SIZE, get_stall, STALL_IN_FLIGHT, NULL},
    {"message_size", FIELD_SIZE, get_stall, STALL_MESSAGE_SIZE, NULL},
    {"message_passed", FIELD_SIZE, get_stall, STALL_MESSAGE_PASSED, NULL},
    {"wire_time", FIELD_DURATION, get_link, LINK_WIRE_TIME, NULL},
    {"retransmitted", FIELD_NUMBER, get_link, LINK_RETRANSMITTED, NULL},
    {"silent", FIELD_DURATION, get_link, LINK_SILENT, NULL},
    {"pod", FIELD_TEXT, get_host, HOST_POD, NULL},
    {"container", FIELD_TEXT, get_host, HOST_CONTAINER, NULL},
    HOST("src", HOST_SRC),
    HOST("dst", HOST_DST),
    {"tls.version", FIELD_TEXT, get_tls, TLS_VERSION, filter_word_of_tls},
    {"tls.suite", FIELD_TEXT, get_tls, TLS_SUITE, filter_word_of_suite},
    {"tls.group", FIELD_TEXT, get_tls, TLS_GROUP, filter_word_of_tls_group},
    {"tls.sni", FIELD_TEXT, get_tls, TLS_SNI, NULL},
    {"tls.keys", FIELD_TEXT, get_tls, TLS_KEYS, filter_word_of_keys},
    {"tls.certificate", FIELD_TEXT, get_tls, TLS_CERTIFICATE, NULL},
    {"tls.alert", FIELD_TEXT, get_tls, TLS_ALERT, filter_word_of_alert},
    {"tls.ech", FIELD_BOOL, get_tls, TLS_ECH, NULL},
    {"tls.renewals", FIELD_NUMBER, get_tls, TLS_RENEWALS, NULL},
    {"finding", FIELD_TEXT, get_finding, OF_FINDING_CODE, filter_word_of_finding},
    {"severity", FIELD_TEXT, get_finding, OF_FINDING_SEVERITY, filter_word_of_severity},
    {"certainty", FIELD_TEXT, get_finding, OF_FINDING_CERTAINTY, filter_word_of_certainty},
    {"fault", FIELD_TEXT, get_fault, FAULT_KIND, filter_word_of_fault},
    {"fault.kind", FIELD_TEXT, get_fault, FAULT_KIND, filter_word_of_fault},
    {"fault.offset", FIELD_NUMBER, get_fault, FAULT_OFFSET, NULL},
    {"fault.what", FIELD_TEXT, get_fault, FAULT_WHAT, NULL},
    {"unknown_atoms", FIELD_NUMBER, get_atoms, ATOMS_UNKNOWN, NULL},
    {"inferred_atoms", FIELD_NUMBER, get_atoms, ATOMS_INFERRED, NULL},
    {"address_atoms", FIELD_NUMBER, get_atoms, ATOMS_ADDRESS, NULL},
    {"likely_atoms", FIELD_NUMBER, get_atoms, ATOMS_LIKELY, NULL},
};

const struct field_group filter_conn_fields = {fields, sizeof fields / sizeof fields[0], false};
