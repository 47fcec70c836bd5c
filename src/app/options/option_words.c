/*
 * option_words.c - see option_words.h.
 */
#include "app/options/option_words.h"

#include "app/options/option_explain.h"
#include "app/options/option_files.h"
#include "app/options/option_line.h"
#include "app/options/option_report.h"
#include "core/complain.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_report(const char *word)
{
    const char *names[REPORT_COUNT];
    return strcmp(word, "all") != 0 && option_report_names(word, names) == 1 && strcmp(word, names[0]) == 0;
}

/* Commands of other tools, and the option that does this; NULL: reading a file, or an interface, does. */
static const struct {
    const char *word, *option;
} commands[] = {
    {"grep", "regexp"},  {"ngrep", "regexp"},   {"search", "regexp"}, {"find", "regexp"},
    {"read", NULL},      {"decode", NULL},      {"dump", NULL},       {"show", NULL},
    {"capture", NULL},   {"sniff", NULL},       {"listen", NULL},     {"watch", NULL},
    {"analyze", "doctor"}, {"analyse", "doctor"}, {"check", "doctor"},  {"diagnose", "doctor"},
};

/* find_command returns the index of a command, or -1. */
static int find_command(const char *word)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].word, word) == 0)
            return (int)i;
    }
    return -1;
}

/* add_option appends an option, with the next word or its placeholder as the argument. */
static void add_option(const struct option_line *line, char ***rest, struct ds_buffer *out)
{
    const bool may_lack = line->argument == NULL || line->argument[0] == '[';
    if (line->letter != 0)
        ds_buffer_printf(out, "-%c", line->letter);
    else
        ds_buffer_printf(out, "--%s", line->name);
    if (line->argument != NULL && **rest != NULL && option_files_count(*rest) == 0) {
        ds_buffer_add_text(out, may_lack ? "=" : " ");
        option_explain_quote(out, *(*rest)++);
    } else if (!may_lack) {
        ds_buffer_printf(out, " %s", line->argument);
    }
}

/* suggest_option reports how to type a word that is a command, or the name of an option or report, with
 * the inputs and with the argument that follows it. */
static void suggest_option(char **words, const struct option_line *line, const struct option_given *given,
                           size_t num)
{
    struct ds_buffer out = {0}, file = {0};
    char **rest = words + 1;
    for (size_t i = 0; i < num; i++)
        option_explain_input(&given[i], &out);
    if (line != NULL)
        add_option(line, &rest, &out);
    else if (is_report(words[0]))
        ds_buffer_printf(&out, "--report %s", words[0]);
    else if (out.len == 0 && (*rest == NULL || option_files_count(rest) == 0))
        ds_buffer_add_text(&out, "-i IF, or -r FILE");
    else
        out.len -= out.len != 0; /* the blank behind the inputs */
    if (*rest != NULL && option_files_count(rest) != 0) {
        ds_buffer_add_text(&file, "-r ");
        option_explain_quote(&file, *rest);
        ds_buffer_add_text(&file, out.len != 0 ? " " : "");
    }
    ds_buffer_add(&file, "", 1);
    ds_buffer_add(&out, "", 1);
    if (!out.failed && !file.failed)
        complain("there are no commands: type distsniff %s%s", file.data, out.data);
    ds_buffer_free(&out);
    ds_buffer_free(&file);
}

/* check_command reports what to type instead of a word that looks like a subcommand. */
static bool check_command(char **words, const struct option_given *given, size_t num)
{
    const int command = find_command(words[0]);
    const char *name = command >= 0 ? commands[command].option : words[0];
    const struct option_line *line =
        name == NULL || is_report(words[0]) ? NULL : option_line_find(name);
    if (strcmp(words[0], "help") == 0) {
        complain("there are no commands: see distsniff -h, or distsniff --help for all options");
        return false;
    }
    if ((line == NULL && command < 0 && !is_report(words[0])) || option_files_is_expression(words[0]) ||
        (line != NULL && access(words[0], F_OK) == 0))
        return true;
    suggest_option(words, line, given, num);
    return false;
}

