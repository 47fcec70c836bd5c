/*
 * cnode NODE COOKIE LOG: a C node that talks to the process peer of an Erlang node and logs what
 * it sent as one term: #{node => Node, sent => [{From, To, Message}]}.
 */
#include <ei.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ei_cnode node;
static ei_x_buff sent; /* the list of what was sent, without its header */
static long num_sent;

static void fail(const char *what)
{
    fprintf(stderr, "cnode: %s failed: %s\n", what, strerror(erl_errno));
    exit(1);
}

static void check(int result, const char *what)
{
    if (result < 0)
        fail(what);
}

/* note logs a message: to is the name or, if name is NULL, the receiving process. */
static void note(const char *name, erlang_pid *pid, const ei_x_buff *message)
{
    ei_x_encode_tuple_header(&sent, 3);
    ei_x_encode_pid(&sent, ei_self(&node));
    if (name != NULL)
        ei_x_encode_atom(&sent, name);
    else
        ei_x_encode_pid(&sent, pid);
    ei_x_append_buf(&sent, message->buff + 1, message->index - 1); /* without the 131 */
    num_sent++;
}

static void send_name(int fd, ei_x_buff *message)
{
    note("peer", NULL, message);
    check(ei_reg_send(&node, fd, "peer", message->buff, message->index), "ei_reg_send");
}

static void send_pid(int fd, erlang_pid *to, ei_x_buff *message)
{
    note(NULL, to, message);
    check(ei_send(fd, to, message->buff, message->index), "ei_send");
}

static void receive(int fd, erlang_msg *info)
{
    ei_x_buff in;
    ei_x_new(&in);
    int got;
    do
        got = ei_xreceive_msg(fd, info, &in);
    while (got == ERL_TICK);
    check(got, "ei_xreceive_msg");
    ei_x_free(&in);
}

static void begin(ei_x_buff *message, const char *word)
{
    ei_x_new_with_version(message);
    ei_x_encode_tuple_header(message, 3);
    ei_x_encode_atom(message, word);
    ei_x_encode_pid(message, ei_self(&node));
}

/* call logs what ei_rpc sends: {Self, {call, Module, Function, Arguments, user}} to rex. */
static void call(int fd, char *module, char *function, const ei_x_buff *arguments, ei_x_buff *result)
{
    ei_x_buff request;
    ei_x_new_with_version(&request);
    ei_x_encode_tuple_header(&request, 2);
    ei_x_encode_pid(&request, ei_self(&node));
    ei_x_encode_tuple_header(&request, 5);
    ei_x_encode_atom(&request, "call");
    ei_x_encode_atom(&request, module);
    ei_x_encode_atom(&request, function);
    ei_x_append(&request, arguments);
    ei_x_encode_atom(&request, "user");
    note("rex", NULL, &request);
    check(ei_rpc(&node, fd, module, function, arguments->buff, arguments->index, result),
          "ei_rpc");
    ei_x_free(&request);
}

static void write_log(const char *path)
{
    ei_x_buff log;
    ei_x_new_with_version(&log);
    ei_x_encode_map_header(&log, 3);
    ei_x_encode_atom(&log, "node");
    ei_x_encode_atom(&log, ei_thisnodename(&node));
    ei_x_encode_atom(&log, "counters");
    ei_x_encode_map_header(&log, 0);
    ei_x_encode_atom(&log, "sent");
    ei_x_encode_list_header(&log, num_sent);
    ei_x_append(&log, &sent);
    ei_x_encode_empty_list(&log);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(log.buff, 1, (size_t)log.index, file) != (size_t)log.index ||
        fclose(file) != 0)
        fail("writing the log");
    ei_x_free(&log);
    ei_x_free(&sent);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: cnode NODE COOKIE LOG\n");
        return 2;
    }
    struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
    ei_init();
    check(ei_connect_xinit(&node, "127.0.0.1", "cnode", "cnode@127.0.0.1", &loopback, argv[2], 1),
          "ei_connect_xinit");
    int fd = ei_connect(&node, argv[1]);
    check(fd, "ei_connect");
    ei_x_new(&sent);

    ei_x_buff message;
    ei_x_new_with_version(&message);
    ei_x_encode_tuple_header(&message, 2);
    ei_x_encode_atom(&message, "hello");
    ei_x_encode_pid(&message, ei_self(&node));
    send_name(fd, &message);
    ei_x_free(&message);
    erlang_msg info;
    receive(fd, &info); /* welcome */
    receive(fd, &info); /* large */

    static char bytes[1000000];
    memset(bytes, 'c', sizeof bytes);
    const long lens[] = {0, 1, 1000, 65535, 65536, 300000, sizeof bytes};
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        begin(&message, "binary");
        ei_x_encode_binary(&message, bytes, lens[i]);
        send_name(fd, &message);
        ei_x_free(&message);
        receive(fd, &info); /* the echo */
    }

    begin(&message, "terms");
    ei_x_encode_list_header(&message, 7);
    ei_x_encode_double(&message, 0.1);
    ei_x_encode_longlong(&message, -1234567890123456789LL);
    ei_x_encode_string(&message, "from C");
    ei_x_encode_atom_as(&message, "gr\xc3\xbc\xc3\x9f", ERLANG_UTF8, ERLANG_UTF8);
    ei_x_encode_ulong(&message, 255);
    ei_x_encode_map_header(&message, 1);
    ei_x_encode_atom(&message, "key");
    ei_x_encode_empty_list(&message);
    erlang_ref ref;
    check(ei_make_ref(&node, &ref), "ei_make_ref");
    ei_x_encode_ref(&message, &ref);
    ei_x_encode_empty_list(&message);
    send_name(fd, &message);
    ei_x_free(&message);
    receive(fd, &info);

    ei_x_buff arguments, result;
    ei_x_new(&arguments);
    ei_x_new(&result);
    ei_x_encode_list_header(&arguments, 1);
    ei_x_encode_atom(&arguments, "peer");
    ei_x_encode_empty_list(&arguments);
    call(fd, "erlang", "whereis", &arguments, &result);
    int index = 0;
    erlang_pid peer;
    check(ei_decode_pid(result.buff, &index, &peer), "ei_decode_pid");
    ei_x_free(&arguments);
    ei_x_free(&result);

    begin(&message, "directly");
    ei_x_encode_binary(&message, bytes, 5000);
    send_pid(fd, &peer, &message);
    ei_x_free(&message);
    receive(fd, &info);

    ei_x_new_with_version(&message);
    ei_x_encode_tuple_header(&message, 2);
    ei_x_encode_atom(&message, "stop");
    ei_x_encode_pid(&message, ei_self(&node));
    send_name(fd, &message);
    ei_x_free(&message);
    receive(fd, &info);
    write_log(argv[3]);
    sleep(1); /* the node counts, then ends */
    return 0;
}
