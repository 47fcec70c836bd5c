/*
 * test_pcapng_blocks.c - the pcapng blocks that libpcap skips: in both byte orders, in pieces, and
 * with wrong lengths.
 */
#include "capture/pcapng_blocks.h"
#include "util/byte_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX_LEN = 4096, TLS_SECRETS = 0x544c534b };

struct file {
    uint8_t bytes[MAX_LEN];
    size_t len;
    bool swapped;
};

struct found {
    char text[2048];
    size_t len, num_blocks;
    bool lies; /* the blocks behind a wrong length may be skipped */
};

static void add_u32(struct file *file, uint32_t value)
{
    if (file->swapped)
        value = __builtin_bswap32(value);
    memcpy(file->bytes + file->len, &value, 4);
    file->len += 4;
}

static void add_section(struct file *file)
{
    const uint32_t section[] = {0x0a0d0d0a, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28};
    for (size_t i = 0; i < 7; i++)
        add_u32(file, section[i]);
}

static void add_interface(struct file *file, uint8_t resolution)
{
    const uint32_t head[] = {1, 32, 1, 0};
    const uint8_t big[] = {0, 9, 0, 1, resolution, 0, 0, 0};
    const uint8_t little[] = {9, 0, 1, 0, resolution, 0, 0, 0};
    const bool is_big = (htobe32(1) == 1) != file->swapped;
    for (size_t i = 0; i < 4; i++)
        add_u32(file, head[i]);
    memcpy(file->bytes + file->len, is_big ? big : little, 8);
    file->len += 8;
    add_u32(file, 0);
    add_u32(file, 32);
}

/* add_secrets: claimed is the length of the text as the block gives it. */
static void add_secrets(struct file *file, uint32_t type, const char *text, uint32_t claimed)
{
    const size_t len = strlen(text), padded = (len + 3) & ~(size_t)3;
    add_u32(file, 10);
    add_u32(file, (uint32_t)(20 + padded));
    add_u32(file, type);
    add_u32(file, claimed);
    memset(file->bytes + file->len, 0, padded);
    memcpy(file->bytes + file->len, text, len);
    file->len += padded;
    add_u32(file, (uint32_t)(20 + padded));
}

static void take(void *context, const char *line, size_t len)
{
    struct found *found = context;
    if (len == 0) {
        found->num_blocks++;
        return;
    }
    found->len += (size_t)snprintf(found->text + found->len, sizeof found->text - found->len,
                                   "%.*s;", (int)len, line);
    assert_true(found->len < sizeof found->text);
}

/* see passes a copy of the file in pieces. */
static bool see(const struct file *file, size_t piece, struct pcapng_blocks *blocks,
                struct found *found)
{
    const struct secrets_sink sink = {take, found};
    bool has_secrets = false;
    *blocks = (struct pcapng_blocks){.sink = &sink};
    *found = (struct found){.lies = found->lies};
    for (size_t at = 0; at < file->len; at += piece) {
        const size_t len = file->len - at < piece ? file->len - at : piece;
        uint8_t *bytes = malloc(len); /* to be seen when it is left */
        assert_non_null(bytes);
        memcpy(bytes, file->bytes + at, len);
        has_secrets |= pcapng_blocks_see(blocks, bytes, len);
        if (!found->lies)
            assert_null(memmem(bytes, len, "SECRET", 6));
        free(bytes);
    }
    blocks->sink = NULL;
    return has_secrets;
}

static void finds_secrets(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct file file = {.swapped = swapped != 0};
        struct pcapng_blocks blocks;
        struct found found = {.len = 0};
        add_section(&file);
        add_secrets(&file, TLS_SECRETS, "A SECRET 1\r\n\nB SECRET 2", 24);
        add_interface(&file, 9);
        add_secrets(&file, 0x5353484b, "SSH", 3); /* not TLS secrets */
        for (size_t i = 0; i < 4; i++) /* and too short for any secrets */
            add_u32(&file, i % 2 == 0 ? 10 : 16);
        file.len -= 8;
        add_u32(&file, TLS_SECRETS);
        add_u32(&file, 16);
        file.swapped = !file.swapped; /* the next section */
        add_section(&file);
        add_secrets(&file, TLS_SECRETS, "C SECRET 3\n", 11);
        add_secrets(&file, TLS_SECRETS, "", 0);
        for (size_t piece = 1; piece < 64; piece++) {
            assert_true(see(&file, piece, &blocks, &found));
            assert_string_equal(found.text, "A SECRET 1;B SECRET 2;C SECRET 3;");
            assert_int_equal(found.num_blocks, 3);
            for (size_t i = 0; i < sizeof blocks.line; i++)
                assert_int_equal(blocks.line[i], 0);
        }
        assert_true(see(&file, file.len, &blocks, &found));
        assert_int_equal(found.num_blocks, 3);
    }
}

