/*
 * option_files.c - see option_files.h. Capture files are recognised by their first bytes:
 *
 *   a1b2c3d4 or a1b23c4d, in either byte order   pcap, of microseconds or nanoseconds
 *   0a0d0d0a                                     pcapng
 *   1f8b                                         gzip
 *   28b52ffd                                     zstd
 */
#include "app/options/option_files.h"

#include "core/complain.h"
#include "output/fixture/fixture.h"
#include "send/nats/nats_config.h"
#include "send/stream/stream_url.h"

#include <ctype.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {".gz", ".zst", ".pcap", ".pcapng", ".cap", ".dmp"};

enum { NUM_ENDINGS = sizeof endings / sizeof endings[0] };

/* find_ending returns where one of these endings begins in name; 0: it has none. */
static size_t find_ending(const char *name, size_t name_len)
{
    for (int i = 0; i < NUM_ENDINGS; i++) {
        const size_t len = strlen(endings[i]);
        if (name_len > len && memcmp(name + name_len - len, endings[i], len) == 0)
            return name_len - len;
    }
    return 0;
}

bool option_files_is_capture(const char *name)
{
    static const struct {
        size_t len;
        const char *bytes;
    } magics[] = {
        {4, "\xa1\xb2\xc3\xd4"}, {4, "\xd4\xc3\xb2\xa1"}, {4, "\xa1\xb2\x3c\x4d"},
        {4, "\x4d\x3c\xb2\xa1"}, {4, "\x0a\x0d\x0d\x0a"}, {2, "\x1f\x8b"}, {4, "\x28\xb5\x2f\xfd"},
    };
    struct stat is;
    char bytes[4];
    if (stat(name, &is) != 0 || !S_ISREG(is.st_mode))
        return false; /* opening a FIFO would wait for its writer */
    const int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t len = file >= 0 ? read(file, bytes, sizeof bytes) : -1;
    if (file >= 0)
        close(file);
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if (len >= (ssize_t)magics[i].len && memcmp(bytes, magics[i].bytes, magics[i].len) == 0)
            return true;
    }
    return false;
}

bool option_files_is_expression(const char *word)
{
    struct bpf_program program;
    if (strchr(word, '/') != NULL || find_ending(word, strlen(word)) != 0)
        return false;
    pcap_t *dead = pcap_open_dead(DLT_RAW, 65535);
    if (dead == NULL)
        return false;
    const bool ok = pcap_compile(dead, &program, word, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (ok)
        pcap_freecode(&program);
    pcap_close(dead);
    return ok;
}

size_t option_files_count(char **words)
{
    static const char *const begins[] = {"host", "net", "port", "portrange", "src", "dst", "not", "ether",
                                         "vlan", "proto", "gateway", "less", "greater", "and", "or"};
    size_t num = 0;
    for (; words[num] != NULL; num++) {
        for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
            if (strcmp(words[num], begins[i]) == 0)
                return num;
        }
        if (strcmp(words[num], "-") == 0)
            continue; /* standard input */
        if (!option_files_is_capture(words[num]) || option_files_is_expression(words[num]))
            return num;
    }
    return num;
}

char *option_files_base(const struct options *options)
{
    const struct capture_config *capture = &options->capture;
    const char *name = capture->num_read_files != 0 ? capture->read_files[0] : "-";
    if (strcmp(name, "-") == 0 || nats_is_url(name) || stream_is_url(name))
        return strdup("distsniff");
    const char *slash = strrchr(name, '/');
    name = slash != NULL ? slash + 1 : name;
    size_t len = strlen(name);
    for (size_t shorter; (shorter = find_ending(name, len)) != 0;)
        len = shorter;
    return strndup(name, len);
}

/* keep_name makes the options own a name, which is NULL if memory ran out. */
static const char *keep_name(struct options *options, char *name)
{
    if (name == NULL || options->num_names_made == MAX_FORMATS + 1) {
        free(name);
        complain("out of memory");
        return NULL;
    }
    options->names_made[options->num_names_made++] = name;
    return name;
}

