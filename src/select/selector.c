/*
 * selector.c - see selector.h.
 */
#include "select/selector.h"

#include "analyse/calls/pid_key.h"
#include "core/complain.h"
#include "core/printable.h"
#include "core/table.h"
#include "output/event_text.h"
#include "select/filter.h"
#include "select/labels.h"
#include "select/names_here.h"
#include "select/suggestion.h"

#include <distsniff/identity.h>
#include <stdlib.h>
#include <string.h>

/* A selected call that has not ended. */
struct selected_call {
    struct table_entry entry;
    uint64_t number;
    bool with_reply; /* -m '... -> return': the reply is shown, even with --no-pairs */
};
TABLE_KEYED(struct selected_call, number);

/* A connection whose next `left` messages are shown. */
struct followed {
    struct table_entry entry;
    uint64_t conn, left;
};
TABLE_KEYED(struct followed, conn);

struct selector {
    const struct selector_config *config;
    bool has_picks; /* there is an option that does not apply to the end of a call */
    bool is_picky;  /* something may be left out */
    bool had_event; /* the last event was selected */
    struct table calls;
    struct table followed;      /* for -A */
    struct match_record *match; /* NULL without -m */
    struct event_text *printer;
    struct ds_buffer text;
    struct suggestion *near; /* for --node, then for --process; NULL: none is given, or all occur */
    /* Used while near is not NULL: */
    struct names_here nodes, processes, pids;
    struct names_here places; /* addresses of nodes whose names are not known */
    uint64_t num_messages, num_unreadable; /* all messages; messages with unknown atoms */
    struct no_match *none; /* NULL: neither -e nor -m is given, or something was selected */
    uint64_t num_given_up;
    uint64_t no_memory;
};

static bool lists_fit(const struct string_list *lists, const char *label, const char *group)
{
    for (size_t i = 0; i < lists->num; i++) {
        if (labels_fit(lists->word[i], label, group))
            return true;
    }
    return false;
}

/* kind_fits checks --calls-only, --only and --hide, also for a call that ended. */
static bool kind_fits(const struct selector_config *config, const struct record *record)
{
    if (!config->calls_only && config->hide.num == 0 && config->only.num == 0)
        return true;
    const struct call *call = record->call;
    const char *label = call != NULL ? call->label : record->note.label;
    const char *group = call != NULL ? call->group : record->note.group;
    if (call == NULL && record->event->type == DS_EVENT_GAP)
        return true; /* the missing part may be what the user asked for */
    if (config->calls_only && call == NULL && record->note.call == 0)
        return false;
    if (label == NULL) /* a monitor or link may belong to a process of OTP */
        return config->only.num == 0 &&
               (group == NULL || !lists_fit(&config->hide, "", group));
    if (config->only.num != 0 && !lists_fit(&config->only, label, group))
        return false;
    return !lists_fit(&config->hide, label, group);
}

static bool node_fits(const struct selector_config *config, const struct ds_event *event)
{
    const struct ds_endpoint *end = event->conn->end;
    if (config->nodes.num == 0 ||
        (event->type == DS_EVENT_GAP && (end[0].node.data == NULL || end[1].node.data == NULL)))
        return true;
    for (size_t i = 0; i < config->nodes.num; i++) {
        if (pick_node_has(config->nodes.word[i], event))
            return true;
    }
    return false;
}

static bool process_fits(const struct selector_config *config, const struct record *record)
{
    if (config->num_processes == 0 || record->event->type == DS_EVENT_GAP)
        return true;
    for (size_t i = 0; i < config->num_processes; i++) {
        if (pick_process_has(&config->processes[i], record))
            return true;
    }
    return false;
}

enum { KEEP_TEXT = 1 << 20 };

