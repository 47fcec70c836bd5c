/*
 * For whose sake a call was made, as conversations in text. A line is what happens so many
 * microseconds after the one before:
 *
 *     100 relay asks store B      a call; @relay: by its name. B is the last one with that letter
 *     100 store answers B
 *     100 alice casts relay       or @relay
 *     repeat 6 ... end            so many times
 *
 * Then what is expected: "B of A", "B of nobody", or "B of somebody": it can't be told.
 */
#include "analyse/calls/correlate.h"
#include "analyse/calls/pid_key.h"
#include "analyse/calls/process_activity.h"
#include "etf_maker.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_NUMBERS = 40000 };

static struct told {
    uint64_t parent;
    bool has_ended, ambiguous;
} told[MAX_NUMBERS]; /* by the call's number */

static struct {
    struct correlate *correlate;
    struct ds_conn conn;
    int64_t now_ns;
    uint32_t refs;
    struct call_letter {
        uint32_t ref;
        uint64_t number;
        unsigned asker; /* node */
    } calls[26];
    uint64_t request; /* number of the call that the last message opened */
} talk;

static void on_record(void *context, const struct record *record)
{
    (void)context;
    const struct call *call = record->call;
    if (record->monitor == NULL && call == NULL)
        talk.request = record->note.call;
    if (call == NULL || call->number >= MAX_NUMBERS)
        return;
    told[call->number] = (struct told){call->parent, true, call->parent_ambiguous};
}

static const char *const nodes[2] = {"a@h", "b@h"};

static const struct {
    const char *name;
    unsigned node;
    uint32_t pid;
} people[] = {{"alice", 0, 1},  {"anna", 0, 2},    {"store", 0, 80},
              {"relay", 1, 70}, {"worker", 1, 71}, {"helper", 1, 72}};

static unsigned find_person(const char *name)
{
    for (unsigned i = 0; i < sizeof people / sizeof people[0]; i++)
        if (strcmp(people[i].name, name) == 0)
            return i;
    fail_msg("who is %s?", name);
    return 0;
}

static struct ds_term pid_of(unsigned person)
{
    return etf_pid(nodes[people[person].node], people[person].pid);
}

static void send(int code, unsigned dir, struct ds_term from, struct ds_term to, struct ds_term ref,
                 struct ds_term payload)
{
    struct ds_event event = {.type = DS_EVENT_MESSAGE,
                             .dir = (uint8_t)dir,
                             .ts_ns = talk.now_ns,
                             .frame = 1,
                             .conn = &talk.conn};
    event.message.code = code;
    event.message.op = ds_op_find(code);
    event.message.role[DS_ROLE_FROM] = from;
    event.message.role[DS_ROLE_TO] = to;
    event.message.role[DS_ROLE_REF] = ref;
    event.message.payload = payload;
    correlate_event(talk.correlate, &event);
}

static struct ds_term tag(const char *node, uint32_t ref)
{
    return etf_list(1, etf_atom("alias"), etf_ref(node, ref));
}

static void asks(unsigned who, const char *whom, struct call_letter *call)
{
    const bool by_name = whom[0] == '@';
    const unsigned callee = find_person(whom + by_name), node = people[who].node;
    assert_int_not_equal(people[callee].node, node);
    call->ref = ++talk.refs;
    call->asker = node;
    send(by_name ? 6 : 22, node, pid_of(who), by_name ? etf_atom(whom + 1) : pid_of(callee),
         (struct ds_term){0},
         etf_tuple(3, etf_atom("$gen_call"), etf_tuple(2, pid_of(who), tag(nodes[node], call->ref)),
                   etf_atom("x")));
    call->number = talk.request;
}

static void casts(unsigned who, const char *whom)
{
    const bool by_name = whom[0] == '@';
    const unsigned callee = find_person(whom + by_name);
    send(by_name ? 6 : 22, people[who].node, pid_of(who),
         by_name ? etf_atom(whom + 1) : pid_of(callee), (struct ds_term){0},
         etf_tuple(2, etf_atom("$gen_cast"), etf_atom("x")));
}

