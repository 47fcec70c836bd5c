/*
 * point_board.c - see point_board.h.
 */
#include "record/point_board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void point_board_init(struct point_board *board, bool hides_names)
{
    *board = (struct point_board){.hides_names = hides_names};
    pthread_mutex_init(&board->lock, NULL);
}

void point_board_free(struct point_board *board)
{
    pthread_mutex_destroy(&board->lock);
    free(board->points);
}

/* find returns the point of that name, or room for it; NULL: there is none. */
static struct capture_point *find(struct point_board *board, const char *name)
{
    if (board->points == NULL)
        board->points = calloc(POINT_BOARD_MAX, sizeof *board->points);
    if (board->points == NULL)
        return NULL;
    for (size_t i = 0; i < board->num; i++) {
        if (strcmp(board->points[i].name, name) == 0)
            return &board->points[i];
    }
    return board->num < POINT_BOARD_MAX ? &board->points[board->num++] : NULL;
}

bool point_board_set(struct point_board *board, const struct capture_point *point)
{
    pthread_mutex_lock(&board->lock);
    struct capture_point *found = find(board, point->name);
    if (found != NULL)
        *found = *point;
    pthread_mutex_unlock(&board->lock);
    return found != NULL;
}

size_t point_board_num(struct point_board *board)
{
    if (board == NULL)
        return 0;
    pthread_mutex_lock(&board->lock);
    const size_t num = board->num;
    pthread_mutex_unlock(&board->lock);
    return num;
}

bool point_board_get(struct point_board *board, size_t number, struct capture_point *point)
{
    if (board == NULL)
        return false;
    pthread_mutex_lock(&board->lock);
    const bool is_there = number < board->num;
    if (is_there)
        *point = board->points[number];
    pthread_mutex_unlock(&board->lock);
    if (is_there && board->hides_names)
        snprintf(point->name, sizeof point->name, "point-%zu", number + 1);
    return is_there;
}
