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

/* suggest_option reports how to type a word that is the name of an option or report, with the inputs and
 * with the argument that follows it. */
static void suggest_option(char **words, const struct option_line *line, const struct option_given *given,
                           size_t num)
{
    struct ds_buffer out = {0};
    char **rest = words + 1;
    for (size_t i = 0; i < num; i++)
        option_explain_input(&given[i], &out);
    if (line != NULL)
        ds_buffer_printf(&out, "--%s", line->name);
    else
        ds_buffer_printf(&out, "--report %s", words[0]);
    if (line != NULL && line->argument != NULL && *rest != NULL && option_files_count(rest) == 0)
        ds_buffer_printf(&out, "%s%s", line->argument[0] == '[' ? "=" : " ", *rest++);
    const bool has_file = *rest != NULL && option_files_count(rest) != 0;
    ds_buffer_add(&out, "", 1);
    if (!out.failed)
        complain("there are no commands: type distsniff %s%s%s%s", has_file ? "-r " : "",
                 has_file ? *rest : "", has_file ? " " : "", out.data);
    ds_buffer_free(&out);
}

/* check_command reports what to type instead of a word that looks like a subcommand. */
static bool check_command(char **words, const struct option_given *given, size_t num)
{
    const struct option_line *line = is_report(words[0]) ? NULL : option_line_find(words[0]);
    if (strcmp(words[0], "help") == 0) {
        complain("there are no commands: see distsniff -h, or distsniff --help for all options");
        return false;
    }
    if ((line == NULL && !is_report(words[0])) || option_files_is_expression(words[0]) ||
        (line != NULL && access(words[0], F_OK) == 0))
        return true;
    suggest_option(words, line, given, num);
    return false;
}

/* check_argument says how to attach a word that looks like the argument of the option before it. */
static bool check_argument(const struct options *options, char **words, const struct option_given *given,
                           size_t num)
{
    static const char html[] = ".html";
    const char *word = words[0];
    const size_t len = strlen(word), html_len = sizeof html - 1;
    if (options->page_to_name != NULL && len > html_len && strcmp(word + len - html_len, html) == 0) {
        complain("%s would be a BPF expression: write --html=%s", word,
                 word);
        return false;
    }
    if (num != 0 && strcmp(given[num - 1].line->name, "report") == 0 && words[1] == NULL &&
        strspn(word, "0123456789") == len) {
        complain("%s would be a BPF expression: for that many rows of --report %s, use --rows %s",
                 word, given[num - 1].value, word);
        return false;
    }
    return true;
}

/* check_readable complains about a file without read permission, whose first bytes cannot be
 * checked. Not for a reload: the sandbox does not allow these calls, and the inputs stay as they
 * are. */
static bool check_readable(const char *word)
{
    struct stat is;
    if (stat(word, &is) != 0 || !S_ISREG(is.st_mode) || access(word, R_OK) == 0 ||
        option_files_is_expression(word))
        return true;
    complain("cannot read %s: %s", word, strerror(EACCES));
    return false;
}

bool option_words_check(const struct options *options, char **words, const struct option_given *given,
                        size_t num)
{
    static const char *const endings[] = {".pcap", ".pcapng", ".cap", ".gz", ".zst"};
    const char *word = words[0];
    bool is_name = false;
    if (word != NULL && (!check_command(words, given, num) ||
                         !check_argument(options, words, given, num) ||
                         (!options->is_running && !check_readable(word))))
        return false;
    for (size_t i = 0; word != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        const size_t len = strlen(endings[i]), word_len = strlen(word);
        is_name = is_name || (word_len > len && strcmp(word + word_len - len, endings[i]) == 0);
    }
    if (!is_name || access(word, F_OK) == 0)
        return true; /* if the file exists, the expression's compiler complains */
    complain("there is no file %s; to read a file, use -r", word);
    return false;
}