static void say(const char *line)
{
    char who[16], what[16], to[16], letter;
    int us;
    etf_reset();
    if (sscanf(line, "%d %15s %15s", &us, who, what) != 3)
        fail_msg("what is said in \"%s\"?", line);
    const unsigned person = find_person(who);
    talk.now_ns += us * 1000;
    if (strcmp(what, "asks") == 0 && sscanf(line, "%*d %*s asks %15s %c", to, &letter) == 2) {
        asks(person, to, &talk.calls[letter - 'A']);
        return;
    }
    if (strcmp(what, "casts") == 0 && sscanf(line, "%*d %*s casts %15s", to) == 1) {
        casts(person, to);
        return;
    }
    if (strcmp(what, "answers") != 0 || sscanf(line, "%*d %*s answers %c", &letter) != 1)
        fail_msg("what is said in \"%s\"?", line);
    const struct call_letter *call = &talk.calls[letter - 'A'];
    const char *asker = nodes[call->asker];
    send(33, people[person].node, pid_of(person), etf_ref(asker, call->ref), (struct ds_term){0},
         etf_tuple(2, tag(asker, call->ref), etf_atom("ok")));
}

/* say_all plays the lines from there to the end, or to the end of the repetition. */
static const char *say_all(const char *at)
{
    char line[80];
    int times, len;
    while (*at != '\0') {
        if (sscanf(at, " %79[^\n] %n", line, &len) != 1)
            break;
        at += len;
        if (strcmp(line, "end") == 0)
            break;
        if (sscanf(line, "repeat %d", &times) == 1) {
            const char *const from = at;
            while (times-- > 0)
                at = say_all(from);
        } else {
            say(line);
        }
    }
    return at;
}

static bool start(void)
{
    struct correlate_config config = {.emit = on_record};
    config.limits[DS_LIMIT_CALLS] = config.limits[DS_LIMIT_MONITORS] = 1000;
    config.limits[DS_LIMIT_NAMES] = 1000;
    memset(&talk, 0, sizeof talk);
    memset(told, 0, sizeof told);
    talk.now_ns = INT64_C(1000000000);
    talk.conn.number = 1;
    for (int end = 0; end < 2; end++)
        talk.conn.end[end].node = (struct ds_text){nodes[end], 3};
    talk.correlate = correlate_new(&config);
    return talk.correlate != NULL;
}

static void stop(void)
{
    correlate_end(talk.correlate);
    correlate_free(talk.correlate);
}

/* expect compares the parents: "B of A" and more, separated by blanks. */
static void expect(const char *what, const char *expected)
{
    char child, of[16];
    int len;
    for (; sscanf(expected, " %c of %15s%n", &child, of, &len) == 2; expected += len) {
        const struct told *call = &told[talk.calls[child - 'A'].number];
        const bool somebody = strcmp(of, "somebody") == 0;
        const uint64_t parent = of[1] == '\0' ? talk.calls[of[0] - 'A'].number : 0;
        if (!call->has_ended || call->parent != parent || call->ambiguous != somebody)
            fail_msg("%s: %c is not of %s: %d, of call %d%s", what, child, of, call->has_ended,
                     (int)call->parent, call->ambiguous ? ", ambiguous" : "");
    }
}

/* One round of relay: it asks store for a request, or after it has answered. */
#define SERVES "50 relay asks store S\n 50 store answers S\n 50 relay answers R\n"
#define GOES_ON "50 relay answers R\n 50 relay asks store S\n 50 store answers S\n"

