/*
 * test_database.c - -T sqlite record by record: hostile names and terms are values, later knowledge
 * updates a row, every allocation can fail.
 */
#include "core/term_show.h"
#include "failing_alloc.h"
#include "output/sink.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#ifdef DISTSNIFF_SQLITE
#include <sqlite3.h>

#define TEXT(literal) ((struct ds_text){(literal), sizeof(literal) - 1})
#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal), .len = sizeof(literal) - 1})

#define FILE_NAME "test_database.db"

static struct ds_conn conn;

static struct ds_event make_event(enum ds_event_type type)
{
    conn = (struct ds_conn){.number = 7};
    for (unsigned i = 0; i < 2; i++) {
        conn.end[i].addr = (struct ds_addr){4, {10, 0, 0, (uint8_t)(1 + i)}};
        conn.end[i].port = (uint16_t)(1000 + i);
    }
    return (struct ds_event){
        .type = type, .dir = 1, .frame = 12, .ts_ns = INT64_C(1700000000123456789), .conn = &conn};
}

static bool open_database(struct sink *sink, const struct sink_config *config)
{
    const struct sink_format format = {&sink_sqlite, FILE_NAME};
    assert_true(sink_sqlite.check(FILE_NAME));
    return sink_open(sink, &format, config);
}

/* is_one queries one value of the database with SQLite's own file functions, as any program does. */
static bool is_one(const char *sql, const char *expected)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    if (sqlite3_open_v2(FILE_NAME, &db, SQLITE_OPEN_READWRITE, "unix") != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        return false;
    const char *got = (const char *)sqlite3_column_text(statement, 0);
    const bool same = got == NULL || expected == NULL ? got == expected : strcmp(got, expected) == 0;
    if (!same)
        fprintf(stderr, "%s: %s, not %s\n", sql, got, expected);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return same;
}

static void assert_one(const char *sql, const char *expected)
{
    assert_true(is_one(sql, expected));
}

