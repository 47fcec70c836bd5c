/*
 * test_nats_pull.c - reading a stream that loses records in transit, whose records are removed
 * during the read, or that is recreated: which records come, in which order, and whether the read
 * reports that it is complete. The functions of libnats work on a stream in memory here; tests/nats
 * has real servers.
 */
#ifdef DISTSNIFF_NATS
#include "core/clock.h"
#include "send/nats/nats_states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { MOST = 64 };
#define SECOND INT64_C(1000000000)

/* stream is a stream of records 1 to last, some of which are removed, or lost in transit a number
 * of times. */
static struct {
    int64_t created_ns;
    uint64_t first, last;
    bool is_gone[MOST + 1];
    unsigned num_lost[MOST + 1]; /* times that it is lost in transit */
    bool repeats;                /* each record is delivered twice */
    unsigned num_consumers, num_messages; /* existing ones */
    uint64_t at;                 /* after that many deliveries in all ... */
    void (*happens)(void);       /* of the first record; the others follow every ten seconds */
    const char *subject;         /* the requested one */
    int64_t first_stored_ns;     /* when the first record was stored; each other one ten seconds later */
    int64_t slow_ns[MOST + 1];   /* how far a state's time is behind that */
    bool is_late;                /* some records arrive late, for the request before */
    uint64_t num_late, num_delivered;
} stream;

/* consumer is what a natsSubscription * of this file points to. */
struct consumer {
    uint64_t next, latest; /* the next number of the stream, and the latest of the consumer */
    int64_t created_ns;    /* of its stream */
};

/* message is what a natsMsg * of this file points to. */
struct message {
    jsMsgMetaData data;
};

static uint64_t count_left(uint64_t from)
{
    uint64_t num = 0;
    for (uint64_t i = from; i <= stream.last; i++)
        num += !stream.is_gone[i];
    return num;
}

static int64_t stored_ns(uint64_t number)
{
    return stream.first_stored_ns + (int64_t)number * 10 * SECOND;
}

static natsStatus get_info(jsStreamInfo **info, jsCtx *js, const char *name, jsOptions *options,
                           jsErrCode *code)
{
    (void)js;
    (void)options;
    (void)code;
    assert_string_equal(name, "S");
    if (stream.created_ns == 0)
        return NATS_NOT_FOUND;
    *info = calloc(1, sizeof **info);
    (*info)->Created = stream.created_ns;
    (*info)->State.FirstSeq = stream.first;
    (*info)->State.LastSeq = stream.last;
    (*info)->State.Msgs = count_left(stream.first);
    (*info)->State.Deleted = calloc(MOST, sizeof(uint64_t));
    for (uint64_t i = stream.first; i <= stream.last; i++) {
        if (stream.is_gone[i])
            (*info)->State.Deleted[(*info)->State.DeletedLen++] = i;
    }
    return NATS_OK;
}

static void free_info(jsStreamInfo *info)
{
    if (info != NULL)
        free(info->State.Deleted);
    free(info);
}

static natsStatus init_options(jsSubOptions *options)
{
    memset(options, 0, sizeof *options);
    return NATS_OK;
}

static natsStatus subscribe(natsSubscription **out, jsCtx *js, const char *subject, const char *durable,
                            jsOptions *asking, jsSubOptions *options, jsErrCode *code)
{
    (void)js;
    (void)asking;
    (void)code;
    assert_string_equal(subject, stream.subject);
    assert_null(durable);
    struct consumer *consumer = calloc(1, sizeof *consumer);
    consumer->next = options->Config.OptStartSeq != 0 ? options->Config.OptStartSeq : 1;
    while (options->Config.OptStartTime != 0 && consumer->next <= stream.last &&
           stored_ns(consumer->next) < options->Config.OptStartTime)
        consumer->next++;
    consumer->created_ns = stream.created_ns;
    stream.num_consumers++;
    *out = (natsSubscription *)consumer;
    return NATS_OK;
}

