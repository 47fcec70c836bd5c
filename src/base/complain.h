/*
 * complain.h - what the user is told on standard error: one line, with the remedy.
 */
#ifndef SRC_COMPLAIN_H
#define SRC_COMPLAIN_H

/* complain writes "distsniff: " and the message. Control characters in it are shown as \xHH:
 * file names and libraries may have put some there. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
