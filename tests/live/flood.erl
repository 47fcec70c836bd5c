%% A node that sends the same message to another one, again and again.
%%
%% erl ... -run flood listen READY               the node that is talked to
%% erl ... -run flood talk OTHER PER_SECOND SIZE  the node that talks, until it is killed
-module(flood).
-export([listen/1, talk/1]).

listen([Ready]) ->
    register(flood, self()),
    ok = file:write_file(Ready, <<>>),
    listen_on().

listen_on() ->
    receive _ -> listen_on() end.

%% A share of the messages every 10 ms.
talk([Other, PerSecond, Size]) ->
    Node = list_to_atom(Other),
    pong = net_adm:ping(Node),
    talk({flood, Node}, max(1, list_to_integer(PerSecond) div 100),
         binary:copy(<<"x">>, list_to_integer(Size)), 0).

talk(To, Share, Text, N) ->
    [To ! {flood, I, Text} || I <- lists:seq(N, N + Share - 1)],
    timer:sleep(10),
    talk(To, Share, Text, N + Share).
