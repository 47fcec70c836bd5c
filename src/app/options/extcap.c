/*
 * extcap.c - see extcap.h.
 */
#include "app/options/extcap.h"

#include "app/options/option_set.h"
#include "core/complain.h"
#include "core/signals.h"
#include "output/sink.h"
#include "privsep/file_helper.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#define INTERFACE "distsniff"

/* The fields of the dialog: ARGUMENT(option, label, tooltip, type). */
static const struct {
    const char *option, *label, *tooltip, *type;
} arguments[] = {
#define ARGUMENT(option, label, tooltip, type) {option, label, tooltip, type},
#include "app/options/extcap.def"
};

/* VALUE(argument, value, label): a choice for the argument with that option. */
static const struct {
    const char *option, *value, *label;
} values[] = {
#define VALUE(option, value, label) {option, value, label},
#include "app/options/extcap.def"
};

enum {
    NUM_ARGUMENTS = sizeof arguments / sizeof arguments[0],
    NUM_VALUES = sizeof values / sizeof values[0],
};

void extcap_print_interfaces(FILE *out)
{
    fprintf(out, "extcap {version=%s}\n", DISTSNIFF_VERSION);
    fprintf(out, "interface {value=%s}{display=Erlang distribution}\n", INTERFACE);
}

void extcap_print_dlts(FILE *out)
{
    fprintf(out, "dlt {number=252}{name=WIRESHARK_UPPER_PDU}"
                 "{display=What Erlang nodes say to each other}\n");
}

void extcap_print_config(FILE *out)
{
    for (int i = 0; i < NUM_ARGUMENTS; i++)
        fprintf(out, "arg {number=%d}{call=--%s}{display=%s}{tooltip=%s}%s\n", i, arguments[i].option,
                arguments[i].label, arguments[i].tooltip, arguments[i].type);
    for (int i = 0; i < NUM_ARGUMENTS; i++) {
        for (int j = 0; j < NUM_VALUES; j++) {
            if (strcmp(arguments[i].option, values[j].option) == 0)
                fprintf(out, "value {arg=%d}{value=%s}{display=%s}\n", i, values[j].value, values[j].label);
        }
    }
}

void extcap_abandon(const char *fifo)
{
    enum { TRIES = 30, WAIT_MS = 100 };
    struct open_trouble trouble;
    for (int i = 0; fifo != NULL && i < TRIES && !stop_wanted; i++) {
        const int fd = file_helper_open(fifo, OPEN_WRITE, &trouble);
        if (fd >= 0) {
            close(fd);
            return;
        }
        if (!trouble.nobody_reads)
            return;
        poll(NULL, 0, WAIT_MS);
    }
}

bool option_set_extcap_interfaces(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_EXTCAP_INTERFACES;
    return true;
}

bool option_set_extcap_dlts(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_EXTCAP_DLTS;
    return true;
}

bool option_set_extcap_config(struct options *o, const char *value)
{
    (void)value;
    o->action = ACTION_EXTCAP_CONFIG;
    return true;
}

bool option_set_extcap_interface(struct options *o, const char *value)
{
    (void)o;
    if (strcmp(value, INTERFACE) == 0)
        return true;
    complain("there is no interface %s for Wireshark: it is called " INTERFACE, value);
    return false;
}

bool option_set_fifo(struct options *o, const char *value)
{
    if (o->output.num_formats == MAX_FORMATS) {
        complain("-T can be used at most %d times", MAX_FORMATS);
        return false;
    }
    o->output.formats[o->output.num_formats++] = (struct sink_format){&sink_wireshark, value};
    o->extcap.fifo = value;
    return true;
}
