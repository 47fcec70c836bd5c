%% match_records PROGRAM CAPTURE ...: which messages of real captures -m shows, atom cache and
%% all, are those for which a function clause with the same head and guard holds in this node:
%% of the payload, or of what is wrapped in it. All that a gen wraps must be found; of what else
%% is, which otp.def says, it is only asked that it is an element of the payload.
-module(match_records).
-export([main/1]).

main([Program | Captures]) ->
    records:main("match_records", fun() ->
        Counts = [check(Program, C, All, P)
                  || C <- Captures, All <- [messages(Program, ["-r", C, "--no-calls"])],
                     P <- patterns()],
        length([N || N <- Counts, N > 0]) > length(Counts) div 2 orelse
            records:fail("next to nothing matches: ~tp", [Counts]),
        io:format("~b patterns on captures, ~b messages matched~n",
                  [length(Counts), lists:sum(Counts)])
    end).

patterns() ->
    ["{'$gen_call', {From, _}, R} when is_pid(From), is_tuple(R); node(From) > R",
     "{_, ok}",
     "{X, X}",
     "{_, {ok, _}} = All when tuple_size(All) == 2",
     "[_ | _]",
     "[A, B | _] when A < B",
     "#{}",
     "B when is_binary(B); is_function(B)",
     "T when tuple_size(T) > 3 orelse element(2, T) > element(1, T)",
     "{A, _} when is_reference(A)",
     "{_, N} when N > 5",
     "{_, N} when N band 1 == 1; round(N) =/= N",
     "{[alias | R], _} when node(R) /= a",
     "X when length(X) > 2; map_size(X) >= 1",
     "X when not is_tuple(X), X > 3",
     "{P, Q, _} when P > Q",
     "{_, X} when byte_size(X) > 2; hd(X) == hd(tl(X))",
     "{call, _, _, L, _} when is_list(L)",
     "call",
     "{Name, _, _} when Name == '$gen_call'; is_map(Name)",
     "{_, S, _} when S < \"b\"",
     "[{K, V} | _] when K =< V"].

check(Program, Capture, All, Pattern) ->
    Holds = clause(Pattern),
    Shown = messages(Program, ["-r", Capture, "--no-calls", "-m", Pattern]),
    Missing = [M || {_, Term} = M <- All, lists:any(Holds, [Term | inside(Term)])] -- Shown,
    Wrong = [M || {_, Term} = M <- Shown, not lists:any(Holds, [Term | elements(Term)])],
    {Missing, Wrong} =:= {[], []} orelse
        records:fail("~ts on ~ts~n  not shown: ~0tp~n  shown: ~0tp",
                     [Pattern, Capture, Missing, Wrong]),
    length(Shown).

elements(T) when is_tuple(T) -> tuple_to_list(T);
elements(_) -> [].

clause(Pattern) ->
    Text = unicode:characters_to_list(["fun(", head(Pattern), ")", guard(Pattern),
                                       " -> true; (_) -> false end."]),
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Forms} = erl_parse:parse_exprs(Tokens),
    {value, Fun, _} = erl_eval:exprs(Forms, []),
    Fun.

head(P) -> hd(string:split(P, " when ")).
guard(P) -> case string:split(P, " when ") of [_, G] -> [" when ", G]; _ -> "" end.

%% Each message with its place, and its payload.
messages(Program, Args) ->
    {Records, _} = records:run(Program, Args),
    [{{Frame, Ctl}, binary_to_term(base64:decode(Msg))}
     || #{<<"frame">> := Frame, <<"ctl">> := Ctl, <<"msg">> := Msg} <- records:messages(Records)].

inside({'$gen_call', {From, _}, Request}) when is_pid(From) -> [Request];
inside({'$gen_cast', Request}) -> [Request];
inside({[alias | Ref], Reply}) when is_reference(Ref) -> [Reply];
inside(_) -> [].
