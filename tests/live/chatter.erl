%% Two nodes that send each other everything that Erlang nodes can send, and log it: every
%% message sent to another node (from the runtime's own tracing) and the signals of one process.
%%
%% erl ... -run chatter answer LOG          the node that is talked to
%% erl ... -run chatter small LOG OTHER     the same without what is long
%% erl ... -run chatter some LOG OTHER      the same with terms of every kind
%% erl ... -run chatter talk LOG OTHER [pause] the node that talks, and then ends both
-module(chatter).
-behaviour(gen_server).
-export([answer/1, talk/1, some/1, small/1, host/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, worker/0, echo/1, fail/2, note/1]).

answer([Log]) ->
    Tracer = trace(),
    ok = file:write_file(Log ++ ".ready", <<>>),
    start(),
    register(peer, self()),
    untraced(),
    peer(Tracer, Log).

talk([Log, Other | Options]) ->
    talk(Log, Other, [list_to_atom(O) || O <- Options],
         [fun terms/1, fun atoms/1, fun large/1, fun traced/1, fun aliases/1, fun names/1]).

%% The same without long messages.
small([Log, Other]) ->
    talk(Log, Other, [], [fun traced/1, fun aliases/1, fun names/1]).

%% With terms of every kind, but none in thousands nor of more than two fragments.
some([Log, Other]) ->
    talk(Log, Other, [], [fun(Node) -> terms(Node, 100000) end, fun traced/1, fun aliases/1, fun names/1]).

talk(Log, Other, Pause, Steps) ->
    wait_for_node(string:split(Other, "@")),
    Tracer = trace(),
    start(),
    Node = list_to_atom(Other),
    pong = net_adm:ping(Node),
    wait_for_peer(Node),
    run(fun calls/1, Node),
    [pause(Log) || pause <- Pause],
    [run(Step, Node) || Step <- Steps],
    Signals = signals(Node),
    {peer, Node} ! {finish, self()},
    receive finished -> ok end,
    finish(Tracer, Log, Node, Signals).

%% Reports that it pauses, and waits for a message.
pause(Log) ->
    ok = file:write_file(Log ++ ".pause", <<>>),
    wait_for_file(Log ++ ".go").

wait_for_file(Name) ->
    case filelib:is_file(Name) of
        true -> ok;
        false -> timer:sleep(50), wait_for_file(Name)
    end.

%% host LOG: a node for a C node: answers messages until it is told to stop.
host([Log]) ->
    Tracer = trace(),
    register(peer, self()),
    ok = file:write_file(Log ++ ".ready", <<>>),
    CNode = host_loop(undefined),
    finish(Tracer, Log, CNode, []).

host_loop(CNode) ->
    receive
        {hello, Pid} ->
            Pid ! {welcome, [{atom, 'grüß'}, 1.5, <<1, 2, 3>>, "text", self(), make_ref()]},
            Pid ! {large, binary:copy(<<"0123456789">>, 30000)},
            host_loop(node(Pid));
        {stop, Pid} ->
            Pid ! stopped,
            CNode;
        {_, Pid, Term} when is_pid(Pid) ->
            Pid ! {echo, Term},
            host_loop(CNode);
        _ ->
            host_loop(CNode)
    end.

start() ->
    {ok, _} = gen_server:start({local, calc}, ?MODULE, [], []),
    {ok, _} = pg:start(chat).

%% Before the log begins: messages to a node that is not there yet are not sent.
wait_for_node([Name, Host]) ->
    case erl_epmd:port_please(Name, Host) of
        {port, _, _} -> ok;
        _ -> timer:sleep(100), wait_for_node([Name, Host])
    end.

wait_for_peer(Node) ->
    case rpc:call(Node, erlang, whereis, [peer]) of
        undefined -> timer:sleep(100), wait_for_peer(Node);
        Pid when is_pid(Pid) -> ok
    end.

run(Step, Node) ->
    {Pid, Ref} = spawn_monitor(fun() -> Step(Node) end),
    receive {'DOWN', Ref, process, Pid, Reason} -> normal = Reason end.

%% The log: every message that a process of this node sends to another node, in order.
trace() ->
    Tracer = spawn(fun() -> tracer([]) end),
    register(sent_log, Tracer),
    erlang:trace(all, true, [send, {tracer, Tracer}]),
    Tracer.

%% The runtime does not trace a send that it suspends, as it does for a long list: processes that
%% send such terms are not traced, but log for themselves.
untraced() ->
    erlang:trace(self(), false, [send]).

say(To, Message) ->
    sent_log ! {trace, self(), send, Message, To},
    To ! Message.

tracer(Sent) ->
    receive
        {trace, From, Kind, Message, To} when Kind =:= send; Kind =:= send_to_non_existing_process ->
            case remote(To) of
                true -> tracer([{From, To, Message} | Sent]);
                false -> tracer(Sent)
            end;
        {collect, From} ->
            From ! {sent, lists:reverse(Sent)}
    end.

remote({_, Node}) -> Node =/= node();
remote(To) when is_pid(To); is_reference(To) -> node(To) =/= node();
remote(_) -> false.

finish(Tracer, Log, Other, Signals) ->
    timer:sleep(500),
    Counters = case net_kernel:node_info(Other) of
        {ok, Info} -> maps:with([in, out], maps:from_list(Info));
        _ -> #{} % it has gone
    end,
    Ref = erlang:trace_delivered(all),
    receive {trace_delivered, all, Ref} -> ok end,
    Tracer ! {collect, self()},
    receive {sent, Sent} -> ok end,
    ok = file:write_file(Log, term_to_binary(#{node => node(), sent => Sent, counters => Counters,
                                               signals => Signals})),
    timer:sleep(1000),
    erlang:halt(0, [{flush, false}]).

