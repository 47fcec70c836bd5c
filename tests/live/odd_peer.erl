%% A peer of the replay escript that does not behave like a node.
%%
%% erl ... -run odd_peer call PORT HOW   says "ready", and connects to it as soon as it listens there;
%%                                       the cookie is "right"
%% erl ... -run odd_peer serve HOW       is connected to by it; says "ready PORT"
%% erl ... -run odd_peer long PLAY       replaces the frames of a recording by 10 of a megabyte that
%%                                       the acceptor sends
%%
%% HOW: silent          says nothing
%%      name            calls itself what would be a command to a terminal
%%      bytes           has a name that is no text
%%      no_pid          says an atom where the recording has a pid
%%      nonsense        sends a long frame that is none
%%      deaf            is up, and reads nothing more
-module(odd_peer).
-export([call/1, serve/1, long/1]).

-define(FLAGS, 16#d07df7fbd).

call([Port, How]) ->
    io:format("ready~n"),
    Socket = connect(list_to_integer(Port), 1000),
    How =:= "silent" orelse initiate(Socket, How),
    wait().

connect(Port, Tries) when Tries > 0 ->
    case gen_tcp:connect({127, 0, 0, 1}, Port, options()) of
        {ok, Socket} -> Socket;
        {error, econnrefused} -> timer:sleep(50), connect(Port, Tries - 1)
    end.

serve([How]) ->
    {ok, Listener} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}} | options()]),
    {ok, Port} = inet:port(Listener),
    io:format("ready ~b~n", [Port]),
    {ok, Socket} = gen_tcp:accept(Listener),
    How =:= "silent" orelse accept(Socket, How),
    wait().

options() ->
    [binary, {packet, 2}, {active, false}, {recbuf, 8192}].

%% The test ends this process.
wait() ->
    receive after 60000 -> halt(0) end.

name("name") -> <<"a\e[2J\n@127.0.0.1">>;
name("bytes") -> <<"a", 255, 254, "@127.0.0.1">>;
name(_) -> <<"alice@127.0.0.1">>.

initiate(Socket, How) ->
    Name = name(How),
    ok = gen_tcp:send(Socket, <<$N, ?FLAGS:64, 1:32, (byte_size(Name)):16, Name/binary>>),
    {ok, <<"sok">>} = gen_tcp:recv(Socket, 0),
    case gen_tcp:recv(Socket, 0) of
        {ok, <<$N, _:64, Challenge:32, _/binary>>} ->
            ok = gen_tcp:send(Socket, [<<$r, 5:32>>, digest(Challenge)]),
            {ok, <<$a, _/binary>>} = gen_tcp:recv(Socket, 0),
            up(Socket, How);
        {error, closed} -> ok
    end.

accept(Socket, How) ->
    Name = name(How),
    {ok, <<$N, _/binary>>} = gen_tcp:recv(Socket, 0),
    ok = gen_tcp:send(Socket, <<"sok">>),
    ok = gen_tcp:send(Socket, <<$N, ?FLAGS:64, 7:32, 1:32, (byte_size(Name)):16, Name/binary>>),
    case gen_tcp:recv(Socket, 0) of
        {ok, <<$r, Challenge:32, _/binary>>} ->
            ok = gen_tcp:send(Socket, [<<$a>>, digest(Challenge)]),
            up(Socket, How);
        {error, closed} -> ok
    end.

digest(Challenge) ->
    erlang:md5(["right", integer_to_list(Challenge)]).

up(Socket, How) ->
    ok = inet:setopts(Socket, [{packet, 4}]),
    case How of
        "no_pid" -> % MONITOR_P
            Ref = <<90, 1:16, 119, 15, "alice@127.0.0.1", 1:32, 1:32>>,
            ok = gen_tcp:send(Socket, [<<112, 131, 104, 4, 97, 19, 119, 9, "undefined", 119, 10,
                                         "net_kernel">>, Ref]);
        "nonsense" -> ok = gen_tcp:send(Socket, [<<1>>, binary:copy(<<"nonsense">>, 100000)]);
        _ -> ok
    end.

long([Play]) ->
    {ok, Text} = file:read_file(Play),
    [Head, _] = binary:split(Text, <<"\n%# 1 ">>),
    Control = <<104, 3, 97, 2, 119, 0, 88, 119, 15, "alice@127.0.0.1", 9:32, 0:32, 1:32>>,
    Frame = <<112, 131, Control/binary, 131, 109, (1 bsl 20):32, 0:(1 bsl 23)>>,
    Lines = ["\n%= ", base64:encode(Frame)],
    ok = file:write_file(Play, [Head, [[io_lib:format("\n%# ~b < 1 1 send", [N]) | Lines]
                                       || N <- lists:seq(1, 10)], "\n%@ {frames, 10}.\n"]),
    halt(0).
