%% The external term format, read as its documentation describes it, into plain data. Both sides of
%% every comparison use it, so that the terms of any release can be compared on any other: atoms,
%% pids, references, ports, funs and native records become tagged tuples.
-module(etf).
-export([decode/1, from_term/1, matches/2, text/1]).

%% decode(Bin): the term in a binary that begins with 131.
decode(<<131, 80, _:32, Deflated/binary>>) ->
    decode(<<131, (zlib:uncompress(Deflated))/binary>>);
decode(<<131, Bin/binary>>) ->
    {Term, <<>>} = term(Bin),
    Term.

%% from_term(Term): the same for a term of this node.
from_term(Term) ->
    decode(term_to_binary(Term, [{minor_version, 2}])).

term(<<97, I, R/binary>>) -> {I, R};
term(<<98, I:32/signed, R/binary>>) -> {I, R};
term(<<110, N, Sign, D:N/binary, R/binary>>) -> {big(Sign, D), R};
term(<<111, N:32, Sign, D:N/binary, R/binary>>) -> {big(Sign, D), R};
term(<<70, F:64, R/binary>>) -> {{float, F}, R};
term(<<99, F:31/binary, R/binary>>) ->
    [Text | _] = binary:split(F, <<0>>),
    <<Bits:64>> = <<(binary_to_float(Text)):64/float>>,
    {{float, Bits}, R};
term(<<100, N:16, A:N/binary, R/binary>>) -> {{atom, utf8(A)}, R};
term(<<115, N, A:N/binary, R/binary>>) -> {{atom, utf8(A)}, R};
term(<<118, N:16, A:N/binary, R/binary>>) -> {{atom, A}, R};
term(<<119, N, A:N/binary, R/binary>>) -> {{atom, A}, R};
term(<<109, N:32, B:N/binary, R/binary>>) -> {B, R};
term(<<77, N:32, Bits, B:N/binary, R/binary>>) ->
    Len = (N - 1) * 8 + Bits,
    <<Used:Len/bitstring, _/bitstring>> = B,
    {Used, R};
term(<<106, R/binary>>) -> {[], R};
term(<<107, N:16, B:N/binary, R/binary>>) -> {binary_to_list(B), R};
term(<<108, N:32, B/binary>>) ->
    {Items, B1} = terms(N, B),
    {Tail, R} = term(B1),
    {case Tail of [] -> Items; _ when is_list(Tail) -> Items ++ Tail;
         _ -> {improper, Items, Tail} end, R};
term(<<104, N, B/binary>>) -> tuple(N, B);
term(<<105, N:32, B/binary>>) -> tuple(N, B);
term(<<116, N:32, B/binary>>) ->
    {Items, R} = terms(2 * N, B),
    {maps:from_list(pairs(Items)), R};
term(<<88, B/binary>>) ->
    {Node, <<Id:32, Serial:32, Creation:32, R/binary>>} = term(B),
    {{pid, Node, Id, Serial, Creation}, R};
term(<<103, B/binary>>) ->
    {Node, <<Id:32, Serial:32, Creation, R/binary>>} = term(B),
    {{pid, Node, Id, Serial, Creation}, R};
term(<<120, B/binary>>) ->
    {Node, <<Id:64, Creation:32, R/binary>>} = term(B),
    {{port, Node, Id, Creation}, R};
term(<<89, B/binary>>) ->
    {Node, <<Id:32, Creation:32, R/binary>>} = term(B),
    {{port, Node, Id, Creation}, R};
term(<<102, B/binary>>) ->
    {Node, <<Id:32, Creation, R/binary>>} = term(B),
    {{port, Node, Id, Creation}, R};
term(<<90, N:16, B/binary>>) ->
    {Node, <<Creation:32, Words:(4 * N)/binary, R/binary>>} = term(B),
    {{ref, Node, Creation, [W || <<W:32>> <= Words]}, R};
