%% Calls of every kind among three nodes, thousands of them and many at once, each with a number
%% in its request. Who makes a call logs what became of it, and for whose sake it was made.
%%
%% erl ... -run crowd serve READY         a node that is called; the file says that it can be
%% erl ... -run crowd run LOG BOB CAROL   the node that calls; LOG gets [{Kind, Id, Outcome, Parent}]
%%
%% Outcome is what the record is to say, or none when it should have none; Parent the number of
%% the call, or none.
-module(crowd).
-behaviour(gen_server).
-export([serve/1, run/1, init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2]).
-export([work_as/3]).

-define(EACH, 40).    % clients of each kind
-define(ROUNDS, 10).  % calls that each makes, one after the other
-define(WORKERS, 4).

%% The called nodes: leaf answers after a while and serves others in between; mid_N calls leafs
%% before it answers; pool uses workers; the rest are not gen_servers.

serve([Ready]) ->
    serve(),
    ok = file:write_file(Ready, <<>>).

serve() ->
    {ok, _} = gen_server:start({local, leaf}, ?MODULE, leaf, []),
    [{ok, _} = gen_server:start({local, mid(N)}, ?MODULE, mid, []) || N <- lists:seq(1, 8 * ?EACH)],
    {ok, _} = gen_server:start({local, pool}, ?MODULE, pool, []),
    register(forwarder, spawn(fun forward/0)),
    register(plain, spawn(fun plain/0)),
    ok.

mid(N) ->
    list_to_atom("mid_" ++ integer_to_list(N)).

init(pool) ->
    Workers = [begin {ok, P} = gen_server:start(?MODULE, worker, []), P end
               || _ <- lists:seq(1, ?WORKERS)],
    {ok, {pool, Workers, queue:new()}};
init(What) ->
    {ok, What}.

handle_call(Request, From, {pool, Workers, Queue}) ->
    {noreply, give(Workers, queue:in({Request, From}, Queue))};
handle_call({id, Id, {slow, Ms}}, From, State) ->
    erlang:send_after(Ms, self(), {answer, From, {did, Id}}),
    {noreply, State};
handle_call({id, Id, {work, Leafs, Ids, Ms}}, _, State) ->
    work(Leafs, {Ids, Ms}),
    {reply, {did, Id}, State};
handle_call({id, Id, {later, Leafs, Ids, Ms}}, _, State) ->
    {reply, {did, Id}, State, {continue, {Leafs, Ids, Ms}}};
handle_call({id, Id, {stray, Others}}, {_, Tag} = From, State) ->
    Ref = case Tag of [alias | R] -> R; R -> R end,
    [Other ! {T, noise} || Other <- Others, T <- [Tag, Ref]],
    erlang:send_after(5, self(), {answer, From, {did, Id}}),
    {noreply, State};
%% Like a command to ra: a member of the cluster on the caller's own node answers.
handle_call({leader_call, {command, normal, {'$usr', {id, Id}, {await_consensus, Options}}}}, From, State) ->
    #{reply_from := {member, Member}} = Options,
    gen_server:cast(Member, {answer, From, {did, Id}}),
    {noreply, State}.

handle_cast({work, Leafs, Ids, Ms}, State) ->
    work(Leafs, {Ids, Ms}),
    {noreply, State};
handle_cast({do, Pool, {id, Id, {work, Leafs, Ids, Ms}}, From}, State) ->
    work(Leafs, {Ids, Ms}),
    gen_server:reply(From, {did, Id}),
    Pool ! {idle, self()},
    {noreply, State};
handle_cast({answer, From, Reply}, State) ->
    gen_server:reply(From, Reply),
    {noreply, State}.

handle_info({answer, From, Reply}, State) ->
    gen_server:reply(From, Reply),
    {noreply, State};
handle_info({idle, Worker}, {pool, Workers, Queue}) ->
    {noreply, give(Workers ++ [Worker], Queue)};
handle_info(_, State) ->
    {noreply, State}.

