/*
 * calls.c - open calls, see calls.h.
 */
#include "analyse/calls/calls.h"

#include "analyse/calls/call_parent.h"
#include "analyse/calls/calls_by_caller.h"
#include "analyse/calls/process_names.h"
#include "core/copy_short.h"

#include <stdlib.h>

/* conn_calls is a connection with open calls. */
struct conn_calls {
    struct table_entry entry;
    uint64_t number;
    uint32_t calls; /* head of a list */
    uint32_t unread[2]; /* messages in each direction that may answer any of the calls */
};
TABLE_KEYED(struct conn_calls, number);

static void free_owned(struct calls *calls, struct open_call *call)
{
    calls->kept_len -= call->kept_len;
    free((void *)(uintptr_t)call->request.atoms);
    free(call->mfa);
    free(call->mfa_elixir);
    free(call->children);
}

void calls_free(struct calls *calls)
{
    for (struct open_call *c = table_oldest(&calls->table); c != NULL;
         c = table_newer(&calls->table, c))
        free_owned(calls, c);
    table_free(&calls->table);
    table_free(&calls->conns);
    table_free(&calls->askers);
    table_free(&calls->activities);
    process_names_free(&calls->processes);
    processes_free(&calls->processes);
    pending_calls_free(&calls->held);
    ds_buffer_free(&calls->scratch);
}

/* rank says how well a call matches; 0: not at all. */
static unsigned rank(const struct open_call *call, uint32_t node, const struct pid_key *callee)
{
    enum { ANY = 1, OF_PROCESS = 2, OF_NODE = 4, IS_OPEN = 8 };
    const bool of_node = node == 0 || call->answer_node == node || call->asked_node == node;
    if (!of_node && call->has_twin)
        return 0;
    return ANY | (callee != NULL && pid_key_equal(&call->callee, callee) ? OF_PROCESS : 0u) |
           (of_node ? OF_NODE : 0u) | (!call->given_up ? IS_OPEN : 0u);
}

static struct open_call *next_twin(const struct calls *calls, struct open_call *call,
                                   const struct ref_key *key)
{
    while (call != NULL && !ref_key_equal(&call->key, key))
        call = table_next(&calls->table, call);
    return call;
}

static struct open_call *first_twin(const struct calls *calls, const struct ref_key *key)
{
    return next_twin(calls, table_first(&calls->table, hash_key(key, sizeof *key)), key);
}

struct open_call *calls_find(const struct calls *calls, const struct ref_key *key, uint32_t node,
                             const struct pid_key *callee)
{
    struct open_call *found = NULL;
    unsigned best = 0;
    for (struct open_call *c = first_twin(calls, key); c != NULL;
         c = next_twin(calls, table_next(&calls->table, c), key)) {
        const unsigned fits = rank(c, node, callee);
        if (fits > best || (fits != 0 && fits == best && c->number < found->number)) {
            found = c;
            best = fits;
        }
    }
    return found;
}

static bool link_conn(struct calls *calls, struct open_call *call)
{
    struct conn_calls *conn = table_find(&calls->conns, call->conn);
    if (conn == NULL && (conn = table_put(&calls->conns, call->conn)) == NULL)
        return false;
    table_link(&calls->table, offsetof(struct open_call, of_conn), &conn->calls, call);
    call->unread = conn->unread[call->answer_dir];
    return true;
}

static void unlink_conn(struct calls *calls, struct open_call *call)
{
    struct conn_calls *conn = table_find(&calls->conns, call->conn);
    if (conn == NULL)
        return;
    table_unlink(&calls->table, offsetof(struct open_call, of_conn), &conn->calls, call);
    if (conn->calls == 0)
        table_remove(&calls->conns, conn);
}

void calls_init(struct calls *calls, struct intern *intern, uint64_t max_calls,
                uint64_t max_processes, record_fn emit, void *context)
{
    memset(calls, 0, sizeof *calls);
    calls->intern = intern;
    calls->emit = emit;
    calls->context = context;
    table_init(&calls->table, sizeof(struct open_call), max_calls);
    table_init(&calls->conns, sizeof(struct conn_calls), max_calls);
    table_init(&calls->askers, sizeof(struct asker), max_calls);
    process_activity_init(&calls->activities);
    pending_calls_init(&calls->held, emit, context);
    processes_init(&calls->processes, intern, max_processes, call_parent_drop, calls);
    process_names_init(&calls->processes, max_processes);
}

