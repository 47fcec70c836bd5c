/*
 * nats_pull.c - see nats_pull.h.
 */
#ifdef DISTSNIFF_NATS

#include "send/nats/nats_pull.h"

#include "core/clock.h"
#include "core/complain.h"
#include "send/nats/nats_client.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_BATCH = 1024,
    FETCH_MS = 1000,
    FOLLOW_MS = 100,
    REST_MS = 200, /* before a failed request is repeated */
    ASK_MS = 1000,
    ASK_LONG_MS = 5000, /* each ASK_LONG_EACH-th time */
    ASK_LONG_EACH = 4,
    MOST_COUNTS = 8,   /* attempts to count at a moment in which no record is published */
    MOST_TRIES = 5,    /* consumers for one record, before it is abandoned */
    MOST_SILENT = 10,  /* requests: a process that was stopped did not really wait for an answer */
    SETTLE_MS = 3, /* after a request has ended, the server confirms it within this time */
    MOST_LISTED = 65536 /* numbers of deleted records in one answer */
};
#define ASK_NS (30 * INT64_C(1000000000))
#define FOLLOW_ASK_NS (2 * INT64_C(1000000000)) /* nothing is passed on during this time */
#define CHECK_NS (2 * INT64_C(1000000000))      /* a consumer that delivers nothing is checked this often */
#define PATIENCE_NS (30 * INT64_C(1000000000)) /* while nothing arrives */

/* stream_state is the part of an answer that is needed. */
struct stream_state {
    int64_t created_ns;
    int64_t first_ns; /* when the first record was stored; INT64_MAX: none */
    uint64_t first, last, num_deleted;
};

/* deleted_of returns how many records between the first and the last were deleted. */
static uint64_t deleted_of(const jsStreamState *state)
{
    const uint64_t span = state->Msgs != 0 && state->LastSeq >= state->FirstSeq
                              ? state->LastSeq - state->FirstSeq + 1
                              : 0;
    return span > state->Msgs ? span - state->Msgs : 0;
}

static natsStatus ask_state(const struct nats_pull *pull, struct stream_state *state)
{
    jsErrCode code = 0;
    jsOptions asking = {.Wait = ASK_MS};
    jsStreamInfo *info = NULL;
    const natsStatus status =
        nats.js_GetStreamInfo(&info, pull->context, pull->url->stream, &asking, &code);
    if (status == NATS_OK)
        *state = (struct stream_state){
            .created_ns = info->Created,
            .first_ns = info->State.Msgs != 0 ? info->State.FirstTime : INT64_MAX,
            .first = info->State.FirstSeq,
            .last = info->State.LastSeq,
            .num_deleted = deleted_of(&info->State),
        };
    nats.jsStreamInfo_Destroy(info);
    return status;
}

static int64_t patience_of(const struct nats_pull *pull)
{
    return pull->url->follows ? FOLLOW_ASK_NS : ASK_NS;
}

/* find_state asks until there is an answer: a cluster may route the request to a server that is
 * gone. */
static natsStatus find_state(const struct nats_pull *pull, struct stream_state *state)
{
    const int64_t begin_ns = clock_now_ns();
    natsStatus status;
    while ((status = ask_state(pull, state)) != NATS_OK && status != NATS_NOT_FOUND &&
           !nats_client_is_forbidden(pull->connection) && clock_now_ns() - begin_ns < patience_of(pull))
        usleep(REST_MS * 1000);
    return status;
}

static void drop_list(struct nats_pull *pull)
{
    for (int i = pull->next; i < pull->list.Count; i++) {
        nats.natsMsg_Destroy(pull->list.Msgs[i]);
        pull->list.Msgs[i] = NULL;
    }
    nats.natsMsgList_Destroy(&pull->list);
    pull->next = 0;
}

/* ask_for requests num records, or one if late answers to an earlier request have arrived. libnats
 * before 3.10 writes past the end of its own list if asked for the rest of a list that it has
 * begun. */
