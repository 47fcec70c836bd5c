/* compare_run.c - see compare_run.h. The first process sends a baseline (compare/profile_file.h),
 * which is parsed inside the sandbox because it contains data from peers. */
#include "app/run/compare_run.h"

#include "app/run/sniff.h"
#include "compare/profile_file.h"
#include "core/complain.h"
#include "core/random_bytes.h"
#include "redact/pseudonym.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_whole(int out, const struct ds_buffer *text)
{
    for (size_t at = 0; at < text->len;) {
        const ssize_t len = write(out, text->data + at, text->len - at);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0)
            return false;
        at += (size_t)len;
    }
    return true;
}

/* leave_out removes all options that do not apply to the other capture. */
static void leave_out(struct options *o)
{
    memset(o->report.wanted, 0, sizeof o->report.wanted);
    o->report.wanted[REPORT_CHANGES] = true;
    o->report.every_ns = 0;
    o->output.num_formats = 0;
    o->compare.write_file = NULL;
    o->compare.file = NULL;
    o->web.len = 0;
    o->metrics.file = NULL;
    o->metrics.address.len = 0;
    o->learned_file = NULL;
}

/* gather is the first run; it ends the process. Its messages are dropped: after an error, the user
 * gets a command that shows them. */
static _Noreturn void gather(struct options *o, int out)
{
    const char *files[] = {o->compare.file};
    struct ds_buffer document = {0};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDERR_FILENO);
    o->capture.interface = NULL;
    o->capture.read_files = files;
    o->capture.num_read_files = 1;
    leave_out(o);
    const int status = sniff_run(o);
    profile_file_print(&o->report.compare->after, &document);
    const bool ok = !document.failed && write_whole(out, &document);
    _exit(ok ? status : STATUS_USAGE);
}

/* read_document reads what the first run sends. False if it is too long, or memory ran out. */
static bool read_document(int in, struct ds_buffer *out)
{
    enum { PIECE = 65536 };
    while (out->len <= PROFILE_FILE_MAX && ds_buffer_reserve(out, PIECE)) {
        const ssize_t len = read(in, out->data + out->len, PIECE);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0)
            return len == 0;
        out->len += (size_t)len;
    }
    return false;
}

/* gather_before fills in compare->document. False after a complaint. */
static bool gather_before(struct options *o, struct compare *compare)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        complain("cannot read %s: %s", o->compare.file, strerror(errno));
        return false;
    }
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        gather(o, ends[1]);
    }
    const int error = errno;
    close(ends[1]);
    const bool is_read = process > 0 && read_document(ends[0], &compare->document);
    int status = 0;
    close(ends[0]);
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (process < 0)
        complain("cannot read %s: %s", o->compare.file, strerror(error));
    else if (!is_read || !WIFEXITED(status) || compare->document.len == 0)
        complain("cannot read %s: distsniff -r %s -q says why", o->compare.file, o->compare.file);
    else
        compare->before_was_cut = WEXITSTATUS(status) == STATUS_TROUBLE;
    return process > 0 && is_read && WIFEXITED(status) && compare->document.len != 0;
}

/* choose_key makes both runs use the same pseudonyms. */
static bool choose_key(struct options *o, uint8_t key[PSEUDONYM_KEY_LEN])
{
    if (o->redact.what == 0 || o->redact.key_file != NULL)
        return true;
    if (!random_bytes(key, PSEUDONYM_KEY_LEN)) {
        complain("cannot make a random key: %s: give a key with --redact-key-file", strerror(errno));
        return false;
    }
    o->redact.key = key;
    return true;
}

/* say_live prints that a single file is compared with live traffic, for users who forgot -r. */
static void say_live(const struct options *o)
{
    const char *interface = o->capture.interface;
    if (o->capture.num_read_files == 0 && o->compare.file != NULL && !o->compare.finds_new)
        fprintf(stderr, "comparing what comes live on %s with %s\n", interface != NULL ? interface : "any",
                o->compare.file);
}

int compare_run(struct options *o)
{
    uint8_t key[PSEUDONYM_KEY_LEN];
    struct compare *compare =
        compare_new(&o->compare, o->config.limits[DS_LIMIT_TALLIES], o->redact.what != 0);
    int status = STATUS_TROUBLE;
    if (compare == NULL) {
        complain("out of memory");
        return STATUS_TROUBLE;
    }
    o->report.compare = compare;
    say_live(o);
    if (choose_key(o, key) && (!o->compare.is_capture || gather_before(o, compare)))
        status = sniff_run(o);
    o->report.compare = NULL;
    o->redact.key = NULL;
    explicit_bzero(key, sizeof key);
    compare_free(compare);
    return status;
}
