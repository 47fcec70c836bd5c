/*
 * escape.c - which characters are shown, and how the others are escaped.
 */
#include "util/escape.h"
#include "util/utf8.h"

enum {
    SHOWN = 1,      /* shown as it is */
    ATOM_FIRST = 2, /* may begin an atom without quotes */
    ATOM_PART = 4,  /* may occur in one */
    PRINTABLE = 8,  /* part of text for Erlang's shell */
};

/* Of a byte as an ASCII character; bytes above 127 have no bits. */
static const uint8_t byte_class[256] = {
    [8] = PRINTABLE,   [9] = PRINTABLE,
    [10] = PRINTABLE,  [11] = PRINTABLE,
    [12] = PRINTABLE,  [13] = PRINTABLE,
    [27] = PRINTABLE,  [' ' ... '/'] = PRINTABLE | SHOWN,
    ['0' ... '9'] = PRINTABLE | SHOWN | ATOM_PART,
    [':' ... '?'] = PRINTABLE | SHOWN,
    ['@'] = PRINTABLE | SHOWN | ATOM_PART,
    ['A' ... 'Z'] = PRINTABLE | SHOWN | ATOM_PART,
    ['['] = PRINTABLE | SHOWN,
    ['\\'] = PRINTABLE,
    [']' ... '^'] = PRINTABLE | SHOWN,
    ['_'] = PRINTABLE | SHOWN | ATOM_PART,
    ['`'] = PRINTABLE | SHOWN,
    ['a' ... 'z'] = PRINTABLE | SHOWN | ATOM_FIRST | ATOM_PART,
    ['{' ... '~'] = PRINTABLE | SHOWN,
};

struct range {
    uint32_t first, last;
};

/* Characters above ASCII that are invisible, or change the direction of text. */
static const struct range hidden[] = {
    {0x80, 0x9f},       /* C1 controls: some terminals execute them */
    {0xad, 0xad},       /* soft hyphen */
    {0x34f, 0x34f},     /* combining grapheme joiner */
    {0x61c, 0x61c},     /* Arabic letter mark */
    {0x115f, 0x1160},   /* Hangul fillers */
    {0x17b4, 0x17b5},   /* Khmer inherent vowels */
    {0x180b, 0x180f},   /* Mongolian separators */
    {0x200b, 0x200f},   /* zero width, left-to-right and right-to-left marks */
    {0x2028, 0x202e},   /* line separators, embeddings and overrides */
    {0x2060, 0x206f},   /* joiners, isolates, deprecated controls */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xd800, 0xdfff},   /* surrogates */
    {0xfe00, 0xfe0f},   /* variation selectors */
    {0xfeff, 0xfeff},   /* byte order mark */
    {0xffa0, 0xffa0},   /* Hangul filler */
    {0xfff0, 0xfffb},   /* interlinear annotation */
    {0xfffe, 0xffff},   /* not characters */
    {0x1bca0, 0x1bca3}, /* shorthand controls */
    {0x1d173, 0x1d17a}, /* musical controls */
    {0xe0000, 0xe0fff}, /* tags, variation selectors */
};

/* Characters that Unicode joins with the next one (Grapheme_Cluster_Break=Prepend, as of 16.0). */
static const struct range prepended[] = {
    {0x600, 0x605},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0xd4e, 0xd4e},     {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x111c2, 0x111c3}, {0x113d1, 0x113d1},
    {0x1193f, 0x1193f}, {0x11941, 0x11941}, {0x11a3a, 0x11a3a}, {0x11a84, 0x11a89}, {0x11d46, 0x11d46},
    {0x11f02, 0x11f02},
};

/* is_among says whether one of the ranges, in ascending order, contains that character. */
static bool is_among(const struct range *ranges, size_t num, uint32_t code)
{
    for (size_t i = 0; i < num && ranges[i].first <= code; i++) {
        if (code <= ranges[i].last)
            return true;
    }
    return false;
}

bool ds_char_is_shown(uint32_t code)
{
    if (code < 0x80)
        return byte_class[code] & SHOWN;
    return !is_among(hidden, sizeof hidden / sizeof hidden[0], code);
}

bool escape_joins_next(uint32_t code)
{
    return is_among(prepended, sizeof prepended / sizeof prepended[0], code);
}

bool escape_is_printable(uint32_t code)
{
    if (code < 0x80)
        return byte_class[code] & PRINTABLE;
    return code >= 0xa0 && (code < 0xd800 || code > 0xdfff) && code != 0xfffe &&
           code != 0xffff && code <= 0x10ffff;
}

