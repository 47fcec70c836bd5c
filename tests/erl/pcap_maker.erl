%% Makes a capture of two nodes with any messages: a whole connection, with its handshake, without a
%% network. For bytes that no node would send, and for machines that cannot capture.
-module(pcap_maker).
-export([write/2, write_said/3, frame/1, frame/2, handshake/0, node/1, pid/2]).

-define(CREATION, 77).
-define(MOST, 60000). % bytes in a segment

%% write(File, Frames): {0 | 1, Frame} in order, sent by node(0) or node(1).
write(File, Frames) ->
    write_said(File, 9100, [handshake() ++ Frames]).

%% write_said(File, Port, Connections): connections to a port, one after the other, with what each
%% side sends: {0 | 1, Bytes} in order, then the end of the connection by side 1.
write_said(File, Port, Connections) ->
    {Packets, _} = lists:mapfoldl(fun(Said, {Number, Client}) ->
        Ports = {Client, Port},
        Open = [packet(Number, Ports, {0, 999, 0}, 2, <<>>),
                packet(Number, Ports, {1, 4999, 1000}, 18, <<>>)],
        {Sent, {Last, Next}} = lists:mapfoldl(fun(S, Acc) -> said(Ports, S, Acc) end,
                                              {Number + 1, #{0 => 1000, 1 => 5000}},
                                              segments(Said)),
        Close = packet(Last, Ports, {1, maps:get(1, Next), maps:get(0, Next)}, 17, <<>>),
        {[Open, Sent, [Close || length(Connections) > 1]], {Last + 1, Client + 1}}
    end, {0, 40000}, Connections),
    ok = file:write_file(File, [<<16#a1b2c3d4:32, 2:16, 4:16, 0:64, 16#ffffffff:32, 1:32>>,
                                Packets]).

%% frame(Control), frame(Control, Payload): external terms, 131 first, in a frame without an atom
%% cache.
frame(<<131, Control/binary>>) -> sized(<<131, 68, 0, Control/binary>>).
frame(<<131, Control/binary>>, <<131, Payload/binary>>) ->
    sized(<<131, 68, 0, Control/binary, Payload/binary>>).

sized(Bytes) -> <<(byte_size(Bytes)):32, Bytes/binary>>.

node(0) -> 'alice@made';
node(1) -> 'bob@made'.

%% pid(Side, Id): the external term.
pid(Side, Id) ->
    Name = atom_to_binary(?MODULE:node(Side)),
    <<131, 88, 119, (byte_size(Name)), Name/binary, Id:32, 0:32, ?CREATION:32>>.

%% handshake(): what both sides send before frames.
handshake() ->
    Flags = 16#d07df7fbd,
    Name = fun(Side) ->
        Text = atom_to_binary(?MODULE:node(Side)),
        <<?CREATION:32, (byte_size(Text)):16, Text/binary>>
    end,
    Digest = <<0:128>>,
    [{Side, <<(byte_size(Step)):16, Step/binary>>}
     || {Side, Step} <- [{0, <<$N, Flags:64, (Name(0))/binary>>}, {1, <<"sok">>},
                         {1, <<$N, Flags:64, 1:32, (Name(1))/binary>>},
                         {0, <<$r, 2:32, Digest/binary>>}, {1, <<$a, Digest/binary>>}]].

segments(Said) ->
    [{Side, Segment} || {Side, Bytes} <- Said, Segment <- cut(Bytes)].

cut(<<Segment:?MOST/binary, Rest/binary>>) when Rest =/= <<>> -> [Segment | cut(Rest)];
cut(Segment) -> [Segment].

said(Ports, {Side, Bytes}, {Number, Next}) ->
    #{Side := Sequence} = Next,
    Packet = packet(Number, Ports, {Side, Sequence, maps:get(1 - Side, Next)}, 24, Bytes),
    {Packet, {Number + 1, Next#{Side := (Sequence + byte_size(Bytes)) band 16#ffffffff}}}.

packet(Number, {Client, Server}, {Side, Sequence, Acknowledged}, Flags, Bytes) ->
    {Ports, Hosts} = case Side of
        0 -> {<<Client:16, Server:16>>, <<10, 0, 0, 1, 10, 0, 0, 2>>};
        1 -> {<<Server:16, Client:16>>, <<10, 0, 0, 2, 10, 0, 0, 1>>}
    end,
    Tcp = <<Ports/binary, Sequence:32, Acknowledged:32, 5:4, 0:4, Flags, 65535:16, 0:32,
            Bytes/binary>>,
    Ip = <<4:4, 5:4, 0, (20 + byte_size(Tcp)):16, Number:16, 0:16, 64, 6, 0:16, Hosts/binary,
           Tcp/binary>>,
    Frame = <<0:96, 16#0800:16, Ip/binary>>,
    Len = byte_size(Frame),
    <<(1700000000 + Number div 1000):32, (Number rem 1000 * 1000):32, Len:32, Len:32,
      Frame/binary>>.
