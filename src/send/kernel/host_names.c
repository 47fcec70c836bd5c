/*
 * host_names.c - see host_names.h. In a cgroup, for example
 * "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice/cri-containerd-ID.scope",
 * the uid follows "pod", with "_" possibly for "-", and the id is the last sequence of 64 digits.
 */
#include "send/kernel/host_names.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { ID_LEN = 64, ID_SHOWN = 12, UID_LEN = HOST_POD_UID - 1, MAX_ENTRIES = 10000 };

static size_t digits_at(struct ds_text text, size_t at)
{
    size_t len = 0;
    while (at + len < text.len && isxdigit((unsigned char)text.data[at + len]))
        len++;
    return len;
}

/* is_uid says whether text has a uid at this offset: 8-4-4-4-12 digits. */
static bool is_uid(struct ds_text text, size_t at)
{
    if (text.len - at < UID_LEN)
        return false;
    for (size_t i = 0; i < UID_LEN; i++) {
        const char c = text.data[at + i];
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? c != '-' && c != '_' : !isxdigit((unsigned char)c))
            return false;
    }
    return true;
}

void host_names_cgroup(struct ds_text text, char container[DS_SOCKET_CONTAINER], char uid[HOST_POD_UID])
{
    static const char pod[] = "pod";
    enum { POD_LEN = sizeof pod - 1 };
    container[0] = uid[0] = '\0';
    for (size_t at = 0; at < text.len;) {
        const size_t len = digits_at(text, at);
        if (len == ID_LEN)
            snprintf(container, DS_SOCKET_CONTAINER, "%.*s", ID_SHOWN, text.data + at);
        if (text.len - at >= POD_LEN && memcmp(text.data + at, pod, POD_LEN) == 0 &&
            is_uid(text, at + POD_LEN)) {
            for (size_t i = 0; i < UID_LEN; i++) {
                const char c = text.data[at + POD_LEN + i];
                uid[i] = (char)(c == '_' ? '-' : tolower((unsigned char)c));
            }
            uid[UID_LEN] = '\0';
        }
        at += len != 0 ? len : 1;
    }
}

void host_names_pod(const char *folder, const char *uid, char pod[DS_SOCKET_POD])
{
    snprintf(pod, DS_SOCKET_POD, "%s", uid);
    DIR *entries = uid[0] != '\0' ? opendir(folder) : NULL;
    const struct dirent *entry;
    for (int i = 0; entries != NULL && i < MAX_ENTRIES && (entry = readdir(entries)) != NULL; i++) {
        const size_t len = strlen(entry->d_name);
        const char *space = strchr(entry->d_name, '_');
        if (len <= UID_LEN + 1 || space == NULL || strcmp(entry->d_name + len - UID_LEN, uid) != 0 ||
            entry->d_name[len - UID_LEN - 1] != '_' || space >= entry->d_name + len - UID_LEN - 1)
            continue;
        snprintf(pod, DS_SOCKET_POD, "%.*s/%.*s", (int)(space - entry->d_name), entry->d_name,
                 (int)(entry->d_name + len - UID_LEN - 1 - (space + 1)), space + 1);
        break;
    }
    if (entries != NULL)
        closedir(entries);
}

bool host_names_is_node(const char *name)
{
    return strncmp(name, "beam", 4) == 0 || strcmp(name, "epmd") == 0;
}
