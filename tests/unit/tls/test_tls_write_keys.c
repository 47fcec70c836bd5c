/*
 * test_tls_write_keys.c - keys of records themselves, as distsniff-keys finds them: which connection,
 * direction and number they belong to is found by trying. What other keys and many of them cost.
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
#include "tls/tls_solve.h"
#include "tls_vectors.h"

#include <openssl/evp.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)

enum { AES_256_GCM = 0x1302, GCM_1_2 = 0xc030, CHACHA = 0x1303 };

/* world is a connection. texts is what was opened, both directions. */
struct world {
    struct dissect_ctx env;
    struct tcp_conn conn;
    struct tls_stage *stage;
    struct tls *tls;
    struct tls_cipher cipher;
    uint64_t num_texts, num_gaps;
    char texts[4096];
    size_t len;
};

static void on_text(void *context, int dir, struct cursor text)
{
    struct world *w = context;
    (void)dir;
    w->num_texts++;
    assert_true(w->len + cursor_left(&text) + 1 < sizeof w->texts);
    memcpy(w->texts + w->len, text.at, cursor_left(&text));
    w->len += cursor_left(&text);
    w->texts[w->len++] = ' ';
    w->texts[w->len] = '\0';
}

static void on_gap(void *context, int dir, uint64_t len, enum tcp_gap why)
{
    struct world *w = context;
    (void)dir;
    (void)len;
    (void)why;
    w->num_gaps++;
}

static void begin(struct world *w)
{
    static const struct tls_events events = {on_text,         on_gap,        quiet_tls_note,
                                             quiet_tls_stall, quiet_tls_dir, quiet_tls_dir,
                                             quiet_tls_close, quiet_tls_note, quiet_tls_note};
    *w = (struct world){.conn.view = {.now_ns = 1000 * SECOND, .port = {1, 2}},
                        .env = {.memcap.max = 1 << 20, .config.limits[DS_LIMIT_BUFFER] = 1 << 16}};
    w->env.config.keylog = ds_keylog_new(5000);
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

static void add_line(struct world *w, const char *line)
{
    ds_keylog_add(w->env.config.keylog, line, strlen(line));
    ds_keylog_end(w->env.config.keylog);
}

static void put_hex(char *out, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        snprintf(out + 2 * i, 3, "%02x", (unsigned)bytes[i]);
}

/* add_key adds the line of the world's cipher, with the nonce of a number. */
static void add_key(struct world *w, unsigned code, uint64_t number)
{
    struct tls_cipher cipher = w->cipher;
    char line[256], nonce[25], key[65];
    tls_cipher_move(&cipher, number);
    put_hex(nonce, cipher.iv, TLS_NONCE_LEN);
    put_hex(key, cipher.key, tls_suite_find((uint16_t)code)->key_len);
    snprintf(line, sizeof line, "DISTSNIFF_WRITE_KEY_%u %s %s", code, nonce, key);
    add_line(w, line);
}

/* use makes the keys with which records are sealed. */
static void use(struct world *w, unsigned code, bool is_13, uint8_t first)
{
    uint8_t key[32], iv[TLS_NONCE_LEN];
    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)(first + i);
    memset(iv, 0xa5, sizeof iv);
    tls_cipher_clear(&w->cipher);
    assert_true(tls_cipher_set_key(&w->cipher, tls_suite_find((uint16_t)code), is_13, key, iv));
}

static void put_number(uint8_t *out, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(number >> (56 - 8 * i));
}

/* seal makes record number seq of bytes: in 1.3 they end with their type. In 1.2 nonces are counted from
 * that of the cipher on. Returns its length. */
static size_t seal(const struct world *w, uint64_t seq, const char *text, size_t text_len, uint8_t type,
                   uint8_t *out)
{
    const bool is_13 = w->cipher.is_13;
    const bool is_chacha = w->cipher.suite->kind == TLS_CHACHA;
    const size_t len = text_len + is_13, sent = is_13 || is_chacha ? 0 : 8;
    const size_t body_len = sent + len + 16;
    uint8_t nonce[TLS_NONCE_LEN], inner[256], aad[13];
    int done, more;
    memcpy(inner, text, text_len);
    inner[text_len] = type;
    struct tls_cipher cipher = w->cipher;
    tls_cipher_move(&cipher, seq);
    memcpy(nonce, cipher.iv, sizeof nonce);
    const uint8_t outer = is_13 ? TLS_DATA : type;
    memcpy(out, (const uint8_t[]){outer, 3, 3, (uint8_t)(body_len >> 8), (uint8_t)body_len}, TLS_HEADER_LEN);
    put_number(aad, seq);
    memcpy(aad + 8, (const uint8_t[]){type, 3, 3, (uint8_t)(len >> 8), (uint8_t)len}, 5);
    memcpy(out + TLS_HEADER_LEN, nonce + 4, sent);
    uint8_t *body = out + TLS_HEADER_LEN + sent;
    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    assert_int_equal(EVP_EncryptInit_ex(c, is_chacha ? EVP_chacha20_poly1305() : EVP_aes_256_gcm(), NULL,
                                        w->cipher.key, nonce), 1);
    assert_int_equal(EVP_EncryptUpdate(c, NULL, &done, is_13 ? out : aad, is_13 ? TLS_HEADER_LEN : 13), 1);
    assert_int_equal(EVP_EncryptUpdate(c, body, &done, inner, (int)len), 1);
    assert_int_equal(EVP_EncryptFinal_ex(c, body + len, &more), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, body + len), 1);
    EVP_CIPHER_CTX_free(c);
    return TLS_HEADER_LEN + body_len;
}

