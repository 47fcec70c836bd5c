/*
 * config_file.h - --config: options from a file, for services. A line is an option by its long
 * name, and its argument, if any, after an equals sign:
 *
 *     # what the service on this host does
 *     interface = any
 *     expression = tcp
 *     metrics = 9091
 *     no-calls
 *
 * Spaces around names and arguments are ignored, as are lines that are empty or begin with #. The
 * options come before the command line, which adds the rest. "expression" is the BPF expression,
 * unless the command line has one.
 */
#ifndef SRC_CONFIG_FILE_H
#define SRC_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* config_word is an option from the file, in the form of the command line. */
struct config_word {
    char *text; /* --name=argument */
    unsigned line;
};

struct config_file {
    const char *name;
    char *text; /* the file, split into its lines */
    struct config_word *words;
    size_t num_words;
    char *expression; /* NULL: none */
    char **argv;      /* the command line with these words in it, which getopt may reorder */
    int argc;
};

/* config_file_read reads a file and joins it with a command line. is_running: it was read before;
 * who may write it was checked then, which the sandbox does not allow any more. False after a
 * complaint. Call config_file_free in both cases. */
bool config_file_read(struct config_file *config, const char *name, bool is_running, int argc,
                      char **argv);

/* config_file_line returns the line of the file from which a word of argv comes; 0 if from none. */
unsigned config_file_line(const struct config_file *config, const char *word);

void config_file_free(struct config_file *config);

#endif
