%% other_otp - other work of OTP alone between nodes than that of shapes_otp, for what is held out (held_out): what people
%% and programs of OTP ask of a node, and servers whose requests have few words of their own.
-module(other_otp).
-behaviour(gen_server).
-export([start/1, work/3, conflict/2, claim/1, start/2, stop/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, w_add/2]).

start(W) ->
    spawn(fun() -> {ok, _} = gen_server:start({local, hd(W)}, ?MODULE, server, []), pg:start(pg), receive stop -> ok end end),
    ok.
start(_, _) -> supervisor:start_link(?MODULE, sup).
stop(_) -> ok.
init(sup) -> {ok, {#{strategy => one_for_all}, []}};
init(server) -> process_flag(trap_exit, true), {ok, #{}}.

handle_call({get, K}, _, S) -> {reply, maps:find(K, S), S};
handle_call({put, K, V}, _, S) -> {reply, ok, S#{K => V}};
handle_call({take, K}, _, S) -> {reply, case S of #{K := V} -> {ok, V}; _ -> {error, not_found} end, maps:remove(K, S)};
handle_call(size, _, S) -> {reply, maps:size(S), S};
handle_call(all, _, S) -> {reply, maps:to_list(S), S}.
handle_cast({delete, K}, S) -> {noreply, maps:remove(K, S)}.
handle_info(_, S) -> {noreply, S}.
w_add(A, B) -> A + B.

claim([X | _]) -> P = spawn(fun() -> receive stop -> ok end end), global:register_name(X, P), ok.
conflict(W, _) -> claim(W).

work(Nodes, W, Seconds) ->
    Until = erlang:monotonic_time(millisecond) + Seconds * 1000,
    [spawn(fun() -> loop(Nodes, W, 1, Until) end) || _ <- [1, 2]],
    ok.

loop(Nodes, W, N, Until) ->
    {_, Ref} = spawn_monitor(fun() -> act(lists:nth(1 + N rem length(Nodes), Nodes), W, N) end),
    receive {'DOWN', Ref, _, _, _} -> ok after 8000 -> ok end,
    timer:sleep(rand:uniform(8)),
    case erlang:monotonic_time(millisecond) > Until of true -> ok; false -> loop(Nodes, W, N + 1, Until) end.

act(Node, [Server | _], N) ->
    All = [node() | nodes()],
    Key = {N rem 40, <<"key">>},
    To = {Server, Node},
    Rpc = fun(M, F, A) -> rpc:call(Node, M, F, A, 2000) end,
    Acts = [
        fun() -> gen_server:call(To, {put, Key, [N, <<"value">>]}), gen_server:call(To, {get, Key}) end,
        fun() -> gen_server:call(To, {take, Key}), gen_server:cast(To, {delete, Key}), gen_server:call(To, size) end,
        fun() -> gen_server:multi_call(All, Server, size, 1000), gen_server:abcast(All, Server, {delete, Key}) end,
        fun() -> gen_server:call(To, all), gen_server:call({no_such_server, Node}, size) end,
        fun() -> erpc:call(Node, ?MODULE, w_add, [N, 1]), erpc:multicall(All, erlang, node, [], 1000) end,
        fun() -> rpc:multicall(All, erlang, system_info, [process_count]), Rpc(?MODULE, w_add, [N, a]) end,
        fun() -> Rpc(erlang, system_info, [otp_release]), Rpc(erlang, memory, [total]), Rpc(erlang, statistics, [io]) end,
        fun() -> Rpc(application, which_applications, [1000]), Rpc(application, get_all_env, [kernel]), Rpc(application, get_key, [stdlib, vsn]) end,
        fun() -> Rpc(supervisor, which_children, [kernel_safe_sup]), Rpc(supervisor, count_children, [kernel_sup]), supervisor:which_children({kernel_sup, Node}) end,
        fun() -> sys:get_status({kernel_sup, Node}), sys:get_state({rex, Node}), sys:get_status({To, 1}) end,
        fun() -> P = Rpc(erlang, whereis, [code_server]), Rpc(erlang, process_info, [P, [message_queue_len, memory, links, status, current_function]]),
                 Rpc(erlang, process_info, [P, reductions]) end,
        fun() -> Rpc(code, is_loaded, [lists]), Rpc(code, root_dir, []), Rpc(code, all_loaded, []), Rpc(erlang, module_loaded, [gen_tcp]) end,
        fun() -> Rpc(code, get_object_code, [?MODULE]), Rpc(code, purge, [?MODULE]), Rpc(?MODULE, module_info, [compile]) end,
        fun() -> Rpc(ets, info, [code, size]), Rpc(ets, lookup, [code, {module, lists}]), Rpc(ets, tab2list, [inet_db]) end,
        fun() -> Rpc(inet, gethostname, []), Rpc(inet, getaddr, ["localhost", inet]), Rpc(inet, i, []), Rpc(erlang, ports, []) end,
        fun() -> Rpc(file, get_cwd, []), Rpc(file, read_file_info, ["/etc"]), Rpc(file, write_file, ["/none/x", <<"x">>]), Rpc(file, open, ["/etc/hostname", [read, raw]]) end,
        fun() -> Rpc(os, type, []), Rpc(os, timestamp, []), Rpc(os, getpid, []), Rpc(calendar, local_time, []) end,
        fun() -> Rpc(logger, get_primary_config, []), Rpc(logger, get_handler_config, [default]), Rpc(logger, set_primary_config, [level, error]) end,
        fun() -> Rpc(logger, warning, ["text ~p", [N]]), rpc:cast(Node, io, format, ["~w~n", [N]]) end,
        fun() -> Rpc(net_kernel, nodes_info, []), Rpc(net_kernel, node_info, [node()]), Rpc(erlang, get_cookie, []), Rpc(net_adm, names, []) end,
        fun() -> net_adm:ping(Node), Rpc(erlang, nodes, []), Rpc(erlang, is_alive, []) end,
        fun() -> global:set_lock({N rem 5, self()}, All, 2), global:del_lock({N rem 5, self()}, All) end,
        fun() -> X = {?MODULE, N rem 7}, yes = global:register_name(X, self()), global:whereis_name(X), global:unregister_name(X) end,
        fun() -> Rpc(global, registered_names, []), Rpc(global, info, []), global:send(Server, hello) end,
        fun() -> G = {topic, N rem 6}, pg:join(G, self()), [P ! {event, N} || P <- pg:get_members(G)], pg:leave(G, self()) end,
        fun() -> Rpc(pg, which_groups, []), Rpc(pg, get_local_members, [{topic, 1}]) end,
        fun() -> {P, R} = spawn_monitor(Node, timer, sleep, [3]), receive {'DOWN', R, process, P, _} -> ok after 500 -> ok end end,
        fun() -> process_flag(trap_exit, true), P = spawn_link(Node, timer, sleep, [9000]), exit(P, shutdown), receive {'EXIT', P, _} -> ok after 500 -> ok end end,
        fun() -> P = spawn_link(Node, erlang, error, [badarg]), receive {'EXIT', P, _} -> ok after 500 -> ok end end,
        fun() -> R = monitor(process, To), demonitor(R, [flush]), monitor(process, {no_such_server, Node}), receive {'DOWN', _, _, _, noproc} -> ok after 500 -> ok end end,
        fun() -> Rpc(timer, tc, [lists, seq, [1, 20]]), Rpc(lists, nth, [0, []]), Rpc(maps, get, [a, #{}]), Rpc(erlang, binary_to_term, [<<>>]) end,
        fun() -> Rpc(erl_eval, exprs, [[{integer, 1, N}], []]), Rpc(init, script_id, []), Rpc(init, get_argument, [root]) end,
        fun() -> Rpc(rand, uniform, []), Rpc(crypto, info_lib, []), Rpc(ssl, versions, []), Rpc(inets, services, []) end,
        fun() -> rpc:call(Node, erlang, apply, [fun() -> {node(), self()} end, []]), erpc:call(Node, fun lists:sum/1, [[1, 2]]) end,
        fun() -> Rpc(erlang, trace, [all, false, [all]]), Rpc(dbg, stop, []), Rpc(msacc, available, []), Rpc(recon, info, []) end
    ],
    catch (lists:nth(rand:uniform(length(Acts)), Acts))().
