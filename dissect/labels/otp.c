/*
 * otp.c - matches messages against the lines of otp.def (see otp.h).
 *
 * Thousands of messages per millisecond are matched here, nearly all of a few kinds, so each
 * message is compared with the lines of a bucket at most six times. A bucket is (family, receiver's
 * name, number of elements, first atom); each of the latter three may be "any". The names and atoms
 * of otp.def are numbered; any other text has number 0.
 */
#include <distsniff/otp.h>

#include "etf/term_token.h"
#include "labels/pattern.h"

#include <stdlib.h>
#include <string.h>

static const struct ds_otp_line known_lines[] = {
#define OTP(kind, group, label, to, pattern) {DS_OTP_##kind, group, label, to, pattern},
#include "labels/otp.def"
#undef OTP
};

enum { NUM_KNOWN = sizeof known_lines / sizeof known_lines[0], NO_LINE = 0xffff };
_Static_assert(NUM_KNOWN + DS_OTP_MAX_LINES < NO_LINE / 3,
               "lines and names are numbered with 16 bits");

/* What the pattern of a line is matched against. */
enum label_family { FAMILY_MESSAGE, FAMILY_IN_CALL, FAMILY_IN_CAST, FAMILY_SPAWN, FAMILY_RESULT };

static const enum label_family families[DS_OTP_NUM_KINDS] = {
    [DS_OTP_CALL] = FAMILY_MESSAGE,         [DS_OTP_REPLY] = FAMILY_MESSAGE,
    [DS_OTP_WATCHED_CALL] = FAMILY_MESSAGE, [DS_OTP_WATCHED_REPLY] = FAMILY_MESSAGE,
    [DS_OTP_TAGGED_CALL] = FAMILY_MESSAGE,
    [DS_OTP_CAST] = FAMILY_MESSAGE,         [DS_OTP_INFO] = FAMILY_MESSAGE,
    [DS_OTP_PEER] = FAMILY_MESSAGE,         [DS_OTP_IN_CALL] = FAMILY_IN_CALL,
    [DS_OTP_IN_CAST] = FAMILY_IN_CAST,      [DS_OTP_IN_PEER] = FAMILY_IN_CAST,
    [DS_OTP_SPAWN] = FAMILY_SPAWN,          [DS_OTP_SPAWN_CALL] = FAMILY_SPAWN,
    [DS_OTP_SPAWN_CAST] = FAMILY_SPAWN,     [DS_OTP_RESULT] = FAMILY_RESULT,
    [DS_OTP_FAILURE] = FAMILY_RESULT,
};

static const struct {
    const char *name;
    enum ds_otp_variable variable;
} variables[] = {
    {"From", DS_OTP_FROM},
    {"Tag", DS_OTP_TAG},
    {"Request", DS_OTP_REQUEST},
    {"Reply", DS_OTP_REPLY_TERM},
    {"Reason", DS_OTP_REASON},
    {"M", DS_OTP_M},
    {"F", DS_OTP_F},
    {"A", DS_OTP_A},
    {"Name", DS_OTP_NAME},
    {"Pid", DS_OTP_PID},
    {"Gone", DS_OTP_GONE},
    {"Names", DS_OTP_NAMES},
    {"Ops", DS_OTP_OPS},
    {"Scope", DS_OTP_SCOPE},
    {"Groups", DS_OTP_GROUPS},
    {"Group", DS_OTP_GROUP},
    {"Pids", DS_OTP_PIDS},
    {"Left", DS_OTP_LEFT},
    {"Members", DS_OTP_MEMBERS},
    {"Changes", DS_OTP_CHANGES},
    {"Own", DS_OTP_OWN},
    {"Answerer", DS_OTP_ANSWERER},
    {"ReplyOptions", DS_OTP_REPLY_OPTIONS},
    {"ReplyTo", DS_OTP_REPLY_TO},
};
_Static_assert(sizeof variables / sizeof variables[0] == DS_OTP_NUM_VARIABLES, "each has a name");

