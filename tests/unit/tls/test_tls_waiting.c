/*
 * test_tls_waiting.c - TLS records whose keys come late, or not at all: how long they wait, how
 * many, and when wrong keys are given up. The connections are real.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <distsniff/dissect.h>
#include <pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

/* run is how a session gets a capture, and its result. */
struct run {
    const char *name;         /* pcaps/NAME.pcap and .keys */
    bool grows;               /* the key log may */
    uint64_t keys_at;         /* packet before which the secrets come; UINT64_MAX: never */
    uint64_t pause_at;        /* packet that comes later, with all after it, */
    int64_t pause_ns;         /* by that much */
    uint64_t buffer;          /* DS_LIMIT_BUFFER; 0: the default */
    bool is_wrong;            /* with other secrets */
    bool has_others;          /* with secrets of others from the start */
    uint64_t num_messages, num_packets, undecrypted;
    uint64_t told_after[2]; /* records of each end until the lack of keys is reported */
    uint64_t told_at, first_at; /* packet of that report, and of the first message */
    bool is_late;
};

static void on_event(void *context, const struct ds_event *event)
{
    struct run *run = context;
    const struct ds_tls *tls = event->conn->tls;
    run->num_messages += event->type == DS_EVENT_MESSAGE;
    if (event->type == DS_EVENT_MESSAGE && run->first_at == 0)
        run->first_at = event->frame;
    if (event->type != DS_EVENT_CONN || tls == NULL)
        return;
    run->is_late = run->is_late || tls->keys == DS_TLS_KEYS_LATE;
    if (event->change.final)
        run->undecrypted += tls->undecrypted[0] + tls->undecrypted[1];
    else if (tls->keys == DS_TLS_KEYS_MISSING && run->told_at == 0) {
        memcpy(run->told_after, tls->data_records, sizeof run->told_after);
        run->told_at = run->num_packets;
    }
}

static void add_keys(struct ds_keylog *keylog, const struct run *run)
{
    char path[96], line[512];
    snprintf(path, sizeof path, "../pcaps/%s.keys", run->name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *last = line + strcspn(line, "\r\n") - 1;
        if (run->is_wrong && line[0] != '#')
            *last = *last == '0' ? '1' : '0';
        ds_keylog_add(keylog, line, strlen(line));
    }
    ds_keylog_end(keylog);
    fclose(file);
}

/* add_another adds a secret of a connection that does not exist. */
static void add_another(struct ds_keylog *keylog)
{
    char line[256];
    snprintf(line, sizeof line, "CLIENT_RANDOM %064d %096d\n", 1, 2);
    ds_keylog_add(keylog, line, strlen(line));
}

static void play(struct run *run)
{
    char path[96], error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    struct ds_config config;
    struct ds_keylog *keylog = ds_keylog_new(1000);
    assert_non_null(keylog);
    if (run->has_others)
        add_another(keylog);
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = run;
    config.keylog = keylog;
    config.keylog_grows = run->grows;
    if (run->buffer != 0)
        config.limits[DS_LIMIT_BUFFER] = run->buffer;
    struct ds_session *session = ds_session_new(&config);
    snprintf(path, sizeof path, "../pcaps/%s.pcap", run->name);
    pcap_t *pcap = pcap_open_offline(path, error);
    assert_true(session != NULL && pcap != NULL);
    while (pcap_next_ex(pcap, &header, &data) == 1) {
        if (run->num_packets == run->keys_at)
            add_keys(keylog, run);
        const bool is_later = run->pause_ns != 0 && run->num_packets >= run->pause_at;
        const struct ds_packet packet = {
            .ts_ns = header->ts.tv_sec * SECOND + header->ts.tv_usec * 1000 +
                     (is_later ? run->pause_ns : 0),
            .frame = ++run->num_packets,
            .link_type = (uint32_t)pcap_datalink(pcap),
            .data = data,
            .cap_len = header->caplen,
            .len = header->len,
        };
        ds_session_packet(session, &packet);
    }
    pcap_close(pcap);
    ds_session_end(session);
    ds_session_free(session);
    ds_keylog_free(keylog);
}