static bool text_matches(struct selector *s, const struct record *record)
{
    const struct selector_config *config = s->config;
    enum regex_result result = REGEX_NO;
    bool gave_up = false;
    s->text.len = 0;
    for (size_t i = 0; i < config->num_regexes && result != REGEX_YES; i++) {
        if (!match_regex_may(config->regexes[i], record))
            continue;
        if (s->text.len == 0)
            event_text_print(s->printer, record, &s->text);
        if (s->text.failed) {
            s->no_memory++;
            break;
        }
        result = match_regex_text(config->regexes[i], s->text.data, s->text.len);
        gave_up |= result == REGEX_GAVE_UP;
    }
    s->num_given_up += gave_up && result != REGEX_YES;
    if (s->text.cap > KEEP_TEXT || s->text.failed)
        ds_buffer_free(&s->text);
    return result == REGEX_YES;
}

/* regex_fits checks -e. Records that are only for tables have no line of text: with -e they are left
 * out, even with --invert. */
static bool regex_fits(struct selector *s, const struct record *record)
{
    const struct ds_event *event = record->event;
    return s->config->num_regexes == 0 || event->type == DS_EVENT_GAP ||
           (!ds_event_is_of_tables(event) && text_matches(s, record) != s->config->invert);
}

/* match_fits checks -m. *with_reply: the reply is wanted, too. */
static bool match_fits(struct selector *s, const struct record *record, bool *with_reply)
{
    if (s->match == NULL || record->event->type == DS_EVENT_GAP)
        return true;
    const enum match_record_result result = match_record_run(s->match, record);
    *with_reply = result == MATCH_RECORD_WITH_REPLY;
    return result != MATCH_RECORD_NO;
}

static bool event_fits(struct selector *s, const struct record *record, bool *with_reply)
{
    const struct selector_config *config = s->config;
    const struct ds_event *event = record->event;
    return (!config->ops.any || event->type == DS_EVENT_GAP || op_set_has(&config->ops, event)) &&
           node_fits(config, event) && process_fits(config, record) && kind_fits(config, record) &&
           match_fits(s, record, with_reply) && filter_run(config->filter, record) &&
           regex_fits(s, record);
}

static void remember_call(struct selector *s, uint64_t number, bool with_reply)
{
    struct selected_call *call = table_find_or_put(&s->calls, number);
    if (call == NULL) {
        s->no_memory++;
        return;
    }
    call->with_reply = with_reply;
}

/* Messages after a selected one */

static void begin_following(struct selector *s, uint64_t conn)
{
    struct followed *f = table_find_or_put(&s->followed, conn);
    if (f == NULL) {
        s->no_memory++;
        return;
    }
    f->left = s->config->num_after;
}

/* follows says whether a message that was not selected is one of the next ones of its connection. */
static bool follows(struct selector *s, const struct ds_event *event, bool wanted)
{
    if (s->config->num_after == 0)
        return false;
    if (event->type == DS_EVENT_MESSAGE && wanted) {
        begin_following(s, event->conn->number);
        return true;
    }
    const bool is_last = event->type == DS_EVENT_CONN && event->change.final;
    struct followed *f =
        event->type == DS_EVENT_MESSAGE || is_last ? table_find(&s->followed, event->conn->number) : NULL;
    if (f == NULL)
        return false;
    if (is_last || --f->left == 0)
        table_remove(&s->followed, f);
    return !is_last;
}

static bool is_word(struct ds_text word, struct ds_text name)
{
    return word.len == name.len && memcmp(word.data, name.data, name.len) == 0;
}

/* A name without a host is compared with nodes' names without their hosts. */
static void suggest_node(struct suggestion *near, struct ds_text word, struct ds_text node)
{
    const char *host = node.data != NULL ? memchr(node.data, '@', node.len) : NULL;
    if (host != NULL && memchr(word.data, '@', word.len) == NULL)
        node.len = (size_t)(host - node.data);
    suggestion_add(near, word, node);
}

