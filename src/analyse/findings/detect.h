/*
 * detect.h - what the detectors share: what is known of each connection, and how a finding is made.
 *
 *     struct finding *f = detect_begin(d, FINDING_DS101, event);
 *     wording_say(&f->sentence, "{node} refused {peer}", an_end(...), an_end(...));
 *     detect_frame(f, frame, "challenge");
 *     detect_commit(d);
 *
 * findings.c gives each record to the detectors: on_message messages, on_call calls.
 */
#ifndef SRC_DETECT_H
#define SRC_DETECT_H

#include "analyse/calls/raft.h"
#include "analyse/findings/detect_awake.h"
#include "analyse/findings/finding_kinds.h"
#include "analyse/findings/findings.h"
#include "analyse/findings/presence.h"
#include "analyse/findings/timeline.h"
#include "analyse/findings/wording_say.h"
#include "core/table.h"

#include <string.h>

/* watched is what is known of a connection. */
struct conn_watch {
    struct table_entry entry;
    uint64_t conn;
    int64_t opened_ns, up_ns;
    int64_t step_ns;  /* of last_step */
    int64_t gap_ns;  /* when packets were missing last; 0: never */
    int64_t unread_ns[2]; /* when a message of an end came last that could not be read in full; 0: never */
    uint32_t unread_by[2]; /* hash of that end's node; 0: not known */
    int64_t left_ns; /* how long the initiator had waited for an answer when it closed; 0: it has not */
    uint64_t step_frame[DS_STEP_COUNT];
    uint64_t flags[2];
    uint32_t challenge[2];          /* given to the other end */
    unsigned tls_told; /* bits of detect_tls.c's own */
    uint64_t told;     /* what has been found of the link: bits of the detectors' own */
    int64_t hole_ns[2]; /* since when large segments of an end do not arrive; 0: they do, as far as known */
    uint64_t doubt_frame[2]; /* of a hole not told of, as the other end's host may be gone; 0: none */
    uint64_t peer_resent[2]; /* what the other end had sent again when such a hole began */
    uint64_t stall_frame[2];
    struct {
        int64_t heard_ns; /* the last data of the end that did not read, before or meanwhile */
        int64_t until_ns; /* when it read again; INT64_MAX: it does not yet; 0: it always did */
    } unread[2]; /* the latest time in which what an end sends was not read */
    uint64_t unarrived[2]; /* answers that an end sends again and again (is_unacked) */
    uint64_t ignored_told[2]; /* packets of an end that are ignored, as reported */
    int64_t app_heard_ns[2]; /* when a message of one, or a tick, came last */
    int64_t table_write_ns;  /* when a message came last that writes tables of mnesia */
    /* Small members stand together: there is one of these for each connection. */
    int8_t initiator;  /* the end that sent send_name, -1 */
    uint8_t last_step; /* enum ds_handshake_step; DS_STEP_UNKNOWN: none */
    int8_t step_end;   /* who took it */
    uint8_t cookie[2]; /* enum ds_cookie_check, of the digest that an end sent */
    bool has_flags[2];
    uint8_t version[2];
    bool has_challenge[2];
    bool is_up, is_half_closed;
    bool is_refused;  /* by a status, of which has been spoken */
    bool is_nok;
    bool is_explained; /* nothing more is to be said of its end */
    bool alert;        /* an end answered with a TLS alert */
    bool is_one_way;   /* one direction alone was captured so far */
    int8_t unseen;     /* then: the end of which nothing was */
    bool is_given_up;  /* as nothing got through for too long, of which has been spoken */
    uint8_t capture_told; /* bits of detect_capture.c's own */
    bool is_hole_unsure; /* hole_ns is not reported: the other host may be gone, or one way be cut */
    bool is_hidden;    /* of EPMD: who registers is a hidden node */
    bool is_unacked[2];    /* what an end sends is sent again and again, and not acknowledged */
    uint8_t ignored_level[2]; /* how many of ignored_told, as a level */
    uint8_t apps;      /* applications whose messages came: bits of detect_mnesia.c's own */
    uint8_t asked_len; /* of EPMD: the name that was asked for */
    char asked[64];
};
TABLE_KEYED(struct conn_watch, conn);