static const char *const names[] = {"tls12-25", "tls-29"};
enum { NUM_NAMES = sizeof names / sizeof names[0] };

/* all_of returns the result for a capture with all its keys. */
static struct run all_of(const char *name)
{
    struct run run = {.name = name};
    play(&run);
    assert_true(run.num_messages > 50);
    assert_false(run.is_late);
    return run;
}

/* Secrets that come within ten seconds decrypt all waiting records. */
static void late_keys_open_what_waited(void **state)
{
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        const struct run all = all_of(names[i]);
        const uint64_t late = all.num_packets * 3 / 4, half = all.num_packets / 2;
        struct run in_time = {.name = names[i], .grows = true, .keys_at = late,
                              .pause_at = half, .pause_ns = 9 * SECOND};
        play(&in_time);
        assert_int_equal(in_time.num_messages, all.num_messages);
        assert_int_equal(in_time.undecrypted, all.undecrypted);
        assert_true(in_time.is_late);

        struct run too_late = {.name = names[i], .grows = true, .keys_at = late,
                               .pause_at = half, .pause_ns = 11 * SECOND};
        play(&too_late);
        assert_true(too_late.num_messages < all.num_messages);
        assert_true(too_late.undecrypted > all.undecrypted);
    }
}

/* If a key log does not grow, records do not wait for it after both hellos: with the first
 * encrypted record, the lack of keys is reported. */
static void what_does_not_grow_is_not_waited_for(void **state)
{
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        const struct run all = all_of(names[i]);
        struct run fixed = {.name = names[i], .has_others = true, .keys_at = all.num_packets / 2};
        play(&fixed);
        assert_true(fixed.num_messages < all.num_messages);
        assert_in_range(fixed.told_at, 1, all.first_at - 1);
        struct run grows = {.name = names[i], .grows = true, .has_others = true,
                            .keys_at = all.num_packets / 2};
        play(&grows);
        assert_int_equal(grows.num_messages, all.num_messages);
    }
}

/* Waiting records have the same cap as bytes that wait for a missing segment. */
static void little_room_is_little_waiting(void **state)
{
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        const struct run all = all_of(names[i]);
        struct run little = {.name = names[i], .grows = true,
                             .keys_at = all.num_packets * 3 / 4, .buffer = 2000};
        play(&little);
        assert_true(little.num_messages < all.num_messages);
        assert_true(little.undecrypted > 0);
    }
}

/* If secrets never come, only a count is left. */
static void without_keys_nothing_is_opened(void **state)
{
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        struct run none = {.name = names[i], .grows = true, .keys_at = UINT64_MAX};
        play(&none);
        assert_int_equal(none.num_messages, 0);
        assert_true(none.undecrypted > 1000);
    }
}

/* Wrong secrets are given up after sixteen records of one end that they do not decrypt, whether
 * more follow or not. */
static void wrong_keys_are_given_up(void **state)
{
    enum { MAX_WRONG = 16 };
    (void)state;
    for (int i = 0; i < NUM_NAMES; i++) {
        for (int grows = 0; grows < 2; grows++) {
            struct run wrong = {.name = names[i], .is_wrong = true, .grows = grows != 0};
            play(&wrong);
            assert_int_equal(wrong.num_messages, 0);
            const uint64_t more = wrong.told_after[0] > wrong.told_after[1] ? wrong.told_after[0]
                                                                            : wrong.told_after[1];
            assert_in_range(more, MAX_WRONG, 2 * MAX_WRONG + 2); /* some are of the handshake */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_keys_open_what_waited),
        cmocka_unit_test(what_does_not_grow_is_not_waited_for),
        cmocka_unit_test(little_room_is_little_waiting),
        cmocka_unit_test(without_keys_nothing_is_opened),
        cmocka_unit_test(wrong_keys_are_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
