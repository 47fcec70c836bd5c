/*
 * otlp_library.c - see otlp_library.h.
 */
#ifdef DISTSNIFF_OTLP

#include "send/otlp/otlp_library.h"

#include "core/shared_library.h"

struct otlp_library otlp_library;

bool otlp_library_load(void)
{
    const struct shared_library_function functions[] = {
#define CURL_FUNCTION(name) {#name, &otlp_library.name},
#include "send/otlp/otlp_library.def"
#undef CURL_FUNCTION
    };
    return shared_library_load("-T otlp=URL", CURL_LIBRARY, "libcurl4", functions,
                               sizeof functions / sizeof functions[0]);
}

#endif