/* asked is an answer of EPMD: where a node listens. */
struct epmd_lookup {
    struct table_entry entry;
    struct ds_addr client, server;
    uint16_t port;
    int64_t ts_ns;
    uint64_t frame, conn;
    size_t name_len;
    char name[64];
};

/* refused is an EPMD that could not be reached: a finding only when that goes on. What it says holds
 * until its place is taken or that EPMD answers. */
struct epmd_unreachable {
    bool is_used; /* not told yet */
    bool is_told; /* as an error, and it was not reached since */
    enum ds_close close;
    struct ds_addr client, server;
    uint16_t port;
    int64_t began_ns, ts_ns; /* its first SYN, and when it was known to have failed */
    uint64_t frame, conn;
    char why[120];
};

/* reached is an EPMD that something was said to. */
struct reached {
    struct ds_addr client, server;
    int64_t ts_ns; /* the latest time; 0: a free place */
};

/* hole is a time in which packets or records were lost here, of whatever connection. */
enum { MAX_HOLES = 16 };
struct hole {
    int64_t first_ns, last_ns;
};

/* found is what all equal findings have become. */
struct found {
    struct table_entry entry;
    uint64_t id; /* by which equal ones are found */
    struct finding finding;
    bool is_tempered; /* it would be more certain if nothing were missing */
    int64_t over_ns;  /* since when it is over; 0: it is not, or not known to be */
};
TABLE_KEYED(struct found, id);

/* accepted is a port at which a link came up, or was up before. */
struct accepted {
    struct ds_addr addr;
    uint16_t port; /* 0: a free place */
};

/* gone is a host that did not answer for a while, of which a finding tells. */
struct gone {
    struct ds_addr addr;
    int64_t from_ns, to_ns;
};

/* cut is the end of a link after a silence of both ends that was longer than any before. */
struct idle_drop {
    uint64_t conn, frame; /* conn 0: none */
    int64_t idle_ns, survived_ns; /* survived_ns: the longest silence before */
    int64_t ts_ns;                /* when it was noticed: the end of the silence */
    bool is_reset;                /* what came then was answered by a RST, else not at all */
    bool is_told;
};

/* pair is two nodes, in either order. */
enum { NUM_UPS = 4 };
struct pair {
    struct table_entry entry;
    uint32_t name_hash[2];
    uint32_t creation[2];
    unsigned ups;
    int64_t up_ns[NUM_UPS]; /* of the last ones */
    uint64_t frame[NUM_UPS];
    bool has_ended;      /* a link of theirs, or more */
    uint32_t ended_by;   /* the latest: hash of the node that closed it, or ended; 0: otherwise */
    int64_t idle_ns;     /* before the latest RST; 0: there was none */
    int64_t survived_ns; /* the longest silence of both after which a link of theirs went on */
    struct {
        uint64_t conn, frame; /* conn 0: none */
        int64_t ts_ns;
        uint32_t by; /* hash of the node in whose name it came */
    } reset; /* the latest RST that ended a link of theirs */
    unsigned cuts;       /* links that may have been cut while they were idle */
    struct idle_drop cut; /* the latest */
};

/* fading is a link whose one end does not acknowledge what the other one sends: it may be gone. */
struct fading {
    bool is_used, is_heard; /* is_heard: it has said something since, but acknowledged nothing */
    bool was_heard;         /* it had, after that was sent again and should long have arrived */
    uint8_t waiting; /* the end */
    uint64_t conn, frame;
    int64_t last_data_ns, tick_ns; /* of the end that is silent; of the other one */
    struct ds_addr addr[2];        /* who waits, who is silent */
    uint16_t port[2];
    const char *icmp;  /* what a router or host says of it; a static string, NULL: nothing */
    size_t len[2];     /* 0: not known, as on a link that was joined late */
    char name[2][128];
};