static void unsubscribe(natsSubscription *subscription)
{
    stream.num_consumers -= subscription != NULL;
    free(subscription);
}

static natsStatus get_consumer(jsConsumerInfo **info, natsSubscription *subscription, jsOptions *asking,
                               jsErrCode *code)
{
    const struct consumer *consumer = (const struct consumer *)subscription;
    (void)asking;
    (void)code;
    if (consumer->created_ns != stream.created_ns)
        return NATS_NOT_FOUND;
    *info = calloc(1, sizeof **info);
    (*info)->Delivered.Consumer = consumer->latest;
    (*info)->NumPending = count_left(consumer->next);
    return NATS_OK;
}

static void free_consumer(jsConsumerInfo *info)
{
    free(info);
}

static void put(natsMsgList *list, uint64_t number, uint64_t latest)
{
    struct message *message = calloc(1, sizeof *message);
    message->data.Sequence.Stream = number;
    message->data.Sequence.Consumer = latest;
    message->data.NumPending = count_left(number + 1);
    message->data.Timestamp = stored_ns(number);
    list->Msgs[list->Count++] = (natsMsg *)message;
    stream.num_messages++;
}

static natsStatus fetch(natsMsgList *list, natsSubscription *subscription, int batch, int64_t timeout,
                        jsErrCode *code)
{
    struct consumer *consumer = (struct consumer *)subscription;
    (void)timeout;
    (void)code;
    assert_true(stream.num_late == 0 || batch == 1); /* or libnats writes behind its list */
    memset(list, 0, sizeof *list);
    list->Msgs = calloc(2 * MOST, sizeof(natsMsg *));
    for (; batch > 0 && consumer->next <= stream.last; consumer->next++) {
        if (consumer->next < stream.first || stream.is_gone[consumer->next])
            continue;
        batch--;
        consumer->latest++;
        stream.num_delivered++;
        if (stream.num_lost[consumer->next] != 0) {
            stream.num_lost[consumer->next]--;
            continue;
        }
        put(list, consumer->next, consumer->latest);
        if (stream.repeats)
            put(list, consumer->next, consumer->latest);
        if (stream.happens != NULL && stream.num_delivered == stream.at) {
            stream.happens();
            consumer->next++;
            break;
        }
    }
    return list->Count != 0 ? NATS_OK : NATS_TIMEOUT;
}

/* num_queued returns that records are queued, from time to time. */
static natsStatus num_queued(natsSubscription *subscription, uint64_t *num)
{
    const struct consumer *consumer = (const struct consumer *)subscription;
    *num = stream.is_late && consumer->latest % 3 == 1 ? 2 : 0;
    stream.num_late = *num;
    return NATS_OK;
}

static natsStatus get_data(jsMsgMetaData **data, natsMsg *message)
{
    *data = &((struct message *)message)->data;
    return NATS_OK;
}

/* get_text_of returns the text of a state, with the time of its host. */
static const char *get_text_of(const natsMsg *message)
{
    static char text[64];
    const uint64_t number = ((const struct message *)message)->data.Sequence.Stream;
    const int64_t ns = stored_ns(number) - stream.slow_ns[number];
    const time_t second = (time_t)(ns / SECOND);
    char time_text[32];
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%S", gmtime(&second));
    snprintf(text, sizeof text, "{\"ts\":\"%s.%09dZ\"}", time_text, (int)(ns % SECOND));
    return text;
}

static int get_text_len(const natsMsg *message)
{
    return (int)strlen(get_text_of(message));
}

/* get_subject: records with odd numbers are from one host, the others from another. */
static const char *get_subject(const natsMsg *message)
{
    return ((const struct message *)message)->data.Sequence.Stream % 2 != 0 ? "s.web1.state" : "s.web2.state";
}

static void keep_data(jsMsgMetaData *data)
{
    (void)data;
}

static void free_message(natsMsg *message)
{
    stream.num_messages -= message != NULL;
    free(message);
}

