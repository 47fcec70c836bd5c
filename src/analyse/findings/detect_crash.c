/*
 * detect_crash.c - a request ended its callee (DS312): a monitor reports that the called process
 * ended, with the reason of a crash, while the request was open. One crash ends all requests that
 * wait for that process: they are counted once. Later requests show whether the process came back
 * under its name. Where the link was joined late, the name may be unknown: then crashes with the
 * same reason in the same function count as one process, unless one of the processes was alive after
 * the other's crash: it was monitored, linked to or spawned then, and its end does not say noproc.
 *
 * And a process crashed without an open request (DS314), as a process that monitors it or is linked
 * to it learns: from a message that it could not handle, or by itself. An exit without a stack may
 * be an ordinary one. The end of a request to the same process may follow shortly after: until then
 * the crash is pending.
 *
 * The reason of a crash has a stack: {Reason, [{Module, Function, Arity, Place}, ...]}, at times
 * within the reason of a caller, {{Reason, Stack}, {Module, Function, Arguments}}. Reason is an
 * Erlang term, or an Elixir exception, which is a map.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <inttypes.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define LOOP_NS (60 * SECOND)
#define TOGETHER_NS SECOND /* all that wait for one process learn of its end within this time */

enum { LOOP_CRASHES = 3, DEEP = 4, STACK_DEPTH = 32 };

/* What the callee was doing, by its stack. */
enum at_work { AT_UNKNOWN, AT_CALL, AT_OTHER };

/* crash is the content of a reason. */
struct crash {
    bool has_stack, has_why;
    struct ds_text why; /* an atom: badarith, or the first of {badmatch, Value} */
    struct function top;
    enum at_work at;
};

/* crashed is a callee that requests have ended, or a process that crashed. */
struct crashed {
    struct table_entry entry;
    uint64_t key;
    uint64_t num;
    uint64_t pid;     /* key of the latest pending one; 0: unknown */
    int64_t ts_ns[3]; /* of the latest ones */
    int64_t since_ns; /* of the latest: when the request was sent */
    bool is_guess;    /* likewise: d->is_guess */
    bool is_settled;  /* whether it came back since the latest is reported */
    bool is_pending;  /* the latest is not reported yet: a request may have been open */
    struct finding finding; /* of the latest */
};
TABLE_KEYED(struct crashed, key);

enum { MAX_CRASHED = 128, MAX_ENDED = 128, MAX_TIES = 128 };

/* ALONE, XORed to the key of a process, gives the key for its crashes without an open request. */
#define ALONE UINT64_C(0x9e3779b97f4a7c15)

struct crash_watch {
    struct table crashed;
    int64_t due_ns; /* when the first pending one is reported; 0: none is pending */
    struct {
        uint64_t pid;
        int64_t ts_ns;
    } ended[MAX_ENDED]; /* the latest pids, and places of crashes, so that each crash counts once */
    uint64_t num_ended;
    struct {
        uint64_t key;
        int64_t ts_ns;
    } tie[MAX_TIES]; /* the latest monitors and links, of those that began shortly after a crash */
    uint64_t num_ties;
    int64_t latest_ns; /* of any process */
};

const struct detect_family detect_crash_family = {
    sizeof(struct crash_watch),
    {{offsetof(struct crash_watch, crashed), sizeof(struct crashed), MAX_CRASHED}},
};

static enum at_work read_work(const struct function *entry)
{
    static const struct {
        const char *name;
        enum at_work at;
    } callbacks[] = {{"handle_call", AT_CALL},     {"handle_event", AT_UNKNOWN},
                     {"handle_cast", AT_OTHER},    {"handle_info", AT_OTHER},
                     {"handle_continue", AT_OTHER}, {"terminate", AT_OTHER}};
    for (size_t i = 0; i < sizeof callbacks / sizeof callbacks[0]; i++) {
        if (entry->fun.len == strlen(callbacks[i].name) &&
            memcmp(entry->fun.data, callbacks[i].name, entry->fun.len) == 0)
            return callbacks[i].at;
    }
    return AT_UNKNOWN;
}