bool calls_lost_answer(const struct open_call *call, const struct ds_conn *conn)
{
    const struct ds_counters *c = &conn->counters[call->answer_dir];
    return conn->number == call->conn && c->gaps + c->faults != call->losses;
}

bool calls_may_be_answered(const struct calls *calls, const struct open_call *call)
{
    const struct conn_calls *conn = table_find(&calls->conns, call->conn);
    return call->may_be_answered || (conn != NULL && conn->unread[call->answer_dir] != call->unread);
}

/* may_answer_caller marks the calls of a process on a connection as possibly answered. False when
 * it has none there, or too many to look at. */
static bool may_answer_caller(struct calls *calls, const struct ds_event *event,
                              const struct pid_key *to)
{
    enum { LOOKED_AT = 64 };
    bool is_found = false;
    int i = 0;
    for (struct open_call *c = calls_by_caller_first(calls, to); c != NULL;
         c = calls_by_caller_next(calls, c)) {
        if (i++ == LOOKED_AT)
            return false;
        if (c->conn != event->conn->number || c->answer_dir != event->dir)
            continue;
        c->may_be_answered = true;
        is_found = true;
    }
    return is_found;
}

void calls_add_unread(struct calls *calls, const struct ds_event *event, const struct pid_key *to,
                      const struct ref_key *ref)
{
    struct conn_calls *conn = table_find(&calls->conns, event->conn->number);
    if (conn == NULL)
        return;
    struct open_call *call = ref != NULL ? first_twin(calls, ref) : NULL;
    if (call != NULL)
        call->may_be_answered = true;
    else if (to == NULL || !may_answer_caller(calls, event, to))
        conn->unread[event->dir]++;
}

/* together is the total length of a term's atom texts and, if they are contiguous in memory, as in
 * a copied record, their beginning; else NULL. */
struct together {
    const uint8_t *first;
    size_t len;
};

static struct together find_texts(const struct ds_term *term)
{
    struct together texts = {NULL, 0};
    bool is_together = true;
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        const struct ds_atom *atom = &term->atoms[i];
        if (atom->text == NULL)
            continue;
        if (texts.first == NULL)
            texts.first = atom->text;
        is_together &= (uintptr_t)atom->text == (uintptr_t)texts.first + texts.len;
        texts.len += atom->len;
    }
    return (struct together){is_together ? texts.first : NULL, texts.len};
}

/* fill_copy copies the atoms that a term may refer to into atoms, and the term and the texts to at.
 * Not inline: the compiler would have each of these few bytes checked against the allocation. */
static __attribute__((noinline)) void fill_copy(const struct ds_term *term,
                                                const struct together *texts,
                                                struct ds_atom *atoms, uint8_t *at)
{
    memcpy(at, term->data, term->len);
    at += term->len;
    if (texts->first != NULL)
        memcpy(at, texts->first, texts->len);
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        atoms[i] = term->atoms[i];
        if (atoms[i].text == NULL)
            continue;
        if (texts->first == NULL)
            copy_short(at, atoms[i].text, atoms[i].len);
        atoms[i].text = at;
        at += atoms[i].len;
    }
}

/* copy_term copies a term with the atoms it may refer to, unchanged: cheaper than making it
 * self-contained, and few copies are ever read. One allocation, atoms first. */
static bool copy_term(const struct ds_term *term, struct ds_term *out, size_t *len)
{
    const size_t atoms_len = (term->num_atoms + (size_t)1) * sizeof *term->atoms;
    const struct together texts = find_texts(term);
    *len = atoms_len + term->len + texts.len;
    struct ds_atom *atoms = malloc(*len);
    if (atoms == NULL)
        return false;
    *out = *term;
    out->atoms = atoms;
    out->data = (uint8_t *)atoms + atoms_len;
    fill_copy(term, &texts, atoms, (uint8_t *)atoms + atoms_len);
    return true;
}