static natsStatus ask_for(struct nats_pull *pull, int num, int64_t wait_ms)
{
    jsErrCode code = 0;
    uint64_t num_late = 0;
    const natsStatus status = nats.natsSubscription_QueuedMsgs(pull->subscription, &num_late);
    if (status != NATS_OK)
        return status;
    num = num_late != 0 ? 1 : num;
    const natsStatus asked =
        nats.natsSubscription_Fetch(&pull->list, pull->subscription, num, wait_ms, &code);
    pull->is_answered = asked == NATS_OK && pull->list.Count == num;
    return asked;
}

static void drop_consumer(struct nats_pull *pull)
{
    drop_list(pull);
    /* libnats before 3.6 may crash if a message arrives for a subscription that is being removed. */
    if (pull->subscription != NULL && !pull->is_answered)
        usleep(SETTLE_MS * 1000);
    nats.natsSubscription_Destroy(pull->subscription); /* the server removes unused ones */
    pull->subscription = NULL;
    pull->is_answered = true;
    pull->consumer = 0;
}

/* subscribe makes a consumer that starts after the record at position, or with the records stored
 * from from_ns on (0: with the first record). */
static natsStatus subscribe(const struct nats_pull *pull, uint64_t position, int64_t from_ns,
                            natsSubscription **subscription)
{
    char subject[2 * NATS_MAX_WORD + 32];
    jsSubOptions options;
    jsErrCode code = 0;
    natsStatus status = nats.jsSubOptions_Init(&options);
    snprintf(subject, sizeof subject, "%s.%s.%s", pull->url->prefix, pull->url->host,
             nats_type_names[pull->type]);
    options.Stream = pull->url->stream;
    options.Config.AckPolicy = js_AckNone;
    if (position != 0) {
        options.Config.DeliverPolicy = js_DeliverByStartSequence;
        options.Config.OptStartSeq = position + 1;
    } else if (from_ns != 0) {
        options.Config.DeliverPolicy = js_DeliverByStartTime;
        options.Config.OptStartTime = from_ns;
    }
    const int64_t begin_ns = clock_now_ns();
    for (unsigned attempts = 0; status == NATS_OK && *subscription == NULL; attempts++) {
        jsOptions asking = {.Wait = attempts % ASK_LONG_EACH == ASK_LONG_EACH - 1 ? ASK_LONG_MS : ASK_MS};
        status = nats.js_PullSubscribe(subscription, pull->context, subject, NULL, &asking, &options,
                                       &code);
        if (status != NATS_OK && status != NATS_NOT_FOUND && !nats_client_is_forbidden(pull->connection) &&
            clock_now_ns() - begin_ns < patience_of(pull)) {
            usleep(REST_MS * 1000);
            status = NATS_OK;
        }
    }
    return status;
}

static natsStatus make_consumer(struct nats_pull *pull)
{
    return subscribe(pull, pull->position, pull->url->since_ns, &pull->subscription);
}

static void drop_behind(struct nats_pull *pull)
{
    if (pull->behind != NULL)
        usleep(SETTLE_MS * 1000);
    nats.natsSubscription_Destroy(pull->behind);
    pull->behind = NULL;
}

/* ask_pending asks how many records a consumer has yet to deliver, and how many it has delivered. */
static natsStatus ask_pending(natsSubscription *subscription, uint64_t *num_pending,
                              uint64_t *num_delivered)
{
    jsErrCode code = 0;
    jsConsumerInfo *info = NULL;
    jsOptions asking = {.Wait = ASK_MS};
    const natsStatus status = nats.natsSubscription_GetConsumerInfo(&info, subscription, &asking, &code);
    *num_pending = status == NATS_OK ? info->NumPending : 0;
    *num_delivered = status == NATS_OK ? info->Delivered.Consumer : 0;
    nats.jsConsumerInfo_Destroy(info);
    return status;
}

/* fetch_first fetches the first record of a consumer. Returns its number in the stream, 0: it did
 * not come. */
