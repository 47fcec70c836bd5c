/*
 * complain.h - what the user is told on standard error: one line, with the remedy.
 */
#ifndef SRC_COMPLAIN_H
#define SRC_COMPLAIN_H

/* complain writes "distsniff: " and the message. Control characters in it are shown as \xHH:
 * file names and libraries may have put some there. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* complain_about has the messages from now on begin with what they are of, such as "FILE, line 3"; NULL:
 * with nothing. It is about the messages of this thread alone. The text must stay. */
void complain_about(const char *what);

#endif
