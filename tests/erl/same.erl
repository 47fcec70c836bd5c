%% same PROGRAM all|some ORIGINAL VARIANT...: a capture whose packets were reordered, tunnelled,
%% fragmented ... has the same messages as the original (all), or, if packets are missing or
%% truncated, no others (some): a message without a fault is one of the original's, in order, except
%% for atoms that are marked as unknown.
-module(same).
-export([main/1]).

main([Program, Mode, Original | Variants]) ->
    records:main("same", fun() ->
        {Records, _} = records:run(Program, ["-r", Original]),
        {Others, _} = records:run(Program, lists:append([["-r", file(V)] || V <- Variants])),
        length(faults(Others)) =:= length(faults(Records)) orelse Mode =:= "some" orelse
            records:fail("faults: ~tp", [faults(Others)]),
        check(Mode, [{records:key(M), facts(M)} || M <- records:messages(Records)], Others)
    end).

%% The runtime keeps a lone "-" for itself.
file("stdin") -> "-";
file(Name) -> Name.

faults(Records) -> [R || #{<<"fault">> := _} = R <- Records].

facts(Message) ->
    maps:with([<<"op">>, <<"from">>, <<"to">>, <<"ref">>, <<"term">>, <<"ctl">>, <<"msg">>], Message).

check("all", Original, Records) ->
    Found = [{records:key(M), facts(M)} || M <- records:messages(Records)],
    [] =/= Original orelse records:fail("no messages at all", []),
    maps:foreach(fun(Direction, Messages) ->
        Others = proplists:get_all_values(Direction, Found),
        Others =:= Messages orelse
            records:fail("~tp: ~b messages, ~b in the original; first difference ~tp",
                         [Direction, length(Others), length(Messages),
                          first_difference(Others, Messages)])
    end, by_direction(Original)),
    length(Found) =:= length(Original) orelse records:fail("messages of other directions", []),
    io:format("~b messages, the same~n", [length(Found)]);
check("some", Told, Records) ->
    Original = [{D, terms(M)} || {D, M} <- Told],
    Sound = [M || M <- records:messages(Records), not is_map_key(<<"fault">>, M)],
    Marks = [R || R <- Records,
                  is_map_key(<<"fault">>, R) orelse is_map_key(<<"unknown_atoms">>, R) orelse
                      maps:get(<<"type">>, R) =:= <<"gap">> orelse
                      %% The hello that has the random is missing, and this is reported.
                      maps:get(<<"keys">>, maps:get(<<"tls">>, R, #{}), found) =:= <<"missing">>],
    maps:foreach(fun({Conn, Port}, Found) ->
        %% The names of the nodes may be unknown now: it is enough if one of the original's
        %% directions matches.
        Fits = [D || {D, All} <- maps:to_list(by_direction(Original)), first_strange(Found, All) =:= none],
        Fits =/= [] orelse
            records:fail("connection ~b, from port ~b: a message that was never sent: ~tP",
                         [Conn, Port, best_strange(Found, by_direction(Original)), 60])
    end, by_direction([{conn_key(M), terms(M)} || M <- Sound])),
    length(Sound) < length(Original) andalso Marks =:= [] andalso
        records:fail("~b messages of ~b and no word about the rest", [length(Sound), length(Original)]),
    io:format("~b sound messages of ~b, ~b marks~n", [length(Sound), length(Original), length(Marks)]).

%% terms(Message): the control tuple and the payload.
terms(#{<<"op">> := Op} = Message) ->
    {Op, [etf:decode(base64:decode(Bytes))
          || Key <- [<<"ctl">>, <<"msg">>], #{Key := Bytes} <- [Message]]}.

conn_key(#{<<"conn">> := Conn, <<"src">> := #{<<"port">> := Port}}) -> {Conn, Port}.

by_direction(Messages) ->
    maps:map(fun(_, List) -> lists:reverse(List) end,
             lists:foldl(fun({D, M}, Acc) ->
                 maps:update_with(D, fun(Old) -> [M | Old] end, [M], Acc)
             end, #{}, Messages)).

first_difference([M | Others], [M | Messages]) -> first_difference(Others, Messages);
first_difference(Others, Messages) -> {lists:sublist(Others, 1), lists:sublist(Messages, 1)}.

%% first_strange: none if Found is All with some left out.
first_strange([], _) -> none;
first_strange([M | Found], [Sent | All]) ->
    case etf:matches(M, Sent) of
        true -> first_strange(Found, All);
        false -> first_strange([M | Found], All)
    end;
first_strange([M | _], []) -> M.

best_strange(Found, Directions) ->
    Strange = [{length(lists:takewhile(fun(M) -> M =/= S end, Found)), S}
               || All <- maps:values(Directions), S <- [first_strange(Found, All)]],
    element(2, lists:last(lists:sort(Strange))).
