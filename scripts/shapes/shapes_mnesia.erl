%% shapes_mnesia - work on tables of Mnesia, from three nodes at once. Tables and records are named by NAMES:
%% shapes_mnesia:start(Nodes, [T1, T2, ...]) on one node makes them, work(Tables, Seconds) on each uses them.
-module(shapes_mnesia).
-export([create/2, work/2, administer/2, loop/3]).

create(Nodes, [T1, T2, T3, T4, T5 | _]) ->
    mnesia:change_table_copy_type(schema, node(), disc_copies),
    [begin mnesia:change_config(extra_db_nodes, [N]), mnesia:change_table_copy_type(schema, N, disc_copies) end || N <- Nodes],
    R = [mnesia:create_table(T1, [{disc_copies, [node() | Nodes]}, {attributes, [id, name, amount]}, {index, [name]}]),
         mnesia:create_table(T2, [{ram_copies, [node() | Nodes]}, {type, bag}, {attributes, [who, what]}]),
         mnesia:create_table(T3, [{disc_only_copies, [hd(Nodes)]}, {attributes, [k, v]}]),
         mnesia:create_table(T4, [{ram_copies, [node()]}, {local_content, true}, {attributes, [k, v]}]),
         mnesia:create_table(T5, [{frag_properties, [{n_fragments, 4}, {node_pool, [node() | Nodes]}, {n_ram_copies, 2}]}, {attributes, [k, v]}])],
    mnesia:wait_for_tables([T1, T2, T3, T5], 10000),
    R.

work(Tables, Seconds) ->
    Until = erlang:monotonic_time(millisecond) + Seconds * 1000,
    Ps = [spawn_monitor(?MODULE, loop, [Kind, Tables, Until]) || Kind <- [transactions, dirty, queries, locks, fragments]],
    [receive {'DOWN', Ref, process, Pid, _} -> ok end || {Pid, Ref} <- Ps],
    ok.

loop(Kind, Tables, Until) ->
    catch step(Kind, Tables, rand:uniform(200)),
    timer:sleep(20 + rand:uniform(60)),
    case erlang:monotonic_time(millisecond) > Until of true -> ok; false -> loop(Kind, Tables, Until) end.

step(transactions, [T1, T2, T3 | _], N) ->
    mnesia:transaction(fun() ->
        case mnesia:read(T1, N) of
            [] -> mnesia:write({T1, N, text(N), N});
            [{_, _, Name, A}] when A rem 5 =:= 0 -> mnesia:delete({T1, N}), mnesia:write({T2, Name, A});
            [R] -> mnesia:write(setelement(4, R, element(4, R) + 1))
        end,
        N rem 7 =:= 0 andalso mnesia:write({T3, N, {pair, N, text(N)}}),
        N rem 11 =:= 0 andalso mnesia:abort({not_now, N}),
        N rem 13 =:= 0 andalso mnesia:transaction(fun() -> mnesia:delete_object({T2, text(N), N}) end)
    end),
    N rem 17 =:= 0 andalso mnesia:sync_transaction(fun() -> mnesia:write({T1, N, text(N), 0}), mnesia:write({T2, text(N), N}) end);