/* read_stack reads a list of functions, the latest first. */
static bool read_stack(const struct ds_term *term, struct crash *crash)
{
    struct ds_term_list list;
    struct ds_term entry;
    struct function function;
    if (!ds_term_get_list(term, &list) || !ds_term_list_next(&list, &entry) ||
        !detect_read_function(&entry, &crash->top))
        return false;
    function = crash->top;
    crash->at = read_work(&function);
    for (int i = 0; i < STACK_DEPTH && crash->at == AT_UNKNOWN && ds_term_list_next(&list, &entry); i++) {
        if (detect_read_function(&entry, &function))
            crash->at = read_work(&function);
    }
    return true;
}

/* read_exception reads the name of an Elixir exception, %{__exception__: true, __struct__: Name}. */
static bool read_exception(const struct ds_term *reason, struct ds_text *name)
{
    struct ds_term value;
    return ds_term_get_value(reason, "__exception__", &value) && detect_is_atom(&value, "true") &&
           ds_term_get_value(reason, "__struct__", &value) && ds_term_get_atom(&value, name);
}

static void read_why(const struct ds_term *reason, struct crash *crash)
{
    struct ds_term first;
    crash->has_why = read_exception(reason, &crash->why) ||
                     ds_term_get_atom(reason, &crash->why) ||
                     (ds_term_get_element(reason, 0, &first) && ds_term_get_atom(&first, &crash->why));
}

/* read_crash says whether a reason is a crash, and reads it. It is not if the process ended in
 * order, or was made to end, even by exit(Pid, kill); nor, where atoms are unknown, if it could be
 * that. */
static bool read_crash(const struct ds_term *reason, struct crash *crash)
{
    static const char *const in_order[] = {"normal",       "shutdown", "noproc",
                                           "noconnection", "killed",   "kill"};
    struct ds_term term = *reason, first, second;
    *crash = (struct crash){.at = AT_UNKNOWN};
    for (int depth = 0; depth < DEEP && !crash->has_stack; depth++) {
        if (!ds_term_get_element(&term, 0, &first) || !ds_term_get_element(&term, 1, &second))
            break;
        crash->has_stack = read_stack(&second, crash);
        if (depth == 0 && detect_is_atom(&first, "shutdown"))
            return false;
        term = first;
    }
    read_why(crash->has_stack ? &term : reason, crash);
    if (crash->has_stack)
        return true;
    for (size_t i = 0; i < sizeof in_order / sizeof in_order[0]; i++) {
        if (detect_is_atom(reason, in_order[i]))
            return false;
    }
    return crash->has_why;
}

/* is_by_monitor says whether a monitor ended the call. An exit as the answer of erpc or a spawn
 * request is no crash of a callee. */
static bool is_by_monitor(const struct record *record)
{
    const struct call *call = record->call;
    const struct ds_event *event = record->event;
    return call->outcome == CALL_ERROR && call->error_class != NULL &&
           strcmp(call->error_class, "exit") == 0 && call->reason.data != NULL &&
           strncmp(call->label, "erpc:", 5) != 0 && strncmp(call->label, "spawn", 5) != 0 &&
           (event == NULL || event->type != DS_EVENT_MESSAGE || event->message.op == NULL ||
            event->message.op->kind == DS_KIND_DOWN);
}

static bool is_known(const struct party *callee)
{
    return callee->name.data != NULL || callee->has_pid;
}

/* key_of_pid returns 0 if the pid is unknown. */
static uint64_t key_of_pid(const struct party *process)
{
    const uint32_t pid[3] = {process->id, process->serial, process->creation};
    return process->has_pid ? hash_more(hash_short(11, process->node), pid, sizeof pid) : 0;
}

/* key_of uses the name, so that a restarted process keeps its key. A node without a name has
 * another key on each connection. */
static uint64_t key_of(const struct party *callee, uint64_t conn)
{
    if (callee->name.data == NULL)
        return key_of_pid(callee);
    const uint64_t node = callee->node.data != NULL ? hash_short(11, callee->node)
                                                    : hash_more(11, &conn, sizeof conn);
    return hash_short(node, callee->name);
}

/* key_of_place is the key of a process without pid or name: by the place of its crash. */
static uint64_t key_of_place(uint64_t conn, const struct crash *crash)
{
    const uint64_t key = hash_more(13, &conn, sizeof conn);
    return hash_short(hash_short(hash_short(key, crash->why), crash->top.mod), crash->top.fun);
}

