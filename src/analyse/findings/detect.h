/*
 * detect.h - what the detectors share: the state of each connection, and how to make a finding.
 *
 *     struct finding *f = detect_begin(d, FINDING_DS101, event);
 *     wording_say(&f->sentence, "{node} refused {peer}", an_end(...), an_end(...));
 *     detect_frame(f, frame, "challenge");
 *     detect_commit(d);
 *
 * findings.c passes each record to the detectors: messages in on_message, calls in on_call.
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

/* conn_watch is the state of a connection. */
struct conn_watch {
    struct table_entry entry;
    uint64_t conn;
    int64_t opened_ns, up_ns;
    int64_t step_ns;  /* of last_step */
    int64_t gap_ns;  /* when packets were last missing; 0: never */
    int64_t unread_ns[2]; /* the last message of an end that could not be read in full; 0: none */
    uint32_t unread_by[2]; /* hash of that end's node; 0: unknown */
    int64_t left_ns; /* how long the initiator had waited for an answer when it closed; 0: it has not */
    uint64_t step_frame[DS_STEP_COUNT];
    uint64_t flags[2];
    uint32_t challenge[2];          /* that the end sent to its peer */
    unsigned tls_told; /* bits defined in detect_tls.c */
    uint64_t told;     /* findings reported for the link: bits that each detector defines */
    int64_t hole_ns[2]; /* since when large segments of an end do not arrive; 0: they do, or unknown */
    uint64_t doubt_frame[2]; /* of a hole not reported, as the peer's host may be gone; 0: none */
    uint64_t peer_resent[2]; /* retransmissions of the peer when the hole began */
    uint64_t stall_frame[2];
    struct {
        int64_t heard_ns; /* the last data of the end that did not read, before that time or in it */
        int64_t until_ns; /* when it read again; INT64_MAX: not yet; 0: it always did */
    } unread[2]; /* the latest time in which the peer did not read what an end sent */
    uint64_t unarrived[2]; /* answers that an end retransmits without success (is_unacked) */
    uint64_t ignored_told[2]; /* ignored packets of an end, as reported */
    int64_t app_heard_ns[2]; /* the last message of an application, or tick */
    int64_t table_write_ns;  /* the last message that writes tables of mnesia */
    /* Small members are kept together: each connection has one of these structures. */
    int8_t initiator;  /* the end that sent send_name, or -1 */
    uint8_t last_step; /* enum ds_handshake_step; DS_STEP_UNKNOWN: none */
    int8_t step_end;   /* the end that sent it */
    uint8_t cookie[2]; /* enum ds_cookie_check, of the digest that an end sent */
    bool has_flags[2];
    uint8_t version[2];
    bool has_challenge[2];
    bool is_up, is_half_closed;
    bool is_refused;  /* by a status, which is reported */
    bool is_nok;
    bool is_explained; /* its end needs no further finding */
    bool alert;        /* an end answered with a TLS alert */
    bool is_one_way;   /* only one direction was captured so far */
    int8_t unseen;     /* then: the end from which no packet was captured */
    bool is_given_up;  /* nothing got through for too long, which is reported */
    uint8_t capture_told; /* bits defined in detect_capture.c */
    bool is_hole_unsure; /* hole_ns is not reported: the peer's host may be gone, or one way cut */
    bool is_hidden;    /* of EPMD: the node that registers is hidden */
    bool is_unacked[2];    /* an end retransmits without an acknowledgement */
    uint8_t ignored_level[2]; /* the level of the reported finding */
    uint8_t apps;      /* applications whose messages came: bits defined in detect_mnesia.c */
    uint8_t asked_len; /* of EPMD: the name in the request */
    char asked[64];
};
TABLE_KEYED(struct conn_watch, conn);

/* epmd_lookup is an answer of EPMD: the port on which a node listens. */
struct epmd_lookup {
    struct table_entry entry;
    struct ds_addr client, server;
    uint16_t port;
    int64_t ts_ns;
    uint64_t frame, conn;
    size_t name_len;
    char name[64];
};

