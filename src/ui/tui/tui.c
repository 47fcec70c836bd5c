/*
 * tui.c - see tui.h.
 *
 * One thread at a time has the books: the thread of the outputs, for each record, or the one that
 * draws, while it reads them. The thread that draws announces first that it waits, and the outputs
 * then wait for it: with a mutex alone, one thread might get it again and again. Records captured
 * in that time wait in the queue.
 */
#include "ui/tui/tui.h"

#include "core/bounded_regex.h"
#include "core/clock.h"
#include "core/complain.h"
#include "core/signals.h"
#include "core/thread.h"
#include "ui/tui/tui_draw.h"
#include "ui/tui/tui_notices.h"
#include "ui/tui/tui_packets.h"
#include "ui/tui/tui_terminal.h"
#include "ui/tui/tui_ui.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICK_MS = 100,
    DRAW_EVERY_NS = 100 * 1000 * 1000, /* new records */
    ANSWER_EVERY_NS = 30 * 1000 * 1000, /* the effect of a key */
    TELL_EVERY_NS = 500 * 1000 * 1000,
    SHARE_OF_TIME = 20, /* reading the books uses at most 1/20 of the time */
};

#define NOTE_NS (10 * INT64_C(1000000000)) /* how long a message is shown, unless a key comes */

struct tui {
    struct tui_config config;
    bool is_open; /* the terminal is open */
    struct tui_notices notices;
    struct tui_packets *packets; /* NULL: none are kept */
    pthread_t thread;
    bool runs;
    _Atomic bool is_ending, has_ended, has_left;

    pthread_mutex_t lock;
    pthread_cond_t are_back;
    _Atomic unsigned num_waiting; /* threads that wait for the books, without the outputs */
    struct tui_books *books;
    _Atomic uint64_t num_changes;

    /* Only for the thread that draws. */
    struct tui_ui ui;
    struct cells cells;
    struct ds_buffer told;
    uint64_t num_told;  /* num_changes when the books were read last */
    int64_t tell_ns;    /* when the books are read next, by the monotonic clock */
    int64_t drawn_ns, noted_ns;
    bool is_old, is_answer; /* the screen is outdated; because of a key */
    bool draws_all, is_gone;
    bool works; /* there is more to do: do not wait */
};

bool tui_check(void)
{
    if (!tui_terminal_is_built())
        complain("this distsniff was built without --tui: build it with -DDISTSNIFF_TUI=ON, which needs "
                 "ncurses (Debian: libncurses-dev)");
    return tui_terminal_is_built();
}

struct tui *tui_open(const struct tui_config *config)
{
    struct tui *tui = calloc(1, sizeof *tui);
    if (tui == NULL) {
        complain("out of memory");
        return NULL;
    }
    tui->config = *config;
    tui->notices = (struct tui_notices){.from = -1, .saved = -1};
    pthread_mutex_init(&tui->lock, NULL);
    pthread_cond_init(&tui->are_back, NULL);
    tui->books = tui_books_new(config->limits);
    if (!tui_ui_init(&tui->ui, config->source, config->is_live) || tui->books == NULL) {
        complain("out of memory");
        tui_free(tui);
        return NULL;
    }
    tui->ui.save_folder = config->save_folder;
    tui->ui.filter.own = config->own_labels;
    if (config->save_folder != NULL && !config->is_redacted) {
        tui->packets = tui_packets_new(config->limits, config->capture);
        tui->ui.facts.packets = tui->packets;
        if (tui->packets == NULL) {
            complain("out of memory");
            tui_free(tui);
            return NULL;
        }
    }
    tui->ui.facts.limits = tui->config.limits;
    bounded_regex_interpret(); /* regular expressions that the user types are compiled in the sandbox */
    tui->is_open = tui_terminal_open();
    if (!tui->is_open || !tui_notices_begin(&tui->notices)) {
        tui_free(tui);
        return NULL;
    }
    return tui;
}

