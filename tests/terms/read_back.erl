%% read_back TERM_TOOL: term_tool writes each of the terms of term_maker as text and as a copy, and
%% this reads both back.
-module(read_back).
-export([main/1]).
-import(term_maker, [same/2, clip/1]).

main([Tool]) ->
    io:setopts([{encoding, unicode}]),
    rand:seed(exsss, {1, 2, 3}),
    Terms = term_maker:readable(),
    Opaque = term_maker:opaque(),
    Hand = term_maker:hand_made(),
    Shown = term_maker:shown(),
    Encoded = [term_to_binary(T) || T <- Terms] ++ [term_to_binary(T) || T <- Opaque] ++
        [B || {B, _} <- Hand] ++ [B || {B, _} <- Shown],
    Results = [{Text, Copy} || [Text, Copy] <- term_maker:run([Tool], 2, Encoded)],
    {A, R1} = lists:split(length(Terms), Results),
    {B, R2} = lists:split(length(Opaque), R1),
    {C, D} = lists:split(length(Hand), R2),
    Bad = [check_text(T, X) || {T, {X, _}} <- lists:zip(Terms, A)] ++
        [check_copy(T, X) || {T, {_, X}} <- lists:zip(Terms ++ Opaque, A ++ B)] ++
        [check_text(T, X) || {{_, T}, {X, _}} <- lists:zip(Hand, C)] ++
        [check_same(E, X) || {{E, _}, {_, X}} <- lists:zip(Hand, C)] ++
        [check_shown(S, E, X) || {{E, S}, X} <- lists:zip(Shown, D)],
    Wrong = [W || W <- Bad, W =/= ok],
    [io:format("~tp~n", [W]) || W <- lists:sublist(Wrong, 20)],
    io:format("~b terms, ~b checks, ~b wrong~n", [length(Encoded), length(Bad), length(Wrong)]),
    halt(case Wrong of [] -> 0; _ -> 1 end).

read(Text) ->
    Chars = unicode:characters_to_list(Text),
    true = is_list(Chars),
    {ok, Tokens, _} = erl_scan:string(Chars ++ " ."),
    {ok, Term} = erl_parse:parse_term(Tokens),
    Term.

check_text(Term, Text) ->
    try read(Text) of
        Read ->
            case same(Term, Read) andalso length_ok(Term, Text) of
                true -> ok;
                false -> {text, Term, clip(Text)}
            end
    catch _:Why -> {unreadable, Term, clip(Text), Why}
    end.

%% The text of a float has no more digits than Erlang's own shortest.
length_ok(Float, Text) when is_float(Float) -> digits(Text) =< digits(short(Float));
length_ok(_, _) -> true.

short(Float) -> iolist_to_binary(io_lib:format("~w", [Float])).

digits(Text) ->
    [Mantissa | _] = binary:split(Text, <<"e">>),
    Digits = << <<C>> || <<C>> <= Mantissa, C >= $0, C =< $9 >>,
    length(string:trim(string:trim(binary_to_list(Digits), leading, "0"), trailing, "0")).

check_copy(Term, Copy) ->
    case Copy =:= term_to_binary(Term) andalso binary_to_term(Copy) =:= Term of
        true -> ok;
        false -> {copy, Term, clip(Copy)}
    end.

check_same(Encoded, Copy) when Encoded =:= Copy -> ok;
check_same(Encoded, Copy) -> {copy, clip(Encoded), clip(Copy)}.

check_shown(Shown, Encoded, {Text, Copy}) when Shown =:= Text ->
    check_same(Encoded, Copy);
check_shown(Shown, _, {Text, _}) -> {shown, Shown, Text}.