static void say(struct world *w, uint64_t seq)
{
    uint8_t record[64];
    w->conn.view.frame++;
    tls_feed(w->tls, 0, cursor_make(record, seal(w, seq, "what", 4, TLS_DATA, record)));
}

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t len = 0;
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[len++] = (uint8_t)byte;
    return len;
}

/* feed_from feeds the records of a vector from that one on, and returns what they say. */
static void feed_from(struct world *w, const struct tls_vector *vector, int dir, int first, char *said)
{
    uint8_t bytes[1024];
    struct cursor at = cursor_make(bytes, from_hex(vector->dirs[dir].records, bytes)), record;
    for (int i = 0; i < 4; i++) {
        const struct cursor start = at;
        const size_t len = TLS_HEADER_LEN + (size_t)(at.at[3] << 8 | at.at[4]);
        assert_true(cursor_skip(&at, len));
        record = cursor_make(start.at, len);
        if (i < first)
            continue;
        w->conn.view.frame++;
        tls_feed(w->tls, dir, record);
        said += sprintf(said, "%s %d ", dir == 0 ? "ask" : "answer", i);
    }
}

/* Begun at any record, before or behind that of the nonce, either end of what openssl says is read. Only
 * ChaCha20 in TLS 1.2 needs the record of the nonce. */
static void what_openssl_says_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tls_vectors / sizeof tls_vectors[0]; i++) {
        const int last = strcmp(tls_vectors[i].name, "1.2 ChaCha20-Poly1305") == 0 ? 1 : 3;
        for (int first = 0; first <= last; first++) {
            char said[128] = "";
            struct world w;
            begin(&w);
            add_line(&w, tls_vectors[i].dirs[1].line);
            add_line(&w, tls_vectors[i].dirs[0].line);
            feed_from(&w, &tls_vectors[i], 0, first, said);
            feed_from(&w, &tls_vectors[i], 1, first, said + strlen(said));
            if (strcmp(w.texts, said) != 0)
                fail_msg("%s from %d on: %s", tls_vectors[i].name, first, w.texts);
            assert_int_equal(w.num_gaps, 0);
            end(&w);
        }
    }
}

/* Records that came before their keys are kept, and read when both have come. */
static void keys_may_come_later_than_records(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tls_vectors / sizeof tls_vectors[0]; i++) {
        char said[128] = "";
        struct world w;
        begin(&w);
        w.env.config.keylog_grows = true;
        feed_from(&w, &tls_vectors[i], 0, 0, said);
        feed_from(&w, &tls_vectors[i], 1, 0, said + strlen(said));
        add_line(&w, tls_vectors[i].dirs[0].line);
        tls_stage_time(w.stage, w.conn.view.now_ns + SECOND);
        assert_int_equal(w.num_texts, 0);
        add_line(&w, tls_vectors[i].dirs[1].line);
        tls_stage_time(w.stage, w.conn.view.now_ns + 2 * SECOND);
        if (strcmp(w.texts, said) != 0)
            fail_msg("%s: %s", tls_vectors[i].name, w.texts);
        assert_int_equal(tls_view(w.tls)->keys, DS_TLS_KEYS_LATE);
        end(&w);
    }
}

/* The keys of others open nothing. One of them with another nonce, salt or suite is as wrong. */
static void other_keys_open_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tls_vectors / sizeof tls_vectors[0]; i++) {
        char said[128] = "", line[128];
        struct world w;
        begin(&w);
        for (size_t j = 0; j < sizeof tls_vectors / sizeof tls_vectors[0]; j++) {
            if (j != i)
                add_line(&w, tls_vectors[j].dirs[0].line);
        }
        add_line(&w, tls_vectors[i].dirs[1].line); /* of the other direction */
        snprintf(line, sizeof line, "%s", tls_vectors[i].dirs[0].line);
        line[strlen("DISTSNIFF_WRITE_KEY_4865 ") + (line[24] != ' ')] ^= 1; /* the salt */
        add_line(&w, line);
        feed_from(&w, &tls_vectors[i], 0, 0, said);
        assert_int_equal(w.num_texts, 0);
        end(&w);
    }
}

