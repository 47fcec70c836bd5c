%% Two nodes that were connected long ago, and go on to talk of atoms that both have sent long since.
%%
%% erl ... -run refreshing serve HEARD    the node that is talked to; the file says that it has heard it all
%% erl ... -run refreshing talk OTHER     the node that talks, until it is killed
-module(refreshing).
-export([serve/1, talk/1]).

-define(FRUITS, [apples, pears, figs, dates, quinces, medlars]).

serve([Heard]) ->
    register(stock_room, self()),
    [answer() || _ <- lists:seq(1, 10 * length(?FRUITS))],
    ok = file:write_file(Heard, <<>>),
    answer_on().

answer_on() ->
    answer(),
    answer_on().

answer() ->
    receive
        {'$gen_call', {Pid, Tag}, {order, Fruit}} -> Pid ! {Tag, {sold, Fruit, [ok, in_stock]}};
        {'$gen_call', {Pid, Tag}, _} -> Pid ! {Tag, {error, no_such_thing}};
        {'$gen_cast', {restock, _}} -> ok
    end.

talk([Other]) ->
    Node = list_to_atom(Other),
    [go_on(Node, Fruit) || Fruit <- ?FRUITS],
    talk([Other]).

%% What goes to a process by its pid names the node that gets it.
tell(Pid, Fruit) when is_pid(Pid) -> gen_server:cast(Pid, {restock, Fruit});
tell(_, _) -> ok.

go_on(Node, Fruit) ->
    _ = net_kernel:connect_node(Node),
    catch gen_server:call({stock_room, Node}, {order, Fruit}, 1000),
    gen_server:cast({stock_room, Node}, {restock, Fruit}),
    Fruit =:= figs andalso tell(rpc:call(Node, erlang, whereis, [stock_room]), Fruit),
    timer:sleep(15).
