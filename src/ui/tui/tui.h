/*
 * tui.h - --tui: a screen of the terminal that shows the capture while it goes on, or a file.
 *
 * Records are gathered by whoever writes outputs (sink_tui), behind the record queue; a thread of its own
 * draws what was gathered, ten times a second at most, and answers keys. The capture never waits for it:
 * what the queue has no room for is lost, counted, and told on the screen.
 */
#ifndef SRC_TUI_H
#define SRC_TUI_H

#include "output/sink.h"

struct capture;
struct own_labels;
struct tui;

struct tui_config {
    bool is_live;
    const char *source; /* where packets come from, for the screen; it stays */
    const char *save_folder; /* where what is saved goes; NULL: nothing is */
    bool is_redacted;        /* no packets are saved */
    const struct own_labels *own_labels; /* of --labels, or NULL; they stay */
    const struct capture *capture; /* where packets come from; it stays */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* tui_check says whether this build has a screen; false after a complaint. */
bool tui_check(void);

/* tui_open takes the terminal. Call it while files can be opened. Messages to standard error are held back
 * from then on until tui_free. NULL after a complaint. */
struct tui *tui_open(const struct tui_config *config);

/* tui_start begins to draw. False after a complaint. */
bool tui_start(struct tui *tui);

/* tui_packet takes the packet that the session has just taken, to be saved later. In the thread
 * that captures, which never waits for it. */
void tui_packet(struct tui *tui, const struct ds_packet *packet, const struct ds_where *where);

/* tui_stay shows what there is, once no more comes, until the user wants to end. */
void tui_stay(struct tui *tui);

/* tui_free gives the terminal back. NULL is allowed. */
void tui_free(struct tui *tui);

/* sink_tui gathers what the screen shows; it writes nothing. config->tui is whose it is. */
extern const struct sink_kind sink_tui;

#endif