/* Why a node is silent: DS201 is told of each by itself. */
enum { SILENT_GONE, SILENT_STUCK, SILENT_SLOW, SILENT_BETWEEN, SILENT_HELD, SILENT_ONE_WAY };

/* checks counts what was looked at. */
struct checks {
    uint64_t lookups, resolved, questions;
    uint64_t others_names; /* that did not resolve, for hosts on which no node was seen */
    uint64_t handshakes, cookies, links, zero_windows, gaps, cut;
    uint64_t ticking, busy; /* links: with ticks of an interval; up for a net_ticktime without any */
    uint64_t calls, ended[CALL_OUTCOME_COUNT]; /* of links both directions of which are seen */
    uint64_t messages, undecoded, unknown; /* not decoded in full; decoded, with unknown atoms */
    uint64_t guessed; /* decoded, without unknown atoms, but with guessed ones */
    uint64_t sealed; /* records of TLS that could not be opened, ticks left out */
    uint64_t late, tls, one_way, epmd_messages, unseen_pairs, unnamed, paused;
    uint64_t unarrived; /* calls whose answers passed here, and were not acknowledged */
    uint64_t unread_calls; /* open, whose answer may be among what could not be read */
    uint64_t unmeasured; /* links without facts */
    uint64_t sockets;    /* connections beside the distribution */
};

enum { MAX_REFUSED = 32, MAX_FADING = 32, MAX_GONE = 32, MAX_HOSTS = 64 };

struct mesh; /* who is connected with whom: detect_mesh.c */
struct rabbit_watch; /* detect_rabbit.c */
struct table_watch; /* detect_tables.c */
struct registry_watch; /* detect_registry.c */
struct guess_watch; /* detect_guesses.c */

/* detect_family is the state of a family of detectors: how large it is, and which members are tables.
 * A family with a third one makes FAMILY_TABLES 3: otherwise the compiler warns, and the third is never
 * made. */
enum { FAMILY_TABLES = 2 };
struct detect_family {
    size_t size;
    struct {
        size_t at, entry_size, cap; /* entry_size 0: none */
    } table[FAMILY_TABLES];
};

#define FAMILY(name)                                                                                       \
    struct name##_watch;                                                                                   \
    extern const struct detect_family detect_##name##_family;
#include "analyse/findings/families.def"
#undef FAMILY

struct detect {
    struct findings_config config;
    struct table watched, asked, pairs;
    struct epmd_unreachable refused[MAX_REFUSED];
    bool has_refused; /* any may be used */
    struct reached reached[MAX_REFUSED];
    struct gone gone[MAX_GONE]; /* the latest ones */
    uint64_t num_gone;
    struct accepted accepted[MAX_HOSTS]; /* the latest ones */
    uint64_t num_accepted;
    struct hole hole[MAX_HOLES]; /* the latest ones */
    uint64_t num_holes;
    int64_t told_since_ns; /* what has passed before is not told of, INT64_MIN: all is */
    int64_t since_ns; /* of the draft, where has_since: when its evidence begins */
    bool has_since;
    bool is_guess; /* the draft rests on atoms that are no more than likely */
    int64_t found_ns; /* when something was found last */
    bool has_dialled;
    struct fading fading[MAX_FADING];
    bool has_fading;
    struct awake awake[MAX_AWAKE]; /* the latest ones */
    uint64_t num_awake;
    int64_t awake_ns; /* the latest pause of any of them ended */
    bool looks_closer; /* messages may tell of those, or of keys of TLS */
#define FAMILY(name) struct name##_watch *name; /* not NULL */
#include "analyse/findings/families.def"
#undef FAMILY
    struct raft raft;
    bool has_lookups, has_knocks, has_splits; /* there may be some: of names, scan, mnesia */
    struct presence presence;
    struct timeline *timeline; /* NULL: nobody wants it */
    bool was_down; /* it was told that something is down */
    struct mesh *mesh; /* NULL: no link has been up yet */
    struct rabbit_watch *rabbit; /* NULL: no node monitor was heard */
    struct registry_watch *registry; /* NULL: no registry has asked or given a name */
    struct guess_watch *guesses; /* NULL: no cookie was refused */
    struct table_watch *tables; /* NULL: no mnesia has started, and EPMD has known all names */
    uint64_t num_one_way; /* connections that are watched, about */
    struct {
        int64_t last_ns;        /* of the latest record */
        int64_t from_ns, to_ns; /* when nothing came, the latest time */
    } pause;
    struct {
        uint64_t conn;    /* the connection that was asked for last, 0: none was */
        bool is_one_host; /* it leaves no host */
    } place;
    struct checks checks;
    struct findings_unseen unseen;
    struct baseline_checks baseline;
    bool has_baseline; /* that was told */
    bool is_over; /* nothing more comes */
    struct finding draft;
    int64_t first_ns; /* of the first record; 0: none has come */
    int64_t now_ns;
    uint64_t no_memory;
    int64_t overdue_ns; /* calls that began by then, and were open too long, have been told */
    struct table found; /* of detect.c */
    uint64_t num_found;
};