static uint64_t fetch_first(natsSubscription *subscription)
{
    natsMsgList list = {0};
    jsMsgMetaData *data = NULL;
    jsErrCode code = 0;
    uint64_t number = 0;
    if (nats.natsSubscription_Fetch(&list, subscription, 1, FETCH_MS, &code) == NATS_OK &&
        list.Count != 0 && nats.natsMsg_GetMetaData(&data, list.Msgs[0]) == NATS_OK) {
        number = data->Sequence.Stream;
        nats.jsMsgMetaData_Destroy(data);
    }
    for (int i = 0; i < list.Count; i++) {
        nats.natsMsg_Destroy(list.Msgs[i]);
        list.Msgs[i] = NULL;
    }
    nats.natsMsgList_Destroy(&list);
    return number;
}

/* find_end finds the last record that belongs to a read that ends before the stream does. */
static natsStatus find_end(struct nats_pull *pull)
{
    natsStatus status = NATS_OK;
    for (unsigned tries = 0; status == NATS_OK && tries < MOST_TRIES; tries++) {
        uint64_t num_pending, num_delivered;
        status = subscribe(pull, 0, pull->url->until_ns, &pull->behind);
        const uint64_t number = status == NATS_OK ? fetch_first(pull->behind) : 0;
        if (number != 0) {
            pull->last = number - 1 < pull->last ? number - 1 : pull->last;
            return NATS_OK;
        }
        if (status == NATS_OK)
            status = ask_pending(pull->behind, &num_pending, &num_delivered);
        drop_behind(pull);
        if (status == NATS_OK && num_pending == 0 && num_delivered == 0)
            return NATS_OK; /* no record is after it */
    }
    return status != NATS_OK ? status : NATS_TIMEOUT;
}

/* renew_consumer makes a new consumer after the latest record, once it has checked that the stream
 * is the same. */
static void renew_consumer(struct nats_pull *pull)
{
    struct stream_state state;
    drop_consumer(pull);
    natsStatus status = find_state(pull, &state);
    pull->is_replaced = status == NATS_NOT_FOUND ||
                        (status == NATS_OK &&
                         (state.created_ns != pull->created_ns || state.last < pull->position));
    if (status == NATS_OK && !pull->is_replaced && state.last < pull->last) {
        pull->num_cut += pull->last - state.last; /* later records take these numbers */
        pull->last = state.last;
    }
    if (status == NATS_OK && !pull->is_replaced)
        status = make_consumer(pull);
    pull->is_silent = status != NATS_OK && !pull->is_replaced;
    pull->is_over = status != NATS_OK || pull->is_replaced;
}

/* start_again makes a new consumer after an error. */
static void start_again(struct nats_pull *pull)
{
    pull->num_tries++;
    pull->batch = pull->batch > 1 ? pull->batch / 2 : 1;
    renew_consumer(pull);
}

bool nats_pull_begin(struct nats_pull *pull, const struct nats_url *url, enum nats_type type,
                     uint64_t after, natsConnection *connection, jsCtx *context)
{
    struct stream_state state = {0};
    *pull = (struct nats_pull){
        .url = url, .type = type, .connection = connection, .context = context, .batch = MOST_BATCH};
    natsStatus status = find_state(pull, &state);
    if (status == NATS_NOT_FOUND) {
        complain("NATS: there is no stream %s: nothing was published with -T nats=URL, or to "
                 "another stream, which the URL names after a /", url->stream);
        return false;
    }
    if (status != NATS_OK) {
        complain("NATS: cannot query the stream %s: %s", url->stream, nats_client_why(connection, status));
        return false;
    }
    pull->position = after != 0 ? after : url->follows && url->since_ns == 0 ? state.last : 0;
    pull->created_ns = state.created_ns;
    pull->first_ns = state.first_ns;
    pull->start_first = state.first;
    pull->last = pull->stream_last = state.last;
    if (url->until_ns != 0 && state.last > pull->position)
        status = find_end(pull);
    pull->sure_last = pull->last;
    pull->is_over = pull->last <= pull->position && !url->follows;
    if (!pull->is_over && status == NATS_OK)
        status = make_consumer(pull);
    if (status != NATS_OK)
        complain("NATS: cannot read the stream %s: %s", url->stream, nats_client_why(connection, status));
    pull->heard_ns = clock_now_ns();
    return status == NATS_OK;
}

/* check_consumer asks the server what it has delivered, and ends the read if nothing is left. It
 * replaces a consumer that is gone, or ahead of what arrived. It also replaces one that has
 * delivered records and says that none is left: a server may lose count when others are deleted,
 * and a new consumer counts again. */
