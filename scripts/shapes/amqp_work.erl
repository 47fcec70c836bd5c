%% amqp_work - clients of a RabbitMQ cluster: queues of every kind, publishers with confirms and
%% transactions, consumers that acknowledge, reject and leave, calls by direct reply-to.
%%   erl -noshell -s amqp_work main SECONDS USER PASSWORD VHOST PREFIX HOST ...
-module(amqp_work).
-export([main/1]).
-include_lib("amqp_client/include/amqp_client.hrl").

main([Seconds, User, Password, Vhost, Prefix | Hosts]) ->
    {ok, _} = application:ensure_all_started(amqp_client),
    logger:set_primary_config(level, none),
    Until = erlang:monotonic_time(millisecond) + 1000 * list_to_integer(text(Seconds)),
    Login = fun(Host) ->
        {ok, Connection} = amqp_connection:start(#amqp_params_network{
            username = list_to_binary(text(User)), password = list_to_binary(text(Password)),
            virtual_host = list_to_binary(text(Vhost)), host = text(Host), connection_timeout = 5000}),
        Connection end,
    P = text(Prefix),
    Hs = list_to_tuple(Hosts),
    Works = [{Kind, I} || Kind <- [publish, consume, calls, churn, topology, tx, get], I <- lists:seq(1, tuple_size(Hs))],
    Pids = [spawn_monitor(fun() -> again(Until, fun() -> work(Kind, Login(element(I, Hs)), P, I, tuple_size(Hs), Until) end) end)
            || {Kind, I} <- Works],
    [receive {'DOWN', Ref, process, Pid, _} -> ok after 1000 * list_to_integer(text(Seconds)) + 15000 -> ok end || {Pid, Ref} <- Pids],
    halt().

text(A) when is_atom(A) -> atom_to_list(A);
text(L) -> L.

is_over(Until) -> erlang:monotonic_time(millisecond) > Until.

again(Until, Fun) ->
    {Pid, Ref} = spawn_monitor(Fun),
    receive {'DOWN', Ref, process, Pid, _} -> ok end,
    case is_over(Until) of true -> ok; false -> timer:sleep(700), again(Until, Fun) end.

name(P, Kind, I) -> list_to_binary(io_lib:format("~s.~s~b", [P, Kind, I])).

kinds() ->
    [{"plain", []}, {"lazy", [{<<"x-queue-mode">>, longstr, <<"lazy">>}]},
     {"ranked", [{<<"x-max-priority">>, signedint, 5}]},
     {"short", [{<<"x-message-ttl">>, signedint, 700}, {<<"x-dead-letter-exchange">>, longstr, <<"">>},
                {<<"x-dead-letter-routing-key">>, longstr, <<"dead.letters">>}]},
     {"bounded", [{<<"x-max-length">>, signedint, 20}, {<<"x-overflow">>, longstr, <<"reject-publish">>}]},
     {"ha.mirrored", []},
     {"quo", [{<<"x-queue-type">>, longstr, <<"quorum">>}]},
     {"quolim", [{<<"x-queue-type">>, longstr, <<"quorum">>}, {<<"x-delivery-limit">>, signedint, 3},
               {<<"x-max-length">>, signedint, 500}, {<<"x-dead-letter-exchange">>, longstr, <<"">>},
               {<<"x-dead-letter-strategy">>, longstr, <<"at-least-once">>}, {<<"x-overflow">>, longstr, <<"reject-publish">>},
               {<<"x-dead-letter-routing-key">>, longstr, <<"dead.letters">>}]},
     {"log", [{<<"x-queue-type">>, longstr, <<"stream">>}, {<<"x-max-length-bytes">>, signedint, 2000000}]}].

declare(Ch, P, I) ->
    [#'queue.declare_ok'{} = amqp_channel:call(Ch, #'queue.declare'{queue = name(P, K, I), durable = true, arguments = A})
     || {K, A} <- kinds()].

