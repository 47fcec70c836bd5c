%% stranger.erl - peers of a node that are not Erlang/OTP, or an old release: each connects to a
%% port of 10.9.2.2.
-module(stranger).
-export([knock/2, decline/2, join/4, join/5, flags/0]).

flags() ->
    16#d075f5fbd. % no headers of distribution, no fragments

%% knock sends a first step and returns the answer.
knock(Port, SendName) ->
    {Socket, Answer} = begin_with(Port, SendName),
    gen_tcp:close(Socket),
    Answer.

begin_with(Port, SendName) ->
    {ok, Socket} = gen_tcp:connect({10, 9, 2, 2}, Port, [binary, {packet, 2}, {active, false}]),
    ok = gen_tcp:send(Socket, SendName),
    {Socket, gen_tcp:recv(Socket, 0, 5000)}.

name(Name) ->
    name(Name, flags()).

name(Name, Flags) ->
    <<$N, Flags:64, 1:32, (byte_size(Name)):16, Name/binary>>.

%% decline has a name that is connected already, and does not replace that connection.
decline(Port, Name) ->
    {Socket, {ok, <<"salive">>}} = begin_with(Port, name(Name)),
    ok = gen_tcp:send(Socket, <<"sfalse">>),
    Answer = gen_tcp:recv(Socket, 0, 5000),
    gen_tcp:close(Socket),
    Answer.

%% join connects as a node does, sends frames, and stays for a second.
join(Port, Name, Cookie, Frames) ->
    join(Port, Name, Cookie, Frames, flags()).

join(Port, Name, Cookie, Frames, Flags) ->
    {Socket, {ok, <<"sok">>}} = begin_with(Port, name(Name, Flags)),
    {ok, <<$N, _:64, Challenge:32, _/binary>>} = gen_tcp:recv(Socket, 0),
    ok = gen_tcp:send(Socket, [<<$r, 5:32>>, erlang:md5([Cookie, integer_to_list(Challenge)])]),
    {ok, <<$a, _/binary>>} = gen_tcp:recv(Socket, 0),
    ok = inet:setopts(Socket, [{packet, 4}]),
    [ok = gen_tcp:send(Socket, Frame) || Frame <- Frames],
    timer:sleep(1000),
    gen_tcp:close(Socket).