static void check_consumer(struct nats_pull *pull)
{
    uint64_t num_pending, delivered;
    const natsStatus status = ask_pending(pull->subscription, &num_pending, &delivered);
    const uint64_t num_ahead = delivered > pull->consumer ? delivered - pull->consumer : 0;
    const bool is_empty = status == NATS_OK && num_pending == 0;
    if (num_ahead != 0 && pull->num_tries >= MOST_TRIES) {
        pull->num_unread += num_ahead;
        pull->is_over = true;
    } else if (num_ahead != 0 || status == NATS_NOT_FOUND) {
        start_again(pull);
    } else if (is_empty && pull->consumer != 0) {
        renew_consumer(pull);
    } else {
        pull->is_over |= is_empty;
    }
}

/* fetch requests more records. */
static void fetch(struct nats_pull *pull, int num)
{
    drop_list(pull);
    if (pull->consumer != 0 && pull->pending == 0) {
        renew_consumer(pull);
        if (!pull->is_over)
            check_consumer(pull);
        if (pull->is_over)
            return;
    }
    const natsStatus status = ask_for(pull, num, FETCH_MS);
    if (status == NATS_OK && pull->list.Count > 0)
        return;
    pull->num_silent++;
    check_consumer(pull);
    if (!pull->is_over && clock_now_ns() - pull->heard_ns > PATIENCE_NS &&
        pull->num_silent > MOST_SILENT)
        pull->is_silent = pull->is_over = true;
    else if (status != NATS_TIMEOUT && !pull->is_over)
        usleep(REST_MS * 1000);
}

/* take records the numbers and times of a message. False if it is not the next one, which is then
 * requested again. */
static bool take(struct nats_pull *pull, natsMsg *message)
{
    jsMsgMetaData *data = NULL;
    if (nats.natsMsg_GetMetaData(&data, message) != NATS_OK)
        return false;
    const jsSequencePair at = data->Sequence;
    const uint64_t pending = data->NumPending;
    const int64_t stored_ns = data->Timestamp;
    nats.jsMsgMetaData_Destroy(data);
    const bool is_next = at.Stream > pull->position && at.Consumer == pull->consumer + 1;
    if (!is_next && (at.Stream <= pull->position || at.Consumer <= pull->consumer ||
                     pull->num_tries < MOST_TRIES))
        return false;
    pull->num_unread += at.Consumer - pull->consumer - 1;
    pull->num_passed = pull->pending > pending + 1 ? pull->pending - pending - 1 : 0;
    pull->num_tries = 0;
    pull->num_silent = 0;
    pull->stored_ns = stored_ns;
    pull->heard_ns = clock_now_ns();
    pull->consumer = at.Consumer;
    pull->position = at.Stream;
    pull->pending = pending;
    if (pull->first_taken == 0)
        pull->first_taken = at.Stream;
    if (pull->batch < MOST_BATCH)
        pull->batch++;
    return true;
}

/* count determines how many records there are from the first received one on. That number is exact
 * for the moment in which a record was delivered; the last number of the stream in that moment is
 * known if it is the same before and after. In between, count asks for the number of records after
 * the end of the read. */
static void count(struct nats_pull *pull)
{
    struct stream_state state;
    const uint64_t num_had = pull->num_taken + pull->num_unread;
    uint64_t num_behind = 0, num_taken = 0;
    if (pull->behind != NULL) {
        pull->num_expected = num_had; /* in case the server does not answer */
        pull->is_counted = pull->num_taken >= MOST_COUNTS;
        if (ask_pending(pull->behind, &num_behind, &num_taken) != NATS_OK)
            return;
        num_behind += num_taken;
    }
    pull->num_expected = num_had + (pull->pending > num_behind ? pull->pending - num_behind : 0);
    if (ask_state(pull, &state) != NATS_OK || state.created_ns != pull->created_ns)
        return;
    pull->is_counted = state.last == pull->stream_last || pull->num_taken >= MOST_COUNTS;
    pull->stream_last = state.last;
    if (pull->url->until_ns == 0) {
        pull->sure_last = pull->last;
        pull->num_slack = 0;
        pull->last = state.last;
    }
    if (pull->is_counted)
        drop_behind(pull);
}