static bool name_page(struct options *options, struct sink_format *format)
{
    char *base = option_files_base(options), *name = NULL;
    if (base != NULL && asprintf(&name, "%s.html", base) < 0)
        name = NULL;
    free(base);
    format->file = keep_name(options, name);
    if (format->file != NULL)
        complain("--html writes %s", format->file);
    return format->file != NULL;
}

/* make_module_name turns a file's name into a module name. */
static void make_module_name(char *name)
{
    for (char *at = name; *at != '\0'; at++)
        *at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
    if (!islower((unsigned char)name[0]) && name[0] != '\0')
        name[0] = 'c';
}

/* name_tests completes the name of a test module: from a folder, or a name without its ending. */
static bool name_tests(struct options *options, struct sink_format *format)
{
    const char *suffix = format->kind->test_suffix, *ending = format->kind->ending;
    const char *given = format->file;
    char *name = NULL, *base = NULL;
    struct stat is;
    if (given == NULL)
        return format->kind->check(given);
    const size_t len = strlen(given), suffix_len = strlen(suffix);
    if ((len != 0 && given[len - 1] == '/') || (stat(given, &is) == 0 && S_ISDIR(is.st_mode))) {
        base = option_files_base(options);
        if (base != NULL)
            make_module_name(base);
        if (base == NULL || asprintf(&name, "%s%s%s%s%s", given, given[len - 1] == '/' ? "" : "/", base,
                                     suffix, ending) < 0)
            name = NULL;
        free(base);
    } else if (strchr(strrchr(given, '/') != NULL ? strrchr(given, '/') : given, '.') == NULL) {
        const bool has_suffix = len >= suffix_len && strcmp(given + len - suffix_len, suffix) == 0;
        if (asprintf(&name, "%s%s%s", given, has_suffix ? "" : suffix, ending) < 0)
            name = NULL;
    } else {
        return format->kind->check(given);
    }
    format->file = keep_name(options, name);
    return format->file != NULL && format->kind->check(format->file);
}

/* add_recording adds the recording that the tests use: my_tests.erl tests my_recording.erl, because
 * my.erl may be a module of the user. */
static bool add_recording(struct options *options, const struct sink_format *tests)
{
    const struct sink_kind *kind = sink_find("erlmod", strlen("erlmod"));
    const size_t len = strlen(tests->file) - strlen(tests->kind->ending);
    const size_t suffix_len = strlen(tests->kind->test_suffix);
    const char *suffix = tests->kind->test_suffix;
    const bool has_suffix = len > suffix_len && tests->file[len - suffix_len - 1] != '/' &&
                            memcmp(tests->file + len - suffix_len, suffix, suffix_len) == 0;
    char *name;
    if (options->output.num_formats == MAX_FORMATS) {
        complain("-T can be used at most %d times, and %s also writes a recording", MAX_FORMATS,
                 tests->kind->name);
        return false;
    }
    if (asprintf(&name, "%.*s_recording.erl", (int)(has_suffix ? len - suffix_len : len), tests->file) < 0)
        name = NULL;
    const char *file = keep_name(options, name);
    if (file == NULL || !kind->check(file))
        return false;
    complain("-T %s=%s tests the recording that is written to %s", tests->kind->name, tests->file, file);
    options->output.formats[options->output.num_formats++] = (struct sink_format){kind, file};
    return true;
}

bool option_files_name(struct options *options)
{
    struct sink_format *formats = options->output.formats;
    const struct sink_format *tests = NULL;
    bool has_recording = false;
    for (size_t i = 0; i < options->output.num_formats; i++) {
        if (formats[i].file == NULL && formats[i].kind == options->page_to_name &&
            !name_page(options, &formats[i]))
            return false;
        if (formats[i].kind->test_suffix != NULL && !name_tests(options, &formats[i]))
            return false;
        if (formats[i].kind->test_suffix != NULL && tests == NULL)
            tests = &formats[i];
        has_recording = has_recording || strcmp(formats[i].kind->name, "erlmod") == 0;
    }
    return tests == NULL || has_recording || add_recording(options, tests);
}
