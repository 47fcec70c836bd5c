/*
 * test_host_names.c - names of processes, containers and pods from files of the host, and the
 * owners of sockets, in a folder that stands in for /proc.
 */
#include "send/kernel/host_names.h"
#include "send/kernel/host_processes.h"

#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD_ID "1a2b3c4d-0000-1111-2222-333344445555"

static void cgroups(void **state)
{
    (void)state;
    static const struct {
        const char *text, *container, *uid;
    } cases[] = {
        {"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1a2b3c4d_0000_1111_2222_333344445555"
         ".slice/cri-containerd-" ID ".scope\n", "0123456789ab", POD_ID},
        {"0::/kubepods/besteffort/pod" POD_ID "/" ID "\n", "0123456789ab", POD_ID},
        {"12:cpu:/docker/" ID "\n0::/\n", "0123456789ab", ""},
        {"0::/system.slice/docker-" ID ".scope\n", "0123456789ab", ""},
        {"0::/user.slice/user-1000.slice\n", "", ""},
        {"0::/pods/" ID "0\n", "", ""}, /* a digit too many */
        {"0::/pod1a2b3c4d-0000-1111-2222-33334444555\n", "", ""},
        {"0::/pod" POD_ID "\n", "", POD_ID},
        {"", "", ""},
        {"pod", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char container[DS_SOCKET_CONTAINER], uid[HOST_POD_UID];
        host_names_cgroup((struct ds_text){cases[i].text, strlen(cases[i].text)}, container, uid);
        assert_string_equal(container, cases[i].container);
        assert_string_equal(uid, cases[i].uid);
    }
}

static char root[64];

static void make(const char *format, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, format, root);
    if (text == NULL) {
        assert_int_equal(mkdir(path, 0755), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void link_to(const char *format, const char *to)
{
    char path[256];
    snprintf(path, sizeof path, format, root);
    assert_int_equal(symlink(to, path), 0);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/test_host_names.XXXXXX");
    if (mkdtemp(root) == NULL)
        return 1;
    make("%s/pods", NULL);
    make("%s/pods/shop_rabbit-0_" POD_ID, NULL);
    make("%s/pods/shop_rabbit-1_1a2b3c4d-0000-1111-2222-333344445556", NULL);
    make("%s/pods/_" POD_ID, NULL);
    make("%s/proc", NULL);
    make("%s/proc/17", NULL);
    make("%s/proc/17/comm", "beam.smp\n");
    make("%s/proc/17/cgroup", "0::/kubepods/pod" POD_ID "/" ID "\n");
    make("%s/proc/17/ns", NULL);
    link_to("%s/proc/17/ns/net", "net:[4026531840]");
    make("%s/proc/17/fd", NULL);
    link_to("%s/proc/17/fd/3", "socket:[1234]");
    link_to("%s/proc/17/fd/4", "pipe:[1235]");
    link_to("%s/proc/17/fd/5", "socket:[99999999999]"); /* no inode of a socket is that large */
    make("%s/proc/18", NULL);
    make("%s/proc/18/comm", "bash\n");
    make("%s/proc/19", NULL);
    make("%s/proc/19/comm", "epmd\n"); /* it needs no other files */
    make("%s/proc/19/ns", "");
    make("%s/proc/19/fd", "");
    make("%s/proc/20", NULL);
    make("%s/proc/20/comm", "beam.smp\n"); /* a zombie */
    make("%s/proc/self", NULL);
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void pods(void **state)
{
    char folder[128], pod[DS_SOCKET_POD];
    (void)state;
    snprintf(folder, sizeof folder, "%s/pods", root);
    host_names_pod(folder, POD_ID, pod);
    assert_string_equal(pod, "shop/rabbit-0");
    host_names_pod(folder, "1a2b3c4d-0000-1111-2222-333344445557", pod);
    assert_string_equal(pod, "1a2b3c4d-0000-1111-2222-333344445557");
    host_names_pod("/no/such/folder", POD_ID, pod);
    assert_string_equal(pod, POD_ID);
    host_names_pod(folder, "", pod);
    assert_string_equal(pod, "");
}

static void scan(void *context)
{
    char proc[128], folder[128];
    snprintf(proc, sizeof proc, "%s/proc", root);
    snprintf(folder, sizeof folder, "%s/pods", root);
    host_processes_scan(context, proc, folder);
}

static void sockets_have_processes(void **state)
{
    static struct host_processes processes;
    (void)state;
    host_processes_init(&processes);
    for (int i = 0; i < 2; i++) { /* again, with nothing left of before */
        scan(&processes);
        assert_int_equal(processes.num, 2);
        assert_int_equal(processes.num_refused, 1);
        const struct host_process *process = host_processes_of(&processes, 1234);
        assert_non_null(process);
        assert_int_equal(process->pid, 17);
        assert_int_equal(process->space, 4026531840);
        assert_string_equal(process->name, "beam.smp");
        assert_string_equal(process->container, "0123456789ab");
        assert_string_equal(process->pod, "shop/rabbit-0");
        assert_null(host_processes_of(&processes, 1235));
        assert_null(host_processes_of(&processes, 0));
    }
    failing_alloc_from(1);
    scan(&processes); /* without memory nothing is known, and nothing breaks */
    failing_alloc_at(0);
    assert_null(host_processes_of(&processes, 1234));
    host_processes_free(&processes);
}

static void nodes(void **state)
{
    (void)state;
    assert_true(host_names_is_node("beam.smp"));
    assert_true(host_names_is_node("beam"));
    assert_true(host_names_is_node("epmd"));
    assert_false(host_names_is_node("epmdx"));
    assert_false(host_names_is_node(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cgroups),
        cmocka_unit_test(pods),
        cmocka_unit_test(sockets_have_processes),
        cmocka_unit_test(nodes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
