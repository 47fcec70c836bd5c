%% other_mnesia - other work on tables of Mnesia than that of shapes_mnesia, for what is held out (held_out): sessions,
%% counters and a log, as a program has them that nobody administers while it is up.
-module(other_mnesia).
-export([create/2, work/2, administer/2, loop/4]).

create(Nodes, [T1, T2, T3 | _]) ->
    mnesia:change_table_copy_type(schema, node(), disc_copies),
    [begin mnesia:change_config(extra_db_nodes, [N]), mnesia:change_table_copy_type(schema, N, disc_copies) end || N <- Nodes],
    R = [mnesia:create_table(T1, [{ram_copies, [node() | Nodes]}, {attributes, [key, pid, since, from, state]}, {index, [pid]}]),
         mnesia:create_table(T2, [{disc_copies, [node() | Nodes]}, {attributes, [key, number]}]),
         mnesia:create_table(T3, [{type, ordered_set}, {disc_copies, [node() | Nodes]}, {attributes, [at, entry]}])],
    mnesia:wait_for_tables([T1, T2, T3], 10000),
    R.

work(Tables, Seconds) ->
    Until = erlang:monotonic_time(millisecond) + Seconds * 1000,
    Ps = [spawn_monitor(?MODULE, loop, [Kind, Tables, 1, Until]) || Kind <- [sessions, sessions, counters, log]],
    [receive {'DOWN', Ref, process, Pid, _} -> ok end || {Pid, Ref} <- Ps],
    ok.

loop(Kind, Tables, N, Until) ->
    catch step(Kind, Tables, N),
    timer:sleep(10 + rand:uniform(50)),
    case erlang:monotonic_time(millisecond) > Until of true -> ok; false -> loop(Kind, Tables, N + 1, Until) end.

key(N) -> {<<"user", (integer_to_binary(N rem 50))/binary>>, <<"home">>}.

step(sessions, [T1 | _], N) ->
    case N rem 5 of
        0 -> mnesia:dirty_write({T1, key(N), self(), erlang:timestamp(), {10, 0, 0, N rem 250}, [{queued, N}]});
        1 -> mnesia:dirty_read(T1, key(N));
        2 -> mnesia:transaction(fun() -> [mnesia:delete_object(S) || S <- mnesia:wread({T1, key(N)})], mnesia:write({T1, key(N), self(), 0, undefined, []}) end);
        3 -> mnesia:transaction(fun() -> mnesia:index_read(T1, self(), pid) end);
        _ -> mnesia:dirty_delete(T1, key(N))
    end;
step(counters, [_, T2 | _], N) ->
    mnesia:dirty_update_counter(T2, {hits, N rem 9}, N),
    N rem 4 =:= 0 andalso mnesia:sync_transaction(fun() -> [{_, _, X}] = mnesia:wread({T2, {hits, N rem 9}}), mnesia:write({T2, {hits, N rem 9}, X div 2}) end);
step(log, [_, _, T3 | _], N) ->
    mnesia:activity(transaction, fun() -> mnesia:write({T3, {erlang:system_time(), N}, {info, "text", [N, <<"more">>]}}) end),
    N rem 6 =:= 0 andalso mnesia:transaction(fun() -> K = mnesia:first(T3), mnesia:delete({T3, K}) end),
    N rem 15 =:= 0 andalso mnesia:transaction(fun() -> mnesia:select(T3, [{{T3, '$1', {info, '_', '_'}}, [], ['$1']}]) end).

administer(_, [T1 | _]) -> mnesia:table_info(T1, size).
