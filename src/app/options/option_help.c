/*
 * option_help.c - the text of --help, from the table of options, and the text of -h.
 */
#include "app/options/option_line.h"

#include <string.h>

enum { HELP_COLUMN = 32, HELP_WIDTH = 96 };

/* print_folded writes text from HELP_COLUMN on, wrapped between words. used columns are already
 * written. */
static void print_folded(FILE *out, int used, const char *text)
{
    int column = HELP_COLUMN;
    if (used >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - used, "");
    while (*text != '\0') {
        int len = (int)strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + len > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        column += fprintf(out, "%s%.*s", column > HELP_COLUMN ? " " : "", len, text);
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void options_print_help(FILE *out)
{
    fputs("distsniff [-i IF | -r FILE ...] [options] [BPF expression]\n"
          "Shows what Erlang and Elixir nodes say to each other, from their packets.\n", out);
    for (int i = 0; i < NUM_OPTION_LINES; i++) {
        const struct option_line *line = &option_lines[i];
        if (line->kind == OPTION_SECTION) {
            fprintf(out, "\n%s:\n", line->name);
            continue;
        }
        int used = line->letter != 0 ? fprintf(out, "  -%c, ", line->letter)
                                     : fprintf(out, "      ");
        const char *argument = line->argument != NULL ? line->argument : "";
        const bool optional = option_line_may_lack_argument(line);
        used += fprintf(out, optional ? "--%s[=%s" : "--%s%s%s", line->name,
                        optional ? argument + 1 : argument[0] != '\0' ? " " : "", argument);
        print_folded(out, used, line->help);
    }
    fputs("\nLimits. When one is reached, the oldest entries are dropped and the summary reports it:\n",
          out);
    struct ds_config defaults;
    ds_config_init(&defaults);
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        char help[160];
        int used = fprintf(out, "      --max-%s N", ds_limit_name((enum ds_limit)i));
        snprintf(help, sizeof help, "%s; %llu by default", ds_limit_what((enum ds_limit)i),
                 (unsigned long long)defaults.limits[i]);
        print_folded(out, used, help);
    }
    fputs("\nThe BPF expression is that of tcpdump, see pcap-filter(7). The ports that EPMD and\n"
          "handshakes reveal are added to it:\n"
          "  distsniff cluster.pcap --doctor\n"
          "  sudo distsniff -i eth0 tcp\n"
          "  sudo distsniff -i eth0 port 4369\n"
          "The manual has an example for each task: man distsniff\n", out);
}

void options_print_short_help(FILE *out)
{
    fputs("distsniff [-i IF | -r FILE ...] [options] [BPF expression]\n"
          "Shows what Erlang and Elixir nodes say to each other, from their packets.\n\n"
          "What is wrong, and what to do:\n"
          "  distsniff cluster.pcap --doctor\n"
          "What happened when:\n"
          "  distsniff cluster.pcap --timeline\n"
          "  distsniff cluster.pcap --since 10:02 --until 10:03\n"
          "The messages between nodes, live; those of a process; those of a function:\n"
          "  sudo distsniff -i eth0 --ask-epmd tcp\n"
          "  distsniff cluster.pcap --process rex\n"
          "  distsniff cluster.pcap -m 'lists:seq(_, _)'\n"
          "What is slow, what fails, what fills the links:\n"
          "  distsniff cluster.pcap --latency\n"
          "  distsniff cluster.pcap --calls\n"
          "  distsniff cluster.pcap --traffic --by node\n"
          "A page in the browser, from a file or live:\n"
          "  distsniff cluster.pcap --html\n"
          "  sudo distsniff --web 8080\n"
          "Keep the packets, and read them later:\n"
          "  sudo distsniff -q -i any -w cluster.pcap tcp\n\n"
          "More reports: distsniff --report list. A finding: distsniff --explain DS101.\n"
          "All options: distsniff --help. The manual: man distsniff.\n", out);
}