/* find_part returns the position of a part within a request. Parts of a spawn request may be
 * outside it. */
static struct call_part find_part(const struct ds_term *request, const struct ds_term *part)
{
    const uintptr_t from = (uintptr_t)request->data, at = (uintptr_t)part->data;
    if (part->data == NULL || at < from || at - from > request->len ||
        part->len > request->len - (at - from))
        return (struct call_part){0, 0};
    return (struct call_part){(uint32_t)(at - from), (uint32_t)part->len};
}

static struct ds_term get_part(const struct ds_term *request, struct call_part part)
{
    struct ds_term term = *request;
    if (request->data == NULL || part.len == 0)
        return (struct ds_term){0};
    term.data += part.at;
    term.len = part.len;
    return term;
}

static void keep_request(struct calls *calls, struct open_call *call, const struct call_start *start)
{
    const struct ds_term *request = start->request;
    call->request_len = request->len;
    if (calls->keep == 0 || (!calls_want_parents(calls) && start->note->mod.data == NULL &&
                             start->line->group[0] == '\0'))
        return;
    struct ds_buffer *scratch = &calls->scratch;
    if (start->note->mod.data != NULL) {
        scratch->len = 0;
        note_print_mfa_as(DS_SYNTAX_ERLANG, start->note, CALL_MFA_LEN, scratch);
        call->mfa = scratch->failed ? NULL : strndup(scratch->data, scratch->len);
    }
    /* The function that a spawn request names is not part of the copy. */
    if (start->note->mod.data != NULL && calls->is_elixir &&
        find_part(request, &start->note->mod).len == 0) {
        scratch->len = 0;
        note_print_mfa_as(DS_SYNTAX_ELIXIR, start->note, CALL_MFA_LEN, scratch);
        call->mfa_elixir = scratch->failed ? NULL : strndup(scratch->data, scratch->len);
    }
    if (request->len > calls->keep || request->data == NULL || request->damaged ||
        calls->kept_len > CALLS_KEPT_MAX)
        return;
    if (!copy_term(request, &call->request, &call->kept_len)) {
        calls->no_memory++;
        return;
    }
    calls->kept_len += call->kept_len;
    call->mod = find_part(request, &start->note->mod);
    call->fun = find_part(request, &start->note->fun);
    call->args = find_part(request, &start->note->args);
}

static void remove_call(struct calls *calls, struct open_call *call)
{
    call->number = 0; /* given_up compares this number and sees that the call is gone */
    table_remove(&calls->table, call);
}

void calls_forget(struct calls *calls, struct open_call *call)
{
    call_parent_unlink(calls, call);
    calls_by_caller_unlink(calls, call);
    unlink_conn(calls, call);
    free_owned(calls, call);
    remove_call(calls, call);
}

/* forget_given_up frees a place in the ring, and so in the table. */
static void forget_given_up(struct calls *calls, uint64_t i)
{
    struct open_call *call = table_get(&calls->table, calls->given_up[i % MAX_GIVEN_UP].place);
    if (call != NULL && call->given_up &&
        call->number == calls->given_up[i % MAX_GIVEN_UP].number)
        calls_forget(calls, call);
    calls->given_up[i % MAX_GIVEN_UP].place = 0;
}

/* make_room makes room at the cap: calls that were abandoned go first. */
static void make_room(struct calls *calls, const struct call_end *unknown)
{
    const uint64_t last = calls->num_given_up;
    for (uint64_t i = last > MAX_GIVEN_UP ? last - MAX_GIVEN_UP : 0;
         i < last && table_is_full(&calls->table); i++)
        forget_given_up(calls, i);
    if (!table_is_full(&calls->table))
        return;
    calls->num_dropped++;
    calls_end(calls, table_oldest(&calls->table), unknown);
}

/* make_way handles other open calls with the same tag. A caller that uses no tags asks again only
 * after it has stopped waiting. Otherwise they are twins, up to a limit. True when there are twins. */
