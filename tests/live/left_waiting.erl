%% left_waiting.erl - servers that die while others wait, that keep a request until there is news, and
%% that answer the dead. What became of each call its caller, or who killed it, writes down.
%%
%%   erl ... -run left_waiting serve READY
%%   erl ... -run left_waiting run TRUTH BOB CAROL     ends all three
-module(left_waiting).
-behaviour(gen_server).
-export([serve/1, run/1, start_one/0, ask_locally/2]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

serve([Ready]) ->
    [{ok, _} = gen_server:start({local, Name}, ?MODULE, [], []) || Name <- [board, late, plain]],
    ok = file:write_file(Ready, <<>>).

start_one() ->
    {ok, Pid} = gen_server:start(?MODULE, [], []),
    Pid.

ask_locally(Id, To) -> gen_server:call(board, {id, Id, {ask, To}}).

init(_) ->
    process_flag(trap_exit, true),
    {ok, []}.

handle_call({id, _, hang}, _, Kept) -> {noreply, Kept};
handle_call({id, _, ok}, _, Kept) -> {reply, ok, Kept};
handle_call({id, _, crash_after, Ms}, _, _) -> timer:sleep(Ms), error(as_told);
handle_call({id, _, keep}, From, Kept) -> {noreply, [From | Kept]};
handle_call({id, _, give}, _, Kept) -> [gen_server:reply(From, news) || From <- Kept], {reply, ok, []};
handle_call({id, Id, {ask, To}}, _, Kept) -> {reply, ask(Id, To), Kept};
handle_call({id, _, {answer_after, Ms}}, From, Kept) ->
    erlang:send_after(Ms, self(), {answer, From}),
    {noreply, Kept}.

handle_cast({id, Id, {ask, To}}, Kept) -> ask(Id, To), {noreply, Kept}.

handle_info({answer, From}, Kept) -> gen_server:reply(From, late), {noreply, Kept};
handle_info({id, Id, {ask, To}}, Kept) -> ask(Id, To), {noreply, Kept};
handle_info({'EXIT', _, _}, Kept) -> {noreply, Kept}.

ask(Id, To) -> gen_server:call({plain, To}, {id, Id + 1000, ok}).

%% The node that calls

run([Log | Names]) ->
    [Bob, Carol] = [list_to_atom(N) || N <- Names],
    [pong = net_adm:ping(N) || N <- [Bob, Carol]],
    pong = rpc:call(Bob, net_adm, ping, [Carol]),
    put(next, 1),
    put(truth, []),
    [crashes(Bob, After) || After <- [300, 500]],
    [killed(Bob, After) || After <- [300, 500]],
    Board = rpc:call(Bob, erlang, whereis, [board]),
    [keeps({board, Bob}, Bob, Carol, How) || How <- [cast, info, local]],
    [keeps(Board, Bob, Carol, How) || How <- [cast, info, local, call]],
    [answers_the_dead(Bob, After, Link) || After <- [37, 70, 237], Link <- [false, true]],
    answers_the_dead(Bob, 300, true),
    [answers_the_living(Bob, After) || After <- [37, 237, 300]],
    ok = file:write_file(Log, zlib:gzip(term_to_binary(lists:sort(get(truth))))),
    [rpc:cast(N, init, stop, []) || N <- [Bob, Carol]],
    timer:sleep(300),
    erlang:halt(0).

id() ->
    Id = get(next),
    put(next, Id + 1),
    Id.

note(Id, What) -> put(truth, [{Id, What} | get(truth)]).

%% Callers with timeouts before, at and after the moment at which their server dies.
crashes(Bob, After) ->
    Pid = rpc:call(Bob, ?MODULE, start_one, []),
    First = id(),
    all_call(Pid, [{First, {id, First, crash_after, After}, infinity} |
                   [{Id, {id, Id, hang}, T} || T <- times(After), Id <- [id()]]]).

killed(Bob, After) ->
    Pid = rpc:call(Bob, ?MODULE, start_one, []),
    Jobs = [{Id, {id, Id, hang}, T} || T <- times(After), Id <- [id()]],
    spawn(fun() -> timer:sleep(After), exit(Pid, kill) end),
    all_call(Pid, Jobs).

times(After) -> [200, 2000] ++ [After + N || N <- [-5, -2, -1, -1, 0, 0, 0, 1, 2]].

all_call(Pid, Jobs) ->
    Self = self(),
    [spawn(fun() -> Self ! {done, Id, call(Pid, Request, Timeout)} end) || {Id, Request, Timeout} <- Jobs],
    [receive {done, Id, How} -> note(Id, How) end || {Id, _, _} <- Jobs].

call(Pid, Request, Timeout) ->
    try gen_server:call(Pid, Request, Timeout) of _ -> ok
    catch exit:{timeout, _} -> timeout; exit:_ -> exit
    end.

%% Calls that the server makes for others while it keeps a request.
keeps(To, Bob, Carol, How) ->
    {Self, Kept} = {self(), id()},
    spawn(fun() -> Self ! {done, Kept, call(To, {id, Kept, keep}, infinity)} end),
    timer:sleep(130),
    [begin
         Id = id(),
         comes(How, To, Bob, {id, Id, {ask, Carol}}, Carol),
         note(Id + 1000, {not_for, Kept}),
         timer:sleep(130)
     end || _ <- lists:seq(1, 3)],
    gen_server:call({board, Bob}, {id, id(), give}),
    receive {done, Kept, How1} -> note(Kept, How1) end.

comes(cast, To, _, Request, _) -> gen_server:cast(To, Request);
comes(info, {board, _}, Bob, Request, _) -> {board, Bob} ! Request;
comes(info, To, _, Request, _) -> To ! Request;
comes(call, To, _, Request, _) -> ok = gen_server:call(To, Request);
comes(local, _, Bob, {id, Id, _}, Carol) -> ok = rpc:call(Bob, ?MODULE, ask_locally, [Id, Carol]).

%% Killed callers whose answer comes all the same.
answers_the_dead(Bob, After, Link) ->
    {Self, Id, Server} = {self(), id(), rpc:call(Bob, erlang, whereis, [late])},
    Pid = spawn(fun() ->
                        not Link orelse link(Server),
                        Self ! ready,
                        gen_server:call(Server, {id, Id, {answer_after, After + 80}}, infinity)
                end),
    receive ready -> ok end,
    timer:sleep(After),
    exit(Pid, kill),
    timer:sleep(120),
    note(Id, killed).

%% Callers that give up and go on, whose answer comes late.
answers_the_living(Bob, After) ->
    Id = id(),
    note(Id, call({late, Bob}, {id, Id, {answer_after, After + 80}}, After)),
    timer:sleep(120),
    ok = gen_server:call({plain, Bob}, {id, id(), ok}).
