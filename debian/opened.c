/*
 * opened.c - refers to each function of the libraries that distsniff opens when they are asked for, so that
 * dpkg-shlibdeps finds the packages that have them. It is installed nowhere.
 */
#define NATS(name) extern void name(void);
#include "send/nats/nats_library.def"
#undef NATS
#define CURL_FUNCTION(name) extern void name(void);
#include "send/otlp/otlp_library.def"
#undef CURL_FUNCTION
#define HTTP(name) extern void MHD_##name(void);
#include "ui/web/http_library.def"
#undef HTTP
#define SQLITE(name) extern void sqlite3_##name(void);
#include "output/sqlite/sqlite_library.def"
#undef SQLITE
#define NCURSES(name) extern void name(void);
#include "ui/tui/ncurses_library.def"
#undef NCURSES

void (*const distsniff_opened[])(void) = {
#define NATS(name) name,
#include "send/nats/nats_library.def"
#define CURL_FUNCTION(name) name,
#include "send/otlp/otlp_library.def"
#define HTTP(name) MHD_##name,
#include "ui/web/http_library.def"
#define SQLITE(name) sqlite3_##name,
#include "output/sqlite/sqlite_library.def"
#define NCURSES(name) name,
#include "ui/tui/ncurses_library.def"
};
