/*
 * config_file.h - --config: options from a file, for services. A line is an option by its long name,
 * and what the command line calls its argument behind an equals sign:
 *
 *     # what the service on this host does
 *     interface = any
 *     expression = tcp
 *     metrics = 9091
 *     no-calls
 *
 * Spaces around names and arguments do not count, nor do lines that are empty or begin with #. The
 * options come before those of the command line, which says the rest. "expression" is the BPF
 * expression, unless the command line has one.
 */
#ifndef SRC_CONFIG_FILE_H
#define SRC_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* config_word is an option of the file, as the command line would have it. */
struct config_word {
    char *text; /* --name=argument */
    unsigned line;
};

struct config_file {
    const char *name;
    char *text; /* its lines, taken apart */
    struct config_word *words;
    size_t num_words;
    char *expression; /* NULL: none */
    char **argv;      /* the command line with these words in it, for getopt to turn over */
    int argc;
};

/* config_file_read reads a file and joins it with a command line. is_running: it was read before, when who
 * may write it was checked, which the sandbox does not allow any more. False after a complaint.
 * config_file_free is needed in both cases. */
bool config_file_read(struct config_file *config, const char *name, bool is_running, int argc,
                      char **argv);

/* config_file_line returns the line in which a word of argv stands, 0 where in none. */
unsigned config_file_line(const struct config_file *config, const char *word);

void config_file_free(struct config_file *config);

#endif
