/*
 * main.c - distsniff, the command.
 */
#include "capture/capture.h"
#include "compare/profile_file.h"
#include "core/complain.h"
#include "select/filter.h"
#include "core/malloc_tuning.h"
#include "app/options/keylog_hints.h"
#include "analyse/findings/finding_kinds.h"
#include "app/options/options.h"
#include "app/options/option_report.h"
#include "core/own_labels.h"
#include "output/sink.h"
#include "app/run/compare_run.h"
#include "app/run/explain_run.h"
#include "app/run/history_run.h"
#include "app/run/learned_file.h"
#include "app/run/mcp_run.h"
#include "app/run/sniff.h"
#include "core/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static int print_version(void)
{
    printf("distsniff %s\n%s, zlib %s\n", DISTSNIFF_VERSION, pcap_lib_version(), zlibVersion());
    printf("formats: JSON %d, library %d, baselines %d, --learned %d\n", JSON_FORMAT, DISTSNIFF_ABI,
           PROFILE_FORMAT, LEARNED_FORMAT);
    return STATUS_OK;
}

/* open_standard prevents a file or socket from getting the number of a standard stream that was
 * closed: messages would go into it, and out to the network. Writing to a closed standard output
 * fails. */
static bool open_standard(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", modes[fd]) != fd)
            return false;
    }
    return true;
}

/* check_standard checks that all output reached standard output. */
static int check_standard(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    if (errno != EPIPE)
        complain("cannot write standard output: %s", strerror(errno));
    return STATUS_TROUBLE;
}

static int run_question(int argc, char **argv, const uint8_t *key);

/* act does what the command line asks for. It returns the exit status. */
static int act(struct options *options)
{
    switch (options->action) {
    case ACTION_HELP:
        options_print_help(stdout);
        return STATUS_OK;
    case ACTION_SHORT_HELP:
        options_print_short_help(stdout);
        return STATUS_OK;
    case ACTION_VERSION:
        return print_version();
    case ACTION_LIST_INTERFACES:
        return capture_list_interfaces() ? STATUS_OK : STATUS_TROUBLE;
    case ACTION_LIST_FIELDS:
        filter_list_fields(stdout);
        return STATUS_OK;
    case ACTION_LIST_FORMATS:
        sink_list(stdout);
        return STATUS_OK;
    case ACTION_LIST_REPORTS:
        option_report_list(stdout);
        return STATUS_OK;
    case ACTION_LIST_LABELS:
        own_labels_print(options->labels, stdout);
        return STATUS_OK;
    case ACTION_PRINT_REFRESH:
        late_hints_print_refresh(options->refresh_way, stdout);
        return STATUS_OK;
    case ACTION_PRINT_KEYLOG_CONFIG:
        keylog_hints_print(options->keylog_release, stdout);
        return STATUS_OK;
    case ACTION_EXPLAIN:
        finding_explain(options->explained, stdout);
        return STATUS_OK;
    case ACTION_EXTCAP_INTERFACES:
        extcap_print_interfaces(stdout);
        return STATUS_OK;
    case ACTION_EXTCAP_DLTS:
        extcap_print_dlts(stdout);
        return STATUS_OK;
    case ACTION_EXTCAP_CONFIG:
        extcap_print_config(stdout);
        return STATUS_OK;
    case ACTION_CHECK_CONFIG:
        printf("%s: valid\n", options->config_file);
        return STATUS_OK;
    case ACTION_SNIFF:
        return options->mcp                             ? mcp_run(options, run_question)
               : options->explain.asked                   ? explain_run(options)
               : options->report.wanted[REPORT_HISTORY] ? history_run(options)
               : options->report.wanted[REPORT_CHANGES] ? compare_run(options)
                                                        : sniff_run(options);
    }
    return STATUS_USAGE;
}

/* run does what the options say, if they were valid. */
static int run(struct options *options, bool is_read)
{
    const int status = is_read ? act(options) : STATUS_USAGE;
    if (!is_read)
        extcap_abandon(options->extcap.fifo);
    options_free(options);
    return status == STATUS_OK ? check_standard() : status;
}

/* run_question runs the command line of an assistant's question; key: of its pseudonyms, NULL: a
 * new one is drawn. It refuses filters on private fields, which could find out letter by letter
 * what pseudonyms stand for. */
static int run_question(int argc, char **argv, const uint8_t *key)
{
    struct options options;
    bool is_read = options_parse(&options, argc, argv);
    const char *asked =
        is_read && options.redact.what != 0 ? filter_asks_private(options.select.filter) : NULL;
    if (asked != NULL) {
        complain("-Y: %s is replaced by a pseudonym, so a filter cannot ask what it is. The user may "
                 "choose --mcp=plain", asked);
        is_read = false;
    }
    if (key != NULL && options.redact.key_file == NULL)
        options.redact.key = key;
    return run(&options, is_read);
}

int main(int argc, char **argv)
{
    signals_prepare();
    if (!open_standard())
        return STATUS_TROUBLE;
    complain_prepare();
    malloc_tune_size();
    struct options options;
    const bool is_read = options_parse(&options, argc, argv);
    return run(&options, is_read);
}
