/*
 * extcap.h - the answers to Wireshark's calls of a program in its folder extcap:
 * https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html
 *
 * There is one interface, distsniff. Wireshark captures packets of -T wireshark from it. Each field
 * of its dialog is an option of this program, as the user would type it.
 */
#ifndef SRC_EXTCAP_H
#define SRC_EXTCAP_H

#include <stdbool.h>
#include <stdio.h>

struct extcap_options {
    const char *version;    /* of Wireshark */
    char *expression;       /* of --extcap-capture-filter, or NULL; empty: none */
    const char *fifo;       /* Wireshark reads from it; or NULL */
    bool captures;
};

void extcap_print_interfaces(FILE *out);
void extcap_print_dlts(FILE *out);
void extcap_print_config(FILE *out);

/* extcap_abandon opens and closes the FIFO if nothing was written: Wireshark waits until some
 * program opens it. */
void extcap_abandon(const char *fifo);

#endif
