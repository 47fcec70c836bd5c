/*
 * measure N COMMAND ...: runs a command once to warm up and then N times, its standard
 * output and error thrown away; prints the medians of the seconds
 * that passed and of those that the processors worked, and the peak memory in MB.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* run returns the seconds a run took, cpu those of the processors; peak is raised to its peak
 * memory in kB. */
static double run(char **command, double *cpu, long *peak)
{
    double start = now();
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) {
        fprintf(stderr, "measure: %s failed\n", command[0]);
        exit(1);
    }
    if (usage.ru_maxrss > *peak)
        *peak = usage.ru_maxrss;
    *cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    return now() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double seconds[99], cpu[99];
    int num = argc > 2 ? atoi(argv[1]) : 0;
    long peak = 0;
    if (num < 1 || num > 99) {
        fprintf(stderr, "usage: measure N COMMAND ...\n");
        return 2;
    }
    run(argv + 2, &cpu[0], &peak);
    for (int i = 0; i < num; i++)
        seconds[i] = run(argv + 2, &cpu[i], &peak);
    qsort(seconds, (size_t)num, sizeof seconds[0], compare);
    qsort(cpu, (size_t)num, sizeof cpu[0], compare);
    printf("%.2f %.2f %.1f\n", seconds[num / 2], cpu[num / 2],
           (double)peak / 1024);
    return 0;
}
