/*
 * finding.h - something that is wrong, or not as it should be, in one sentence: what a record of
 * type finding holds. What kinds there are stands in analyse/findings/findings.def.
 *
 * Its texts are made of words that know what they are, so that names and addresses can be
 * replaced (--redact) and are escaped where they are shown.
 */
#ifndef SRC_FINDING_H
#define SRC_FINDING_H

#include <distsniff/event.h>

/* FINE, UNCHECKED, COUNTED and DOWN are no findings: what was looked at and is in order, what could not be
 * looked at, counts of which not all is in order, and what has left and not come back, or was restarted.
 * Only reports are given them. */
enum severity {
    SEVERITY_ERROR,
    SEVERITY_WARNING,
    SEVERITY_NOTE,
    SEVERITY_FINE,
    SEVERITY_UNCHECKED,
    SEVERITY_COUNTED,
    SEVERITY_DOWN,
};

/* How a line of UNCHECKED limits the verdict: the capture does not have all that passed, or not all that it
 * has could be read, or nothing of the nodes asked for, or no link at all. */
enum verdict_limit { LIMITS_NOTHING, LIMITS_SEEN, LIMITS_READ, LIMITS_NODES, LIMITS_LINKS };
enum certainty { CERTAINTY_SURE, CERTAINTY_LIKELY, CERTAINTY_POSSIBLE };

/* What a finding is about, the most urgent first: something is down, stalled, split or failing; something
 * does what it should not; something is slow or wastes; something could be abused, or limits what the
 * capture shows. */
enum finding_rank { RANK_AVAILABILITY, RANK_CORRECTNESS, RANK_PERFORMANCE, RANK_HYGIENE };

/* finding_kind is a row of findings.def. */
struct finding_kind {
    const char *code; /* "DS101" */
    enum severity severity;
    enum finding_rank rank;
    const char *title;  /* "wrong cookie" */
    const char *advice;
    const char *page; /* cause, what is seen on the wire, remedy, what it can be taken for */
};

/* What a line of --report timeline is about; names in the JSON key what, and words for people. */
enum happening {
    HAPPENING_NONE,
#define HAPPENING(id, name, words) HAPPENING_##id,
#include "record/happenings.def"
#undef HAPPENING
    HAPPENING_COUNT
};

enum word_kind { WORD_PLAIN, WORD_NODE, WORD_ADDR, WORD_ATOM };

/* finding_param is what a part of a sentence says: a row of finding_params.def. */
enum finding_param {
    PARAM_NONE,
#define PARAM(name, kind, help) PARAM_##name,
#include "record/finding_params.def"
#undef PARAM
    PARAM_COUNT
};

enum { WORDING_BYTES = 760, WORDING_PARTS = 32, WORDING_LONGEST = 120, WORDING_NUMBERS = 8 };

/* wording is a text. What does not fit is left out, and a name longer than WORDING_LONGEST bytes is
 * cut: wording_print says so. Zero-initialise it. A parameter is one part, or several in a row. The first
 * one begins it and has its number, if it is one. */
struct wording {
    uint16_t len, num;
    bool is_cut;
    uint8_t num_numbers;
    struct {
        uint16_t at, len;
        uint8_t kind;
        uint8_t param; /* enum finding_param */
        bool is_cut : 1, begins : 1;
        uint8_t number : 4; /* of the parameter: its place in number, from 1; 0: it is text */
    } part[WORDING_PARTS];
    int64_t number[WORDING_NUMBERS];
    char bytes[WORDING_BYTES];
};

