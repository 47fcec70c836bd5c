%% Calls of every kind and with every outcome between nodes, each with a number in its request;
%% the caller logs what became of it and how long it took by its own clock.
%%
%% erl ... -run conversations serve READY       a node that is called; the file says that it can be
%% erl ... -run conversations run LOG NODE ...  the node that calls: bob, carol, and dave, who is
%%                                              killed in the middle
-module(conversations).
-behaviour(gen_server).
-export([serve/1, run/1, init/1, handle_call/3, handle_cast/2, handle_info/2]).
-export([call_me/2, noop/1, start_one/0, traced/1]).

-define(EACH, 25).
%% How long callers wait that give up. On a busy machine a request, and the signs of giving up, may
%% be sent late: above a second any time counts as a timeout, and this leaves room.
-define(PATIENCE, 2000).

%% The nodes that are called

serve([Ready]) ->
    {ok, _} = gen_server:start({local, calc}, ?MODULE, calc, []),
    [{ok, _} = gen_server:start({local, relay(N)}, ?MODULE, relay, []) || N <- lists:seq(1, 5)],
    register(traced, spawn(fun() -> traced([]) end)),
    register(old_style, spawn(fun old_style/0)),
    ok = file:write_file(Ready, <<>>).

%% A server for rpc:server_call/4.
old_style() ->
    receive
        {From, {id, Id, ok}} -> From ! {old, node(), {did, Id}};
        {From, {id, Id, other_form}} -> From ! {mine, {did, Id}};
        {From, {M, F, A}} -> From ! {old, node(), apply(M, F, A)}
    end,
    old_style().

relay(N) ->
    list_to_atom("relay" ++ integer_to_list(N)).

start_one() ->
    {ok, Pid} = gen_server:start(?MODULE, one, []),
    Pid.

init(What) ->
    {ok, What}.

handle_call({id, _, crash}, _, _) ->
    error(crash_as_told);
handle_call({id, _, hang}, _, State) ->
    {noreply, State};
handle_call({id, Id, {relay, To}}, _, State) ->
    Result = gen_server:call({calc, To}, {id, Id + 100000, ok}, infinity),
    timer:sleep(2),
    {reply, Result, State};
handle_call({id, Id, ok}, _, State) ->
    {reply, {did, Id}, State}.

handle_cast(_, State) ->
    {noreply, State}.

handle_info(_, State) ->
    {noreply, State}.

call_me({id, Id}, ok) -> {did, Id};
call_me({id, _}, throw) -> throw(thrown);
call_me({id, _}, exit) -> exit(left);
call_me({id, _}, error) -> error(failed);
call_me({id, _}, hang) -> timer:sleep(infinity);
call_me({id, Id}, print) -> io:put_chars(["{id,", integer_to_list(Id), "}\n"]).

noop(_) ->
    ok.

%% Forwards a message to the next process of the list, under the token that it came with.
traced(_) ->
    receive
        {pass, Msg, [Next | Rest]} -> Next ! {pass, Msg, Rest};
        {pass, Msg, []} -> exit({strange, Msg});
        {tracer, false} -> seq_trace:set_system_tracer(false);
        {tracer, Pid} ->
            seq_trace:set_system_tracer(spawn(fun() -> forward(Pid) end)),
            Pid ! {traced, node()}
    end,
    traced([]).

%% A system tracer has to be on its own node.
forward(Pid) ->
    receive Msg -> Pid ! Msg end,
    forward(Pid).

%% The node that calls