/* detect_init begins with nothing known; detect_free frees what detect_init made. */
void detect_init(struct detect *d, const struct findings_config *config);
void detect_free(struct detect *d);

/* detect_watch returns what is known of a connection; NULL when memory ran out. */
struct conn_watch *detect_watch(struct detect *d, const struct ds_conn *conn);

/* detect_find_watched returns it by the connection's number, where it is there already; or NULL. */
struct conn_watch *detect_find_watched(const struct detect *d, uint64_t conn);

/* detect_is_fading says whether one of these nodes does not acknowledge what the other one sends. */
bool detect_is_fading(const struct detect *d, struct ds_text a, struct ds_text b);

/* detect_is_lost says whether nothing gets through on a connection, so that no answer can come. */
bool detect_is_lost(const struct detect *d, const struct conn_watch *watched);

/* detect_add_gone notes that nothing of a host was reached for a while, of which a finding tells. */
void detect_add_gone(struct detect *d, const struct ds_addr *addr, int64_t from_ns, int64_t to_ns);

/* detect_pair returns what is known of two nodes, by the hashes of their names; NULL: nothing. */
struct pair *detect_pair(const struct detect *d, uint32_t a, uint32_t b);

/* detect_find_pair finds it by a connection, or makes it. NULL when a name is not known, or memory ran
 * out. */
struct pair *detect_find_pair(struct detect *d, const struct ds_conn *conn);

/* Links that are cut while idle (detect_idle.c). detect_idle_lost is of a link on which nothing is
 * acknowledged any more, or that a RST ended; detect_idle_survived of one that ends or goes on;
 * detect_idle_again of one that is up, and whose nodes are those of before. detect_idle_gone says
 * whether a link that has been lost for so long that an end was given up was cut, and tells of it. */
void detect_idle_lost(struct detect *d, const struct ds_event *event, int waiting);
void detect_idle_survived(struct pair *pair, const struct ds_tcp_stats *link);
void detect_idle_revived(struct detect *d, const struct ds_event *event);
void detect_idle_again(struct detect *d, const struct ds_event *event, struct pair *pair);
bool detect_idle_gone(struct detect *d, const struct fading *fading, const struct idle_drop **cut);
void detect_idle_reset(struct detect *d, const struct ds_event *event);

/* detect_was_unread says whether an end of a link did not read what the other one sent, then or since
 * then: such a link was not idle, though nothing passed. */
bool detect_was_unread(const struct conn_watch *w, int64_t since_ns);

/* detect_idle_held is of an acceptor (an end of the event's connection) that says that it holds an old
 * link: if a RST had come in its name, it was not it that sent that. */
void detect_idle_held(struct detect *d, const struct ds_event *event, int acceptor);

/* detect_begin begins a finding about what event has shown, which is sure unless said otherwise,
 * and about its two nodes. event NULL: set the times of the evidence yourself. */