/* epmd_unreachable is an EPMD that could not be reached: a finding only when that goes on. It is
 * valid until its entry is reused or that EPMD answers. */
struct epmd_unreachable {
    bool is_used; /* not reported yet */
    bool is_told; /* reported as an error, and not reached since */
    enum ds_close close;
    struct ds_addr client, server;
    uint16_t port;
    int64_t began_ns, ts_ns; /* its first SYN, and when it had certainly failed */
    uint64_t frame, conn;
    char why[120];
};

/* reached is an EPMD to which a request was sent. */
struct reached {
    struct ds_addr client, server;
    int64_t ts_ns; /* the latest time; 0: a free entry */
};

/* hole is a time in which packets or records were lost here, of any connection. */
enum { MAX_HOLES = 16 };
struct hole {
    int64_t first_ns, last_ns;
};

/* found is a finding into which all equal ones are merged. */
struct found {
    struct table_entry entry;
    uint64_t id; /* the same for equal findings */
    struct finding finding;
    bool is_tempered; /* it would be more certain if nothing were missing */
    int64_t began_ns; /* when the latest occurrence began: of a call that failed, its request */
};
TABLE_KEYED(struct found, id);

/* accepted is a port on which a link came up, or was up before. */
struct accepted {
    struct ds_addr addr;
    uint16_t port; /* 0: a free entry */
};

/* gone is a host that did not answer for a while, which a finding reports. */
struct gone {
    struct ds_addr addr;
    int64_t from_ns, to_ns;
};

/* idle_drop is the end of a link after a silence of both ends that was longer than any before. */
struct idle_drop {
    uint64_t conn, frame; /* conn 0: none */
    int64_t idle_ns, survived_ns; /* survived_ns: the longest silence before */
    int64_t ts_ns;                /* when it was detected: the end of the silence */
    bool is_reset;                /* the first packet after it was answered by a RST, else not at all */
    bool is_told;
};

/* pair is two nodes, by the order of their hashes. */
enum { NUM_UPS = 4 };
struct pair {
    struct table_entry entry;
    uint32_t name_hash[2];
    uint32_t creation[2];
    unsigned ups;
    int64_t up_ns[NUM_UPS]; /* of the latest ones */
    uint64_t frame[NUM_UPS];
    bool has_ended;      /* a link between them, or more */
    uint32_t ended_by;   /* the latest: hash of the node that closed it, or ended; 0: neither */
    int64_t idle_ns;     /* before the latest RST; 0: none */
    int64_t survived_ns; /* the longest silence of both that a link between them survived */
    struct {
        uint64_t conn, frame; /* conn 0: none */
        int64_t ts_ns;
        uint32_t by; /* hash of the node in whose name it came */
    } reset; /* the latest RST that ended a link between them */
    unsigned cuts;       /* links that may have been cut while they were idle */
    struct idle_drop cut; /* the latest */
};

/* fading is a link on which one end does not acknowledge what the other sends: it may be gone. */
struct fading {
    bool is_used, is_heard; /* is_heard: it has sent something since, but acknowledged nothing */
    bool was_heard;         /* it had, after the retransmission that should long have arrived */
    uint8_t waiting; /* the end that waits */
    uint64_t conn, frame;
    int64_t last_data_ns, tick_ns; /* of the silent end; of the end that waits */
    struct ds_addr addr[2];        /* of the end that waits, of the silent end */
    uint16_t port[2];
    const char *icmp;  /* ICMP error of a router or host; a static string, or NULL */
    size_t len[2];     /* 0: unknown, as on a link that was joined late */
    char name[2][128];
};

/* Why a node is silent: DS201 is reported once for each reason. */
enum { SILENT_GONE, SILENT_STUCK, SILENT_SLOW, SILENT_BETWEEN, SILENT_HELD, SILENT_ONE_WAY };

