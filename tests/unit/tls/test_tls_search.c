/*
 * test_tls_search.c - finding the number of a TLS 1.3 record: on a connection that was joined late,
 * or behind a gap. How far the search reaches, and its cost if the keys are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "quiet_tls.h"
#include "tcp/tcp_conn.h"
#include "tls/tls_conn.h"
#include "tls/tls_hello.h"

#include <openssl/evp.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)

/* world is a connection whose records have the keys of the secret 0, 1, 2 .. */
struct world {
    struct dissect_ctx env;
    struct tcp_conn conn;
    struct tls_stage *stage;
    struct tls *tls;
    struct tls_cipher cipher;
    uint64_t num_texts, num_gaps;
};

static void on_text(void *context, int dir, struct cursor text)
{
    struct world *w = context;
    (void)dir;
    (void)text;
    w->num_texts++;
}

static void on_gap(void *context, int dir, uint64_t len, enum tcp_gap why)
{
    struct world *w = context;
    (void)dir;
    (void)len;
    (void)why;
    w->num_gaps++;
}

static void add_secret(struct world *w, const char *label, uint8_t random, uint8_t first)
{
    char line[512];
    int at = snprintf(line, sizeof line, "%s ", label);
    for (int i = 0; i < 32; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%02x", (unsigned)random);
    line[at++] = ' ';
    for (int i = 0; i < 48; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%02x", (unsigned)(uint8_t)(first + i));
    line[at++] = '\n';
    ds_keylog_add(w->env.config.keylog, line, (size_t)at);
}

static void begin(struct world *w)
{
    static const struct tls_events events = {on_text,         on_gap,        quiet_tls_note,
                                             quiet_tls_stall, quiet_tls_dir, quiet_tls_dir,
                                             quiet_tls_close, quiet_tls_note, quiet_tls_note};
    uint8_t secret[TLS_SECRET_MAX];
    *w = (struct world){.conn.view = {.now_ns = 1000 * SECOND, .port = {1, 2}},
                        .env = {.memcap.max = 1 << 20, .config.limits[DS_LIMIT_BUFFER] = 1 << 16}};
    for (int i = 0; i < 48; i++)
        secret[i] = (uint8_t)i;
    assert_true(tls_cipher_set_13(&w->cipher, tls_suite_find(0x1302), secret));
    w->env.config.keylog = ds_keylog_new(100);
    w->stage = tls_stage_new(&w->env, &events);
    w->tls = tls_new(w->stage, &w->conn.view, w);
    assert_true(w->env.config.keylog != NULL && w->tls != NULL);
}

static void end(struct world *w)
{
    tls_end(w->tls);
    tls_free(w->tls);
    tls_stage_free(w->stage);
    tls_cipher_clear(&w->cipher);
    assert_int_equal(w->env.memcap.used, 0);
    ds_keylog_free(w->env.config.keylog);
}

/* seal makes record number seq from bytes that end with their type, and returns its length. */
static size_t seal(const struct world *w, uint64_t seq, const uint8_t *inner, size_t len, uint8_t *out)
{
    const size_t body_len = len + 16;
    uint8_t nonce[12];
    int done, more;
    memcpy(nonce, w->cipher.iv, sizeof nonce);
    for (int i = 0; i < 8; i++)
        nonce[4 + i] ^= (uint8_t)(seq >> (56 - 8 * i));
    memcpy(out, (const uint8_t[]){TLS_DATA, 3, 3, (uint8_t)(body_len >> 8), (uint8_t)body_len}, 5);
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    assert_int_equal(EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), NULL, w->cipher.key, nonce), 1);
    assert_int_equal(EVP_EncryptUpdate(c, NULL, &done, out, 5), 1);
    assert_int_equal(EVP_EncryptUpdate(c, out + 5, &done, inner, (int)len), 1);
    assert_int_equal(EVP_EncryptFinal_ex(c, out + 5 + len, &more), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out + 5 + len), 1);
    EVP_CIPHER_CTX_free(c);
    return 5 + body_len;
}

static void say(struct world *w, uint64_t seq, int64_t later_ns)
{
    static const uint8_t inner[] = {'w', 'h', 'a', 't', 'i', 's', TLS_DATA};
    uint8_t record[64];
    w->conn.view.now_ns += later_ns;
    tls_feed(w->tls, 0, cursor_make(record, seal(w, seq, inner, sizeof inner, record)));
}

/* until_open sends records from first on, and returns how many of them were not decrypted; 1000 is
 * all. */
