/*
 * main.c - distsniff, the command.
 */
#include "capture.h"
#include "filter.h"
#include "options.h"
#include "sniff.h"

#include <zlib.h>

static int print_version(void)
{
    printf("distsniff %s\n%s, zlib %s\n", DISTSNIFF_VERSION, pcap_lib_version(), zlibVersion());
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct options options;
    int status = STATUS_USAGE;
    if (options_parse(&options, argc, argv)) {
        switch (options.action) {
        case ACTION_HELP:
            options_print_help(stdout);
            status = STATUS_OK;
            break;
        case ACTION_VERSION:
            status = print_version();
            break;
        case ACTION_LIST_INTERFACES:
            status = capture_list_interfaces() ? STATUS_OK : STATUS_TROUBLE;
            break;
        case ACTION_LIST_FIELDS:
            filter_list_fields(stdout);
            status = STATUS_OK;
            break;
        case ACTION_SNIFF:
            status = sniff_run(&options);
            break;
        }
    }
    options_free(&options);
    return status;
}
