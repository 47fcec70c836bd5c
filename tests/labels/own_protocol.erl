%% own_protocol: two nodes that talk in protocols of their own: {call, Ref, Pid, Msg} answered by
%% {reply, Ref, Result}, one that is never answered, casts; and messages as Phoenix sends them
%% between nodes: a channel is joined, something is broadcast to its topic. For own-protocol.pcap.
-module(own_protocol).
-export([serve/0, talk/1]).

serve() ->
    register(desk, self()),
    loop().

loop() ->
    receive
        {call, Ref, Pid, stop} ->
            Pid ! {reply, Ref, ok},
            timer:sleep(300),
            halt();
        {call, _, _, {ignore, _}} ->
            loop();
        {call, Ref, Pid, {fail, Why}} ->
            Pid ! {reply, Ref, {error, Why}},
            loop();
        {call, Ref, Pid, {add, X, Y}} ->
            Pid ! {reply, Ref, {ok, X + Y}},
            loop();
        {'Elixir.Phoenix.Channel', Payload, {Pid, Ref}, _Socket} ->
            Pid ! {Ref, {ok, Payload}},
            loop();
        _ ->
            loop()
    end.

talk([Node]) ->
    Peer = {desk, list_to_atom(Node)},
    wait_for(list_to_atom(Node), 100),
    [{ok, _} = call(Peer, {add, N, N}) || N <- lists:seq(1, 5)],
    {error, no_such} = call(Peer, {fail, no_such}),
    Peer ! {call, make_ref(), self(), {ignore, me}},
    [Peer ! {tick, N, <<"tock">>} || N <- lists:seq(1, 3)],
    Ref = make_ref(),
    Socket = #{'__struct__' => 'Elixir.Phoenix.Socket', topic => <<"room:1">>, joined => false},
    Peer ! {'Elixir.Phoenix.Channel', #{<<"name">> => <<"ann">>}, {self(), Ref}, Socket},
    receive {Ref, {ok, _}} -> ok end,
    [Peer ! {forward_to_local, <<"room:1">>, broadcast(N), 'Elixir.Phoenix.Channel.Server'}
     || N <- lists:seq(1, 4)],
    ok = call(Peer, stop),
    timer:sleep(200),
    halt().

broadcast(N) ->
    #{'__struct__' => 'Elixir.Phoenix.Socket.Broadcast', topic => <<"room:1">>,
      event => <<"shout">>, payload => #{<<"n">> => N}}.

call(Peer, Msg) ->
    Ref = make_ref(),
    Peer ! {call, Ref, self(), Msg},
    receive {reply, Ref, Result} -> Result end.

wait_for(Node, Left) when Left > 0 ->
    case net_kernel:connect_node(Node) of
        true -> timer:sleep(200);
        _ -> timer:sleep(100), wait_for(Node, Left - 1)
    end.
