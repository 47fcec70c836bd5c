%% Two nodes of an application of its own, which has messages of many shapes and atoms that no table has.
%%
%% erl ... -run learning serve HEARD    the node that is talked to; the file says that it has heard it all
%% erl ... -run learning talk OTHER     the node that talks, until it is killed
-module(learning).
-export([serve/1, talk/1]).

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

answer_to({order, Fruit, N}) -> {sold, Fruit, N, [in_stock]};
answer_to({cancel_order, N}) -> {cancelled, N, [{refund, 1.5}]};
answer_to({price_of, Fruit, <<"eur">>}) -> {price, Fruit, 2.5, <<"eur">>};
answer_to({look_for, [Fruit | _], all}) -> [{shelf, 3, Fruit}, {shelf, 4, Fruit}];
answer_to({count_of, #{fruit := Fruit}}) -> #{Fruit => 4, counted => true}.

talk([Other]) ->
    Node = list_to_atom(Other),
    [go_on({stock_room, Node}, Fruit) || Fruit <- ?FRUITS],
    talk([Other]).

go_on(To, Fruit) ->
    catch gen_server:call(To, {order, Fruit, 3}, 1000),
    catch gen_server:call(To, {cancel_order, 7}, 1000),
    catch gen_server:call(To, {price_of, Fruit, <<"eur">>}, 1000),
    catch gen_server:call(To, {look_for, [Fruit, any_fruit], all}, 1000),
    catch gen_server:call(To, {count_of, #{fruit => Fruit}}, 1000),
    gen_server:cast(To, {restock, Fruit, 5, {before, <<"noon">>}}),
    gen_server:cast(To, {spoiled, 2, [Fruit]}),
    timer:sleep(25).
