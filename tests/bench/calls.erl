%% Small gen_server calls between two nodes, from several clients at once: what the capture
%% of scripts/bench is made of.
-module(calls).
-behaviour(gen_server).
-export([serve/0, run/1, init/1, handle_call/3, handle_cast/2]).

-ifndef(CLIENTS).
-define(CLIENTS, 4).
-endif.

%% On the called node.
serve() ->
    {ok, _} = gen_server:start({local, store}, ?MODULE, [], []),
    ok.

init([]) ->
    {ok, #{}}.

handle_call({lookup, Table, Key}, _From, State) ->
    {reply, maps:get({Table, Key}, State, not_found), State};
handle_call({insert, Table, Key, Value}, _From, State) ->
    {reply, {ok, map_size(State)}, State#{{Table, Key} => Value}}.

handle_cast(_, State) ->
    {noreply, State}.

%% On the calling node. Arguments: the other node, the number of calls, and, with TLS, a file for
%% the secrets.
run([Node, Calls, Keys]) ->
    pong = wait(list_to_atom(Node), 50),
    Receivers = [Pid || {_, Link, _, _} <- supervisor:which_children(tls_dist_connection_sup),
                        {receiver, Pid, _, _} <- supervisor:which_children(Link)],
    Lines = [Line || Pid <- Receivers,
                     {ok, [{keylog, All}]} <- [ssl:connection_information({sslsocket, nil, [Pid, Pid]}, [keylog])],
                     Line <- All],
    ok = file:write_file(Keys, [[Line, $\n] || Line <- Lines]),
    run([Node, Calls]);
run([Node, Calls]) ->
    pong = wait(list_to_atom(Node), 50),
    Server = rpc:call(list_to_atom(Node), erlang, whereis, [store]),
    Each = list_to_integer(Calls) div ?CLIENTS,
    Clients = [spawn_monitor(fun() -> client(Server, N, Each) end)
               || N <- lists:seq(1, ?CLIENTS)],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok end || {Pid, Ref} <- Clients],
    {ok, Info} = net_kernel:node_info(list_to_atom(Node)),
    io:format("~b frames in, ~b frames out\n",
              [proplists:get_value(in, Info), proplists:get_value(out, Info)]),
    rpc:cast(list_to_atom(Node), init, stop, []),
    timer:sleep(500),
    init:stop().

wait(Node, 0) ->
    {no_connection, Node};
wait(Node, Tries) ->
    case net_adm:ping(Node) of
        pong -> pong;
        pang -> timer:sleep(100), wait(Node, Tries - 1)
    end.

client(_Server, _Client, 0) ->
    ok;
client(Server, Client, N) ->
    %% Alternately to the pid and to the name: the control messages differ.
    To = case N rem 2 of 0 -> Server; 1 -> {store, node(Server)} end,
    Key = {Client, N div 4 rem 1000},
    case N rem 4 of
        0 ->
            Number = integer_to_binary(N),
            Value = #{id => N, name => <<"customer ", Number/binary>>, balance => N / 7,
                      email => <<"someone.", Number/binary, "@example.org">>,
                      address => {"12 Long Street", "Stockholm", <<"111 22">>},
                      tags => [retail, newsletter, {since, 2011}], active => true,
                      orders => [{N + I, lists:nth(I rem 3 + 1, [open, paid, shipped]), I * 100,
                                 <<"article ", (integer_to_binary(I * 7919))/binary>>}
                                || I <- lists:seq(1, 8)],
                      note => <<"prefers to be called in the afternoon; pays by invoice">>},
            {ok, _} = gen_server:call(To, {insert, customers, Key, Value});
        1 ->
            _ = gen_server:call(To, {insert, orders, Key, [{N, open}]});
        _ ->
            _ = gen_server:call(To, {lookup, customers, Key})
    end,
    client(Server, Client, N - 1).
