/*
 * bounded_regex.c - see bounded_regex.h.
 *
 * The match limit of PCRE2 counts neither the backtracking of a repeated single character nor the
 * characters it reads: .*.*x takes time proportional to the square of a line's length while the limit
 * is hardly used, in the interpreter as well as in compiled code. So an expression is compiled into two
 * programs. The plain one is for texts so short that it cannot do more than MAX_WORK. In the watched
 * one a callout precedes each item: between two callouts there is one pass over the text, so the
 * distances between callouts add up to the work done. It is about ten times as slow, and lacks the
 * optimisation that skips hopeless starts: hence both. For items that may fail in the middle of a pass,
 * a{1000} and backreferences, each step counts more.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/bounded_regex.h"

#include "core/signals.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_WORK = 20 * 1000 * 1000, /* characters read: about 20 ms */
    STEP_WORK = 20,              /* a callout takes as long as reading this many */
    UNSEEN_SHARE = 16,           /* a pass that may fail before the next callout counts as 1/16 of its
                                    length */
    LOOK_EVERY = 4096,           /* callouts between checks whether the program must stop */
    MATCH_LIMIT = 1000000,
    DEPTH_LIMIT = 100000,
    HEAP_LIMIT_KIB = 16384,
    JIT_STACK = 32768,
    JIT_STACK_MAX = 1 << 20,
    ALWAYS_WATCHED = 64,
};

struct bounded_regex {
    pcre2_general_context *memory;
    pcre2_code *plain, *watched;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    size_t max_plain; /* the longest text for the plain program */
    size_t max_count; /* the largest N of any {N} */
    bool refers_back;
    /* State of one search: */
    PCRE2_SIZE at;
    uint64_t work, step_work;
    unsigned num_steps;
};