term(<<114, N:16, B/binary>>) ->
    {Node, <<Creation, Words:(4 * N)/binary, R/binary>>} = term(B),
    {{ref, Node, Creation, [W || <<W:32>> <= Words]}, R};
term(<<101, B/binary>>) ->
    {Node, <<Word:32, Creation, R/binary>>} = term(B),
    {{ref, Node, Creation, [Word]}, R};
term(<<113, B/binary>>) ->
    {[M, F, A], R} = terms(3, B),
    {{export, M, F, A}, R};
term(<<112, Size:32, Body:(Size - 4)/binary, R/binary>>) ->
    <<Arity, Uniq:16/binary, Index:32, NumFree:32, B/binary>> = Body,
    {[Module, OldIndex, OldUniq, Pid | Free], <<>>} = terms(4 + NumFree, B),
    {{'fun', Module, Arity, Index, Uniq, OldIndex, OldUniq, Pid, Free}, R};
term(<<117, NumFree:32, B/binary>>) ->
    {[Pid, Module, Index, Uniq | Free], R} = terms(4 + NumFree, B),
    {{'fun', Module, undefined, Index, undefined, Index, Uniq, Pid, Free}, R};
term(<<67, N:32, Flags, B/binary>>) ->
    {[Module, Name | Fields], B1} = terms(2 + N, B),
    {Values, R} = terms(N, B1),
    {{record, Flags, Module, Name, lists:zip(Fields, Values)}, R};
term(<<121, Hash:32, B/binary>>) ->
    {Term, R} = term(B),
    {{local, Hash, Term}, R}.

terms(N, Bin) -> terms(N, Bin, []).

terms(0, Bin, Acc) -> {lists:reverse(Acc), Bin};
terms(N, Bin, Acc) ->
    {Term, R} = term(Bin),
    terms(N - 1, R, [Term | Acc]).

tuple(N, Bin) ->
    {Items, R} = terms(N, Bin),
    {{tuple, Items}, R}.

pairs([K, V | More]) -> [{K, V} | pairs(More)];
pairs([]) -> [].

big(Sign, Digits) ->
    N = binary:decode_unsigned(Digits, little),
    case Sign of 0 -> N; 1 -> -N end.

utf8(Latin1) -> unicode:characters_to_binary(Latin1, latin1).

%% text(Term): a decoded pid, reference, port, atom or integer as distsniff writes it.
text({pid, {atom, Node}, Id, Serial, _}) ->
    unicode:characters_to_binary(io_lib:format("<~ts.~b.~b>", [Node, Id, Serial]));
text({ref, {atom, Node}, _, Words}) ->
    Printed = lists:join(".", [integer_to_list(W) || W <- lists:reverse(Words)]),
    unicode:characters_to_binary(io_lib:format("#Ref<~ts.~s>", [Node, Printed]));
text({port, {atom, Node}, Id, _}) ->
    unicode:characters_to_binary(io_lib:format("#Port<~ts.~b>", [Node, Id]));
text({atom, Text}) ->
    unicode:characters_to_binary(io_lib:format("~tp", [binary_to_atom(Text)]));
text(I) when is_integer(I) ->
    integer_to_binary(I).

%% matches(Seen, Sent): equal, except that an unknown atom in Seen matches any.
matches(Same, Same) -> true;
matches({atom, <<"?atom:", _/binary>>}, {atom, _}) -> true;
matches([A | As], [B | Bs]) -> matches(A, B) andalso matches(As, Bs);
matches(A, B) when is_tuple(A), is_tuple(B) -> matches(tuple_to_list(A), tuple_to_list(B));
matches(A, B) when is_map(A), is_map(B), map_size(A) =:= map_size(B) ->
    %% Keys that are unknown atoms may be in another order.
    lists:all(fun(Pair) -> lists:any(fun(Other) -> matches(Pair, Other) end, maps:to_list(B)) end,
              maps:to_list(A));
matches(_, _) -> false.
