/*
 * pipeline_metrics.c - the numbers of --metrics, counted and written in the correlation thread,
 * where records are selected. See pipeline_parts.h.
 */
#include "app/pipeline/pipeline_parts.h"

#include "core/complain.h"
#include "files/replaced_file.h"
#include "ui/web/metrics_server.h"

#include <errno.h>
#include <string.h>

static void note_losses(struct pipeline *s)
{
    s->lost[LOSS_QUEUE] = s->num_lost + (s->queue != NULL ? record_queue_num_lost(s->queue) : 0);
    for (int i = 0; i < LOSS_CAUSE_COUNT; i++)
        metrics_lost(s->metrics, (enum loss_cause)i, s->lost[i]);
}

static void write_file(struct pipeline *s, const struct ds_buffer *text)
{
    const bool ok = !text->failed &&
                    replaced_file_put(s->options->metrics.fresh, OPEN_NEW_SHARED, text);
    if (!ok && !s->is_unpublished)
        complain("cannot write %s: %s", s->options->metrics.file,
                 text->failed ? "out of memory" : strerror(errno));
    s->is_unpublished = !ok;
}

void pipeline_set_server(struct pipeline *s, struct metrics_server *server)
{
    s->server = server;
}

static void publish_as(struct pipeline *s, int64_t now_ns,
                       void (*give)(struct metrics_server *server, const struct ds_buffer *text))
{
    struct ds_buffer text = {0};
    atomic_store(&s->publish_wanted, false);
    if (!s->threaded)
        note_losses(s);
    metrics_print(s->metrics, now_ns, &text);
    if (s->server != NULL)
        give(s->server, &text);
    if (s->options->metrics.file != NULL)
        write_file(s, &text);
    ds_buffer_free(&text);
}

void pipeline_publish_now(struct pipeline *s, int64_t now_ns)
{
    publish_as(s, now_ns, metrics_server_publish);
}

void pipeline_publish_last(struct pipeline *s)
{
    if (s->metrics != NULL)
        publish_as(s, INT64_MIN, metrics_server_publish_last);
}

void pipeline_publish(struct pipeline *s, int64_t now_ns)
{
    if (s->metrics == NULL)
        return;
    if (s->events != NULL) {
        atomic_store(&s->publish_wanted, true);
        record_queue_wake(s->events);
        return;
    }
    pipeline_publish_now(s, now_ns);
}

bool pipeline_is_unpublished(const struct pipeline *s)
{
    return s->is_unpublished;
}
