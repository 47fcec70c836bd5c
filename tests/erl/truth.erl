%% truth PROGRAM CAPTURE TRUTH KEYS ..: distsniff finds in a capture what the nodes logged that they
%% sent, signal by signal, and the number of frames that they counted.
%%
%% TRUTH (gzipped) is one term: a list of a header map and one map per signal, sorted by time.
%% Within a direction the signals of one sending process have the order of the wire.
-module(truth).
-export([main/1]).
-export([read/1, compare/2, wire/1, known_funs/1]). % truth_maps, truth_fixture, live_check

main([Program, Capture, Truth | Keys]) ->
    Options = lists:append([["--keylog-file", File] || File <- Keys]),
    records:main("truth", fun() -> check(Program, Capture, Truth, Options) end).

check(Program, Capture, Truth, Options) ->
    {Header, Expected, NumBroken} = read(Truth),
    {Records, _} = records:run(Program, ["-v", "-r", Capture | Options]),
    {Broken, Sound} = lists:partition(fun cut_off/1, records:messages(Records)),
    length(Broken) =:= NumBroken orelse
        records:fail("~b malformed messages, expected ~b: ~tp",
                     [length(Broken), NumBroken, Broken]),
    [records:fail("a fault: ~tp", [maps:without([<<"msg">>, <<"term">>], R)])
     || R <- Records, is_map_key(<<"fault">>, R) orelse is_map_key(<<"unknown_atoms">>, R),
        not cut_off(R)],
    compare([{records:key(M), wire(M)} || M <- Sound], Expected),
    %% Within TLS a node counts what it passes to ssl, which are not frames.
    Options =/= [] orelse frames(Header, Records),
    [texts(M) || M <- Sound],
    io:format("~b signals as told, ~b cut off~n", [length(Sound), NumBroken]).

