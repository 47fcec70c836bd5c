/*
 * generate.c - writes what makes a shell complete options and their arguments, out of the tables that
 * the program itself uses.
 *
 *   generate bash|zsh|fish FILE
 */
#include "analyse/findings/finding_kinds.h"
#include "app/options/option_line.h"
#include "core/own_labels.h"
#include "output/sink.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS_LEN = 32768, SHORT_HELP = 90 };

/* What an argument is made of: one of some words, several with commas between them, a file, an
 * interface, or anything else. */
enum argument { ARGUMENT_NONE, ARGUMENT_FREE, ARGUMENT_WORD, ARGUMENT_WORDS, ARGUMENT_FILE,
                ARGUMENT_INTERFACE };

struct choice {
    enum argument kind;
    bool is_optional;
    char words[MAX_WORDS_LEN]; /* with spaces between them */
};

static bool has_word(const char *words, const char *word, size_t len)
{
    for (const char *at = words; *at != '\0';) {
        const size_t at_len = strcspn(at, " ");
        if (at_len == len && memcmp(at, word, len) == 0)
            return true;
        at += at_len + (at[at_len] == ' ');
    }
    return false;
}

static void add_word(struct choice *choice, const char *word, size_t len)
{
    const size_t used = strlen(choice->words);
    if (len == 0 || has_word(choice->words, word, len) || used + len + 2 > sizeof choice->words)
        return;
    snprintf(choice->words + used, sizeof choice->words - used, "%s%.*s", used != 0 ? " " : "",
             (int)len, word);
}

static void add_formats(struct choice *choice)
{
    const char *names[MAX_KINDS];
    const size_t num = sink_get_names(names);
    for (size_t i = 0; i < num; i++)
        add_word(choice, names[i], strlen(names[i]));
    add_word(choice, "list", strlen("list"));
}

