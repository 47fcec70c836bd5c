/*
 * test_packet_pipe.c - packets through a pipe: they come out unchanged, wherever the pipe splits
 * them; and nonsense that no writer would write.
 */
#include "capture/packet_pipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void (*const on_wait)(void *);
static void *const wait_context;

enum { ETHERNET = 1, SLL2 = 276 };

/* open_with opens a pipe with these bytes, the first of which were read already. */
static struct packet_pipe *open_with(const struct ds_buffer *bytes, size_t num_read)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], bytes->data + num_read, bytes->len - num_read), bytes->len - num_read);
    close(fds[1]);
    return packet_pipe_open(fds[0], (const uint8_t *)bytes->data, num_read, &on_wait, &wait_context);
}

static void add(struct ds_buffer *out, int64_t ts_ns, uint32_t link_type, const char *text, uint32_t len)
{
    const struct ds_packet packet = {
        .ts_ns = ts_ns,
        .link_type = link_type,
        .data = (const uint8_t *)text,
        .cap_len = (uint32_t)strlen(text),
        .len = len,
    };
    packet_pipe_write(&packet, out);
}

static void comes_as_it_went(void **state)
{
    struct ds_buffer out = {0};
    struct ds_packet packet;
    (void)state;
    packet_pipe_write_head(ETHERNET, &out);
    assert_int_equal(out.len, PACKET_PIPE_HEAD_LEN);
    add(&out, 1, ETHERNET, "one", 3);
    add(&out, 2, SLL2, "", 60);
    uint32_t link_type = 0;
    assert_true(packet_pipe_is_head((const uint8_t *)out.data, out.len, &link_type));
    assert_int_equal(link_type, ETHERNET);
    assert_false(packet_pipe_is_head((const uint8_t *)out.data, PACKET_PIPE_HEAD_LEN - 1, &link_type));
    struct ds_buffer unknown = {0};
    packet_pipe_write_head(9999, &unknown);
    assert_false(packet_pipe_is_head((const uint8_t *)unknown.data, unknown.len, &link_type));
    ds_buffer_free(&unknown);
    for (size_t num_read = PACKET_PIPE_HEAD_LEN; num_read <= out.len; num_read++) {
        struct packet_pipe *pipe = open_with(&out, num_read);
        assert_true(packet_pipe_is_ready(pipe));
        assert_true(packet_pipe_next(pipe, &packet));
        assert_int_equal(packet.ts_ns, 1);
        assert_int_equal(packet.link_type, ETHERNET);
        assert_int_equal(packet.cap_len, 3);
        assert_memory_equal(packet.data, "one", 3);
        assert_true(packet_pipe_next(pipe, &packet));
        assert_int_equal(packet.ts_ns, 2);
        assert_int_equal(packet.link_type, SLL2);
        assert_int_equal(packet.cap_len, 0);
        assert_int_equal(packet.len, 60);
        assert_false(packet_pipe_next(pipe, &packet));
        assert_non_null(packet_pipe_trouble(pipe)); /* it never ends by itself */
        packet_pipe_free(pipe);
    }
    ds_buffer_free(&out);
}

static void every_prefix_is_safe(void **state)
{
    struct ds_buffer out = {0};
    struct ds_packet packet;
    (void)state;
    packet_pipe_write_head(ETHERNET, &out);
    add(&out, 1, ETHERNET, "one", 3);
    const size_t whole = out.len;
    for (out.len = PACKET_PIPE_HEAD_LEN; out.len <= whole; out.len++) {
        struct packet_pipe *pipe = open_with(&out, PACKET_PIPE_HEAD_LEN);
        assert_int_equal(packet_pipe_next(pipe, &packet), out.len == whole);
        packet_pipe_free(pipe);
    }
    ds_buffer_free(&out);
}

static void waits_for_what_is_not_whole(void **state)
{
    struct ds_buffer out = {0};
    struct ds_packet packet;
    int fds[2];
    (void)state;
    packet_pipe_write_head(ETHERNET, &out);
    add(&out, 1, ETHERNET, "one", 3);
    assert_int_equal(pipe(fds), 0);
    struct packet_pipe *pipe =
        packet_pipe_open(fds[0], (const uint8_t *)out.data, out.len - 1, &on_wait, &wait_context);
    assert_false(packet_pipe_is_ready(pipe));
    assert_int_equal(write(fds[1], out.data + out.len - 1, 1), 1);
    assert_true(packet_pipe_is_ready(pipe));
    assert_true(packet_pipe_next(pipe, &packet));
    assert_false(packet_pipe_is_ready(pipe));
    close(fds[1]);
    assert_true(packet_pipe_is_ready(pipe));
    assert_false(packet_pipe_next(pipe, &packet));
    packet_pipe_free(pipe);
    ds_buffer_free(&out);
}

