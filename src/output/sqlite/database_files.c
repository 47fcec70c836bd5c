/*
 * database_files.c - see database_files.h. One connection uses them, one thread at a time.
 */
#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/database_files.h"

#include "core/complain.h"
#include "core/random_bytes.h"
#include "output/sqlite/sqlite_library.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum database_part { DATABASE, LOG, MEMORY, NUM_PARTS };

/* Positions of locks. */
enum { PENDING = 0x40000000, RESERVED, READERS, NUM_READERS = 510 };
enum { ALL_LOCKS = 2 + NUM_READERS, LOG_LOCKS = 120, OPEN_LOCK = 128 };

enum { MAX_PATHNAME = 64 };

struct database_files {
    sqlite3_vfs vfs; /* first: SQLite's own part */
    char vfs_name[32];
    const char *name;
    int fd[NUM_PARTS];
    int error;
    void **maps; /* of MEMORY */
    unsigned num_maps;
    size_t map_len;
};

struct open_file {
    sqlite3_file base; /* first: SQLite's own part */
    struct database_files *files;
    enum database_part part;
    int level; /* SQLITE_LOCK_* */
};

static struct open_file *get(sqlite3_file *base)
{
    return (struct open_file *)base;
}

static int fd_of(const struct open_file *file)
{
    return file->files->fd[file->part];
}

/* fail records errno for the message to the user. */
static int fail(struct database_files *files, int status)
{
    files->error = errno;
    return status;
}

/* Bytes */

