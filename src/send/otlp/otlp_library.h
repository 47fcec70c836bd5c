/*
 * otlp_library.h - libcurl, which is loaded by the process that sends spans, and by no other.
 */
#ifndef SRC_OTLP_LIBRARY_H
#define SRC_OTLP_LIBRARY_H

#define CURL_DISABLE_TYPECHECK /* by macros, which know functions by their names alone */
#include <curl/curl.h>
#include <stdbool.h>

struct otlp_library {
#define CURL_FUNCTION(name) __typeof__(name) *name;
#include "send/otlp/otlp_library.def"
#undef CURL_FUNCTION
};

/* otlp_library is its functions, all NULL before otlp_library_load. */
extern struct otlp_library otlp_library;

/* otlp_library_load loads it. False after a complaint. */
bool otlp_library_load(void);

#endif
