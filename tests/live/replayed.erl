%% A conversation that is the same each time; the replay escript plays one side of it.
%%
%% erl ... -run replayed serve [changed]     a node that answers, until it is told to end
%% erl ... -run replayed ask NODE [changed]  a node that asks, and says "done" when all answers
%%                                           are right; changed: one request or answer is another
-module(replayed).
-behaviour(gen_server).
-export([serve/1, serve/0, ask/1, init/1, handle_call/3, handle_cast/2, worker/1]).

serve() ->
    serve([]).

serve(Words) ->
    {ok, _} = gen_server:start({local, calc}, ?MODULE, lists:member("changed", Words), []),
    register(sink, self()),
    io:format("ready~n"),
    receive {finish, From} -> From ! finished end,
    timer:sleep(500), % for messages on their way
    halt(0).

init(Changed) ->
    {ok, {0, Changed}}.

handle_call({add, N}, _, {Sum, Changed}) ->
    {reply, {ok, Sum + N}, {Sum + N, Changed}};
handle_call(describe, _, {Sum, false} = State) ->
    {reply, #{sum => Sum, name => <<"calc">>, tags => [a, "text", 1.5]}, State};
handle_call(describe, _, {Sum, true} = State) ->
    {reply, #{sum => Sum, name => <<"other">>, tags => [a, "text", 1.5]}, State};
handle_call({echo, Term}, _, State) ->
    {reply, Term, State}.

handle_cast({tell, Pid, Ref}, State) ->
    Pid ! {told, Ref, self()},
    {noreply, State}.

worker(Parent) ->
    Parent ! {hello, self()},
    receive {work, Ref, From} -> From ! {Ref, done} end,
    receive stop -> exit(stopped) end.

ask([Other | Words]) ->
    Node = list_to_atom(Other),
    ping(Node, 50),
    calls(Node, lists:member("changed", Words)),
    signals(Node),
    large(Node),
    {sink, Node} ! {finish, self()},
    receive finished -> ok end,
    io:format("done~n"),
    halt(0).

ping(Node, 0) -> exit({no, Node});
ping(Node, N) ->
    case net_adm:ping(Node) of
        pong -> ok;
        pang -> timer:sleep(100), ping(Node, N - 1)
    end.

calls(Node, Changed) ->
    {ok, 1} = gen_server:call({calc, Node}, {add, 1}),
    {ok, 4} = gen_server:call({calc, Node}, {add, 3}),
    #{sum := 4} = gen_server:call({calc, Node}, describe),
    Number = case Changed of true -> 43; false -> 42 end,
    Terms = {atom, Number, 1 bsl 100, -7.25, <<5:3>>, 'ünïcode', [self(), Node, node()]},
    Terms = gen_server:call({calc, Node}, {echo, Terms}),
    [3, 2, 1] = rpc:call(Node, lists, reverse, [[1, 2, 3]]),
    {badrpc, {'EXIT', {badarg, _}}} = rpc:call(Node, erlang, atom_to_list, [17]),
    Node = erpc:call(Node, erlang, node, []),
    Ref = make_ref(),
    gen_server:cast({calc, Node}, {tell, self(), Ref}),
    receive {told, Ref, Calc} -> {ok, 9} = gen_server:call(Calc, {add, 5}) end.

%% A process of the other node is spawned, monitored, linked to, and ends.
signals(Node) ->
    process_flag(trap_exit, true),
    Pid = spawn_link(Node, ?MODULE, worker, [self()]),
    receive {hello, Pid} -> ok end,
    Monitor = monitor(process, Pid),
    Work = make_ref(),
    Pid ! {work, Work, self()},
    receive {Work, done} -> ok end,
    unlink(Pid),
    link(Pid),
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, stopped} -> ok end,
    receive {'EXIT', Pid, stopped} -> ok end.

%% The runtime splits it into fragments.
large(Node) ->
    Bytes = binary:copy(<<"0123456789abcdef">>, 12000),
    {Bytes, Pid} = gen_server:call({calc, Node}, {echo, {Bytes, self()}}),
    Pid = self().