static void free_list(natsMsgList *list)
{
    free(list->Msgs);
    memset(list, 0, sizeof *list);
}

static const char *get_error(natsStatus *status)
{
    *status = NATS_OK;
    return NULL;
}

static const char *get_text(natsStatus status)
{
    (void)status;
    return "it failed";
}

static void begin(uint64_t last)
{
    memset(&stream, 0, sizeof stream);
    stream.created_ns = 5;
    stream.subject = "s.h.packet";
    stream.first = last != 0;
    stream.last = last;
    nats = (struct nats_library){
        .nats_GetLastError = get_error, .natsStatus_GetText = get_text, .js_GetStreamInfo = get_info,
        .jsStreamInfo_Destroy = free_info, .jsSubOptions_Init = init_options, .js_PullSubscribe = subscribe,
        .natsSubscription_Destroy = unsubscribe, .natsSubscription_GetConsumerInfo = get_consumer,
        .jsConsumerInfo_Destroy = free_consumer, .natsSubscription_Fetch = fetch, .natsSubscription_QueuedMsgs = num_queued,
        .natsMsg_GetMetaData = get_data, .jsMsgMetaData_Destroy = keep_data,
        .natsMsg_GetSubject = get_subject, .natsMsg_GetData = get_text_of,
        .natsMsg_GetDataLength = get_text_len, .natsMsg_Destroy = free_message, .natsMsgList_Destroy = free_list};
}

/* reads_until reads all records up to a time (0: all), and compares their numbers and whether the
 * read was complete; it leaves nothing allocated. */
static void reads_until(int64_t until_ns, const char *numbers, bool is_whole)
{
    const struct nats_url url = {.stream = "S", .prefix = "s", .host = "h", .until_ns = until_ns};
    struct nats_pull pull;
    char got[8 * MOST] = "";
    natsMsg *message;
    assert_true(nats_pull_begin(&pull, &url, NATS_PACKET, 0, NULL, NULL));
    while ((message = nats_pull_next(&pull)) != NULL) {
        const size_t len = strlen(got);
        snprintf(got + len, sizeof got - len, "%s%d", len != 0 ? " " : "",
                 (int)((struct message *)message)->data.Sequence.Stream);
        free_message(message);
    }
    assert_string_equal(got, numbers);
    assert_int_equal(nats_pull_is_whole(&pull), is_whole);
    nats_pull_end(&pull);
    assert_int_equal(stream.num_consumers, 0);
    assert_int_equal(stream.num_messages, 0);
}

static void reads(const char *numbers, bool is_whole)
{
    reads_until(0, numbers, is_whole);
}

static void whole(void **state)
{
    (void)state;
    begin(0);
    reads("", true);
    begin(1);
    reads("1", true);
    begin(9);
    reads("1 2 3 4 5 6 7 8 9", true);
    begin(5); /* a server that delivers all twice */
    stream.repeats = true;
    reads("1 2 3 4 5", true);
    begin(9);
    stream.is_late = true;
    reads("1 2 3 4 5 6 7 8 9", true);
    begin(5); /* the oldest are removed before the read begins */
    stream.first = 3;
    reads("3 4 5", true);
}

/* Records that are lost in transit are requested again: five times, then the loss is reported. */
static void lost_on_the_way(void **state)
{
    (void)state;
    for (unsigned times = 1; times <= 7; times++) {
        for (uint64_t at = 2; at <= 4; at++) {
            begin(5);
            stream.num_lost[at] = times;
            if (times <= 5)
                reads("1 2 3 4 5", true);
            else
                reads(at == 2 ? "1 3 4 5" : at == 3 ? "1 2 4 5" : "1 2 3 5", false);
        }
    }
    begin(5); /* several, at once and in turn */
    stream.num_lost[2] = stream.num_lost[3] = 2;
    stream.num_lost[5] = 1;
    reads("1 2 3 4 5", true);
}

static void remove_one(void)
{
    stream.is_gone[4] = true;
}

