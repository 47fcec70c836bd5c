/*
 * config_file.c - see config_file.h.
 */
#include "app/options/config_file.h"

#include "app/options/option_line.h"
#include "core/complain.h"
#include "core/suggest.h"
#include "privsep/file_helper.h"
#include "privsep/trusted_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1024 * 1024 };

/* Whether an option has an argument. */
enum wants { WANTS_NOTHING, MAY_WANT, WANTS_ARGUMENT };

static enum wants wants_of(const struct option_line *line)
{
    if (line->argument == NULL)
        return WANTS_NOTHING;
    return option_line_may_lack_argument(line) ? MAY_WANT : WANTS_ARGUMENT;
}

/* find says whether there is an option of that name, and whether it has an argument. */
static bool find(const char *name, enum wants *wants)
{
    *wants = WANTS_ARGUMENT;
    const struct option_line *line = option_line_find(name);
    if (line != NULL) {
        *wants = wants_of(line);
        return true;
    }
    for (int i = 0; i < DS_LIMIT_COUNT && strncmp(name, "max-", 4) == 0; i++) {
        if (strcmp(ds_limit_name((enum ds_limit)i), name + 4) == 0)
            return true;
    }
    return strcmp(name, "expression") == 0;
}

/* find_nearest returns the most similar name. "expression" is an option only here. */
static const char *find_nearest(const char *name)
{
    const size_t len = strlen(name);
    const char *const option = option_line_nearest(name, len);
    const char *const names[] = {"expression", option};
    return suggest_find(name, len, names, option != NULL ? 2 : 1);
}

/* read_text reads the file. At the start, while the program has the rights to, it checks who may
 * write the file and its folders. */
static bool read_text(const char *name, bool is_running, char **text)
{
    FILE *file = file_helper_fopen(name);
    size_t len = 0;
    if (file != NULL && !is_running && !trusted_file_check(name, file)) {
        fclose(file);
        return false;
    }
    *text = file != NULL ? malloc(MAX_TEXT + 1) : NULL;
    if (*text != NULL)
        len = fread(*text, 1, MAX_TEXT, file);
    const bool is_too_long = len == MAX_TEXT;
    const bool ok = *text != NULL && !ferror(file) && !is_too_long;
    if (!ok)
        complain("cannot read %s: %s", name,
                 is_too_long ? "it is too long for a list of options" : strerror(errno));
    if (file != NULL)
        fclose(file);
    if (!ok)
        return false;
    (*text)[len] = '\0';
    char *fits = realloc(*text, len + 1);
    *text = fits != NULL ? fits : *text;
    if (strlen(*text) == len)
        return true;
    complain("%s is not text: it contains NUL bytes", name);
    return false;
}

/* trim removes spaces at both ends. */
static char *trim(char *text)
{
    static const char spaces[] = " \t\r";
    text += strspn(text, spaces);
    size_t len = strlen(text);
    while (len != 0 && strchr(spaces, text[len - 1]) != NULL)
        text[--len] = '\0';
    return text;
}

static bool is_of_command_line(const char *name)
{
    return strcmp(name, "config") == 0 || strcmp(name, "check-config") == 0;
}

/* check says whether the form of a line is valid. argument: NULL if there is none. */
static bool check(const char *file, unsigned number, const char *name, const char *argument)
{
    enum wants wants;
    if (!find(name, &wants)) {
        const char *nearest = find_nearest(name);
        complain("%s, line %u: there is no option '%s'%s%s%s", file, number, name,
                 nearest != NULL ? ": did you mean " : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "?" : "");
    } else if (is_of_command_line(name)) {
        complain("%s, line %u: %s is only for the command line", file, number, name);
    } else if (argument == NULL && wants == WANTS_ARGUMENT) {
        complain("%s, line %u: %s needs an argument: %s = ...", file, number, name, name);
    } else if (argument != NULL && wants == WANTS_NOTHING) {
        complain("%s, line %u: %s takes no argument: its name alone turns it on", file, number,
                 name);
    } else {
        return true;
    }
    return false;
}

/* add appends --name=argument to the words, as a new allocation. */
static bool add(struct config_file *config, unsigned number, const char *name, const char *argument)
{
    char *word;
    if (asprintf(&word, "--%s%s%s", name, argument != NULL ? "=" : "",
                 argument != NULL ? argument : "") < 0) {
        complain("out of memory");
        return false;
    }
    config->words[config->num_words++] = (struct config_word){word, number};
    return true;
}

static bool parse_line(struct config_file *config, const char *file, unsigned number, char *line)
{
    char *name = trim(line);
    if (name[0] == '\0' || name[0] == '#')
        return true;
    char *argument = strchr(name, '=');
    if (argument != NULL) {
        *argument++ = '\0';
        argument = trim(argument);
        trim(name);
    }
    if (!check(file, number, name, argument))
        return false;
    if (strcmp(name, "expression") != 0)
        return add(config, number, name, argument);
    if (config->expression != NULL) {
        complain("%s, line %u: expression can be used only once", file, number);
        return false;
    }
    config->expression = argument;
    return true;
}

static size_t count_lines(const char *text)
{
    size_t num = 1;
    for (; *text != '\0'; text++)
        num += *text == '\n';
    return num;
}

bool config_file_read(struct config_file *config, const char *name, bool is_running, int argc,
                      char **argv)
{
    *config = (struct config_file){.name = name};
    if (!read_text(name, is_running, &config->text))
        return false;
    const size_t max_words = count_lines(config->text);
    config->words = calloc(max_words, sizeof *config->words);
    config->argv = calloc(max_words + (size_t)argc + 1, sizeof *config->argv);
    if (config->words == NULL || config->argv == NULL) {
        complain("out of memory");
        return false;
    }
    unsigned number = 0;
    for (char *line = config->text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (!parse_line(config, name, ++number, line))
            return false;
    }
    for (int i = 0; i < argc; i++) {
        config->argv[config->argc++] = argv[i];
        for (size_t j = 0; i == 0 && j < config->num_words; j++)
            config->argv[config->argc++] = config->words[j].text;
    }
    return true;
}

unsigned config_file_line(const struct config_file *config, const char *word)
{
    for (size_t i = 0; i < config->num_words; i++) {
        if (config->words[i].text == word)
            return config->words[i].line;
    }
    return 0;
}

void config_file_free(struct config_file *config)
{
    for (size_t i = 0; i < config->num_words; i++)
        free(config->words[i].text);
    free(config->words);
    free(config->argv);
    free(config->text);
    *config = (struct config_file){0};
}
