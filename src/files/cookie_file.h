/*
 * cookie_file.h - the file of --cookie-file.
 */
#ifndef SRC_COOKIE_FILE_H
#define SRC_COOKIE_FILE_H

#include <distsniff/term.h>

enum { MAX_COOKIE_LEN = 255 };

/* cookie_file_read reads the cookie: the text of the file up to white space, as the runtime system
 * does. *cookie points into text, and is absent if name is NULL. Returns false after an error message. */
bool cookie_file_read(const char *name, char text[MAX_COOKIE_LEN + 1], struct ds_text *cookie);

#endif
