/*
 * detect_baseline.c - what a capture has and a baseline does not (DS504): --baseline. See
 * unusual.h.
 */
#include "analyse/findings/detect.h"


static const struct {
    const char *before, *after, *packet;
} words[UNUSUAL_KIND_COUNT] = {
#define UNUSUAL(id, before, after, packet) {before, after, packet},
#include "analyse/findings/unusual.def"
#undef UNUSUAL
};

enum { WHAT_LONGEST = 400 };

/* cut shortens a text, at the start of a UTF-8 character. */
static struct ds_text cut(struct ds_text text)
{
    if (text.len <= WHAT_LONGEST)
        return text;
    text.len = WHAT_LONGEST;
    while (text.len > 0 && ((unsigned char)text.data[text.len] & 0xc0) == 0x80)
        text.len--;
    return text;
}

/* add_values writes how long calls last, or how large messages are, now and at most before. */
static void add_values(struct wording *detail, const struct unusual *unusual)
{
    if (unusual->kind == UNUSUAL_LATENCY)
        wording_say(detail, "median {latency} for a second, never more than {most_latency} in the baseline",
                    a_span((int64_t)unusual->value), a_span((int64_t)unusual->most));
    else if (unusual->kind == UNUSUAL_SIZE)
        wording_say(detail, "mean {message_bytes} for a second, never more than {most_bytes} in the "
                    "baseline",
                    a_size((uint64_t)unusual->value), a_size((uint64_t)unusual->most));
}

/* add_nodes names the two nodes, where the sentence does not. */
static void add_nodes(struct wording *detail, const struct unusual *unusual)
{
    const bool is_told = unusual->kind == UNUSUAL_LINK || unusual->kind == UNUSUAL_LATENCY ||
                         unusual->kind == UNUSUAL_SIZE;
    if (is_told || unusual->node[0].data == NULL || unusual->node[1].data == NULL)
        return;
    wording_say(detail, "{node}{}{peer}", a_node(unusual->node[0]),
                a_word(unusual->kind == UNUSUAL_FUNCTION ? " calls it on " : " sends to "),
                a_node(unusual->node[1]));
}

void detect_unusual(struct detect *d, const struct unusual *unusual)
{
    struct finding *f = detect_begin(d, FINDING_DS504, NULL);
    f->evidence[0].ts_ns = unusual->ts_ns;
    f->evidence[0].conn = unusual->conn;
    f->is_redacted = unusual->are_pseudonyms;
    for (int i = 0; i < 2; i++) {
        if (unusual->node[i].data != NULL && unusual->node[i].len <= FINDING_NODE_LEN)
            f->node[i].len = detect_keep(f->node[i].text, sizeof f->node[i].text, unusual->node[i]);
    }
    f->variant = (unsigned)unusual->kind;
    wording_say(&f->sentence, "{}{what}{}", a_word(words[unusual->kind].before),
                a_text(cut(unusual->what)), a_word(words[unusual->kind].after));
    add_values(&f->detail, unusual);
    add_nodes(&f->detail, unusual);
    detect_frame(f, unusual->frame, words[unusual->kind].packet);
    if (unusual->is_unsure)
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      "a baseline of a capture that begins before the nodes connect: this one has "
                      "messages that could not be read");
    detect_commit(d);
}
