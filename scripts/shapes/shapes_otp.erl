%% Work of OTP alone between nodes, for scripts/shapes/otp: W is a list of atoms of this cluster, which stand
%% where programs have names of their own.
%% Each name that begins with w_, and the module's, is replaced by another one in each cluster.
-module(shapes_otp).
-behaviour(gen_server).
-export([start/1, work/3, conflict/2, claim/1, start/2, stop/1, listen/1, children/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, code_change/3, idle/3, callback_mode/0, handle_event/2,
         handle_call/2, start_link/1, w_fail/1, w_echo/1, w_sleep/1, w_put/3, w_says/2, w_logs/1, format/1]).

%% The servers of a node: a gen_server, a gen_statem, a gen_event and a supervisor, each with a name of W.
start(W) ->
    spawn(fun() -> started(W), receive stop -> ok end end),
    ok.

started([Server, Machine, Bus, Sup, Scope | _] = W) ->
    {ok, _} = gen_server:start({local, Server}, ?MODULE, {server, W}, []),
    {ok, _} = gen_statem:start({local, Machine}, ?MODULE, {machine, W}, []),
    {ok, _} = gen_event:start({local, Bus}),
    {ok, S} = supervisor:start_link({local, Sup}, ?MODULE, {sup, W}),
    unlink(S),
    pg:start(pg),
    pg:start(Scope),
    application:ensure_all_started(sasl),
    logger:set_primary_config(level, error),
    ok.

start(_, Args) -> supervisor:start_link(?MODULE, Args).
stop(_) -> ok.

start_link(Name) -> gen_server:start_link({local, Name}, ?MODULE, {server, []}, []).

