%% redacted PROGRAM node|etf CAPTURE: what --redact all makes of a capture has the same shape, as this
%% node sees it (node: binary_to_term reads the redacted terms; etf: they are of another release);
%% equal values stay equal and different ones different; with the same key another run says the
%% same, and with other keys everything else.
-module(redacted).
-export([main/1]).

main([Program, Reader, Capture]) ->
    records:main("redacted", fun() ->
        Key = string:trim(os:cmd("mktemp")),
        ok = file:write_file(Key, <<"a key of sixteen bytes or more">>),
        Run = fun(Args) -> terms(list_to_atom(Reader), Program, ["-r", Capture | Args]) end,
        Keyed = ["--redact", "all", "--redact-key-file", Key],
        Original = Run([]),
        Redacted = Run(Keyed),
        Redacted = Run(Keyed),
        Other = Run(["--redact", "all"]),
        ok = file:delete(Key),
        length(Original) =:= length(Redacted) orelse records:fail("other messages", []),
        length(Original) > 10 orelse records:fail("hardly any messages", []),
        Leaves = check(Original, Redacted),
        _ = check(Original, Other),
        Redacted =/= Other orelse records:fail("the same with another key", []),
        Changed = length([x || {_, A, B} <- Leaves, A =/= B]),
        io:format("~b messages, ~b values, ~b replaced~n",
                  [length(Original), length(Leaves), Changed]),
        Changed > 10 orelse records:fail("hardly anything replaced", [])
    end).

terms(Reader, Program, Args) ->
    {Records, _} = records:run(Program, Args),
    [{maps:get(<<"op">>, M), [read(Reader, base64:decode(maps:get(K, M)))
                              || K <- [<<"ctl">>, <<"msg">>], is_map_key(K, M)]}
     || M <- records:messages(Records), not is_map_key(<<"fault">>, M)].

%% A node of this release has to read it, even if etf is compared.
read(node, Bin) -> _ = binary_to_term(Bin), etf:decode(Bin);
read(etf, Bin) -> etf:decode(Bin).

%% check(Original, Redacted): checks that pairs of values are one to one, and returns each pair
%% once.
check(Original, Redacted) ->
    Pairs = lists:usort(lists:append([both(A, B) || {A, B} <- lists:zip(Original, Redacted)])),
    one_to_one([{{K, A}, B} || {K, A, B} <- Pairs]),
    one_to_one([{{K, B}, A} || {K, A, B} <- Pairs]),
    Pairs.

one_to_one(Pairs) ->
    lists:foldl(fun({A, B}, {A, C}) when B =/= C -> records:fail("~tp is ~tp and ~tp", [A, B, C]);
                   (Pair, _) -> Pair end, none, lists:sort(Pairs)).

%% A message: the op; then the control tuple, whose numbers stay; then the payload.
both({Op, [{tuple, [Code | As]} | MsgA]}, {Op, [{tuple, [Code | Bs]} | MsgB]}) ->
    [P || P <- pairs(As, Bs), not is_number_kept(P)] ++ pairs(MsgA, MsgB);
both(A, B) -> differ(A, B).

is_number_kept({integer, A, A}) -> true;
is_number_kept(_) -> false.

pairs(As, Bs) when length(As) =:= length(Bs) ->
    lists:append([pair(A, B) || {A, B} <- lists:zip(As, Bs)]);
pairs(As, Bs) -> differ(As, Bs).

pair(A, B) when is_integer(A), is_integer(B) ->
    sign(A) =:= sign(B) andalso bits(A) =:= bits(B) orelse differ(A, B),
    [{integer, A, B}];
pair({float, A}, {float, B}) ->
    A bsr 52 =:= B bsr 52 orelse differ(A, B),
    [{float, A, B}];
pair(A, B) when is_bitstring(A), is_bitstring(B), bit_size(A) =:= bit_size(B) -> [{bits, A, B}];
pair({atom, A}, {atom, B}) ->
    is_node(A) orelse num_chars(A) =:= num_chars(B) orelse differ(A, B),
    [{atom, A, B}];
pair({tuple, As} = A, {tuple, Bs} = B) when length(As) =:= length(Bs) ->
    case is_address(As) of
        true -> [{address, A, B}];
        false -> pairs(As, Bs)
    end;
pair(A, B) when is_list(A), is_list(B), length(A) =:= length(B) ->
    case A =/= [] andalso lists:all(fun is_character/1, A) of
        true -> [{string, A, B}];
        false -> elements(A, B)
    end;
