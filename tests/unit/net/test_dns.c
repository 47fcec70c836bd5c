/*
 * test_dns.c - DNS questions and answers: how they are read whole, truncated, or crafted to
 * mislead.
 */
#include "guard_page.h"
#include "net/dns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static uint8_t bytes[1024];
static size_t len;
static struct dns_message dns;
static uint16_t src, dst;

static void put(const void *data, size_t data_len)
{
    memcpy(bytes + len, data, data_len);
    len += data_len;
}

static void put16(unsigned value)
{
    const uint8_t two[] = {(uint8_t)(value >> 8), (uint8_t)value};
    put(two, sizeof two);
}

static void put_label(const char *text)
{
    const uint8_t label_len = (uint8_t)strlen(text);
    put(&label_len, 1);
    put(text, strlen(text));
}

/* begin writes headers and a question for Bob.Example of a type. */
static void begin(unsigned from, unsigned to, unsigned flags, unsigned answers, unsigned type)
{
    len = 0;
    put16(from);
    put16(to);
    put16(0);
    put16(0);
    put16(7);
    put16(flags);
    put16(1);
    put16(answers);
    put16(0);
    put16(0);
    put_label("Bob");
    put_label("Example");
    put("", 1);
    put16(type);
    put16(1);
}

/* put_answer adds a record behind a pointer to the name. */
static void put_answer(unsigned type, unsigned data_len)
{
    static const uint8_t zeros[64];
    put16(0xc00c);
    put16(type);
    put16(1);
    put16(0);
    put16(60);
    put16(data_len);
    put(zeros, data_len);
}

static bool read_it(void)
{
    memset(&dns, 0xee, sizeof dns);
    return dns_read(cursor_make(bytes, len), &src, &dst, &dns);
}

static void question(void **state)
{
    (void)state;
    begin(40000, 53, 0x0100, 0, 28);
    assert_true(dns_is_port(cursor_make(bytes, len)));
    assert_true(read_it());
    assert_false(dns.is_answer || dns.has_address);
    assert_int_equal(src, 40000);
    assert_int_equal(dst, 53);
    assert_int_equal(dns.id, 7);
    assert_int_equal(dns.type, 28);
    assert_int_equal(dns.name_len, strlen("bob.example"));
    assert_memory_equal(dns.name, "bob.example", dns.name_len);
    begin(40000, 5353, 0, 0, 1);
    assert_false(dns_is_port(cursor_make(bytes, len)));
    begin(53, 40000, 0, 0, 1); /* a question goes to the port, an answer comes from it */
    assert_false(read_it());
    begin(40000, 53, 0x2800, 0, 1); /* an update */
    assert_false(read_it());
}

/* put_record makes an answer whose name has num labels. */
static void put_record(unsigned num_labels, unsigned type)
{
    for (unsigned i = 0; i < num_labels; i++)
        put_label("x");
    put("", 1);
    put16(type);
    put16(1);
    put16(0);
    put16(60);
    put16(0);
}

/* The greatest number of answers and labels; records of another class are ignored. */
static void bounds(void **state)
{
    (void)state;
    for (unsigned aliases = 63; aliases <= 64; aliases++) {
        begin(53, 40000, 0x8180, aliases + 1, 1);
        for (unsigned i = 0; i < aliases; i++)
            put_answer(5, 0);
        put_answer(1, 4);
        assert_true(read_it());
        assert_int_equal(dns.has_address, aliases < 64);
    }
    for (unsigned labels = 127; labels <= 128; labels++) {
        begin(53, 40000, 0x8180, 1, 1);
        put_record(labels, 1);
        assert_true(read_it());
        assert_int_equal(dns.has_address, labels < 128);
    }
    begin(40000, 53, 0x0100, 0, 1);
    bytes[len - 1] = 3;
    assert_false(read_it());
}

static void answers(void **state)
{
    (void)state;
    begin(53, 40000, 0x8183, 0, 1);
    assert_true(read_it());
    assert_true(dns.is_answer);
    assert_false(dns.has_address);
    assert_int_equal(dns.code, 3);
    begin(53, 40000, 0x8180, 1, 1);
    put_answer(1, 4);
    assert_true(read_it());
    assert_true(dns.has_address);
    assert_int_equal(dns.code, 0);
    begin(53, 40000, 0x8180, 2, 28); /* an alias comes first */
    put_answer(5, 9);
    put_answer(28, 16);
    assert_true(read_it() && dns.has_address);
    begin(53, 40000, 0x8180, 1, 28); /* an alias of a name without an address */
    put_answer(5, 9);
    put_answer(28, 16);
    assert_true(read_it() && !dns.has_address);
    begin(53, 40000, 0x8180, 1, 1);
    assert_true(read_it() && !dns.has_address); /* it is not there */
}

static void names(void **state)
{
    (void)state;
    begin(40000, 53, 0, 0, 1);
    bytes[20] = 64; /* longer than a label may be, and a pointer is not allowed there */
    assert_false(read_it());
    begin(40000, 53, 0, 0, 1);
    bytes[20] = 0xc0;
    assert_false(read_it());
    begin(40000, 53, 0, 0, 1);
    bytes[20] = 0; /* the root */
    assert_false(read_it());
    for (unsigned label = 61; label <= 63; label++) { /* 3 * 63 + 3 dots + 63 are 255 */
        char text[64] = "";
        memset(text, 'x', label);
        len = 0;
        begin(40000, 53, 0, 0, 1);
        len = 20;
        for (int i = 0; i < 3; i++)
            put_label("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        put_label(text);
        put("", 1);
        put16(1);
        put16(1);
        assert_true(read_it());
        assert_int_equal(dns.name_len, 192 + label);
        len -= 5;
        put_label("y"); /* one too many without any bytes left */
        put("", 1);
        put16(1);
        put16(1);
        assert_int_equal(read_it(), label < 62);
    }
}

/* Cut anywhere, before an unreadable page; and with any byte changed. */
static void hostile(void **state)
{
    (void)state;
    begin(53, 40000, 0x8180, 2, 1);
    put_answer(5, 9);
    put_answer(1, 4);
    for (size_t cut = 0; cut <= len; cut++) {
        struct guard_page guarded = guard_page_copy(bytes, cut);
        const bool ok = dns_read(cursor_make(guarded.bytes, cut), &src, &dst, &dns);
        assert_int_equal(ok, cut >= 37);
        assert_int_equal(ok && dns.has_address, cut >= len - 4);
        guard_page_free(&guarded);
    }
    for (size_t at = 0; at < len; at++) {
        const uint8_t kept = bytes[at];
        for (unsigned value = 0; value < 256; value += 5) {
            bytes[at] = (uint8_t)value;
            if (read_it())
                assert_in_range(dns.name_len, 1, DNS_NAME_LEN);
        }
        bytes[at] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(question),
        cmocka_unit_test(bounds),
        cmocka_unit_test(answers),
        cmocka_unit_test(names),
        cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