/* label_line is one of lines[], compiled. */
struct label_line {
    struct pattern *pattern;
    uint16_t next;  /* in the same bucket */
    uint16_t label; /* number of its name, if there are lines for the answers to such calls */
    uint8_t num_bound;
    uint32_t bound; /* 1 << enum ds_otp_variable */
    uint32_t classes; /* pattern_classes */
    struct {
        uint8_t variable, index; /* index in pattern_match */
    } bindings[DS_OTP_NUM_VARIABLES];
};

/* Open addressing; at least this many slots, a power of two, and at most half full: there are at
 * most one bucket and three names per line. */
enum { LEAST_SLOTS = 1024, ANY_ARITY = 0x7f };

struct name_slot {
    struct ds_text text;
    uint16_t number;   /* 0: free */
    bool is_shared;    /* users' own calls go to it: rex */
    const char *owner; /* the group of the process with that name; NULL: any */
};

struct bucket {
    uint64_t key; /* 0: free */
    uint16_t first;
};

struct ds_otp {
    struct ds_otp_line *lines; /* added ones first */
    struct label_line *line;
    size_t num_lines;
    struct name_slot *names;
    struct bucket *buckets;
    uint32_t mask; /* for the slot numbers of both tables */
    uint16_t num_names;
};

/* hash_short mixes the length and the first and last bytes: the names are short. */
static uint32_t hash_short(struct ds_text text)
{
    uint64_t first = 0, last = 0;
    uint32_t half[2];
    if (text.len >= sizeof first) {
        memcpy(&first, text.data, sizeof first);
        memcpy(&last, text.data + text.len - sizeof last, sizeof last);
    } else if (text.len >= sizeof half[0]) {
        memcpy(&half[0], text.data, sizeof half[0]);
        memcpy(&half[1], text.data + text.len - sizeof half[1], sizeof half[1]);
        first = half[0];
        last = half[1];
    } else {
        for (size_t i = 0; i < text.len; i++)
            first = first << 8 | (uint8_t)text.data[i];
    }
    return (uint32_t)(((first ^ text.len) * 0x9e3779b97f4a7c15u ^ last) * 0xd6e8feb86659fd93u >>
                      32);
}

static struct name_slot *find_name_slot(struct ds_otp *otp, struct ds_text text)
{
    struct name_slot *slots = otp->names;
    uint32_t i = hash_short(text) & otp->mask;
    while (slots[i].number != 0 &&
           (slots[i].text.len != text.len || memcmp(slots[i].text.data, text.data, text.len) != 0))
        i = (i + 1) & otp->mask;
    return &slots[i];
}

/* The longest text in otp.def is shorter; longer texts need no hash. */
enum { NAME_LEN_MAX = 64 };

/* find_slot returns NULL if there is no such name. */
static const struct name_slot *find_slot(const struct ds_otp *otp, struct ds_text text)
{
    if (text.data == NULL || text.len == 0 || text.len > NAME_LEN_MAX)
        return NULL;
    uint32_t i = hash_short(text) & otp->mask;
    for (; otp->names[i].number != 0; i = (i + 1) & otp->mask)
        if (otp->names[i].text.len == text.len &&
            memcmp(otp->names[i].text.data, text.data, text.len) == 0)
            return &otp->names[i];
    return NULL;
}

static uint16_t find_name(const struct ds_otp *otp, struct ds_text text)
{
    const struct name_slot *slot = find_slot(otp, text);
    return slot != NULL ? slot->number : 0;
}

static uint16_t add_name(struct ds_otp *otp, struct ds_text text)
{
    if (text.data == NULL || text.len == 0)
        return 0;
    struct name_slot *slot = find_name_slot(otp, text);
    if (slot->number == 0)
        *slot = (struct name_slot){.text = text, .number = ++otp->num_names};
    return slot->number;
}

static uint64_t bucket_key(enum label_family family, uint16_t to, unsigned arity, uint16_t atom)
{
    return 1ull << 63 | (uint64_t)family << 56 | (uint64_t)arity << 48 | (uint64_t)to << 16 | atom;
}

static uint32_t find_bucket(const struct ds_otp *otp, uint64_t key)
{
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40) & otp->mask;
    while (otp->buckets[i].key != 0 && otp->buckets[i].key != key)
        i = (i + 1) & otp->mask;
    return i;
}