work(publish, C, P, I, N, Until) ->
    {ok, Ch} = amqp_connection:open_channel(C),
    declare(Ch, P, I),
    amqp_channel:call(Ch, #'confirm.select'{}),
    amqp_channel:register_return_handler(Ch, self()),
    publish(Ch, P, N, 1, Until);
work(consume, C, P, I, N, Until) ->
    {ok, Ch} = amqp_connection:open_channel(C),
    amqp_channel:call(Ch, #'basic.qos'{prefetch_count = 20}),
    J = I rem N + 1,
    declare(Ch, P, J),
    [catch amqp_channel:subscribe(Ch, #'basic.consume'{queue = name(P, K, J), arguments =
        case K of "log" -> [{<<"x-stream-offset">>, longstr, <<"first">>}]; "ranked" -> [{<<"x-priority">>, signedint, 3}]; _ -> [] end}, self())
     || {K, _} <- kinds()],
    consume(Ch, 1, erlang:monotonic_time(millisecond) + 6000, Until),
    amqp_channel:close(Ch), amqp_connection:close(C);
work(calls, C, P, I, N, Until) ->
    {ok, Ch} = amqp_connection:open_channel(C),
    amqp_channel:call(Ch, #'queue.declare'{queue = name(P, "rpc", I), auto_delete = true}),
    {ok, Server} = amqp_connection:open_channel(C),
    amqp_channel:subscribe(Server, #'basic.consume'{queue = name(P, "rpc", I), no_ack = true}, self()),
    amqp_channel:subscribe(Ch, #'basic.consume'{queue = <<"amq.rabbitmq.reply-to">>, no_ack = true}, self()),
    calls(Ch, Server, P, N, 1, Until);
work(churn, C, P, I, N, Until) ->
    {ok, Ch} = amqp_connection:open_channel(C),
    [begin
        Q = list_to_binary(io_lib:format("~s.tmp~b-~b-~b", [P, I, T, erlang:unique_integer([positive])])),
        {_, A} = lists:nth(1 + (T * 4 + I) rem length(kinds()), kinds()),
        amqp_channel:call(Ch, #'queue.declare'{queue = Q, durable = true, arguments = A}),
        amqp_channel:cast(Ch, #'basic.publish'{routing_key = Q}, #amqp_msg{payload = <<"x">>, props = #'P_basic'{delivery_mode = 2}}),
        timer:sleep(150),
        case A of [{_, _, <<"stream">>} | _] -> ok; _ -> amqp_channel:call(Ch, #'queue.purge'{queue = Q}) end,
        amqp_channel:call(Ch, #'queue.delete'{queue = Q}),
        #'queue.declare_ok'{queue = E} = amqp_channel:call(Ch, #'queue.declare'{exclusive = true}),
        amqp_channel:subscribe(Ch, #'basic.consume'{queue = E, consumer_tag = <<"once">>}, self()),
        amqp_channel:call(Ch, #'basic.cancel'{consumer_tag = <<"once">>}),
        amqp_channel:call(Ch, #'queue.delete'{queue = E}),
        timer:sleep(300 + 100 * N)
     end || T <- lists:seq(1, 4), not is_over(Until)],
    amqp_channel:close(Ch), amqp_connection:close(C);
work(topology, C, P, I, N, Until) ->
    {ok, Ch} = amqp_connection:open_channel(C),
    [begin
        X = name(P, "x" ++ T, I),
        amqp_channel:call(Ch, #'exchange.declare'{exchange = X, type = list_to_binary(T), durable = T =/= "fanout", auto_delete = T =:= "headers"}),
        [amqp_channel:call(Ch, #'queue.bind'{queue = name(P, K, J), exchange = X, routing_key = <<"k.*.", (integer_to_binary(J))/binary>>,
                                             arguments = [{<<"h">>, longstr, <<"v">>} || T =:= "headers"]})
         || K <- ["plain", "quo", "ha.mirrored"], J <- lists:seq(1, N)],
        amqp_channel:call(Ch, #'exchange.bind'{destination = X, source = <<"amq.topic">>, routing_key = <<"#.", (list_to_binary(T))/binary>>}),
        amqp_channel:cast(Ch, #'basic.publish'{exchange = X, routing_key = <<"k.z.1">>}, #amqp_msg{payload = <<"to all">>}),
        amqp_channel:cast(Ch, #'basic.publish'{exchange = <<"amq.topic">>, routing_key = <<"k.z.", (list_to_binary(T))/binary>>}, #amqp_msg{payload = <<"to all">>}),
        timer:sleep(400),
        amqp_channel:call(Ch, #'queue.unbind'{queue = name(P, "plain", 1), exchange = X, routing_key = <<"k.*.1">>,
                                              arguments = [{<<"h">>, longstr, <<"v">>} || T =:= "headers"]}),
        amqp_channel:call(Ch, #'exchange.delete'{exchange = X})
     end || T <- ["topic", "direct", "fanout", "headers"], not is_over(Until)],
    timer:sleep(500), amqp_channel:close(Ch), amqp_connection:close(C);
work(tx, C, P, I, N, Until) ->
    {ok, Ch} = amqp_connection:open_channel(C),
    amqp_channel:call(Ch, #'tx.select'{}),
    [begin
        [amqp_channel:cast(Ch, #'basic.publish'{routing_key = name(P, K, J)}, #amqp_msg{payload = <<"tx">>, props = #'P_basic'{delivery_mode = 1 + J rem 2}})
         || K <- ["plain", "ha.mirrored"], J <- lists:seq(1, N)],
        case T rem 3 of 0 -> amqp_channel:call(Ch, #'tx.rollback'{}); _ -> amqp_channel:call(Ch, #'tx.commit'{}) end,
        timer:sleep(500 + 50 * I)
     end || T <- lists:seq(1, 6), not is_over(Until)],
    amqp_channel:close(Ch), amqp_connection:close(C);
work(get, C, P, I, N, Until) ->
    {ok, Ch} = amqp_connection:open_channel(C),
    [begin
        J = (I + T) rem N + 1,
        K = lists:nth(1 + T rem 5, ["quo", "plain", "ha.mirrored", "quolim", "bounded"]),
        case amqp_channel:call(Ch, #'basic.get'{queue = name(P, K, J)}) of
            {#'basic.get_ok'{delivery_tag = Tag}, _} when T rem 4 =:= 0 -> amqp_channel:cast(Ch, #'basic.nack'{delivery_tag = Tag, requeue = true});
            {#'basic.get_ok'{delivery_tag = Tag}, _} -> amqp_channel:cast(Ch, #'basic.ack'{delivery_tag = Tag});
            _ -> ok
        end,
        timer:sleep(300)
     end || T <- lists:seq(1, 20), not is_over(Until)],
    amqp_channel:close(Ch), amqp_connection:close(C).

publish(Ch, P, N, T, Until) ->
    J = T rem N + 1,
    {K, _} = lists:nth(1 + T rem length(kinds()), kinds()),
    Size = case T rem 29 of 0 -> 3000; _ -> 20 + T rem 60 end,
    Props = #'P_basic'{delivery_mode = 1 + T rem 2, priority = T rem 5, message_id = integer_to_binary(T),
                       content_type = case T rem 3 of 0 -> undefined; _ -> <<"text/plain">> end,
                       headers = case T rem 4 of 0 -> [{<<"n">>, signedint, T}, {<<"t">>, longstr, <<"tt">>}]; _ -> undefined end},
    amqp_channel:cast(Ch, #'basic.publish'{routing_key = case T rem 97 of 0 -> <<"nobody">>; _ -> name(P, K, J) end, mandatory = T rem 5 =:= 0},
                      #amqp_msg{payload = binary:copy(<<"p">>, Size), props = Props}),
    case T rem 25 of 0 -> amqp_channel:wait_for_confirms(Ch, 5); _ -> ok end,
    timer:sleep(case T rem 200 > 150 of true -> 2; false -> 25 end),
    case is_over(Until) of true -> ok; false -> publish(Ch, P, N, T + 1, Until) end.

consume(Ch, T, End, Until) ->
    receive
        {#'basic.deliver'{delivery_tag = Tag}, _} ->
            case T rem 17 of
                0 -> amqp_channel:cast(Ch, #'basic.reject'{delivery_tag = Tag, requeue = true});
                1 -> amqp_channel:cast(Ch, #'basic.nack'{delivery_tag = Tag, requeue = false});
                2 -> amqp_channel:cast(Ch, #'basic.ack'{delivery_tag = Tag, multiple = true});
                _ -> amqp_channel:cast(Ch, #'basic.ack'{delivery_tag = Tag})
            end;
        _ -> ok
    after 200 -> ok end,
    case is_over(End) orelse is_over(Until) of true -> ok; false -> consume(Ch, T + 1, End, Until) end.

calls(Ch, Server, P, N, T, Until) ->
    amqp_channel:cast(Ch, #'basic.publish'{routing_key = name(P, "rpc", T rem N + 1)},
                      #amqp_msg{payload = <<"ask">>, props = #'P_basic'{reply_to = <<"amq.rabbitmq.reply-to">>, correlation_id = integer_to_binary(T)}}),
    receive
        {#'basic.deliver'{}, #amqp_msg{props = #'P_basic'{reply_to = To}}} when To =/= undefined ->
            amqp_channel:cast(Server, #'basic.publish'{routing_key = To}, #amqp_msg{payload = <<"answer">>});
        _ -> ok
    after 300 -> ok end,
    timer:sleep(60),
    case is_over(Until) of true -> ok; false -> calls(Ch, Server, P, N, T + 1, Until) end.
