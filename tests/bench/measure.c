/*
 * measure COMMAND ...: runs a command and discards its standard output and error; prints the
 * seconds that passed, those that the processors worked, and the peak memory in MB.
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

/* run returns the seconds a run took, cpu those of the processors, peak in kB. */
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
    *peak = usage.ru_maxrss;
    *cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    return now() - start;
}

int main(int argc, char **argv)
{
    double cpu;
    long peak;
    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND ...\n");
        return 2;
    }
    double seconds = run(argv + 1, &cpu, &peak);
    printf("%.3f %.3f %.1f\n", seconds, cpu, (double)peak / 1024);
    return 0;
}