void wording_add(struct wording *wording, const char *text);
void wording_printf(struct wording *wording, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wording_put(struct wording *wording, enum word_kind kind, struct ds_text text);
void wording_addr(struct wording *wording, const struct ds_addr *addr);

/* wording_end adds the node at an end of a connection, else its address and port. */
void wording_end(struct wording *wording, const struct ds_endpoint *end);

/* wording_print appends the text, fit for a terminal; wording_print_param the text of the parameter that
 * begins with a part. */
void wording_print(const struct wording *wording, struct ds_buffer *out);
void wording_print_param(const struct wording *wording, size_t part, struct ds_buffer *out);

/* wording_mark makes the parts from one on, up to the last, a parameter; wording_mark_number one that is
 * that number. Where there is no room for another number it is none. */
void wording_mark(struct wording *wording, size_t part, enum finding_param param);
void wording_mark_number(struct wording *wording, size_t part, enum finding_param param, int64_t number);

/* finding_param_find returns the parameter of that name, PARAM_NONE where there is none.
 * finding_param_is_number says whether it is a number or a span. */
enum finding_param finding_param_find(struct ds_text name);
bool finding_param_is_number(enum finding_param param);

/* finding_has_params says whether a finding has parameters in its texts. */
struct finding;
bool finding_has_params(const struct finding *finding);

/* wording_append appends a part of another text, and what it is. */
void wording_append(struct wording *wording, const struct wording *from, size_t part, struct ds_text text);

enum { FINDING_FRAMES = 6, FINDING_SETS = 3, FINDING_NODE_LEN = 255 };

/* evidence is a set of packets that together show it. */
struct evidence {
    uint64_t conn; /* 0: of none */
    int64_t ts_ns;
    unsigned num;
    struct {
        uint64_t frame;
        const char *what; /* a static string */
    } packet[FINDING_FRAMES];
};

struct finding {
    uint64_t number; /* of the finding among the different ones, from 1 */
    const struct finding_kind *kind; /* NULL: of FINE and UNCHECKED, and of a moment */
    enum happening happening; /* it is a line of the timeline and no finding; else HAPPENING_NONE */
    enum severity severity;
    enum certainty certainty;
    bool is_proved; /* by more than packets: losses among them do not lower it */
    struct wording sentence, detail;
    unsigned variant; /* of the same parameters: another sentence or reason is another finding */
    const char *advice; /* for what runs on the nodes, a static string; NULL: that of its kind */
    const char *proof; /* what would prove it, unless it is sure; a static string, or NULL */
    uint64_t count;    /* how often */
    int64_t first_ns, last_ns;
    size_t num_evidence;
    struct evidence evidence[FINDING_SETS];
    struct {
        size_t len;
        char text[FINDING_NODE_LEN];
        struct ds_addr addr; /* where it was seen last, family 0: not known. To select by it, not to show */
    } node[2]; /* those it is about; len 0: none, or not known */
    bool is_redacted; /* its names are pseudonyms already */
    bool is_over;   /* of RANK_AVAILABILITY: the detector has seen that it is over */
    bool is_past;   /* of the same: it is over, the nodes are connected again since, or it is long ago */
    bool is_effect; /* of another finding: it stands behind that, though it began first */
    bool is_aside;  /* hygiene, whatever its kind: it comes of what is known and told, or was over soon */
    bool is_update; /* nothing new but its count: only reports are given it */
    int8_t error_change; /* 1: it has become an error, -1: it is none any more, 0: neither */
    enum verdict_limit limits; /* of UNCHECKED */
    uint64_t num_read, num_messages; /* of LIMITS_READ: messages that were read, of how many, */
    uint64_t num_guessed;            /* and with guessed atoms, of those that were read */
};

const char *severity_name(enum severity severity);
const char *finding_rank_name(enum finding_rank rank);

/* happening_name and happening_words are static strings, NULL of HAPPENING_NONE. */
const char *happening_name(enum happening moment);
const char *happening_words(enum happening moment);

/* finding_is_aside says whether it is a warning or note of hygiene, or one that counts as such: these are
 * shown last, a line each. An error never is. */
bool finding_is_aside(const struct finding *finding);

/* finding_place is the group in which a finding is shown, from 0. */
int finding_place(const struct finding *finding);

/* finding_is_since says whether a finding is of the time from a moment on, in ns since 1970: it was seen
 * later, or it is an error of availability that has not ended. */
bool finding_is_since(const struct finding *finding, int64_t since_ns);

/* finding_compare orders findings for people, as strcmp does: errors and warnings of what is down now; then
 * errors, warnings and notes, each by rank; last what finding_is_aside. Equals stay in the order in which
 * they began: a cause stands before its effects. */
int finding_compare(const struct finding *a, const struct finding *b);
const char *certainty_name(enum certainty certainty);

/* finding_advice returns what to do; the finding has a kind. */
static inline const char *finding_advice(const struct finding *finding)
{
    return finding->advice != NULL ? finding->advice : finding->kind->advice;
}

static inline struct ds_text finding_node(const struct finding *finding, int i)
{
    return (struct ds_text){finding->node[i].len != 0 ? finding->node[i].text : NULL,
                            finding->node[i].len};
}

#endif
