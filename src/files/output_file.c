/*
 * output_file.c - see output_file.h.
 */
#include "files/output_file.h"

#include "core/clock.h"
#include "core/complain.h"
#include "core/signals.h"
#include "privsep/file_helper.h"

#include <distsniff/counted.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* After the user wants to stop, a write waits at most PATIENCE_NS for a reader, and in total
 * PATIENCE_IN_ALL_NS for one that reads a little now and then. WRITE_CAREFULLY is so little that a pipe
 * that accepts any bytes accepts all of them, pipe(7). */
enum { PATIENCE_NS = 2000000000, WRITE_AT_ONCE = 32 * 1024, WRITE_CAREFULLY = 4096 };
#define PATIENCE_IN_ALL_NS (5 * (int64_t)PATIENCE_NS)

enum { FLUSH_AT = 256 * 1024, KEEP_AT_MOST = 4 * FLUSH_AT };

/* wait_for_reader waits for a reader of a FIFO. There may never be one. */
static bool wait_for_reader(const char *name, unsigned tries)
{
    enum { WAIT_MS = 100, SAY_AFTER = 10 };
    if (tries == SAY_AFTER)
        complain("%s is a FIFO without a reader: waiting for one", name);
    if (!stop_wanted)
        poll(NULL, 0, WAIT_MS);
    if (stop_wanted)
        complain("cannot write %s: it has no reader", name);
    return !stop_wanted;
}

/* open_untouched opens a file and keeps its contents. */
static int open_untouched(const char *name, enum open_use how)
{
    struct open_trouble trouble;
    int fd;
    unsigned tries = 0;
    while ((fd = file_helper_open(name, how, &trouble)) < 0 && trouble.nobody_reads) {
        if (!wait_for_reader(name, tries++))
            return -1;
    }
    if (fd < 0 && trouble.text[0] != '\0')
        complain("%s", trouble.text);
    else if (fd < 0)
        complain("cannot write %s: %s", name, strerror(trouble.error));
    return fd;
}

static bool empty(int fd, const char *name)
{
    struct stat status;
    if (fstat(fd, &status) == 0 && (!S_ISREG(status.st_mode) || ftruncate(fd, 0) == 0))
        return true;
    complain("cannot empty %s: %s", name, strerror(errno));
    return false;
}

static bool open_if(struct output_file *output, const char *name, bool line_buffered,
                    enum open_use how, output_file_check *check, const void *context)
{
    *output = (struct output_file){
        .name = name != NULL ? name : "standard output",
        .fd = STDOUT_FILENO,
        .is_stdout = name == NULL,
        .line_buffered = line_buffered,
    };
    if (name == NULL)
        return true;
    output->fd = open_untouched(name, how);
    if (output->fd < 0)
        return false;
    if ((check == NULL || check(context, output->fd, name)) && empty(output->fd, name))
        return true;
    close(output->fd);
    output->fd = -1;
    return false;
}

bool output_file_open_if(struct output_file *output, const char *name, bool line_buffered,
                         output_file_check *check, const void *context)
{
    return open_if(output, name, line_buffered, OPEN_WRITE, check, context);
}

bool output_file_open(struct output_file *output, const char *name, bool line_buffered)
{
    return open_if(output, name, line_buffered, OPEN_WRITE, NULL, NULL);
}

bool output_file_open_script(struct output_file *output, const char *name, bool line_buffered)
{
    return open_if(output, name, line_buffered, OPEN_SCRIPT, NULL, NULL);
}

bool output_file_open_new(struct output_file *output, const char *name)
{
    struct open_trouble trouble;
    *output = (struct output_file){.name = name};
    output->fd = file_helper_open(name, OPEN_NEW, &trouble);
    return output->fd >= 0;
}

int output_file_find_new(const struct output_file *output)
{
    struct stat old, now;
    if (output->is_stdout || output->failed || fstat(output->fd, &old) != 0 || !S_ISREG(old.st_mode))
        return -1;
    const int fd = open_untouched(output->name, OPEN_WRITE);
    if (fd < 0)
        return -1;
    if (fstat(fd, &now) == 0 && S_ISREG(now.st_mode) &&
        (now.st_dev != old.st_dev || now.st_ino != old.st_ino))
        return fd;
    close(fd);
    return -1;
}