static void put_crash(struct wording *detail, const struct crash *crash)
{
    if (crash->has_why)
        wording_say(detail, "{reason}", an_atom(crash->why));
    else
        wording_add(detail, "an unknown atom");
    if (!crash->has_stack)
        return;
    wording_say(detail, " in {function}", a_function(crash->top.mod, crash->top.fun));
    if (crash->top.has_arity)
        wording_say(detail, "/{arity}", a_number(crash->top.arity));
}

/* judge sets the certainty. A gap within the evidence lowers it separately. */
static void judge(struct finding *f, const struct crash *crash)
{
    if (crash->at == AT_OTHER)
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      "the log of that node, as its stack shows it handling another message");
    else if (crash->at != AT_CALL)
        detect_unsure(f, CERTAINTY_LIKELY, "the crash report in the log of that node");
}

/* loop_since returns when the latest crashes began that form a loop, with and without open
 * requests. 0: there are too few. other may be NULL. */
static int64_t loop_since(const struct crashed *c, const struct crashed *other)
{
    int64_t latest[LOOP_CRASHES] = {0}; /* the latest first */
    const struct crashed *both[2] = {c, other};
    for (int i = 0; i < 2; i++) {
        for (uint64_t n = 0; both[i] != NULL && n < both[i]->num && n < LOOP_CRASHES; n++) {
            int64_t ts_ns = both[i]->ts_ns[(both[i]->num - 1 - n) % LOOP_CRASHES];
            for (int k = 0; k < LOOP_CRASHES; k++) {
                const int64_t was_ns = latest[k];
                if (ts_ns <= was_ns)
                    continue;
                latest[k] = ts_ns;
                ts_ns = was_ns;
            }
        }
    }
    return latest[LOOP_CRASHES - 1];
}

/* count counts a crash: several within a short time are a loop. f is NULL if a loop cannot be
 * shown. other has the crashes of the same process with the other key; NULL: none. */
static void count(struct crashed *c, const struct crashed *other, struct finding *f, int64_t ts_ns)
{
    c->ts_ns[c->num % LOOP_CRASHES] = ts_ns;
    c->num++;
    const int64_t since_ns = loop_since(c, other), within_ns = ts_ns - since_ns;
    if (f == NULL || since_ns == 0 || within_ns > LOOP_NS)
        return;
    f->severity = SEVERITY_ERROR;
    wording_say(&f->detail, "; a crash loop: {times} times within {within}", a_number(LOOP_CRASHES),
                a_span(within_ns));
}

static int64_t latest_of(const struct crashed *c)
{
    return c->ts_ns[(c->num - 1) % LOOP_CRASHES];
}

/* is_same says whether a crash at was_ns may be the one that is told at ts_ns, of a process that was
 * alive at alive_ns. */
static bool is_same(int64_t was_ns, int64_t ts_ns, int64_t alive_ns)
{
    return was_ns >= alive_ns && ts_ns - was_ns <= TOGETHER_NS;
}

/* crashed_since says whether a process crashed so shortly before that this is the same crash. */
static bool crashed_since(const struct crashed *c, int64_t ts_ns, int64_t alive_ns)
{
    return c != NULL && c->num != 0 && is_same(latest_of(c), ts_ns, alive_ns);
}

/* has_ended says whether a pid has just crashed, and records it if not. */
static bool has_ended(struct crash_watch *watch, uint64_t pid, int64_t ts_ns, int64_t alive_ns)
{
    if (pid == 0)
        return false;
    for (size_t i = 0; i < MAX_ENDED; i++) {
        if (watch->ended[i].pid == pid && is_same(watch->ended[i].ts_ns, ts_ns, alive_ns))
            return true;
    }
    const size_t place = watch->num_ended++ % MAX_ENDED;
    watch->ended[place].pid = pid;
    watch->ended[place].ts_ns = ts_ns;
    return false;
}

/* tell_alone reports a pending crash. */
static void tell_alone(struct detect *d, struct crashed *c)
{
    c->is_pending = false;
    d->draft = c->finding;
    d->has_since = false;
    d->is_guess = c->is_guess;
    detect_commit(d);
}

