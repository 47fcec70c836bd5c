/*
 * otlp_library.h - libcurl, which only the process that sends spans loads.
 */
#ifndef SRC_OTLP_LIBRARY_H
#define SRC_OTLP_LIBRARY_H

#define CURL_DISABLE_TYPECHECK /* its checks are macros, which know the functions only by name */
#include <curl/curl.h>
#include <stdbool.h>

struct otlp_library {
#define CURL_FUNCTION(name) __typeof__(name) *name;
#include "send/otlp/otlp_library.def"
#undef CURL_FUNCTION
};

/* otlp_library is its functions; all are NULL before otlp_library_load. */
extern struct otlp_library otlp_library;

/* otlp_library_load loads it. False after an error message. */
bool otlp_library_load(void);

#endif
