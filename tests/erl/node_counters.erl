%% node_counters PROGRAM CAPTURE SAMPLES: the number of frames that distsniff finds is equal to the
%% nodes' own counts, at every time of a sample, and no frame has a fault.
%%
%% SAMPLES (gzipped) is a list of maps, one for each end of a connection: local and remote address,
%% and samples {From, To, In, Out, _, _}: between From and To (microseconds) the node had counted
%% that many frames.
-module(node_counters).
-export([main/1]).

-define(SLACK, 15000). % between the packet and the count, in microseconds

main([Program, Capture, File]) ->
    records:main("node_counters", fun() -> check(Program, Capture, File) end).

check(Program, Capture, File) ->
    {ok, Zipped} = file:read_file(File),
    {Records, _} = records:run(Program, ["-v", "-r", Capture]),
    [records:fail("a fault: ~tp", [R])
     || R <- Records, is_map_key(<<"fault">>, R) orelse is_map_key(<<"unknown_atoms">>, R)],
    Ends = binary_to_term(zlib:gunzip(Zipped)),
    Times = lists:foldl(fun count/2, #{}, Records),
    Frames = maps:map(fun(_, List) -> lists:sort(List) end, Times),
    Checked = [sample(Frames, C, Sample) || #{samples := Samples} = C <- Ends,
                                            Sample <- Samples],
    Agree = length([yes || agrees <- Checked]),
    Agree > 0 orelse records:fail("no sample could be checked", []),
    totals(Frames, Records),
    io:format("~b samples agree, ~b of connections not in the capture, ~b messages~n",
              [Agree, length(Checked) - Agree, length(records:messages(Records))]).

%% The time at which each frame of a direction was complete.
count(#{<<"type">> := Type} = Record, Acc) ->
    case Type of
        <<"message">> -> add(maps:get(<<"fragments">>, Record, 1), Record, Acc);
        <<"tick">> -> add(1, Record, Acc);
        <<"handshake">> -> add(1, Record, Acc);
        _ -> Acc
    end.

add(Num, #{<<"ts">> := Ts, <<"src">> := Src, <<"dst">> := Dst}, Acc) ->
    Time = calendar:rfc3339_to_system_time(binary_to_list(Ts), [{unit, microsecond}]),
    maps:update_with({address(Src), address(Dst)},
                     fun(Old) -> lists:duplicate(Num, Time) ++ Old end,
                     lists:duplicate(Num, Time), Acc).

address(#{<<"addr">> := Addr, <<"port">> := Port}) ->
    {ok, Ip} = inet:parse_address(binary_to_list(Addr)),
    {Ip, Port}.

sample(Frames, #{local := Local, remote := Remote, node := Node, peer := Peer},
       {From, To, In, Out, _, _}) ->
    case Frames of
        #{{Local, Remote} := Sent, {Remote, Local} := Received} ->
            [between(From, To, Num, List) orelse
                 records:fail("~s counted ~b in, ~b out with ~s from ~b to ~b; distsniff ~p to ~p of ~s",
                              [Node, In, Out, Peer, From, To, upto(From - ?SLACK, List),
                               upto(To + ?SLACK, List), What])
             || {What, Num, List} <- [{"out", Out, Sent}, {"in", In, Received}]],
            agrees;
        #{} ->
            elsewhere
    end.

%% Exact if the count was constant for long enough, otherwise within the bounds.
between(From, To, Num, List) when To - From > 3 * ?SLACK ->
    upto(From + ?SLACK, List) =< Num andalso upto(To - ?SLACK, List) =< Num andalso
        upto((From + To) div 2, List) =:= Num;
between(From, To, Num, List) ->
    upto(From - ?SLACK, List) =< Num andalso Num =< upto(To + ?SLACK, List).

upto(Time, List) ->
    length(lists:takewhile(fun(T) -> T =< Time end, List)).

%% The counters in the last record of a connection are equal to the sum of its records.
totals(Frames, Records) ->
    [begin
         {Src, Dst} = {address(maps:get(<<"src">>, R)), address(maps:get(<<"dst">>, R))},
         Sums = [length(maps:get(D, Frames, [])) || D <- [{Src, Dst}, {Dst, Src}]],
         Said = [maps:get(<<"frames">>, maps:get(Side, R)) || Side <- [<<"src_sent">>, <<"dst_sent">>]],
         Sums =:= Said orelse records:fail("frames ~p, in sum ~p: ~tp", [Said, Sums, R])
     end || #{<<"type">> := <<"conn">>, <<"src_sent">> := _} = R <- Records].
