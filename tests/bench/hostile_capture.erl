%% hostile_capture KIND FILE: a capture of what costs a reader most for its size, from one connection:
%%     compressed  terms of zeros, small integers, denormal floats, large integers, empty lists and
%%                 unprintable text, as large as may be, within a second
%%     atoms       lists of references to one long atom of the cache
%%     numbers     denormal floats and large integers as they are
%%     growing     lists of such references, with pauses, so that each of them is written out
%%     megabytes   messages of not quite a megabyte, of bytes that are no text
%%     binary      a message as large as may be, of bytes that are no text
-module(hostile_capture).
-export([main/1]).

main([Kind, File]) ->
    ok = pcap_maker:write(File, [{0, Frame} || Frame <- frames(Kind)]),
    halt().

frames("compressed") ->
    [frame(T) || _ <- lists:seq(1, 3), T <- compressed()];
frames("atoms") ->
    define_atom() ++ [refer_to_atom(N) || N <- [16_000, 16_000, 100_000, 100_000]];
frames("growing") ->
    Pause = lists:duplicate(400, <<0:32>>), % ticks, a millisecond each
    define_atom() ++ lists:append([[refer_to_atom(16_000) | Pause] || _ <- lists:seq(1, 80)]);
frames("megabytes") ->
    [bytes(1_000_000) || _ <- lists:seq(1, 80)];
frames("numbers") ->
    [frame(<<131, T/binary>>) || T <- numbers(2_000_000)];
frames("binary") ->
    [bytes(16#1000000 - 100)]. % as large as a message may be

%% Four characters of text for each byte.
bytes(Size) -> frame(<<131, 109, Size:32, (binary:copy(<<200>>, Size))/binary>>).

frame(Payload) -> pcap_maker:frame(control(), Payload).

control() -> term_to_binary({6, binary_to_term(pcap_maker:pid(0, 9)), '', server}).

%% An atom of 255 characters of four bytes goes into slot 0 of the cache; each reference to it takes
%% two bytes.
define_atom() ->
    Text = binary:copy(<<16#10348/utf8>>, 255),
    <<131, Control/binary>> = control(),
    [sized(<<131, 68, 1, 16#18, 0, (byte_size(Text)):16, Text/binary, Control/binary, 82, 0>>)].

refer_to_atom(Num) ->
    <<131, Control/binary>> = control(),
    sized(<<131, 68, 1, 16#00, 0, Control/binary, 108, Num:32,
            (binary:copy(<<82, 0>>, Num))/binary, 106>>).

sized(Bytes) -> <<(byte_size(Bytes)):32, Bytes/binary>>.

%% Without compression: denormal floats, and integers of thousands of digits.
numbers(Most) ->
    [list(<<70, 1:64>>, Most), list(<<111, 2048:32, 0, (binary:copy(<<255>>, 2048))/binary>>, Most),
     <<111, Most:32, 1, (binary:copy(<<255>>, Most))/binary>>].

compressed() ->
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
