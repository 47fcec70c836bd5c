/*
 * http_library.c - see http_library.h.
 */
#ifdef DISTSNIFF_WEB

#include "ui/web/http_library.h"

#include "core/shared_library.h"

struct http_library http_library;

bool http_library_load(const char *option)
{
    const struct shared_library_function functions[] = {
#define HTTP(name) {"MHD_" #name, &http_library.name},
#include "ui/web/http_library.def"
#undef HTTP
    };
    return shared_library_load(option, HTTP_LIBRARY, "libmicrohttpd12", functions,
                               sizeof functions / sizeof functions[0]);
}

#endif