/* A nonce tells those after it and before it, whatever is carried into bits that are not known. */
static void numbers_are_carried(void **state)
{
    static const uint64_t firsts[] = {0, 1, 1000, 0xfff0, 0x7fffff0, UINT64_C(0xfffffffff0),
                                      UINT64_C(0x123456789a), UINT64_C(0x7ffffffffff0)};
    (void)state;
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        for (uint64_t at = 0; at < 100; at += at < 4 ? 1 : 9) { /* kept before it */
            struct world w;
            begin(&w);
            w.env.config.keylog_grows = true;
            use(&w, AES_256_GCM, true, 1);
            for (uint64_t n = 0; n <= at; n++)
                say(&w, firsts[i] + n);
            add_key(&w, AES_256_GCM, firsts[i] + at);
            tls_stage_time(w.stage, w.conn.view.now_ns);
            if (w.num_texts != at + 1)
                fail_msg("%u before %llx: %u", (unsigned)at, (unsigned long long)(firsts[i] + at),
                         (unsigned)w.num_texts);
            for (uint64_t n = 1; n <= 40; n++)
                say(&w, firsts[i] + at + n);
            assert_int_equal(w.num_texts, at + 41);
            assert_int_equal(w.num_gaps, 0);
            end(&w);
        }
    }
}

/* lose is a hole of that many records of the world's size. */
static void lose(struct world *w, uint64_t num)
{
    uint8_t record[64];
    tls_gap(w->tls, 0, num * seal(w, 0, "what", 4, TLS_DATA, record), TCP_GAP_LOST);
}

/* Behind a hole it goes on, in TLS 1.3 by trying, in TLS 1.2 at once however long it was. */
static void holes_are_passed(void **state)
{
    static const uint64_t lost[] = {1, 2, 63, 500, 3000};
    (void)state;
    for (int is_13 = 0; is_13 < 2; is_13++) {
        const unsigned code = is_13 ? AES_256_GCM : GCM_1_2;
        for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
            struct world w;
            uint64_t n = UINT64_C(0xabcdef0123);
            begin(&w);
            use(&w, code, is_13, 1);
            add_key(&w, code, n);
            for (int j = 0; j < 10; j++)
                say(&w, n++);
            assert_int_equal(w.num_texts, 10);
            lose(&w, lost[i]);
            n += is_13 ? lost[i] : lost[i] * 1000000;
            for (int j = 0; j < 20; j++, w.conn.view.now_ns += SECOND)
                say(&w, n++);
            if (w.num_texts < (is_13 && lost[i] > 63 ? 20 : 30))
                fail_msg("%u lost: %u", (unsigned)lost[i], (unsigned)w.num_texts);
            end(&w);
        }
    }
}

/* In TLS 1.2 the number is in no nonce: it is solved from the tag. */
static void numbers_of_1_2_are_solved(void **state)
{
    static const uint64_t numbers[] = {0, 1, 255, UINT64_C(1) << 47, UINT64_C(0xfedcba9876543210),
                                       UINT64_MAX};
    static const char *const texts[] = {"", "a", "fifteen bytes..", "sixteen bytes...",
                                        "seventeen bytes.."};
    static const unsigned codes[] = {GCM_1_2, CHACHA};
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        for (size_t j = 0; j < 30; j++) {
            const uint64_t right = numbers[j / 5];
            struct world w;
            uint8_t record[128], out[128];
            uint64_t number = 0;
            begin(&w);
            use(&w, codes[i], false, (uint8_t)(7 + j));
            const size_t len = seal(&w, right, texts[j % 5], strlen(texts[j % 5]), TLS_DATA, record);
            struct tls_record read = {TLS_DATA, TLS_1_2,
                                      cursor_make(record + TLS_HEADER_LEN, len - TLS_HEADER_LEN)};
            struct tls_cipher cipher = w.cipher;
            tls_cipher_move(&cipher, codes[i] == CHACHA ? right : 0);
            assert_true(tls_solve_number(&cipher, &read, out, &number));
            assert_true(number == right);
            record[len - 1] ^= 1;
            assert_false(tls_solve_number(&cipher, &read, out, &number));
            record[len - 1] ^= 1;
            read.body.end = read.body.at + 16 + 7; /* too short for a nonce and a tag */
            assert_false(codes[i] == GCM_1_2 && tls_solve_number(&cipher, &read, out, &number));
            read.body.end = read.body.at + 15;
            assert_false(tls_solve_number(&cipher, &read, out, &number));
            end(&w);
        }
    }
}