/* checks counts what was checked. */
struct checks {
    uint64_t lookups, resolved, questions;
    uint64_t others_names; /* unresolved names of hosts on which no node was seen */
    uint64_t handshakes, cookies, links, zero_windows, gaps, cut;
    uint64_t ticking, busy; /* links: with regular ticks; up for a net_ticktime without any */
    uint64_t calls, ended[CALL_OUTCOME_COUNT]; /* of links captured in both directions */
    uint64_t messages, undecoded, unknown; /* not decoded in full; decoded, with unknown atoms */
    uint64_t guessed; /* decoded, with guessed atoms but no unknown ones */
    uint64_t sealed; /* TLS records that could not be decrypted, without ticks */
    uint64_t late, tls, one_way, epmd_messages, unseen_pairs, unnamed, paused;
    uint64_t unarrived; /* calls whose answers passed here, and were not acknowledged */
    uint64_t unread_calls; /* open; a message that could not be read may be the answer */
    uint64_t overdue; /* calls without an answer when the capture ended, for longer than usual */
    uint64_t unmeasured; /* links without facts */
    uint64_t sockets;    /* connections other than distribution */
};

enum { MAX_REFUSED = 32, MAX_FADING = 32, MAX_GONE = 32, MAX_HOSTS = 64 };

struct mesh; /* which nodes are connected: detect_mesh.c */
struct rabbit_watch; /* detect_rabbit.c */
struct table_watch; /* detect_tables.c */
struct registry_watch; /* detect_registry.c */
struct guess_watch; /* detect_guesses.c */

/* detect_family describes the state of a family of detectors: its size, and which members are
 * tables. A family with a third table needs FAMILY_TABLES 3: otherwise the compiler warns, and the
 * third is never initialised. */
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
    bool has_refused; /* some entry is in use */
    struct reached reached[MAX_REFUSED];
    struct gone gone[MAX_GONE]; /* the latest ones */
    uint64_t num_gone;
    struct accepted accepted[MAX_HOSTS]; /* the latest ones */
    uint64_t num_accepted;
    struct hole hole[MAX_HOLES]; /* the latest ones */
    uint64_t num_holes;
    int64_t told_since_ns; /* older events are not reported; INT64_MIN: all are */
    bool awaits_since;     /* that time has not come yet, */
    bool has_held_back;    /* and findings wait for it */
    int64_t since_ns; /* when the evidence of the draft begins, if has_since */
    bool has_since;
    bool is_guess; /* the draft depends on atoms that are only likely */
    int64_t found_ns; /* the time of the latest finding */
    bool has_dialled;
    struct fading fading[MAX_FADING];
    bool has_fading;
    struct awake awake[MAX_AWAKE]; /* the latest ones */
    uint64_t num_awake;
    int64_t awake_ns; /* when the latest of their pauses ended */
    bool looks_closer; /* messages may concern those, or TLS keys */
#define FAMILY(name) struct name##_watch *name; /* not NULL */
#include "analyse/findings/families.def"
#undef FAMILY
    struct raft raft;
    bool has_lookups, has_knocks, has_splits; /* some may be pending: in names, scan, mnesia */
    struct presence presence;
    struct timeline *timeline; /* NULL: no output wants it */
    bool was_down; /* a finding that something is down was reported */
    struct mesh *mesh; /* NULL: no link has been up yet */
    struct rabbit_watch *rabbit; /* NULL: no message of a node monitor was seen */
    struct registry_watch *registry; /* NULL: no registry has asked for or given a name */
    struct guess_watch *guesses; /* NULL: no cookie was refused */
    struct table_watch *tables; /* NULL: no mnesia has started, and EPMD knew all names */
    uint64_t num_one_way; /* watched connections without one direction, approximately */
    struct {
        int64_t last_ns;        /* of the latest record */
        int64_t from_ns, to_ns; /* the latest time without records */
    } pause;
    struct {
        uint64_t conn;    /* the connection that was checked last; 0: none */
        bool is_one_host; /* it stays within one host */
    } place;
    struct checks checks;
    struct findings_unseen unseen;
    struct baseline_checks baseline;
    bool has_baseline; /* baseline is set */
    bool is_over; /* nothing more comes */
    struct finding draft;
    int64_t first_ns; /* of the first record; 0: none yet */
    int64_t now_ns;
    uint64_t no_memory;
    int64_t overdue_ns; /* calls that began by then, and were open too long, are reported */
    struct table found; /* findings, for detect.c */
    uint64_t num_found;
};

