/*
 * complain.h - error messages on standard error: one line each, with the remedy.
 */
#ifndef SRC_COMPLAIN_H
#define SRC_COMPLAIN_H

/* complain writes "distsniff: " and the message. Control characters in it, which may come from file
 * names and libraries, are shown as \xHH. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* complain_about makes the following messages of this thread begin with what they are about, such as
 * "FILE, line 3"; NULL: nothing. The text is not copied. */
void complain_about(const char *what);

/* complain_no_more discards everything that is written to standard error from now on: nothing reads it
 * any more, and writing would block forever. */
void complain_no_more(void);

/* complain_prepare opens what complain_no_more needs. Call it while files can be opened: in the sandbox
 * it would fail. */
void complain_prepare(void);

#endif
