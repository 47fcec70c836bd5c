/*
 * packet_notes.c - see packet_notes.h. Comments wait in a list ordered by packet number: mostly it has
 * one element.
 */
#include "keep/packet_notes.h"

#include "keep/note_lines.h"
#include "keep/pcapng_form.h"

#include <stdlib.h>

/* A packet may complete a thousand small messages; -O keeps packets of an input file for a long time. */
enum { LINES_OF_PACKET = 256 * 1024, LINES_IN_ALL = 16 * 1024 * 1024 };

struct packet_note {
    struct packet_note *next;
    uint64_t frame;
    struct note_lines lines;
};

struct packet_notes {
    struct packet_notes_config config;
    struct event_text *text;
    struct ds_buffer line;
    struct packet_note *first, *last;
    size_t used;             /* total bytes of comments */
    uint64_t num_more;       /* lines for which memory ran out */
    struct note_lines taken; /* the result of packet_notes_pop */
    bool has_tls;            /* something that TLS encrypts was decoded */
};

bool packet_notes_wanted(const char *name)
{
    return name != NULL && pcapng_form_is_named(name);
}

struct packet_notes *packet_notes_new(const struct packet_notes_config *config)
{
    struct packet_notes *n = calloc(1, sizeof *n);
    if (n == NULL)
        return NULL;
    n->config = *config;
    n->text = event_text_new_shown(config->verbose);
    if (n->text != NULL)
        return n;
    free(n);
    return NULL;
}

/* is_hidden says whether to hide a record. For calls and findings it is unknown which connections they
 * concern. */
static bool is_hidden(struct packet_notes *n, const struct record *record)
{
    const struct ds_event *event = record->event;
    const bool is_of_event = event != NULL && record->call == NULL && record->finding == NULL;
    const bool is_sealed = is_of_event && event->conn != NULL && event->conn->tls != NULL;
    n->has_tls |= is_sealed;
    return n->config.hides_tls && (is_sealed || (!is_of_event && n->has_tls));
}

/* note_at returns the note of a packet; NULL when memory ran out. */
static struct packet_note *note_at(struct packet_notes *n, uint64_t frame)
{
    if (n->last != NULL && frame <= n->last->frame)
        return n->last;
    struct packet_note *note = calloc(1, sizeof *note);
    if (note == NULL)
        return NULL;
    note->frame = frame;
    if (n->last != NULL)
        n->last->next = note;
    else
        n->first = note;
    n->last = note;
    return note;
}

void packet_notes_record(struct packet_notes *n, const struct record *record)
{
    if (is_hidden(n, record) || !note_lines_print(n->text, record, &n->line))
        return;
    const bool is_full = n->used >= LINES_IN_ALL && n->last != NULL;
    struct packet_note *note = is_full ? n->last : note_at(n, note_frame(record));
    if (note == NULL) {
        n->num_more++;
        return;
    }
    const size_t before = note->lines.comments.len;
    note_lines_add(&note->lines, &n->line, is_full ? 0 : LINES_OF_PACKET);
    n->used += note->lines.comments.len - before;
}

/* pop_first moves the first note to `taken`: as a whole if that is empty. */
static void pop_first(struct packet_notes *n)
{
    struct packet_note *note = n->first;
    n->first = note->next;
    if (n->first == NULL)
        n->last = NULL;
    n->used -= note->lines.comments.len;
    n->taken.num_more += note->lines.num_more;
    if (n->taken.comments.len == 0) {
        ds_buffer_free(&n->taken.comments);
        n->taken.comments = note->lines.comments;
    } else {
        ds_buffer_add(&n->taken.comments, note->lines.comments.data, note->lines.comments.len);
        ds_buffer_free(&note->lines.comments);
    }
    free(note);
}

const struct ds_buffer *packet_notes_pop(struct packet_notes *n, uint64_t frame)
{
    note_lines_clear(&n->taken);
    if (n->first == NULL || n->first->frame > frame)
        return NULL;
    n->taken.num_more = n->num_more;
    n->num_more = 0;
    while (n->first != NULL && n->first->frame <= frame && n->taken.comments.len < LINES_OF_PACKET)
        pop_first(n);
    return note_lines_end(&n->taken, &n->line);
}

const struct ds_buffer *packet_notes_rest(struct packet_notes *n)
{
    return packet_notes_pop(n, UINT64_MAX);
}

void packet_notes_free(struct packet_notes *n)
{
    if (n == NULL)
        return;
    while (n->first != NULL)
        pop_first(n);
    note_lines_free(&n->taken);
    ds_buffer_free(&n->line);
    event_text_free(n->text);
    free(n);
}