/* tell reads the books, and updates the screen's data from them. */
static void tell(struct tui *tui)
{
    const int64_t begin_ns = clock_now_ns();
    atomic_fetch_add(&tui->num_waiting, 1);
    pthread_mutex_lock(&tui->lock);
    const uint64_t num_changes = tui->num_changes;
    const bool has_ended = tui->has_ended;
    bool ok = tui_books_write(tui->books, tui_ui_books(&tui->ui), &tui->told);
    struct store_look *look = tui_ui_records(&tui->ui);
    if (look != NULL)
        ok = tui_books_look(tui->books, look) && ok;
    tui->ui.facts.time_digits = tui_books_time_digits(tui->books);
    atomic_fetch_sub(&tui->num_waiting, 1);
    pthread_cond_signal(&tui->are_back);
    pthread_mutex_unlock(&tui->lock);
    tui->ui.facts.has_ended = has_ended;
    if (ok && tui_ui_update(&tui->ui, &tui->told, begin_ns)) {
        tui->num_told = num_changes;
    } else {
        tui_state_set_message(&tui->ui, "out of memory: what is shown is older");
        tui->noted_ns = begin_ns;
    }
    if (tui->told.failed)
        ds_buffer_free(&tui->told);
    const int64_t took_ns = (clock_now_ns() - begin_ns) * SHARE_OF_TIME;
    tui->tell_ns = clock_now_ns() + (took_ns > TELL_EVERY_NS ? took_ns : TELL_EVERY_NS);
    tui->is_old = true;
}

static void read_keys(struct tui *tui)
{
    uint32_t key;
    while ((key = tui_terminal_key(&tui->is_gone)) != TUI_NO_KEY) {
        const unsigned view = tui->ui.view, num_under = tui->ui.num_under;
        const bool had_page = tui->ui.page.is_open;
        struct tui_mouse mouse;
        enum tui_does does = TUI_GOES_ON;
        if (key != TUI_KEY_MOUSE)
            does = tui_ui_key(&tui->ui, key);
        else if (tui_terminal_mouse(&mouse))
            does = tui_ui_click(&tui->ui, mouse.row, mouse.column, mouse.is_twice);
        if (does == TUI_ENDS)
            signals_request_stop();
        if (does == TUI_SUSPENDS)
            tui_terminal_suspend();
        if (does == TUI_COPIES)
            tui_terminal_copy((struct ds_text){tui->ui.copied.data, tui->ui.copied.len});
        tui->draws_all |= does == TUI_REDRAWS;
        if (tui->ui.view != view)
            tell(tui); /* another view needs other books */
        if (tui->ui.view != view || tui->ui.num_under != num_under || tui->ui.page.is_open != had_page)
            tui_draw(&tui->ui, &tui->cells); /* the next key may be waiting already: its effect
                                              * depends on what fits */
        tui->is_old = tui->is_answer = true;
        tui->noted_ns = clock_now_ns(); /* keep a message of that key for a while */
    }
    if (tui->is_gone)
        signals_request_stop();
}

static void read_notices(struct tui *tui)
{
    char line[sizeof tui->ui.note];
    if (!tui_notices_read(&tui->notices, line, sizeof line))
        return;
    tui_state_set_message(&tui->ui, line);
    tui->noted_ns = clock_now_ns();
    tui->is_old = true;
}

static void follow_size(struct tui *tui)
{
    unsigned rows, columns;
    if (!tui_terminal_size(&rows, &columns)) {
        tui->is_gone = true;
        signals_request_stop();
        return;
    }
    rows = rows < CELLS_MAX_ROWS ? rows : CELLS_MAX_ROWS;
    columns = columns < CELLS_MAX_COLUMNS ? columns : CELLS_MAX_COLUMNS;
    if (rows == tui->cells.rows && columns == tui->cells.columns)
        return;
    cells_resize(&tui->cells, rows, columns);
    tui->is_old = tui->is_answer = tui->draws_all = true;
}

static void draw(struct tui *tui)
{
    tui->cells.ascii = tui_terminal_has_ascii();
    tui_draw(&tui->ui, &tui->cells);
    tui_terminal_show(&tui->cells, tui->draws_all);
    tui->drawn_ns = clock_now_ns();
    tui->is_old = tui->is_answer = tui->draws_all = false;
}