/* How each language begins the code of a character in braces. */
static const char escape_erlang[] = "\\x{", escape_elixir[] = "\\u{";

static void escape_add_code(struct ds_buffer *out, uint32_t code, const char *begin, bool in_string)
{
    if (in_string)
        BUFFER_ADD(out, "\\");
    ds_buffer_add_text(out, begin);
    buffer_add_hex(out, code);
    BUFFER_ADD(out, "}");
}

/* escape_add_short appends a backslash and a character. */
static void escape_add_short(struct ds_buffer *out, char c, bool in_string)
{
    if (in_string)
        BUFFER_ADD(out, "\\");
    buffer_add_char(out, '\\');
    if (in_string && (c == '"' || c == '\\'))
        BUFFER_ADD(out, "\\");
    buffer_add_char(out, c);
}

static void escape_add(struct ds_buffer *out, uint32_t code, struct escape_style style,
                       const char *begin)
{
    static const char short_escape[128] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v',   ['\f'] = 'f',
        ['\r'] = 'r', [27] = 'e',   [127] = 'd',  ['\\'] = '\\',
    };
    const bool is_quote = code == (uint8_t)style.quote && style.quote != 0;
    if (is_quote || (code < 0x80 && short_escape[code] != 0)) {
        escape_add_short(out, is_quote ? style.quote : short_escape[code], style.in_string);
    } else if (ds_char_is_shown(code)) {
        if (code == '"' && style.in_string)
            BUFFER_ADD(out, "\\");
        utf8_add(out, code);
    } else {
        escape_add_code(out, code, begin, style.in_string);
    }
}

void escape_add_char(struct ds_buffer *out, uint32_t code, struct escape_style style)
{
    escape_add(out, code, style, escape_erlang);
}

void escape_add_elixir(struct ds_buffer *out, uint32_t code)
{
    if (code == '#')
        BUFFER_ADD(out, "\\#");
    else if (escape_joins_next(code))
        escape_add_code(out, code, escape_elixir, false);
    else
        escape_add(out, code, (struct escape_style){'"', false}, escape_elixir);
}

/* escape_count_shown returns how many of the eight bytes of a word, from the lowest on, are shown
 * unchanged: from ' ' to '~', except backslash and that quote. A condition is true for a byte if
 * its top bit is set; borrows and carries only reach bytes above one that already stops the count. */
static inline unsigned escape_count_shown(uint64_t word, char quote)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = ones << 7;
    const uint64_t is_quote = (word ^ ones * (uint8_t)quote) - ones;
    const uint64_t is_backslash = (word ^ ones * '\\') - ones;
    const uint64_t is_below = word - ones * ' ';
    const uint64_t is_above = (word + ones) | word;
    const uint64_t stops = (is_quote | is_backslash | is_below | is_above) & tops;
    return stops == 0 ? 8 : (unsigned)__builtin_ctzll(stops) / 8;
}

bool escape_all_shown(struct cursor text)
{
    uint64_t word;
    uint8_t byte;
    if (cursor_peek_last_u64_le(&text, &word)) { /* it overlaps the words examined next */
        if (escape_count_shown(word, '"') != sizeof word)
            return false;
        while (cursor_read_u64_le(&text, &word)) {
            if (escape_count_shown(word, '"') != sizeof word)
                return false;
        }
        return true;
    }
    while (cursor_read_u8(&text, &byte)) {
        if (!(byte_class[byte] & SHOWN) || byte == '"')
            return false;
    }
    return true;
}

/* escape_add_run appends the characters up to the first that may need an escape. */
static void escape_add_run(struct ds_buffer *out, struct cursor *text, struct escape_style style)
{
    struct cursor run = *text;
    uint64_t word;
    uint8_t byte;
    const char stop = style.in_string ? '"' : style.quote;
    const bool two = style.quote != stop;
    while (!two && cursor_peek_u64_le(text, &word)) {
        const unsigned num = escape_count_shown(word, stop);
        if (!cursor_skip(text, num) || num < sizeof word)
            break;
    }
    while (cursor_peek_u8(text, &byte) && (byte_class[byte] & SHOWN) && byte != (uint8_t)stop &&
           byte != (uint8_t)style.quote && cursor_skip(text, 1))
        continue;
    run.end = text->at;
    buffer_add_cursor(out, &run);
}

void escape_add_utf8(struct ds_buffer *out, struct cursor text, struct escape_style style)
{
    uint32_t code;
    uint8_t byte;
    for (;;) {
        escape_add_run(out, &text, style);
        if (utf8_read(&text, &code)) {
            escape_add_char(out, code, style);
        } else if (cursor_read_u8(&text, &byte)) {
            escape_add_code(out, byte, escape_erlang, style.in_string);
        } else {
            break;
        }
    }
}