static void add_reports(struct choice *choice)
{
    static const char *const names[] = {
#define REPORT(id, name, kind, what) name,
#include "reports/reports.def"
#undef REPORT
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        add_word(choice, names[i], strlen(names[i]));
    add_word(choice, "all", strlen("all"));
    add_word(choice, "list", strlen("list"));
}

static void add_findings(struct choice *choice)
{
    for (size_t i = 0; finding_kind_at(i) != NULL; i++)
        add_word(choice, finding_kind_at(i)->code, strlen(finding_kind_at(i)->code));
    static const char *const things[] = {
#define EXPLAIN(id, word, one, all) word ":",
#include "explain/explain_kinds.def"
#undef EXPLAIN
    };
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
        add_word(choice, things[i], strlen(things[i]));
}

static void add_labels(struct choice *choice)
{
    size_t num;
    const struct ds_otp_line *lines = own_labels_lines(NULL, &num);
    for (size_t i = 0; i < num; i++) {
        const char *colon = strchr(lines[i].label, ':');
        if (colon != NULL)
            add_word(choice, lines[i].label, (size_t)(colon - lines[i].label));
    }
    for (size_t i = 0; i < num; i++) {
        add_word(choice, lines[i].group, strlen(lines[i].group));
        add_word(choice, lines[i].label, strlen(lines[i].label));
    }
}

static void add_ops(struct choice *choice)
{
    for (int64_t code = 0; code < 256; code++) {
        const struct ds_op *op = ds_op_find(code);
        if (op != NULL)
            add_word(choice, op->name, strlen(op->name));
    }
    for (int op = 0; op < DS_EPMD_COUNT; op++)
        add_word(choice, ds_epmd_op_name((enum ds_epmd_op)op),
                 strlen(ds_epmd_op_name((enum ds_epmd_op)op)));
}

static void add_redact(struct choice *choice)
{
    static const char *const names[] = {
#define REDACT(id, name, what) name,
#include "redact/redact.def"
#undef REDACT
        "all",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        add_word(choice, names[i], strlen(names[i]));
}

/* Options whose words stand in a table of their own. */
static const struct {
    const char *option;
    void (*add)(struct choice *choice);
    enum argument kind;
} tables[] = {
    {"format", add_formats, ARGUMENT_WORD}, {"report", add_reports, ARGUMENT_WORD},
    {"explain", add_findings, ARGUMENT_WORD}, {"only", add_labels, ARGUMENT_WORDS},
    {"label", add_labels, ARGUMENT_WORDS},  {"hide", add_labels, ARGUMENT_WORDS},
    {"op", add_ops, ARGUMENT_WORDS},        {"redact", add_redact, ARGUMENT_WORDS},
};

/* add_listed adds words that the name of an argument lists itself: auto|off|require. */
static void add_listed(struct choice *choice, const char *argument)
{
    if (strchr(argument, '|') == NULL)
        return;
    for (const char *at = argument; *at != '\0';) {
        const size_t len = strcspn(at, "|[]");
        bool is_word = len != 0;
        for (size_t i = 0; i < len; i++)
            is_word = is_word && (islower((unsigned char)at[i]) != 0 || at[i] == '_');
        const char *colon = memchr(at, ':', len);
        if (is_word)
            add_word(choice, at, len);
        else if (colon != NULL && islower((unsigned char)at[0]) != 0)
            add_word(choice, at, (size_t)(colon + 1 - at));
        at += len;
        at += strspn(at, "|[]");
    }
    if (choice->words[0] != '\0')
        choice->kind = ARGUMENT_WORD;
}

static void choose(const struct option_line *line, struct choice *choice)
{
    *choice = (struct choice){0};
    if (line->argument == NULL)
        return;
    choice->is_optional = option_line_may_lack_argument(line);
    choice->kind = ARGUMENT_FREE;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (strcmp(tables[i].option, line->name) == 0) {
            tables[i].add(choice);
            choice->kind = tables[i].kind;
            return;
        }
    }
    add_listed(choice, line->argument);
    if (choice->kind == ARGUMENT_FREE && strncmp(line->argument, "FILE", 4) == 0)
        choice->kind = ARGUMENT_FILE;
    else if (strcmp(line->argument, "IF") == 0)
        choice->kind = ARGUMENT_INTERFACE;
}

/* help_len is how much of a help is its beginning: up to where a sentence or a part of it ends, or a
 * word when that is long. */
static size_t help_len(const char *help)
{
    size_t len = strcspn(help, ";:(");
    const char *stop = strstr(help, ". ");
    if (stop != NULL && (size_t)(stop - help) < len)
        len = (size_t)(stop - help);
    if (len > SHORT_HELP) {
        len = SHORT_HELP;
        while (len != 0 && help[len] != ' ')
            len--;
    }
    while (len != 0 && (help[len - 1] == ' ' || help[len - 1] == ','))
        len--;
    return len;
}

/* put_help writes it for within single quotes of a shell; escaped gets a backslash. */
static void put_help(FILE *out, const char *help, const char *escaped, const char *quote)
{
    const size_t len = help_len(help);
    for (size_t i = 0; i < len; i++) {
        if (help[i] == '\'')
            fputs(quote, out);
        else
            fprintf(out, "%s%c", strchr(escaped, help[i]) != NULL ? "\\" : "", help[i]);
    }
}

typedef void (*put_fn)(FILE *out, const struct option_line *line);

static void each_option(FILE *out, put_fn put)
{
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        if (option_lines[i].kind != OPTION_SECTION)
            put(out, &option_lines[i]);
    }
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        char name[48];
        snprintf(name, sizeof name, "max-%s", ds_limit_name((enum ds_limit)i));
        const struct option_line cap = {
            .name = name, .argument = "N", .help = ds_limit_what((enum ds_limit)i)};
        put(out, &cap);
    }
}

/* bash */

static void put_bash_case(FILE *out, const struct option_line *line)
{
    static struct choice choice;
    choose(line, &choice);
    if (choice.kind == ARGUMENT_NONE || choice.is_optional)
        return;
    fputs("    ", out);
    if (line->letter != 0)
        fprintf(out, "-%c | ", line->letter);
    fprintf(out, "--%s)\n        ", line->name);
    if (choice.kind == ARGUMENT_FILE)
        fputs("COMPREPLY=($(compgen -f -- \"$cur\"))\n", out);
    else if (choice.kind == ARGUMENT_INTERFACE)
        fputs("COMPREPLY=($(compgen -W \"any $(ls /sys/class/net 2>/dev/null)\" -- \"$cur\"))\n", out);
    else if (choice.kind == ARGUMENT_WORD)
        fprintf(out, "COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n", choice.words);
    else if (choice.kind == ARGUMENT_WORDS)
        fprintf(out, "COMPREPLY=($(compgen -P \"${cur%%\"${cur##*,}\"}\" -W '%s' -- \"${cur##*,}\"))\n",
                choice.words);
    else
        fputs(":\n", out);
    fputs("        return\n        ;;\n", out);
}

static void put_bash_name(FILE *out, const struct option_line *line)
{
    if (line->letter != 0)
        fprintf(out, " -%c", line->letter);
    fprintf(out, " --%s", line->name);
}