%% The other side.
peer(Tracer, Log) ->
    receive
        {worker, From} ->
            say(From, {worker, spawn(?MODULE, worker, [])}),
            peer(Tracer, Log);
        {alias, Alias, Term} ->
            say(Alias, {through_alias, Term}),
            peer(Tracer, Log);
        {echo, From, Term} ->
            say(From, {echo, Term}),
            peer(Tracer, Log);
        {finish, From} ->
            say(From, finished),
            finish(Tracer, Log, node(From), []);
        _ ->
            peer(Tracer, Log)
    end.

worker() ->
    receive
        {watch, From, Pid} ->
            Ref = monitor(process, Pid),
            link(Pid),
            process_flag(trap_exit, true),
            From ! {watching, Ref},
            worker();
        {end_with, Reason} -> exit(Reason);
        _ -> worker()
    end.

init([]) -> {ok, 0}.
handle_call({add, N}, _, State) -> {reply, {ok, State + N}, State + N};
handle_call(Request, _, State) -> {reply, {error, Request}, State}.
handle_cast(_, State) -> {noreply, State}.
handle_info(_, State) -> {noreply, State}.

echo(Term) -> Term.
fail(Class, Reason) -> erlang:raise(Class, Reason, []).
note(_) -> ok.

%% The messages.
calls(Node) ->
    [{ok, _} = gen_server:call({calc, Node}, {add, N}) || N <- lists:seq(1, 50)],
    {error, _} = gen_server:call({calc, Node}, {unknown, #{"key" => <<"värde"/utf8>>}}),
    Server = rpc:call(Node, erlang, whereis, [calc]),
    [{ok, _} = gen_server:call(Server, {add, N}) || N <- lists:seq(1, 50)],
    [ok = gen_server:cast({calc, Node}, {note, N}) || N <- lists:seq(1, 20)],
    abcast = gen_server:abcast([Node], calc, {to, all}),
    {[{Node, {ok, _}}], []} = gen_server:multi_call([Node], calc, {add, 1}),
    Term = {rpc, [1, 2.5, "drei"]},
    Term = rpc:call(Node, ?MODULE, echo, [Term]),
    {badrpc, _} = rpc:call(Node, ?MODULE, fail, [exit, gone]),
    {[Term], []} = rpc:multicall([Node], ?MODULE, echo, [Term]),
    true = rpc:cast(Node, ?MODULE, note, [cast]),
    Term = erpc:call(Node, ?MODULE, echo, [Term]),
    [try erpc:call(Node, ?MODULE, fail, [Class, {why, Class}]) catch _:_ -> ok end
     || Class <- [throw, error, exit]],
    [{ok, Term}] = erpc:multicall([Node], ?MODULE, echo, [Term]),
    ok = erpc:cast(Node, ?MODULE, note, [cast]),
    Term = erpc:receive_response(erpc:send_request(Node, ?MODULE, echo, [Term])).

terms(Node) -> terms(Node, infinity).

terms(Node, TooLong) ->
    untraced(),
    Atom255 = list_to_atom(lists:duplicate(255, 16#1F600)),
    Big = 1 bsl 2040,
    All = [0, 255, 256, -1, 1 bsl 27, -(1 bsl 27) - 1, 1 bsl 31, (1 bsl 63) - 1, 1 bsl 64, Big,
             -Big, Big * Big, 0.1, -0.0, 1.0e308, 5.0e-324, '', 'needs quotes', 'åäö', Atom255,
             [], [a | b], "", "printable", "non\0printable\e[31m", [1, 256], lists:seq(1, 70000),
             <<>>, <<"text">>, <<0, 255, 27>>, <<"grüße"/utf8>>, <<1:1>>, <<5:3, 7:7>>, {}, {{}},
             list_to_tuple(lists:seq(1, 300)), #{}, #{a => #{b => [#{}]}, {1} => 2, 1.0 => 1},
             self(), make_ref(), hd(erlang:ports()), fun ?MODULE:echo/1, fun lists:map/2,
             fun() -> {Node, Big} end, fun(X) -> X end, alias(),
             lists:foldl(fun(N, Acc) -> [N, {Acc}] end, [], lists:seq(1, 1000)),
             erlang:iolist_to_binary(lists:duplicate(5000, "some longer text, "))],
    Terms = [Term || Term <- All, erlang:external_size(Term) < TooLong],
    [begin
         say({peer, Node}, {echo, self(), Term}),
         receive {echo, Term} -> ok end
     end || Term <- Terms ++ [Terms]].

atoms(Node) ->
    untraced(),
    Atoms = [list_to_atom("atom_" ++ integer_to_list(N, 36)) || N <- lists:seq(1, 5000)],
    [say({peer, Node}, {atom, Atom}) || Atom <- Atoms],
    say({peer, Node}, {atoms, lists:sublist(Atoms, 300)}),
    [begin
         say({peer, Node}, {echo, self(), {some, lists:sublist(Atoms, N, 40)}}),
         receive {echo, _} -> ok end
     end || N <- lists:seq(1, 4900, 70)].

%% Several processes at once, both ways: their fragments interleave.
large(Node) ->
    Data = [{$a + N, binary:copy(<<($a + N)>>, 300000)} || N <- lists:seq(0, 5)],
    Talkers = [spawn_monitor(fun() ->
        untraced(),
        [begin
             say({peer, Node}, {echo, self(), {Round, Bytes, [Name, {Name}]}}),
             say({calc, Node}, {small, Round}),
             receive {echo, {Round, Bytes, _}} -> ok end
         end || Round <- lists:seq(1, 3)]
    end) || {Name, Bytes} <- Data],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Talkers].

traced(Node) ->
    seq_trace:set_token(label, {request, 17}),
    seq_trace:set_token(send, true),
    {peer, Node} ! {echo, self(), traced},
    receive {echo, traced} -> ok end,
    {ok, _} = gen_server:call({calc, Node}, {add, 1}),
    seq_trace:set_token([]).

aliases(Node) ->
    [begin
         Alias = alias([reply]),
         {peer, Node} ! {alias, Alias, N},
         receive {through_alias, N} -> ok end
     end || N <- lists:seq(1, 20)].

names(Node) ->
    ok = global:sync(),
    yes = global:register_name(the_talker, self()),
    Self = self(),
    Self = rpc:call(Node, global, whereis_name, [the_talker]),
    global:unregister_name(the_talker),
    %% The pg of early releases of OTP 25 crashes when that of OTP 28 introduces itself.
    case [chat || N <- [node(), Node], is_pid(rpc:call(N, erlang, whereis, [chat]))] of
        [_, _] ->
            ok = pg:join(chat, talkers, self()),
            wait_for_member(Node);
        _ ->
            io:format("pg is not tried between these releases~n")
    end.

wait_for_member(Node) ->
    case rpc:call(Node, pg, get_members, [chat, talkers]) of
        [Self] when Self =:= self() -> ok;
        [] -> timer:sleep(100), wait_for_member(Node)
    end.

%% The signals of one process, each logged when it is sent.
signals(Node) ->
    Main = self(),
    {Pid, Ref} = spawn_monitor(fun() -> signaller(Node, Main) end),
    Signals = receive {noted, List} -> List end,
    receive {'DOWN', Ref, process, Pid, {bye, Pid}} -> Signals end.

signaller(Node, Main) ->
    process_flag(trap_exit, true),
    Me = self(),
    A = new_worker(Node),
    B = new_worker(Node),
    Ref1 = monitor(process, A),
    demonitor(Ref1, [flush]),
    Ref2 = monitor(process, {peer, Node}),
    demonitor(Ref2),
    link(A),
    unlink(A),
    group_leader(Me, A),
    exit(A, {kill, <<"please">>}),
    Req = spawn_request(Node, ?MODULE, echo, [{spawned, Me, make_ref()}], [monitor]),
    receive {spawn_reply, Req, ok, _} -> ok end,
    receive {'DOWN', Req, process, _, normal} -> ok end,
    _ = spawn_link(Node, ?MODULE, echo, [{linked, 1}]),
    receive {'EXIT', _, normal} -> ok end,
    B ! {watch, Me, Me},
    receive {watching, RefB} -> ok end,
    Main ! {noted,
            [{monitor_p, #{from => Me, to => A, ref => Ref1}},
             {demonitor_p, #{from => Me, to => A, ref => Ref1}},
             {monitor_p, #{from => Me, to => peer, ref => Ref2}},
             {demonitor_p, #{from => Me, to => peer, ref => Ref2}},
             {link, #{from => Me, to => A}},
             {unlink_id, #{from => Me, to => A}},
             {group_leader, #{from => Me, to => A}},
             {payload_exit2, #{from => Me, to => A, term => {kill, <<"please">>}}},
             {spawn_request, #{from => Me, req => Req, mfa => {?MODULE, echo, 1},
                               opts => [monitor]}},
             {spawn_request, #{from => Me, mfa => {?MODULE, echo, 1}, term => [{linked, 1}]}},
             {payload_exit, #{from => Me, to => B, term => {bye, Me}}},
             {payload_monitor_p_exit, #{from => Me, to => B, ref => RefB, term => {bye, Me}}}]},
    exit({bye, Me}).

new_worker(Node) ->
    {peer, Node} ! {worker, self()},
    receive {worker, Pid} -> Pid end.
