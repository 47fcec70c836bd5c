/*
 * pseudonym_class.c - see pseudonym_class.h. Below 128 the classes are sets of characters; above, they
 * are ranges of characters that are mostly letters of a script, or mostly something else.
 */
#include "redact/pseudonym_class.h"

#include "core/printable.h"

#include <string.h>

static const char lower[] = "abcdefghijklmnopqrstuvwxyz";
static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char digits[] = "0123456789";
static const char marks[] = "!\"#$%&'()*+,/:;<=>?[\\]^`{|}~";
static const char all_marks[] = "!\"#$%&'()*+,/:;<=>?[\\]^`{|}~-_.@";
static const char controls[] = "\0\001\002\003\004\005\006\007\010\013\014\016\017\020\021"
                               "\022\023\024\025\026\027\030\031\032\033\034\035\036\037\177";

/* The last character of each range; a range begins after the end of the previous one. A range never
 * contains characters of different lengths in UTF-8, nor both 255 and 256. */
static const uint32_t range_ends[] = {
    0x7f,   0x9f,   0xbf,   0xff,   0x24f,  0x2ff,  0x36f,  0x3ff,    0x482,    0x489,
    0x52f,  0x590,  0x5cf,  0x5f4,  0x7ff,  0x303f, 0x30ff, 0x4dff,   0x9fff,   0xabff,
    0xd7a3, 0xd7ff, 0xdfff, 0xffff, 0x1ffff, 0x2fffd, 0x10ffff,
};

/* The sets of characters below 128. */
static const struct members {
    const char *members;
    uint32_t num;
    bool in_text, in_name;
} sets[] = {
    {lower, sizeof lower - 1, true, true},
    {upper, sizeof upper - 1, true, true},
    {digits, sizeof digits - 1, true, true},
    {marks, sizeof marks - 1, false, true},
    {all_marks, sizeof all_marks - 1, true, false},
    {controls, sizeof controls - 1, true, true},
};

static struct pseudonym_class find_ascii(bool in_name, uint32_t code)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const struct members *set = &sets[i];
        const bool applies = in_name ? set->in_name : set->in_text;
        const char *at = applies ? memchr(set->members, (int)code, set->num) : NULL;
        if (at != NULL)
            return (struct pseudonym_class){.members = set->members,
                                            .size = set->num,
                                            .place = (uint32_t)(at - set->members)};
    }
    return (struct pseudonym_class){.first = code, .size = 1};
}

struct pseudonym_class pseudonym_class(enum pseudonym_set set, uint32_t code)
{
    const uint32_t num_bytes = 256;
    size_t i = 1;
    if (set == CLASSES_ANY && code < num_bytes)
        return (struct pseudonym_class){.size = num_bytes, .place = code};
    if (code <= range_ends[0])
        return find_ascii(set == CLASSES_NAME, code);
    while (i + 1 < sizeof range_ends / sizeof range_ends[0] && code > range_ends[i])
        i++;
    const uint32_t first = range_ends[i - 1] + 1;
    return (struct pseudonym_class){
        .first = first, .size = range_ends[i] - first + 1, .place = code - first};
}

uint32_t pseudonym_class_member(const struct pseudonym_class *class, uint32_t place)
{
    return class->members != NULL ? (unsigned char)class->members[place] : class->first + place;
}

static bool is_text(uint32_t code)
{
    return (code >= ' ' && code < 0x7f) || code > 0x9f || code == '\t' || code == '\n' ||
           code == '\r';
}

bool pseudonym_is_text(const uint32_t *codes, size_t num)
{
    while (num != 0 && is_text(codes[num - 1]))
        num--;
    return num == 0;
}

bool pseudonym_is_utf8_text(const char *bytes, size_t len)
{
    uint32_t code;
    for (size_t i = 0, used; i < len; i += used) {
        used = ds_text_read_char((struct ds_text){bytes + i, len - i}, &code);
        if (used == 0 || !is_text(code))
            return false;
    }
    return true;
}
