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

/* complain_no_more has all that is said on standard error from now on go nowhere: nobody reads it, and
 * who says something would wait for ever. */
void complain_no_more(void);

/* complain_prepare opens what complain_no_more needs. To be called while files can be opened: the
 * sandbox leaves no way to do it later. */
void complain_prepare(void);

#endif
