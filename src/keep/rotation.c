/*
 * rotation.c - see rotation.h.
 *
 * With -G, strftime expands the name with the local time at which the file began. With -C a number
 * follows: none in the first file, then 1, 2 ...; together with -W it begins with 0, has as many digits
 * as the highest one, and starts again after that. With both -C and -G the number starts again with
 * each period. A clock that is set back does not change the name, and a time that occurs again gets
 * "-2" in it: see rotation_names.h. -C checks the size before a packet is written, so a file exceeds
 * the limit by at most one packet; -G checks the time when a packet comes, so there are no empty files.
 */
#include "keep/rotation.h"

#include "keep/numbered_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void rotation_begin(struct rotation *rotation, int64_t now)
{
    rotation->begin = rotation->named = now;
}

enum rotation_step rotation_step(struct rotation *rotation, int64_t now, uint64_t file_size)
{
    const struct rotation_rules *rules = &rotation->rules;
    if (now < rotation->begin)
        rotation->begin = now; /* the clock was set back: a new period begins */
    if (rules->seconds != 0 && now - rotation->begin >= (int64_t)rules->seconds) {
        rotation_begin(rotation, now);
        rotation->num_begun++;
        rotation->times = 0;
        rotation->count = 0;
        const bool full = rules->size == 0 && rules->files != 0 &&
                          rotation->num_begun >= rules->files;
        return full ? ROTATION_END : ROTATION_NEXT;
    }
    if (rules->size != 0 && file_size > rules->size) {
        rotation->count++;
        if (rules->files != 0 && rotation->count >= rules->files)
            rotation->count = 0;
        return ROTATION_NEXT;
    }
    return ROTATION_STAY;
}

/* num_digits returns the number of digits of the highest file number; 0 for a single file. */
static int num_digits(uint64_t num_files)
{
    int num = 0;
    for (uint64_t highest = num_files != 0 ? num_files - 1 : 0; highest != 0; highest /= 10)
        num++;
    return num;
}

bool rotation_base(const struct rotation *rotation, const char *pattern, char *out, size_t size)
{
    size_t len = strlen(pattern);
    if (rotation->rules.seconds != 0) {
        const time_t named = (time_t)rotation->named;
        struct tm local;
        len = localtime_r(&named, &local) != NULL ? strftime(out, size, pattern, &local) : 0;
    } else if (len < size) {
        memcpy(out, pattern, len + 1);
    }
    return len != 0 && len < size;
}

bool rotation_name(const struct rotation *rotation, const char *pattern, char *out, size_t size)
{
    const struct rotation_rules *rules = &rotation->rules;
    char base[ROTATION_NAME_LEN];
    if (!rotation_base(rotation, pattern, base, sizeof base) ||
        !numbered_name(base, rotation->times, out, size))
        return false;
    const size_t len = strlen(out);
    const int digits = num_digits(rules->files);
    if (rules->size == 0 || (rotation->count == 0 && digits == 0))
        return true;
    const int more = snprintf(out + len, size - len, "%0*" PRIu64, digits, rotation->count);
    return more > 0 && (size_t)more < size - len;
}