struct finding *detect_begin(struct detect *d, enum finding_code code, const struct ds_event *event);

/* detect_begin_call does the same of a call that has ended. */
struct finding *detect_begin_call(struct detect *d, enum finding_code code, const struct call *call);

/* detect_guess says that the finding rests on atoms that are no more than likely: it is no more than
 * likely, then. detect_begin and detect_begin_call say it themselves of what they are given. */
void detect_guess(struct detect *d);

/* detect_count says how often what is begun was found already. */
uint64_t detect_count(const struct detect *d);

/* detect_since says when the evidence begins: without it, with the connection. Packets that are missing
 * since then make the finding less certain. */
void detect_since(struct detect *d, int64_t since_ns);

/* detect_lasts does the same, and makes that time the first one of the finding. */
void detect_lasts(struct detect *d, int64_t since_ns);

/* What the capture lacks. detect_lost notes that records or packets were lost here in a time, of whatever
 * connection; detect_gap that packets of one connection are missing. detect_temper (detect_loss.c) makes a
 * finding less certain if that is so within its evidence: true if it did; watched is its connection, or
 * NULL. detect_lower does it in any case. detect_is_of_one_packet says whether one packet is all of its
 * evidence. */
void detect_lost(struct detect *d, int64_t first_ns, int64_t last_ns);
void detect_gap(struct detect *d, const struct ds_event *event);

/* detect_continued takes back what was found of the end of a connection that goes on: it is a note then,
 * and no more than possible. */
void detect_continued(struct detect *d, const struct ds_event *event);
bool detect_temper(const struct detect *d, struct finding *f, const struct conn_watch *w);
void detect_lower(struct finding *f);
bool detect_is_of_one_packet(const struct finding *f);

/* detect_frame adds a packet to the evidence, 0: none; what is a static string. */
void detect_frame(struct finding *finding, uint64_t frame, const char *what);

/* detect_kernel_unread adds what kernels say of a stall: for whom it waits. True: they prove it.
 * detect_kernel_lost adds what the kernel of an end says of what is not acknowledged since then. */
bool detect_kernel_unread(struct finding *finding, const struct ds_event *event);
bool detect_kernel_lost(struct finding *finding, int64_t since_ns, const struct wording *end,
                        const struct ds_socket *socket);

/* detect_unsure makes a finding less than sure. proof, a static string, is what would prove it. */
void detect_unsure(struct finding *finding, enum certainty certainty, const char *proof);

/* detect_emit reports a finding at once. It is not counted with equal ones. */
void detect_emit(struct detect *d, struct finding *finding);

/* detect_commit reports what detect_begin began, or counts it with equal findings: those with the same
 * code, variant and parameters of the sentence. It returns its number; 0 when memory ran out. */
uint64_t detect_commit(struct detect *d);

/* detect_detail replaces the detail of what has that number; nothing where that is forgotten. */
void detect_detail(struct detect *d, uint64_t number, const struct wording *detail);

/* detect_find_cause finds what a finding is an effect of (detect_effects.c); NULL: of nothing known. */
const struct found *detect_find_cause(const struct detect *d, const struct finding *effect);

/* detect_over says of what has that number that it is over. */
void detect_over(struct detect *d, uint64_t number);

/* detect_hung speaks of a call that has been open for so long, or longer. */
#define DETECT_HUNG_NS INT64_C(5000000000)
void detect_hung(struct detect *d, const struct call *call);

/* detect_unread notes a message that could not be read in full: it may be the answer to an open call. */
void detect_unread(struct detect *d, const struct ds_event *event);

/* Answers that do not arrive (detect_arrival.c). detect_answer notes one that ended a call, detect_arrival
 * a stall that begins or is over. */
void detect_answer(struct detect *d, const struct record *record);
void detect_arrival(struct detect *d, const struct ds_event *event);

/* detect_calls_sum brings what was found of callees up to date. */
void detect_calls_sum(struct detect *d);