/* detect_init initialises an empty state; detect_free frees it. */
void detect_init(struct detect *d, const struct findings_config *config);
void detect_free(struct detect *d);

/* detect_watch finds or adds the state of a connection. NULL if memory ran out. */
struct conn_watch *detect_watch(struct detect *d, const struct ds_conn *conn);

/* detect_find_watched finds it by the connection's number, or returns NULL. */
struct conn_watch *detect_find_watched(const struct detect *d, uint64_t conn);

/* detect_is_fading says whether one of these nodes does not acknowledge what the other sends. */
bool detect_is_fading(const struct detect *d, struct ds_text a, struct ds_text b);

/* detect_is_lost says whether nothing gets through on a connection, so that no answer can arrive. */
bool detect_is_lost(const struct detect *d, const struct conn_watch *watched);

/* detect_add_gone records that a host was unreachable for a while, which a finding reports. */
void detect_add_gone(struct detect *d, const struct ds_addr *addr, int64_t from_ns, int64_t to_ns);

/* detect_pair finds the state of two nodes by the hashes of their names, or returns NULL. */
struct pair *detect_pair(const struct detect *d, uint32_t a, uint32_t b);

/* detect_find_pair finds or adds it for a connection. NULL if a name is unknown, or memory ran out. */
struct pair *detect_find_pair(struct detect *d, const struct ds_conn *conn);

/* Links that are cut while idle (detect_idle.c). Call detect_idle_lost for a link on which nothing
 * is acknowledged any more, or that a RST ended; detect_idle_survived for one that ends or goes on;
 * detect_idle_again for a new link between nodes that were not restarted. detect_idle_gone says
 * whether a link that was lost for so long that a node was disconnected was cut, and reports that. */
void detect_idle_lost(struct detect *d, const struct ds_event *event, int waiting);
void detect_idle_survived(struct pair *pair, const struct ds_tcp_stats *link);
void detect_idle_revived(struct detect *d, const struct ds_event *event);
void detect_idle_again(struct detect *d, const struct ds_event *event, struct pair *pair);
bool detect_idle_gone(struct detect *d, const struct fading *fading, const struct idle_drop **cut);
void detect_idle_reset(struct detect *d, const struct ds_event *event);

/* detect_was_unread says whether an end of a link did not read what its peer sent, at since_ns or
 * later: such a link was not idle, though nothing passed. */
bool detect_was_unread(const struct conn_watch *w, int64_t since_ns);

/* detect_idle_held handles an acceptor (an end of the event's connection) that says that it still
 * has an old link: a RST that came in its name was not sent by it. */
void detect_idle_held(struct detect *d, const struct ds_event *event, int acceptor);

/* detect_begin begins a finding about event and its two nodes. It is certain unless you lower that.
 * event NULL: set the times of the evidence yourself. */
struct finding *detect_begin(struct detect *d, enum finding_code code, const struct ds_event *event);

/* detect_begin_call does the same for a call that has ended. */
struct finding *detect_begin_call(struct detect *d, enum finding_code code, const struct call *call);

/* detect_guess records that the finding depends on atoms that are only likely, so it is only likely
 * itself. detect_begin and detect_begin_call do this for the event or call. */
void detect_guess(struct detect *d);

/* detect_count returns how often the finding in the draft was found before. */
uint64_t detect_count(const struct detect *d);

/* detect_since sets when the evidence begins; the default is the start of the connection. Packets
 * missing since then make the finding less certain. */
void detect_since(struct detect *d, int64_t since_ns);

/* detect_lasts does the same, and makes that time the start of the finding. */
void detect_lasts(struct detect *d, int64_t since_ns);

