/*
 * fields_write.h - functions that write records in one format, generated from the rows of
 * record/fields.def.
 *
 * It is a template. The file of each nested format (sink_json.c, sink_maps.c) includes it once, and
 * defines before:
 *
 *   WRITER                     the struct that writes; each macro below uses one named w
 *   KEY, KEY_TYPE              KEY(name) makes the key of a field; KEY_SPAN(name) of a span of time
 *   BEGIN(type), END()         a record, and its field "type"
 *   OPEN(key), CLOSE()         an object
 *   LIST(key), LIST_END()      a list of ITEM_OPEN() ... CLOSE(), ITEM_UNSIGNED(number), ITEM_STRING(text),
 *                              ITEM_TEXT(text) or ITEM_ATOM(text)
 *   PUT_kind(name, value)      for each kind of a value except the objects and lists here;
 *                              PUT_PARAMS is made from params_write.h
 */
#ifndef WRITER
#error "fields_write.h: the format is not defined"
#endif

#include "record/fields.h"

/* PUT is the expansion of a row of fields.def. */
#define PUT(name, kind, when, value, help)                                                         \
    if (when) {                                                                                    \
        PUT_##kind(#name, value);                                                                  \
    }

static void write_epmd_nodes(WRITER *w, KEY_TYPE key, const struct ds_epmd *epmd)
{
    const bool is_dump = epmd->op == DS_EPMD_DUMP_RESP;
    LIST(key);
    for (size_t i = 0; i < epmd->num_nodes; i++) {
        const struct ds_epmd_node *it = &epmd->nodes[i];
        ITEM_OPEN();
#define EPMD_NODE_FIELD PUT
#include "record/fields.def"
        CLOSE();
    }
    LIST_END();
}
#define PUT_EPMD_NODES(name, epmd) write_epmd_nodes(w, KEY(name), epmd)

static void write_epmd(WRITER *w, const struct ds_epmd *it)
{
#define EPMD_FIELD PUT
#include "record/fields.def"
}

static void write_flag_names(WRITER *w, KEY_TYPE key, uint64_t flags)
{
    LIST(key);
    for (unsigned bit = 0; bit < 64; bit++) {
        char unknown[sizeof "bit_63"];
        const char *name = ds_flag_name(bit);
        if ((flags >> bit & 1) == 0)
            continue;
        snprintf(unknown, sizeof unknown, "bit_%u", bit & 63);
        ITEM_STRING(name != NULL ? name : unknown);
    }
    LIST_END();
}
#define PUT_FLAG_NAMES(name, flags) write_flag_names(w, KEY(name), flags)

static void write_handshake(WRITER *w, const struct ds_handshake *it)
{
#define HANDSHAKE_FIELD PUT
#include "record/fields.def"
}