/* The families. end: nothing more comes. */
void detect_connect(struct detect *d, const struct ds_event *event);
void detect_connect_time(struct detect *d, bool at_end);
void detect_link(struct detect *d, const struct ds_event *event);
void detect_stall_effects(struct detect *d, const struct record *record); /* a stall with what waited */
void detect_silence(struct detect *d, const struct ds_event *event);
void detect_silence_time(struct detect *d);

/* Links that are stalled now (detect_stall.c). detect_stall takes all events but messages;
 * detect_stall_given_up is told that the nodes gave each other up, as another finding says. */
void detect_stall(struct detect *d, const struct ds_event *event);
void detect_stall_given_up(struct detect *d, uint64_t conn);
void detect_stall_time(struct detect *d);

/* detect_stall_beside says whether a link between one of two nodes and a third one has stalled since
 * from_ns, and still did at until_ns. */
bool detect_stall_beside(const struct detect *d, const struct ds_text name[2], int64_t from_ns,
                         int64_t until_ns);

/* When links were heard (detect_heard.c). detect_heard takes each message, detect_heard_event ticks and
 * what becomes of connections. detect_silent_beside says whether a link between one of two nodes (whose)
 * and a third one fell silent when theirs did, from_ns, and still was at to_ns; is_parted: its nodes have
 * connected anew since. */
struct heard_beside {
    bool is_silent, is_parted;
    int whose;
};
void detect_heard(struct detect *d, const struct ds_event *event);
void detect_heard_event(struct detect *d, const struct ds_event *event);
struct heard_beside detect_silent_beside(const struct detect *d, const struct ds_text name[2],
                                         int64_t from_ns, int64_t to_ns);

/* What is down now (detect_presence.c). detect_presence takes all events but messages; detect_presence_sum
 * brings up to date which findings have passed; detect_presence_down says which nodes have left and not
 * come back, or which link: false when there is none. So does detect_presence_restarted of nodes that came
 * back with another creation. */
void detect_presence_init(struct detect *d); /* with the timeline */
void detect_presence(struct detect *d, const struct ds_event *event);
void detect_presence_sum(struct detect *d);
bool detect_presence_down(const struct detect *d, struct wording *out);
bool detect_presence_restarted(const struct detect *d, struct wording *out);

/* detect_presence_message and detect_presence_call are of use while presence.new_ones is not 0: they tell a
 * node that came to work from a tool. detect_presence_visitors names the tools that have left. */
void detect_presence_message(struct detect *d, const struct record *record);
void detect_presence_call(struct detect *d, const struct call *call);
bool detect_presence_visitors(const struct detect *d, struct wording *out);

/* detect_starts takes what shows that a node was started. */
void detect_starts(struct detect *d, const struct ds_event *event);

/* detect_silence_due is told that something comes on a connection, be it its end: one that has been silent
 * for so long was given up before. */
void detect_silence_due(struct detect *d, const struct ds_event *event);

/* detect_silence_again is told that a link is up again, between nodes that were not restarted. */
void detect_silence_again(struct detect *d, const struct ds_event *event);
void detect_mesh(struct detect *d, const struct ds_event *event);
void detect_mesh_time(struct detect *d, bool at_end);
void detect_mesh_greeting(struct detect *d, const struct ds_event *event); /* global's init_connect */
void detect_mesh_free(struct detect *d);
unsigned detect_mesh_cap(const struct detect *d); /* how many nodes were looked at, 0: all */
void detect_calls(struct detect *d, const struct record *record);
void detect_crash(struct detect *d, const struct record *record);
void detect_crash_message(struct detect *d, const struct record *record); /* EXIT and DOWN */
void detect_crash_watched(struct detect *d, const struct record *record); /* MONITOR */
void detect_crash_time(struct detect *d, bool at_end);
void detect_timeout(struct detect *d, const struct record *record);

/* detect_name_at_end returns the name of who was asked, as the end of the monitor of a call tells it: where
 * the link was joined late, the request may not. Absent: it is not told. */
