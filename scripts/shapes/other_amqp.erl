%% other_amqp - other clients of RabbitMQ than those of amqp_work, for what is held out (held_out): long-lived
%% producers and consumers of a few queues, of which nothing is made anew. Arguments as those of amqp_work.
-module(other_amqp).
-export([main/1]).
-include_lib("amqp_client/include/amqp_client.hrl").

main([Seconds, User, Password, Vhost, Prefix | Hosts]) ->
    {ok, _} = application:ensure_all_started(amqp_client),
    logger:set_primary_config(level, none),
    Until = erlang:monotonic_time(millisecond) + 1000 * list_to_integer(text(Seconds)),
    Channel = fun(Host) ->
        {ok, Connection} = amqp_connection:start(#amqp_params_network{username = list_to_binary(text(User)),
            password = list_to_binary(text(Password)), virtual_host = list_to_binary(text(Vhost)), host = text(Host)}),
        {ok, Ch} = amqp_connection:open_channel(Connection), Ch end,
    Queue = fun(K) -> list_to_binary([text(Prefix), $-, K]) end,
    Queues = [{Queue("bills"), [{<<"x-queue-type">>, longstr, <<"quorum">>}]}, {Queue("stock"), [{<<"x-queue-type">>, longstr, <<"quorum">>}]},
              {Queue("mail"), []}, {Queue("trail"), [{<<"x-queue-type">>, longstr, <<"stream">>}]}],
    First = Channel(hd(Hosts)),
    [amqp_channel:call(First, #'queue.declare'{queue = Q, durable = true, arguments = A}) || {Q, A} <- Queues],
    X = Queue("events"),
    amqp_channel:call(First, #'exchange.declare'{exchange = X, type = <<"topic">>, durable = true}),
    [amqp_channel:call(First, #'queue.bind'{queue = Q, exchange = X, routing_key = <<"eu.#">>}) || {Q, _} <- Queues],
    Works = [fun() -> producer(Channel(H), X, [Q || {Q, _} <- Queues], 1, Until) end || H <- Hosts]
         ++ [fun() -> consumer(Channel(H), Q, Until) end || H <- tl(Hosts), {Q, _} <- lists:sublist(Queues, 3)],
    Refs = [spawn_monitor(fun() -> again(Work, Until) end) || Work <- Works],
    [receive {'DOWN', Ref, process, Pid, _} -> ok after 1000 * list_to_integer(text(Seconds)) + 15000 -> ok end || {Pid, Ref} <- Refs],
    halt().

text(A) when is_atom(A) -> atom_to_list(A);
text(L) -> L.

again(Work, Until) ->
    {Pid, Ref} = spawn_monitor(Work),
    receive {'DOWN', Ref, process, Pid, _} -> ok end,
    case erlang:monotonic_time(millisecond) > Until of true -> ok; false -> timer:sleep(1000), again(Work, Until) end.

producer(Ch, X, Queues, N, Until) ->
    N =:= 1 andalso amqp_channel:call(Ch, #'confirm.select'{}),
    Message = #amqp_msg{payload = binary:copy(<<"data">>, 1 + N rem 90), props = #'P_basic'{delivery_mode = 2,
        content_type = <<"application/json">>, app_id = <<"shop">>, timestamp = erlang:system_time(second),
        headers = [{<<"trace">>, longstr, integer_to_binary(N)}]}},
    case N rem 3 of
        0 -> amqp_channel:cast(Ch, #'basic.publish'{exchange = X, routing_key = <<"eu.west.", (integer_to_binary(N rem 4))/binary>>}, Message);
        _ -> amqp_channel:cast(Ch, #'basic.publish'{routing_key = lists:nth(1 + N rem length(Queues), Queues)}, Message)
    end,
    N rem 10 =:= 0 andalso amqp_channel:wait_for_confirms(Ch, 10),
    timer:sleep(30 + N rem 40),
    case erlang:monotonic_time(millisecond) > Until of true -> ok; false -> producer(Ch, X, Queues, N + 1, Until) end.

consumer(Ch, Q, Until) ->
    amqp_channel:call(Ch, #'basic.qos'{prefetch_count = 50}),
    amqp_channel:subscribe(Ch, #'basic.consume'{queue = Q}, self()),
    consumes(Ch, 1, Until).
consumes(Ch, N, Until) ->
    receive
        {#'basic.deliver'{delivery_tag = Tag}, _} -> amqp_channel:cast(Ch, #'basic.ack'{delivery_tag = Tag, multiple = N rem 5 =:= 0});
        _ -> ok
    after 500 -> ok end,
    case erlang:monotonic_time(millisecond) > Until of true -> ok; false -> consumes(Ch, N + 1, Until) end.
