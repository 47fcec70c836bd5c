/*
 * spool.c - see spool.h.
 */
#include "spool.h"

#include "complain.h"

#include <errno.h>
#include <string.h>

enum { WRITE_AT = 64 * 1024 };

static bool trouble(const char *doing)
{
    complain("cannot %s a temporary file: %s", doing,
             strerror(errno));
    return false;
}

bool spool_open(struct spool *spool)
{
    *spool = (struct spool){.file = tmpfile()};
    return spool->file != NULL || trouble("create");
}

static bool write_out(struct spool *spool)
{
    struct ds_buffer *text = &spool->text;
    if (text->failed) {
        complain("out of memory");
        return false;
    }
    if (text->len != 0 && fwrite(text->data, 1, text->len, spool->file) != text->len)
        return trouble("write");
    text->len = 0;
    return true;
}

bool spool_end_record(struct spool *spool)
{
    return (spool->text.len < WRITE_AT && !spool->text.failed) || write_out(spool);
}

bool spool_copy(struct spool *spool, struct output *output)
{
    char chunk[WRITE_AT];
    size_t len;
    if (!write_out(spool))
        return false;
    if (fflush(spool->file) != 0)
        return trouble("write");
    rewind(spool->file);
    while ((len = fread(chunk, 1, sizeof chunk, spool->file)) != 0) {
        ds_buffer_add(&output->buffer, chunk, len);
        output_end_record(output);
    }
    return !ferror(spool->file) || trouble("read");
}

void spool_close(struct spool *spool)
{
    if (spool->file != NULL)
        fclose(spool->file);
    ds_buffer_free(&spool->text);
    spool->file = NULL;
}
