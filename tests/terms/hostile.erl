%% Terms that no node would send, or that not all nodes can read: encodings that a hostile peer can
%% send. Some are terms for distsniff and invalid for binary_to_term/1.
-module(hostile).
-export([made/0, mutants/2]).

made() ->
    Node = atom(<<"a@h">>),
    Own = atom(<<"nonode@nohost">>),
    Most = 16#ffffffff,
    Pid = <<103, Node/binary, 90:32, 0:32, 1>>,
    maps() ++
    [<<131, Term/binary>>
     || Term <- [%% creations and words that are too large for their old tags
                 <<103, Node/binary, 90:32, 0:32, 4>>, <<103, Node/binary, 90:32, 0:32, 255>>,
                 <<102, Node/binary, 7:32, 4>>, <<101, Node/binary, 5:32, 4>>,
                 <<101, Node/binary, Most:32, 1>>, <<114, 1:16, Node/binary, 1, Most:32>>,
                 <<114, 3:16, Node/binary, 9, 1:32, 2:32, 3:32>>, <<114, 0:16, Node/binary, 1>>,
                 <<90, 0:16, Node/binary, 1:32>>,
                 <<90, 5:16, Node/binary, 1:32, Most:32, Most:32, Most:32, Most:32, Most:32>>,
                 %% identifiers that claim to be the reader's own
                 <<88, Own/binary, Most:32, Most:32, 0:32>>, <<88, Own/binary, 85:32, 0:32, 0:32>>,
                 <<89, Own/binary, Most:32, 0:32>>, <<120, Own/binary, -1:64, 0:32>>,
                 <<90, 3:16, Own/binary, 0:32, Most:32, 1:32, 1:32>>,
                 <<90, 5:16, Own/binary, 0:32, 1:32, 1:32, 1:32, 1:32, 1:32>>,
                 <<103, Own/binary, Most:32, 0:32, 0>>, <<90, 0:16, Own/binary, 0:32>>,
                 <<88, (atom(<<>>))/binary, 1:32, 2:32, 3:32>>,
                 %% old kinds of funs, with such a pid in them
                 <<117, 0:32, Pid/binary, (atom(<<"m">>))/binary, 97, 3, 98, 5:32>>,
                 <<117, 2:32, Pid/binary, (atom(<<"m">>))/binary, 97, 3, 98, -5:32,
                   Pid/binary, 106>>,
                 new_fun(<<103, Node/binary, 90:32, 0:32, 4>>, [Pid, <<97, 1>>]),
                 new_fun(<<88, Own/binary, Most:32, 0:32, 0:32>>, []),
                 new_fun(<<88, Node/binary, 90:32, 0:32, 4:32>>, [map([{<<97, 1>>, <<106>>},
                                                                      {<<97, 1>>, <<106>>}])]),
                 %% integers
                 big(2048, 0), big(2049, 1), <<110, 0, 1>>, <<111, 0:32, 1>>,
                 <<110, 3, 1, 0, 0, 0>>,
                 %% names
                 atom(<<>>), atom(<<0>>), atom(binary:copy(<<16#1F600/utf8>>, 255)),
                 atom(binary:copy(<<16#1F600/utf8>>, 256)), atom(binary:copy(<<"a">>, 256)),
                 atom(<<255>>), atom(<<16#ed, 16#a0, 16#80>>), atom(<<16#c0, 16#80>>),
                 atom(<<16#ef, 16#bf, 16#bf>>), <<100, 256:16, (binary:copy(<<"a">>, 256))/binary>>,
                 <<100, 255:16, (binary:copy(<<233>>, 255))/binary>>,
                 %% floats
                 <<70, -1:64>>, <<70, 16#7ff0000000000000:64>>, <<70, 16#8000000000000000:64>>,
                 <<99, "1.0", 0:216, 1>>, <<99, "1e400", 0:208>>, <<99, "nan", 0:224>>,
                 <<99, "9.9e999", 0:192>>, <<99, " 1.0", 0:216>>, <<99, "-1.5E+3", 0:192>>,
                 %% bits
                 <<77, 0:32, 1>>, <<77, 1:32, 0, 1>>, <<77, 1:32, 9, 1>>, <<77, 2:32, 3, 255, 255>>,
                 %% bytes that claim that more follow
                 <<108, Most:32, 97, 1>>, <<104, 255>>, <<105, Most:32>>, <<116, Most:32>>,
                 <<109, Most:32, 0>>, <<107, 65535:16>>, <<111, Most:32, 0, 1>>,
                 <<117, Most:32, Pid/binary, (atom(<<"m">>))/binary, 97, 3, 98, 5:32>>,
                 %% opaque terms, which may contain anything
                 <<121, 1:32, 88, 106, 1:32, 2:32, 3:32>>, <<121, 0:32, (map(twice()))/binary>>,
                 <<67, 2:32, 1, (atom(<<"m">>))/binary, (atom(<<"r">>))/binary,
                   (atom(<<"x">>))/binary, (atom(<<"x">>))/binary, 97, 1, (map(twice()))/binary>>,
                 <<80, 5:32, 1, 2, 3>>, <<68, 0>>, <<0>>, <<255>>, <<>>]].

%% Maps with a duplicate key: with any encodings of the key, nested, beside valid maps, as keys.
maps() ->
    Big = <<110, 20, 0, 1, 0:152>>,
    Latin1 = <<100, 1:16, 233>>,
    Plain = map([{<<97, 1>>, <<106>>}, {<<97, 2>>, <<106>>}]),
    Turned = map([{<<97, 2>>, <<106>>}, {<<98, 1:32>>, <<106>>}]),
    Twice = map(twice()),
    Pairs = [{<<97, 1>>, <<98, 1:32>>}, {<<97, 1>>, <<110, 1, 0, 1>>}, {<<97, 1>>, Big},
             {<<97, 1>>, <<111, 2:32, 0, 1, 0>>}, {Latin1, atom(<<"é"/utf8>>)},
             {<<115, 1, $x>>, atom(<<"x">>)}, {<<107, 2:16, "ab">>, <<108, 2:32, 97, $a, 97, $b, 106>>},
             {<<107, 2:16, "ab">>, <<108, 1:32, 97, $a, 107, 1:16, "b">>},
             {<<107, 2:16, "ab">>, <<108, 1:32, 97, $a, 108, 1:32, 97, $b, 108, 0:32, 106>>},
             {<<107, 0:16>>, <<106>>}, {<<108, 0:32, 106>>, <<106>>}, {<<108, 0:32, 97, 1>>, <<97, 1>>},
             {<<109, 1:32, "x">>, <<77, 1:32, 8, "x">>}, {<<77, 1:32, 1, 128>>, <<77, 1:32, 1, 255>>},
             {<<104, 0>>, <<105, 0:32>>}, {<<104, 1, 97, 1>>, <<105, 1:32, 98, 1:32>>},
             {<<116, 0:32>>, <<116, 0:32>>}, {Plain, Turned}, {Twice, Twice},
             {<<70, 1.5/float>>, <<99, "1.5", 0:224>>}, {<<70, 0:64>>, <<70, 0:64>>},
             {<<88, 119, 1, "n", 1:32, 2:32, 3:32>>, <<103, 119, 1, "n", 1:32, 2:32, 3>>},
             {<<113, 119, 1, "m", 119, 1, "f", 97, 1>>, <<113, 118, 1:16, "m", 119, 1, "f", 97, 1>>}],
    %% Duplicates for the older nodes only, and for none.
    Zeros = [{<<70, 0.0/float>>, <<106>>}, {<<70, 1:1, 0:63>>, <<106>>}],
    Different = [{<<97, 1>>, <<70, 1.0/float>>}, {<<104, 0>>, <<116, 0:32>>}, {<<104, 0>>, <<106>>},
                 {<<104, 1, 106>>, <<108, 1:32, 106, 106>>}, {<<106>>, <<109, 0:32>>},
                 {atom(<<"a">>), <<107, 1:16, "a">>}, {<<109, 1:32, "a">>, <<107, 1:16, "a">>},
                 {Plain, map([{<<97, 1>>, <<97, 2>>}, {<<97, 2>>, <<106>>}])},
                 {<<108, 1:32, 97, 1, 97, 2>>, <<108, 2:32, 97, 1, 97, 2, 106>>}],
    Deep = lists:foldl(fun(_, T) -> map([{T, <<106>>}]) end, Twice, lists:seq(1, 300)),
    Many = [{<<98, N:32>>, <<106>>} || N <- lists:seq(1, 1000)],
    [<<131, T/binary>>
     || T <- [map([{A, <<106>>}, {B, <<97, 1>>}]) || {A, B} <- Pairs ++ Different] ++
             [map(Zeros), Deep, map(Many), map(Many ++ [{<<98, 500:32>>, <<97, 0>>}]),
              <<108, 2:32, Twice/binary, Plain/binary, Twice/binary>>,
              map([{<<97, N>>, Twice} || N <- [1, 2, 1]]),
              map([{atom(<<"a">>), <<97, 1>>}, {atom(<<"a">>), <<97, 2>>}]),
              map([{atom(<<"$damaged">>), <<97, 1>>}, {<<255>>, <<106>>}]),
              map([{<<97, 1>>, <<97, 1>>}, {<<97, 1>>, <<255>>}, {<<97, 2>>, <<106>>}])]].

twice() -> [{<<97, 1>>, atom(<<"one">>)}, {<<97, 1>>, atom(<<"other">>)}].

map(Pairs) -> iolist_to_binary([<<116, (length(Pairs)):32>>, [[K, V] || {K, V} <- Pairs]]).

atom(Text) when byte_size(Text) < 256 -> <<119, (byte_size(Text)), Text/binary>>;
atom(Text) -> <<118, (byte_size(Text)):16, Text/binary>>.

big(Len, Sign) -> <<111, Len:32, Sign, 1:(8 * Len)/little>>.

new_fun(Pid, Free) ->
    Rest = iolist_to_binary([<<2, 7:128, 3:32, (length(Free)):32, 119, 1, "m", 97, 3, 98, 12345:32>>,
                             Pid, Free]),
    <<112, (byte_size(Rest) + 4):32, Rest/binary>>.

%% mutants(Num, Encoded): Num of them, each with one changed byte.
mutants(Num, Encoded) ->
    Table = list_to_tuple(Encoded),
    [mutant(element(rand:uniform(tuple_size(Table)), Table)) || _ <- lists:seq(1, Num)].

mutant(<<131, Term/binary>>) ->
    At = rand:uniform(byte_size(Term)) - 1,
    <<Head:At/binary, Byte, Tail/binary>> = Term,
    Other = case rand:uniform(3) of
        1 -> Byte bxor (1 bsl (rand:uniform(8) - 1));
        2 -> rand:uniform(256) - 1;
        3 -> 66 + rand:uniform(55)
    end,
    <<131, Head/binary, Other, Tail/binary>>.