step(dirty, [T1, T2, T3 | _], N) ->
    case N rem 10 of
        0 -> mnesia:dirty_delete(T2, text(N));
        1 -> mnesia:dirty_read(T3, N);
        2 -> mnesia:dirty_write({T3, N, #{n => N}});
        3 -> mnesia:dirty_update_counter({T3, counter}, 1);
        4 -> mnesia:async_dirty(fun() -> mnesia:write({T1, N, text(N), 1}) end);
        5 -> mnesia:sync_dirty(fun() -> mnesia:write({T1, N, text(N), 2}) end);
        6 -> mnesia:dirty_match_object(T3, {T3, '_', '_'});
        7 -> mnesia:dirty_all_keys(T3);
        8 -> mnesia:activity(ets, fun() -> mnesia:read(T2, text(N)) end);
        _ -> mnesia:dirty_write({T2, text(N), N})
    end;
step(queries, [T1, T2, T3 | _], N) ->
    case N rem 6 of
        0 -> mnesia:transaction(fun() -> mnesia:index_read(T1, text(N), name) end);
        1 -> mnesia:transaction(fun() -> mnesia:select(T3, [{{T3, '$1', '_'}, [{'>', '$1', N}], ['$1']}], 5, read) end);
        2 -> mnesia:transaction(fun() -> mnesia:match_object({T1, '_', text(N), '_'}) end);
        3 -> mnesia:transaction(fun() -> mnesia:foldl(fun(_, A) -> A + 1 end, 0, T3) end);
        4 -> mnesia:transaction(fun() -> mnesia:first(T3) end);
        _ -> mnesia:dirty_index_read(T1, text(N), name), mnesia:table_info(T2, size)
    end;
step(locks, [T1, T2 | _], N) ->
    mnesia:transaction(fun() ->
        case N rem 4 of
            0 -> mnesia:write_lock_table(T2);
            1 -> mnesia:read_lock_table(T1);
            2 -> mnesia:lock({T1, N rem 3}, sticky_write), mnesia:write({T1, N rem 3, text(N), 1});
            _ -> mnesia:lock({global, {a_thing, N rem 3}, mnesia:system_info(running_db_nodes)}, write)
        end,
        timer:sleep(N rem 15)
    end);
step(fragments, [_, _, _, _, T5 | _], N) ->
    mnesia:activity(transaction, fun() -> mnesia:write({T5, N, text(N)}), mnesia:read(T5, N + 1) end, [], mnesia_frag).

administer(Nodes, [T1, T2, T3, T4, T5, T6 | _]) ->
    Try = fun(F) -> catch F(), timer:sleep(300) end,
    Last = lists:last(Nodes),
    Try(fun() -> mnesia:create_table(T6, [{ram_copies, [node() | Nodes]}]) end),
    Try(fun() -> mnesia:change_table_copy_type(T6, Last, disc_copies) end),
    Try(fun() -> mnesia:del_table_copy(T6, Last) end),
    Try(fun() -> mnesia:add_table_copy(T6, Last, disc_only_copies) end),
    Try(fun() -> mnesia:move_table_copy(T3, hd(Nodes), Last) end),
    Try(fun() -> mnesia:add_table_index(T1, amount) end),
    Try(fun() -> mnesia:del_table_index(T1, amount) end),
    Try(fun() -> mnesia:transform_table(T6, fun({T, K, V}) -> {T, K, V, 0} end, [key, val, more]) end),
    Try(fun() -> mnesia:change_table_load_order(T1, 5) end),
    Try(fun() -> mnesia:change_table_access_mode(T2, read_only) end),
    Try(fun() -> mnesia:change_table_access_mode(T2, read_write) end),
    Try(fun() -> mnesia:change_table_majority(T1, true) end),
    Try(fun() -> mnesia:change_table_majority(T1, false) end),
    Try(fun() -> mnesia:write_table_property(T1, {owner, 1}) end),
    Try(fun() -> mnesia:delete_table_property(T1, owner) end),
    Try(fun() -> mnesia:change_table_frag(T5, {add_frag, [node() | Nodes]}) end),
    Try(fun() -> mnesia:change_table_frag(T5, del_frag) end),
    Try(fun() -> mnesia:activate_checkpoint([{name, now_it_is}, {max, [T1, T2]}]), mnesia:backup_checkpoint(now_it_is, "/tmp/shapes-" ++ atom_to_list(node())), mnesia:deactivate_checkpoint(now_it_is) end),
    Try(fun() -> mnesia:backup("/tmp/shapes-" ++ atom_to_list(node())) end),
    Try(fun() -> mnesia:restore("/tmp/shapes-" ++ atom_to_list(node()), [{default_op, clear_tables}]) end),
    Try(fun() -> mnesia:dump_tables([T2]) end),
    Try(fun() -> mnesia:clear_table(T2) end),
    Try(fun() -> mnesia:set_master_nodes(T1, [node()]) end),
    Try(fun() -> mnesia:delete_table(T6) end),
    Try(fun() -> mnesia:sync_log() end),
    _ = T4,
    ok.

text(N) -> list_to_binary("n" ++ integer_to_list(N rem 20)).