void escape_add_latin1(struct ds_buffer *out, struct cursor text, struct escape_style style)
{
    uint8_t byte;
    for (;;) {
        escape_add_run(out, &text, style);
        if (!cursor_read_u8(&text, &byte))
            break;
        escape_add_char(out, byte, style);
    }
}

static bool escape_is_reserved(const struct cursor *text)
{
    enum { LEN_MAX = 7, NUM_MAX = 12 };
    static const char words[LEN_MAX + 1][NUM_MAX][LEN_MAX + 1] = {
        [2] = {"if", "of", "or"},
        [3] = {"and", "bor", "bsl", "bsr", "div", "end", "fun", "let", "not", "rem", "try", "xor"},
        [4] = {"band", "bnot", "bxor", "case", "cond", "else", "when"},
        [5] = {"after", "begin", "catch", "maybe", "query"},
        [6] = {"orelse"},
        [7] = {"andalso", "receive"},
    };
    size_t len = cursor_left(text);
    uint8_t first;
    if (len > LEN_MAX || !cursor_peek_u8(text, &first))
        return false;
    for (size_t i = 0; i < NUM_MAX && words[len][i][0] != 0; i++) {
        if (words[len][i][0] == (char)first && memcmp(words[len][i], text->at, len) == 0)
            return true;
    }
    return false;
}

bool escape_reads_back(struct cursor text)
{
    uint32_t code;
    while (utf8_read(&text, &code)) {
        if (code == 0xfffe || code == 0xffff)
            return false;
    }
    return true;
}

/* escape_is_bare says whether an atom needs no quotes. */
static bool escape_is_bare(struct cursor text)
{
    struct cursor c = text;
    uint8_t byte;
    bool plain = cursor_peek_u8(&c, &byte) && (byte_class[byte] & ATOM_FIRST);
    while (plain && cursor_read_u8(&c, &byte))
        plain = byte_class[byte] & ATOM_PART;
    return plain && !escape_is_reserved(&text);
}

void escape_add_atom_in(struct ds_buffer *out, struct cursor text, bool in_string)
{
    if (escape_is_bare(text)) {
        buffer_add_cursor(out, &text);
    } else {
        BUFFER_ADD(out, "'");
        escape_add_utf8(out, text, (struct escape_style){'\'', in_string});
        BUFFER_ADD(out, "'");
    }
}

void escape_add_atom(struct ds_buffer *out, struct cursor text)
{
    escape_add_atom_in(out, text, false);
}

uint8_t escape_look_at_atom(struct cursor text)
{
    uint8_t looks = escape_is_bare(text) ? DS_ATOM_BARE : 0;
    uint8_t byte;
    while (cursor_read_u8(&text, &byte)) {
        if (!(byte_class[byte] & SHOWN) || byte == '"' || byte == '\'')
            return looks;
    }
    return looks | DS_ATOM_SHOWN;
}

enum escape_kind escape_guess(struct cursor *text, bool cut)
{
    enum escape_kind kind = ESCAPE_ASCII;
    struct cursor c = *text;
    uint32_t code;
    uint64_t word;
    uint8_t byte;
    for (;;) {
        while (cursor_peek_u64_le(&c, &word) && escape_count_shown(word, 0) == sizeof word &&
               cursor_skip(&c, sizeof word))
            continue;
        while (cursor_peek_u8(&c, &byte) && (byte_class[byte] & PRINTABLE) && cursor_skip(&c, 1))
            continue;
        if (cursor_left(&c) == 0)
            return kind;
        if (byte < 0x80)
            return ESCAPE_BYTES;
        if (!utf8_read(&c, &code))
            break;
        if (!escape_is_printable(code))
            return ESCAPE_BYTES;
        kind = ESCAPE_UTF8;
    }
    if (!cut || cursor_left(&c) >= UTF8_LEN_MAX || c.at == text->at)
        return ESCAPE_BYTES;
    text->end = c.at;
    return kind;
}

bool escape_is_latin1(struct cursor text)
{
    uint8_t byte;
    while (cursor_read_u8(&text, &byte)) {
        if (!(byte_class[byte] & PRINTABLE) && byte < 0xa0)
            return false;
    }
    return true;
}

void ds_term_print_atom(struct ds_text text, struct ds_buffer *out)
{
    if (text.data == NULL) {
        BUFFER_ADD(out, "'?atom'");
    } else {
        escape_add_atom(out, cursor_make(text.data, text.len));
    }
}
