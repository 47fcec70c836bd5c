/*
 * wording_say.h - sentences of findings, with their parameters in braces:
 *
 *     wording_say(&f->sentence, "{node} has been silent for {silent}{}", an_end(&conn->end[0]),
 *                 a_span(ns), a_word(is_over ? "" : " so far"));
 *
 * A name in braces is a row of finding_params.def. The value of {} is part of the sentence, and not
 * a parameter. A text is not a parameter either where the row says that it is a number.
 */
#ifndef SRC_WORDING_SAY_H
#define SRC_WORDING_SAY_H

#include "record/record.h"

/* saying is the value of one pair of braces. */
struct saying {
    void (*put)(struct wording *wording, const struct saying *saying);
    const void *at;
    struct ds_text text, more;
    int64_t number;
    bool is_number;
};

void wording_say_all(struct wording *wording, const char *sentence, const struct saying *sayings,
                     size_t num);
#define wording_say(wording, sentence, ...)                                                                \
    wording_say_all(wording, sentence, (const struct saying[]){__VA_ARGS__},                               \
                    sizeof(const struct saying[]){__VA_ARGS__} / sizeof(struct saying))

struct saying an_end(const struct ds_endpoint *end); /* its node, or its address and port */
struct saying a_node(struct ds_text name);
struct saying an_atom(struct ds_text name);
struct saying an_addr(const struct ds_addr *addr);
struct saying a_party(const struct party *party);
struct saying a_function(struct ds_text module, struct ds_text function);
struct saying a_label(const char *label);
struct saying a_text(struct ds_text text); /* without escapes */
struct saying a_word(const char *text);
struct saying a_number(int64_t number);
struct saying a_count(uint64_t number, const char *unit); /* "1 byte", "2 bytes" */
struct saying a_size(uint64_t bytes);
struct saying a_span(int64_t ns);

/* wording_icmp appends the ICMP error that a router or host sent; NULL: none. */
void wording_icmp(struct wording *detail, const char *what);

/* Each of these appends one value. */
void wording_span(struct wording *wording, int64_t ns);
void wording_size(struct wording *wording, uint64_t bytes);
void wording_function(struct wording *wording, struct ds_text module, struct ds_text function);
void wording_label(struct wording *wording, const char *label);
/* wording_words appends another text, with its parameters. */
void wording_words(struct wording *to, const struct wording *from);
void wording_party(struct wording *wording, const struct party *party);

#endif