static char points[4 * SILENT_POINT_NAME]; /* names that were reported */

static void tell(void *context, const struct silent_point *point)
{
    (void)context;
    char one[SILENT_POINT_NAME + 32];
    snprintf(one, sizeof one, "%s%c%d-%d ", point->name, point->is_back ? '+' : '-', (int)point->since_ns,
             (int)point->now_ns);
    strcat(points, one);
}

/* Points that have fallen silent are reported in their place, and are not packets. */
static void silent_points(void **state)
{
    static void (*const on_silent)(void *, const struct silent_point *) = tell;
    const struct silent_point silent = {.name = "web1", .since_ns = 7, .now_ns = 67};
    const struct silent_point back = {.name = "web1", .since_ns = 7, .now_ns = 70, .is_back = true};
    struct ds_buffer out = {0};
    struct ds_packet packet;
    (void)state;
    packet_pipe_write_head(ETHERNET, &out);
    packet_pipe_write_silent(&silent, &out);
    add(&out, 1, ETHERNET, "one", 3);
    packet_pipe_write_silent(&back, &out);
    for (int listens = 0; listens < 2; listens++) {
        struct packet_pipe *pipe = open_with(&out, PACKET_PIPE_HEAD_LEN);
        points[0] = '\0';
        if (listens)
            packet_pipe_on_silent(pipe, &on_silent);
        assert_true(packet_pipe_is_ready(pipe));
        assert_true(packet_pipe_next(pipe, &packet));
        assert_int_equal(packet.cap_len, 3);
        assert_string_equal(points, listens ? "web1-7-67 " : "");
        assert_false(packet_pipe_next(pipe, &packet));
        assert_string_equal(points, listens ? "web1-7-67 web1+7-70 " : "");
        packet_pipe_free(pipe);
    }
    ds_buffer_free(&out);
}

/* No writer writes points without a name, with one that is too long or contains a zero, or of
 * another kind. */
static void silent_points_of_nonsense(void **state)
{
    enum { AT_LEN = 0, AT_MADE = 8, AT_NOW = 24, AT_NAME = 32 };
    static const struct {
        size_t at;
        uint8_t value;
        size_t len; /* of the name */
    } wrong[] = {{AT_NAME, 'w', 0}, {AT_NAME, 'w', SILENT_POINT_NAME}, {AT_NAME + 1, 0, 4},
                 {AT_MADE, 4, 4}, {AT_MADE, 5, 4}, {AT_NOW + 7, 0x80, 4}};
    (void)state;
    for (size_t i = 0; i <= sizeof wrong / sizeof wrong[0]; i++) {
        const bool is_right = i == sizeof wrong / sizeof wrong[0];
        const size_t len = is_right ? SILENT_POINT_NAME - 1 : wrong[i].len;
        const uint32_t cap_len = (uint32_t)len + 8;
        struct ds_buffer out = {0};
        struct ds_packet packet;
        struct silent_point point = {.now_ns = 1};
        memset(point.name, 'w', SILENT_POINT_NAME - 1);
        packet_pipe_write_head(ETHERNET, &out);
        packet_pipe_write_silent(&point, &out);
        ds_buffer_add(&out, "w", 1);
        memcpy(out.data + PACKET_PIPE_HEAD_LEN + AT_LEN, &cap_len, 4);
        memcpy(out.data + PACKET_PIPE_HEAD_LEN + AT_LEN + 4, &cap_len, 4);
        if (!is_right)
            out.data[PACKET_PIPE_HEAD_LEN + wrong[i].at] = (char)wrong[i].value;
        out.len = PACKET_PIPE_HEAD_LEN + AT_NOW + cap_len;
        struct packet_pipe *pipe = open_with(&out, PACKET_PIPE_HEAD_LEN);
        assert_false(packet_pipe_next(pipe, &packet));
        assert_non_null(packet_pipe_trouble(pipe));
        assert_int_equal(strstr(packet_pipe_trouble(pipe), "nonsense") == NULL, is_right);
        packet_pipe_free(pipe);
        ds_buffer_free(&out);
    }
}

static struct capture_point known; /* that was told last */

static void know(void *context, const struct capture_point *point)
{
    (void)context;
    known = *point;
}

