%% Cats that travel between towns: what the manual's patterns are about. bob has the server; alice
%% asks it by rpc, erpc, spawn, gen_server calls and casts, and with plain messages.
%%
%% erl ... -run cat_traveler serve          the node of the server; ends when it is told to
%% erl ... -run cat_traveler travel OTHER   asks it
-module(cat_traveler).
-behaviour(gen_server).
-export([serve/0, travel/1, enter/2, where/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

-define(TIHON, {cat, <<"Tihon">>}).
-define(MURKA, {cat, <<"Murka">>}).
-define(MINSK, {town, <<"Minsk">>}).
-define(VITEBSK, {town, <<"Vitebsk">>}).

serve() ->
    {ok, Pid} = gen_server:start({local, cat_traveler}, cat_traveler, [], []),
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> halt() end.

enter(Cat, Town) -> gen_server:call(cat_traveler, {enter, Cat, Town}).
where(Cat) -> gen_server:call(cat_traveler, {where, Cat}).

travel([Other]) ->
    Bob = list_to_atom(Other),
    wait(Bob),
    {ok, 1} = rpc:call(Bob, cat_traveler, enter, [?TIHON, ?MINSK]),
    {ok, 2} = erpc:call(Bob, cat_traveler, enter, [?MURKA, ?MINSK]),
    {ok, 2} = rpc:call(Bob, cat_traveler, enter, [?TIHON, ?VITEBSK]),
    {ok, ?VITEBSK} = rpc:call(Bob, cat_traveler, where, [?TIHON]),
    {badrpc, _} = rpc:call(Bob, cat_traveler, enter, [?TIHON]),
    %% As nodes before OTP 23 do it.
    {rex, Bob} ! {self(), {call, cat_traveler, where, [?MURKA], group_leader()}},
    receive {rex, {ok, ?MINSK}} -> ok end,
    spawn(Bob, cat_traveler, enter, [?MURKA, ?VITEBSK]),
    Server = {cat_traveler, Bob},
    ok = gen_server:call(Server, {leave, ?TIHON, ?VITEBSK}),
    {error, not_there} = gen_server:call(Server, {leave, ?TIHON, ?MINSK}),
    gen_server:cast(Server, {leave, ?MURKA, ?VITEBSK}),
    Server ! {leave, {cat, "a stray one"}, ?MINSK},
    Server ! #{cat => ?TIHON, weight => 4.5, lives => 9},
    Server ! {milk, [1, 2, 3 | more], <<"fresh", 1, 2>>, 1 bsl 70},
    {ok, _} = gen_server:call(Server, stop),
    halt().

wait(Bob) ->
    case net_adm:ping(Bob) of
        pong -> timer:sleep(300);
        pang -> timer:sleep(100), wait(Bob)
    end.

init([]) -> {ok, #{}}.

handle_call({enter, Cat, Town}, _, Towns) ->
    New = Towns#{Cat => Town},
    {reply, {ok, map_size(New)}, New};
handle_call({where, Cat}, _, Towns) -> {reply, maps:find(Cat, Towns), Towns};
handle_call({leave, Cat, Town}, _, Towns) ->
    case Towns of
        #{Cat := Town} -> {reply, ok, maps:remove(Cat, Towns)};
        _ -> {reply, {error, not_there}, Towns}
    end;
handle_call(stop, _, Towns) -> {stop, normal, {ok, map_size(Towns)}, Towns}.

handle_cast({leave, Cat, _}, Towns) -> {noreply, maps:remove(Cat, Towns)}.

handle_info(_, Towns) -> {noreply, Towns}.
