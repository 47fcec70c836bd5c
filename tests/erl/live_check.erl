%% live_check all|tls|late JSON LOG...: what distsniff wrote while nodes talked is equal to their
%% logs.
%%
%% all: everything that they sent, nothing else, and as many frames as they counted.
%% tls: the same, but a node counts what it passes to ssl, which are not frames.
%% late: the capture began in the middle: what it has was sent, in that order; only atoms may be
%% unknown.
-module(live_check).
-export([main/1, log/1, told/3]).

main([Mode, Json | Logs]) ->
    records:main("live_check", fun() ->
        {ok, Bin} = file:read_file(Json),
        Records = records:read(Bin),
        Said = [log(File) || File <- Logs],
        [check(list_to_atom(Mode), Records, Log) || Log <- Said],
        length(records:messages(Records)) > 0 orelse records:fail("no messages", [])
    end).

log(File) ->
    {ok, Bin} = file:read_file(File),
    records:atom_keys(etf:decode(Bin)).

check(Mode, Records, #{node := {atom, Node}} = Log) ->
    Ends = ends(Records),
    Messages = [{M, records:signal(M)} || M <- records:messages(Records), sent_by(Node, M, Ends)],
    Sends = [S || {_, S} <- Messages, is_send(S)],
    {Wire, Told} = both(Log, Sends),
    case Mode of
        _ when Mode =:= all; Mode =:= tls ->
            [records:fail("a fault: ~tP", [R, 60])
             || R <- Records, is_map_key(<<"fault">>, R) orelse is_map_key(<<"unknown_atoms">>, R)],
            told(Node, Log, [S || {_, S} <- Messages]),
            Mode =:= tls orelse frames(Node, maps:get(counters, Log), Records),
            [texts(M, S) || {M, S} <- Messages];
        late ->
            Numbers = by_number(Told),
            [part_of(List, maps:get(K, Numbers, [])) orelse
                 records:fail("~ts, process ~0tp: not what was sent: ~0tP", [Node, K, List, 60])
             || {K, List} <- maps:to_list(by_number(Wire))],
            length(Sends) > 0 orelse records:fail("~ts: nothing was seen", [Node]),
            [_ | _] = [joined || #{<<"type">> := <<"conn">>, <<"state">> := <<"joined_late">>} <- Records]
    end,
    io:format("~ts: ~b messages sent, ~b on the wire~n",
              [Node, length(maps:get(sent, Log)), length(Sends)]).

%% told(Node, Log, Signals): its captured signals are those that it logged.
told(Node, Log, Signals) ->
    {Wire, Told} = both(Log, [S || S <- Signals, is_send(S)]),
    [maps:get(K, Wire, []) =:= maps:get(K, Told, []) orelse
         records:fail("~ts, process ~0tp: ~0tP",
                      [Node, K, difference(maps:get(K, Wire, []), maps:get(K, Told, [])), 40])
     || K <- lists:usort(maps:keys(Wire) ++ maps:keys(Told))],
    signals(Node, maps:get(signals, Log, []), Signals).

%% What each process sent, in order: captured, and logged.
both(Log, Sends) ->
    Wire = by_sender([{maps:get(from, S, unknown), {maps:get(to, S), truth:known_funs(maps:get(term, S))}}
                      || S <- Sends]),
    {Wire, by_sender([{sender(From, To, Wire), {to(To), truth:known_funs(Term)}}
                      || {tuple, [From, To, Term]} <- maps:get(sent, Log)])}.

is_send(#{op := Op}) -> lists:member(Op, sends()).

sends() ->
    [send, send_tt, send_sender, send_sender_tt, reg_send, reg_send_tt, alias_send, alias_send_tt,
     altact_sig_send].

%% ends: the nodes at the ends of each connection, as its last record names them.
ends(Records) ->
    maps:from_list([{{Conn, maps:get(<<"port">>, End)}, {maps:get(<<"node">>, End, unknown),
                                                         maps:get(<<"node">>, Other, unknown)}}
                    || #{<<"type">> := <<"conn">>, <<"conn">> := Conn, <<"src">> := Src,
                         <<"dst">> := Dst} <- Records,
                       {End, Other} <- [{Src, Dst}, {Dst, Src}]]).

%% If only the other end is known, this one is the other node.
sent_by(Node, #{<<"conn">> := Conn, <<"src">> := #{<<"port">> := Port}}, Ends) ->
    case maps:get({Conn, Port}, Ends) of
        {unknown, Other} -> Other =/= unknown andalso Other =/= Node;
        {Name, _} -> Name =:= Node
    end.

%% The old SEND, to and from C nodes, has no sender.
sender(_, {pid, _, _, _, _}, #{unknown := _}) -> unknown;
sender(From, _, _) -> From.

to({tuple, [Name, _Node]}) -> Name;
to(To) -> To.

by_sender(Pairs) ->
    maps:map(fun(_, List) -> lists:reverse(List) end,
             lists:foldl(fun({K, V}, Acc) ->
                 maps:update_with(K, fun(Old) -> [V | Old] end, [V], Acc)
             end, #{}, Pairs)).

difference([Same | Wire], [Same | Told]) -> difference(Wire, Told);
difference(Wire, Told) ->
    {{on_wire, length(Wire), lists:sublist(Wire, 1)}, {told, length(Told), lists:sublist(Told, 1)}}.

%% The name of a node may be unknown: its processes are identified by their numbers.
by_number(Senders) ->
    maps:fold(fun({pid, _, Id, Serial, _}, List, Acc) -> Acc#{{Id, Serial} => List};
                 (unknown, _, Acc) -> Acc
              end, #{}, Senders).

part_of([], _) -> true;
part_of(_, []) -> false;
part_of([W | Wire], [T | Told]) ->
    case etf:matches(W, T) of
        true -> part_of(Wire, Told);
        false -> part_of([W | Wire], Told)
    end.


%% The signals of the process that logged them: all of them, in order, and no others.
signals(_, [], _) -> ok;
signals(Node, [{tuple, [_, #{{atom, <<"from">>} := Me}]} | _] = Noted, Messages) ->
    Wire = [S || #{from := From} = S <- Messages, From =:= Me,
                 not is_send(S)],
    Ops = [{binary_to_atom(Op), records:atom_keys(Fields)} || {tuple, [{atom, Op}, Fields]} <- Noted],
    length(Ops) =:= length(Wire) orelse
        records:fail("~ts: ~b signals noted, on the wire ~p",
                     [Node, length(Ops), [Op || #{op := Op} <- Wire]]),
    [(Op =:= maps:get(op, S) andalso maps:with(maps:keys(Fields), S) =:= Fields) orelse
         records:fail("~ts: noted ~p ~tp~non the wire ~tp", [Node, Op, Fields, S])
     || {{Op, Fields}, S} <- lists:zip(Ops, Wire)].

%% As many frames as the node itself counted.
frames(Node, Counters, Records) when map_size(Counters) > 0 ->
    #{{atom, <<"in">>} := In, {atom, <<"out">>} := Out} = Counters,
    Frames = fun(Side, R) -> maps:get(<<"frames">>, maps:get(Side, R)) end,
    Seen = [case Src of
                #{<<"node">> := Node} -> {Frames(<<"dst_sent">>, R), Frames(<<"src_sent">>, R)};
                _ -> {Frames(<<"src_sent">>, R), Frames(<<"dst_sent">>, R)}
            end || #{<<"type">> := <<"conn">>, <<"src_sent">> := _, <<"src">> := Src} = R <- Records,
                   Frames(<<"src_sent">>, R) > 0],
    Seen =:= [{In, Out}] orelse
        records:fail("~ts counted ~b frames in, ~b out; distsniff ~p", [Node, In, Out, Seen]);
frames(_, _, _) ->
    ok.

%% A term without pids, references, ports and funs is written so that Erlang can read it.
texts(#{<<"term">> := Text}, #{term := Term}) ->
    case plain(Term) of
        false -> ok;
        true ->
            {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text) ++ "."),
            {ok, Parsed} = erl_parse:parse_term(Tokens),
            etf:from_term(Parsed) =:= Term orelse
                records:fail("the text of ~tP reads as another term: ~tP", [Term, 30, Text, 100])
    end;
texts(_, _) ->
    ok.

plain({Kind, _, _, _, _}) when Kind =:= pid; Kind =:= record -> false;
plain({ref, _, _, _}) -> false;
plain({port, _, _, _}) -> false;
plain({export, _, _, _}) -> false;
plain({'fun', _, _, _, _, _, _, _, _}) -> false;
plain({local, _, _}) -> false;
plain({tuple, Items}) -> lists:all(fun plain/1, Items);
plain({improper, Items, Tail}) -> plain(Items) andalso plain(Tail);
plain(List) when is_list(List) -> lists:all(fun plain/1, List);
plain(Map) when is_map(Map) -> plain(maps:keys(Map)) andalso plain(maps:values(Map));
plain(_) -> true.