static void every_prefix(void **state)
{
    (void)state;
    struct file file = {.len = 0};
    struct pcapng_blocks blocks;
    struct found found = {.len = 0};
    add_section(&file);
    add_interface(&file, 6);
    add_secrets(&file, TLS_SECRETS, "A SECRET 1\nB SECRET 2\n", 22);
    const size_t len = file.len;
    for (file.len = 0; file.len < len; file.len++) {
        (void)see(&file, 7, &blocks, &found);
        assert_int_equal(found.num_blocks, file.len >= 28 + 32 + 16);
        assert_memory_equal(found.text, "A SECRET 1;B SECRET 2;", found.len);
    }
}

static void lengths_lie(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {0, 8, 11, 12, 13, 16, 19, 20, 21, 24, 0x7fffffff, UINT32_MAX,
                                       UINT32_MAX - 3};
    struct pcapng_blocks blocks;
    struct found found = {.lies = true};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        /* Wrong lengths of the block. */
        struct file file = {.len = 0};
        add_section(&file);
        const size_t at = file.len;
        add_secrets(&file, TLS_SECRETS, "A SECRET 1\n", 11);
        add_secrets(&file, TLS_SECRETS, "B SECRET 2\n", 11);
        memcpy(file.bytes + at + 4, &lengths[i], 4);
        for (size_t piece = 1; piece <= file.len; piece++)
            (void)see(&file, piece, &blocks, &found);
        if (lengths[i] % 4 != 0 || lengths[i] < 20)
            assert_int_equal(found.num_blocks, 0); /* the file ends here */
        /* Wrong lengths of the text: if it exceeds its block, it is read up to the end of the
         * block, and this is reported. */
        file.len = 0;
        add_section(&file);
        add_secrets(&file, TLS_SECRETS, "A SECRET 1\n", lengths[i]);
        add_secrets(&file, TLS_SECRETS, "B SECRET 2\n", 11);
        (void)see(&file, file.len, &blocks, &found);
        assert_non_null(strstr(found.text, "B SECRET 2;"));
        assert_int_equal(found.num_blocks, 2);
        assert_int_equal(strncmp(found.text, "?;A SECRET 1;", 13) == 0, lengths[i] > 12);
    }
}

static void long_lines_are_cut(void **state)
{
    (void)state;
    struct file file = {.len = 0};
    struct pcapng_blocks blocks;
    struct found found = {.len = 0};
    char text[1500];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    text[1200] = '\n';
    add_section(&file);
    add_secrets(&file, TLS_SECRETS, text, (uint32_t)strlen(text));
    (void)see(&file, 100, &blocks, &found);
    assert_int_equal(found.len, SECRETS_LINE_MAX + 1 + (1499 - 1201) + 1);
}

static void other_forms(void **state)
{
    (void)state;
    static const char *const heads[] = {"\xd4\xc3\xb2\xa1", "\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1b",
                                        "\x0a\0\0\0"};
    struct pcapng_blocks blocks;
    struct found found = {.len = 0};
    for (size_t i = 0; i < 3; i++) {
        struct file file = {.len = 28};
        memcpy(file.bytes, heads[i], i == 1 ? 12 : 4);
        add_secrets(&file, TLS_SECRETS, "A 1\n", 4);
        assert_false(see(&file, 5, &blocks, &found));
        assert_int_equal(found.num_blocks, 0);
    }
}

static void finds_resolution(void **state)
{
    (void)state;
    static const struct {
        uint8_t resolution;
        bool is_nano;
    } cases[] = {{6, false}, {7, true}, {9, true}, {0x94, false}, {0x95, true}};
    struct pcapng_blocks blocks;
    struct found found = {.len = 0};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        struct file file = {.swapped = i % 2 != 0};
        char text[1000];
        memset(text, 'x', sizeof text - 1); /* before it: farther than any head */
        text[sizeof text - 1] = '\0';
        add_section(&file);
        add_secrets(&file, TLS_SECRETS, text, sizeof text - 1);
        add_interface(&file, cases[i / 2].resolution);
        (void)see(&file, 3, &blocks, &found);
        assert_int_equal(pcapng_blocks_has_nanoseconds(&blocks), cases[i / 2].is_nano);
        add_interface(&file, cases[i / 2].is_nano ? 6 : 9); /* any of several resolutions counts */
        (void)see(&file, 3, &blocks, &found);
        assert_true(pcapng_blocks_has_nanoseconds(&blocks));
        add_interface(&file, 6);
        (void)see(&file, 3, &blocks, &found);
        assert_true(pcapng_blocks_has_nanoseconds(&blocks));
    }
}

