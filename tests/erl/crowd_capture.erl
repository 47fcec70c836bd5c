%% crowd_capture DIR KIND ...: DIR/KIND.pcap, a capture of very many of one thing, each as large as it
%% may be and none of which ever ends, so that a reader who kept all of them would need hundreds
%% of megabytes:
%%     silent    connections that are opened, and say nothing
%%     nodes     connections of nodes with long names, of which each says one thing
%%     books     nodes that send as many long atoms as their connections' caches have room for
%%     named     processes with long names
%%     calls     requests of some size that nobody answers
%%     monitors  monitors by long names
%%     held      connections in which a segment is missing
%%     parts     messages of which the last fragment never comes
%%     pieces    IP packets of which a fragment is missing
%%     epmd      registrations of long names
%%     shapes    messages and calls of which no two look alike
%%     hellos    connections that speak TLS as far as their servers' certificates
-module(crowd_capture).
-export([main/1]).

main([Dir | Kinds]) ->
    [make(filename:join(Dir, Kind ++ ".pcap"), Kind) || Kind <- Kinds],
    halt().

make(File, Kind) ->
    {ok, Out} = file:open(File, [raw, write, {delayed_write, 1_000_000, 1000}]),
    ok = file:write(Out, <<16#a1b2c3d4:32, 2:16, 4:16, 0:64, 16#ffffffff:32, 1:32>>),
    put(out, Out),
    put(number, 0),
    kind(Kind),
    ok = file:close(Out).

kind("silent") ->
    each(40_000, fun(N) -> open(N, port(N)) end);
kind("nodes") ->
    each(20_000, fun(N) ->
                         open(N, port(N)),
                         [say(N, Side, B) || {Side, B} <- handshake(long("a", N), long("b", N))],
                         say(N, 0, message(N, 1, <<106>>))
                 end);
kind("books") ->
    each(300, fun(N) ->
                      open(N, port(N)),
                      [say(N, Side, B) || {Side, B} <- handshake(long("a", N), long("b", N))],
                      each(8, fun(Segment) ->
                                      each(16, fun(Part) -> say(N, 0, atoms(N, Segment - 1, Part - 1)) end)
                              end)
              end);
kind("named") ->
    pair(),
    each(100_000, fun(N) -> say(1, 0, named(N)), say(1, 1, answered(N)) end);
kind("calls") ->
    pair(),
    each(70_000, fun(N) -> say(1, 0, call(N, binary:copy(<<N:32>>, 500))) end);
kind("monitors") ->
    pair(),
    each(70_000, fun(N) -> say(1, 0, monitor_of(N)) end);
kind("held") ->
    each(4000, fun(N) ->
                       open(N, port(N)),
                       [say(N, Side, B) || {Side, B} <- handshake(long("a", N), long("b", N))],
                       skip(N, 0, 1),
                       say(N, 0, binary:copy(<<N:32>>, 10_000))
               end);
kind("parts") ->
    each(200, fun(N) ->
                      open(N, port(N)),
                      [say(N, Side, B) || {Side, B} <- handshake(long("a", N), long("b", N))],
                      each(100, fun(I) -> say(N, 0, first_part(I)) end)
              end);
kind("pieces") ->
    each(40_000, fun(N) -> packet(ip(N, 16#2000, 17, hosts(0), binary:copy(<<N:32>>, 350))) end);
kind("epmd") ->
    each(20_000, fun(N) ->
                         open(N, 4369),
                         Name = long("n", N),
                         Extra = binary:copy(<<N:32>>, 200),
                         Req = <<120, (port(N)):16, 77, 0, 6:16, 5:16, (byte_size(Name)):16, Name/binary,
                                 (byte_size(Extra)):16, Extra/binary>>,
                         say(N, 0, <<(byte_size(Req)):16, Req/binary>>),
                         say(N, 1, <<118, 0, N:32>>)
                 end);
kind("shapes") ->
    pair(),
    each(20_000, fun(N) ->
                         Name = long("s", N),
                         say(1, 0, message(N, 1, <<104, 2, 119, (byte_size(Name)), Name/binary, 97, 1>>)),
                         say(1, 0, call(N, Name)),
                         say(1, 1, reply(N))
                 end);
kind("hellos") ->
    each(20_000, fun(N) ->
                         open(N, port(N)),
                         say(N, 0, record(hello(N))),
                         say(N, 1, record(hello(N))),
                         say(N, 1, record(<<11, 15_000:24, (binary:copy(<<1>>, 10_000))/binary>>))
                 end).

each(Num, Fun) -> lists:foreach(Fun, lists:seq(1, Num)).

port(N) -> 9100 + N div 20_000.

%% What is said

pair() ->
    open(1, 9100),
    [say(1, Side, B) || {Side, B} <- handshake(<<"alice@made">>, <<"bob@made">>)].

%% A text of 250 bytes.
long(Begin, N) ->
    Text = iolist_to_binary([Begin, integer_to_list(N), "@"]),
    <<Text/binary, (binary:copy(<<"x">>, 250 - byte_size(Text)))/binary>>.

-define(FLAGS, 16#d07df7fbd).

handshake(Alice, Bob) ->
    Name = fun(Text) -> <<77:32, (byte_size(Text)):16, Text/binary>> end,
    [{Side, <<(byte_size(Step)):16, Step/binary>>}
     || {Side, Step} <- [{0, <<$N, ?FLAGS:64, (Name(Alice))/binary>>}, {1, <<"sok">>},
                         {1, <<$N, ?FLAGS:64, 1:32, (Name(Bob))/binary>>},
                         {0, <<$r, 2:32, 0:128>>}, {1, <<$a, 0:128>>}]].

atom(Text) -> <<119, (byte_size(Text)), Text/binary>>.
pid(Node, Id) -> <<88, (atom(Node))/binary, Id:32, 0:32, 77:32>>.
ref(Node, Id) -> <<90, 3:16, (atom(Node))/binary, 77:32, Id:32, 0:32, 0:32>>.
tuple(Terms) -> iolist_to_binary([104, length(Terms) | Terms]).

frame(Terms) ->
    Bytes = iolist_to_binary([<<131, 68, 0>> | Terms]),
    <<(byte_size(Bytes)):32, Bytes/binary>>.

%% {6, From, '', ToName} and {22, From, To}.
reg_send(From, To, Payload) ->
    frame([tuple([<<97, 6>>, pid(<<"alice@made">>, From), atom(<<>>), atom(To)]), Payload]).
send_sender(From, To, Payload) ->
    frame([tuple([<<97, 22>>, pid(<<"bob@made">>, From), pid(<<"alice@made">>, To)]), Payload]).

message(N, To, Payload) -> reg_send(N, <<"server", To>>, Payload).

gen_call(N, To, Request) ->
    Tag = ref(<<"alice@made">>, N),
    reg_send(1, To, tuple([atom(<<"$gen_call">>), tuple([pid(<<"alice@made">>, 1), Tag]), Request])).
call(N, Bytes) -> gen_call(N, <<"server">>, <<109, (byte_size(Bytes)):32, Bytes/binary>>).
reply(N) -> send_sender(5, 1, tuple([ref(<<"alice@made">>, N), atom(<<"ok">>)])).

%% Who answers a call to a name has it.
named(N) -> gen_call(N, long("name", N), <<106>>).
answered(N) -> send_sender(N, 1, tuple([ref(<<"alice@made">>, N), atom(<<"ok">>)])).

monitor_of(N) ->
    frame([tuple([<<97, 19>>, pid(<<"alice@made">>, N), atom(long("m", N)), ref(<<"alice@made">>, N)])]).

%% A first fragment of two.
first_part(I) ->
    Control = tuple([<<97, 6>>, pid(<<"alice@made">>, 1), atom(<<>>), atom(<<"server">>)]),
    Bytes = <<131, 69, I:64, 2:64, 0, Control/binary, 109, 60_000:32, 0:(10_000 * 8)>>,
    <<(byte_size(Bytes)):32, Bytes/binary>>.

%% A header that defines 16 atoms of a segment of the cache: a nibble of flags for each, the last for
%% the header itself.
atoms(N, Segment, Part) ->
    Flags = binary:copy(<<(8 bor Segment):4, (8 bor Segment):4>>, 8),
    Refs = [begin
                Slot = Part * 16 + I,
                Text = long([$a + Segment], (N * 256 + Slot)),
                <<Slot, (byte_size(Text)), Text/binary>>
            end || I <- lists:seq(0, 15)],
    Control = tuple([<<97, 6>>, pid(<<"alice@made">>, 1), atom(<<>>), <<82, 0>>]),
    Bytes = iolist_to_binary([<<131, 68, 16, Flags/binary, 0>>, Refs, Control, 106]),
    <<(byte_size(Bytes)):32, Bytes/binary>>.

record(Bytes) -> <<22, 3, 3, (byte_size(Bytes)):16, Bytes/binary>>.

hello(N) ->
    Body = <<3, 3, N:256, 0, 2:16, 16#c02f:16, 1, 0>>,
    <<1, (byte_size(Body)):24, Body/binary>>.

%% How it is sent

open(N, Port) ->
    put(N, {Port, 1001, 5001}),
    packet(tcp(N, Port, 0, 1000, 0, 2, <<>>)),
    packet(tcp(N, Port, 1, 5000, 1001, 18, <<>>)).

say(N, Side, <<Segment:60_000/binary, Rest/binary>>) when Rest =/= <<>> ->
    say(N, Side, Segment),
    say(N, Side, Rest);
say(N, Side, Bytes) ->
    {Port, Next0, Next1} = get(N),
    {From, To} = case Side of 0 -> {Next0, Next1}; 1 -> {Next1, Next0} end,
    packet(tcp(N, Port, Side, From, To, 24, Bytes)),
    skip(N, Side, byte_size(Bytes)).

skip(N, Side, Len) ->
    {Port, Next0, Next1} = get(N),
    put(N, case Side of 0 -> {Port, Next0 + Len, Next1}; 1 -> {Port, Next0, Next1 + Len} end).

hosts(0) -> <<10, 0, 0, 1, 10, 0, 0, 2>>;
hosts(1) -> <<10, 0, 0, 2, 10, 0, 0, 1>>.

tcp(N, Server, Side, Sequence, Acknowledged, Flags, Bytes) ->
    Client = 20_000 + N rem 20_000,
    Ports = case Side of 0 -> <<Client:16, Server:16>>; 1 -> <<Server:16, Client:16>> end,
    ip(N, 0, 6, hosts(Side), <<Ports/binary, Sequence:32, Acknowledged:32, 5:4, 0:4, Flags, 65535:16, 0:32,
                               Bytes/binary>>).

ip(N, Fragment, Protocol, Hosts, Bytes) ->
    <<4:4, 5:4, 0, (20 + byte_size(Bytes)):16, N:16, Fragment:16, 64, Protocol, 0:16, Hosts/binary,
      Bytes/binary>>.

packet(Ip) ->
    Number = get(number),
    put(number, Number + 1),
    Frame = <<0:96, 16#0800:16, Ip/binary>>,
    Len = byte_size(Frame),
    ok = file:write(get(out), <<(1700000000 + Number div 10_000):32, (Number rem 10_000 * 100):32,
                                Len:32, Len:32, Frame/binary>>).