/* wait waits for keys, or until something is due. */
static void wait(struct tui *tui)
{
    struct pollfd fds[] = {{.fd = tui_terminal_fd(), .events = POLLIN},
                           {.fd = tui->notices.from, .events = POLLIN}};
    const int64_t due_ns = tui->drawn_ns + (tui->is_answer ? ANSWER_EVERY_NS : DRAW_EVERY_NS);
    const int64_t left_ms = tui->is_old ? (due_ns - clock_now_ns()) / 1000000 : TICK_MS;
    poll(fds, 2, tui->works || left_ms < 0 ? 0 : left_ms > TICK_MS ? TICK_MS : (int)left_ms);
    if ((fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
        tui->is_gone = true;
        signals_request_stop();
    }
}

/* is_told_new says whether reading the books would change anything. Rates change even if no record
 * comes. */
static bool is_told_new(const struct tui *tui)
{
    return tui->num_changes != tui->num_told || !tui->ui.is_told ||
           (tui->config.is_live && !tui->ui.facts.has_ended);
}

static void *run(void *context)
{
    struct tui *tui = context;
    while (!tui->is_ending && !tui->is_gone) {
        if (tui_terminal_try_suspend())
            tui->is_old = tui->is_answer = tui->draws_all = true;
        follow_size(tui);
        const int64_t now_ns = clock_now_ns();
        if (tui->ui.note[0] != '\0' && now_ns - tui->noted_ns > NOTE_NS) {
            tui_state_set_message(&tui->ui, "");
            tui->is_old = true;
        }
        const bool ends = tui->has_ended && !tui->ui.facts.has_ended;
        if (ends || (now_ns >= tui->tell_ns && is_told_new(tui)))
            tell(tui);
        if (tui_state_work(&tui->ui))
            tui->is_old = tui->works = true;
        else
            tui->works = false;
        const int64_t every_ns = tui->is_answer ? ANSWER_EVERY_NS : DRAW_EVERY_NS;
        if (tui->is_old && now_ns - tui->drawn_ns >= every_ns)
            draw(tui);
        wait(tui);
        read_keys(tui);
        read_notices(tui);
    }
    tui->has_left = true;
    return NULL;
}

bool tui_start(struct tui *tui)
{
    tui->runs = thread_start(&tui->thread, SIGNAL_WAKE, run, tui) == 0;
    if (!tui->runs)
        complain("--tui: cannot draw: out of threads or memory");
    return tui->runs;
}

void tui_packet(struct tui *tui, const struct ds_packet *packet, const struct ds_where *where)
{
    if (tui->packets != NULL)
        tui_packets_add(tui->packets, packet, where);
}

void tui_stay(struct tui *tui)
{
    tui->has_ended = true;
    while (!stop_wanted)
        poll(NULL, 0, TICK_MS);
}

/* end_thread waits for the thread to end. The thread may be stuck in a write to a terminal that
 * accepts nothing: then its output is discarded, and true is returned. */
static bool end_thread(struct tui *tui)
{
    enum { PATIENCE = 30, STEP_MS = 10 };
    bool is_stuck = false;
    tui->is_ending = true;
    for (int i = 0; !tui->has_left; i++) {
        is_stuck = i > PATIENCE;
        if (is_stuck) { /* make room, and wake the thread that waits for it */
            tui_terminal_discard();
            pthread_kill(tui->thread, SIGNAL_WAKE);
        }
        poll(NULL, 0, STEP_MS);
    }
    pthread_join(tui->thread, NULL);
    return is_stuck;
}

void tui_free(struct tui *tui)
{
    bool is_stuck = false;
    if (tui == NULL)
        return;
    if (tui->runs)
        is_stuck = end_thread(tui);
    if (is_stuck)
        tui_terminal_discard(); /* otherwise closing it would block, too */
    if (tui->is_open)
        tui_terminal_close();
    tui_notices_end(&tui->notices);
    tui_ui_free(&tui->ui);
    cells_free(&tui->cells);
    ds_buffer_free(&tui->told);
    tui_books_free(tui->books);
    tui_packets_free(tui->packets);
    pthread_cond_destroy(&tui->are_back);
    pthread_mutex_destroy(&tui->lock);
    free(tui);
}

/* The sink. */

static void borrow_books(struct tui *tui)
{
    pthread_mutex_lock(&tui->lock);
    while (tui->num_waiting != 0)
        pthread_cond_wait(&tui->are_back, &tui->lock);
}

static void return_books(struct tui *tui)
{
    atomic_fetch_add_explicit(&tui->num_changes, 1, memory_order_relaxed);
    pthread_mutex_unlock(&tui->lock);
}

static bool open_sink(struct sink *sink)
{
    sink->state = sink->config->tui;
    return true;
}

static void on_record(struct sink *sink, const struct record *record)
{
    struct tui *tui = sink->state;
    borrow_books(tui);
    tui_books_record(tui->books, record, sink->time_digits);
    return_books(tui);
}

static void on_loss(struct sink *sink, const struct loss *loss)
{
    struct tui *tui = sink->state;
    borrow_books(tui);
    tui_books_lost(tui->books, loss);
    return_books(tui);
}

static void close_sink(struct sink *sink)
{
    sink->state = NULL; /* tui_free releases it: it is shown until then */
}

const struct sink_kind sink_tui = {
    .name = "--tui",
    .help = "",
    .open = open_sink,
    .record = on_record,
    .lost = on_loss,
    .close = close_sink,
    .takes_links = true,
    .wants_findings = true,
    .takes_timeline = true,
    .writes_nothing = true,
};
