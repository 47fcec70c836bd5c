/*
 * client_files.c - see client_files.h. The kernel identifies a file by its inode, not by its name: a
 * file that replaces it later cannot be read. systemd-resolved and similar programs write the list of
 * name servers in a folder of their own: all of that may be read.
 */
#include "privsep/client_files.h"

#include <limits.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SERVERS "/etc/resolv.conf"

static const char *const files[] = {
#define FILE_OF(path) path,
#include "privsep/client_files.def"
#undef FILE_OF
};
enum { NUM_FILES = sizeof files / sizeof files[0] };

/* folder_of_servers writes the folder of the list of name servers. Returns false if that is /etc. */
static bool folder_of_servers(char folder[PATH_MAX])
{
    if (realpath(NAME_SERVERS, folder) == NULL)
        return false;
    *strrchr(folder, '/') = '\0';
    return folder[0] != '\0' && strcmp(folder, "/etc") != 0;
}

void client_files_keep_servers(void)
{
    char folder[PATH_MAX], options[256];
    const char *given = getenv("RES_OPTIONS");
    const int len = snprintf(options, sizeof options, "%s no-reload", given != NULL ? given : "");
    if (!folder_of_servers(folder) && len > 0 && (size_t)len < sizeof options)
        (void)setenv("RES_OPTIONS", options, 1);
}

struct rules {
    struct landlock_rule *rules;
    size_t num;
};

static void add(struct rules *r, const char *path)
{
    if (path != NULL && path[0] == '/' && r->num < MAX_CLIENT_RULES)
        r->rules[r->num++] = (struct landlock_rule){path, .reads = true};
}

/* add_all adds the folders in a list separated by colons, as OpenSSL has them. */
static void add_all(struct rules *r, const char *paths, char copy[PATH_MAX])
{
    char *rest = NULL;
    if (paths == NULL || strlen(paths) >= PATH_MAX)
        return;
    strcpy(copy, paths);
    for (char *path = strtok_r(copy, ":", &rest); path != NULL; path = strtok_r(NULL, ":", &rest))
        add(r, path);
}

size_t client_files_find(struct landlock_rule rules[MAX_CLIENT_RULES])
{
    static char servers[PATH_MAX], folders[PATH_MAX], own_folders[PATH_MAX], config[PATH_MAX];
    struct rules r = {.rules = rules};
    for (size_t i = 0; i < NUM_FILES; i++)
        add(&r, files[i]);
    if (folder_of_servers(servers))
        add(&r, servers);
    if (snprintf(config, sizeof config, "%s/openssl.cnf", X509_get_default_cert_area()) < PATH_MAX)
        add(&r, config);
    add(&r, X509_get_default_cert_file());
    add_all(&r, X509_get_default_cert_dir(), folders);
    add(&r, getenv(X509_get_default_cert_file_env()));
    add_all(&r, getenv(X509_get_default_cert_dir_env()), own_folders);
    return r.num;
}