/* PCRE2 allocates through these functions, so that tests can make its allocations fail, too. */
static void *allocate(size_t len, void *context)
{
    (void)context;
    return malloc(len);
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* exponent returns an upper limit for the power of a text's length to which the time of a search is
 * proportional: one for the start position and one for each item that may be repeated over the text.
 * Repeated groups may need any power. Escaped characters and those in classes count as if they were
 * operators: that is too high, which is safe. */
static unsigned exponent(const char *pattern, size_t len)
{
    unsigned num = 1;
    for (size_t i = 0; i < len && num < ALWAYS_WATCHED; i++) {
        const char next = i + 1 < len ? pattern[i + 1] : '\0';
        if (pattern[i] == ')' && next != '\0' && strchr("*+{?", next) != NULL)
            num = ALWAYS_WATCHED;
        else if (pattern[i] == '\0' || strchr("*+{", pattern[i]) != NULL)
            num++;
        else if (pattern[i] == '(' && next != '\0' && strchr("?*", next) != NULL)
            num++;
        else if (pattern[i] == '\\' && next != '\0' && strchr("0123456789gkXRP", next) != NULL)
            num++;
    }
    return num;
}

static size_t largest_count(const char *pattern, size_t len)
{
    size_t largest = 0;
    for (size_t i = 0; i < len; i++) {
        size_t count = 0;
        for (size_t j = i + 1; pattern[i] == '{' && j < len && pattern[j] != '}'; j++) {
            const bool is_digit = pattern[j] >= '0' && pattern[j] <= '9';
            count = is_digit ? (count * 10 + (size_t)(pattern[j] - '0')) % 1000000 : 0;
            largest = count > largest ? count : largest;
        }
    }
    return largest;
}

static size_t longest_plain(const char *pattern, size_t len)
{
    const unsigned power = exponent(pattern, len);
    size_t text_len = 1;
    for (;; text_len *= 2) {
        double work = 1;
        for (unsigned i = 0; i < power && work <= MAX_WORK; i++)
            work *= 2 * (double)text_len;
        if (work > MAX_WORK)
            return power == 1 ? SIZE_MAX : text_len;
    }
}

static int on_step(pcre2_callout_block *block, void *context)
{
    struct bounded_regex *regex = context;
    const PCRE2_SIZE at = block->current_position;
    regex->work += regex->step_work + (at > regex->at ? at - regex->at : regex->at - at);
    regex->at = at;
    const bool is_late = ++regex->num_steps % LOOK_EVERY == 0 && stop_is_overdue();
    return regex->work > MAX_WORK || is_late ? PCRE2_ERROR_CALLOUT : 0;
}

static pcre2_code *compile(struct bounded_regex *regex, const char *pattern, size_t len,
                           uint32_t options, struct regex_error *where)
{
    int error = PCRE2_ERROR_HEAP_FAILED;
    PCRE2_SIZE offset = 0;
    pcre2_code *code = NULL;
    pcre2_compile_context *context = pcre2_compile_context_create(regex->memory);
    if (context != NULL)
        code = pcre2_compile((PCRE2_SPTR)pattern, len, options, &error, &offset, context);
    pcre2_compile_context_free(context);
    if (code == NULL && error != PCRE2_ERROR_HEAP_FAILED) {
        where->column = offset + 1;
        pcre2_get_error_message(error, (PCRE2_UCHAR *)where->what, sizeof where->what);
    }
    return code;
}

static bool is_interpreted;

void bounded_regex_interpret(void)
{
    is_interpreted = true;
}

/* Without the JIT compiler, or a stack for it, the interpreter does the same, only more slowly. */
static void speed_up(struct bounded_regex *regex)
{
    if (is_interpreted || pcre2_jit_compile(regex->plain, PCRE2_JIT_COMPLETE) != 0 ||
        pcre2_jit_compile(regex->watched, PCRE2_JIT_COMPLETE) != 0)
        return;
    regex->stack = pcre2_jit_stack_create(JIT_STACK, JIT_STACK_MAX, regex->memory);
    if (regex->stack != NULL)
        pcre2_jit_stack_assign(regex->context, NULL, regex->stack);
}

static bool set_up(struct bounded_regex *regex, const char *pattern, size_t len,
                   uint32_t options, struct regex_error *error)
{
    regex->memory = pcre2_general_context_create(allocate, release, NULL);
    if (regex->memory == NULL)
        return false;
    regex->plain = compile(regex, pattern, len, options, error);
    if (regex->plain == NULL)
        return false;
    regex->watched = compile(regex, pattern, len, options | PCRE2_AUTO_CALLOUT, error);
    regex->data = pcre2_match_data_create(1, regex->memory);
    regex->context = pcre2_match_context_create(regex->memory);
    if (regex->watched == NULL || regex->data == NULL || regex->context == NULL)
        return false;
    pcre2_set_match_limit(regex->context, MATCH_LIMIT);
    pcre2_set_depth_limit(regex->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(regex->context, HEAP_LIMIT_KIB);
    pcre2_set_callout(regex->context, on_step, regex);
    uint32_t last_reference = 0;
    pcre2_pattern_info(regex->plain, PCRE2_INFO_BACKREFMAX, &last_reference);
    regex->refers_back = last_reference != 0;
    regex->max_count = largest_count(pattern, len);
    regex->max_plain = longest_plain(pattern, len);
    speed_up(regex);
    return true;
}

struct bounded_regex *bounded_regex_new(const char *pattern, size_t len, uint32_t options,
                                        struct regex_error *error)
{
    *error = (struct regex_error){0, "out of memory"};
    struct bounded_regex *regex = calloc(1, sizeof *regex);
    if (regex == NULL)
        return NULL;
    if (!set_up(regex, pattern, len, options, error)) {
        bounded_regex_free(regex);
        return NULL;
    }
    return regex;
}

void bounded_regex_free(struct bounded_regex *regex)
{
    if (regex == NULL)
        return;
    pcre2_jit_stack_free(regex->stack);
    pcre2_match_context_free(regex->context);
    pcre2_match_data_free(regex->data);
    pcre2_code_free(regex->watched);
    pcre2_code_free(regex->plain);
    pcre2_general_context_free(regex->memory);
    free(regex);
}

enum regex_result bounded_regex_search(struct bounded_regex *regex, const char *text, size_t len)
{
    const pcre2_code *code = len <= regex->max_plain ? regex->plain : regex->watched;
    if (stop_is_overdue())
        return REGEX_GAVE_UP;
    regex->at = 0;
    regex->work = 0;
    regex->step_work =
        STEP_WORK + (regex->max_count + (regex->refers_back ? len : 0)) / UNSEEN_SHARE;
    const int found = pcre2_match(code, (PCRE2_SPTR)text, len, 0, 0, regex->data, regex->context);
    /* >= 0: it matches; there is room for the first group only, so the number may be 0 */
    return found >= 0                      ? REGEX_YES
           : found == PCRE2_ERROR_NOMATCH ? REGEX_NO
                                           : REGEX_GAVE_UP;
}