/* find_or_put reports a pending crash before it evicts it. NULL if memory ran out. */
static struct crashed *find_or_put(struct detect *d, uint64_t key)
{
    struct table *crashed = &d->crash->crashed;
    struct crashed *oldest = table_oldest(crashed);
    if (table_is_full(crashed) && oldest != NULL && oldest->is_pending)
        tell_alone(d, oldest);
    struct crashed *c = table_find_or_put(crashed, key);
    d->no_memory += c == NULL;
    return c;
}

/* drop_alone drops the pending crash of a process that a request crashed, as it is the same crash.
 * It also suppresses later reports of its pid, or of a pid without a name that crashed at the same
 * place. */
static void drop_alone(struct detect *d, const struct call *call, uint64_t key, const struct crash *crash)
{
    struct table *crashed = &d->crash->crashed;
    const uint64_t pid = key_of_pid(&call->callee), place = key_of_place(call->conn, crash);
    has_ended(d->crash, pid, call->end_ns, INT64_MIN);
    has_ended(d->crash, place, call->end_ns, INT64_MIN);
    d->crash->latest_ns = call->end_ns;
    if (d->crash->due_ns == 0)
        return;
    for (struct crashed *c = table_oldest(crashed); c != NULL; c = table_newer(crashed, c)) {
        const bool is_alike = c->key == (key ^ ALONE) || c->key == (place ^ ALONE);
        if (!c->is_pending || !(is_alike || (pid != 0 && c->pid == pid)))
            continue;
        const int64_t after_ns = latest_of(c) - call->end_ns;
        if (call->start_ns > latest_of(c) || after_ns > TOGETHER_NS || after_ns < -TOGETHER_NS)
            continue;
        c->is_pending = false;
        c->num--;
    }
}

static void name_callee(struct wording *sentence, const struct record *record)
{
    const struct party *callee = &record->call->callee;
    const struct ds_event *event = record->event;
    wording_add(sentence, "a request crashed ");
    const struct ds_text name = detect_name_at_end(record);
    if (is_known(callee) && (name.data == NULL || callee->has_pid || callee->node.data != NULL)) {
        wording_say(sentence, "{process}", a_party(callee));
        return;
    }
    if (name.data != NULL)
        wording_say(sentence, "{process}", an_atom(name));
    else
        wording_add(sentence, "a process");
    if (event != NULL && event->type == DS_EVENT_MESSAGE)
        wording_say(sentence, " of {peer}", an_end(&event->conn->end[event->dir]));
}

static void report(struct detect *d, const struct record *record, const struct crash *crash,
                   struct crashed *c)
{
    const struct call *call = record->call;
    struct finding *f = detect_begin_call(d, FINDING_DS312, call);
    name_callee(&f->sentence, record);
    wording_add(&f->detail, "its exit reason was ");
    put_crash(&f->detail, crash);
    wording_say(&f->detail, "; asked by {caller}, call #{call}", a_party(&call->caller),
                a_number(call->number));
    detect_frame(f, call->end_frame, "its exit");
    judge(f, crash);
    count(c, table_find(&d->crash->crashed, c->key ^ ALONE), f, call->end_ns);
    c->is_settled = false;
    c->since_ns = call->start_ns;
    c->is_guess = d->is_guess;
    c->finding = *f;
    detect_commit(d);
}

/* settle reports what became of the name, as later requests show it. */
static void settle(struct detect *d, struct crashed *c, const struct call *call)
{
    if (c->is_settled || call->start_ns < latest_of(c) ||
        (call->outcome != CALL_OK && call->outcome != CALL_NOPROC))
        return;
    const bool is_back = call->outcome == CALL_OK;
    c->is_settled = true;
    d->draft = c->finding;
    detect_since(d, c->since_ns);
    d->is_guess = c->is_guess;
    struct finding *f = &d->draft;
    wording_say(&f->detail, "{}{next_call}, {since}{}",
                a_word(is_back ? "; it came back under its name: call #"
                               : "; it did not come back: call #"),
                a_number(call->number), a_span(call->start_ns - latest_of(c)),
                a_word(is_back ? " later, was answered" : " later, found no process"));
    c->finding = *f;
    detect_complete(d);
}