/* What the capture lacks. detect_lost records a time in which records or packets of any connection
 * were lost here; detect_gap records missing packets of one connection. detect_temper
 * (detect_loss.c) makes a finding less certain if its evidence spans such a loss, and returns
 * whether it did; watched is its connection, or NULL. detect_lower does it in any case.
 * detect_is_of_one_packet says whether the whole evidence is one packet. */
void detect_lost(struct detect *d, int64_t first_ns, int64_t last_ns);
void detect_gap(struct detect *d, const struct ds_event *event);

/* detect_continued withdraws the findings about the end of a connection that goes on: they become
 * notes, and only possible. */
void detect_continued(struct detect *d, const struct ds_event *event);

/* detect_fin_unacked makes the finding that an end closed its links less certain: that end
 * retransmits its FIN, or what precedes it, without an acknowledgement. */
void detect_fin_unacked(struct detect *d, const struct ds_event *event);
bool detect_temper(const struct detect *d, struct finding *f, const struct conn_watch *w);
void detect_lower(struct finding *f);
bool detect_is_of_one_packet(const struct finding *f);

/* detect_frame adds a packet to the evidence; 0: none. what is a static string. */
void detect_frame(struct finding *finding, uint64_t frame, const char *what);

/* detect_kernel_unread adds what kernels report about a stall: which end it waits for. True: that
 * proves it. detect_kernel_lost adds what the kernel of an end reports about data that is not
 * acknowledged since since_ns. */
bool detect_kernel_unread(struct finding *finding, const struct ds_event *event);
bool detect_kernel_lost(struct finding *finding, int64_t since_ns, const struct wording *end,
                        const struct ds_socket *socket);

/* detect_unsure lowers the certainty of a finding. proof, a static string, is what would prove it. */
void detect_unsure(struct finding *finding, enum certainty certainty, const char *proof);

/* detect_emit reports a finding at once, without merging it with equal ones. */
void detect_emit(struct detect *d, struct finding *finding);

/* detect_commit reports the draft, or counts it with equal findings: those with the same code,
 * variant and parameters of the sentence. It returns the finding's number, or 0 if memory ran out. */
uint64_t detect_commit(struct detect *d);

/* detect_detail replaces the detail of that finding, unless it was evicted. */
void detect_detail(struct detect *d, uint64_t number, const struct wording *detail);

/* detect_find_causes says whether another finding caused this one (detect_effects.c). is_over: all
 * that did are over, and no call that was made since has failed. */
struct caused {
    bool is_effect, is_over;
};
struct caused detect_find_causes(const struct detect *d, const struct found *effect);

/* detect_over marks that finding as over. */
void detect_over(struct detect *d, uint64_t number);

/* detect_hung reports a call that has been open for DETECT_HUNG_NS or longer. */
#define DETECT_HUNG_NS INT64_C(5000000000)
void detect_hung(struct detect *d, const struct call *call);

/* detect_unread records a message that could not be read in full: it may answer an open call. */
void detect_unread(struct detect *d, const struct ds_event *event);

/* Answers that do not arrive (detect_arrival.c). detect_answer records one that ended a call,
 * detect_arrival a stall that begins or ends. */
void detect_answer(struct detect *d, const struct record *record);
void detect_arrival(struct detect *d, const struct ds_event *event);

/* detect_calls_sum updates the findings about callees. */
void detect_calls_sum(struct detect *d);

/* The families. at_end: nothing more comes. */
void detect_connect(struct detect *d, const struct ds_event *event);
void detect_connect_time(struct detect *d, bool at_end);
void detect_link(struct detect *d, const struct ds_event *event);
void detect_stall_effects(struct detect *d, const struct record *record); /* and what waited behind it */
void detect_silence(struct detect *d, const struct ds_event *event);
void detect_silence_time(struct detect *d);

/* Links that are stalled now (detect_stall.c). Call detect_stall with all events but messages, and
 * detect_stall_given_up when another finding says that the nodes gave each other up. */