static uint64_t until_open(struct world *w, uint64_t first)
{
    for (uint64_t i = 0; i < 1000; i++) {
        say(w, first + i, SECOND / 10);
        if (w->num_texts != 0)
            return i;
    }
    return 1000;
}

/* On a connection that was joined late, any of a million numbers is found, small ones at once; also
 * if the key log contains other secrets. */
static void the_number_of_the_first_record_is_found(void **state)
{
    static const struct {
        uint64_t first, most;
    } cases[] = {{0, 0},      {255, 0},     {256, 1},       {10000, 6},
                 {100000, 32}, {600000, 160}, {1000000, 140}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        begin(&w);
        if (cases[i].first < 1000000) /* beyond that, one secret uses all of the budget */
            add_secret(&w, "CLIENT_TRAFFIC_SECRET_0", 'a', 100);
        add_secret(&w, "SERVER_TRAFFIC_SECRET_0", 'r', 0);
        const uint64_t num = until_open(&w, cases[i].first);
        if (num > cases[i].most)
            fail_msg("number %u: after %u records", (unsigned)cases[i].first, (unsigned)num);
        say(&w, cases[i].first + num + 1, 0);
        if (num < 100) /* ten seconds: waiting records are there as well */
            assert_int_equal(w.num_texts, num + 2);
        end(&w);
    }
}

/* When one end's secret is found, so is the other's: it is that of the same connection. */
static void the_other_end_is_found_too(void **state)
{
    static const uint8_t inner[] = {'t', 'o', 'o', TLS_DATA};
    uint8_t record[64];
    struct world w;
    (void)state;
    begin(&w);
    add_secret(&w, "CLIENT_TRAFFIC_SECRET_0", 'r', 0); /* the same for both: one cipher encrypts */
    add_secret(&w, "SERVER_TRAFFIC_SECRET_0", 'r', 0);
    assert_int_equal(until_open(&w, 77), 0);
    tls_feed(w.tls, 1, cursor_make(record, seal(&w, 5000, inner, sizeof inner, record)));
    for (uint64_t i = 1; i < 20; i++) {
        w.conn.view.now_ns += SECOND / 10;
        tls_feed(w.tls, 1, cursor_make(record, seal(&w, 5000 + i, inner, sizeof inner, record)));
    }
    assert_in_range(w.num_texts, 10, 21);
    end(&w);
}

/* The search continues if the secrets come later, or the search for them starts again. */
static void secrets_may_come_later_than_records(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    add_secret(&w, "CLIENT_TRAFFIC_SECRET_0", 'a', 100);
    for (uint64_t i = 0; i < 20; i++)
        say(&w, 5000 + i, SECOND / 10);
    assert_int_equal(w.num_texts, 0);
    add_secret(&w, "SERVER_TRAFFIC_SECRET_1", 'r', 0);
    assert_in_range(until_open(&w, 3), 0, 40);
    end(&w);
}

/* Nor do new secrets of other connections restart it. */
static void secrets_of_others_do_not_hold_up(void **state)
{
    struct world w;
    uint64_t num = 0;
    (void)state;
    begin(&w);
    add_secret(&w, "SERVER_TRAFFIC_SECRET_0", 'r', 0);
    for (; w.num_texts == 0 && num < 200; num++) {
        add_secret(&w, "CLIENT_TRAFFIC_SECRET_0", (uint8_t)('s' + num % 100), (uint8_t)num);
        say(&w, 30000 + num, SECOND / 10);
    }
    assert_in_range(num, 10, 120);
    /* And a matching one among them is found like earlier ones. */
    end(&w);
    begin(&w);
    for (num = 0; w.num_texts == 0 && num < 200; num++) {
        if (num == 20)
            add_secret(&w, "SERVER_TRAFFIC_SECRET_0", 'r', 0);
        add_secret(&w, "CLIENT_TRAFFIC_SECRET_0", (uint8_t)('s' + num % 100), (uint8_t)(num + 1));
        say(&w, 3000 + num, SECOND / 10);
    }
    assert_in_range(num, 21, 120);
    end(&w);
}

