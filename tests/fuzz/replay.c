/*
 * replay.c - runs a fuzz target on the files of its corpus, as a plain test.
 *
 * usage: fuzz_X FILE-OR-FOLDER ...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void die(const char *path)
{
    perror(path);
    exit(1);
}

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (file == NULL || fstat(fileno(file), &info) != 0)
        die(path);
    size_t len = (size_t)info.st_size;
    /* In a block of exactly that length, so that the sanitizer notices a read beyond its end. */
    uint8_t *data = malloc(len);
    if (len != 0 && (data == NULL || fread(data, 1, len, file) != len))
        die(path);
    LLVMFuzzerTestOneInput(data, len);
    free(data);
    fclose(file);
}

static unsigned long replay_folder(const char *path)
{
    unsigned long num = 0;
    struct dirent **entries;
    int len = scandir(path, &entries, NULL, alphasort);
    if (len < 0)
        die(path);
    for (int i = 0; i < len; i++) {
        char *name;
        if (entries[i]->d_name[0] != '.') {
            if (asprintf(&name, "%s/%s", path, entries[i]->d_name) < 0)
                die(path);
            replay_file(name);
            free(name);
            num++;
        }
        free(entries[i]);
    }
    free(entries);
    return num;
}

int main(int argc, char **argv)
{
    unsigned long num = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) != 0)
            die(argv[i]);
        if (S_ISDIR(info.st_mode)) {
            num += replay_folder(argv[i]);
        } else {
            replay_file(argv[i]);
            num++;
        }
    }
    printf("%lu inputs\n", num);
    return num != 0 ? 0 : 1;
}
