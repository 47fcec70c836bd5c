/*
 * sink_html.c - -T html: a page, written when the capture has ended, page.h.
 */
#include "core/complain.h"
#include "output/sink.h"
#include "ui/page/page.h"
#include "ui/page/page_parts.h"

#include <string.h>
#include <unistd.h>

/* html_check refuses a build without the page, and output to a terminal: a page is not readable
 * there. */
static bool html_check(const char *file)
{
    if (page_before_data.len == 0) {
        complain("this distsniff was built without the page of -T html: build it with "
                 "-DDISTSNIFF_PAGE=ON, which needs D3 (Debian: node-d3)");
        return false;
    }
    if (file != NULL || !isatty(STDOUT_FILENO))
        return true;
    complain("-T html is a page for a browser: give a file, -T html=FILE");
    return false;
}

static bool html_open(struct sink *sink)
{
    struct page_config config = {.redacted = sink->config->redacted,
                                 .points = sink->config->points,
                                 .compare = sink->config->compare};
    memcpy(config.limits, sink->config->limits, sizeof config.limits);
    sink->state = page_new(&config);
    return sink->state != NULL;
}

static void html_record(struct sink *sink, const struct record *record)
{
    page_record(sink->state, record, sink->time_digits);
}

static void html_lost(struct sink *sink, const struct loss *loss)
{
    page_lost(sink->state, loss);
}

static void html_end(struct sink *sink)
{
    page_end(sink->state);
    if (!page_write(sink->state, &sink->output.buffer))
        sink->output.buffer.failed = true;
    output_file_end_record(&sink->output);
}

static void html_close(struct sink *sink)
{
    page_free(sink->state);
    sink->state = NULL;
}

const struct sink_kind sink_html = {
    .name = "html",
    .help = "a page for a browser: what is wrong, who talks to whom, what is slow",
    .open = html_open,
    .record = html_record,
    .lost = html_lost,
    .end = html_end,
    .close = html_close,
    .check = html_check,
    .wants_findings = true,
    .takes_timeline = true,
};