/* add_pid remembers the process at one end of a message, to suggest it if --process never occurs. */
static void add_pid(struct selector *s, const struct record *record, enum ds_role role)
{
    const struct ds_term *term = &record->event->message.role[role];
    struct ds_identity pid;
    if (term->data == NULL || !ds_term_get_identity(term, &pid) || pid.kind != DS_IDENTITY_PID)
        return;
    const struct party party = {
        .node = pid.node, .has_pid = true, .id = pid.word[0], .serial = pid.word[1]};
    s->text.len = 0;
    party_print_pid(DS_SYNTAX_ERLANG, &party, &s->text);
    if (!s->text.failed)
        names_here_add(&s->pids, (struct ds_text){s->text.data, s->text.len}, 1);
}

/* add_places remembers the addresses of nodes whose names are unknown, to suggest them. */
static void add_places(struct selector *s, const struct ds_event *event)
{
    char text[DS_ADDR_LEN];
    for (int i = 0; i < 2 && event->type == DS_EVENT_MESSAGE; i++) {
        if (event->conn->end[i].node.data != NULL)
            continue;
        ds_addr_print(&event->conn->end[i].addr, text);
        names_here_add(&s->places, (struct ds_text){text, strlen(text)}, 1);
    }
}

/* on_end counts the names of one end of a message: its registered name, the name to which the message
 * is addressed, and its titles. Names of the application weigh more than those of Erlang/OTP's
 * housekeeping. */
static void on_end(struct selector *s, const struct record *record, enum ds_role role,
                   struct ds_text name, const struct titles *titles)
{
    enum { HOUSEKEEPING = 1, APPLICATION = 1000000 };
    const struct ds_term *term = &record->event->message.role[role];
    const uint64_t weight =
        record->note.group != NULL && strcmp(record->note.group, "otp") == 0 ? HOUSEKEEPING : APPLICATION;
    struct suggestion *near = s->near + s->config->nodes.num;
    struct ds_text atom = {NULL, 0};
    if (term->data != NULL && ds_term_get_atom(term, &atom) && name.data == NULL)
        name = atom;
    names_here_add(&s->processes, name, weight);
    add_pid(s, record, role);
    for (size_t i = 0; titles != NULL && i < titles->num; i++)
        names_here_add(&s->processes, titles->text[i], weight);
    for (size_t i = 0; i < s->config->num_processes; i++, near++) {
        const struct ds_text word = s->config->processes[i].name;
        if (near->occurs || word.data == NULL)
            continue;
        suggestion_add(near, word, name);
        suggestion_add(near, word, atom);
        for (size_t j = 0; titles != NULL && j < titles->num; j++)
            suggestion_add(near, word, titles->text[j]);
    }
}

/* on_names checks the names of an event against the user's names that have not occurred yet. */
static void on_names(struct selector *s, const struct record *record)
{
    const struct selector_config *config = s->config;
    const struct ds_event *event = record->event;
    const struct note *note = &record->note;
    struct suggestion *near = s->near;
    bool all_occur = true;
    names_here_add(&s->nodes, event->conn->end[0].node, 1);
    names_here_add(&s->nodes, event->conn->end[1].node, 1);
    add_places(s, event);
    for (size_t i = 0; i < config->nodes.num; i++, near++) {
        const struct ds_text word = pick_node_text(config->nodes.word[i]);
        near->occurs = near->occurs || pick_node_has(config->nodes.word[i], event);
        suggest_node(near, word, event->conn->end[0].node);
        suggest_node(near, word, event->conn->end[1].node);
        all_occur = all_occur && near->occurs;
    }
    for (size_t i = 0; i < config->num_processes; i++, near++) {
        near->occurs = near->occurs || pick_process_has(&config->processes[i], record);
        all_occur = all_occur && near->occurs;
    }
    if (event->type == DS_EVENT_MESSAGE && config->num_processes != 0) {
        s->num_messages++;
        s->num_unreadable += event->unknown_atoms != 0;
        on_end(s, record, DS_ROLE_FROM, note->from_name, note->from_titles);
        on_end(s, record, DS_ROLE_TO, note->to_name, note->to_titles);
    }
    if (all_occur) {
        free(s->near);
        s->near = NULL;
    }
}

bool selector_nodes_occurred(const struct selector *s)
{
    bool occurs = s->near == NULL;
    for (size_t i = 0; i < s->config->nodes.num && !occurs; i++)
        occurs = s->near[i].occurs;
    return occurs;
}

