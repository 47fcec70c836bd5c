%% hostile_capture FILE: a capture of what costs a reader most for its size: compressed terms of zeros,
%% small integers, denormal floats, large integers, empty lists and unprintable text, as large as
%% may be, from one connection, within a second.
-module(hostile_capture).
-export([main/1]).

main([File]) ->
    Control = term_to_binary({6, binary_to_term(pcap_maker:pid(0, 9)), '', server}),
    ok = pcap_maker:write(File, [{0, pcap_maker:frame(Control, T)} || _ <- lists:seq(1, 3),
                                                                      T <- terms()]),
    halt().

terms() ->
    Most = 4_000_000,
    [compressed(T) || T <- [list(<<70, 1:64>>, Most), list(<<70, 16#3ff3ae147ae147ae:64>>, Most),
                            list(<<110, 8, 0, (1 bsl 64 - 1):64>>, Most),
                            list(<<111, 2048:32, 0, (binary:copy(<<255>>, 2048))/binary>>, Most),
                            list(<<97, 255>>, Most), list(<<106>>, Most),
                            <<109, Most:32, 0:Most/unit:8>>,
                            <<109, Most:32, (binary:copy(<<7>>, Most))/binary>>,
                            list(<<107, 1000:16, (binary:copy(<<173>>, 1000))/binary>>, Most)]].

list(Element, Most) ->
    Num = Most div byte_size(Element),
    <<108, Num:32, (binary:copy(Element, Num))/binary, 106>>.

compressed(Term) -> <<131, 80, (byte_size(Term)):32, (zlib:compress(Term))/binary>>.