struct ds_text detect_name_at_end(const struct record *record);

/* Nodes that answer nothing for a while (detect_awake.c). detect_awake takes messages of which
 * paused_before holds, and those of half a second behind these; detect_awake_call each call that has
 * ended. */
void detect_awake(struct detect *d, const struct record *record);
void detect_awake_call(struct detect *d, const struct call *call);

/* detect_caller_woke says whether the caller of a call that timed out had itself sent nothing for long,
 * until then: its timer was late, and not the callee. */
bool detect_caller_woke(struct detect *d, const struct call *call);
void detect_global(struct detect *d, const struct record *record);
void detect_exposure(struct detect *d, const struct ds_event *event);

/* Mnesia that is split. detect_mnesia takes a call that names a function; detect_mnesia_message a message
 * with a label of an application (detect_is_of_apps), detect_mnesia_tick a tick. */
void detect_mnesia(struct detect *d, const struct call *call);
void detect_mnesia_message(struct detect *d, const struct record *record);
void detect_mnesia_tick(struct detect *d, const struct ds_event *event);
void detect_mnesia_time(struct detect *d, bool at_end);

/* Tables of mnesia that wait (detect_tables.c). detect_tables_call takes a call that names a function,
 * detect_tables_message one of mnesia_controller, detect_tables_epmd an event of EPMD. */
void detect_tables_call(struct detect *d, const struct call *call);
void detect_tables_message(struct detect *d, const struct record *record);
void detect_tables_epmd(struct detect *d, const struct ds_event *event);
void detect_tables_time(struct detect *d);
void detect_tables_free(struct detect *d);

/* detect_registry takes a message of Phoenix.Tracker or syn (detect_registry.c). */
void detect_registry(struct detect *d, const struct record *record);
void detect_registry_free(struct detect *d);

/* detect_unresolved returns the first name that did not resolve, of a host on which no node was seen. */
struct ds_text detect_unresolved(const struct detect *d);

/* detect_builds takes a call that names a function (detect_builds.c). */
void detect_builds(struct detect *d, const struct call *call);

/* detect_guesses takes what shows that the digest of an end was refused (detect_guesses.c). */
void detect_guesses(struct detect *d, const struct ds_event *event, int initiator);
void detect_guesses_free(struct detect *d);

/* detect_raft takes a message whose label raft_is_call. */
void detect_raft(struct detect *d, const struct record *record);

/* detect_rabbit takes a message of RabbitMQ's node monitor. */
void detect_rabbit(struct detect *d, const struct record *record);
void detect_rabbit_free(struct detect *d);

/* detect_socket takes an event of a connection beside the distribution (detect_socket.c),
 * detect_socket_call a call. */
void detect_socket(struct detect *d, const struct record *record);
void detect_socket_call(struct detect *d, const struct call *call);

/* detect_waits_for_stream says whether a call waits for a replica to be reached, and DS609 tells that it
 * is not. */
bool detect_waits_for_stream(struct detect *d, const struct call *call);

/* detect_is_of_apps says whether a group of labels, or NULL, may be one of RabbitMQ, mnesia, ejabberd,
 * Elixir or syn: others begin with other letters. */
static inline bool detect_is_of_apps(const char *group)
{
    return group != NULL && (group[0] == 'r' || group[0] == 'm' || group[0] == 'e' || group[0] == 's');
}

/* detect_capture is of what the capture lacks; it looks at messages where d->num_one_way is not 0, or
 * something is wrong with them. detect_is_one_way says whether one direction alone of a connection was
 * captured: whoever is silent then may have said what was asked of it. */
void detect_capture(struct detect *d, const struct ds_event *event);
bool detect_is_one_way(const struct detect *d, uint64_t conn);

/* detect_silent_point is of a capture point that has fallen silent, or is back. */
void detect_silent_point(struct detect *d, const struct silent_point *point);

/* Packets that no node takes (detect_foreign.c). detect_foreign takes an event whose connection has facts;
 * detect_has_foreign says whether it is worth a look; detect_is_usual_ttl whether packets of an end have
 * that time to live. */