void detect_stall(struct detect *d, const struct ds_event *event);
void detect_stall_given_up(struct detect *d, uint64_t conn);
void detect_stall_time(struct detect *d);

/* detect_stall_beside says whether a link between one of two nodes and a third one has stalled
 * since from_ns, and still did at until_ns. */
bool detect_stall_beside(const struct detect *d, const struct ds_text name[2], int64_t from_ns,
                         int64_t until_ns);

/* When links were heard (detect_heard.c). Call detect_heard with each message, and
 * detect_heard_event with ticks and changes of connections. detect_silent_beside says whether a
 * link between one of two nodes (whose) and a third one also fell silent at from_ns, and was still
 * silent at to_ns; is_parted: its nodes have connected again since; is_unknown: there is none, but
 * one may have been forgotten. */
struct heard_beside {
    bool is_silent, is_parted, is_unknown;
    int whose;
};
void detect_heard(struct detect *d, const struct ds_event *event);
void detect_heard_event(struct detect *d, const struct ds_event *event);
struct heard_beside detect_silent_beside(const struct detect *d, const struct ds_text name[2],
                                         int64_t from_ns, int64_t to_ns);

/* What is down now (detect_presence.c). Call detect_presence with all events but messages.
 * detect_presence_sum updates which findings have passed. detect_presence_down writes which nodes
 * have left and not come back, or which link is down: false if there is none.
 * detect_presence_restarted does the same for nodes that came back with another creation. */
void detect_presence_init(struct detect *d); /* with the timeline */
void detect_presence(struct detect *d, const struct ds_event *event);
void detect_presence_sum(struct detect *d);
bool detect_presence_down(const struct detect *d, struct wording *out);
bool detect_presence_restarted(const struct detect *d, struct wording *out);

/* Call detect_presence_message and detect_presence_call while presence.new_ones is not 0: they
 * distinguish a node that came to work from a tool. detect_presence_visitors names the tools that
 * have left. */
void detect_presence_message(struct detect *d, const struct record *record);
void detect_presence_call(struct detect *d, const struct call *call);
bool detect_presence_visitors(const struct detect *d, struct wording *out);

/* detect_starts handles events that show that a node was started. */
void detect_starts(struct detect *d, const struct ds_event *event);

/* detect_silence_due handles any event of a connection, its end included: a connection that was
 * silent for long enough was disconnected before. */
void detect_silence_due(struct detect *d, const struct ds_event *event);

/* detect_silence_again handles a new link between nodes that were not restarted. is_known: their
 * creations show that; otherwise they may have been. */
void detect_silence_again(struct detect *d, const struct ds_event *event, bool is_known);
void detect_mesh(struct detect *d, const struct ds_event *event);
void detect_mesh_time(struct detect *d, bool at_end);
void detect_mesh_greeting(struct detect *d, const struct ds_event *event); /* global's init_connect */
void detect_mesh_free(struct detect *d);
unsigned detect_mesh_cap(const struct detect *d); /* how many nodes were checked; 0: all */
void detect_calls(struct detect *d, const struct record *record);
void detect_crash(struct detect *d, const struct record *record);
void detect_crash_message(struct detect *d, const struct record *record); /* EXIT and DOWN */
void detect_crash_watched(struct detect *d, const struct record *record); /* MONITOR, LINK, SPAWNED */
void detect_crash_time(struct detect *d, bool at_end);
void detect_timeout(struct detect *d, const struct record *record);

/* detect_name_at_end returns the callee's name as the end of a call's monitor shows it: on a link
 * that was joined late, the request may not show it. data is NULL where the end does not show it
 * either. */
struct ds_text detect_name_at_end(const struct record *record);

/* Nodes that answer nothing for a while (detect_awake.c). Call detect_awake with messages for which
 * paused_before is set, and with those within half a second after them; detect_awake_call with each
 * call that has ended. */
void detect_awake(struct detect *d, const struct record *record);
void detect_awake_call(struct detect *d, const struct call *call);