handle_continue({Leafs, Ids, Ms}, State) ->
    work(Leafs, {Ids, Ms}),
    {noreply, State}.

give([Worker | Workers] = All, Queue) ->
    case queue:out(Queue) of
        {{value, {Request, From}}, Rest} ->
            gen_server:cast(Worker, {do, self(), Request, From}),
            give(Workers, Rest);
        {empty, _} -> {pool, All, Queue}
    end;
give([], Queue) ->
    {pool, [], Queue}.

%% work(Leaf, {Ids, Ms}): a call of leaf for each number, of that duration.
work(Leaf, {Ids, Ms}) ->
    [{did, Id} = gen_server:call(Leaf, {id, Id, {slow, Ms}}, infinity) || Id <- Ids],
    ok.

work_as({id, _}, Leaf, Work) ->
    work(Leaf, Work).

forward() ->
    receive
        {'$gen_call', From, {id, Id, {forward, [Next | Rest]}}} ->
            Request = case Rest of [] -> {slow, 2}; _ -> {forward, Rest} end,
            Next ! {'$gen_call', From, {id, Id, Request}}
    end,
    forward().

plain() ->
    receive
        {From, {id, Id}} -> From ! {got, Id}
    end,
    plain().

%% The calling node

run([Log | Names]) ->
    [Bob, Carol] = Nodes = [list_to_atom(N) || N <- Names],
    [pong = net_adm:ping(N) || N <- Nodes],
    ok = serve(),
    register(somebody, spawn(fun ignore/0)),
    Done = lists:append([all_at_once(Kind, Bob, Carol) || Kind <- kinds()]),
    ok = file:write_file(Log, io_lib:format("~tp.~n", [Done])),
    %% By then every late answer has come, too.
    [gen_server:call({leaf, N}, {id, id(), {slow, 500}}, infinity) || N <- Nodes],
    [rpc:cast(N, init, stop, []) || N <- Nodes],
    timer:sleep(500),
    erlang:halt(0).

ignore() ->
    receive _ -> ignore() end.

kinds() ->
    [gen, erpc, rpc, mid, paced, long, retry, continue, busy, pool, forward, forward_home, many_nodes, many_times,
     stray, own_monitor, not_server_call, killed, killed_late, timeout, odd_timeout, multi, multi_late,
     elsewhere].

all_at_once(Kind, Bob, Carol) ->
    Self = self(),
    Pids = [element(1, spawn_monitor(fun() ->
                                             Self ! {done, self(), client(Kind, N, Bob, Carol)}
                                     end)) || N <- lists:seq(1, ?EACH)],
    lists:append([receive
                      {done, Pid, Results} -> Results;
                      {'DOWN', _, process, Pid, Reason} when Reason =/= normal ->
                          io:format("~p went wrong: ~p~n", [Kind, Reason]),
                          erlang:halt(1)
                  end || Pid <- Pids]).

client(Kind, N, Bob, Carol) ->
    lists:append([[{Kind, Id, Outcome, Parent}
                   || {Id, Outcome, Parent} <- call(Kind, N, Bob, Carol)]
                  || _ <- lists:seq(1, ?ROUNDS)]).

id() ->
    erlang:unique_integer([positive, monotonic]).

ids(N) ->
    [id() || _ <- lists:seq(1, N)].

tell(Fun) ->
    try Fun() of _ -> ok
    catch
        exit:{timeout, _} -> timeout;
        exit:{killed, _} -> error
    end.

%% call(Kind, Client, Bob, Carol) -> [{Id, Outcome, Parent}]
call(gen, _, Bob, _) ->
    Id = id(),
    {did, Id} = gen_server:call({leaf, Bob}, {id, Id, {slow, 1}}, infinity),
    [{Id, ok, none}];
call(erpc, _, Bob, Carol) ->
    Id = id(),
    Ids = ids(2),
    ok = erpc:call(Bob, ?MODULE, work_as, [{id, Id}, {leaf, Carol}, {Ids, 0}]),
    [{Id, ok, none} | [{I, ok, Id} || I <- Ids]];