static void write_tls(WRITER *w, KEY_TYPE key, const struct ds_tls *it, const struct ds_event *event)
{
    OPEN(key);
#define TLS_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_TLS(name, tls) write_tls(w, KEY(name), tls, event)

static void write_counters(WRITER *w, KEY_TYPE key, const struct ds_counters *it)
{
    OPEN(key);
#define COUNTERS_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_COUNTERS(name, counters) write_counters(w, KEY(name), counters)

static void write_conn(WRITER *w, const struct ds_conn_change *it, const struct ds_event *event)
{
#define CONN_FIELD PUT
#include "record/fields.def"
}

static void write_message(WRITER *w, const struct ds_message *it)
{
#define MESSAGE_FIELD PUT
#include "record/fields.def"
}

static void write_gap(WRITER *w, const struct ds_gap *it)
{
#define GAP_FIELD PUT
#include "record/fields.def"
}

static void write_stream(WRITER *w, const struct ds_stream *it)
{
#define STREAM_FIELD PUT
#include "record/fields.def"
}

static void write_stall(WRITER *w, const struct ds_stall *it)
{
#define STALL_FIELD PUT
#include "record/fields.def"
}

static void write_round_trip(WRITER *w, KEY_TYPE key, const struct ds_histogram *it)
{
    OPEN(key);
#define ROUND_TRIP_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_ROUND_TRIP(name, times) write_round_trip(w, KEY_SPAN(name), times)

static void write_socket(WRITER *w, KEY_TYPE key, const struct ds_socket *it)
{
    OPEN(key);
#define SOCKET_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_SOCKET(name, socket) write_socket(w, KEY(name), socket)

static void write_side(WRITER *w, KEY_TYPE key, const struct ds_conn *conn, int end)
{
    const struct ds_tcp_side *it = &conn->link->side[end];
    const struct ds_counters *sent = &conn->counters[end];
    OPEN(key);
#define SIDE_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_SIDE(name, end) write_side(w, KEY(name), event->conn, end)

static void write_link_facts(WRITER *w, const struct ds_event *event)
{
    const struct ds_tcp_stats *it = event->conn->link;
#define LINK_FACTS_FIELD PUT
#include "record/fields.def"
}

static void write_titles(WRITER *w, KEY_TYPE key, const struct titles *titles)
{
    LIST(key);
    for (size_t i = 0; i < titles->num; i++)
        ITEM_TEXT(titles_text(titles, i, SYNTAX));
    LIST_END();
}
#define PUT_TITLES(name, titles) write_titles(w, KEY(name), titles)

static void write_waited_messages(WRITER *w, KEY_TYPE key, const struct waited *waited)
{
    LIST(key);
    for (unsigned i = 0; i < waited->num; i++) {
        const struct waited_message *it = &waited->message[i];
        ITEM_OPEN();
#define WAITED_MESSAGE_FIELD PUT
#include "record/fields.def"
        CLOSE();
    }
    LIST_END();
}
#define PUT_WAITED_MESSAGES(name, waited) write_waited_messages(w, KEY(name), waited)

static void write_waited(WRITER *w, KEY_TYPE key, const struct waited *it)
{
    OPEN(key);
#define WAITED_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_WAITED(name, waited) write_waited(w, KEY(name), waited)

static void write_note(WRITER *w, const struct note *it, const struct ds_event *event)
{
#define NOTE_FIELD PUT
#include "record/fields.def"
}

static void write_fault(WRITER *w, KEY_TYPE key, const struct ds_fault *it)
{
    OPEN(key);
#define FAULT_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_FAULT(name, fault) write_fault(w, KEY(name), fault)

static void write_guess_atoms(WRITER *w, KEY_TYPE key, const struct ds_guess *it)
{
    LIST(key);
    for (unsigned i = 0; i < it->num; i++) {
        ITEM_OPEN();
#define GUESS_ATOM_FIELD PUT
#include "record/fields.def"
        CLOSE();
    }
    LIST_END();
}
#define PUT_GUESS_ATOMS(name, guess) write_guess_atoms(w, KEY(name), guess)

static void write_guesses(WRITER *w, KEY_TYPE key, const struct ds_message *message)
{
    LIST(key);
    for (uint32_t i = 0; i < message->num_guesses; i++) {
        const struct ds_guess *it = &message->guesses[i];
        ITEM_OPEN();
#define GUESS_FIELD PUT
#include "record/fields.def"
        CLOSE();
    }
    LIST_END();
}
#define PUT_GUESSES(name, message) write_guesses(w, KEY(name), message)

static void write_trouble(WRITER *w, const struct ds_event *it)
{
#define TROUBLE_FIELD PUT
#include "record/fields.def"
}

static void write_head(WRITER *w, const struct ds_event *event)
{
#define HEAD_FIELD PUT
#include "record/fields.def"
}

static void write_event(WRITER *w, const struct record *record)
{
    const struct ds_event *event = record->event;
#define EVENT(type, fields)                                                                        \
    {                                                                                              \
        BEGIN(type);                                                                               \
        write_head(w, event);                                                                      \
        fields;                                                                                    \
        break;                                                                                     \
    }
    switch (event->type) {
    case DS_EVENT_EPMD:
        EVENT("epmd", write_epmd(w, &event->epmd))
    case DS_EVENT_HANDSHAKE:
        EVENT("handshake", write_handshake(w, &event->handshake))
    case DS_EVENT_CONN:
        EVENT("conn", write_conn(w, &event->change, event))
    case DS_EVENT_MESSAGE:
        EVENT("message", write_message(w, &event->message))
    case DS_EVENT_TICK:
        EVENT("tick", )
    case DS_EVENT_GAP:
        EVENT("gap", write_gap(w, &event->gap))
    case DS_EVENT_STALL:
        EVENT("stall", write_stall(w, &event->stall))
    case DS_EVENT_STREAM:
        EVENT("stream", write_stream(w, &event->stream))
    default: /* only in tables, and bytes as sent: no record */
        return;
    }
#undef EVENT
    write_note(w, &record->note, event);
    write_trouble(w, event);
    END();
}

static void write_party(WRITER *w, KEY_TYPE key, const struct party *it)
{
    OPEN(key);
#define PARTY_FIELD PUT
#include "record/fields.def"
    CLOSE();
}
#define PUT_PARTY(name, party) write_party(w, KEY(name), party)

static void write_children(WRITER *w, KEY_TYPE key, const struct call *call)
{
    LIST(key);
    for (size_t i = 0; i < call->num_children; i++)
        ITEM_UNSIGNED(call->children[i]);
    LIST_END();
}
#define PUT_CHILDREN(name, call) write_children(w, KEY(name), call)

static void write_call(WRITER *w, const struct call *it)
{
    BEGIN("call");
#define CALL_FIELD PUT
#include "record/fields.def"
    END();
}

static void write_monitor(WRITER *w, const struct monitor_end *it)
{
    if (it->is_link)
        BEGIN("link");
    else
        BEGIN("monitor");
#define MONITOR_FIELD PUT
#include "record/fields.def"
    END();
}

static void write_finding_nodes(WRITER *w, KEY_TYPE key, const struct finding *finding)
{
    LIST(key);
    for (int i = 0; i < 2; i++) {
        if (finding->node[i].len != 0)
            ITEM_ATOM(finding_node(finding, i));
    }
    LIST_END();
}
#define PUT_FINDING_NODES(name, finding) write_finding_nodes(w, KEY(name), finding)

static void write_finding_conns(WRITER *w, KEY_TYPE key, const struct finding *finding)
{
    LIST(key);
    for (size_t i = 0; i < finding->num_evidence; i++) {
        if (finding->evidence[i].conn != 0) /* else it belongs to no connection */
            ITEM_UNSIGNED(finding->evidence[i].conn);
    }
    LIST_END();
}
#define PUT_FINDING_CONNS(name, finding) write_finding_conns(w, KEY(name), finding)

static void write_finding_frames(WRITER *w, KEY_TYPE key, const struct finding *finding)
{
    LIST(key);
    for (size_t i = 0; i < finding->num_evidence; i++) {
        for (unsigned j = 0; j < finding->evidence[i].num; j++)
            ITEM_UNSIGNED(finding->evidence[i].packet[j].frame);
    }
    LIST_END();
}
#define PUT_FINDING_FRAMES(name, finding) write_finding_frames(w, KEY(name), finding)

static void write_packets(WRITER *w, KEY_TYPE key, const struct finding *finding)
{
    LIST(key);
    for (size_t set = 0; set < finding->num_evidence; set++) {
        const struct evidence *it = &finding->evidence[set];
        for (unsigned i = 0; i < it->num; i++) {
            ITEM_OPEN();
#define PACKET_FIELD PUT
#include "record/fields.def"
            CLOSE();
        }
    }
    LIST_END();
}
#define PUT_PACKETS(name, finding) write_packets(w, KEY(name), finding)

static void write_finding(WRITER *w, const struct finding *it)
{
    BEGIN("finding");
#define FINDING_FIELD PUT
#include "record/fields.def"
    END();
}

/* write_happening writes a line of the timeline. */
static void write_happening(WRITER *w, const struct finding *it)
{
    BEGIN("timeline");
#define TIMELINE_FIELD PUT
#include "record/fields.def"
    END();
}

static void write_record(WRITER *w, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (record->finding != NULL && record->finding->happening != HAPPENING_NONE) {
        write_happening(w, record->finding);
    } else if (record->finding != NULL) {
        write_finding(w, record->finding);
    } else if (record->call != NULL) {
        write_call(w, record->call);
    } else if (record->monitor != NULL) {
        write_monitor(w, record->monitor);
    } else if (record->link_facts) {
        BEGIN("link_facts");
        write_head(w, event);
        write_link_facts(w, event);
        END();
    } else {
        write_event(w, record);
    }
}

static void write_lost(WRITER *w, const struct loss *it)
{
    BEGIN("lost");
#define LOST_FIELD PUT
#include "record/fields.def"
    END();
}