/* detect_caller_woke says whether the caller of a call that timed out had itself sent nothing for
 * long until then: its timer was late, rather than the callee. */
bool detect_caller_woke(struct detect *d, const struct call *call);
void detect_global(struct detect *d, const struct record *record);
void detect_exposure(struct detect *d, const struct ds_event *event);

/* Mnesia that is split. Call detect_mnesia with a call that names a function, detect_mnesia_message
 * with a message that has a label of an application (detect_is_of_apps), detect_mnesia_tick with a
 * tick. */
void detect_mnesia(struct detect *d, const struct call *call);
void detect_mnesia_message(struct detect *d, const struct record *record);
void detect_mnesia_tick(struct detect *d, const struct ds_event *event);
void detect_mnesia_time(struct detect *d, bool at_end);

/* Tables of mnesia that wait (detect_tables.c). Call detect_tables_call with a call that names a
 * function, detect_tables_message with a message of mnesia_controller, detect_tables_epmd with an
 * event of EPMD. */
void detect_tables_call(struct detect *d, const struct call *call);
void detect_tables_message(struct detect *d, const struct record *record);
void detect_tables_epmd(struct detect *d, const struct ds_event *event);
void detect_tables_time(struct detect *d);
void detect_tables_free(struct detect *d);

/* detect_registry handles a message of Phoenix.Tracker or syn (detect_registry.c). */
void detect_registry(struct detect *d, const struct record *record);
void detect_registry_free(struct detect *d);

/* detect_unresolved returns the first unresolved name of a host on which no node was seen. */
struct ds_text detect_unresolved(const struct detect *d);

/* detect_builds handles a call that names a function (detect_builds.c). */
void detect_builds(struct detect *d, const struct call *call);

/* detect_guesses handles an event that shows that the digest of an end was refused
 * (detect_guesses.c). */
void detect_guesses(struct detect *d, const struct ds_event *event, int initiator);
void detect_guesses_free(struct detect *d);

/* detect_raft handles a message whose label satisfies raft_is_label. */
void detect_raft(struct detect *d, const struct record *record);

/* detect_rabbit handles a message of RabbitMQ's node monitor. */
void detect_rabbit(struct detect *d, const struct record *record);
void detect_rabbit_free(struct detect *d);

/* detect_socket handles an event of a connection other than distribution (detect_socket.c),
 * detect_socket_call a call. */
void detect_socket(struct detect *d, const struct record *record);
void detect_socket_call(struct detect *d, const struct call *call);

/* detect_waits_for_stream says whether a call waits until a replica is reached, and DS609 reports
 * that it is not. */
bool detect_waits_for_stream(struct detect *d, const struct call *call);

/* detect_is_of_apps says whether a group of labels, or NULL, may belong to RabbitMQ, mnesia,
 * ejabberd, Elixir or syn: others begin with other letters. */
static inline bool detect_is_of_apps(const char *group)
{
    return group != NULL && (group[0] == 'r' || group[0] == 'm' || group[0] == 'e' || group[0] == 's');
}

/* detect_capture reports what the capture lacks. Call it with messages if d->num_one_way is not 0,
 * or if a message has a fault. detect_is_one_way says whether only one direction of a connection
 * was captured: an end that seems silent may then have answered. */
void detect_capture(struct detect *d, const struct ds_event *event);
bool detect_is_one_way(const struct detect *d, uint64_t conn);

/* detect_silent_point handles a capture point that has fallen silent, or is back. */
void detect_silent_point(struct detect *d, const struct silent_point *point);

/* Packets that no node accepts (detect_foreign.c). Call detect_foreign with an event whose
 * connection has facts, if detect_has_foreign. detect_is_usual_ttl says whether packets of an end
 * have that time to live. */