static void remove_first(void)
{
    stream.first = 5;
    for (int i = 1; i < 5; i++)
        stream.is_gone[i] = true;
}

static void make_anew(void)
{
    stream.created_ns++;
    stream.last = 2;
}

static void remove_stream(void)
{
    stream.created_ns = 0;
    stream.last = 0;
}

static void lose_end(void)
{
    stream.last = 4;
}

static void add_more(void)
{
    stream.last += 3;
}

/* Changes of the stream after two records. */
static void meanwhile(void **state)
{
    static const struct {
        void (*happens)(void);
        const char *numbers;
        bool is_whole;
    } cases[] = {{remove_one, "1 2 3 5 6", false}, {remove_first, "1 2 5 6", false},
                 {make_anew, "1 2", false},        {remove_stream, "1 2", false},
                 {lose_end, "1 2 3 4", false},     {add_more, "1 2 3 4 5 6", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(6);
        stream.at = 2;
        stream.happens = cases[i].happens;
        reads(cases[i].numbers, cases[i].is_whole);
    }
}

/* A read ends before the first record that was stored at a time or later: the fifth is stored at 50
 * s. */
static void ends_before(void **state)
{
    (void)state;
    begin(9);
    reads_until(50 * SECOND, "1 2 3 4", true);
    begin(9);
    reads_until(50 * SECOND + 1, "1 2 3 4 5", true);
    begin(9); /* no record follows */
    reads_until(90 * SECOND + 1, "1 2 3 4 5 6 7 8 9", true);
    begin(9); /* no record is before it */
    reads_until(10 * SECOND, "", true);
    begin(0);
    reads_until(10 * SECOND, "", true);
    begin(9); /* the following ones are lost in transit: they are requested again */
    stream.num_lost[5] = 3;
    reads_until(50 * SECOND, "1 2 3 4", true);
    begin(9);
    stream.num_lost[3] = 2;
    reads_until(50 * SECOND, "1 2 3 4", true);
    begin(9);
    stream.is_gone[5] = stream.is_gone[6] = true;
    stream.is_gone[2] = true;
    reads_until(50 * SECOND, "1 3 4", false);
    static const struct {
        void (*happens)(void);
        const char *numbers;
        bool is_whole;
    } cases[] = {{remove_one, "1 2 3 5", false}, {remove_first, "1 2 5", false},
                 {make_anew, "1 2", false},      {lose_end, "1 2 3 4", false},
                 {add_more, "1 2 3 4 5", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(8);
        stream.at = 3; /* with the one after it */
        stream.happens = cases[i].happens;
        reads_until(60 * SECOND, cases[i].numbers, cases[i].is_whole);
    }
}

/* goes_on follows until nothing comes for a while, and compares the records, and the number that
 * was removed unread. */
static void goes_on(const char *numbers, uint64_t after, uint64_t num_removed, uint64_t num_unread)
{
    static const struct nats_url url = {
        .stream = "S", .prefix = "s", .host = "h", .since_ns = 1, .follows = true};
    struct nats_pull pull;
    char got[8 * MOST] = "";
    assert_true(nats_pull_begin(&pull, &url, NATS_PACKET, after, NULL, NULL));
    for (int quiet = 0; quiet < 16; quiet++) {
        natsMsg *message = nats_pull_next(&pull);
        pull.checked_ns = 0; /* otherwise that happens every two seconds */
        if (message == NULL)
            continue;
        const size_t len = strlen(got);
        snprintf(got + len, sizeof got - len, "%s%d", len != 0 ? " " : "",
                 (int)((struct message *)message)->data.Sequence.Stream);
        free_message(message);
        quiet = 0;
    }
    assert_string_equal(got, numbers);
    assert_int_equal(pull.num_removed, num_removed);
    assert_int_equal(pull.num_unread, num_unread);
    nats_pull_end(&pull);
    assert_int_equal(stream.num_consumers, 0);
    assert_int_equal(stream.num_messages, 0);
}

static void follows(void **state)
{
    (void)state;
    begin(5);
    goes_on("1 2 3 4 5", 0, 0, 0);
    begin(5);
    goes_on("4 5", 3, 0, 0);
    begin(9);
    stream.is_late = true;
    goes_on("1 2 3 4 5 6 7 8 9", 0, 0, 0);
    begin(0);
    goes_on("", 0, 0, 0);
    for (unsigned times = 1; times <= 7; times++) {
        for (uint64_t at = 2; at <= 5; at++) {
            static const char *const without[] = {"1 3 4 5", "1 2 4 5", "1 2 3 5"};
            begin(5);
            stream.num_lost[at] = times;
            if (times <= 5 || at == 5) /* nothing shows that the last one is removed */
                goes_on("1 2 3 4 5", 0, 0, 0);
            else
                goes_on(without[at - 2], 0, 0, 1);
        }
    }
}

static void follows_meanwhile(void **state)
{
    static const struct {
        void (*happens)(void);
        const char *numbers;
        uint64_t num_removed;
    } cases[] = {{remove_one, "1 2 3 5 6", 0}, {remove_first, "1 2 5 6", 2},
                 {make_anew, "1 2 1 2", 0},    {remove_stream, "1 2", 0},
                 {lose_end, "1 2 3 4", 0},     {add_more, "1 2 3 4 5 6 7 8 9", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(6);
        stream.at = 2;
        stream.happens = cases[i].happens;
        goes_on(cases[i].numbers, 0, cases[i].num_removed, 0);
    }
}

/* The read begins after the latest state of each host that is older than the first time to show. */
static void begins_at_states(void **state)
{
    const struct ds_text web1 = {"web1", 4}, web2 = {"web2", 4}, web3 = {"web3", 4}, web = {"web", 3};
    const struct nats_url url = {
        .stream = "S", .prefix = "s", .host = "*", .since_ns = clock_since_1970_ns() - 35 * SECOND};
    const struct nats_url all = {.stream = "S", .prefix = "s", .host = "*"};
    struct nats_states states;
    (void)state;
    begin(6);
    stream.subject = "s.*.state";
    stream.first_stored_ns = clock_since_1970_ns() - 80 * SECOND; /* the fifth was 30 seconds ago */
    assert_true(nats_states_find(&states, &url, NULL, NULL));
    assert_int_equal(states.num, 2);
    assert_true(states.from_ns > 0);
    assert_int_equal(nats_states_first(&states), 3); /* from web1; that of web2 is the fourth record */
    assert_false(nats_states_accept(&states, web1, 3));
    assert_true(nats_states_accept(&states, web1, 4));
    assert_false(nats_states_accept(&states, web2, 4));
    assert_true(nats_states_accept(&states, web2, 5));
    assert_true(nats_states_accept(&states, web3, 1)); /* it has no state: all of it is read */
    assert_true(nats_states_accept(&states, web, 1));
    /* A host's slow clock is slow in all its states; one that arrived late proves nothing. */
    stream.slow_ns[1] = 3 * SECOND;
    stream.slow_ns[3] = 7 * SECOND; /* both from web1 */
    stream.slow_ns[4] = 9 * SECOND; /* from web2, whose second state arrived in time */
    assert_true(nats_states_find(&states, &url, NULL, NULL));
    assert_int_equal(states.from_ns, url.since_ns - 3 * SECOND);
    assert_true(nats_states_find(&states, &all, NULL, NULL)); /* all is read: no state is needed */
    assert_int_equal(nats_states_first(&states), 0);
    assert_int_equal(stream.num_messages, 0);
    assert_int_equal(stream.num_consumers, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(lost_on_the_way),
        cmocka_unit_test(meanwhile),
        cmocka_unit_test(ends_before),
        cmocka_unit_test(follows),
        cmocka_unit_test(follows_meanwhile),
        cmocka_unit_test(begins_at_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    return 0; /* built without NATS */
}
#endif
