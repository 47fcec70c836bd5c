/*
 * op_frames.h - a frame of each operation of ops.def.
 */
#ifndef TESTS_OP_FRAMES_H
#define TESTS_OP_FRAMES_H

#include "dist/ops.h"
#include "util/buffer.h"

#include <string.h>

#define PID_A "\x58\x77\x01" "a\0\0\0\1\0\0\0\0\0\0\0\7"
#define PID_B "\x58\x77\x01" "b\0\0\0\2\0\0\0\0\0\0\0\7"
#define REF_A "\x5a\0\3\x77\x01" "a\0\0\0\7\0\0\0\1\0\0\0\2\0\0\0\3"
#define MFA "\x68\3\x77\1m\x77\1f\x61\2"
#define TOKEN "\x68\5\x61\1\x61\2\x61\3" PID_A "\x61\4"
#define BYTES(literal) literal, sizeof(literal) - 1

/* A term for each role, and its text. */
static const struct sample {
    char letter;
    const char *bytes;
    size_t len;
    const char *text;
} op_samples[] = {
    {'f', BYTES(PID_A), "<a.1.0>"},        {'t', BYTES(PID_B), "<b.2.0>"},
    {'k', BYTES(TOKEN), "{1,2,3,<a.1.0>,4}"}, {'r', BYTES(REF_A), "#Ref<a.3.2.1>"},
    {'F', BYTES("\x61\2"), "2"},           {'g', BYTES(PID_B), "<b.2.0>"},
    {'m', BYTES(MFA), "{m,f,2}"},          {'o', BYTES("\x6a"), "[]"},
    {'i', BYTES("\x61\x2a"), "42"},        {'x', BYTES(PID_B), "<b.2.0>"},
    {'R', BYTES("\x77\4gone"), "gone"},    {'_', BYTES("\x77\0"), "''"},
};

static inline const struct sample *sample_of(char letter)
{
    for (size_t i = 0; i < sizeof op_samples / sizeof op_samples[0]; i++) {
        if (op_samples[i].letter == letter)
            return &op_samples[i];
    }
    fail_msg("no sample for %c", letter);
    return NULL;
}

static inline size_t num_roles(const char *roles)
{
    size_t num = 0;
    for (; *roles != '\0'; roles++)
        num += *roles != '?';
    return num;
}

/* op_frame makes a frame of the operation. changed: the element that is replaced by a float (-1:
 * none); without_last: the last element is missing. */
static inline size_t op_frame(uint8_t *out, const struct ds_op *op, int changed, bool without_last)
{
    struct ds_buffer frame = {0};
    size_t num = num_roles(op->roles) - (without_last ? 1 : 0);
    const char head[] = {0, 0, 0, 0, (char)131, 68, 0, 104, (char)(num + 1), 97, (char)op->code};
    ds_buffer_add(&frame, head, sizeof head);
    size_t i = 0;
    for (const char *role = op->roles; *role != '\0' && i < num; role++) {
        if (*role == '?')
            continue;
        const struct sample *sample = sample_of(*role);
        if ((int)i == changed)
            ds_buffer_add(&frame, "\x46\x40\0\0\0\0\0\0\0", 9);
        else
            ds_buffer_add(&frame, sample->bytes, sample->len);
        i++;
    }
    if (op->has_payload)
        ds_buffer_add(&frame, "\x77\2hi", 4);
    assert_false(frame.failed);
    assert_true(frame.len < 256);
    memcpy(out, frame.data, frame.len);
    out[3] = (uint8_t)(frame.len - 4);
    size_t len = frame.len;
    ds_buffer_free(&frame);
    return len;
}

#endif