call(rpc, _, Bob, Carol) ->
    Id = id(),
    Ids = ids(2),
    ok = rpc:call(Bob, ?MODULE, work_as, [{id, Id}, {leaf, Carol}, {Ids, 0}]),
    [{Id, ok, none} | [{I, ok, Id} || I <- Ids]];
call(mid, N, Bob, Carol) ->
    Id = id(),
    Ids = ids(2),
    {did, Id} = gen_server:call({mid(N), Bob}, {id, Id, {work, {leaf, Carol}, Ids, 2}}, infinity),
    [{Id, ok, none} | [{I, ok, Id} || I <- Ids]];
%% The same with a pause between an answer and the next request; and many in turn.
call(paced, N, Bob, Carol) ->
    timer:sleep(15),
    call(mid, 6 * ?EACH + N, Bob, Carol);
call(long, N, Bob, Carol) when N =< 4 ->
    lists:append([call(mid, 7 * ?EACH + N, Bob, Carol) || _ <- lists:seq(1, 12)]);
call(long, _, _, _) ->
    [];
%% The first is still being served when the second comes.
call(retry, N, Bob, Carol) ->
    Server = {mid(?EACH + N), Bob},
    [A, B] = ids(2),
    [InA, InB] = [ids(4), ids(2)],
    First = tell(fun() -> gen_server:call(Server, {id, A, {work, {leaf, Carol}, InA, 20}}, 50) end),
    {did, B} = gen_server:call(Server, {id, B, {work, {leaf, Carol}, InB, 2}}, infinity),
    [{A, late(First), none}, {B, ok, none}] ++ [{I, ok, A} || I <- InA] ++ [{I, ok, B} || I <- InB];
call(continue, N, Bob, Carol) ->
    Server = {mid(2 * ?EACH + N), Bob},
    Id = id(),
    Ids = ids(2),
    {did, Id} = gen_server:call(Server, {id, Id, {later, {leaf, Carol}, Ids, 5}}, infinity),
    Last = id(),
    {did, Last} = gen_server:call(Server, {id, Last, {slow, 1}}, infinity),
    [{Id, ok, none}, {Last, ok, none} | [{I, ok, none} || I <- Ids]];
%% A request comes while the server does its own work.
call(busy, N, Bob, Carol) ->
    Server = {mid(3 * ?EACH + N), Bob},
    Id = id(),
    [Own, Ids] = [ids(4), ids(2)],
    gen_server:cast(Server, {work, {leaf, Carol}, Own, 5}),
    timer:sleep(8),
    {did, Id} = gen_server:call(Server, {id, Id, {work, {leaf, Carol}, Ids, 2}}, infinity),
    [{Id, ok, none}] ++ [{I, ok, none} || I <- Own] ++ [{I, ok, Id} || I <- Ids];
call(pool, N, Bob, Carol) ->
    N > 2 * ?WORKERS andalso timer:sleep(N),
    Id = id(),
    Ids = ids(2),
    {did, Id} = gen_server:call({pool, Bob}, {id, Id, {work, {leaf, Carol}, Ids, 2}}, infinity),
    [{Id, ok, none} | [{I, ok, Id} || I <- Ids]];
call(forward, _, Bob, Carol) ->
    Id = id(),
    {did, Id} = gen_server:call({forwarder, Bob}, {id, Id, {forward, [{leaf, Carol}]}}, infinity),
    [{Id, ok, none}];
call(forward_home, _, Bob, Carol) ->
    Id = id(),
    Way = [{forwarder, Carol}, {leaf, node()}],
    {did, Id} = gen_server:call({forwarder, Bob}, {id, Id, {forward, Way}}, infinity),
    [{Id, answered_elsewhere, none}];
%% One reference for several requests.
call(many_nodes, _, Bob, Carol) ->
    asked_with_one_tag([{leaf, Bob}, {leaf, Carol}]);
call(many_times, N, Bob, _) ->
    asked_with_one_tag([{leaf, Bob}, {leaf, Bob}, {mid(4 * ?EACH + N), Bob}]);