%% read(File): the header, each signal with its direction, and how many could not be decoded.
read(File) ->
    {ok, Zipped} = file:read_file(File),
    [Header | Said] = [records:atom_keys(M) || M <- etf:decode(zlib:gunzip(Zipped))],
    Told = [{direction(M), told(M)}
            || #{op := Op} = M <- Said, Op =/= {atom, <<"undecodable">>}],
    {Header, Told, length(Said) - length(Told)}.

%% compare(OnTheWire, Told): signals with their directions; each process has the same ones.
compare(OnTheWire, Signals) ->
    Wire = group(OnTheWire),
    Told = group(Signals),
    maps:keys(Wire) =:= maps:keys(Told) orelse
        records:fail("groups differ~n  wire: ~tp~n  told: ~tp", [maps:keys(Wire), maps:keys(Told)]),
    maps:foreach(fun(Key, List) -> same(Key, maps:get(Key, Wire), List) end, Told).

%% The one message that the capture's about.md names: its node sent it truncated.
cut_off(#{<<"type">> := <<"message">>, <<"fault">> := #{<<"kind">> := <<"malformed">>}}) -> true;
cut_off(_) -> false.

direction(#{dir := {tuple, [{atom, From}, {atom, To}]}}) -> {From, To}.

%% group: the signals of each sending process, in order. Some have no known sender; these are
%% compared without an order.
group(Signals) ->
    Groups = lists:foldl(fun({Direction, Signal}, Acc) ->
        Key = {Direction, sender(Signal)},
        maps:update_with(Key, fun(Old) -> [Signal | Old] end, [Signal], Acc)
    end, #{}, Signals),
    maps:map(fun({_, Sender}, List) when is_atom(Sender) -> lists:sort(List);
                (_, List) -> lists:reverse(List)
             end, Groups).

sender(#{op := group_leader}) -> unknown;
sender(#{from := From}) -> From;
sender(#{}) -> unknown.

wire(Message) ->
    Signal = known_funs(maps:without([id, group_leader], records:signal(Message))),
    case Signal of
        #{op := spawn_reply_tt} ->
            maps:remove(token, Signal); % not logged
        #{token := {tuple, [_Flags, Label, Serial, From, Prev]}} ->
            Signal#{token => #{label => Label, serial => Serial, from => From, prev => Prev}};
        #{} -> Signal
    end.

told(#{op := {atom, Op}} = Map) ->
    Signal = maps:with([from, to, ref, req, mfa, opts, flags, result, term, token], Map),
    Known = maps:filter(fun(Key, Value) ->
        not (Value =:= {atom, <<"undefined">>} andalso lists:member(Key, [from, to]))
    end, Signal),
    Named = Known#{op => binary_to_atom(Op)},
    case Named of
        #{token := Token} -> Named#{token => records:atom_keys(Token)};
        #{} -> Named
    end.

%% From OTP 28 on funs do not contain their process: they have process 0 of the node, which may not
%% have had its name when the truth was written.
known_funs({'fun', M, A, I, U, OI, OU, {pid, _, 0, 0, _}, Free}) ->
    {'fun', M, A, I, U, OI, OU, none, known_funs(Free)};
known_funs(Tuple) when is_tuple(Tuple) ->
    list_to_tuple(known_funs(tuple_to_list(Tuple)));
known_funs([Head | Tail]) ->
    [known_funs(Head) | known_funs(Tail)];
known_funs(Map) when is_map(Map) ->
    maps:from_list(known_funs(maps:to_list(Map)));
known_funs(Other) ->
    Other.

same(Key, Wire, Told) ->
    case length(Wire) =:= length(Told) of
        true -> ok;
        false ->
            records:fail("~tp: ~b on the wire, ~b told~nwire only: ~tP~ntold only: ~tP",
                         [Key, length(Wire), length(Told), Wire -- Told, 60, Told -- Wire, 60])
    end,
    [records:fail("~tp, signal ~b~nwire: ~tP~ntold: ~tP", [Key, N, W, 100, T, 100])
     || {N, W, T} <- lists:zip3(lists:seq(1, length(Wire)), Wire, Told), known(W, T) =/= known_funs(T)].

%% The options of a spawn are logged only by the traced program itself.
known(Wire, Told) when is_map_key(opts, Told) -> Wire;
known(Wire, _) -> maps:remove(opts, Wire).

%% frames: net_kernel:node_info/1 of the connections that were up at the end counts frames,
%% handshake messages and ticks included, as the last record of a connection does.
frames(#{counters := Counters}, Records) ->
    Seen = maps:from_list(lists:append([counted(R) || R <- Records])),
    maps:foreach(fun({atom, Node}, Peers) ->
        maps:foreach(fun({atom, Peer}, Count) ->
            #{in := In, out := Out} = records:atom_keys(Count),
            Got = {maps:get({Peer, Node}, Seen, none), maps:get({Node, Peer}, Seen, none)},
            Got =:= {In, Out} orelse
                records:fail("~s counted ~b frames in, ~b out with ~s; distsniff ~tp",
                             [Node, In, Out, Peer, Got])
        end, Peers)
    end, Counters).

counted(#{<<"src_sent">> := #{<<"frames">> := Sent}, <<"dst_sent">> := #{<<"frames">> := Back}} = R) ->
    case records:key(R) of
        {Src, Dst} -> [{{Src, Dst}, Sent}, {{Dst, Src}, Back}];
        {conn, _, _} -> [] % EPMD
    end;
counted(_) ->
    [].

%% texts: the text of a field is equal to the text of the bytes in it.
texts(Message) ->
    Signal = records:signal(Message),
    [begin
         Text = maps:get(atom_to_binary(Role), Message),
         Expected = etf:text(maps:get(Role, Signal)),
         Text =:= Expected orelse
             records:fail("~s is \"~ts\", expected \"~ts\"", [Role, Text, Expected])
     end || Role <- [from, to, ref], is_map_key(Role, Signal)].
