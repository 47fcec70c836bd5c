%% naming_check JSON [JSON]: each message of naming.erl went to a process that is shown as the
%% message says.
-module(naming_check).
-export([main/1]).

main([Json]) ->
    records:main("naming_check", fun() ->
        {ok, Bin} = file:read_file(Json),
        check(records:messages(records:read(Bin)))
    end);
%% Of a capture.
main([Program, Capture]) ->
    records:main("naming_check", fun() ->
        {Records, _} = records:run(Program, ["-r", Capture]),
        check(records:messages(Records))
    end).

check(Messages) ->
    Told = [{{Name, Titles}, {name(M), [T || T <- titles(M), Groups orelse not is_group(T)]}, M}
            || #{<<"term">> := <<"{shown", _/binary>> = Term} = M <- Messages,
               {Groups, Name, Titles} <- [expected(Term)]],
    Least = case [M || {_, _, #{<<"term">> := <<"{shown_without", _/binary>>} = M} <- Told] of
        [] -> 22;
        _ -> 15
    end,
    length(Told) >= Least orelse
        records:fail("only ~b messages say what is to be shown", [length(Told)]),
    [records:fail("~tp instead of ~tp: ~tP", [Shown, Expected, M, 50])
     || {Expected, Shown, M} <- Told, Shown =/= Expected],
    io:format("~b messages to processes, each with their names~n", [length(Told)]).

expected(Term) ->
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list([Term, "."])),
    {ok, {Shown, Name, Titles}} = erl_parse:parse_term(Tokens),
    {Shown =:= shown, atom_to_binary(Name), lists:sort(Titles)}.

is_group("pg:" ++ _) -> true;
is_group(_) -> false.

name(#{<<"to_name">> := Name}) -> Name;
name(_) -> <<"none">>.

titles(Message) ->
    lists:sort([unicode:characters_to_list(T) || T <- maps:get(<<"to_titles">>, Message, [])]).
