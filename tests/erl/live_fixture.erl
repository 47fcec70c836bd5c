%% live_fixture LOG...: the module recorded, which distsniff wrote of two nodes that talked, says
%% what they logged: messages, frames, and what went over the network.
-module(live_fixture).
-export([main/1]).

main(Logs) ->
    records:main("live_fixture", fun() ->
        Messages = recorded:messages(),
        [records:fail("~0tP", [M, 60])
         || M <- Messages, is_map_key(fault, M) orelse is_map_key(unknown_atoms, M)],
        [check(live_check:log(Log), Messages) || Log <- Logs],
        [] =/= recorded:calls() orelse records:fail("no calls", []),
        packets()
    end).

check(#{node := {atom, Name}} = Log, Messages) ->
    Node = binary_to_atom(Name),
    Signals = [records:signal(truth_fixture:record(M))
               || #{src := Src} = M <- Messages, Src =:= Node],
    live_check:told(Name, Log, Signals),
    #{counters := #{{atom, <<"in">>} := In, {atom, <<"out">>} := Out}} = Log,
    Sides = [is_from(Node, Frame) || Frame <- recorded:frames()],
    Seen = {length([in || false <- Sides]), length([out || true <- Sides])},
    Seen =:= {In, Out} orelse
        records:fail("~ts counted ~b frames in, ~b out; recorded are ~p", [Node, In, Out, Seen]),
    io:format("~ts: ~b messages, as logged~n", [Node, length(Signals)]).

%% When a node begins to talk, its name may not be known, or only what EPMD was asked for.
is_from(Node, #{src := {_, _}, dst := To}) -> To =/= Node;
is_from(Node, #{src := From}) -> lists:prefix(atom_to_list(From), atom_to_list(Node)).

%% The frames of a connection are what its packets carried.
packets() ->
    Frames = [{Conn, B} || #{conn := Conn, bytes := B} <- recorded:frames()],
    Packets = [{Conn, B} || #{conn := Conn, bytes := B} <- recorded:packets()],
    Size = fun(Conn, All) -> lists:sum([byte_size(B) || {C, B} <- All, C =:= Conn]) end,
    [Size(Conn, Frames) =:= Size(Conn, Packets) orelse
         records:fail("bytes of connection ~b", [Conn])
     || Conn <- lists:usort([Conn || {Conn, _} <- Frames])].