/* follow_on makes a new consumer if the present one is unusable, even if the stream is another one. */
static void follow_on(struct nats_pull *pull)
{
    struct stream_state state;
    drop_consumer(pull);
    const natsStatus status = find_state(pull, &state);
    if (status == NATS_OK && (state.created_ns != pull->created_ns || state.last < pull->position)) {
        complain("NATS: the stream %s was deleted or recreated: reading the new one from its beginning",
                 pull->url->stream);
        pull->created_ns = state.created_ns;
        pull->position = pull->pending = 0;
        pull->is_replaced = true;
    }
    if (status == NATS_OK)
        (void)make_consumer(pull);
}

/* check_follower asks about the consumer now and then. It replaces one that is gone, or ahead of
 * what arrived. */
static void check_follower(struct nats_pull *pull)
{
    uint64_t num_pending, num_delivered = 0;
    if (clock_now_ns() - pull->checked_ns < CHECK_NS)
        return;
    const natsStatus status = pull->subscription == NULL
                                  ? NATS_NOT_FOUND
                                  : ask_pending(pull->subscription, &num_pending, &num_delivered);
    const bool is_ahead = num_delivered > pull->consumer;
    pull->num_tries += is_ahead;
    if (is_ahead || status == NATS_NOT_FOUND)
        follow_on(pull);
    pull->checked_ns = clock_now_ns();
    const bool is_silent =
        pull->subscription == NULL || (status != NATS_OK && status != NATS_NOT_FOUND);
    if (is_silent != pull->is_silent)
        complain(is_silent ? "NATS: the servers do not answer: waiting for them"
                           : "NATS: the servers answer again");
    pull->is_silent = is_silent;
}

/* note_removed counts the records that the stream removed before they were read: if the first
 * record of an answer is not the next one, and the stream no longer has an earlier one that would
 * be. The count is exact if they were pending, otherwise an upper bound. Servers are sometimes
 * wrong by one pending record. */
static void note_removed(struct nats_pull *pull, uint64_t before)
{
    struct stream_state state;
    if (before == 0 || pull->position == before + 1 || ask_state(pull, &state) != NATS_OK ||
        state.first <= before + 1 || pull->position < state.first)
        return;
    pull->num_removed += pull->num_passed != 0 ? pull->num_passed : state.first - before - 1;
}

/* follow returns the next record, NULL: none has come for a while. */
static natsMsg *follow(struct nats_pull *pull)
{
    if (pull->next >= pull->list.Count) {
        drop_list(pull);
        if (pull->subscription == NULL ||
            ask_for(pull, pull->batch, FOLLOW_MS) != NATS_OK || pull->list.Count == 0) {
            check_follower(pull);
            if (pull->is_silent)
                usleep(FOLLOW_MS * 1000);
            return NULL;
        }
    }
    const uint64_t before = pull->position;
    const bool is_first = pull->next == 0;
    natsMsg *message = pull->list.Msgs[pull->next];
    pull->list.Msgs[pull->next++] = NULL;
    if (take(pull, message)) {
        pull->num_taken++;
        if (pull->is_silent)
            complain("NATS: the servers answer again");
        pull->is_silent = false;
        if (is_first || pull->num_passed != 0)
            note_removed(pull, before);
        return message;
    }
    nats.natsMsg_Destroy(message);
    pull->num_tries++;
    follow_on(pull);
    return NULL;
}

struct ds_text nats_pull_host(natsMsg *message)
{
    const char *subject = nats.natsMsg_GetSubject(message);
    const char *name = subject != NULL ? strchr(subject, '.') : NULL;
    const size_t len = name != NULL ? strcspn(++name, ".") : 0;
    return (struct ds_text){len != 0 ? name : "", len};
}

int64_t nats_pull_stored_ns(const struct nats_pull *pull)
{
    return pull->stored_ns;
}

