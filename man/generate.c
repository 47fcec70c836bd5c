/*
 * generate.c - writes the manual page: the template, with the options and caps put in from
 * the tables that the program itself uses, and the version.
 *
 *   generate TEMPLATE PAGE
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Writes one word for mdoc: backslash and hyphen escaped, and a bracket that stands alone, which would be
 * punctuation. */
static void put_word(const char *word, int len)
{
    if (len == 1 && strchr("[]()", word[0]) != NULL)
        fputs("\\&", stdout);
    for (int i = 0; i < len; i++) {
        if (word[i] == '\\')
            fputs("\\e", stdout);
        else if (word[i] == '-')
            fputs("\\-", stdout);
        else
            putchar(word[i]);
    }
}

/* Writes text, folded, each sentence on a line of its own, and a full stop. No line begins
 * with what would be a request. */
static void put(const char *text)
{
    enum { WIDTH = 72 };
    int column = 0;
    bool is_ended = false;
    while (*text != '\0') {
        int len = (int)strcspn(text, " ");
        if (column != 0)
            putchar(column + len > WIDTH ? '\n' : ' ');
        if (column == 0 || column + len > WIDTH) {
            column = 0;
            if (*text == '.' || *text == '\'')
                fputs("\\&", stdout);
        }
        put_word(text, len);
        column += len + 1;
        is_ended = text[len - 1] == '.';
        if (text[len] != '\0' && is_ended) {
            putchar('\n');
            column = 0;
        }
        text += len;
        text += strspn(text, " ");
    }
    puts(is_ended ? "" : ".");
}

/* may_be_missing: [OTP], but not [ADDR:]PORT. */
static bool may_be_missing(const char *argument)
{
    return argument[0] == '[' && argument[strlen(argument) - 1] == ']';
}

static void put_option(const char *name, int letter, const char *argument, const char *help)
{
    fputs(".It ", stdout);
    if (letter != 0) {
        printf("Fl %c ", letter);
        if (argument != NULL && !may_be_missing(argument))
            printf("Ar %s ", argument);
        fputs(", ", stdout);
    }
    if (argument == NULL)
        printf("Fl \\-%s", name);
    else if (may_be_missing(argument))
        printf("Fl \\-%s Ns Op = Ns Ar %.*s", name, (int)strlen(argument) - 2, argument + 1);
    else
        printf("Fl \\-%s Ar %s", name, argument);
    putchar('\n');
    put(help);
}

static void put_options(void)
{
    int num_sections = 0;
#define SECTION(title)                                                                             \
    if (num_sections++ != 0)                                                                       \
        puts(".El");                                                                               \
    puts(".Ss " title "\n.Bl -tag -width Ds");
#define OPTION(setter, name, letter, argument, help) put_option(name, letter, argument, help);
#define FLAG(field, name, letter, help) put_option(name, letter, NULL, help);
#define WORD(field, name, letter, argument, help) put_option(name, letter, argument, help);
#define SAME(name, other, value) put_option(name, 0, NULL, "the same as --" other " " value);
#include "app/options/options.def"
#undef SECTION
#undef OPTION
#undef FLAG
#undef WORD
#undef SAME
    puts(".El");
}

static void put_limits(void)
{
    puts(".Bl -tag -width Ds");
#define LIMIT(id, name, value, what) put_option("max-" name, 0, "N", what "; " #value " by default");
#include <distsniff/limits.def>
#undef LIMIT
    puts(".El");
}

static void put_thresholds(void)
{
    puts(".Bl -tag -width Ds");
#define THRESHOLD(id, name, value, least, most, what)                                                  \
    puts(".It Li " name);                                                                          \
    put(what "; " #value " by default");
#include "compare/thresholds.def"
#undef THRESHOLD
    puts(".El");
}

static void put_findings(void)
{
    puts(".Bl -tag -width Ds");
#define FINDING(code, severity, rank, title, advice, page)                                             \
    puts(".It " #code);                                                                            \
    put(title);                                                                                    \
    put(page);                                                                                     \
    put(advice);
#include "analyse/findings/findings.def"
#undef FINDING
    puts(".El");
}

/* put_params puts the names of the parameters of findings as JSON has them. */
static void put_params(void)
{
#define NAME_TEXT ""
#define NAME_TEXTS ""
#define NAME_NUMBER ""
#define NAME_SPAN "_us"
    puts(".Bl -tag -width Ds -compact");
#define PARAM(name, kind, help)                                                                        \
    puts(".It Li " #name NAME_##kind);                                                                 \
    put(help);
#include "record/finding_params.def"
#undef PARAM
    puts(".El");
}

/* Keys as people call them: the characters, and those of keys.def. */
enum {
    FIRST_KEY = 0x110000,
#define KEY(id, name) MAN_KEY_##id,
#include "ui/tui/keys.def"
#undef KEY
};

static const char *key_name(int key)
{
    static const char *const names[] = {
#define KEY(id, name) [MAN_KEY_##id - FIRST_KEY] = name,
#include "ui/tui/keys.def"
#undef KEY
    };
    static char character[2];
    character[0] = (char)key;
    return key > FIRST_KEY ? names[key - FIRST_KEY] : key == ' ' ? "Space" : character;
}

static void put_key(int key, int other, const char *help)
{
    printf(".It ");
    put_word(key_name(key), (int)strlen(key_name(key)));
    if (other != 0) {
        printf(" , ");
        put_word(key_name(other), (int)strlen(key_name(other)));
    }
    putchar('\n');
    put(help);
}

static void put_keys(void)
{
    int view = 0;
    char help[256];
    puts(".Bl -tag -width Ds");
#define VIEW(name, brief, what)                                                                    \
    snprintf(help, sizeof help, #name ": " what);                                                  \
    put_key('0' + ++view % 10, 0, help);
#include "ui/tui/views.def"
#undef VIEW
#define NO_KEY 0
#define KEY(id) MAN_KEY_##id
#define REQUEST(id, key, other, name, help, where) put_key(key, other, help);
#include "ui/tui/requests.def"
#undef REQUEST
    puts(".El");
    put("While a line is typed these are:");
    puts(".Bl -tag -width Ds");
#define EDIT(id, key, other, help) put_key(key, other, help);
#include "ui/tui/edit_keys.def"
#undef EDIT
#undef KEY
#undef NO_KEY
    puts(".El");
}

int main(int argc, char **argv)
{
    char line[1024];
    FILE *template = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (template == NULL || freopen(argv[2], "w", stdout) == NULL) {
        fprintf(stderr, "usage: generate TEMPLATE PAGE\n");
        return 2;
    }
    while (fgets(line, sizeof line, template) != NULL) {
        if (strcmp(line, "@OPTIONS@\n") == 0)
            put_options();
        else if (strcmp(line, "@LIMITS@\n") == 0)
            put_limits();
        else if (strcmp(line, "@FINDINGS@\n") == 0)
            put_findings();
        else if (strcmp(line, "@PARAMS@\n") == 0)
            put_params();
        else if (strcmp(line, "@THRESHOLDS@\n") == 0)
            put_thresholds();
        else if (strcmp(line, "@KEYS@\n") == 0)
            put_keys();
        else
            fputs(line, stdout);
    }
    fclose(template);
    return ferror(stdout) || fflush(stdout) != 0;
}