static bool make_way(struct calls *calls, const struct call_start *start,
                     const struct call_end *unknown)
{
    const struct ds_event *event = start->event;
    struct open_call *oldest = NULL, *c = first_twin(calls, &start->key);
    unsigned num = 0;
    if (c != NULL && start->is_tagless) {
        const struct call_end end = {
            .end_ns = event->ts_ns,
            .outcome = calls_lost_answer(c, event->conn) || calls_may_be_answered(calls, c)
                           ? CALL_UNKNOWN
                           : CALL_ABANDONED};
        calls_end(calls, c, &end);
        return false;
    }
    for (; c != NULL; c = next_twin(calls, table_next(&calls->table, c), &start->key), num++) {
        c->has_twin = true;
        if (oldest == NULL || c->number < oldest->number)
            oldest = c;
    }
    if (num >= MAX_TWINS) {
        calls->num_dropped++;
        calls_end(calls, oldest, unknown);
    }
    return num != 0;
}

struct open_call *calls_open(struct calls *calls, const struct call_start *start)
{
    const struct ds_event *event = start->event;
    const struct call_end unknown = {.end_ns = event->ts_ns, .outcome = CALL_UNKNOWN};
    const bool has_twin = make_way(calls, start, &unknown);
    if (table_is_full(&calls->table))
        make_room(calls, &unknown);
    struct open_call *call = table_add(&calls->table, hash_key(&start->key, sizeof start->key));
    if (call == NULL) {
        calls->no_memory++;
        return NULL;
    }
    const struct ds_counters *answers = &event->conn->counters[!event->dir];
    call->key = start->key;
    call->alias = start->alias;
    call->line = start->line;
    call->caller = start->caller;
    call->taker = start->taker;
    call->callee = start->callee;
    call->asked_node = call->answer_node = start->node;
    call->has_twin = has_twin;
    call->is_tentative = start->is_tentative;
    call->place = start->place;
    call->awaits_input = start->awaits_input;
    call->number = ++calls->num_started;
    call->conn = event->conn->number;
    call->start_ns = event->ts_ns;
    call->stalled_ns = event->message.stalled_ns;
    call->start_frame = event->frame;
    call->has_start_seq = event->has_seq;
    call->start_seq = event->end_seq;
    call->answer_dir = !event->dir;
    call->is_undecided = start->is_undecided;
    call->losses = answers->gaps + answers->faults;
    call->answer_is_exit = start->answer_is_exit;
    call->began_before = event->past;
    call->likely_atoms = event->likely_atoms;
    call->is_part = !event_is_read_whole(event);
    call->is_unread = event->unknown_atoms != 0 || event->fault.kind != DS_FAULT_NONE;
    if (!link_conn(calls, call)) {
        calls->no_memory++;
        remove_call(calls, call);
        return NULL;
    }
    call_parent_resolve(calls, call, event->conn->end[!event->dir].creation);
    if (start->node == 0) /* on a link that was joined late the name is all that is known of the callee */
        call->callee_name = start->name;
    keep_request(calls, call, start);
    if (call->is_tentative)
        return call;
    if (calls_want_parents(calls))
        call_parent_find(calls, call);
    calls_by_caller_link(calls, call);
    call_parent_link(calls, call);
    return call;
}

void calls_fill_party(const struct calls *calls, const struct pid_key *key, struct party *out,
                      struct titles *titles)
{
    *out = (struct party){.node = intern_text(calls->intern, key->node)};
    if (key->node == 0)
        return;
    if (key->serial == PID_KEY_NAMED) {
        out->name = intern_text(calls->intern, key->id);
        return;
    }
    out->has_pid = true;
    out->id = key->id;
    out->serial = key->serial;
    out->creation = key->creation;
    const struct process *process = processes_find(&calls->processes, key);
    out->name = intern_text(calls->intern, processes_name(process, &out->is_for));
    out->titles = process_names_list(&calls->processes, process, titles);
}

/* doubt_of says why the outcome of a call is unknown. */
static enum call_doubt doubt_of(const struct calls *calls, const struct open_call *call,
                                const struct ds_event *event)
{
    const bool is_message = event != NULL && event->type == DS_EVENT_MESSAGE;
    return is_message && event->unknown_atoms != 0                ? DOUBT_ATOMS
           : calls_may_be_answered(calls, call)                   ? DOUBT_UNREAD
           : event != NULL && calls_lost_answer(call, event->conn) ? DOUBT_LOST
           : call->is_undecided                                   ? DOUBT_ATOMS
           : call->place == ANSWER_PLACE_UNKNOWN                  ? DOUBT_PLACE
                                                                  : DOUBT_LIMIT;
}