/* list_here reports which names exist instead of a name that never occurred. */
static void list_here(const char *option, struct ds_text word, const struct names_here *names,
                      const char *here, const char *none)
{
    struct ds_buffer text = {0};
    printable_text(word, &text);
    ds_buffer_add_text(&text, " never occurred; ");
    ds_buffer_add_text(&text, names->num != 0 ? here : none);
    names_here_print(names, &text);
    if (!text.failed)
        complain("%s: %.*s", option, (int)text.len, text.data);
    ds_buffer_free(&text);
}

/* list_places prints the addresses of unnamed nodes, one of which may have the name. */
static void list_places(const struct names_here *places)
{
    struct ds_buffer text = {0};
    names_here_print(places, &text);
    if (!text.failed)
        complain("--node: the names of nodes at these addresses are not known; --node ADDRESS takes them: "
                 "%.*s",
                 (int)text.len, text.data);
    ds_buffer_free(&text);
}

/* is_node_here says whether a word for a process is the name of a node. */
static bool is_node_here(const struct selector *s, struct ds_text word)
{
    for (size_t i = 0; i < s->nodes.num; i++) {
        const struct name_here *node = &s->nodes.name[i];
        const struct ds_text whole = {node->text, node->len};
        const char *host = memchr(node->text, '@', node->len);
        const struct ds_text name = {node->text,
                                     host != NULL ? (size_t)(host - node->text) : node->len};
        if (word.data != NULL && (is_word(word, whole) || is_word(word, name)))
            return true;
    }
    return false;
}

static void suggest_process(const struct selector *s, const struct suggestion *near, const char *word)
{
    const struct ds_text text = {word, strlen(word)};
    const struct pick_process *process = &s->config->processes[near - s->near - s->config->nodes.num];
    if (memchr(text.data, ',', text.len) != NULL) {
        complain("--process: %s never occurred; for several, repeat the option: --process A --process B",
                 word);
        return;
    }
    if (is_node_here(s, process->name)) {
        complain("--process: %s is a node here: use --node %s", word, word);
        return;
    }
    const bool has_names = process->name.data != NULL && s->processes.num != 0;
    if (process->name.data == NULL || !suggestion_say(near, "--process", NULL, process->name))
        list_here("--process", text, has_names ? &s->processes : &s->pids,
                  process->name.data == NULL ? "pids here: "
                  : has_names                ? "processes here: "
                                             : "no name of a process is known here; pids: ",
                  "no name of a process is known here");
    if (process->name.data != NULL || process->node.data != NULL)
        no_match_say_unread(s->num_unreadable, s->num_messages);
}

void selector_suggest(const struct selector *s)
{
    const struct selector_config *config = s->config;
    const struct suggestion *near = s->near;
    bool has_missing = false;
    for (size_t i = 0; near != NULL && i < config->nodes.num; i++, near++) {
        const struct ds_text word = pick_node_text(config->nodes.word[i]);
        if (!near->occurs && !suggestion_say(near, "--node", NULL, word))
            list_here("--node", word, &s->nodes, "nodes here: ", "no node name is known here");
        has_missing = has_missing || !near->occurs;
    }
    if (has_missing && s->places.num != 0)
        list_places(&s->places);
    for (size_t i = 0; near != NULL && i < config->num_processes; i++, near++) {
        if (!near->occurs)
            suggest_process(s, near, config->processes[i].word);
    }
    filter_suggest(config->filter);
    no_match_say(s->none);
}