static bool add_line(struct ds_otp *otp, uint16_t number)
{
    const struct ds_otp_line *text = &otp->lines[number];
    struct label_line *line = &otp->line[number];
    struct pattern_error error;
    line->pattern = pattern_compile((struct ds_text){text->pattern, strlen(text->pattern)}, &error);
    if (line->pattern == NULL)
        return false;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        int index = pattern_find_variable(line->pattern, variables[i].name);
        if (index < 0)
            continue;
        line->bindings[line->num_bound].variable = (uint8_t)variables[i].variable;
        line->bindings[line->num_bound++].index = (uint8_t)index;
        line->bound |= 1u << variables[i].variable;
    }
    struct ds_text first_atom;
    int arity = pattern_head(line->pattern, &first_atom);
    line->classes = pattern_classes(line->pattern);
    uint64_t key = bucket_key(families[text->kind],
                              add_name(otp, (struct ds_text){text->to, strlen(text->to)}),
                              arity < 0 ? ANY_ARITY : (unsigned)arity, add_name(otp, first_atom));
    line->next = NO_LINE;
    struct bucket *bucket = &otp->buckets[find_bucket(otp, key)];
    if (bucket->key == 0) {
        *bucket = (struct bucket){key, number};
        return true;
    }
    uint16_t last = bucket->first;
    while (otp->line[last].next != NO_LINE)
        last = otp->line[last].next;
    otp->line[last].next = number;
    return true;
}

static bool reserve(struct ds_otp *otp, const struct ds_otp_line *lines, size_t num)
{
    size_t num_slots = LEAST_SLOTS;
    otp->num_lines = num + NUM_KNOWN;
    while (num_slots < otp->num_lines * 6)
        num_slots *= 2;
    otp->mask = (uint32_t)num_slots - 1;
    otp->lines = calloc(otp->num_lines, sizeof *otp->lines);
    otp->line = calloc(otp->num_lines, sizeof *otp->line);
    otp->names = calloc(num_slots, sizeof *otp->names);
    otp->buckets = calloc(num_slots, sizeof *otp->buckets);
    if (otp->lines == NULL || otp->line == NULL || otp->names == NULL || otp->buckets == NULL)
        return false;
    for (size_t i = 0; i < num; i++)
        otp->lines[i] = lines[i];
    memcpy(otp->lines + num, known_lines, sizeof known_lines);
    return true;
}

/* record_owner records the group of the process named in a line. */
static void record_owner(struct ds_otp *otp, const struct ds_otp_line *line)
{
    const enum label_family family = families[line->kind];
    struct name_slot *slot = find_name_slot(otp, (struct ds_text){line->to, strlen(line->to)});
    if (slot->number == 0 || slot->is_shared || family == FAMILY_SPAWN || family == FAMILY_RESULT)
        return;
    slot->is_shared = line->group[0] == '\0' && family == FAMILY_IN_CALL;
    if (slot->is_shared)
        slot->owner = NULL;
    else if (line->group[0] != '\0')
        slot->owner = line->group;
}

struct ds_otp *ds_otp_new_with(const struct ds_otp_line *lines, size_t num)
{
    struct ds_otp *otp = num <= DS_OTP_MAX_LINES ? calloc(1, sizeof *otp) : NULL;
    if (otp == NULL)
        return NULL;
    bool ok = reserve(otp, lines, num);
    for (size_t i = 0; ok && i < otp->num_lines; i++)
        ok = add_line(otp, (uint16_t)i);
    for (size_t i = 0; ok && i < otp->num_lines; i++)
        otp->line[i].label =
            find_name(otp, (struct ds_text){otp->lines[i].label, strlen(otp->lines[i].label)});
    for (size_t i = 0; ok && i < otp->num_lines; i++)
        record_owner(otp, &otp->lines[i]);
    if (ok)
        return otp;
    ds_otp_free(otp);
    return NULL;
}

struct ds_otp *ds_otp_new(void)
{
    return ds_otp_new_with(NULL, 0);
}

void ds_otp_free(struct ds_otp *otp)
{
    if (otp == NULL)
        return;
    for (size_t i = 0; otp->line != NULL && i < otp->num_lines; i++)
        pattern_free(otp->line[i].pattern);
    free(otp->lines);
    free(otp->line);
    free(otp->names);
    free(otp->buckets);
    free(otp);
}

