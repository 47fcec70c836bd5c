%% Two nodes that were connected long ago, and still use atoms that both have sent long ago.
%%
%% erl ... -run stock_room serve HEARD      the node that is talked to; the file says that it has heard it all
%% erl ... -run stock_room talk OTHER       the node that talks, until it is killed
%% erl ... -run stock_room say_much OTHER   the same with messages of many shapes, whose atoms no table has
-module(stock_room).
-export([serve/1, talk/1, say_much/1]).

-define(FRUITS, [apples, pears, figs, dates, quinces, medlars]).

serve([Heard]) ->
    register(stock_room, self()),
    [answer() || _ <- lists:seq(1, 80)],
    ok = file:write_file(Heard, <<>>),
    answer_on().

answer_on() ->
    answer(),
    answer_on().

answer() ->
    receive
        {'$gen_call', {Pid, Tag}, Request} -> Pid ! {Tag, answer_to(Request)};
        {'$gen_cast', _} -> ok
    end.

answer_to({order, Fruit}) -> {sold, Fruit, [ok, in_stock]};
answer_to({order, Fruit, N}) -> {sold, Fruit, N, [in_stock]};
answer_to({cancel_order, N}) -> {cancelled, N, [{refund, 1.5}]};
answer_to({price_of, Fruit, <<"eur">>}) -> {price, Fruit, 2.5, <<"eur">>};
answer_to({look_for, [Fruit | _], all}) -> [{shelf, 3, Fruit}, {shelf, 4, Fruit}];
answer_to({count_of, #{fruit := Fruit}}) -> #{Fruit => 4, counted => true}.

talk([Other]) -> talk_on(list_to_atom(Other), fun say/2).

say_much([Other]) -> talk_on(list_to_atom(Other), fun say_much/2).

talk_on(Node, Say) ->
    [Say(Node, Fruit) || Fruit <- ?FRUITS],
    talk_on(Node, Say).

%% A message to a pid names the node that gets it.
tell(Pid, Fruit) when is_pid(Pid) -> gen_server:cast(Pid, {restock, Fruit});
tell(_, _) -> ok.

say(Node, Fruit) ->
    _ = net_kernel:connect_node(Node),
    catch gen_server:call({stock_room, Node}, {order, Fruit}, 1000),
    gen_server:cast({stock_room, Node}, {restock, Fruit}),
    Fruit =:= figs andalso tell(rpc:call(Node, erlang, whereis, [stock_room]), Fruit),
    timer:sleep(15).

say_much(Node, Fruit) ->
    To = {stock_room, Node},
    catch gen_server:call(To, {order, Fruit, 3}, 1000),
    catch gen_server:call(To, {cancel_order, 7}, 1000),
    catch gen_server:call(To, {price_of, Fruit, <<"eur">>}, 1000),
    catch gen_server:call(To, {look_for, [Fruit, any_fruit], all}, 1000),
    catch gen_server:call(To, {count_of, #{fruit => Fruit}}, 1000),
    gen_server:cast(To, {restock, Fruit, 5, {before, <<"noon">>}}),
    gen_server:cast(To, {spoiled, 2, [Fruit]}),
    timer:sleep(25).
