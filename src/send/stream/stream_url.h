/*
 * stream_url.h - -r tcp://HOST:PORT: a server that sends packets, as an endless capture file ("PCAP
 * over IP").
 */
#ifndef SRC_STREAM_URL_H
#define SRC_STREAM_URL_H

#include <stdbool.h>
#include <stddef.h>

enum { STREAM_MAX_HOST = 255, STREAM_MAX_STREAMS = 16 };

struct stream_url {
    const char *word; /* as it was given */
    char host[STREAM_MAX_HOST + 1];
    char port[6];
};

struct stream_urls {
    struct stream_url url[STREAM_MAX_STREAMS];
    size_t num;
};

/* stream_is_url says whether a word is meant as such a URL, not a file. */
bool stream_is_url(const char *word);

/* stream_url_parse parses a URL; word must stay valid. False after an error message. */
bool stream_url_parse(const char *word, struct stream_url *url);

#endif
