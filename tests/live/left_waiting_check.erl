%% left_waiting_check PROGRAM CAPTURE TRUTH: each call of left_waiting.erl ends as its ends logged,
%% and none is the parent of one that was made for others.
-module(left_waiting_check).
-export([main/1]).

main([Program, Capture, Truth]) ->
    records:main("left_waiting_check", fun() ->
        {ok, Bin} = file:read_file(Truth),
        Said = binary_to_term(zlib:gunzip(Bin)),
        {Records, _} = records:run(Program, ["-r", Capture]),
        Calls = [R || #{<<"type">> := <<"call">>} = R <- Records],
        ById = maps:from_list([{id(R), R} || R <- Calls, id(R) =/= none]),
        Numbers = maps:map(fun(_, #{<<"call">> := N}) -> N end, ById),
        [check(What, maps:get(Id, ById, none), Numbers) orelse
            records:fail("~b: ~p, but ~tP", [Id, What, maps:get(Id, ById, none), 60])
         || {Id, What} <- Said],
        Kinds = [K || {_, W} <- Said, K <- [case W of {K0, _} -> K0; _ -> W end]],
        Count = fun(K) -> length([x || X <- Kinds, X =:= K]) end,
        Count(exit) > 5 andalso Count(timeout) > 10 andalso Count(not_for) > 20 andalso Count(killed) > 6
            orelse records:fail("too little happened: ~p", [Kinds]),
        io:format("~b calls, each as it was~n", [length(Said)])
    end).

id(#{<<"request">> := Request}) ->
    case re:run(Request, "^\\{id,([0-9]+)", [{capture, all_but_first, list}]) of
        {match, [Id]} -> list_to_integer(Id);
        nomatch -> none
    end;
id(_) -> none.

%% Without a link, only the time distinguishes a timeout from a death: a killed caller looks like
%% one that has given up if its answer comes late. A caller that has given up is never informed of
%% the end of its callee.
check(_, none, _) -> false;
check(ok, #{<<"outcome">> := <<"ok">>}, _) -> true;
check(exit, #{<<"outcome">> := <<"error">>, <<"class">> := <<"exit">>}, _) -> true;
check(timeout, #{<<"outcome">> := How}, _) -> How =:= <<"timeout">> orelse How =:= <<"abandoned">>;
check(killed, #{<<"outcome">> := How}, _) -> How =:= <<"abandoned">> orelse How =:= <<"timeout">>;
check({not_for, Kept}, R, Numbers) ->
    maps:get(<<"parent">>, R, none) =/= maps:get(Kept, Numbers);
check(_, _, _) -> false.