/* fill_view describes a call for its record. titles provides room for both parties. */
static void fill_view(const struct calls *calls, const struct open_call *call,
                      const struct call_end *end, struct titles *titles, struct call *view)
{
    *view = (struct call){
        .number = call->number,
        .conn = call->conn,
        .label = call->line->label,
        .group = call->line->group,
        .request = call->request,
        .request_len = call->request_len,
        .mod = get_part(&call->request, call->mod),
        .fun = get_part(&call->request, call->fun),
        .args = get_part(&call->request, call->args),
        .result = end->result,
        .start_ns = call->start_ns,
        .end_ns = end->end_ns >= call->start_ns ? end->end_ns : call->start_ns,
        .start_frame = call->start_frame,
        .has_start_seq = call->has_start_seq,
        .start_seq = call->start_seq,
        .end_frame = end->event != NULL ? end->event->frame : 0,
        .outcome = end->outcome,
        .certainty = end->certainty,
        .doubt = end->outcome == CALL_UNKNOWN ? doubt_of(calls, call, end->event) : DOUBT_LIMIT,
        .likely_atoms = call->likely_atoms,
        .is_part = call->is_part,
        .error_class = end->error_class,
        .reason = end->reason,
        .parent = call->parent,
        .parent_ambiguous = call->parent_ambiguous,
        .parent_inferred = call->parent_inferred,
        .began_before = call->began_before,
        .awaits_input = call->awaits_input,
        .children = call->children,
        .num_children = call->num_children,
    };
    if (end->event != NULL && end->event->type == DS_EVENT_MESSAGE) {
        view->likely_atoms += end->event->likely_atoms;
        view->is_part |= !event_is_read_whole(end->event);
    }
    calls_fill_party(calls, &call->caller, &view->caller, &titles[0]);
    calls_fill_party(calls, &call->callee, &view->callee, &titles[1]);
    if (call->callee.node == 0) /* nobody answered, but it is known which node was asked */
        view->callee.node = intern_text(calls->intern, call->asked_node);
    if (call->callee_name != 0 && (view->callee.name.data == NULL || view->callee.is_for)) {
        view->callee.name = intern_text(calls->intern, call->callee_name);
        view->callee.is_for = view->callee.has_pid;
    }
    if (call->mfa != NULL)
        view->mfa = (struct ds_text){call->mfa, strlen(call->mfa)};
    if (call->mfa_elixir != NULL)
        view->mfa_elixir = (struct ds_text){call->mfa_elixir, strlen(call->mfa_elixir)};
}

/* give_record emits the record of a call, or makes it pending and returns it. */
static struct pending_call *give_record(struct calls *calls, struct open_call *call,
                                        const struct call_end *end, unsigned waits)
{
    struct titles titles[2];
    struct call view;
    if (call_parent_may_follow(calls, call))
        waits |= HELD_FOR_PARENT;
    if (waits == 0 && !calls_want_answered(calls) && end->event != NULL &&
        end->event->type == DS_EVENT_MESSAGE)
        return NULL;
    fill_view(calls, call, end, titles, &view);
    const struct record record = {.event = end->event, .call = &view};
    struct pending_call *held =
        waits != 0 ? pending_calls_add(&calls->held, &record, &call->caller, waits,
                                       view.end_ns) : NULL;
    if (held == NULL)
        calls->emit(calls->context, &record);
    return held;
}

void calls_end(struct calls *calls, struct open_call *call, const struct call_end *end)
{
    if (!call->given_up && !call->is_tentative) {
        call_parent_on_work(calls, call, end->end_ns);
        give_record(calls, call, end, 0);
    }
    calls_forget(calls, call);
}