static void put_bash(FILE *out)
{
    fputs("# Completion of distsniff for bash; made out of its tables.\n"
          "_distsniff()\n{\n"
          "    local IFS=$' \\t\\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    COMPREPLY=()\n"
          "    # --name=argument comes as three words, and so do labels with a colon.\n"
          "    if [ \"$cur\" = = ]; then\n        cur=\n"
          "    elif [ \"$prev\" = = ]; then\n        prev=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n"
          "    case $prev in\n", out);
    each_option(out, put_bash_case);
    fputs("    esac\n    [[ $cur != -* ]] || COMPREPLY=($(compgen -W '", out);
    each_option(out, put_bash_name);
    fputs("' -- \"$cur\"))\n}\ncomplete -o default -F _distsniff distsniff\n", out);
}

/* zsh */

static void put_zsh_option(FILE *out, const struct option_line *line)
{
    static struct choice choice;
    choose(line, &choice);
    const bool takes = choice.kind != ARGUMENT_NONE;
    const char *behind = !takes ? "" : choice.is_optional ? "=-" : "=";
    if (line->letter != 0)
        fprintf(out, "    '*'{-%c%s,--%s%s}'[", line->letter, takes ? "+" : "", line->name, behind);
    else
        fprintf(out, "    '*--%s%s[", line->name, behind);
    put_help(out, line->help, "[]:\\", "'\\''");
    fputs("]", out);
    if (takes) {
        fputs(choice.is_optional ? "::" : ":", out);
        for (const char *c = line->argument; *c != '\0'; c++) {
            if (strchr("[]:()'", *c) == NULL)
                fputc(*c, out);
        }
        fputs(":", out);
    }
    if (choice.kind == ARGUMENT_FILE)
        fputs("_files", out);
    else if (choice.kind == ARGUMENT_INTERFACE)
        fputs("_net_interfaces", out);
    else if (choice.kind == ARGUMENT_WORD || choice.kind == ARGUMENT_WORDS) {
        fputs(choice.kind == ARGUMENT_WORDS ? "_sequence compadd -" : "(", out);
        for (const char *at = choice.words; *at != '\0';) {
            const size_t len = strcspn(at, " ");
            fputs(" ", out);
            for (size_t i = 0; i < len; i++)
                fprintf(out, "%s%c", at[i] == ':' && choice.kind == ARGUMENT_WORD ? "\\" : "", at[i]);
            at += len + (at[len] == ' ');
        }
        fputs(choice.kind == ARGUMENT_WORDS ? "" : ")", out);
    }
    fputs("' \\\n", out);
}

static void put_zsh(FILE *out)
{
    fputs("#compdef distsniff\n# Completion of distsniff for zsh; made out of its tables.\n"
          "_arguments -s \\\n", out);
    each_option(out, put_zsh_option);
    fputs("    '*:expression:'\n", out);
}

/* fish */

static void put_fish_option(FILE *out, const struct option_line *line)
{
    static struct choice choice;
    choose(line, &choice);
    fputs("complete -c distsniff", out);
    if (line->letter != 0)
        fprintf(out, " -s %c", line->letter);
    fprintf(out, " -l %s", line->name);
    if (choice.kind == ARGUMENT_FILE)
        fputs(" -r -F", out);
    else if (choice.kind == ARGUMENT_INTERFACE)
        fputs(" -x -a 'any (ls /sys/class/net 2>/dev/null)'", out);
    else if (choice.kind == ARGUMENT_WORD || choice.kind == ARGUMENT_WORDS)
        fprintf(out, " %s -a '%s'", choice.is_optional ? "-f" : "-x", choice.words);
    else if (choice.kind == ARGUMENT_FREE && !choice.is_optional)
        fputs(" -x", out);
    fputs(" -d '", out);
    put_help(out, line->help, "\\", "\\'");
    fputs("'\n", out);
}

static void put_fish(FILE *out)
{
    fputs("# Completion of distsniff for fish; made out of its tables.\n"
          "complete -c distsniff -f\n", out);
    each_option(out, put_fish_option);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *shell;
        void (*put)(FILE *out);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; argc == 3 && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].shell, argv[1]) != 0)
            continue;
        FILE *out = fopen(argv[2], "w");
        if (out != NULL)
            shells[i].put(out);
        if (out == NULL || fclose(out) != 0) {
            perror(argv[2]);
            return EXIT_FAILURE;
        }
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: generate bash|zsh|fish FILE\n");
    return EXIT_FAILURE;
}
