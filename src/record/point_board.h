/*
 * point_board.h - the capture points of a stream as they are now. One thread writes, several read.
 */
#ifndef SRC_POINT_BOARD_H
#define SRC_POINT_BOARD_H

#include "record/capture_point.h"

#include <pthread.h>
#include <stddef.h>

enum { POINT_BOARD_MAX = 256 };

struct point_board {
    pthread_mutex_t lock;
    struct capture_point *points; /* NULL: none so far */
    size_t num;
    bool hides_names; /* points are called point-1 and so on */
};

void point_board_init(struct point_board *board, bool hides_names);
void point_board_free(struct point_board *board);

/* point_board_set adds a point, or replaces what is known of it. False if there is no room for it, or
 * memory ran out. */
bool point_board_set(struct point_board *board, const struct capture_point *point);

/* point_board_num returns how many points there are, point_board_get one of them. False: there is
 * no such point. NULL is a board without points. */
size_t point_board_num(struct point_board *board);
bool point_board_get(struct point_board *board, size_t number, struct capture_point *point);

#endif