/* assert_seen queries in another process: locks belong to a process. */
static void assert_seen(const char *sql, const char *expected)
{
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(!is_one(sql, expected));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_hostile_text(void **state)
{
    struct sink sink;
    const struct sink_config config = {0};
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    const struct record record = {
        .event = &event,
        .note = {.role = NOTE_SEND, .to_name = TEXT("'); DROP TABLE message; --\0x")}};
    (void)state;
    conn.end[0].node = TEXT("a\x1B[2J@h\xFF");
    event.message = (struct ds_message){
        .code = 2, .payload = TERM("\x6D\0\0\0\x03'\x1B\0"), .size = 99, .fragments = 1};
    assert_true(open_database(&sink, &config));
    sink_record(&sink, &record);
    assert_false(sink.output.failed);
    assert_int_equal(sink.output.buffer.len, 0);
    sink_close(&sink);
    assert_one("SELECT dst FROM message", "a\\x1B[2J@h\\xFF");
    assert_one("SELECT src FROM message", "10.0.0.2.1001");
    assert_one("SELECT term FROM message", "<<39,27,0>>");
    assert_one("SELECT receiver_name FROM message", "'); DROP TABLE message; --\\x00x");
    assert_one("SELECT op FROM message", "op_2");
    assert_one("SELECT time FROM messages", "2023-11-14 22:13:20.123456789");
    assert_one("SELECT call FROM message", NULL);
}

/* An unset column does not have the value of the row before. */
static void test_rows_are_new(void **state)
{
    struct sink sink;
    const struct sink_config config = {0};
    struct ds_event event = make_event(DS_EVENT_HANDSHAKE);
    const struct record record = {.event = &event};
    (void)state;
    assert_true(open_database(&sink, &config));
    event.handshake = (struct ds_handshake){
        .step = DS_STEP_SEND_NAME, .name = TEXT("alice@h"), .has_flags = true, .flags = UINT64_MAX};
    sink_record(&sink, &record);
    event.handshake = (struct ds_handshake){.step = DS_STEP_CHALLENGE_ACK, .has_digest = true};
    sink_record(&sink, &record);
    sink_close(&sink);
    assert_one("SELECT count(*) FROM handshake", "2");
    assert_one("SELECT flags FROM handshake WHERE step = 'send_name'", "0xffffffffffffffff");
    assert_one("SELECT name FROM handshake WHERE step = 'challenge_ack'", NULL);
    assert_one("SELECT hex(digest) FROM handshake WHERE step = 'challenge_ack'",
               "00000000000000000000000000000000");
}

static void test_connection_is_brought_up_to_date(void **state)
{
    struct sink sink;
    const struct sink_config config = {0};
    struct ds_event event = make_event(DS_EVENT_CONN);
    const struct record record = {.event = &event};
    (void)state;
    assert_true(open_database(&sink, &config));
    event.change = (struct ds_conn_change){.state = DS_CONN_OPEN};
    sink_record(&sink, &record);
    conn.end[1].node = TEXT("bob@h");
    event.change = (struct ds_conn_change){.state = DS_CONN_UP};
    event.ts_ns++;
    sink_record(&sink, &record);
    conn.end[1].node = (struct ds_text){NULL, 0};
    event.change = (struct ds_conn_change){.state = DS_CONN_CLOSED, .reason = "reset", .final = true};
    event.ts_ns++;
    sink_record(&sink, &record);
    sink_close(&sink);
    assert_one("SELECT count(*) FROM connection", "1");
    assert_one("SELECT state || reason || b_node FROM connection", "closedresetbob@h");
    assert_one("SELECT ended_ns - began_ns FROM connection", "2");
    assert_one("SELECT count(*) FROM change", "3");
}

/* The count of a finding increases, and the list of checks is written once. */
static void test_findings(void **state)
{
    static const struct finding_kind kind = {"DS101", SEVERITY_ERROR, RANK_AVAILABILITY, "wrong cookie", "do", "page"};
    struct sink sink;
    const struct sink_config config = {0};
    struct finding finding = {.number = 3, .kind = &kind, .count = 1, .num_evidence = 1};
    const struct record record = {.finding = &finding};
    (void)state;
    finding.evidence[0].num = 1;
    finding.evidence[0].packet[0].frame = 40;
    finding.evidence[0].packet[0].what = "the close";
    wording_put(&finding.sentence, WORD_NODE, TEXT("a\nb"));
    assert_true(open_database(&sink, &config));
    sink_record(&sink, &record);
    finding.count = 2;
    finding.is_update = true;
    sink_record(&sink, &record);
    finding = (struct finding){
        .number = UINT64_MAX - 1, .severity = SEVERITY_FINE, .is_update = true};
    wording_add(&finding.sentence, "fine");
    sink_record(&sink, &record);
    sink_record(&sink, &record);
    sink_close(&sink);
    assert_one("SELECT group_concat(severity || coalesce(count, '')) FROM doctor", "error2,fine");
    assert_one("SELECT text FROM doctor", "a\\x0Ab");
    assert_one("SELECT packets FROM doctor", "40 the close");
}

/* Flushed rows are visible while more are written. */
static void test_flushed(void **state)
{
    struct sink sink;
    const struct sink_config config = {0};
    struct ds_event event = make_event(DS_EVENT_TICK);
    const struct record record = {.event = &event};
    (void)state;
    assert_true(open_database(&sink, &config));
    for (int i = 0; i < 10000; i++)
        sink_record(&sink, &record);
    assert_seen("SELECT count(*) > 8000 FROM tick", "1");
    sink_flush(&sink);
    assert_seen("SELECT count(*) FROM tick", "10000");
    sink_close(&sink);
    assert_one("SELECT count(*) FROM tick", "10000");
    assert_int_equal(access(FILE_NAME "-wal", F_OK), -1);
    assert_int_equal(access(FILE_NAME "-shm", F_OK), -1);
}

/* Of two large terms, the second gets the room that the first leaves; raw bytes are not counted. */
static void test_row_has_bounds(void **state)
{
    enum { LIMIT = 262144, LEN = 60000 }; /* a list of LEN empty ones */
    static uint8_t bytes[5 + LEN + 1] = {108, 0, 0, LEN >> 8, LEN & 0xFF};
    struct sink sink;
    const struct sink_config config = {.etf = true, .limits[DS_LIMIT_TEXT] = LIMIT};
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    const struct record record = {.event = &event};
    const struct ds_term large = {.data = bytes, .len = sizeof bytes};
    (void)state;
    memset(bytes + 5, 106, LEN + 1);
    term_show_limit(LIMIT);
    assert_true(open_database(&sink, &config));
    event.message = (struct ds_message){.code = 99, .control = large, .payload = large, .fragments = 1};
    sink_record(&sink, &record);
    event.message.control = (struct ds_term){0};
    event.message.payload = TERM("\x61\x07");
    sink_record(&sink, &record);
    sink_close(&sink);
    term_show_limit(0);
    assert_one("SELECT length(control) FROM message", "180001");
    assert_one("SELECT length(term) BETWEEN 1000 AND 80000 FROM message", "1");
    assert_one("SELECT count(*) FROM message WHERE ctl IS NULL", "2");
    assert_one("SELECT hex(msg) FROM message WHERE term = '7'", "836107");
    assert_one("SELECT count(msg) FROM message", "1");
}

/* A repeated text is stored once, in any table; a long one each time. A name that looks like the
 * number of a text, or is empty, is stored as it is. */
static void test_words(void **state)
{
    enum { LEN = 600 };
    static uint8_t bytes[5 + LEN] = {109, 0, 0, LEN >> 8, LEN & 0xFF};
    struct sink sink;
    const struct sink_config config = {0};
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    struct record record = {.event = &event, .note = {.role = NOTE_SEND, .to_name = TEXT("1")}};
    (void)state;
    memset(bytes + 5, 'x', LEN);
    conn.end[0].node = TEXT("a@h");
    conn.end[1].node = TEXT("b@h");
    assert_true(open_database(&sink, &config));
    event.message = (struct ds_message){.code = 99, .payload = TERM("\x61\x07"), .fragments = 1};
    sink_record(&sink, &record);
    sink_record(&sink, &record);
    event.message.payload = (struct ds_term){.data = bytes, .len = sizeof bytes};
    sink_record(&sink, &record);
    sink_record(&sink, &record);
    record.note.to_name = TEXT("");
    sink_record(&sink, &record);
    event.type = DS_EVENT_TICK;
    sink_record(&sink, &record);
    sink_close(&sink);
    assert_one("SELECT count(*) FROM word WHERE text = 'a@h'", "1");
    assert_one("SELECT count(*) FROM word WHERE text = '7'", "1");
    assert_one("SELECT count(*) FROM word WHERE length(text) > 600", "3");
    assert_one("SELECT group_concat(src || dst || term, ' ') FROM message WHERE term = '7'", "b@ha@h7 b@ha@h7");
    assert_one("SELECT count(*) FROM message WHERE length(term) > 600", "3");
    assert_one("SELECT group_concat(receiver_name) FROM message", "1,1,1,1,");
    assert_one("SELECT src || dst FROM tick", "b@ha@h");
    assert_one("SELECT count(*) FROM message WHERE label IS NOT NULL", "0");
}

/* So many texts that some are evicted: these come again, and read the same. */
static void test_forgotten_words(void **state)
{
    enum { NUM = 20000 };
    struct sink sink;
    const struct sink_config config = {0};
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    const struct record record = {.event = &event};
    uint8_t bytes[] = {98, 0, 0, 0, 0};
    (void)state;
    assert_true(open_database(&sink, &config));
    event.message =
        (struct ds_message){.code = 99, .payload = {.data = bytes, .len = sizeof bytes}, .fragments = 1};
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < NUM; i++) {
            bytes[3] = (uint8_t)(i >> 8);
            bytes[4] = (uint8_t)i;
            sink_record(&sink, &record);
        }
    sink_close(&sink);
    assert_one("SELECT count(*) FROM message WHERE term = (id - 1) % 20000", "40000");
    assert_one("SELECT count(*) > 20100 AND count(*) < 39000 FROM word", "1");
}

