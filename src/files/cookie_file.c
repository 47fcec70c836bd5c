/*
 * cookie_file.c - see cookie_file.h.
 */
#include "files/cookie_file.h"

#include "core/complain.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool cookie_file_read(const char *name, char text[MAX_COOKIE_LEN + 1], struct ds_text *cookie)
{
    *cookie = (struct ds_text){NULL, 0};
    if (name == NULL)
        return true;
    FILE *file = file_helper_fopen(name);
    size_t len = file != NULL ? fread(text, 1, MAX_COOKIE_LEN, file) : 0;
    if (file == NULL || ferror(file)) {
        complain("cannot read the cookie file %s: %s", name, strerror(errno));
        if (file != NULL)
            fclose(file);
        return false;
    }
    fclose(file);
    text[len] = '\0';
    len = strcspn(text, " \t\r\n");
    if (len == 0) {
        complain("the cookie file %s has no cookie in its first line", name);
        return false;
    }
    *cookie = (struct ds_text){text, len};
    return true;
}