static int file_read(sqlite3_file *base, void *bytes, int len, sqlite3_int64 at)
{
    const struct open_file *file = get(base);
    int done = 0;
    while (done < len) {
        const ssize_t n = pread(fd_of(file), (char *)bytes + done, (size_t)(len - done), at + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(file->files, SQLITE_IOERR_READ);
        if (n == 0) {
            memset((char *)bytes + done, 0, (size_t)(len - done));
            return SQLITE_IOERR_SHORT_READ;
        }
        done += (int)n;
    }
    return SQLITE_OK;
}

static bool write_all(int fd, const char *bytes, size_t len, off_t at)
{
    while (len != 0) {
        const ssize_t n = pwrite(fd, bytes, len, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static int file_write(sqlite3_file *base, const void *bytes, int len, sqlite3_int64 at)
{
    const struct open_file *file = get(base);
    if (write_all(fd_of(file), bytes, (size_t)len, at))
        return SQLITE_OK;
    const bool is_full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return fail(file->files, is_full ? SQLITE_FULL : SQLITE_IOERR_WRITE);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 len)
{
    const struct open_file *file = get(base);
    return ftruncate(fd_of(file), len) == 0 ? SQLITE_OK : fail(file->files, SQLITE_IOERR_TRUNCATE);
}

static int file_sync(sqlite3_file *base, int flags)
{
    const struct open_file *file = get(base);
    (void)flags;
    return fdatasync(fd_of(file)) == 0 ? SQLITE_OK : fail(file->files, SQLITE_IOERR_FSYNC);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *len)
{
    const struct open_file *file = get(base);
    struct stat status;
    if (fstat(fd_of(file), &status) != 0)
        return fail(file->files, SQLITE_IOERR_FSTAT);
    *len = status.st_size;
    return SQLITE_OK;
}

/* Locks */

static bool set_lock(int fd, short type, off_t at, off_t len)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = len};
    int status;
    while ((status = fcntl(fd, F_SETLK, &lock)) != 0 && errno == EINTR)
        ;
    return status == 0;
}

static int file_lock(sqlite3_file *base, int level)
{
    struct open_file *file = get(base);
    const int fd = fd_of(file);
    bool ok = true;
    if (file->level >= level)
        return SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) {
        ok = set_lock(fd, F_RDLCK, PENDING, 1);
        if (ok) {
            ok = set_lock(fd, F_RDLCK, READERS, NUM_READERS);
            set_lock(fd, F_UNLCK, PENDING, 1);
        }
    } else if (level == SQLITE_LOCK_RESERVED) {
        ok = set_lock(fd, F_WRLCK, RESERVED, 1);
    } else {
        ok = set_lock(fd, F_WRLCK, PENDING, 1);
        if (ok && level == SQLITE_LOCK_EXCLUSIVE)
            ok = set_lock(fd, F_WRLCK, READERS, NUM_READERS);
    }
    if (!ok)
        return SQLITE_BUSY;
    file->level = level;
    return SQLITE_OK;
}

static int file_unlock(sqlite3_file *base, int level)
{
    struct open_file *file = get(base);
    const int fd = fd_of(file);
    if (file->level <= level)
        return SQLITE_OK;
    const bool ok = level == SQLITE_LOCK_SHARED
                        ? set_lock(fd, F_RDLCK, READERS, NUM_READERS) && set_lock(fd, F_UNLCK, PENDING, 2)
                        : set_lock(fd, F_UNLCK, PENDING, ALL_LOCKS);
    file->level = level;
    return ok ? SQLITE_OK : fail(file->files, SQLITE_IOERR_UNLOCK);
}

static int file_is_reserved(sqlite3_file *base, int *is_reserved)
{
    const struct open_file *file = get(base);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RESERVED, .l_len = 1};
    *is_reserved = file->level > SQLITE_LOCK_SHARED ||
                   (fcntl(fd_of(file), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK);
    return SQLITE_OK;
}

/* Shared memory. SQLite asks for pieces of a size that it chooses; a piece may be smaller than what
 * can be mapped. */

/* has_memory makes the file so long: a hole might find no room when it is written. */
static bool has_memory(struct database_files *files, off_t len, bool extends, bool *there)
{
    static const char zeros[4096];
    struct stat status;
    if (fstat(files->fd[MEMORY], &status) != 0)
        return false;
    *there = status.st_size >= len;
    if (*there || !extends)
        return true;
    for (off_t at = status.st_size; at < len; at += (off_t)sizeof zeros) {
        const size_t some = len - at < (off_t)sizeof zeros ? (size_t)(len - at) : sizeof zeros;
        if (!write_all(files->fd[MEMORY], zeros, some, at))
            return false;
    }
    *there = true;
    return true;
}

static bool map_next(struct database_files *files)
{
    void **maps = realloc(files->maps, (files->num_maps + 1) * sizeof *maps);
    if (maps == NULL)
        return false;
    files->maps = maps;
    void *map = mmap(NULL, files->map_len, PROT_READ | PROT_WRITE, MAP_SHARED, files->fd[MEMORY],
                     (off_t)files->num_maps * (off_t)files->map_len);
    if (map == MAP_FAILED)
        return false;
    files->maps[files->num_maps++] = map;
    return true;
}

static int memory_map(sqlite3_file *base, int place, int len, int extends, void volatile **at)
{
    struct database_files *files = get(base)->files;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bool there;
    *at = NULL;
    if (files->map_len == 0)
        files->map_len = (size_t)len > page ? (size_t)len : page;
    const size_t in_a_map = files->map_len / (size_t)len;
    const size_t map = (size_t)place / in_a_map;
    if (!has_memory(files, (off_t)(map + 1) * (off_t)files->map_len, extends != 0, &there))
        return fail(files, SQLITE_IOERR_SHMSIZE);
    if (!there)
        return SQLITE_OK;
    while (files->num_maps <= map) {
        if (!map_next(files))
            return fail(files, SQLITE_IOERR_SHMMAP);
    }
    *at = (char *)files->maps[map] + (size_t)place % in_a_map * (size_t)len;
    return SQLITE_OK;
}

static int memory_lock(sqlite3_file *base, int first, int num, int flags)
{
    const int fd = get(base)->files->fd[MEMORY];
    const short type = (flags & SQLITE_SHM_UNLOCK) != 0   ? F_UNLCK
                       : (flags & SQLITE_SHM_SHARED) != 0 ? F_RDLCK
                                                          : F_WRLCK;
    return set_lock(fd, type, LOG_LOCKS + first, num) ? SQLITE_OK : SQLITE_BUSY;
}

static void memory_barrier(sqlite3_file *base)
{
    (void)base;
    atomic_thread_fence(memory_order_seq_cst);
}

static void unmap(struct database_files *files)
{
    for (unsigned i = 0; i < files->num_maps; i++)
        munmap(files->maps[i], files->map_len);
    free(files->maps);
    files->maps = NULL;
    files->num_maps = 0;
}

/* remove_beside removes a file beside the database: the next program that opens it creates the file
 * again. */
static void remove_beside(const struct database_files *files, const char *ending)
{
    char *name;
    if (asprintf(&name, "%s%s", files->name, ending) < 0)
        return;
    (void)file_helper_remove(name);
    free(name);
}

static int memory_unmap(sqlite3_file *base, int removes)
{
    struct database_files *files = get(base)->files;
    unmap(files);
    if (removes)
        remove_beside(files, DATABASE_MEMORY_ENDING);
    return SQLITE_OK;
}

/* The methods of a file */

static int file_close(sqlite3_file *base)
{
    return file_unlock(base, SQLITE_LOCK_NONE); /* keep the descriptor */
}

static int file_control(sqlite3_file *base, int what, void *about)
{
    (void)base;
    (void)what;
    (void)about;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *base)
{
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base)
{
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = memory_map,
    .xShmLock = memory_lock,
    .xShmBarrier = memory_barrier,
    .xShmUnmap = memory_unmap,
};

/* The methods of the file system */

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags)
{
    struct open_file *file = get(base);
    struct database_files *files = (struct database_files *)vfs;
    (void)name;
    file->base.pMethods = NULL;
    if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0)
        return SQLITE_CANTOPEN; /* it needs no other files */
    *file = (struct open_file){.base.pMethods = &methods,
                               .files = files,
                               .part = (flags & SQLITE_OPEN_WAL) != 0 ? LOG : DATABASE};
    if (out_flags != NULL)
        *out_flags = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs)
{
    const size_t len = strlen(name), ending = sizeof DATABASE_LOG_ENDING - 1;
    (void)syncs;
    if (len > ending && strcmp(name + len - ending, DATABASE_LOG_ENDING) == 0)
        remove_beside((const struct database_files *)vfs, DATABASE_LOG_ENDING);
    return SQLITE_OK;
}