/* last_report returns the argument of the last option, files aside, if it is --report; else NULL. */
static const char *last_report(const struct option_given *given, size_t num)
{
    while (num != 0 && strcmp(given[num - 1].line->name, "read") == 0)
        num--;
    return num != 0 && strcmp(given[num - 1].line->name, "report") == 0 ? given[num - 1].value : NULL;
}

/* check_argument says how to attach a word that looks like the argument of the option before it. */
static bool check_argument(const struct options *options, char **words, const struct option_given *given,
                           size_t num)
{
    static const char html[] = ".html";
    const char *word = words[0];
    const size_t len = strlen(word), html_len = sizeof html - 1;
    const char *report = last_report(given, num);
    if (options->page_to_name != NULL && len > html_len && strcmp(word + len - html_len, html) == 0) {
        complain("%s would be a BPF expression: write --html=%s", word,
                 word);
        return false;
    }
    if (report != NULL && words[1 + option_files_count(words + 1)] == NULL &&
        strspn(word, "0123456789") == len) {
        complain("%s would be a BPF expression: for that many rows of --report %s, use --rows %s",
                 word, report, word);
        return false;
    }
    return true;
}

/* check_file complains about a file without read permission, whose first bytes cannot be checked, and
 * about one that is no capture file. Not for a reload: the sandbox does not allow these calls, and
 * the inputs stay as they are. */
static bool check_file(const char *word)
{
    struct stat is;
    if (stat(word, &is) != 0 || !S_ISREG(is.st_mode) || option_files_is_expression(word))
        return true;
    if (access(word, R_OK) != 0)
        complain("cannot read %s: %s", word, strerror(EACCES));
    else
        complain(is.st_size == 0 ? "%s is empty, not a capture file" : "%s is not a capture file", word);
    return false;
}

/* looks_like_path says whether a word is rather meant as a file than as an expression or a search. */
static bool looks_like_path(const char *word)
{
    static const char *const parts[] = {".pcap", ".cap", ".dmp", ".gz", ".zst"};
    bool has_part = word[0] == '/' || strncmp(word, "./", 2) == 0 || strncmp(word, "../", 3) == 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *found = strstr(word, parts[i]);
        has_part = has_part || (found != NULL && found != word);
    }
    return has_part;
}

/* check_order complains about a capture file behind the expression, or behind a word to search for. */
static bool check_order(char **words)
{
    struct ds_buffer out = {0};
    size_t at = 1;
    while (words[at] != NULL && !(looks_like_path(words[at]) && option_files_is_capture(words[at])))
        at++;
    if (words[at] == NULL)
        return true;
    const bool is_search = at == 1 && !option_files_is_expression(words[0]);
    ds_buffer_add_text(&out, "-r ");
    option_explain_quote(&out, words[at]);
    ds_buffer_add_text(&out, is_search ? " -e" : "");
    for (size_t i = 0; i < at; i++) {
        ds_buffer_add_text(&out, " ");
        option_explain_quote(&out, words[i]);
    }
    ds_buffer_add(&out, "", 1);
    if (!out.failed)
        complain(is_search ? "a text to search for stands behind -e: type distsniff %s"
                           : "a file stands before the expression: type distsniff %s", out.data);
    ds_buffer_free(&out);
    return false;
}

bool option_words_check(const struct options *options, char **words, const struct option_given *given,
                        size_t num)
{
    const char *word = words[0];
    if (word == NULL)
        return true;
    if (!check_command(words, given, num) || !check_argument(options, words, given, num) ||
        (!options->is_running && (!check_file(word) || !check_order(words))))
        return false;
    if (strchr(word, ' ') != NULL || !looks_like_path(word) || access(word, F_OK) == 0)
        return true; /* if the file exists, the expression's compiler complains */
    complain("there is no file %s; to read a file, use -r", word);
    return false;
}