struct selector *selector_new(const struct selector_config *config)
{
    struct selector *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->config = config;
    s->has_picks = config->ops.any || config->nodes.num != 0 || config->num_processes != 0 ||
                   config->num_regexes != 0 || config->num_matches != 0 || config->num_after != 0;
    s->is_picky = s->has_picks || config->filter != NULL || config->calls_only ||
                  config->hide.num != 0 || config->only.num != 0;
    /* There are never more open calls than this, and each end of a call is reported. */
    table_init(&s->calls, sizeof(struct selected_call), config->limits[DS_LIMIT_CALLS]);
    table_init(&s->followed, sizeof(struct followed), config->limits[DS_LIMIT_CONNECTIONS]);
    const size_t num_names = config->nodes.num + config->num_processes;
    s->near = num_names != 0 ? calloc(num_names, sizeof *s->near) : NULL; /* if it fails, nothing is
                                                                             reported */
    if (config->num_searches != 0 && !config->invert)
        s->none = no_match_new(config->searches, config->num_searches);
    if (config->num_regexes != 0) {
        s->printer = event_text_new();
        if (s->printer == NULL) {
            selector_free(s);
            return NULL;
        }
    }
    if (config->num_matches != 0) {
        s->match = match_record_new(config->matches, config->num_matches, config->labels);
        if (s->match == NULL) {
            selector_free(s);
            return NULL;
        }
    }
    return s;
}

void selector_free(struct selector *s)
{
    if (s == NULL)
        return;
    table_free(&s->calls);
    table_free(&s->followed);
    event_text_free(s->printer);
    free(s->near);
    no_match_free(s->none);
    match_record_free(s->match);
    ds_buffer_free(&s->text);
    free(s);
}

bool selector_chooses(const struct selector *s)
{
    return s->is_picky;
}

uint64_t selector_num_given_up(const struct selector *s)
{
    return s->num_given_up + filter_num_given_up(s->config->filter) +
           (s->match != NULL ? match_record_num_given_up(s->match) : 0);
}

void selector_add_stats(const struct selector *s, struct ds_stats *stats)
{
    stats->no_memory += s->no_memory + filter_no_memory(s->config->filter) +
                        (s->match != NULL ? match_record_no_memory(s->match) : 0);
}

/* is_brought says whether a message is shown because its call was selected. With --invert, a selected
 * request does not select the other messages of its call; with -> return it selects the reply, and
 * nothing else. */
static bool is_brought(const struct selector *s, const struct selected_call *call,
                       const struct note *note)
{
    if (call->with_reply)
        return note->role == NOTE_REPLY || note->outcome != CALL_OPEN;
    return !s->config->no_pairs && !s->config->invert;
}

/* monitor_fits checks the options that apply to the end of a monitor or link: it has no op and no line
 * of text. */
static bool monitor_fits(const struct selector *s, const struct record *record)
{
    const struct selector_config *config = s->config;
    const struct monitor_end *m = record->monitor;
    const char *label = m->is_link ? "link" : "monitor";
    bool node_is = config->nodes.num == 0, process_is = config->num_processes == 0;
    if (config->ops.any || config->num_regexes != 0 || config->num_matches != 0 ||
        config->calls_only || (config->only.num != 0 && !lists_fit(&config->only, label, "")) ||
        lists_fit(&config->hide, label, ""))
        return false;
    for (size_t i = 0; i < config->nodes.num && !node_is; i++)
        node_is = pick_node_is(config->nodes.word[i], &m->watcher) ||
                  pick_node_is(config->nodes.word[i], &m->target);
    for (size_t i = 0; i < config->num_processes && !process_is; i++)
        process_is = pick_process_is(&config->processes[i], &m->watcher) ||
                     pick_process_is(&config->processes[i], &m->target);
    return node_is && process_is && filter_run(config->filter, record);
}

bool selector_has_node(const struct selector *s, struct ds_text name, const struct ds_addr *addr)
{
    const struct string_list *nodes = &s->config->nodes;
    const struct party node = {.node = name};
    bool node_is = nodes->num == 0;
    for (size_t i = 0; i < nodes->num && !node_is; i++)
        node_is = pick_node_is(nodes->word[i], &node) ||
                  (addr != NULL && pick_node_is_at(nodes->word[i], addr, 0));
    return node_is;
}