void calls_end_by_down(struct calls *calls, struct open_call *call, const struct call_end *end,
                       const struct ref_key *monitor)
{
    struct pending_call *held;
    if (call->given_up || call->is_tentative || end->end_ns - call->start_ns < LEAST_TIMEOUT_NS) {
        calls_end(calls, call, end);
        return;
    }
    call_parent_on_work(calls, call, end->end_ns);
    held = give_record(calls, call, end, HELD_FOR_CROSSING);
    if (held != NULL) {
        held->monitor = *monitor;
        held->is_elsewhere = call->place == ANSWER_ELSEWHERE;
        held->may_be_elsewhere = call->place == ANSWER_PLACE_UNKNOWN;
    }
    calls_forget(calls, call);
}

struct pending_call *calls_find_crossed(const struct calls *calls, const struct pid_key *caller,
                                        const struct ref_key *monitor)
{
    struct pending_call *h =
        calls->held.num_for_crossing != 0 ? pending_calls_first(&calls->held, caller) : NULL;
    while (h != NULL &&
           ((h->waits & HELD_FOR_CROSSING) == 0 || !ref_key_equal(&h->monitor, monitor)))
        h = pending_calls_next(&calls->held, h);
    return h;
}

void calls_set_given_up(struct calls *calls, struct pending_call *held, const struct ds_event *event,
                        enum call_outcome outcome, enum certainty certainty)
{
    struct call *call = held->copy->call;
    call->outcome = outcome;
    call->certainty = certainty;
    call->doubt = outcome == CALL_UNKNOWN ? DOUBT_PLACE : DOUBT_LIMIT;
    call->error_class = NULL;
    call->reason = call->result = (struct ds_term){0};
    call->end_ns = event->ts_ns > call->end_ns ? event->ts_ns : call->end_ns;
    call->end_frame = event->frame;
    pending_calls_wait(&calls->held, held,
                       (held->waits & ~(unsigned)HELD_FOR_CROSSING) |
                           (outcome == CALL_TIMEOUT ? HELD_FOR_DEATH : 0u));
}

void calls_abandon(struct calls *calls, struct open_call *call, const struct call_end *end)
{
    if (call->is_tentative) {
        calls_forget(calls, call);
        return;
    }
    call_parent_on_work(calls, call, end->end_ns);
    give_record(calls, call, end,
                end->outcome == CALL_ABANDONED ? HELD_FOR_ANSWER
                : end->outcome == CALL_TIMEOUT ? HELD_FOR_DEATH
                                               : 0);
    free_owned(calls, call);
    call->request = (struct ds_term){0};
    call->kept_len = 0;
    call->mfa = call->mfa_elixir = NULL;
    call->children = NULL;
    call->num_children = 0;
    call->given_up = true;
    const uint64_t i = calls->num_given_up++ % MAX_GIVEN_UP;
    forget_given_up(calls, i);
    calls->given_up[i].number = call->number;
    calls->given_up[i].place = call->entry.number;
}

/* raise_certainty raises the certainty of a record's outcome to at least that value. */
static void raise_certainty(struct call *call, enum certainty certainty)
{
    if (call->certainty > certainty)
        call->certainty = certainty;
}

/* judge_given_up: a caller that ends because its call timed out says so. A request that is sent when its
 * caller waits no longer was stalled: the wait before it was sent is unknown. If the caller goes on, it
 * had most likely timed out. */
static void judge_given_up(struct call *call, enum caller_fate fate, int64_t now_ns)
{
    const bool says_so = fate == CALLER_TIMED_OUT && now_ns - call->end_ns <= DEATH_NS;
    if (call->outcome != CALL_ABANDONED ||
        (!says_so && (call->end_ns - call->start_ns >= LEAST_TIMEOUT_NS || now_ns <= call->end_ns)))
        return;
    call->outcome = CALL_TIMEOUT;
    call->certainty = says_so ? CERTAINTY_SURE : CERTAINTY_POSSIBLE;
}