natsMsg *nats_pull_next(struct nats_pull *pull)
{
    if (pull->url->follows)
        return follow(pull);
    while (!pull->is_over) {
        if (pull->next < pull->list.Count) {
            natsMsg *message = pull->list.Msgs[pull->next];
            pull->list.Msgs[pull->next++] = NULL;
            if (!take(pull, message)) {
                nats.natsMsg_Destroy(message);
                start_again(pull);
                continue;
            }
            if (pull->position > pull->last) { /* it came after the read began */
                nats.natsMsg_Destroy(message);
                pull->is_over = true;
                return NULL;
            }
            pull->num_taken++;
            if (!pull->is_counted)
                count(pull);
            if (pull->position > pull->sure_last)
                pull->num_slack++;
            pull->is_over = pull->position == pull->last;
            return message;
        }
        fetch(pull, pull->is_counted ? pull->batch : 1);
    }
    return NULL;
}

/* count_deleted returns how many of the records that the read covers were deleted: of all types, if
 * they are too many to list. */
static uint64_t count_deleted(struct nats_pull *pull, const struct stream_state *state)
{
    jsErrCode code = 0;
    jsOptions asking = {.Wait = ASK_LONG_MS, .Stream.Info.DeletedDetails = true};
    jsStreamInfo *info = NULL;
    uint64_t num = 0;
    if (state->num_deleted == 0 || state->num_deleted > MOST_LISTED ||
        nats.js_GetStreamInfo(&info, pull->context, pull->url->stream, &asking, &code) != NATS_OK)
        return state->num_deleted;
    for (int i = 0; i < info->State.DeletedLen; i++)
        num += info->State.Deleted[i] >= pull->first_taken && info->State.Deleted[i] <= pull->last;
    nats.jsStreamInfo_Destroy(info);
    return num;
}

/* say_missing prints how many are certainly missing, and why, if the stream's state shows it. */
static bool say_missing(struct nats_pull *pull)
{
    struct stream_state state = {0};
    const natsStatus status = find_state(pull, &state);
    const uint64_t num_had = pull->num_taken + pull->num_unread;
    const uint64_t num_missing =
        pull->num_expected > num_had ? pull->num_expected - num_had : 0;
    const uint64_t num_deleted = status == NATS_OK ? count_deleted(pull, &state) : 0;
    if (num_missing != 0)
        complain("NATS: %s%s missing of %" PRIu64 " that the stream %s held when reading began%s",
                 pull->num_slack != 0 ? "at least " : "", ds_counted(num_missing, "packets").text,
                 pull->num_expected, pull->url->stream,
                 status == NATS_OK && state.first > pull->start_first && state.first > pull->first_taken
                     ? ": its limits of age or size removed them first"
                     : "");
    if (num_deleted != 0)
        complain("NATS: %s deleted inside the stream %s, which may have been packets",
                 ds_counted(num_deleted, "records").text, pull->url->stream);
    if (status != NATS_OK)
        complain("NATS: cannot query the stream %s at the end, so some records may be missing: %s",
                 pull->url->stream, nats_client_why(pull->connection, status));
    return num_missing == 0 && num_deleted == 0 && status == NATS_OK;
}

bool nats_pull_is_whole(struct nats_pull *pull)
{
    if (pull->is_silent)
        complain("NATS: the servers stopped responding: %s read until then",
                 ds_counted(pull->num_taken, "packets").text);
    if (pull->is_replaced)
        complain("NATS: the stream %s was deleted or recreated while it was read: %s read until "
                 "then",
                 pull->url->stream, ds_counted(pull->num_taken, "packets").text);
    if (pull->num_cut != 0)
        complain("NATS: the servers lost the last %s of the stream %s while it was read",
                 ds_counted(pull->num_cut, "records").text, pull->url->stream);
    if (pull->num_unread != 0)
        complain("NATS: %s did not arrive after %d requests",
                 ds_counted(pull->num_unread, "packets").text, MOST_TRIES);
    if (pull->is_silent || pull->is_replaced)
        return false;
    return (pull->last == 0 || say_missing(pull)) && pull->num_unread == 0 && pull->num_cut == 0;
}

void nats_pull_end(struct nats_pull *pull)
{
    drop_behind(pull);
    drop_consumer(pull);
}

#endif