/* What is known of capture points comes between packets. A name is not empty, and has an end. */
static void what_is_known_of_points(void **state)
{
    static void (*const on_point)(void *, const struct capture_point *) = know;
    struct capture_point point = {.numbers = {.counts = {1, 2, 3}, .last_ns = 4, .late = 5}};
    struct ds_packet packet;
    (void)state;
    for (size_t len = 0; len <= CAPTURE_POINT_NAME; len++) {
        struct ds_buffer out = {0};
        const bool is_right = len != 0 && len < CAPTURE_POINT_NAME;
        const uint32_t cap_len = (uint32_t)(sizeof point.numbers + len);
        memset(point.name, 'w', CAPTURE_POINT_NAME - 1);
        packet_pipe_write_head(ETHERNET, &out);
        packet_pipe_write_point(&point, &out);
        ds_buffer_add(&out, "w", 1);
        memcpy(out.data + PACKET_PIPE_HEAD_LEN, &cap_len, 4);
        memcpy(out.data + PACKET_PIPE_HEAD_LEN + 4, &cap_len, 4);
        out.len = PACKET_PIPE_HEAD_LEN + 24 + cap_len;
        add(&out, 1, ETHERNET, "one", 3);
        struct packet_pipe *pipe = open_with(&out, PACKET_PIPE_HEAD_LEN);
        packet_pipe_on_point(pipe, &on_point);
        known = (struct capture_point){0};
        assert_int_equal(packet_pipe_next(pipe, &packet), is_right);
        assert_int_equal(packet_pipe_trouble(pipe) == NULL, is_right);
        assert_int_equal(strlen(known.name), is_right ? len : 0);
        assert_int_equal(known.numbers.late, is_right ? 5 : 0);
        packet_pipe_free(pipe);
        ds_buffer_free(&out);
    }
}

/* The longest possible piece of packets passes; one byte more does not. */
static void the_longest(void **state)
{
    struct ds_buffer out = {0};
    struct ds_packet given;
    static uint8_t bytes[PACKET_PIPE_CAPTURED + 1];
    (void)state;
    for (uint32_t more = 0; more <= 1; more++) {
        int fds[2];
        const struct ds_packet packet = {
            .link_type = ETHERNET, .data = bytes, .cap_len = PACKET_PIPE_CAPTURED + more, .len = sizeof bytes};
        out.len = 0;
        packet_pipe_write_head(ETHERNET, &out);
        packet_pipe_write(&packet, &out);
        assert_int_equal(pipe(fds), 0);
        struct packet_pipe *pipe = packet_pipe_open(fds[0], (const uint8_t *)out.data, PACKET_PIPE_HEAD_LEN,
                                                    &on_wait, &wait_context);
        for (size_t at = PACKET_PIPE_HEAD_LEN; at < out.len;) {
            const size_t len = out.len - at < 32768 ? out.len - at : 32768;
            assert_int_equal(write(fds[1], out.data + at, len), len);
            at += len;
            if (packet_pipe_is_ready(pipe))
                break;
        }
        assert_int_equal(packet_pipe_next(pipe, &given), more == 0);
        assert_int_equal(packet_pipe_trouble(pipe) != NULL, more != 0);
        if (more == 0)
            assert_int_equal(given.cap_len, PACKET_PIPE_CAPTURED);
        close(fds[1]);
        packet_pipe_free(pipe);
    }
    ds_buffer_free(&out);
}

/* nonsense: one number of an entry is a value that no writer would write. */
static void nonsense(void **state)
{
    static const struct {
        uint32_t cap_len, len, link_type, later;
    } wrong[] = {
        {4, 3, ETHERNET, 0}, /* more than there was */
        {UINT32_MAX, UINT32_MAX, ETHERNET, 0},
        {3, 3, ETHERNET, UINT32_MAX}, /* before 1970 */
        {3, 3, 9999, 0}, /* a link type that cannot be read */
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct ds_buffer out = {0};
        struct ds_packet packet;
        const uint32_t head[] = {wrong[i].cap_len, wrong[i].len, 0, wrong[i].link_type, 0, wrong[i].later};
        packet_pipe_write_head(ETHERNET, &out);
        add(&out, 1, ETHERNET, "one", 3);
        ds_buffer_add(&out, head, sizeof head);
        ds_buffer_add_text(&out, "abcdefgh");
        struct packet_pipe *pipe = open_with(&out, PACKET_PIPE_HEAD_LEN);
        assert_true(packet_pipe_next(pipe, &packet));
        assert_false(packet_pipe_next(pipe, &packet));
        assert_non_null(packet_pipe_trouble(pipe));
        packet_pipe_free(pipe);
        ds_buffer_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_as_it_went),
        cmocka_unit_test(every_prefix_is_safe),
        cmocka_unit_test(waits_for_what_is_not_whole),
        cmocka_unit_test(silent_points),
        cmocka_unit_test(silent_points_of_nonsense),
        cmocka_unit_test(what_is_known_of_points),
        cmocka_unit_test(the_longest),
        cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