bool detect_is_usual_ttl(const struct ds_tcp_side *side, uint8_t ttl);
void detect_foreign(struct detect *d, const struct ds_event *event);
static inline bool detect_has_foreign(const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn != NULL ? event->conn->link : NULL;
    return link != NULL && (link->side[0].ignored.first_frame | link->side[1].ignored.first_frame) != 0;
}

/* Of messages alone, each of which comes by: most are left again by the first thing that is looked
 * at. */
void detect_link_message(struct detect *d, const struct ds_event *event);
void detect_messages(struct detect *d, const struct record *record);
void detect_exposure_message(struct detect *d, const struct record *record);

/* detect_is_of_global says whether a label, or NULL, is one that detect_global looks at. Nearly all
 * differ in the second letter. */
static inline bool detect_is_of_global(const char *label)
{
    static const char global[] = "global:";
    return label != NULL && label[0] == 'g' && label[1] == 'l' &&
           strncmp(label, global, sizeof global - 1) == 0;
}

/* detect_tls is of connections with TLS, and comes before detect_connect. */
void detect_tls(struct detect *d, const struct ds_event *event);
void detect_tls_message(struct detect *d, const struct ds_event *event);

/* detect_complete gives out more about what is found already: the detail, and the evidence of the same
 * connection, take the place of those before. Nothing when it is not found. */
void detect_complete(struct detect *d);

/* detect_change does that, and says how severe it is now. */
void detect_change(struct detect *d, enum severity severity);

/* wording_clock appends a time of day, local, to the second. */
void wording_clock(struct wording *wording, int64_t ns);

/* detect_tick_of returns the interval at which an end ticks: what was measured, or what is usual,
 * which is a quarter of the usual net_ticktime. detect_tick_within bounds what was measured, so that
 * it can be multiplied: no node ticks less often. */
#define DETECT_TICK_NS INT64_C(15000000000)
int64_t detect_tick_within(int64_t tick_ns);
int64_t detect_tick_of(const struct ds_tcp_stats *link, int end);

/* detect_has_gaps says whether packets of a connection are missing. */
bool detect_has_gaps(const struct ds_conn *conn);

/* detect_timed_out (detect_net_tick.c) is given the end of a link that was up: true where a node had not
 * heard the other one for its net_ticktime, or nothing got through, which is reported. */
bool detect_timed_out(struct detect *d, const struct ds_event *event, const struct conn_watch *w);

/* detect_is_atom says whether a term is that atom. detect_read_function reads an entry of a stack,
 * {Module, Function, Arity or arguments, ...}; its texts live as long as the term. */
struct function {
    struct ds_text mod, fun;
    uint32_t arity;
    bool has_arity;
};
bool detect_is_atom(const struct ds_term *term, const char *word);
bool detect_read_function(const struct ds_term *entry, struct function *out);

/* detect_missing says how a call failed because the very function that it names is not there, or has no
 * such clause: undef or function_clause, static strings, and fills in called. NULL: it did not. */
const char *detect_missing(const struct call *call, struct function *called);

/* detect_heard_ns returns when an end was heard last: its latest data; of one that has sent none, its first
 * segment. 0: nothing of it came. */
int64_t detect_heard_ns(const struct ds_tcp_side *side);

/* detect_keep copies a text, as much as fits, and returns its length. */
size_t detect_keep(char *out, size_t size, struct ds_text text);

/* detect_is_published says whether both nodes of a connection are no hidden ones, by its handshake. */
bool detect_is_published(const struct conn_watch *w);

static inline struct ds_text text_of(const char *data, size_t len)
{
    return (struct ds_text){data, len};
}

/* detect_sum tells what was looked at, and what could not be (detect_sum.c). */
void detect_sum(struct detect *d);

/* detect_unusual tells of what a baseline does not have. */
void detect_unusual(struct detect *d, const struct unusual *unusual);

#endif
