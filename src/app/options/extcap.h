/*
 * extcap.h - what Wireshark asks of a program in its folder extcap, and is told:
 * https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html
 *
 * There is one interface, distsniff. What Wireshark captures from it are packets of -T wireshark. Each
 * field of its dialog is an option of this program, as the user would type it.
 */
#ifndef SRC_EXTCAP_H
#define SRC_EXTCAP_H

#include <stdbool.h>
#include <stdio.h>

struct extcap_options {
    const char *version;    /* of Wireshark */
    char *expression;       /* of --extcap-capture-filter, or NULL; empty: none */
    const char *fifo;       /* from which Wireshark reads, or NULL */
    bool captures;
};

void extcap_print_interfaces(FILE *out);
void extcap_print_dlts(FILE *out);
void extcap_print_config(FILE *out);

/* extcap_give_up opens the FIFO and closes it, if nothing was written: Wireshark waits until somebody has.
 * */
void extcap_give_up(const char *fifo);

#endif
