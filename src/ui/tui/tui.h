/*
 * tui.h - --tui: a screen of the terminal that shows a running capture, or a file.
 *
 * The thread of the outputs collects records (sink_tui), after the record queue; another thread
 * draws them, at most ten times a second, and answers keys. The capture never waits for it: records
 * that the queue has no room for are lost, counted, and reported on the screen.
 */
#ifndef SRC_TUI_H
#define SRC_TUI_H

#include "output/sink.h"

struct capture;
struct own_labels;
struct tui;

struct tui_config {
    bool is_live;
    const char *source; /* the name of the packets' source, for the screen; must stay valid */
    const char *save_folder; /* the folder for saved files; NULL: nothing can be saved */
    bool is_redacted;        /* no packets are saved */
    const struct own_labels *own_labels; /* of --labels, or NULL; must stay valid */
    const struct capture *capture; /* the source of the packets; must stay valid */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* tui_check says whether this build has a screen; false after an error message. */
bool tui_check(void);

/* tui_open opens the terminal. Call it while files can be opened. From then on until tui_free,
 * messages to standard error are held back. NULL after an error message. */
struct tui *tui_open(const struct tui_config *config);

/* tui_start starts to draw. False after an error message. */
bool tui_start(struct tui *tui);

/* tui_packet stores the packet that the session has just processed, to be saved later. Call it in
 * the thread that captures; it never waits. */
void tui_packet(struct tui *tui, const struct ds_packet *packet, const struct ds_where *where);

/* tui_stay keeps the screen open after the last record, until the user wants to end. */
void tui_stay(struct tui *tui);

/* tui_free restores the terminal. NULL is allowed. */
void tui_free(struct tui *tui);

/* sink_tui collects what the screen shows; it writes nothing. config->tui is its screen. */
extern const struct sink_kind sink_tui;

#endif