/* vfs_access says that only files exist that have been opened. */
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *is_there)
{
    (void)vfs;
    (void)name;
    (void)flags;
    *is_there = 0;
    return SQLITE_OK;
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int len, char *out)
{
    (void)vfs;
    snprintf(out, (size_t)len, "%s", name);
    return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int len, char *out)
{
    (void)vfs;
    return random_bytes(out, (size_t)len) ? len : 0;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    const struct timespec span = {microseconds / 1000000, microseconds % 1000000 * 1000L};
    (void)vfs;
    nanosleep(&span, NULL);
    return microseconds;
}

static int vfs_current_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds)
{
    static const sqlite3_int64 at_1970 = 210866760000000; /* milliseconds since noon, 4714 BC */
    struct timespec now;
    (void)vfs;
    clock_gettime(CLOCK_REALTIME, &now);
    *milliseconds = at_1970 + (sqlite3_int64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int len, char *out)
{
    (void)len;
    (void)out;
    return ((const struct database_files *)vfs)->error;
}

static void make_known(struct database_files *files)
{
    static unsigned num;
    snprintf(files->vfs_name, sizeof files->vfs_name, "distsniff%u", num++);
    files->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(struct open_file),
        .mxPathname = MAX_PATHNAME,
        .zName = files->vfs_name,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_pathname,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_current_time,
    };
    /* SQLite asks the default one for random numbers. */
    sqlite_library.vfs_register(&files->vfs, 1);
}

/* Opening */

static bool open_part(struct database_files *files, enum database_part part)
{
    static const char *const endings[] = {"", DATABASE_LOG_ENDING, DATABASE_MEMORY_ENDING};
    struct open_trouble trouble;
    char *name;
    if (asprintf(&name, "%s%s", files->name, endings[part]) < 0) {
        complain("out of memory");
        return false;
    }
    files->fd[part] = file_helper_open(name, OPEN_UPDATE, &trouble);
    if (files->fd[part] < 0 && trouble.text[0] != '\0')
        complain("%s", trouble.text);
    else if (files->fd[part] < 0)
        complain("cannot write %s: %s", name, strerror(trouble.error));
    free(name);
    return files->fd[part] >= 0;
}

static bool is_regular(const struct database_files *files, enum database_part part)
{
    struct stat status;
    if (fstat(files->fd[part], &status) == 0 && S_ISREG(status.st_mode))
        return true;
    complain("%s is not a regular file, which a database must be", files->name);
    return false;
}

/* is_alone says whether no other program has the database open, and locks others out. */
static bool is_alone(const struct database_files *files, enum database_part part)
{
    if (part == MEMORY ? set_lock(files->fd[part], F_WRLCK, LOG_LOCKS, OPEN_LOCK - LOG_LOCKS + 1)
                       : set_lock(files->fd[part], F_WRLCK, PENDING, ALL_LOCKS))
        return true;
    complain("another program has %s open: stop it, or name another file", files->name);
    return false;
}

static bool empty(const struct database_files *files)
{
    for (int part = 0; part < NUM_PARTS; part++) {
        if (ftruncate(files->fd[part], 0) != 0) {
            complain("cannot empty %s: %s", files->name, strerror(errno));
            return false;
        }
    }
    set_lock(files->fd[MEMORY], F_RDLCK, OPEN_LOCK, 1);
    set_lock(files->fd[MEMORY], F_UNLCK, LOG_LOCKS, OPEN_LOCK - LOG_LOCKS);
    set_lock(files->fd[DATABASE], F_UNLCK, PENDING, ALL_LOCKS);
    return true;
}

struct database_files *database_files_open(const char *name)
{
    struct database_files *files = calloc(1, sizeof *files);
    bool ok = true;
    if (files == NULL) {
        complain("out of memory");
        return NULL;
    }
    files->name = name;
    for (int part = 0; part < NUM_PARTS; part++)
        files->fd[part] = -1;
    /* Create nothing beside a file that will not be written. */
    for (int part = 0; part < NUM_PARTS && ok; part++)
        ok = open_part(files, (enum database_part)part) && is_regular(files, (enum database_part)part) &&
             (part == LOG || is_alone(files, (enum database_part)part));
    if (!ok || !empty(files)) {
        database_files_close(files);
        return NULL;
    }
    make_known(files);
    return files;
}

const char *database_files_name(const struct database_files *files)
{
    return files->vfs_name;
}

int database_files_error(const struct database_files *files)
{
    return files->error;
}

void database_files_close(struct database_files *files)
{
    if (files == NULL)
        return;
    if (files->vfs.zName != NULL)
        sqlite_library.vfs_unregister(&files->vfs);
    unmap(files);
    for (int part = 0; part < NUM_PARTS; part++) {
        if (files->fd[part] >= 0)
            close(files->fd[part]);
    }
    free(files);
}

#endif