void calls_set_fate(struct calls *calls, const struct pid_key *caller, enum caller_fate fate,
                    int64_t now_ns)
{
    struct pending_call *next;
    if (calls->held.num_for_death == 0 && calls->held.num_for_answer == 0)
        return;
    for (struct pending_call *h = pending_calls_first(&calls->held, caller); h != NULL; h = next) {
        next = pending_calls_next(&calls->held, h);
        struct call *call = h->copy->call;
        if ((h->waits & HELD_FOR_ANSWER) != 0 && fate != CALLER_ENDED) {
            h->is_alive = true;
            judge_given_up(call, fate, now_ns);
            continue;
        }
        if ((h->waits & HELD_FOR_DEATH) == 0)
            continue;
        if (fate != CALLER_ENDED) {
            raise_certainty(call, fate == CALLER_TIMED_OUT ? CERTAINTY_SURE : CERTAINTY_LIKELY);
        } else if (now_ns - call->end_ns <= DEATH_NS) {
            call->outcome = CALL_ABANDONED;
            call->certainty = CERTAINTY_SURE;
        }
        pending_calls_settle(&calls->held, h, HELD_FOR_DEATH);
    }
}

void calls_heard_late(struct calls *calls, struct open_call *call, int64_t now_ns)
{
    struct pending_call *h = pending_calls_first(&calls->held, &call->caller);
    while (h != NULL && h->number != call->number)
        h = pending_calls_next(&calls->held, h);
    if (h != NULL && (h->waits & HELD_FOR_ANSWER) != 0) {
        if (!call->caller_ended || h->is_alive) {
            if (h->copy->call->outcome != CALL_TIMEOUT)
                h->copy->call->certainty = CERTAINTY_LIKELY;
            h->copy->call->outcome = CALL_TIMEOUT;
            raise_certainty(h->copy->call, CERTAINTY_LIKELY);
        }
        pending_calls_settle(&calls->held, h, HELD_FOR_ANSWER);
    }
    call_parent_answered(calls, call, now_ns);
    calls_forget(calls, call);
}

void calls_end_conn(struct calls *calls, const struct ds_event *event, enum call_outcome outcome)
{
    struct conn_calls *conn;
    while ((conn = table_find(&calls->conns, event->conn->number)) != NULL) {
        struct open_call *call = table_get(&calls->table, conn->calls);
        const struct call_end end = {
            .event = event,
            .end_ns = event->ts_ns,
            .outcome = calls_may_be_answered(calls, call)     ? CALL_UNKNOWN
                       : outcome != CALL_OPEN                 ? outcome
                       : calls_lost_answer(call, event->conn) ? CALL_UNKNOWN
                                                              : CALL_UNANSWERED,
        };
        calls_end(calls, call, &end);
    }
}

void calls_visit_open(const struct calls *calls, int64_t now_ns, record_fn visit, void *context)
{
    const struct call_end end = {.end_ns = now_ns, .outcome = CALL_OPEN};
    const struct open_call *call = table_oldest(&calls->table);
    for (; call != NULL; call = table_newer(&calls->table, call)) {
        struct titles titles[2];
        struct call view;
        if (call->given_up || call->is_tentative)
            continue;
        fill_view(calls, call, &end, titles, &view);
        visit(context, &(struct record){.call = &view});
    }
}

void calls_visit_overdue(const struct calls *calls, int64_t after_ns, int64_t until_ns,
                         int64_t now_ns, record_fn visit, void *context)
{
    const struct call_end end = {.end_ns = now_ns, .outcome = CALL_OPEN};
    const struct open_call *call = table_oldest(&calls->table);
    for (; call != NULL && call->start_ns <= until_ns; call = table_newer(&calls->table, call)) {
        struct titles titles[2];
        struct call view;
        if (call->given_up || call->is_tentative || call->start_ns <= after_ns)
            continue;
        fill_view(calls, call, &end, titles, &view);
        visit(context, &(struct record){.call = &view});
    }
}

void calls_end_all(struct calls *calls, int64_t end_ns, enum call_outcome outcome)
{
    struct open_call *call;
    while ((call = table_oldest(&calls->table)) != NULL) {
        const struct call_end end = {
            .end_ns = end_ns,
            .outcome = calls_may_be_answered(calls, call) ? CALL_UNKNOWN : outcome};
        calls_end(calls, call, &end);
    }
    pending_calls_release_old(&calls->held, INT64_MAX);
}