const struct ds_otp_line *ds_otp_lines(size_t *num_lines)
{
    *num_lines = NUM_KNOWN;
    return known_lines;
}

static bool match_line(const struct ds_otp *otp, uint16_t number, const struct ds_term *term,
                       struct ds_otp_match *match)
{
    const struct label_line *line = &otp->line[number];
    struct pattern_match views;
    if (!pattern_run(line->pattern, term, &views))
        return false;
    match->line = &otp->lines[number];
    match->kind = otp->lines[number].kind;
    match->bound |= line->bound;
    for (unsigned i = 0; i < line->num_bound; i++)
        match->variable[line->bindings[i].variable] = views.variable[line->bindings[i].index];
    return true;
}

/* match_bucket tries the lines of a bucket. class is a bit that most lines can be ruled out by. */
static bool match_bucket(const struct ds_otp *otp, uint64_t key, uint32_t class,
                         const struct ds_term *term, struct ds_otp_match *match)
{
    const struct bucket *bucket = &otp->buckets[find_bucket(otp, key)];
    if (bucket->key == 0)
        return false;
    for (uint16_t i = bucket->first; i != NO_LINE; i = otp->line[i].next)
        if ((otp->line[i].classes & class) != 0 && match_line(otp, i, term, match))
            return true;
    return false;
}

/* otp_head is the part of a term that selects the buckets. */
struct otp_head {
    unsigned arity; /* ANY_ARITY: not a tuple, or one with more elements than any pattern */
    uint16_t atom;
    uint32_t class, first; /* 1 << enum term_class of the term, and of a tuple's first element; all
                            * bits if none */
};

static struct otp_head read_head(const struct ds_otp *otp, const struct ds_term *term)
{
    struct otp_head head = {ANY_ARITY, 0, UINT32_MAX, UINT32_MAX};
    const struct term_env env = {term->atoms, term->num_atoms};
    struct cursor at = cursor_make(term->data, term->len);
    struct term_token token;
    uint8_t tag, arity, number;
    if (!cursor_read_u8(&at, &tag))
        return head;
    head.class = 1u << token_classes[tag];
    /* A LARGE_TUPLE has more elements than any pattern. */
    if (tag != TERM_TAG_SMALL_TUPLE || !cursor_read_u8(&at, &arity) || arity >= ANY_ARITY)
        return head;
    head.arity = arity;
    if (arity == 0 || !cursor_peek_u8(&at, &tag))
        return head;
    head.first = 1u << token_classes[tag];
    if (tag == TERM_TAG_ATOM_CACHE_REF) {
        if (cursor_skip(&at, 1) && cursor_read_u8(&at, &number) && number < term->num_atoms)
            head.atom = find_name(otp, (struct ds_text){(const char *)term->atoms[number].text,
                                                        term->atoms[number].len});
    } else if (token_classes[tag] == TERM_ATOM &&
               term_read_token(&at, &env, &token, NULL) == TERM_OK) {
        head.atom =
            find_name(otp, (struct ds_text){(const char *)token.body.at, cursor_left(&token.body)});
    }
    return head;
}

static bool find_in_family(const struct ds_otp *otp, enum label_family family, uint16_t to,
                           const struct ds_term *term, struct ds_otp_match *match)
{
    const struct otp_head head = read_head(otp, term);
    const bool is_tuple = head.arity != ANY_ARITY;
#define MATCH(to, arity, atom, class) \
    match_bucket(otp, bucket_key(family, to, arity, atom), class, term, match)
    return (to != 0 && head.atom != 0 && MATCH(to, head.arity, head.atom, head.first)) ||
           (to != 0 && is_tuple && MATCH(to, head.arity, 0, head.first)) ||
           (head.atom != 0 && MATCH(0, head.arity, head.atom, head.first)) ||
           (to != 0 && MATCH(to, ANY_ARITY, 0, head.class)) ||
           (is_tuple && MATCH(0, head.arity, 0, head.first)) ||
           MATCH(0, ANY_ARITY, 0, head.class);
#undef MATCH
}