static void add_typed_interface(struct file *file, uint16_t link_type)
{
    const uint16_t both[] = {file->swapped ? __builtin_bswap16(link_type) : link_type, 0};
    add_u32(file, 1);
    add_u32(file, 20);
    memcpy(file->bytes + file->len, both, 4);
    file->len += 4;
    add_u32(file, 96); /* the captured length of each packet */
    add_u32(file, 20);
}

/* add_packet adds the header of a packet, as far as it is read, without its bytes. */
static void add_packet(struct file *file, uint32_t type, uint32_t interface)
{
    const uint16_t old[] = {file->swapped ? __builtin_bswap16((uint16_t)interface) : (uint16_t)interface, 7};
    const uint32_t len = type == 3 ? 16 : 32;
    add_u32(file, type);
    add_u32(file, len);
    if (type == 2)
        memcpy(file->bytes + file->len, old, 4);
    else if (type == 6)
        add_u32(file, interface);
    file->len += type == 2 ? 4 : 0;
    for (size_t i = 0; i < (type == 3 ? 1 : 4); i++)
        add_u32(file, 0);
    add_u32(file, len);
}

/* Interfaces of any link type become Ethernet for libpcap; the real link types of packets are known. */
static void link_types(void **state)
{
    static const uint32_t wanted[] = {276, 276, 101, 0, 0, PCAPNG_NO_LINK_TYPE, 1};
    (void)state;
    for (size_t i = 0; i < 2 * 40; i++) {
        struct file file = {.swapped = i % 2 != 0};
        struct pcapng_interfaces interfaces = {0};
        struct pcapng_blocks blocks = {.interfaces = &interfaces};
        struct pcapng_packet packet;
        uint32_t ethernet;
        add_section(&file);
        const size_t at = file.len + 8;
        add_typed_interface(&file, 276);
        add_packet(&file, 6, 0);
        add_packet(&file, 3, 0);
        add_typed_interface(&file, 101);
        add_typed_interface(&file, 0);
        add_packet(&file, 2, 1);
        add_packet(&file, 6, 2);
        add_packet(&file, 2, 2);
        add_packet(&file, 6, 3);
        add_section(&file);
        add_typed_interface(&file, 1);
        add_packet(&file, 3, 0);
        for (size_t piece = i / 2 + 1, from = 0; from < file.len; from += piece)
            (void)pcapng_blocks_see(&blocks, file.bytes + from, file.len - from < piece ? file.len - from : piece);
        for (size_t j = 0; j < sizeof wanted / sizeof wanted[0]; j++) {
            assert_true(pcapng_interfaces_next(&interfaces, &packet));
            assert_int_equal(packet.link_type, wanted[j]);
        }
        assert_false(pcapng_interfaces_next(&interfaces, &packet));
        memcpy(&ethernet, file.bytes + at, 4);
        const uint16_t first[] = {file.swapped ? __builtin_bswap16(1) : 1, 0};
        assert_memory_equal(&ethernet, first, 4);
        memcpy(&ethernet, file.bytes + at + 4, 4);
        assert_int_equal(ethernet, 0); /* no limit */
        pcapng_interfaces_free(&interfaces);
    }
}

/* If link types are not wanted, nothing is replaced. */
static void nothing_is_replaced(void **state)
{
    struct file file = {.len = 0};
    struct pcapng_blocks blocks = {.sink = NULL};
    (void)state;
    add_section(&file);
    add_typed_interface(&file, 276);
    add_packet(&file, 6, 0);
    struct file before = file;
    (void)pcapng_blocks_see(&blocks, file.bytes, file.len);
    assert_memory_equal(file.bytes, before.bytes, file.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_secrets),      cmocka_unit_test(every_prefix),
        cmocka_unit_test(lengths_lie),        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(other_forms),        cmocka_unit_test(finds_resolution),
        cmocka_unit_test(link_types),         cmocka_unit_test(nothing_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