pair({improper, As, TailA}, {improper, Bs, TailB}) -> elements(As ++ [TailA], Bs ++ [TailB]);
pair(A, B) when is_map(A), is_map(B), map_size(A) =:= map_size(B) ->
    %% The order of the keys changes: values are compared by what remains of them.
    Left = fun(M) -> lists:sort([{shape(K), shape(V)} || {K, V} <- maps:to_list(M)]) end,
    Left(A) =:= Left(B) orelse differ(A, B),
    [];
pair({pid, A, Id, Serial, Creation}, {pid, B, Id, Serial, Creation}) -> node(A, B);
pair({port, A, Id, Creation}, {port, B, Id, Creation}) -> node(A, B);
pair({ref, A, Creation, Words}, {ref, B, Creation, Words}) -> node(A, B);
pair({export, M1, F1, A}, {export, M2, F2, A}) -> pairs([M1, F1], [M2, F2]);
pair({'fun', M1, A, I, _, I1, _, P1, Free1}, {'fun', M2, A, I, _, I1, _, P2, Free2}) ->
    pairs([M1, P1 | Free1], [M2, P2 | Free2]);
pair({record, Flags, M1, N1, Fields1}, {record, Flags, M2, N2, Fields2}) ->
    pairs([M1, N1 | lists:append([[K, V] || {K, V} <- Fields1])],
          [M2, N2 | lists:append([[K, V] || {K, V} <- Fields2])]);
pair({local, _, _}, {local, _, _}) -> [];
pair(A, B) -> differ(A, B).

%% Elements of a list that is no string: characters in it are replaced together with their
%% neighbours, so they are not one to one by themselves.
elements(As, Bs) ->
    lists:append([case is_character(A) andalso is_character(B) of
                      true -> [];
                      false -> pair(A, B)
                  end || {A, B} <- lists:zip(As, Bs)]).

node({atom, A}, {atom, B}) -> [{node, A, B}].

sign(I) -> I < 0.
bits(I) -> length(integer_to_list(abs(I), 2)).
is_character(C) -> is_integer(C) andalso C >= 0 andalso C =< 16#10FFFF.
num_chars(Text) -> length(unicode:characters_to_list(Text)).
is_node(Text) -> binary:match(Text, <<"@">>) =/= nomatch.
is_address(Es) ->
    lists:all(fun is_integer/1, Es) andalso
        (length(Es) =:= 4 andalso lists:all(fun(E) -> E >= 0 andalso E < 256 end, Es) orelse
         length(Es) =:= 8 andalso lists:all(fun(E) -> E >= 0 andalso E < 65536 end, Es)).

%% shape(Term): a term without its values.
shape(A) when is_integer(A) -> {integer, sign(A), bits(A)};
shape({float, A}) -> {float, A bsr 52};
shape(A) when is_bitstring(A) -> {bits, bit_size(A)};
shape({atom, A}) -> case is_node(A) of true -> node; false -> {atom, num_chars(A)} end;
shape({tuple, As}) ->
    case is_address(As) of
        true -> {address, length(As)};
        false -> {tuple, [shape(A) || A <- As]}
    end;
shape(A) when is_list(A) -> [case is_character(E) of true -> character; _ -> shape(E) end || E <- A];
shape({improper, As, Tail}) -> {improper, shape(As ++ [Tail])};
shape(A) when is_map(A) -> {map, lists:sort([{shape(K), shape(V)} || {K, V} <- maps:to_list(A)])};
shape({pid, _, Id, Serial, Creation}) -> {pid, Id, Serial, Creation};
shape({port, _, Id, Creation}) -> {port, Id, Creation};
shape({ref, _, Creation, Words}) -> {ref, Creation, Words};
shape({export, M, F, A}) -> {export, shape(M), shape(F), A};
shape({'fun', M, A, I, _, _, _, P, Free}) -> {'fun', shape(M), A, I, shape(P), shape({tuple, Free})};
shape({record, Flags, M, N, Fields}) ->
    {record, Flags, shape(M), shape(N), [{shape(K), shape(V)} || {K, V} <- Fields]};
shape({local, _, _}) -> local.

-spec differ(term(), term()) -> no_return().
differ(A, B) -> records:fail("~tP is not of the shape of ~tP", [B, 40, A, 40]).
