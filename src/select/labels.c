/*
 * labels.c - see labels.h. The labels are those of otp.def and --labels, and the op names of messages
 * that are recognised by their op.
 */
#include "select/labels.h"

#include "core/complain.h"
#include "core/label_show.h"
#include "core/own_labels.h"
#include "core/suggest.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const others[] = {"spawn", "monitor", "link"};

enum { NUM_OTHERS = sizeof others / sizeof others[0] };

/* is_family says whether a word means a family of labels: phoenix means Phoenix.PubSub and
 * Phoenix.Tracker. The word is in lower case, because Task is a label beside Task.Supervisor. */
static bool is_family(const char *word, size_t len, const char *label, const char *group)
{
    for (size_t i = 0; i < len; i++) {
        if (word[i] < 'a' || word[i] > 'z')
            return false;
    }
    return strcmp(group, "elixir") == 0 && strncasecmp(label, word, len) == 0 &&
           (label[len] == '\0' || label[len] == '.' || label[len] == ':');
}

static bool word_fits(const char *word, size_t len, const char *label, const char *group)
{
    return (len != 0 && is_family(word, len, label, group)) ||
           (strncmp(label, word, len) == 0 && (label[len] == '\0' || label[len] == ':')) ||
           (strlen(group) == len && memcmp(group, word, len) == 0);
}

bool labels_fit(const char *list, const char *label, const char *group)
{
    char room[LABEL_ROOM];
    for (const char *word = list; *word != '\0'; word += *word == ',') {
        size_t len = strcspn(word, ",");
        const struct ds_text meant = label_read((struct ds_text){word, len}, room);
        if (len != 0 && word_fits(meant.data, meant.len, label, group))
            return true;
        word += len;
    }
    return false;
}

const char *labels_name(const struct own_labels *own, size_t i)
{
    size_t num_lines;
    const struct ds_otp_line *lines = own_labels_lines(own, &num_lines);
    if (i < num_lines)
        return lines[i].label;
    return i - num_lines < NUM_OTHERS ? others[i - num_lines] : NULL;
}

const char *labels_group(const struct own_labels *own, size_t i)
{
    size_t num_lines;
    const struct ds_otp_line *lines = own_labels_lines(own, &num_lines);
    return i < num_lines ? lines[i].group : NULL;
}

const char *labels_class(const struct own_labels *own, size_t i)
{
    size_t num_lines;
    const struct ds_otp_line *lines = own_labels_lines(own, &num_lines);
    for (size_t l = 0; l < num_lines; l++) {
        if (lines[l].kind == DS_OTP_FAILURE && i-- == 0)
            return lines[l].label;
    }
    return NULL;
}

static bool is_known(const struct own_labels *own, const char *word, size_t len)
{
    char room[LABEL_ROOM];
    const struct ds_text meant = label_read((struct ds_text){word, len}, room);
    word = meant.data;
    len = meant.len;
    size_t num_lines;
    const struct ds_otp_line *lines = own_labels_lines(own, &num_lines);
    for (size_t i = 0; i < num_lines; i++) {
        if (word_fits(word, len, lines[i].label, lines[i].group))
            return true;
    }
    for (size_t i = 0; i < NUM_OTHERS; i++) {
        if (word_fits(word, len, others[i], ""))
            return true;
    }
    return false;
}

/* If there is no memory for the list, there is no hint. */
static const char *find_nearest(const struct own_labels *own, const char *word, size_t len)
{
    size_t num_lines;
    const struct ds_otp_line *lines = own_labels_lines(own, &num_lines);
    const char **names = calloc(2 * num_lines + NUM_OTHERS, sizeof *names);
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < num_lines; i++) {
        names[2 * i] = lines[i].label;
        names[2 * i + 1] = lines[i].group;
    }
    memcpy(names + 2 * num_lines, others, sizeof others);
    const char *nearest = suggest_find(word, len, names, 2 * num_lines + NUM_OTHERS);
    free(names);
    return nearest;
}

/* complain_of reports that there is no such label, and names the nearest one in the syntax of the word. */
static void complain_of(const struct own_labels *own, const char *option, const char *word, size_t len)
{
    char room[LABEL_ROOM];
    struct ds_buffer hint = {0};
    const struct ds_text meant = label_guess((struct ds_text){word, len}, room);
    const char *nearest = find_nearest(own, meant.data, meant.len);
    if (nearest != NULL)
        label_show_as(meant.data != word ? DS_SYNTAX_ELIXIR : DS_SYNTAX_ERLANG, nearest, &hint);
    const bool has_hint = hint.len != 0 && !hint.failed;
    complain("%s: there is no label '%.*s'%s%.*s", option, (int)len, word,
             has_hint ? ": did you mean " : "; labels are those that text and json show",
             (int)hint.len, has_hint ? hint.data : "");
    ds_buffer_free(&hint);
}

bool labels_check(const struct own_labels *own, const char *option, const char *list)
{
    for (const char *word = list; *word != '\0'; word += *word == ',') {
        const size_t len = strcspn(word, ",");
        if (len != 0 && !is_known(own, word, len)) {
            complain_of(own, option, word, len);
            return false;
        }
        word += len;
    }
    return true;
}