void detect_crash(struct detect *d, const struct record *record)
{
    const struct call *call = record->call;
    struct crashed *c = NULL;
    struct crash crash;
    if (d->crash->crashed.num == 0 && call->outcome != CALL_ERROR)
        return;
    uint64_t key = key_of(&call->callee, call->conn);
    if (is_known(&call->callee) && (c = table_find(&d->crash->crashed, key)) != NULL)
        settle(d, c, call);
    if (!is_by_monitor(record) || !read_crash(&call->reason, &crash))
        return;
    if (!is_known(&call->callee)) {
        const struct party named = {.node = call->callee.node, .name = detect_name_at_end(record)};
        key = named.name.data != NULL ? key_of(&named, call->conn) : key_of_place(call->conn, &crash);
        c = table_find(&d->crash->crashed, key);
    }
    if (c != NULL) {
        const int64_t last_ns = latest_of(c);
        if (call->start_ns <= last_ns && call->end_ns - last_ns <= TOGETHER_NS)
            return; /* it waited for the same process */
    }
    drop_alone(d, call, key, &crash);
    if (c != NULL || (c = find_or_put(d, key)) != NULL)
        report(d, record, &crash, c);
}

static void begin_alone(struct detect *d, const struct record *record, struct ds_text name,
                        const struct crash *crash)
{
    const struct ds_event *event = record->event;
    const struct ds_endpoint *end = &event->conn->end[event->dir];
    struct finding *f = detect_begin(d, FINDING_DS314, event);
    if (name.data != NULL)
        wording_say(&f->sentence, "{process} of {peer} crashed", an_atom(name), an_end(end));
    else
        wording_say(&f->sentence, "a process of {peer} crashed", an_end(end));
    wording_add(&f->detail, "its exit reason was ");
    put_crash(&f->detail, crash);
    detect_frame(f, event->frame, event->message.op->kind == DS_KIND_DOWN ? "told to its watcher"
                                                                          : "told to a linked process");
    const struct conn_watch *watched = detect_find_watched(d, event->conn->number);
    if (detect_is_one_way(d, event->conn->number))
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      "a capture of both directions: a request may have been open");
    else if (name.data == NULL)
        detect_unsure(f, CERTAINTY_LIKELY,
                      "the log of that node: several processes may run that function");
    else if (watched != NULL && watched->up_ns == 0)
        detect_unsure(f, CERTAINTY_LIKELY,
                      "a capture from the beginning of the link: a request may have been open");
}

/* keep_alone stores the draft as pending. */
static void keep_alone(struct detect *d, struct crashed *c, uint64_t pid, int64_t ts_ns)
{
    const bool is_one_way = detect_is_one_way(d, d->draft.evidence[0].conn);
    count(c, table_find(&d->crash->crashed, c->key ^ ALONE), is_one_way ? NULL : &d->draft, ts_ns);
    c->pid = pid;
    d->crash->latest_ns = ts_ns;
    c->is_guess = d->is_guess;
    c->finding = d->draft;
    c->is_pending = true;
    if (d->crash->due_ns == 0)
        d->crash->due_ns = ts_ns + TOGETHER_NS;
}

/* read_process reads which process ended: its pid, or the name by which it was monitored. */
static struct party read_process(const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_term *from = &event->message.role[DS_ROLE_FROM];
    struct party who = {.node = event->conn->end[event->dir].node, .name = record->note.from_name};
    struct ds_identity pid;
    if (ds_term_get_pid(from, &pid)) {
        who.has_pid = true;
        who.id = pid.word[0];
        who.serial = pid.word[1];
        who.creation = pid.creation;
        if (pid.node.data != NULL)
            who.node = pid.node;
    } else if (who.name.data == NULL && !ds_term_get_atom(from, &who.name)) {
        who.name = (struct ds_text){0};
    }
    return who;
}

/* key_of_monitor returns 0 if the monitor is unknown. */
static uint64_t key_of_monitor(const struct ds_message *message)
{
    struct ds_identity ref;
    if (!ds_term_get_reference(&message->role[DS_ROLE_REF], &ref))
        return 0;
    const uint64_t key = hash_more(hash_short(17, ref.node), &ref.creation, sizeof ref.creation);
    return hash_more(key, ref.word, ref.num_words * sizeof ref.word[0]);
}

