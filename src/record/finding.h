/*
 * finding.h - something that is wrong, or not as it should be, in one sentence: the contents of a
 * record of type finding. analyse/findings/findings.def lists the kinds.
 *
 * Its texts consist of typed parts, so that names and addresses can be replaced (--redact) and are
 * escaped where they are shown.
 */
#ifndef SRC_FINDING_H
#define SRC_FINDING_H

#include <distsniff/event.h>

/* FINE, UNCHECKED, COUNTED and DOWN are not findings: what was checked and is in order; what could not
 * be checked; counts, not all of which are in order; and nodes that left and did not come back, or
 * restarted. Only reports get them. */
enum severity {
    SEVERITY_ERROR,
    SEVERITY_WARNING,
    SEVERITY_NOTE,
    SEVERITY_FINE,
    SEVERITY_UNCHECKED,
    SEVERITY_COUNTED,
    SEVERITY_DOWN,
};

/* How a line of UNCHECKED limits the verdict: the capture lacks packets (SEEN), not all of it could be
 * read (READ), it ended before calls were answered (ANSWERS), or it has nothing of the selected nodes
 * (NODES), or no links at all (LINKS). */
enum verdict_limit {
    LIMITS_NOTHING, LIMITS_SEEN, LIMITS_READ, LIMITS_ANSWERS, LIMITS_NODES, LIMITS_LINKS
};
enum certainty { CERTAINTY_SURE, CERTAINTY_LIKELY, CERTAINTY_POSSIBLE };

/* The subject of a finding, the most urgent first: something is down, stalled, split or failing;
 * something behaves wrongly; something is slow or wasteful; something could be abused, or limits what
 * the capture shows. */
enum finding_rank { RANK_AVAILABILITY, RANK_CORRECTNESS, RANK_PERFORMANCE, RANK_HYGIENE };

/* finding_kind is a row of findings.def. */
struct finding_kind {
    const char *code; /* such as "DS101" */
    enum severity severity;
    enum finding_rank rank;
    const char *title;  /* such as "wrong cookie" */
    const char *advice;
    const char *page; /* cause, what is seen on the wire, remedy, and what looks similar */
};

/* What a line of --report timeline is about: names for the JSON key what, and words for people. */
enum happening {
    HAPPENING_NONE,
#define HAPPENING(id, name, words) HAPPENING_##id,
#include "record/happenings.def"
#undef HAPPENING
    HAPPENING_COUNT
};

enum word_kind { WORD_PLAIN, WORD_NODE, WORD_ADDR, WORD_ATOM };

/* finding_param is the meaning of a part of a sentence: a row of finding_params.def. */
enum finding_param {
    PARAM_NONE,
#define PARAM(name, kind, help) PARAM_##name,
#include "record/finding_params.def"
#undef PARAM
    PARAM_COUNT
};

enum { WORDING_BYTES = 760, WORDING_PARTS = 32, WORDING_LONGEST = 120, WORDING_NUMBERS = 8 };

/* wording is a text. Parts that do not fit are left out, and a name longer than WORDING_LONGEST bytes
 * is cut: wording_print says so. Zero-initialise it. A parameter is one part, or several consecutive
 * parts. The first one has the parameter's id and, if it is a number, its number. */
struct wording {
    uint16_t len, num;
    bool is_cut;
    uint8_t num_numbers;
    struct {
        uint16_t at, len;
        uint8_t kind;
        uint8_t param; /* enum finding_param */
        bool is_cut : 1, begins : 1;
        uint8_t number : 4; /* of the parameter: its index in number, from 1; 0: it is text */
    } part[WORDING_PARTS];
    int64_t number[WORDING_NUMBERS];
    char bytes[WORDING_BYTES];
};

