/*
 * http_library.c - see http_library.h.
 */
#ifdef DISTSNIFF_WEB

#include "http_library.h"

#include "complain.h"

#include <dlfcn.h>
#include <string.h>

struct http_library http_library;

/* find looks up a function; a pointer to data is not cast to one to code. */
static bool find(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

bool http_library_load(const char *option)
{
    void *const library = dlopen(HTTP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
#define HTTP(name) good = good && find(library, "MHD_" #name, &http_library.name);
#include "http_library.def"
#undef HTTP
    if (!good)
        complain("%s: cannot load %s: %s", option, HTTP_LIBRARY, dlerror());
    return good;
}

#endif
