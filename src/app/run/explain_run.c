/*
 * explain_run.c - see explain_run.h. The first run is a separate process: nothing that it learns
 * changes what the second one decodes, so that numbers are the same as in any other run. It prints
 * nothing; the second run prints its complaints.
 */
#include "app/run/explain_run.h"

#include "app/run/sniff.h"
#include "core/complain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* are_files says whether all inputs can be read twice. */
static bool are_files(const struct capture_config *capture)
{
    for (size_t i = 0; i < capture->num_read_files; i++) {
        const char *name = capture->read_files[i];
        struct stat is;
        if (strcmp(name, "-") == 0 || nats_is_url(name) || stream_is_url(name) ||
            (stat(name, &is) == 0 && !S_ISREG(is.st_mode))) {
            complain("--explain reads the capture twice: write %s to a file first, with -w",
                     strcmp(name, "-") == 0 ? "standard input" : name);
            return false;
        }
    }
    return true;
}

/* find is the first run; it ends the process. */
static _Noreturn void find(struct options *options, int out)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDERR_FILENO);
    struct explain_run_state state = {.finds = true};
    options->explain_run = &state;
    options->output.num_formats = 0;
    const int status = sniff_run(options);
    const bool ok = write(out, &state.found, sizeof state.found) == (ssize_t)sizeof state.found;
    _exit(ok ? status : STATUS_TROUBLE);
}

/* read_found waits for the result of the first run. False if it sent none. */
static bool read_found(int in, struct explain_found *found)
{
    size_t len = 0;
    while (len < sizeof *found) {
        const ssize_t more = read(in, (char *)found + len, sizeof *found - len);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return false;
        len += (size_t)more;
    }
    return true;
}

static void complain_missing(const struct explain_target *target, const struct explain_found *found)
{
    const uint64_t num = found->num[target->kind];
    const char *word = explain_kind_word(target->kind), *all = explain_kind_all(target->kind);
    if (num == 0)
        complain("--explain %s:%" PRIu64 ": there are no %s in this capture", word, target->number, all);
    else
        complain("--explain %s:%" PRIu64 ": the %s of this capture are %s:1 to %s:%" PRIu64, word,
                 target->number, all, word, word, num);
}

int explain_run(struct options *options)
{
    int ends[2];
    struct explain_run_state state = {0};
    if (!are_files(&options->capture))
        return STATUS_USAGE;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        complain("cannot read the capture twice: %s", strerror(errno));
        return STATUS_TROUBLE;
    }
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        find(options, ends[1]);
    }
    close(ends[1]);
    if (process < 0)
        complain("cannot read the capture twice: %s", strerror(errno));
    const bool has_found = process > 0 && read_found(ends[0], &state.found);
    int status = 0;
    close(ends[0]);
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    if (process < 0)
        return STATUS_TROUBLE;
    options->explain_run = &state;
    const bool is_whole = has_found && WIFEXITED(status) && WEXITSTATUS(status) != STATUS_TROUBLE;
    if (is_whole && !state.found.is_there) {
        complain_missing(&options->explain, &state.found);
        return STATUS_USAGE;
    }
    status = sniff_run(options); /* complains about the files */
    return status == STATUS_OK && !state.found.is_there ? STATUS_TROUBLE : status;
}