static void survive(void *context)
{
    struct sink sink;
    const struct sink_config config = {.etf = true};
    struct ds_event event = make_event(DS_EVENT_MESSAGE);
    const struct record record = {.event = &event};
    (void)context;
    conn.end[0].node = TEXT("alice@h");
    event.message = (struct ds_message){
        .code = 2, .payload = TERM("\x6D\0\0\0\x03'\x1B\0"), .size = 99, .fragments = 1};
    if (!open_database(&sink, &config))
        return;
    sink_record(&sink, &record);
    const bool failed = sink.output.failed;
    sink_close(&sink);
    failing_alloc_at(0);
    assert_one("PRAGMA integrity_check", "ok");
    if (!failed)
        assert_one("SELECT hex(msg) || term FROM message", "836D00000003271B00<<39,27,0>>");
}

static void test_no_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(survive, NULL) > 5);
}

/* Somewhere to write: the tests are where the sources are. */
static int go_there(void **state)
{
    static char folder[] = "/tmp/test_database.XXXXXX";
    *state = mkdtemp(folder);
    return *state == NULL || chdir(folder) != 0;
}

static int go_away(void **state)
{
    (void)unlink(FILE_NAME);
    return rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_rows_are_new),
        cmocka_unit_test(test_connection_is_brought_up_to_date),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_flushed),
        cmocka_unit_test(test_row_has_bounds),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_forgotten_words),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, go_there, go_away);
}

#else

/* If a file is no database of ours, the message says what to do. */
static void test_not_there(void **state)
{
    (void)state;
    assert_false(sink_sqlite.check("file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
