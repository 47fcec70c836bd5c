/*
 * output.c - see output.h.
 */
#include "output.h"

#include "complain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 256 * 1024, KEEP_AT_MOST = 4 * FLUSH_AT };

int output_create(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        complain("cannot write %s: %s", name, strerror(errno));
    return fd;
}

bool output_open(struct output *output, const char *name, bool line_buffered)
{
    *output = (struct output){
        .name = name != NULL ? name : "standard output",
        .fd = STDOUT_FILENO,
        .is_stdout = name == NULL,
        .line_buffered = line_buffered,
    };
    if (name != NULL)
        output->fd = output_create(name);
    return output->fd >= 0;
}

static void output_fail(struct output *output, int error)
{
    if (output->failed)
        return;
    output->failed = true;
    output->closed = error == EPIPE;
    if (!output->closed)
        complain("cannot write %s: %s", output->name, strerror(error));
}

void output_flush(struct output *output)
{
    size_t done = 0;
    while (done < output->buffer.len && !output->failed) {
        ssize_t n = write(output->fd, output->buffer.data + done, output->buffer.len - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            output_fail(output, errno);
    }
    output->buffer.len = 0;
    if (output->buffer.cap > KEEP_AT_MOST)
        ds_buffer_free(&output->buffer);
}

void output_end_record(struct output *output)
{
    if (output->buffer.failed)
        output_fail(output, ENOMEM);
    if (output->line_buffered || output->buffer.len >= FLUSH_AT)
        output_flush(output);
}

void output_close(struct output *output)
{
    output_flush(output);
    if (close(output->fd) != 0 && errno != EINTR)
        output_fail(output, errno);
    ds_buffer_free(&output->buffer);
}
