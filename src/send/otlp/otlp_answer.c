/*
 * otlp_answer.c - see otlp_answer.h.
 */
#include "send/otlp/otlp_answer.h"

#include "core/printable.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 160 }; /* of the receiver's text, for the user */

/* add_words appends the receiver's text, after ": ". */
static void add_words(const char *words, struct otlp_outcome *outcome)
{
    struct ds_buffer shown = {0};
    const size_t len = strlen(words), had = strlen(outcome->why);
    if (len == 0)
        return;
    printable_text((struct ds_text){words, len < MOST_WORDS ? len : MOST_WORDS}, &shown);
    if (!shown.failed)
        snprintf(outcome->why + had, sizeof outcome->why - had, "%s%.*s", had != 0 ? ": " : "",
                 MOST_WORDS, shown.data);
    ds_buffer_free(&shown);
}

/* number_of reads a 64-bit number, which is a string in JSON, or sometimes a number; most is the
 * cap. */
static uint64_t number_of(const cJSON *item, uint64_t most)
{
    if (cJSON_IsNumber(item))
        return !(item->valuedouble > 0)                ? 0
               : item->valuedouble >= (double)most ? most
                                                   : (uint64_t)item->valuedouble;
    if (!cJSON_IsString(item) || item->valuestring[0] < '0' || item->valuestring[0] > '9')
        return 0;
    errno = 0;
    const uint64_t number = strtoull(item->valuestring, NULL, 10);
    return errno != 0 || number > most ? most : number;
}

static void read_partial(const cJSON *body, uint64_t num, struct otlp_outcome *outcome)
{
    const cJSON *partial = cJSON_GetObjectItemCaseSensitive(body, "partialSuccess");
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(partial, "errorMessage");
    outcome->num_rejected = number_of(cJSON_GetObjectItemCaseSensitive(partial, "rejectedSpans"), num);
    if (cJSON_IsString(words))
        add_words(words->valuestring, outcome);
    if (outcome->why[0] == '\0' && outcome->num_rejected != 0)
        snprintf(outcome->why, sizeof outcome->why, "no reason given");
}

/* explain writes the status, and the text that the receiver adds (google.rpc.Status). */
static void explain(const struct otlp_answer *answer, const cJSON *body, struct otlp_outcome *outcome)
{
    static const struct {
        long status;
        const char *words;
    } known[] = {
        {400, "the receiver cannot read the request"},
        {401, "the receiver wants other credentials (--otlp-headers)"},
        {403, "the receiver does not allow it (--otlp-headers)"},
        {404, "nothing at that path: /v1/traces is usual"},
        {405, "no OTLP receiver at that path: /v1/traces is usual"},
        {413, "a span is too large for the receiver"},
        {415, "the receiver does not accept JSON"},
        {429, "too many requests"},
        {503, "the receiver is overloaded, or not ready"},
    };
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(body, "message");
    const char *words = NULL;
    if (answer->status / 100 == 3)
        words = "the receiver redirects, and redirections are not followed";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        words = known[i].status == answer->status ? known[i].words : words;
    snprintf(outcome->why, sizeof outcome->why, "status %ld%s%s", answer->status,
             words != NULL ? ", " : "", words != NULL ? words : "");
    if (cJSON_IsString(message))
        add_words(message->valuestring, outcome);
}

static enum otlp_verdict verdict_of(const struct otlp_answer *answer, uint64_t num)
{
    switch (answer->status) {
    case 0:
        return answer->is_hopeless ? OTLP_HOPELESS : OTLP_AGAIN;
    case 429:
    case 502:
    case 503:
    case 504:
        return OTLP_AGAIN;
    case 413:
        return num > 1 ? OTLP_SMALLER : OTLP_GIVEN_UP;
    default:
        return answer->status / 100 == 2 ? OTLP_TAKEN : OTLP_GIVEN_UP;
    }
}

void otlp_judge(const struct otlp_answer *answer, uint64_t num, struct otlp_outcome *outcome)
{
    *outcome = (struct otlp_outcome){.verdict = verdict_of(answer, num)};
    /* No text, or a truncated one, is ignored. */
    cJSON *body = answer->len != 0 ? cJSON_ParseWithLength(answer->body, answer->len) : NULL;
    if (answer->status == 0)
        snprintf(outcome->why, sizeof outcome->why, "%s", answer->trouble != NULL ? answer->trouble : "");
    else if (outcome->verdict == OTLP_TAKEN)
        read_partial(body, num, outcome);
    else
        explain(answer, body, outcome);
    cJSON_Delete(body);
    if (outcome->verdict == OTLP_AGAIN)
        outcome->wait_ms = 1000 * (answer->wait_s < 0                ? 0
                                   : answer->wait_s > OTLP_MOST_WAIT ? OTLP_MOST_WAIT
                                                                     : answer->wait_s);
}