/* A connection with much traffic gets the same share of the budget as the others. */
static void who_talks_a_lot_has_one_share(void **state)
{
    static const uint8_t other_record[] = {TLS_DATA, 3, 3, 0, 20, 1, 2, 3, 4, 5, 6, 7, 8,
                                           9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    struct world w;
    uint64_t num = 0;
    (void)state;
    begin(&w);
    for (int i = 0; i < 40; i++)
        add_secret(&w, "CLIENT_TRAFFIC_SECRET_0", (uint8_t)('A' + i), (uint8_t)(50 + i));
    add_secret(&w, "SERVER_TRAFFIC_SECRET_0", 'r', 0);
    struct tls *other = tls_new(w.stage, &w.conn.view, &w);
    assert_non_null(other);
    for (; w.num_texts == 0 && num < 300; num++) {
        add_secret(&w, "CLIENT_RANDOM", (uint8_t)num, 0); /* there may be keys now */
        for (int i = 0; i < 60; i++)
            tls_feed(other, 0, cursor_make(other_record, sizeof other_record));
        say(&w, 2000 + num, SECOND);
    }
    assert_in_range(num, 1, 60);
    tls_free(other);
    end(&w);
}

/* Finding that there is nothing to try has a cost, too. */
static void looking_has_its_price(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    for (int i = 0; i < 100; i++)
        add_secret(&w, "CLIENT_RANDOM", (uint8_t)i, 0);
    say(&w, 0, SECOND);
    assert_int_equal(w.stage->spent, 100 * 64);
    end(&w);
}

/* Behind a gap that cut off a record, the number is found among those that may be lost. */
static void behind_a_hole_the_number_is_found(void **state)
{
    static const struct {
        uint64_t lost, most;
    } cases[] = {{1, 0}, {64, 0}, {300, 0}, {5000, 6}, {100000, 32}, {700000, 160}};
    static const uint8_t inner[] = {'c', 'u', 't', TLS_DATA};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        uint8_t record[64];
        begin(&w);
        add_secret(&w, "SERVER_TRAFFIC_SECRET_0", 'r', 0);
        assert_int_equal(until_open(&w, 0), 0);
        tls_feed(w.tls, 0, cursor_make(record, seal(&w, 1, inner, sizeof inner, record) / 2));
        tls_gap(w.tls, 0, cases[i].lost * 28, TCP_GAP_LOST);
        tls_feed(w.tls, 0, cursor_make(record + 14, 7)); /* the end of a record */
        const uint64_t before = w.num_texts;
        uint64_t num = 0;
        while (w.num_texts == before && num < 1000)
            say(&w, 1 + cases[i].lost + num++, SECOND / 10);
        if (num - 1 > cases[i].most)
            fail_msg("%u lost: after %u records", (unsigned)cases[i].lost, (unsigned)num);
        end(&w);
    }
}

/* Bytes that are not a record cost no more than their budget, whatever times the file claims. */
static void what_may_be_tried_is_bounded(void **state)
{
    const int64_t most = INT64_C(4) << 30;
    struct world w;
    (void)state;
    begin(&w);
    for (int i = 0; i < 30; i++)
        add_secret(&w, "CLIENT_TRAFFIC_SECRET_0", (uint8_t)('a' + i), (uint8_t)(50 + i));
    for (int n = 0; n < 80; n++) {
        tls_free(w.tls);
        w.tls = tls_new(w.stage, &w.conn.view, &w);
        for (uint64_t i = 0; i < 40; i++) {
            say(&w, i, 2 * SECOND);
            assert_in_range(w.stage->spent, 0, most + (32 << 10));
        }
    }
    assert_in_range(w.stage->spent, most / 2, most + (32 << 10)); /* it was reached */
    assert_int_equal(w.num_texts, 0);
    end(&w);
}

/* New keys are made once a record, however many updates it claims. */
static void keys_are_updated_once_a_record(void **state)
{
    static uint8_t inner[5 * 3000 + 1], record[sizeof inner + 32];
    struct world w;
    (void)state;
    begin(&w);
    add_secret(&w, "SERVER_TRAFFIC_SECRET_0", 'r', 0);
    assert_int_equal(until_open(&w, 0), 0);
    for (size_t i = 0; i < sizeof inner - 1; i += 5)
        memcpy(inner + i, (const uint8_t[]){TLS_KEY_UPDATE, 0, 0, 1, 0}, 5);
    inner[sizeof inner - 1] = TLS_HANDSHAKE;
    tls_feed(w.tls, 0, cursor_make(record, seal(&w, 1, inner, sizeof inner, record)));
    assert_int_equal(tls_view(w.tls)->key_updates[0], 1);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_the_first_record_is_found),
        cmocka_unit_test(the_other_end_is_found_too),
        cmocka_unit_test(secrets_may_come_later_than_records),
        cmocka_unit_test(secrets_of_others_do_not_hold_up),
        cmocka_unit_test(who_talks_a_lot_has_one_share),
        cmocka_unit_test(looking_has_its_price),
        cmocka_unit_test(behind_a_hole_the_number_is_found),
        cmocka_unit_test(what_may_be_tried_is_bounded),
        cmocka_unit_test(keys_are_updated_once_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
