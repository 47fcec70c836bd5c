%% Two nodes that were connected long ago, and go on to talk of atoms that both have sent long since.
%%
%% erl ... -run refreshing serve          the node that is talked to
%% erl ... -run refreshing talk OTHER     the node that talks
-module(refreshing).
-export([serve/0, talk/1]).

serve() ->
    register(stock_room, self()),
    answer().

answer() ->
    receive
        {'$gen_call', {Pid, Tag}, {order, Fruit}} -> Pid ! {Tag, {sold, Fruit, [ok, in_stock]}};
        {'$gen_call', {Pid, Tag}, _} -> Pid ! {Tag, {error, no_such_thing}};
        {'$gen_cast', {restock, _}} -> ok
    end,
    answer().

talk([Other]) ->
    Node = list_to_atom(Other),
    Fruits = [apples, pears, figs, dates, quinces, medlars],
    [go_on(Node, Fruit) || _ <- lists:seq(1, 600), Fruit <- Fruits],
    init:stop().

%% What goes to a process by its pid names the node that gets it.
tell(Pid, Fruit) when is_pid(Pid) -> gen_server:cast(Pid, {restock, Fruit});
tell(_, _) -> ok.

go_on(Node, Fruit) ->
    _ = net_kernel:connect_node(Node),
    catch gen_server:call({stock_room, Node}, {order, Fruit}, 1000),
    gen_server:cast({stock_room, Node}, {restock, Fruit}),
    Fruit =:= figs andalso tell(rpc:call(Node, erlang, whereis, [stock_room]), Fruit),
    timer:sleep(15).