/* names_address says whether the sentence of a finding contains that address, alone or with a port. */
static bool names_address(const struct finding *finding, const char *word)
{
    const struct wording *sentence = &finding->sentence;
    for (unsigned i = 0; i < sentence->num; i++) {
        const struct ds_text addr = {sentence->bytes + sentence->part[i].at, sentence->part[i].len};
        if (sentence->part[i].kind == WORD_ADDR && pick_node_is_written(word, addr))
            return true;
    }
    return false;
}

bool selector_is_of_nodes(const struct selector *s, const struct finding *finding)
{
    const struct string_list *nodes = &s->config->nodes;
    bool node_is = selector_has_node(s, finding_node(finding, 0), NULL) ||
                   selector_has_node(s, finding_node(finding, 1), NULL);
    for (size_t i = 0; i < nodes->num && !node_is; i++)
        node_is = pick_node_is_on(nodes->word[i], &finding->node[0].addr) ||
                  pick_node_is_on(nodes->word[i], &finding->node[1].addr) ||
                  names_address(finding, nodes->word[i]);
    return node_is;
}

/* finding_fits checks a finding: only options for nodes and fields apply. */
static bool finding_fits(const struct selector *s, const struct record *record)
{
    const struct selector_config *config = s->config;
    return selector_is_of_nodes(s, record->finding) && !config->ops.any && config->num_regexes == 0 &&
           config->num_matches == 0 && config->num_processes == 0 && filter_run(config->filter, record);
}

/* raw_fits checks bytes as sent: a frame is shown with the event that it completed. The data of
 * segments cannot be divided into messages, so all of it is shown or nothing. */
static bool raw_fits(const struct selector *s, const struct ds_event *event)
{
    return event->type == DS_EVENT_FRAME && event->frame_sent.completes && s->had_event;
}

static bool wants_decoded(struct selector *s, const struct record *record)
{
    struct filter *filter = s->config->filter;
    if (record->finding != NULL)
        return finding_fits(s, record);
    if (record->monitor != NULL)
        return monitor_fits(s, record);
    if (!s->has_picks && filter == NULL)
        return kind_fits(s->config, record);
    const uint64_t number = record->call != NULL ? record->call->number : record->note.call;
    struct selected_call *call = number != 0 ? table_find(&s->calls, number) : NULL;
    const bool is_known = call != NULL;
    if (record->call != NULL) {
        if (is_known)
            table_remove(&s->calls, call);
        return is_known ||
               (!s->has_picks && kind_fits(s->config, record) && filter_run(filter, record));
    }
    bool with_reply = false;
    const bool wanted =
        (is_known && is_brought(s, call, &record->note)) || event_fits(s, record, &with_reply);
    /* A filter can select the end of a call itself; the other options can't. */
    if (wanted && number != 0 && !is_known &&
        (s->has_picks || (!s->config->no_pairs && !s->config->invert)))
        remember_call(s, number, with_reply);
    return follows(s, record->event, wanted) || wanted;
}

/* on_search remembers the names that occur until -e and -m have selected a message. */
static void on_search(struct selector *s, const struct record *record, bool wanted)
{
    no_match_add(s->none, record);
    if (wanted && record->event->type == DS_EVENT_MESSAGE) {
        no_match_free(s->none);
        s->none = NULL;
    }
}

/* Not inline: most runs select everything, and should not pay for this with each record. */
static __attribute__((noinline)) bool choose(struct selector *s, const struct record *record)
{
    if (record->event != NULL && ds_event_is_raw(record->event))
        return raw_fits(s, record->event);
    if (s->near != NULL && record->event != NULL && record->call == NULL && record->monitor == NULL &&
        record->finding == NULL)
        on_names(s, record);
    const bool wanted = wants_decoded(s, record);
    if (s->none != NULL && record->event != NULL && record->call == NULL && record->monitor == NULL &&
        record->finding == NULL)
        on_search(s, record, wanted);
    if (record->call == NULL && record->monitor == NULL && record->finding == NULL)
        s->had_event = wanted;
    return wanted;
}

bool selector_wants(struct selector *s, const struct record *record)
{
    return !s->is_picky || choose(s, record);
}