void output_file_fail(struct output_file *output, const char *why)
{
    if (output->failed)
        return;
    output->failed = true;
    complain("cannot write %s: %s", output->name, why);
}

static void output_fail(struct output_file *output, int error)
{
    if (error != EPIPE)
        output_file_fail(output, strerror(error));
    else if (!output->failed)
        output->failed = output->closed = true;
}

/* end_whole removes the incomplete record at the end of a file when the disk is full. done bytes of
 * buffer were written. It does nothing if another process has written after them. */
static void end_whole(const struct output_file *output, size_t done)
{
    const size_t *ends = (const size_t *)(const void *)output->ends.data;
    const size_t num_ends = output->ends.len / sizeof *ends;
    const off_t at = lseek(output->fd, 0, SEEK_CUR);
    struct stat status;
    size_t whole = 0;
    if (num_ends == 0 && output->part_len == 0)
        return;
    for (size_t i = 0; i < num_ends && ends[i] <= done; i++)
        whole = ends[i];
    const off_t more = (off_t)(whole != 0 ? done - whole : done + output->part_len);
    if (at < more || fstat(output->fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size != at)
        return;
    if (ftruncate(output->fd, at - more) != 0)
        return; /* it has been reported that the file is incomplete */
}

static bool can_write_until(int fd, int64_t until_ns)
{
    for (int64_t now_ns; (now_ns = clock_now_ns()) < until_ns;) {
        struct pollfd poll_fd = {fd, POLLOUT, 0};
        const int status = poll(&poll_fd, 1, (int)((until_ns - now_ns) / 1000000) + 1);
        if (status > 0 || (status < 0 && errno != EINTR))
            return true; /* the write will find the error */
    }
    return false;
}

/* can_write waits until a descriptor accepts some bytes without blocking. Returns false if it does not
 * for some seconds. */
static bool can_write(int fd)
{
    return can_write_until(fd, clock_now_ns() + PATIENCE_NS);
}

/* may_still_write says whether to continue after the user wants to stop. A disk may be slow. */
static bool may_still_write(struct output_file *output)
{
    struct stat status;
    int64_t until_ns = clock_now_ns() + PATIENCE_NS;
    if (output->until_ns == 0)
        output->until_ns = clock_now_ns() + PATIENCE_IN_ALL_NS;
    if (fstat(output->fd, &status) == 0 && S_ISREG(status.st_mode))
        return true;
    if (until_ns > output->until_ns)
        until_ns = output->until_ns;
    return can_write_until(output->fd, until_ns);
}

void output_file_flush(struct output_file *output)
{
    size_t done = 0;
    if (output->failed)
        return;
    while (done < output->buffer.len && !output->failed) {
        const size_t most = stop_wanted ? WRITE_CAREFULLY : WRITE_AT_ONCE;
        const size_t rest = output->buffer.len - done;
        if (stop_wanted && !may_still_write(output)) {
            output->failed = output->gave_up = true;
            output->num_left = rest;
            break;
        }
        ssize_t n = write(output->fd, output->buffer.data + done, rest < most ? rest : most);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            output_fail(output, errno);
    }
    if (output->failed) {
        output->partial_len = done;
        end_whole(output, done);
        return;
    }
    output->buffer.len = output->ends.len = output->part_len = 0;
    if (output->buffer.cap > KEEP_AT_MOST)
        ds_buffer_free(&output->buffer);
}

void output_file_mark_end(struct output_file *output)
{
    /* An empty record does not end a record: there are many, and they are not written out one by one. */
    if (output->buffer.len != 0)
        ds_buffer_add(&output->ends, &output->buffer.len, sizeof output->buffer.len);
}

static size_t last_end(const struct output_file *output)
{
    const size_t *ends = (const size_t *)(const void *)output->ends.data;
    const size_t num_ends = output->ends.len / sizeof *ends;
    return num_ends != 0 ? ends[num_ends - 1] : 0;
}

void output_file_end_part(struct output_file *output)
{
    if (output->buffer.failed || output->buffer.len < FLUSH_AT)
        return;
    const size_t len = output->buffer.len, end = last_end(output);
    const size_t part_len = end != 0 ? len - end : output->part_len + len;
    output_file_flush(output);
    output->part_len = part_len;
}

void output_file_end_record(struct output_file *output)
{
    output_file_mark_end(output);
    if (output->buffer.failed || output->ends.failed)
        output_fail(output, ENOMEM);
    if (output->line_buffered || output->part_len != 0 || output->buffer.len >= FLUSH_AT)
        output_file_flush(output);
}

void output_file_forget(struct output_file *output)
{
    output->buffer.len = output->ends.len = 0;
    if (output->buffer.failed || output->buffer.cap > KEEP_AT_MOST)
        ds_buffer_free(&output->buffer);
    if (output->ends.failed)
        ds_buffer_free(&output->ends);
}

/* move_each adds one record after the other, so that each is written out at once. */
static void move_each(struct output_file *output, const struct output_file *from)
{
    const size_t *ends = (const size_t *)(const void *)from->ends.data;
    const size_t num = from->ends.len / sizeof *ends;
    size_t begin = 0;
    for (size_t i = 0; i < num && !output->failed; i++) {
        ds_buffer_add(&output->buffer, from->buffer.data + begin, ends[i] - begin);
        begin = ends[i];
        output_file_end_record(output);
    }
}

static void swap_buffers(struct ds_buffer *a, struct ds_buffer *b)
{
    const struct ds_buffer before = *a;
    *a = *b;
    *b = before;
}

void output_file_move(struct output_file *output, struct output_file *from)
{
    if (output->failed || from->buffer.len == 0) {
        output_file_forget(from);
        return;
    }
    if (from->buffer.failed || from->ends.failed) {
        output_fail(output, ENOMEM);
    } else if (output->line_buffered) {
        move_each(output, from);
    } else {
        output_file_flush(output);
        if (output->failed) {
            output->num_left += from->buffer.len;
        } else {
            swap_buffers(&output->buffer, &from->buffer);
            swap_buffers(&output->ends, &from->ends);
            if (output->buffer.len >= FLUSH_AT)
                output_file_flush(output);
        }
    }
    output_file_forget(from);
}

void output_file_say_unread(const struct output_file *output, uint64_t num_records)
{
    if (!output->gave_up)
        return;
    /* Standard error may have the same reader. Then nothing more is reported, so that nothing waits for
     * it. */
    if (!can_write(STDERR_FILENO))
        complain_no_more();
    if (num_records != 0)
        complain("the reader of %s is stuck: the last %s and %s could not be written", output->name,
                 ds_counted(num_records, "records").text, ds_counted(output->num_left, "bytes").text);
    else
        complain("the reader of %s is stuck: the last %s could not be written", output->name,
                 ds_counted(output->num_left, "bytes").text);
}

void output_file_go_on(struct output_file *output, int fd, bool behind)
{
    output_file_flush(output);
    if (!output->failed && close(output->fd) != 0 && errno != EINTR)
        output_fail(output, errno);
    if (output->failed) {
        close(fd);
        return;
    }
    output->fd = fd;
    output->partial_len = 0;
    if (behind ? lseek(fd, 0, SEEK_END) < 0 : ftruncate(fd, 0) != 0)
        output_fail(output, errno);
}

void output_file_discard(struct output_file *output)
{
    output->buffer.len = output->ends.len = 0;
    output->failed = true;
    if (ftruncate(output->fd, 0) != 0)
        return; /* a pipe: its reader learns it from the exit status */
}

void output_file_close(struct output_file *output)
{
    output_file_flush(output);
    if (output->fd >= 0 && close(output->fd) != 0 && errno != EINTR)
        output_fail(output, errno);
    ds_buffer_free(&output->buffer);
    ds_buffer_free(&output->ends);
}