bool detect_is_usual_ttl(const struct ds_tcp_side *side, uint8_t ttl);
void detect_foreign(struct detect *d, const struct ds_event *event);
static inline bool detect_has_foreign(const struct ds_event *event)
{
    const struct ds_tcp_stats *link = event->conn != NULL ? event->conn->link : NULL;
    return link != NULL && (link->side[0].ignored.first_frame | link->side[1].ignored.first_frame) != 0;
}

/* Called with each message: these return quickly for most of them. */
void detect_link_message(struct detect *d, const struct ds_event *event);
void detect_messages(struct detect *d, const struct record *record);
void detect_exposure_message(struct detect *d, const struct record *record);

/* detect_is_of_global says whether a label, or NULL, is one that detect_global handles. Nearly all
 * others differ in the second letter. */
static inline bool detect_is_of_global(const char *label)
{
    static const char global[] = "global:";
    return label != NULL && label[0] == 'g' && label[1] == 'l' &&
           strncmp(label, global, sizeof global - 1) == 0;
}

/* detect_tls handles connections with TLS. Call it before detect_connect. */
void detect_tls(struct detect *d, const struct ds_event *event);
void detect_tls_message(struct detect *d, const struct ds_event *event);

/* detect_complete reports more about a finding that exists: its detail, and the evidence of the
 * same connection, are replaced. It does nothing if there is no such finding. */
void detect_complete(struct detect *d);

/* detect_change does the same, and sets the severity. */
void detect_change(struct detect *d, enum severity severity);

/* wording_clock appends a local time of day, to the second. */
void wording_clock(struct wording *wording, int64_t ns);

/* detect_tick_of returns the interval at which an end ticks: the measured one, or the default, a
 * quarter of the default net_ticktime. detect_tick_within limits a measured interval, so that it
 * can be multiplied: no node ticks less often. */
#define DETECT_TICK_NS INT64_C(15000000000)
int64_t detect_tick_within(int64_t tick_ns);
int64_t detect_tick_of(const struct ds_tcp_stats *link, int end);

/* detect_has_gaps says whether packets of a connection are missing. */
bool detect_has_gaps(const struct ds_conn *conn);

/* detect_timed_out (detect_net_tick.c) handles the end of a link that was up. It returns true, and
 * reports it, if a node had not heard the other one for its net_ticktime, or nothing got through. */
bool detect_timed_out(struct detect *d, const struct ds_event *event, const struct conn_watch *w);

/* detect_may_be_cut says whether a link that ends was silent at both ends for as long as a
 * net_ticktime may be, and another link of one of its nodes (beside) as well: its nodes may have
 * given each other up. */
bool detect_may_be_cut(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                       int64_t *silence_ns, struct heard_beside *beside);

/* detect_is_atom says whether a term is that atom. detect_read_function reads an entry of a stack,
 * {Module, Function, Arity or arguments, ...}. Its texts are valid as long as the term. */
struct function {
    struct ds_text mod, fun;
    uint32_t arity;
    bool has_arity;
};
bool detect_is_atom(const struct ds_term *term, const char *word);
bool detect_read_function(const struct ds_term *entry, struct function *out);

/* detect_missing says how a call failed because the function that it names does not exist, or has
 * no such clause: "undef" or "function_clause", static strings. It fills in called. NULL: it did
 * not. */
const char *detect_missing(const struct call *call, struct function *called);

/* detect_heard_ns returns when an end was last heard: its latest data, or its first segment if it
 * has sent no data. 0: it sent nothing. */
int64_t detect_heard_ns(const struct ds_tcp_side *side);

/* detect_keep copies as much of a text as fits, and returns its length. */
size_t detect_keep(char *out, size_t size, struct ds_text text);

/* detect_is_published says whether neither node of a connection is hidden, by its handshake. */
bool detect_is_published(const struct conn_watch *w);

static inline struct ds_text text_of(const char *data, size_t len)
{
    return (struct ds_text){data, len};
}

/* detect_sum reports what was checked, and what could not be (detect_sum.c). */
void detect_sum(struct detect *d);

/* detect_unusual reports what a baseline does not have. */
void detect_unusual(struct detect *d, const struct unusual *unusual);

#endif