%% The server sends messages that look like the answer to other processes of the caller's node.
call(stray, N, Bob, _) ->
    Id = id(),
    Others = [{somebody, node()}, whereis(somebody)],
    {did, Id} = gen_server:call({mid(5 * ?EACH + N), Bob}, {id, Id, {stray, Others}}, infinity),
    [{Id, ok, none}];
%% A monitor that has nothing to do with the call.
call(own_monitor, _, Bob, _) ->
    Id = id(),
    Monitor = monitor(process, {leaf, Bob}),
    Ref = make_ref(),
    {leaf, Bob} ! {'$gen_call', {self(), Ref}, {id, Id, {slow, 10}}},
    demonitor(Monitor, [flush]),
    receive {Ref, {did, Id}} -> ok end,
    [{Id, ok, none}];
call(not_server_call, _, Bob, _) ->
    Id = id(),
    Monitor = monitor(process, {plain, Bob}),
    {plain, Bob} ! {self(), {id, Id}},
    receive {got, Id} -> ok end,
    demonitor(Monitor, [flush]),
    [{Id, none, none}];
call(killed, _, Bob, _) ->
    Id = id(),
    kill_after(fun() -> gen_server:call({leaf, Bob}, {id, Id, {slow, 60000}}, infinity) end,
               10 + rand:uniform(50)),
    [{Id, abandoned, none}];
%% The answer still comes: the caller's end and its giving up look the same.
call(killed_late, _, Bob, _) ->
    Id = id(),
    kill_after(fun() -> gen_server:call({leaf, Bob}, {id, Id, {slow, 250}}, infinity) end,
               10 + rand:uniform(50)),
    [{Id, given_up, none}];
call(timeout, _, Bob, _) ->
    Id = id(),
    Outcome = tell(fun() -> gen_server:call({leaf, Bob}, {id, Id, {slow, 400}}, 100) end),
    [{Id, late(Outcome), none}];
call(odd_timeout, _, Bob, _) ->
    Id = id(),
    Outcome = tell(fun() -> gen_server:call({leaf, Bob}, {id, Id, {slow, 250}}, 37) end),
    [{Id, late(Outcome), none}];
call(multi, _, Bob, Carol) ->
    Id = id(),
    {[_, _], []} = gen_server:multi_call([Bob, Carol], leaf, {id, Id, {slow, 1}}),
    [{Id, ok, none}, {Id, ok, none}];
call(multi_late, _, Bob, Carol) ->
    Id = id(),
    {Good, Bad} = gen_server:multi_call([Bob, Carol], leaf, {id, Id, {slow, 400}}, 50),
    [{Id, ok, none} || _ <- Good] ++ [{Id, late(timeout), none} || _ <- Bad];
call(elsewhere, _, Bob, _) ->
    Id = id(),
    Command = {command, normal, {'$usr', {id, Id}, {await_consensus,
                                                    #{reply_from => {member, {leaf, node()}}}}}},
    {did, Id} = gen_server:call({leaf, Bob}, {leader_call, Command}, infinity),
    [{Id, answered_elsewhere, none}].

late(timeout) -> late;
late(Outcome) -> Outcome.

asked_with_one_tag(Servers) ->
    Id = id(),
    Ref = make_ref(),
    [Server ! {'$gen_call', {self(), Ref}, {id, Id, {slow, 1 + rand:uniform(5)}}} || Server <- Servers],
    [receive {Ref, {did, Id}} -> {Id, ok, none} end || _ <- Servers].

kill_after(Fun, Ms) ->
    {Pid, Monitor} = spawn_monitor(Fun),
    wait_for_call(Pid),
    timer:sleep(Ms),
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end.

%% What it asks for has been sent when it waits for the answer.
wait_for_call(Pid) ->
    case process_info(Pid, [status, current_function]) of
        [{status, waiting}, {current_function, {gen, _, _}}] -> ok;
        undefined -> ok;
        _ -> timer:sleep(1), wait_for_call(Pid)
    end.
