/*
 * sniff_files.c - the files of a run: which of them the helper process opens, and whether they can
 * be written. See sniff_parts.h.
 */
#include "app/run/sniff_parts.h"

#include "core/complain.h"
#include "keep/rotation.h"
#include "privsep/privileges.h"
#include "ui/tui/tui_save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* split_name returns the last part of a name, and the status of its folder. */
static const char *split_name(const char *name, struct stat *folder)
{
    const char *slash = strrchr(name, '/');
    char *path = slash == NULL ? strdup(".") : strndup(name, (size_t)(slash + 1 - name));
    if (path == NULL || stat(path, folder) != 0)
        *folder = (struct stat){0};
    free(path);
    return slash == NULL ? name : slash + 1;
}

/* is_same_file says whether two names mean the same file, which need not exist yet. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    const bool has_one = stat(a, &one) == 0;
    const bool has_other = stat(b, &other) == 0;
    if (has_one != has_other)
        return false;
    if (!has_one && strcmp(split_name(a, &one), split_name(b, &other)) != 0)
        return false;
    const mode_t kind = has_one ? S_IFREG : S_IFDIR;
    return (one.st_mode & S_IFMT) == kind && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* sniff_check_outputs checks the names before any file is opened: that would empty it. */
bool sniff_check_outputs(const struct sniff *s)
{
    const struct options *options = s->options;
    enum { OTHERS = 3 };
    const char *names[OTHERS + MAX_FORMATS] = {
        options->keep.write_file, options->keep.connections_file, options->metrics.file};
    for (size_t i = 0; i < options->output.num_formats; i++)
        names[OTHERS + i] = options->output.formats[i].file;
    for (size_t i = 0; i < OTHERS + options->output.num_formats; i++) {
        if (names[i] != NULL && capture_is_input(&s->capture, names[i]))
            return false;
        for (size_t j = 0; j < i && names[i] != NULL; j++) {
            if (names[j] != NULL && is_same_file(names[i], names[j])) {
                complain("two outputs would write %s: name another file for one of them",
                         names[i]);
                return false;
            }
        }
    }
    return true;
}

/* sniff_warn_of_secrets warns about files with secrets, as users who pass one on have to know. */
void sniff_warn_of_secrets(const struct options *options)
{
    const struct keep_config *keep = &options->keep;
    const struct sink_format *annotated = sinks_find_of_packets(&options->output);
    const char *const names[] = {
        keep->write_file,
        keep->connections_file,
        annotated == NULL ? NULL : annotated->file != NULL ? annotated->file : "-",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0] && keep->embeds_secrets; i++) {
        if (names[i] != NULL)
            complain("%s will contain the secrets of its TLS connections: anyone who has it can "
                     "decrypt them",
                     strcmp(names[i], "-") == 0 ? "standard output" : names[i]);
    }
}

/* sniff_may_record says whether the files of --trigger can be created. A folder whose name contains
 * the time cannot be checked yet. */
bool sniff_may_record(const struct sniff *s)
{
    const char *name = s->options->keep.write_file;
    if (s->options->keep.trigger == NULL)
        return true;
    const char *slash = strrchr(name, '/');
    const char *percent = strchr(name, '%');
    if ((slash != NULL && percent != NULL && percent < slash) || file_helper_may_create(name))
        return true;
    complain("cannot write %s: %s", name, strerror(errno));
    return false;
}

bool sniff_may_replace(const struct sniff *s)
{
    const char *const names[] = {s->learned_new, s->resume_new, s->baseline_new, s->options->metrics.fresh};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] != NULL && !file_helper_may_create(names[i])) {
            complain("cannot write %s: %s", names[i], strerror(errno));
            return false;
        }
    }
    return true;
}

static void add_file(struct sniff *s, const char *name, enum helper_use use)
{
    if (name != NULL && strcmp(name, "-") != 0)
        s->files[s->helper.num_files++] = (struct helper_file){name, use};
}

/* add_format adds a format's files: if other files are written beside one, all of them are also
 * read. */
static void add_format(struct sniff *s, const struct sink_format *format, char *const *also)
{
    add_file(s, format->file, also[0] != NULL           ? HELPER_UPDATE
                              : format->kind->is_script ? HELPER_SCRIPT
                              : format->kind->keeps     ? HELPER_KEEP
                                                        : HELPER_WRITE);
    for (size_t i = 0; i < MAX_ALSO_WRITTEN; i++)
        add_file(s, also[i], HELPER_UPDATE);
}

/* add_replaced adds a file that is replaced as a whole; *fresh is its name until it is complete. */
static bool add_replaced(struct sniff *s, const char *name, char **fresh)
{
    if (asprintf(fresh, "%s.new", name) < 0) {
        *fresh = NULL;
        complain("out of memory");
        return false;
    }
    add_file(s, *fresh, HELPER_RENEW);
    return true;
}

/* sniff_start_helper starts the process that opens the files of this run. */
bool sniff_start_helper(struct sniff *s)
{
    const struct options *options = s->options;
    const bool is_later = options->keep.trigger != NULL || rotation_is_on(&options->keep.rotation);
    s->helper = (struct file_helper_config){
        .files = s->files,
        .command = options->keep.after_command,
        .told = options->output.on_finding,
        .user = privileges_user(options->keep.user),
        .is_confined = options->sandbox != SANDBOX_OFF,
    };
    add_file(s, options->config_file, HELPER_READ);
    add_file(s, options->cookie_file, HELPER_READ);
    add_file(s, options->redact.key_file, HELPER_READ);
    for (size_t i = 0; i < options->keylog.num_files; i++)
        add_file(s, options->keylog.files[i], HELPER_FOLLOW);
    add_file(s, options->static_atoms_file, HELPER_READ);
    if (options->learned_file != NULL) {
        add_file(s, options->learned_file, HELPER_READ);
        if (!add_replaced(s, options->learned_file, &s->learned_new))
            return false;
    }
    if (options->nats.resume_file != NULL) {
        add_file(s, options->nats.resume_file, HELPER_READ);
        if (!add_replaced(s, options->nats.resume_file, &s->resume_new))
            return false;
    }
    if (options->compare.file != NULL && !options->compare.is_capture)
        add_file(s, options->compare.file, HELPER_READ);
    if (options->compare.write_file != NULL &&
        !add_replaced(s, options->compare.write_file, &s->baseline_new))
        return false;
    add_file(s, options->keep.write_file, is_later ? HELPER_LATER : HELPER_WRITE);
    add_file(s, options->keep.connections_file, HELPER_WRITE);
    for (size_t i = 0; i < options->output.num_formats; i++) {
        add_format(s, &options->output.formats[i], options->names_also[i]);
        s->helper.has_temporary |= options->output.formats[i].kind->has_temporary;
    }
    add_file(s, options->metrics.fresh, HELPER_RENEW);
    s->helper.has_temporary |= options->save_folder != NULL; /* some formats saved from the screen
                                                              * need it */
    for (size_t i = 0; options->save_folder != NULL && i < SAVE_NAMES; i++) {
        s->save_names[i] = tui_save_name(options->save_folder, i);
        add_file(s, s->save_names[i], HELPER_LATER);
    }
    return file_helper_start(&s->helper);
}