init({server, W}) -> {ok, #{w_words => W, w_num => 0}};
init({machine, W}) -> {ok, idle, W};
init({sup, W}) -> {ok, {{one_for_one, 50, 1}, children(W)}};
init(Args) -> {ok, Args}.

children([]) -> [];
children(W) ->
    [{lists:nth(N, W), {?MODULE, start_link, [lists:nth(N, W)]}, permanent, 5000, worker, [?MODULE]} || N <- [13, 14]].

handle_call({w_words, N, Term}, _From, S) -> {reply, {lists:nth(N, maps:get(w_words, S)), Term}, S};
handle_call(_, _From, S) when map_get(w_num, S) rem 11 =:= 10 -> {noreply, S#{w_num := 0}};
handle_call(R, _From, #{w_num := N} = S) ->
    {reply, case N rem 9 of 0 -> ok; 1 -> {ok, R}; 2 -> {error, not_found}; 3 -> undefined; 4 -> [R]; 5 -> #{R => N};
                7 -> {error, {R, N}}; 8 -> N; _ -> true end, S#{w_num := N + 1}}.
handle_cast(_, S) -> {noreply, S}.
handle_info({From, Ref, R}, S) when is_pid(From) -> From ! {Ref, R}, {noreply, S};
handle_info(_, S) -> {noreply, S}.
code_change(_, S, _) -> {ok, S}.

callback_mode() -> state_functions.
idle({call, From}, R, S) -> {keep_state, S, [{reply, From, {ok, R}}]};
idle(_, _, S) -> {keep_state, S}.

handle_event(_, S) -> {ok, S}.
handle_call(R, S) -> {ok, {R, ok}, S}.

w_fail(R) -> case R of {throw, X} -> throw(X); {exit, X} -> exit(X); {error, X} -> error(X) end.
w_echo(X) -> X.
w_sleep(N) -> timer:sleep(N).
w_put(_, _, _) -> ok.
format(X) -> io_lib:format("~p", [X]).
w_says(Text, Args) -> io:format(Text, Args), io:put_chars(Text), io:nl().
w_logs(Word) -> logger:error("~p is here: ~p", [Word, 1]), logger:error(#{w_what => Word}, #{domain => [Word]}), error_logger:error_msg("~p~n", [Word]),
              error_logger:error_report([{Word, 1}]).
listen(Name) -> register(Name, self()), receive stop -> ok end.

%% Names of global: claim takes some, conflict the same ones where nodes do not see each other.
claim(W) ->
    [begin P = spawn(fun() -> receive stop -> ok end end), global:register_name(X, P) end || X <- W], ok.
conflict(W, Resolve) ->
    [begin P = spawn(fun() -> receive stop -> ok end end), global:register_name(X, P, fun global:Resolve/3) end || X <- W], ok.

work(Nodes, W, Seconds) ->
    Until = erlang:monotonic_time(millisecond) + Seconds * 1000,
    spawn(fun() -> loop(Nodes, W, Until) end),
    spawn(fun() -> loop(Nodes, W, Until) end),
    ok.

loop(Nodes, W, Until) ->
    case erlang:monotonic_time(millisecond) < Until of
        true ->
            Node = lists:nth(rand:uniform(length(Nodes)), Nodes),
            {_, Ref} = spawn_monitor(fun() -> acts(Node, W) end),
            receive {'DOWN', Ref, _, _, _} -> ok after 8000 -> ok end,
            loop(Nodes, W, Until);
        false -> ok
    end.

%% A request as programs have them.
req(W) ->
    X = word(W),
    case rand:uniform(9) of
        1 -> X; 2 -> {X, rand:uniform(99)}; 3 -> {X, word(W)}; 4 -> {X, <<"text">>, 1}; 5 -> {X, word(W), <<"text">>}; 6 -> #{X => 1};
        7 -> [X, 1]; 8 -> {X, self()}; _ -> {X, #{word(W) => word(W), w_num => 1}, [{word(W), true}]}
    end.
word(W) -> lists:nth(rand:uniform(length(W)), W).

acts(Node, [Server, Machine, Bus, Sup, Scope | _] = W) ->
    All = [node() | nodes()],
    Acts = [
        fun() -> [catch gen_server:call({Server, Node}, req(W), 300) || _ <- [1, 2, 3]] end,
        fun() -> gen_server:call({Server, Node}, {w_words, 6, 1}) end,
        fun() -> gen_server:cast({Server, Node}, req(W)) end,
        fun() -> gen_server:abcast(All, Server, req(W)) end,
        fun() -> gen_server:multi_call(All, Server, {w_words, 7, w_x}, 500) end,
        fun() -> gen_server:call({word(W), Node}, req(W), 300) end,
        fun() -> Id = gen_server:send_request({Server, Node}, {w_words, 8, 1}), gen_server:receive_response(Id, 500) end,
        fun() -> gen_server:call(rpc:call(Node, erlang, whereis, [Server]), req(W), 300) end,
        fun() -> gen_statem:call({Machine, Node}, req(W), 300) end,
        fun() -> gen_statem:cast({Machine, Node}, req(W)) end,
        fun() -> gen_event:add_handler({Bus, Node}, ?MODULE, {event, W}) end,
        fun() -> gen_event:notify({Bus, Node}, req(W)) end,
        fun() -> gen_event:sync_notify({Bus, Node}, req(W)) end,
        fun() -> gen_event:call({Bus, Node}, ?MODULE, req(W)) end,
        fun() -> gen_event:which_handlers({Bus, Node}) end,
        fun() -> gen_event:delete_handler({Bus, Node}, ?MODULE, []) end,
        fun() -> supervisor:which_children({Sup, Node}), supervisor:count_children({Sup, Node}) end,
        fun() -> Id = word(W), supervisor:start_child({Sup, Node}, {Id, {?MODULE, start_link, [word(W)]}, temporary, 5000, worker, [?MODULE]}),
                 supervisor:terminate_child({Sup, Node}, Id), supervisor:restart_child({Sup, Node}, Id), supervisor:delete_child({Sup, Node}, Id) end,
        fun() -> supervisor:start_child({Sup, Node}, #{id => word(W), start => {?MODULE, start_link, [word(W)]}, restart => transient}) end,
        fun() -> supervisor:get_childspec({Sup, Node}, word(W)), supervisor:which_children({kernel_sup, Node}) end,
        fun() -> sys:get_state({Server, Node}), sys:get_status({Server, Node}) end,
        fun() -> sys:suspend({Machine, Node}), sys:resume({Machine, Node}), sys:statistics({Machine, Node}, true), sys:statistics({Machine, Node}, get),
                 sys:statistics({Machine, Node}, false) end,
        fun() -> sys:replace_state({Machine, Node}, fun(S) -> S end), sys:log({Server, Node}, true), sys:log({Server, Node}, get), sys:no_debug({Server, Node}) end,
        fun() -> rpc:call(Node, ?MODULE, w_echo, [req(W)]), rpc:call(Node, erlang, node, []), rpc:cast(Node, ?MODULE, w_put, [1, 2, word(W)]) end,
        fun() -> rpc:multicall(All, ?MODULE, w_echo, [req(W)], 800), rpc:multicall(erlang, node, []) end,
        fun() -> rpc:call(Node, ?MODULE, w_fail, [{element(rand:uniform(3), {throw, exit, error}), req(W)}]), rpc:call(Node, word(W), word(W), []) end,
        fun() -> rpc:call(Node, ?MODULE, w_sleep, [200], 50), rpc:block_call(Node, erlang, date, []) end,
        fun() -> K = rpc:async_call(Node, ?MODULE, w_echo, [word(W)]), rpc:nb_yield(K, 20), K2 = rpc:async_call(Node, ?MODULE, w_echo, [1]), rpc:yield(K2) end,
        fun() -> rpc:abcast(All, Server, req(W)), rpc:sbcast(All, Server, req(W)), rpc:eval_everywhere(?MODULE, w_put, [1, word(W), 3]) end,
        fun() -> rpc:pinfo(rpc:call(Node, erlang, whereis, [Server])), rpc:parallel_eval([{?MODULE, w_echo, [X]} || X <- [1, 2, 3]]),
                 rpc:pmap({?MODULE, w_echo}, [], [1, 2]) end,
        fun() -> erpc:call(Node, ?MODULE, w_echo, [req(W)]), erpc:call(Node, fun() -> 1 end), erpc:cast(Node, ?MODULE, w_put, [1, 2, 3]) end,
        fun() -> erpc:call(Node, ?MODULE, w_fail, [{element(rand:uniform(3), {throw, exit, error}), req(W)}]) end,
        fun() -> erpc:call(Node, word(W), word(W), []) end,
        fun() -> erpc:call(Node, ?MODULE, w_sleep, [200], 50) end,
        fun() -> erpc:multicall(All, ?MODULE, w_echo, [word(W)], 800), erpc:multicast(All, ?MODULE, w_put, [1, 2, 3]) end,
        fun() -> R = erpc:send_request(Node, ?MODULE, w_echo, [word(W)]), erpc:wait_response(R, 10), erpc:receive_response(erpc:send_request(Node, erlang, node, []), 500) end,
        fun() -> rpc:call(Node, application, which_applications, []), rpc:call(Node, erlang, memory, []), rpc:call(Node, erlang, system_info, [system_version]),
                 rpc:call(Node, erlang, statistics, [run_queue]), rpc:call(Node, erlang, processes, []) end,
        fun() -> rpc:call(Node, erlang, process_info, [rpc:call(Node, erlang, whereis, [Server])]), rpc:call(Node, supervisor, which_children, [kernel_sup]),
                 rpc:call(Node, application, get_env, [kernel, net_ticktime]), rpc:call(Node, init, get_arguments, []), rpc:call(Node, erlang, registered, []) end,
        fun() -> rpc:call(Node, code, which, [?MODULE]), rpc:call(Node, code, is_loaded, [word(W)]), rpc:call(Node, code, get_path, []), c:nl(?MODULE) end,
        fun() -> rpc:call(Node, release_handler, which_releases, []), rpc:call(Node, application, loaded_applications, []), rpc:call(Node, init, get_status, []) end,
        fun() -> rpc:call(Node, observer_backend, sys_info, []), rpc:call(Node, observer_backend, get_table_list, [ets, [{sys_hidden, false}, {unread_hidden, false}]]) end,
        fun() -> rpc:call(Node, observer_backend, get_port_list, []), rpc:call(Node, observer_backend, get_mnesia_loop, [self()]),
                 P = spawn_link(Node, observer_backend, fetch_stats, [self(), 100]), timer:sleep(250), P ! exit end,
        fun() -> spawn_link(Node, observer_backend, procs_info, [self()]), timer:sleep(100) end,
        fun() -> P = rpc:call(Node, appmon_info, start_link2, [node(), self(), []]), case P of {ok, Q} -> appmon_info:app_ctrl(Q, Node, true, []), timer:sleep(100); _ -> ok end end,
        fun() -> rpc:call(Node, ets, new, [word(W), [named_table, public]]), rpc:call(Node, ets, all, []), rpc:call(Node, ets, info, [ac_tab]), rpc:call(Node, inet, getifaddrs, []) end,
        fun() -> rpc:call(Node, file, read_file, ["/etc/hostname"]), rpc:call(Node, file, list_dir, ["/etc/apt"]), rpc:call(Node, os, getenv, ["HOME"]), rpc:call(Node, file, read_file_info, ["/etc/hostname"]),
                 rpc:call(Node, file, consult, ["/none"]), rpc:call(Node, filelib, is_dir, ["/"]) end,
        fun() -> spawn(Node, ?MODULE, w_says, ["~p~n", [word(W)]]), timer:sleep(20) end,
        fun() -> spawn(Node, ?MODULE, w_logs, [word(W)]), timer:sleep(20) end,
        fun() -> spawn_link(Node, ?MODULE, w_echo, [word(W)]), spawn_monitor(Node, ?MODULE, w_echo, [1]), spawn_opt(Node, ?MODULE, w_echo, [1], [link, monitor]) end,
        fun() -> spawn_monitor(Node, ?MODULE, w_fail, [{exit, req(W)}]), spawn(Node, fun() -> exit(normal) end), timer:sleep(10) end,
        fun() -> process_flag(trap_exit, true), P = spawn_link(Node, ?MODULE, w_sleep, [5000]), monitor(process, P), exit(P, element(rand:uniform(4), {kill, shutdown, word(W), {shutdown, word(W)}})),
                 timer:sleep(20) end,
        fun() -> erlang:monitor(process, {word(W), Node}), R = erlang:monitor(process, {Server, Node}), erlang:demonitor(R), timer:sleep(5) end,
        fun() -> {Server, Node} ! {self(), make_ref(), req(W)}, {Server, Node} ! req(W), receive _ -> ok after 100 -> ok end end,
        fun() -> spawn_request(Node, ?MODULE, w_echo, [word(W)], [monitor, {reply_tag, word(W)}]), timer:sleep(10) end,
        fun() -> A = alias(), {Server, Node} ! {self(), A, word(W)}, timer:sleep(5), unalias(A) end,
        fun() -> X = word(W), global:register_name(X, self()), global:whereis_name(X), global:send(X, req(W)), timer:sleep(20), global:unregister_name(X) end,
        fun() -> X = {word(W), rand:uniform(5)}, global:register_name(X, self()), global:re_register_name(X, self()), global:registered_names() end,
        fun() -> X = word(W), global:trans({X, self()}, fun() -> timer:sleep(5) end), global:set_lock({X, self()}, All, 1), global:del_lock({X, self()}, All) end,
        fun() -> rpc:call(Node, global, whereis_name, [word(W)]), gen_server:call({global, word(W)}, req(W), 100) end,
        fun() -> gen_server:start({global, word(W)}, ?MODULE, {server, W}, []), gen_server:cast({global, word(W)}, req(W)) end,
        fun() -> X = word(W), pg:join(X, self()), pg:join(X, [self(), self()]), [P ! req(W) || P <- pg:get_members(X)], pg:leave(X, self()), pg:which_groups() end,
        fun() -> X = {word(W), <<"group">>}, pg:join(Scope, X, self()), [P ! req(W) || P <- pg:get_members(Scope, X)], timer:sleep(30) end,
        fun() -> pg:monitor_scope(Scope), pg:join(Scope, word(W), self()), timer:sleep(30) end,
        fun() -> net_adm:ping(Node), net_kernel:monitor_nodes(true), net_kernel:get_net_ticktime(), rpc:call(Node, net_kernel, get_net_ticktime, []), rpc:call(Node, erlang, nodes, [connected]) end,
        fun() -> monitor_node(Node, true), monitor_node(Node, false), net_kernel:node_info(Node) end,
        fun() -> dbg:tracer(), dbg:n(Node), dbg:p({Server, Node}, [c, m]), dbg:tp(?MODULE, w_echo, []), dbg:ctp(), dbg:stop() end,
        fun() -> rpc:call(Node, timer, send_after, [10, self(), req(W)]), timer:sleep(30), rpc:call(Node, timer, apply_after, [10, ?MODULE, w_echo, [1]]) end,
        fun() -> rpc:call(Node, logger, get_config, []), rpc:call(Node, logger, set_module_level, [word(W), debug]), rpc:call(Node, logger, get_handler_ids, []) end,
        fun() -> rpc:call(Node, persistent_term, put, [word(W), 1]), rpc:call(Node, erlang, system_flag, [backtrace_depth, 9]), rpc:call(Node, erlang, garbage_collect, []) end,
        fun() -> group_leader(rpc:call(Node, erlang, whereis, [user]), self()), io:format("~p~n", [word(W)]), io:columns(), io:getopts(), io:put_chars(<<"text">>) end
    ],
    rand:seed(exsplus, {erlang:unique_integer(), erlang:system_time(), 1}),
    Act = lists:nth(rand:uniform(length(Acts)), Acts),
    catch Act(),
    timer:sleep(rand:uniform(6)).