/* After a key update it is another key: records wait for its line. */
static void a_key_update_is_a_new_key(void **state)
{
    static const char update[] = {TLS_KEY_UPDATE, 0, 0, 1, 1};
    uint8_t record[64];
    struct world w;
    (void)state;
    begin(&w);
    w.env.config.keylog_grows = true;
    use(&w, AES_256_GCM, true, 1);
    add_key(&w, AES_256_GCM, 70);
    for (uint64_t n = 70; n < 90; n++)
        say(&w, n);
    assert_int_equal(w.num_texts, 20);
    tls_feed(w.tls, 0, cursor_make(record, seal(&w, 90, update, sizeof update, TLS_HANDSHAKE, record)));
    assert_int_equal(tls_view(w.tls)->key_updates[0], 1);
    use(&w, AES_256_GCM, true, 77);
    for (uint64_t n = 0; n < 10; n++)
        say(&w, n);
    assert_int_equal(w.num_texts, 20);
    add_key(&w, AES_256_GCM, 4);
    tls_stage_time(w.stage, w.conn.view.now_ns);
    assert_int_equal(w.num_texts, 30);
    /* One that was not seen, as behind a hole: it is searched among all. */
    use(&w, AES_256_GCM, true, 99);
    add_key(&w, AES_256_GCM, 0);
    say(&w, 0);
    assert_int_equal(w.num_texts, 31);
    assert_int_equal(w.num_gaps, 0);
    end(&w);
}

/* A snapshot has the number that the next record has from that of the line on. */
static void a_snapshot_goes_on(void **state)
{
    (void)state;
    for (uint64_t first = 1000; first < 1200; first += 7) {
        struct world w;
        begin(&w);
        use(&w, AES_256_GCM, true, 1);
        add_key(&w, AES_256_GCM, first);
        for (uint64_t n = 0; n < 20; n++)
            say(&w, first + n);
        assert_int_equal(w.num_texts, 20);
        const struct tls_dir *d = &w.tls->dirs[0];
        struct tls *again = tls_new(w.stage, &w.conn.view, &w);
        assert_non_null(again);
        again->dirs[0].seq = tls_write_keys_number(w.tls, d);
        again->dirs[0].origin = d->origin;
        again->view.version = TLS_1_3;
        tls_free(w.tls);
        w.tls = again;
        for (uint64_t n = 20; n < 50; n++)
            say(&w, first + n);
        assert_int_equal(w.num_texts, 50);
        end(&w);
    }
}

/* Many keys of others are tried a few a record, and one among them is found. */
static void many_keys_are_bounded(void **state)
{
    enum { MANY = 4000 };
    struct world w;
    (void)state;
    begin(&w);
    for (unsigned i = 0; i < MANY; i++) {
        char line[128];
        const unsigned code = i % 2 == 0 ? CHACHA : AES_256_GCM;
        snprintf(line, sizeof line, "DISTSNIFF_WRITE_KEY_%u %024u %064u", code, i, i);
        add_line(&w, line);
        if (i == MANY / 2) {
            use(&w, AES_256_GCM, true, 1);
            add_key(&w, AES_256_GCM, 30000);
        }
    }
    assert_int_equal(keylog_num_write_keys(w.env.config.keylog), MANY + 1);
    w.conn.view.now_ns += SECOND;
    say(&w, 29999);
    const int64_t most = (INT64_C(256) << 20) + (1 << 20); /* what may be spent in a second, and a key */
    assert_in_range(w.stage->spent, 1, most);
    assert_int_equal(w.tls->dirs[0].next_key, 512);
    assert_int_equal(w.num_texts, 0);
    uint64_t n = 30000;
    for (; w.num_texts == 0 && n < 31000; n++, w.conn.view.now_ns += SECOND)
        say(&w, n);
    assert_in_range(n, 30001, 30600);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_openssl_says_is_read),
        cmocka_unit_test(keys_may_come_later_than_records),
        cmocka_unit_test(other_keys_open_nothing),
        cmocka_unit_test(numbers_are_carried),
        cmocka_unit_test(holes_are_passed),
        cmocka_unit_test(numbers_of_1_2_are_solved),
        cmocka_unit_test(a_key_update_is_a_new_key),
        cmocka_unit_test(a_snapshot_goes_on),
        cmocka_unit_test(many_keys_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
