%% large_terms DIR KIND ...: DIR/KIND.pcap, a capture of a message of a few bytes and of one nearly as
%% large as a message may be, of what takes longest or most memory to be written or redacted: many
%% small terms of a kind, much of one, or nesting that does not end. No node would send the most of
%% it.
-module(large_terms).
-export([main/1]).

-define(MOST, 15_500_000).

main([Dir | Kinds]) ->
    [ok = pcap_maker:write(filename:join(Dir, Kind ++ ".pcap"),
                           [{0, frame(<<100, 5:16, "small">>)} | frames(Kind)]) || Kind <- Kinds],
    halt().

frames("cached_atoms") ->
    Text = binary:copy(<<"a">>, 30),
    [{0, header(<<1, 16#08, 0, (byte_size(Text)), Text/binary>>, <<106>>)},
     {0, header(<<1, 16#00, 0>>, list(<<82, 0>>))}];
frames(Kind) ->
    [{0, frame(term(Kind))}].

%% Many of one kind.
term("small_maps") -> list(<<116, 2:32, 97, 1, 97, 2, 97, 3, 97, 4>>);
term("structs") -> list(<<116, 1:32, 119, 10, "__struct__", 119, 8, "Elixir.S">>);
term("floats") -> list(<<70, 1.23:64/float>>);
term("integers") -> list(<<111, 2048:32, 0, (binary:copy(<<255>>, 2048))/binary>>);
term("characters") -> list(<<97, $a>>);
term("wide_characters") -> list(<<98, 16#10348:32>>);
term("strings") -> list(<<107, 1000:16, (binary:copy(<<173>>, 1000))/binary>>);
term("tuples") -> list(<<104, 1, 106>>);
term("pids") -> <<131, Pid/binary>> = pcap_maker:pid(0, 9), list(Pid);
term("funs") -> <<131, Fun/binary>> = term_to_binary(fun(X) -> X end), list(Fun);
term("atoms") ->
    Num = ?MOST div 10,
    <<108, Num:32, <<<<119, 8, (integer_to_binary(10_000_000 + I))/binary>>
                     || I <- lists:seq(1, Num)>>/binary, 106>>;
term("nodes") -> list(<<119, 9, "a@1.2.3.4">>);
term("addresses") -> list(<<104, 4, 97, 10, 97, 1, 97, 2, 97, 3>>);
%% Much of one.
term("integer") -> <<111, ?MOST:32, 1, (binary:copy(<<255>>, ?MOST))/binary>>;
term("bytes") -> <<109, ?MOST:32, (binary:copy(<<200>>, ?MOST))/binary>>;
term("text") -> <<109, ?MOST:32, (binary:copy(<<"a">>, ?MOST))/binary>>;
term("spaces") -> <<109, ?MOST:32, (binary:copy(<<" ">>, ?MOST))/binary>>;
term("bits") -> <<77, ?MOST:32, 3, (binary:copy(<<200>>, ?MOST))/binary>>;
term("local") ->
    Num = ?MOST div 2,
    <<121, 1, 2, 3, 4, 105, Num:32, (binary:copy(<<97, 1>>, Num))/binary>>;
term("map") ->
    Num = ?MOST div 6,
    <<116, Num:32, <<<<98, I:32, 106>> || I <- lists:seq(1, Num)>>/binary>>;
term("small_maps_of_one_key") -> list(<<116, 2:32, 97, 1, 106, 97, 1, 106>>);
term("old_pids") -> list(<<103, 119, 13, "nonode@nohost", 99_999:32, 99_999:32, 0>>);
term("map_of_one_key") ->
    Num = ?MOST div 3,
    <<116, Num:32, (binary:copy(<<97, 1, 106>>, Num))/binary>>;
%% Nesting: in the last place, where it may be for free, and in the first one.
term("deep_tuples") -> deep(<<104, 1>>, <<>>);
term("deep_first") -> deep(<<104, 2>>, <<106>>);
term("deep_lists") -> deep(<<108, 1:32>>, <<106>>);
term("deep_maps") -> deep(<<116, 2:32, 97, 1, 106, 97, 2>>, <<>>);
term("deep_maps_first") -> deep(<<116, 2:32, 97, 1>>, <<97, 2, 106>>);
term("deep_maps_of_one_key") -> deep(<<116, 2:32, 97, 1, 106, 97, 1>>, <<>>);
term("deep_records") -> deep(<<67, 1:32, 0, 119, 1, "m", 119, 1, "n", 119, 1, "f">>, <<>>);
term("deep_funs") ->
    Free = ?MOST,
    <<131, Fun/binary>> = term_to_binary(fun() -> Free end),
    deep(binary:part(Fun, 0, byte_size(Fun) - 5), <<>>);
term("map_in_deep_tuples") -> deep(<<104, 1>>, <<>>, <<116, 2:32, 97, 1, 106, 97, 2, 106>>).

list(Element) ->
    Num = ?MOST div byte_size(Element),
    <<108, Num:32, (binary:copy(Element, Num))/binary, 106>>.

deep(Before, After) -> deep(Before, After, <<106>>).

deep(Before, After, Innermost) ->
    Num = ?MOST div (byte_size(Before) + byte_size(After)),
    <<(binary:copy(Before, Num))/binary, Innermost/binary, (binary:copy(After, Num))/binary>>.

control() -> term_to_binary({6, binary_to_term(pcap_maker:pid(0, 9)), '', server}).

frame(Term) -> pcap_maker:frame(control(), <<131, Term/binary>>).

%% With a header of the atom cache: Header is what comes after its tag.
header(Header, Term) ->
    <<131, Control/binary>> = control(),
    Bytes = <<131, 68, Header/binary, Control/binary, Term/binary>>,
    <<(byte_size(Bytes)):32, Bytes/binary>>.
