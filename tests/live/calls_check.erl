%% calls_check JSON LOG REPORT: each call of conversations.erl has one record, with the outcome that
%% the caller saw, and a latency not above what the caller measured; calls that were made for others
%% are their children; traced messages have the nodes' own order.
-module(calls_check).
-export([main/1]).

main([Json, Log, Report]) ->
    records:main("calls_check", fun() ->
        {ok, Bin} = file:read_file(Json),
        {ok, Said} = file:read_file(Log),
        #{calls := Calls, serials := Serials} = binary_to_term(Said),
        Records = [R || #{<<"type">> := <<"call">>} = R <- records:read(Bin)],
        ById = by_id(Records),
        [check(Call, ById) || Call <- group(Calls)],
        trees(Calls, ById, Records),
        traced(Serials, Report),
        io:format("~b calls, each with its outcome~n", [length(Calls)])
    end).

%% The number is in the request, or in the function and its arguments.
by_id(Records) ->
    lists:foldl(
      fun(R, Acc) ->
              Text = [maps:get(mfa(R), R, <<>>), maps:get(<<"request">>, R, <<>>)],
              case re:run(Text, "\\{id,([0-9]+)", [{capture, all_but_first, list}]) of
                  {match, [Id]} ->
                      maps:update_with(list_to_integer(Id), fun(L) -> [R | L] end, [R], Acc);
                  nomatch -> Acc
              end
      end, #{}, Records).

mfa(_) -> <<"mfa">>.

%% multi_call: two calls under one number.
group(Calls) ->
    maps:to_list(lists:foldl(
                   fun({Kind, Id, Expected, Time}, Acc) ->
                           maps:update_with(Id, fun({K, E, T, N}) -> {K, E, T, N + 1} end,
                                            {Kind, Expected, Time, 1}, Acc)
                   end, #{}, Calls)).

check({Id, {Kind, Expected, Nanoseconds, Count}}, ById) ->
    Records = maps:get(Id, ById, []),
    length(Records) =:= Count orelse Records =:= [] andalso is_unproven(Kind) orelse
        records:fail("~p ~b: ~b records instead of ~b: ~tP", [Kind, Id, length(Records), Count, Records, 60]),
    [begin
         Outcome = outcome(R),
         Outcome =:= Expected orelse
             records:fail("~p ~b: ~tp instead of ~tp: ~tP", [Kind, Id, Outcome, Expected, R, 90]),
         Kind =/= server_call_mfa orelse
             re:run(maps:get(<<"mfa">>, R, ""), "^conversations:call_me") =/= nomatch orelse
             records:fail("~p ~b does not say what function: ~tP", [Kind, Id, R, 90]),
         check_latency(Kind, Id, Expected, maps:get(<<"latency_us">>, R) * 1000, Nanoseconds)
     end || R <- Records].

%% Nothing has shown yet that the server speaks rpc:server_call's protocol.
is_unproven(Kind) -> Kind =:= not_server_call orelse Kind =:= server_call_noproc.

%% Not above what the caller measured. If the caller ends the call itself, after two seconds, or
%% because the answer came in another form, that is sent after it has gone on: a little later, or
%% much later on a busy machine.
-define(LATE, 100000000).
-define(PATIENCE, 2000000000).

check_latency(Kind, Id, Expected, Latency, Measured) ->
    Ends = Expected =:= timeout orelse Expected =:= abandoned,
    Latency =< Measured + case Ends of true -> ?LATE; false -> 0 end orelse
        records:fail("~p ~b took ~p ns by our clock, ~p by the caller's",
                     [Kind, Id, Latency, Measured]),
    Expected =/= timeout orelse Latency >= ?PATIENCE - ?LATE orelse
        records:fail("~p ~b gave up after ~p ns already", [Kind, Id, Latency]).

outcome(#{<<"outcome">> := <<"error">>, <<"class">> := Class}) -> {error, binary_to_atom(Class)};
outcome(#{<<"outcome">> := Outcome}) -> binary_to_atom(Outcome).

%% The parent is right, or is reported as ambiguous; it is never wrong. If no other process asked
%% the relay it is known, after the relay has shown for five of its ten requests that it does not go
%% on working after an answer.
trees(Calls, ById, Records) ->
    Parents = maps:from_list([{Child, N} || #{<<"call">> := N, <<"children">> := Children} <- Records,
                                            Child <- Children]),
    [Alone, Shared] = [[tree(Kind, Id, ById, Parents) || {K, Id, _, _} <- Calls, K =:= Kind]
                       || Kind <- [relay_alone, relay_shared]],
    Told = length([yes || true <- Alone]),
    io:format("~b of ~b calls of relays have their parent, ~b of ~b of a shared one~n",
              [Told, length(Alone), length([yes || true <- Shared]), length(Shared)]),
    Told * 2 >= length(Alone) orelse records:fail("too few").

tree(Kind, Id, ById, Parents) ->
    [#{<<"call">> := Outer}] = maps:get(Id, ById),
    [#{<<"call">> := Inner} = R] = maps:get(Id + 100000, ById),
    case {maps:get(<<"parent">>, R, none), maps:get(Inner, Parents, none)} of
        {Outer, Outer} -> true;
        {none, none} when is_map_key(<<"parent_ambiguous">>, R) -> false;
        Other -> records:fail("~p ~b: ~tp is not call ~b", [Kind, Id, Other, Outer])
    end.

traced(Serials, Report) ->
    {ok, Text} = file:read_file(Report),
    [_, Part | _] = binary:split(Text, <<"label 4711\n">>),
    Shown = [{binary_to_integer(S), binary_to_integer(P)}
             || Line <- binary:split(Part, <<"\n">>, [global]),
                {match, [S, P]} <- [re:run(Line, "^ +([0-9]+) after ([0-9]+) .*\\{pass,round",
                                           [{capture, all_but_first, binary}])]],
    length(Shown) >= 6 orelse records:fail("only ~tp are traced", [Shown]),
    Shown =:= [S || S <- Serials, lists:member(S, Shown)] andalso
        Shown =:= lists:sort(Shown) orelse
        records:fail("traced: ~tp, by the nodes: ~tp", [Shown, Serials]).