bool ds_otp_find_message(const struct ds_otp *otp, struct ds_text to, const struct ds_term *payload,
                         struct ds_otp_match *match)
{
    const uint16_t name = find_name(otp, to);
    match->bound = 0;
    if (payload->data == NULL || !find_in_family(otp, FAMILY_MESSAGE, name, payload, match))
        return false;
    match->outer = match->line;
    if ((match->kind != DS_OTP_CALL && match->kind != DS_OTP_CAST) ||
        (match->bound & 1u << DS_OTP_REQUEST) == 0)
        return true;
    const enum ds_otp_kind outer = match->kind;
    const struct ds_term request = match->variable[DS_OTP_REQUEST];
    const enum label_family family = outer == DS_OTP_CALL ? FAMILY_IN_CALL : FAMILY_IN_CAST;
    if (find_in_family(otp, family, name, &request, match))
        match->kind = match->kind == DS_OTP_IN_PEER ? DS_OTP_PEER : outer;
    return true;
}

bool ds_otp_may_bind(const struct ds_otp *otp, struct ds_text to, const struct ds_term *request,
                     enum ds_otp_variable variable)
{
    if (request->data == NULL)
        return false;
    for (size_t i = 0; i < otp->num_lines; i++) {
        const struct ds_otp_line *l = &otp->lines[i];
        if ((otp->line[i].bound & 1u << variable) != 0 && families[l->kind] == FAMILY_IN_CALL &&
            (l->to[0] == '\0' ||
             (strlen(l->to) == to.len && memcmp(l->to, to.data, to.len) == 0)) &&
            pattern_may_match(otp->line[i].pattern, request))
            return true;
    }
    return false;
}

const char *ds_otp_owner(const struct ds_otp *otp, struct ds_text name)
{
    const struct name_slot *slot = find_slot(otp, name);
    return slot != NULL ? slot->owner : NULL;
}

bool ds_otp_find_spawn(const struct ds_otp *otp, const struct ds_term *mfa,
                       const struct ds_term *args, struct ds_otp_match *match)
{
    struct ds_term module = {0}, function = {0};
    struct ds_text module_text, function_text;
    char name[NAME_LEN_MAX];
    struct ds_text to = {name, 0};
    match->bound = 0;
    if (args->data == NULL)
        return false;
    if (term_get_element(mfa, 0, &module) && term_get_element(mfa, 1, &function) &&
        term_get_atom(&module, &module_text) && term_get_atom(&function, &function_text) &&
        module_text.len + 1 + function_text.len <= sizeof name) {
        memcpy(name, module_text.data, module_text.len);
        name[module_text.len] = ':';
        memcpy(name + module_text.len + 1, function_text.data, function_text.len);
        to.len = module_text.len + 1 + function_text.len;
    }
    if (!find_in_family(otp, FAMILY_SPAWN, find_name(otp, to), args, match))
        return false;
    if (match->kind == DS_OTP_SPAWN && module.data != NULL && function.data != NULL) {
        match->bound |= 1u << DS_OTP_M | 1u << DS_OTP_F | 1u << DS_OTP_A;
        match->variable[DS_OTP_M] = module;
        match->variable[DS_OTP_F] = function;
        match->variable[DS_OTP_A] = *args;
    }
    return true;
}

bool ds_otp_find_result(const struct ds_otp *otp, const struct ds_otp_line *line,
                        const struct ds_term *reply, struct ds_otp_match *match)
{
    const uint16_t label = otp->line[line - otp->lines].label;
    match->bound = 0;
    return label != 0 && reply->data != NULL &&
           find_in_family(otp, FAMILY_RESULT, label, reply, match);
}

bool ds_otp_has_results(const struct ds_otp *otp, const struct ds_otp_line *line, bool are_tuples)
{
    if (otp->line[line - otp->lines].label == 0)
        return false;
    for (size_t i = 0; i < otp->num_lines; i++) {
        const struct ds_otp_line *l = &otp->lines[i];
        if (families[l->kind] == FAMILY_RESULT && strcmp(l->to, line->label) == 0 &&
            (l->pattern[0] == '{') == are_tuples)
            return true;
    }
    return false;
}
