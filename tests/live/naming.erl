%% Processes that get and lose names: registered ones, and those of global and pg. Each message to one of
%% them says what it is called at that moment: {shown, RegisteredName | none, Titles}.
%%
%% erl ... -run naming serve READY       a node with such processes; the file says that they are there
%% erl ... -run naming run NODE NODE     the node that sends the messages
-module(naming).
-export([serve/1, run/1, start/0, stop/1, perform/2]).

serve([Ready]) ->
    {ok, _} = pg:start(pg),
    {ok, _} = pg:start(own_scope),
    register(keeper, spawn(fun() -> receive never -> ok end end)),
    %% Before they are connected: nodes learn it when they connect.
    Early = start(),
    yes = global:register_name(on_my_own(early), Early),
    ok = pg:join({early, node()}, Early),
    register(early, Early),
    ok = file:write_file(Ready, <<>>).

on_my_own(Name) ->
    {Name, node()}.

start() ->
    spawn(fun loop/0).

loop() ->
    receive
        {perform, From, Fun} -> From ! {self(), Fun()}, loop();
        {'$gen_call', From, What} -> gen:reply(From, What), loop();
        stop -> ok;
        _ -> loop()
    end.

stop(Pid) ->
    exit(Pid, kill).

perform(Pid, Fun) ->
    Pid ! {perform, self(), Fun},
    receive {Pid, Result} -> Result end.

%% On the node of the process, so that this message is the only one about it.
at(Pid, M, F, A) ->
    erpc:call(node(Pid), M, F, A).

shown(Pid, Name, Titles) ->
    Pid ! case get(groups) of
        true -> {shown, Name, lists:sort(Titles)};
        false -> {shown_without_groups, Name, lists:sort([T || T <- Titles, not is_group(T)])}
    end.

is_group("pg:" ++ _) -> true;
is_group(_) -> false.

%% The pg of early releases of OTP 25 crashes when that of OTP 28 introduces itself.
have_groups(Nodes) ->
    lists:all(fun(N) -> is_pid(rpc:call(N, erlang, whereis, [pg])) end, [node() | Nodes]).

run(Names) ->
    [Bob, Carol] = [list_to_atom(N) || N <- Names],
    {ok, _} = pg:start(pg),
    {ok, _} = pg:start(own_scope),
    [pong = net_adm:ping(N) || N <- [Bob, Carol]],
    ok = global:sync(),
    put(groups, have_groups([Bob, Carol])),
    first_met([Bob, Carol]),
    global_names(Bob, Carol),
    get(groups) andalso groups(Bob),
    registered(Bob),
    restarted(Bob),
    [rpc:cast(N, init, stop, []) || N <- [Bob, Carol]],
    timer:sleep(500),
    erlang:halt(0).

wait(Node) ->
    case net_adm:ping(Node) of
        pong -> ok;
        pang -> timer:sleep(100), wait(Node)
    end.

text(Format, Args) ->
    lists:flatten(io_lib:format(Format, Args)).

first_met(Nodes) ->
    [begin
         Early = early(N),
         shown(Early, none, [text("global:{early,~tp}", [N]), text("pg:{early,~tp}", [N])])
     end || N <- Nodes].

%% The node may still be starting; and the knowledge of global and pg here may be out of date.
early(Node) ->
    case erpc:call(Node, erlang, whereis, [early]) of
        undefined -> timer:sleep(100), early(Node);
        Pid -> wait_for_names({early, Node}, Pid), Pid
    end.

wait_for_names(Name, Pid) ->
    case global:whereis_name(Name) =:= Pid andalso (not get(groups) orelse pg:get_members(Name) =:= [Pid]) of
        true -> ok;
        false -> timer:sleep(20), wait_for_names(Name, Pid)
    end.

global_names(Bob, Carol) ->
    One = erpc:call(Bob, ?MODULE, start, []),
    Two = erpc:call(Carol, ?MODULE, start, []),
    shown(One, none, []),
    yes = at(One, global, register_name, [lab, One]),
    shown(One, none, ["global:lab"]),
    shown(Two, none, []),
    yes = at(Two, global, re_register_name, [lab, Two]), % the name moves
    shown(One, none, []),
    shown(Two, none, ["global:lab"]),
    yes = global:register_name({room, "a b", 3}, One),
    shown(One, none, ["global:{room,\"a b\",3}"]),
    global:unregister_name(lab),
    shown(Two, none, []),
    at(One, ?MODULE, stop, [One]),
    timer:sleep(200),
    Two ! {shown, none, []}.

groups(Bob) ->
    [One, Two] = [erpc:call(Bob, ?MODULE, start, []) || _ <- [1, 2]],
    ok = at(One, pg, join, [workers, One]),
    shown(One, none, ["pg:workers"]),
    ok = at(One, pg, join, [{chat, 3}, [One, Two]]),
    ok = at(One, pg, join, [own_scope, teams, Two]),
    shown(One, none, ["pg:workers", "pg:{chat,3}"]),
    shown(Two, none, ["pg:own_scope:teams", "pg:{chat,3}"]),
    ok = at(One, pg, leave, [{chat, 3}, [One, Two]]),
    shown(One, none, ["pg:workers"]),
    shown(Two, none, ["pg:own_scope:teams"]),
    Ref = monitor(process, One),
    at(One, ?MODULE, stop, [One]),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    timer:sleep(200),
    shown(One, none, []).

%% The pid that answers for a name has it; a monitor by name shows when it is gone.
registered(Bob) ->
    One = erpc:call(Bob, ?MODULE, start, []),
    true = at(One, erlang, register, [echo, One]),
    yes = at(One, global, register_name, [echo, One]),
    shown(One, none, ["global:echo"]),
    hello = gen_server:call({echo, Bob}, hello),
    shown(One, echo, ["global:echo"]),
    Ref = monitor(process, {echo, Bob}),
    at(One, ?MODULE, stop, [One]),
    receive {'DOWN', Ref, process, {echo, Bob}, _} -> ok end,
    shown(One, none, []).

%% In another incarnation of the node.
restarted(Bob) ->
    One = erpc:call(Bob, ?MODULE, start, []),
    yes = at(One, global, register_name, [again, One]),
    get(groups) andalso (ok = at(One, pg, join, [again, One])),
    shown(One, none, ["global:again", "pg:again"]),
    monitor_node(Bob, true),
    rpc:cast(Bob, erlang, halt, [3]), % the test starts it again
    receive {nodedown, Bob} -> ok end,
    wait(Bob),
    shown(One, none, []),
    first_met([Bob]).