void wording_add(struct wording *wording, const char *text);
void wording_printf(struct wording *wording, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wording_put(struct wording *wording, enum word_kind kind, struct ds_text text);
void wording_addr(struct wording *wording, const struct ds_addr *addr);

/* wording_end adds the name of the node at an end of a connection, or its address and port. */
void wording_end(struct wording *wording, const struct ds_endpoint *end);

/* wording_print appends the text, escaped for a terminal; wording_print_param the text of the parameter
 * that begins with a part. */
void wording_print(const struct wording *wording, struct ds_buffer *out);
void wording_print_param(const struct wording *wording, size_t part, struct ds_buffer *out);

/* wording_mark makes the parts from `part` to the last one a parameter; wording_mark_number makes them
 * a parameter with that number. If there is no room for another number, it becomes text. */
void wording_mark(struct wording *wording, size_t part, enum finding_param param);
void wording_mark_number(struct wording *wording, size_t part, enum finding_param param, int64_t number);

/* finding_param_find returns the parameter of that name, or PARAM_NONE. finding_param_is_number says
 * whether it is a number or a span. */
enum finding_param finding_param_find(struct ds_text name);
bool finding_param_is_number(enum finding_param param);

/* finding_has_params says whether the texts of a finding contain parameters. */
struct finding;
bool finding_has_params(const struct finding *finding);

/* wording_append appends a part of another text, with its type. */
void wording_append(struct wording *wording, const struct wording *from, size_t part, struct ds_text text);

enum { FINDING_FRAMES = 6, FINDING_SETS = 3, FINDING_NODE_LEN = 255 };

/* evidence is a set of packets that together show a finding. */
struct evidence {
    uint64_t conn; /* 0: no connection */
    int64_t ts_ns;
    unsigned num;
    struct {
        uint64_t frame;
        const char *what; /* a static string */
    } packet[FINDING_FRAMES];
};

struct finding {
    uint64_t number; /* of the finding, from 1; findings that are equal share one */
    const struct finding_kind *kind; /* NULL for FINE and UNCHECKED, and for lines of the timeline */
    enum happening happening; /* it is a line of the timeline, not a finding; otherwise HAPPENING_NONE */
    enum severity severity;
    enum certainty certainty;
    bool is_proved; /* proved by more than packets: lost packets do not lower its certainty */
    struct wording sentence, detail;
    unsigned variant; /* distinguishes findings with the same parameters: another sentence or reason is
                         another finding */
    const char *advice; /* advice for this application, a static string; NULL: the advice of its kind */
    const char *proof; /* what would prove it if it is not certain; a static string, or NULL */
    uint64_t count;    /* how often it occurred */
    int64_t first_ns, last_ns;
    int64_t over_ns; /* of RANK_AVAILABILITY: since when it is over; 0: it is not, or that is unknown */
    size_t num_evidence;
    struct evidence evidence[FINDING_SETS];
    struct {
        size_t len;
        char text[FINDING_NODE_LEN];
        struct ds_addr addr; /* where it was seen last, family 0: unknown. Used to select findings, not
                                shown */
    } node[2]; /* the nodes it is about; len 0: none, or unknown */
    bool is_redacted; /* its names are pseudonyms already */
    bool is_over;   /* of RANK_AVAILABILITY: the detector has seen that it is over */
    bool is_past;   /* of the same: it is over, the nodes are connected again since, or it is long ago */
    bool is_effect; /* an effect of another finding: shown after it, though it began first */
    bool is_aside;  /* shown as hygiene: a consequence of a known finding, or over quickly */
    bool is_before; /* it is from before --since, and did not last until then */
    bool is_update; /* only its count is new: only reports get it */
    int8_t error_change; /* 1: it has become an error; -1: it is no longer one; 0: neither */
    enum verdict_limit limits; /* of UNCHECKED */
    uint64_t num_read, num_messages; /* of LIMITS_READ: messages that were read, of how many, */
    uint64_t num_guessed;            /* and with guessed atoms, of those that were read */
    uint64_t num_calls;              /* of LIMITS_ANSWERS */
};

const char *severity_name(enum severity severity);
const char *finding_rank_name(enum finding_rank rank);

/* happening_name and happening_words return static strings, NULL for HAPPENING_NONE. */
const char *happening_name(enum happening moment);
const char *happening_words(enum happening moment);

/* finding_is_aside says whether it is a warning or note of hygiene, or is treated as one: these are
 * shown last, one line each. Errors are not. */
bool finding_is_aside(const struct finding *finding);

/* finding_place returns the group in which a finding is shown, from 0. */
int finding_place(const struct finding *finding);

/* finding_is_since says whether a finding belongs to the time from since_ns on, in ns since 1970: it was
 * seen or ended later, or it is an error of availability that has not ended. The update that makes such an
 * error a past one belongs to that time. */
bool finding_is_since(const struct finding *finding, int64_t since_ns);

/* finding_compare orders findings for people, as strcmp does: errors and warnings of what is down now;
 * then errors, warnings and notes, each by rank; last those for which finding_is_aside is true. Equals
 * are sorted by the time when they began: a cause precedes its effects. */
int finding_compare(const struct finding *a, const struct finding *b);
const char *certainty_name(enum certainty certainty);

/* finding_advice returns what to do. The finding must have a kind. */
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