static const struct {
    const char *what, *said, *expected;
} conversations[] = {
    {"the first request of all",
     "0 alice asks relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of A"},
    {"nothing is open", "0 relay asks store B\n 50 store answers B", "B of nobody"},
    {"two are open",
     "0 alice asks relay A\n 50 anna asks relay C\n 50 relay asks store B\n 50 store answers B",
     "B of somebody"},
    {"an answered one and an open one: the answer came first",
     "0 alice asks relay A\n 50 relay answers A\n 20000 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of C"},

    /* Calls at the moment of an answer, when nothing is known about the process */
    {"the next request comes as the answer has left",
     "0 alice asks relay A\n 50 relay answers A\n 100 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of somebody"},
    {"the next request had come before the answer",
     "0 alice asks relay A\n 0 anna asks relay C\n 50 relay answers A\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of somebody"},
    {"it goes on at times, but so long after the answer it can't be at that still",
     "0 alice asks relay R\n" GOES_ON "20000 alice asks relay A\n 50 relay answers A\n"
     "10000 alice asks relay C\n 50 relay asks store B\n 50 store answers B\n",
     "B of C"},
    {"a microsecond less",
     "0 alice asks relay R\n" GOES_ON "20000 alice asks relay A\n 50 relay answers A\n"
     "9999 alice asks relay C\n 50 relay asks store B\n 50 store answers B\n",
     "B of somebody"},
    {"it is still for five milliseconds, and has never gone on",
     "0 alice asks relay A\n 50 relay answers A\n 5000 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n",
     "B of C"},
    {"a microsecond less of that",
     "0 alice asks relay A\n 50 relay answers A\n 4999 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n",
     "B of somebody"},
    {"the request had come before the answer, however long ago that is",
     "0 alice asks relay A\n 0 anna asks relay C\n 50 relay answers A\n"
     "20000 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of somebody"},

    /* Habits */
    {"it was still six times",
     "repeat 7\n 50 alice asks relay R\n " SERVES " end\n"
     "50 alice asks relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of A S of R"},
    {"it was still five times, and the sixth is this one",
     "repeat 6\n 50 alice asks relay R\n " SERVES " end\n"
     "50 alice asks relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of A S of somebody"},
    {"it was still for five milliseconds",
     "0 alice asks relay R\n 50 relay answers R\n 5000 alice asks relay R\n " SERVES
     "50 alice asks relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of A"},
    {"it was still for very long once, and has gone on since",
     "0 alice asks relay R\n 50 relay answers R\n 900000 alice asks relay R\n " SERVES
     "50 alice asks relay R\n " GOES_ON
     "20000 alice asks relay A\n 50 relay answers A\n 50 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of somebody"},
    {"it was still for four, and then hardly",
     "0 alice asks relay R\n 50 relay answers R\n 3999 alice asks relay R\n " SERVES
     "50 alice asks relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of somebody"},
    {"one who is trusted has two requests in turn",
     "repeat 7\n 50 alice asks relay R\n " SERVES " end\n"
     "50 alice asks relay A\n 0 anna asks relay C\n 50 relay answers A\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of C"},
    {"it went on once",
     "repeat 20\n 50 alice asks relay R\n " SERVES " end\n"
     "50 alice asks relay R\n " GOES_ON
     "20000 alice asks relay A\n 50 relay answers A\n 50 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "S of nobody B of somebody"},
    {"it went on once, but was still ever so often",
     "repeat 100\n 50 alice asks relay R\n " SERVES " end\n"
     "50 alice asks relay R\n " GOES_ON
     "20000 alice asks relay A\n 50 relay answers A\n 50 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of C"},
    {"it may have gone on for one who asked by a name that nobody is known to have",
     "repeat 7\n 50 alice asks relay R\n " SERVES " end\n 50 anna asks @helper T\n"
     "50 alice asks relay R\n " GOES_ON
     "20000 alice asks relay A\n 50 relay answers A\n 50 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of C"},
    {"its own work, which two requests found it at, is done with the first answer",
     "repeat 7\n 50 alice asks relay R\n " SERVES " end\n"
     "20000 relay asks store S\n 50 alice asks relay A\n 50 anna asks relay C\n"
     "50 store answers S\n 50 relay answers A\n 50 relay asks store B\n 50 store answers B\n"
     "50 relay answers C",
     "S of nobody B of C"},
    {"what it asks long after an answer is no going on",
     "repeat 8\n 50 alice asks relay R\n " SERVES " end\n"
     "20000 relay asks store S\n 50 store answers S\n"
     "20000 alice asks relay A\n 50 relay answers A\n 50 alice asks relay C\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "S of nobody B of C"},
    {"only the first thing after an answer counts",
     "0 alice asks relay R\n 50 relay answers R\n 50 alice asks relay R\n"
     "repeat 9\n 50 relay asks store S\n 50 store answers S\n end\n 50 relay answers R\n"
     "50 alice asks relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "S of somebody B of somebody"},
    {"requests that had come before the answer show no stillness",
     "0 alice asks relay A\n repeat 20\n 0 anna asks relay C\n 50 relay answers A\n"
     "50 relay asks store B\n 50 store answers B\n 0 alice asks relay A\n 50 relay answers C\n"
     "50 relay asks store B\n 50 store answers B\n end\n 50 relay answers A",
     "B of somebody"},

    {"a request to its name, for which it asked nobody, shows no stillness",
     "repeat 6\n 50 alice asks relay R\n " SERVES " end\n"
     "50000 alice asks @relay N\n 50 relay answers N\n"
     "50 alice asks relay A\n 0 anna asks relay C\n 50 relay answers A\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of somebody"},
    {"nor does one that came after work of its own and a cast",
     "repeat 6\n 50 alice asks relay R\n " SERVES " end\n"
     "50000 relay asks store S\n 50 store answers S\n 200000 alice casts relay\n"
     "200000 alice asks @relay N\n 50 relay answers N\n"
     "50 alice asks relay A\n 0 anna asks relay C\n 50 relay answers A\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of somebody"},

    /* A request that is open when the other is answered */
    {"it asked something and answers before it has that",
     "0 alice asks relay A\n 50 relay asks store B\n 50 relay answers A\n 50 store answers B",
     "B of somebody"},
    {"the same, but it has waited for long",
     "0 alice asks relay A\n 50 relay asks store B\n 100000 relay answers A\n 50 store answers B",
     "B of A"},
    {"whoever answers before it has that goes on after answers",
     "repeat 20\n 50 alice asks relay R\n " SERVES " end\n"
     "50 alice asks relay A\n 50 relay asks store B\n 50 relay answers A\n 50 store answers B\n"
     "20000 alice asks relay C\n 50 relay answers C\n 50 alice asks relay D\n"
     "50 relay asks store E\n 50 store answers E\n 50 relay answers D",
     "B of somebody E of somebody"},

    /* The process's own work */
    {"it was waiting for what it had asked itself",
     "0 relay asks store S\n 50 alice asks relay A\n 50 store answers S\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "S of nobody B of somebody"},
    {"it had what it had asked itself a moment ago",
     "0 relay asks store S\n 50 store answers S\n 9999 alice asks relay A\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "B of somebody"},
    {"it had that long ago",
     "0 relay asks store S\n 50 store answers S\n 10000 alice asks relay A\n 50 relay asks store "
     "B\n"
     "50 store answers B\n 50 relay answers A",
     "B of A"},
    {"it has answered since: that work is done",
     "0 alice asks relay A\n 0 relay asks store S\n 50 store answers S\n 50 relay answers A\n"
     "20000 relay asks store S\n 50 store answers S\n 20000 alice asks relay A\n 50 relay answers "
     "A\n"
     "10000 alice asks relay C\n 50 relay asks store B\n 50 store answers B\n 50 relay answers C",
     "B of C"},

    /* Calls that a cast causes */
    {"a cast came before the request",
     "0 alice casts relay\n 99999 anna asks relay A\n 50 relay asks store B\n 50 store answers B\n"
     "50 relay answers A",
     "B of somebody"},
    {"a cast came long before the request",
     "0 alice casts relay\n 100000 anna asks relay A\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "B of A"},
    {"it has answered what came after the cast",
     "0 alice casts relay\n 50 alice asks relay C\n 50 relay answers C\n 20000 alice asks relay A\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of A"},
    {"it was at what the cast asked for a while ago",
     "0 alice casts relay\n 50 relay asks store S\n 50 store answers S\n"
     "50000 alice asks relay A\n 50 relay asks store B\n 50 store answers B\n"
     "50 relay answers A",
     "S of nobody B of somebody"},
    {"it once asked something for a cast, the request before which was answered long before",
     "0 alice asks relay R\n 50 relay answers R\n 50000 alice asks relay R\n " SERVES
     "50000 alice casts relay\n 50000 relay asks store S\n 50 store answers S\n"
     "50000 alice casts relay\n 50 anna asks relay A\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "S of nobody B of somebody"},
    {"it asked something so long after a cast that it is not for that",
     "0 alice asks relay R\n 50 relay answers R\n 50000 alice asks relay R\n " SERVES
     "50000 alice casts relay\n 100000 relay asks store S\n 50 store answers S\n"
     "50000 alice casts relay\n 50 anna asks relay A\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "S of nobody B of A"},
    {"a cast and the request came to a name",
     "0 alice casts @relay\n 9000 anna asks @relay A\n 50 relay asks store B\n 50 store answers B\n"
     "50 relay answers A",
     "B of somebody"},
    {"a cast to the name of who is known, and a request to the process",
     "0 alice asks @relay C\n 50 relay answers C\n 20000 alice casts @relay\n"
     "20000 anna asks relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of somebody"},
    {"who asks for nobody but its callers does not for casts",
     "repeat 3\n 20000 alice asks relay R\n " SERVES " end\n"
     "20000 alice casts relay\n 20000 anna asks relay A\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "B of A"},
    {"that is not learned from requests behind casts",
     "repeat 3\n 20000 alice casts relay\n 20000 alice asks relay R\n " SERVES " end\n"
     "20000 alice casts relay\n 20000 anna asks relay A\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "B of somebody"},

    /* By a name whose process is not known yet */
    {"who answers for the name has asked for it",
     "0 alice asks @relay A\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of A"},
    {"it was waiting for what it had asked itself when the request to its name came",
     "0 relay asks store S\n 50 alice asks @relay A\n 50 store answers S\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "S of nobody B of somebody"},
    {"it was between two things that it asked itself when the request to its name came",
     "0 relay asks store S\n 50 store answers S\n 1000 alice asks @relay A\n 1000 relay asks store "
     "S\n"
     "50 store answers S\n 50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "S of somebody B of somebody"},
    {"just so much lay between the two that they have nothing to do with each other",
     "0 relay asks store S\n 50 store answers S\n 1000 alice asks @relay A\n 9000 relay asks store "
     "S\n"
     "50 store answers S\n 50 relay answers A",
     "S of A"},
    {"a microsecond less between them",
     "0 relay asks store S\n 50 store answers S\n 1000 alice asks @relay A\n 8999 relay asks store "
     "S\n"
     "50 store answers S\n 50 relay answers A",
     "S of somebody"},
    {"it had what it asked itself long before",
     "0 relay asks store S\n 50 store answers S\n 20000 alice asks @relay A\n 50 relay asks store "
     "B\n"
     "50 store answers B\n 50 relay answers A",
     "S of nobody B of A"},
    {"a hundred others were at work meanwhile",
     "0 relay asks store S\n 50 alice asks @relay A\n 50 store answers S\n"
     "repeat 100\n 0 helper asks store T\n 0 store answers T\n end\n"
     "50 relay asks store B\n 50 store answers B\n 50 relay answers A",
     "B of somebody"},
    {"it has just answered another",
     "0 anna asks relay C\n 50 alice asks @relay A\n 50 relay answers C\n 50 relay asks store B\n"
     "50 store answers B\n 50 relay answers A",
     "B of somebody"},
};

static void conversation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conversations / sizeof conversations[0]; i++) {
        assert_true(start());
        say_all(conversations[i].said);
        stop();
        expect(conversations[i].what, conversations[i].expected);
    }
}

static struct pid_key nth(uint32_t i)
{
    return (struct pid_key){.node = 1, .creation = 1, .id = i};
}

/* More processes than there is room for: the one that was idle for longest is forgotten, and then
 * counts as idle. */
static void more_processes_than_room(void **state)
{
    struct table activities;
    (void)state;
    process_activity_init(&activities);
    for (uint32_t i = 0; i < MAX_HABITS; i++)
        assert_non_null(process_activity_on_answer(&activities, &(struct pid_key){1, 1, i, 0},
                                                   1000 + i));
    struct pid_key first = nth(0), second = nth(1);
    assert_true(process_activity_on_work(&activities, &first, 1, 90000, 90001)); /* and so the newest */
    assert_non_null(process_activity_on_answer(&activities,
                                               &(struct pid_key){1, 1, MAX_HABITS, 0}, 100000));
    assert_int_equal(activities.num, MAX_HABITS);
    assert_null(process_activity_find(&activities, &second));
    assert_false(process_activity_may_go_on(process_activity_find(&activities, &second), 100000));
    assert_non_null(process_activity_find(&activities, &first));
    assert_int_equal(process_activity_find(&activities, &first)->answered_ns, 1000);
    assert_int_equal(process_activity_find(&activities, &first)->work_call, 1);
    table_free(&activities);
}

/* Old observations count less: a changed process is recognised after a while. */
static void habits_change(void **state)
{
    struct table activities;
    (void)state;
    process_activity_init(&activities);
    const struct pid_key pid = nth(7);
    int64_t now_ns = 1000000;
    struct process_activity *h = NULL;
    for (int i = 0; i < 10; i++) {
        h = process_activity_on_answer(&activities, &pid, now_ns);
        process_activity_on_alone(h, now_ns += 1000);
    }
    assert_int_equal(h->went_on, 10);
    unsigned rounds = 0;
    do {
        h = process_activity_on_answer(&activities, &pid, now_ns);
        process_activity_on_served(h, now_ns += 9000000);
        assert_in_range(h->still_points, 1, 1023);
    } while (process_activity_may_go_on(h, now_ns) && ++rounds < 1000);
    assert_in_range(rounds, 10, 300);
    for (int i = 0; i < 5000; i++) {
        h = process_activity_on_answer(&activities, &pid, now_ns);
        process_activity_on_alone(h, now_ns += 1000);
        assert_in_range(h->went_on, 1, 1023);
    }
    assert_true(process_activity_may_go_on(h, now_ns));
    assert_in_range(h->still_points, 0, 20); /* its old behaviour is long ago */
    table_free(&activities);
}

static void talk_without_memory(void *context)
{
    (void)context;
    if (!start())
        return;
    for (size_t i = 0; i < sizeof conversations / sizeof conversations[0]; i++)
        if (strstr(conversations[i].said, "repeat") == NULL)
            say_all(conversations[i].said);
    stop();
}

static void memory_runs_out(void **state)
{
    (void)state;
    failing_alloc_each(talk_without_memory, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversation),
        cmocka_unit_test(more_processes_than_room),
        cmocka_unit_test(habits_change),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