/* key_of_link returns 0 if one of the processes is unknown. */
static uint64_t key_of_link(const struct ds_message *message, enum ds_role watcher, enum ds_role watched)
{
    const enum ds_role roles[2] = {watcher, watched};
    uint64_t key = 19;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        struct ds_identity pid;
        if (!ds_term_get_pid(&message->role[roles[i]], &pid))
            return 0;
        key = hash_more(hash_short(key, pid.node), &pid.creation, sizeof pid.creation);
        key = hash_more(key, pid.word, 2 * sizeof pid.word[0]);
    }
    return key;
}

static void put_tie(struct crash_watch *watch, uint64_t key, int64_t ts_ns)
{
    if (key == 0)
        return;
    const size_t place = watch->num_ties++ % MAX_TIES;
    watch->tie[place].key = key;
    watch->tie[place].ts_ns = ts_ns;
}

/* alive_ns returns when the process was alive, of which a watcher now learns that it crashed: it was
 * when the monitor or link began, as otherwise the reason were noproc. INT64_MIN: unknown. */
static int64_t alive_ns(const struct crash_watch *watch, const struct ds_message *message)
{
    const uint64_t key = message->op->kind == DS_KIND_EXIT
                             ? key_of_link(message, DS_ROLE_TO, DS_ROLE_FROM)
                             : key_of_monitor(message);
    for (size_t i = 0; key != 0 && i < MAX_TIES; i++) {
        if (watch->tie[i].key == key)
            return watch->tie[i].ts_ns;
    }
    return INT64_MIN;
}

void detect_crash_watched(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    struct crash_watch *watch = d->crash;
    if (event->ts_ns - watch->latest_ns > TOGETHER_NS)
        return;
    if (m->op->kind != DS_KIND_LINK)
        put_tie(watch, key_of_monitor(m), event->ts_ns);
    if (m->op->kind == DS_KIND_LINK)
        put_tie(watch, key_of_link(m, DS_ROLE_FROM, DS_ROLE_TO), event->ts_ns);
    else if (m->op->kind == DS_KIND_SPAWNED)
        put_tie(watch, key_of_link(m, DS_ROLE_TO, DS_ROLE_RESULT), event->ts_ns);
}

void detect_crash_message(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_message *m = &event->message;
    const struct ds_term *reason = m->payload.data != NULL ? &m->payload : &m->role[DS_ROLE_REASON];
    const struct table *crashed = &d->crash->crashed;
    struct crash crash;
    if (record->note.call != 0 || reason->data == NULL)
        return;
    if (!read_crash(reason, &crash) || !crash.has_stack)
        return;
    const struct party who = read_process(record);
    const uint64_t key =
        who.name.data != NULL ? key_of(&who, event->conn->number)
                              : key_of_place(event->conn->number, &crash);
    const uint64_t pid = key_of_pid(&who);
    const int64_t since_ns = alive_ns(d->crash, m);
    struct crashed *c = table_find(crashed, key ^ ALONE);
    if (has_ended(d->crash, pid, event->ts_ns, INT64_MIN) ||
        (who.name.data == NULL && has_ended(d->crash, key, event->ts_ns, since_ns)) ||
        crashed_since(table_find(crashed, key), event->ts_ns, since_ns) ||
        crashed_since(c, event->ts_ns, since_ns))
        return;
    if (c == NULL && (c = find_or_put(d, key ^ ALONE)) == NULL)
        return;
    if (c->is_pending)
        tell_alone(d, c);
    begin_alone(d, record, who.name, &crash);
    keep_alone(d, c, pid, event->ts_ns);
}

void detect_crash_time(struct detect *d, bool at_end)
{
    const struct table *crashed = &d->crash->crashed;
    int64_t due_ns = 0;
    if (d->crash->due_ns == 0 || (!at_end && d->now_ns <= d->crash->due_ns))
        return;
    for (struct crashed *c = table_oldest(crashed); c != NULL; c = table_newer(crashed, c)) {
        if (!c->is_pending)
            continue;
        const int64_t until_ns = latest_of(c) + TOGETHER_NS;
        if (at_end || d->now_ns > until_ns)
            tell_alone(d, c);
        else if (due_ns == 0 || until_ns < due_ns)
            due_ns = until_ns;
    }
    d->crash->due_ns = due_ns;
}