run([Log | Names]) ->
    Nodes = [Bob, Carol, Dave] = [list_to_atom(N) || N <- Names],
    [pong = net_adm:ping(N) || N <- Nodes],
    put(next, 1),
    Jobs = lists:append([jobs(K, Bob, Carol) || K <- kinds(), _ <- lists:seq(1, ?EACH)]) ++
        relays(Bob, Carol),
    First = collect(Jobs, []),
    Second = killed_node(Dave),
    Serials = seq_traced([Bob, Carol]),
    ok = file:write_file(Log, term_to_binary(#{calls => First ++ Second, serials => Serials})),
    [rpc:cast(N, init, stop, []) || N <- [Bob, Carol]],
    timer:sleep(500),
    erlang:halt(0).

kinds() ->
    [gen_name, gen_pid, gen_noproc, gen_crash, gen_killed, gen_timeout, erpc_ok, erpc_throw, erpc_exit,
     erpc_error, erpc_timeout, rpc_ok, rpc_throw, rpc_undef, block_ok, block_undef, multi, spawn,
     send_request, io, server_call, server_call_mfa, server_call_noproc, not_server_call].

id() ->
    Id = get(next),
    put(next, Id + 1),
    Id.

%% jobs(Kind, Node, Other) -> [{Kind, Ids, Expected, fun()}]
jobs(Kind, Bob, Carol) ->
    Id = id(),
    [job(Kind, Id, Bob, Carol)].

job(gen_name, Id, Bob, _) ->
    {gen_name, [Id], ok, fun() -> {did, Id} = gen_server:call({calc, Bob}, {id, Id, ok}, infinity) end};
job(gen_pid, Id, Bob, _) ->
    Pid = rpc:call(Bob, erlang, whereis, [calc]),
    {gen_pid, [Id], ok, fun() -> {did, Id} = gen_server:call(Pid, {id, Id, ok}, infinity) end};
job(gen_noproc, Id, Bob, _) ->
    {gen_noproc, [Id], noproc,
     fun() -> {noproc, _} = left(fun() -> gen_server:call({nobody, Bob}, {id, Id, ok}, infinity) end) end};
job(gen_crash, Id, Bob, _) ->
    Pid = rpc:call(Bob, ?MODULE, start_one, []),
    {gen_crash, [Id], {error, exit},
     fun() -> {{crash_as_told, _}, _} = left(fun() -> gen_server:call(Pid, {id, Id, crash}, infinity) end) end};
job(gen_killed, Id, Bob, _) ->
    Pid = rpc:call(Bob, ?MODULE, start_one, []),
    {gen_killed, [Id], {error, exit},
     fun() ->
             Caller = self(),
             spawn(fun() -> wait_for_calls([Caller]), timer:sleep(100), exit(Pid, kill) end),
             {killed, _} = left(fun() -> gen_server:call(Pid, {id, Id, hang}, infinity) end)
     end};
job(gen_timeout, Id, Bob, _) ->
    {gen_timeout, [Id], timeout,
     fun() -> {timeout, _} = left(fun() -> gen_server:call({calc, Bob}, {id, Id, hang}, ?PATIENCE) end) end};
job(erpc_timeout, Id, Bob, _) ->
    {erpc_timeout, [Id], timeout,
     fun() -> {erpc, timeout} = failed(fun() -> erpc:call(Bob, ?MODULE, call_me, [{id, Id}, hang], ?PATIENCE) end) end};
job(erpc_ok, Id, Bob, _) ->
    {erpc_ok, [Id], ok, fun() -> {did, Id} = erpc:call(Bob, ?MODULE, call_me, [{id, Id}, ok]) end};
job(erpc_throw, Id, Bob, _) ->
    {erpc_throw, [Id], {error, throw},
     fun() -> thrown = (catch erpc:call(Bob, ?MODULE, call_me, [{id, Id}, throw])) end};
job(erpc_exit, Id, Bob, _) ->
    {erpc_exit, [Id], {error, exit},
     fun() -> {exception, left} = left(fun() -> erpc:call(Bob, ?MODULE, call_me, [{id, Id}, exit]) end) end};
job(erpc_error, Id, Bob, _) ->
    {erpc_error, [Id], {error, error},
     fun() -> {exception, failed, _} = failed(fun() -> erpc:call(Bob, ?MODULE, call_me, [{id, Id}, error]) end) end};
job(rpc_ok, Id, Bob, _) ->
    {rpc_ok, [Id], ok, fun() -> {did, Id} = rpc:call(Bob, ?MODULE, call_me, [{id, Id}, ok]) end};
job(rpc_throw, Id, Bob, _) ->
    {rpc_throw, [Id], {error, throw},
     fun() -> thrown = rpc:call(Bob, ?MODULE, call_me, [{id, Id}, throw]) end};
job(rpc_undef, Id, Bob, _) ->
    {rpc_undef, [Id], {error, error},
     fun() -> {badrpc, _} = rpc:call(Bob, ?MODULE, no_such, [{id, Id}]) end};
job(block_ok, Id, Bob, _) ->
    {block_ok, [Id], ok,
     fun() -> {did, Id} = rpc:block_call(Bob, ?MODULE, call_me, [{id, Id}, ok]) end};
job(block_undef, Id, Bob, _) ->
    {block_undef, [Id], {error, badrpc},
     fun() -> {badrpc, _} = rpc:block_call(Bob, ?MODULE, no_such, [{id, Id}]) end};
job(multi, Id, Bob, Carol) ->
    {multi, [Id, Id], ok,
     fun() -> {[_, _], []} = gen_server:multi_call([Bob, Carol], calc, {id, Id, ok}) end};
job(spawn, Id, Bob, _) ->
    {spawn, [Id], ok,
     fun() -> Ref = spawn_request(Bob, ?MODULE, noop, [{id, Id}], []),
              receive {spawn_reply, Ref, ok, _} -> ok end end};
job(send_request, Id, Bob, _) ->
    {send_request, [Id], ok,
     fun() -> Req = gen_server:send_request({calc, Bob}, {id, Id, ok}),
              {reply, {did, Id}} = gen_server:wait_response(Req, infinity) end};
job(server_call, Id, Bob, _) ->
    {server_call, [Id], ok, fun() -> {did, Id} = rpc:server_call(Bob, old_style, old, {id, Id, ok}) end};
job(server_call_mfa, Id, Bob, _) ->
    {server_call_mfa, [Id], ok,
     fun() -> {did, Id} = rpc:server_call(Bob, old_style, old, {?MODULE, call_me, [{id, Id}, ok]}) end};
job(server_call_noproc, Id, Bob, _) ->
    {server_call_noproc, [Id], noproc,
     fun() -> {error, nodedown} = rpc:server_call(Bob, nobody, old, {id, Id, ok}) end};
job(not_server_call, Id, Bob, _) ->
    {not_server_call, [Id], abandoned, % it looks like a call until it is answered
     fun() ->
             Ref = monitor(process, {old_style, Bob}),
             {old_style, Bob} ! {self(), {id, Id, other_form}},
             receive {mine, {did, Id}} -> demonitor(Ref) end
     end};
job(io, Id, Bob, _) ->
    User = rpc:call(Bob, erlang, whereis, [user]),
    {io, [Id], ok,
     fun() -> ok = io:put_chars(User, ["{id,", integer_to_list(Id), "}\n"]) end}.

%% Each relay serves one client; then two clients share one, so that its parent may be ambiguous.
relays(Bob, Carol) ->
    [{relay_alone, [id()], ok, {relay(N), Bob, Carol, 10}} || N <- lists:seq(1, 4)] ++
        [{relay_shared, [id()], ok, {relay(5), Bob, Carol, 10}} || _ <- [1, 2]].

%% What processes ask for has been sent when they wait for the answer.
wait_for_calls(Callers) ->
    case lists:all(fun waits/1, Callers) of
        true -> ok;
        false -> timer:sleep(20), wait_for_calls(Callers)
    end.

waits(Pid) ->
    case process_info(Pid, [status, current_function]) of
        [{status, waiting}, {current_function, {M, _, _}}] -> lists:member(M, [gen, erpc]);
        _ -> false
    end.

left(Fun) ->
    try Fun() of Result -> {returned, Result} catch exit:Reason -> Reason end.

failed(Fun) ->
    try Fun() of Result -> {returned, Result} catch error:Reason -> Reason end.

collect(Jobs, Done) ->
    Self = self(),
    Pids = [element(1, spawn_monitor(fun() -> Self ! {done, self(), perform(J)} end)) || J <- Jobs],
    Done ++ lists:append([receive
                              {done, Pid, Results} -> Results;
                              {'DOWN', _, process, Pid, Reason} when Reason =/= normal ->
                                  io:format("a call went wrong: ~p~n", [Reason]),
                                  erlang:halt(1)
                          end || Pid <- Pids]).

perform({Kind, [Id], Expected, {Relay, Bob, Carol, Times}}) ->
    [begin
         This = Id * 1000 + N,
         Start = erlang:monotonic_time(),
         {did, _} = gen_server:call({Relay, Bob}, {id, This, {relay, Carol}}, infinity),
         {Kind, This, Expected, since(Start)}
     end || N <- lists:seq(1, Times)];
perform({Kind, Ids, Expected, Fun}) ->
    Start = erlang:monotonic_time(),
    Fun(),
    Time = since(Start),
    [{Kind, Id, Expected, Time} || Id <- Ids].

since(Start) ->
    erlang:convert_time_unit(erlang:monotonic_time() - Start, native, nanosecond).

killed_node(Dave) ->
    put(next, 90001),
    Ids = [id() || _ <- lists:seq(1, 2 * ?EACH)],
    {Gen, Erpc} = lists:split(?EACH, Ids),
    Killer = spawn(fun() ->
                           wait_for_calls([receive {calls, Pid} -> Pid end || _ <- Ids]),
                           rpc:cast(Dave, erlang, halt, [abort])
                   end),
    Jobs = [{gen_nodedown, [Id], noconnection,
             fun() -> Killer ! {calls, self()},
                      {{nodedown, _}, _} = left(fun() -> gen_server:call({calc, Dave}, {id, Id, hang}, infinity) end) end}
            || Id <- Gen] ++
        [{erpc_nodedown, [Id], noconnection,
          fun() -> Killer ! {calls, self()},
                   {erpc, noconnection} =
                       failed(fun() -> erpc:call(Dave, ?MODULE, call_me, [{id, Id}, hang]) end) end}
         || Id <- Erpc],
    collect(Jobs, []).

%% A message that goes round the nodes twice under a token; the system tracer of this node
%% collects what all of them send.
seq_traced([Bob, Carol]) ->
    register(traced, spawn(fun() -> traced([]) end)),
    Nodes = [node(), Bob, Carol],
    [{traced, N} ! {tracer, self()} || N <- Nodes],
    [receive {traced, N} -> ok end || N <- Nodes],
    Self = self(),
    spawn(fun() ->
                  seq_trace:set_token(label, 4711),
                  seq_trace:set_token(send, true),
                  {traced, Bob} ! {pass, round, [{traced, Carol}, {traced, node(Self)}, {traced, Bob},
                                                 {traced, Carol}, Self]}
          end),
    receive {pass, round, []} -> ok end,
    seq_trace:set_token([]),
    Sent = [sent() || _ <- lists:seq(1, 6)], % as often as it was forwarded
    [{traced, N} ! {tracer, false} || N <- Nodes],
    lists:sort(Sent).

sent() ->
    receive
        {seq_trace, 4711, {send, {Previous, Serial}, _, _, _}} -> {Serial, Previous};
        {seq_trace, 4711, {send, {Previous, Serial}, _, _, _}, _} -> {Serial, Previous}
    end.
