%% raft_work:main([NUMBER]): publishes so many messages to each of two quorum queues of this host's RabbitMQ.
-module(raft_work).
-export([main/1]).
-include_lib("amqp_client/include/amqp_client.hrl").

main([Number]) ->
    {ok, _} = application:ensure_all_started(amqp_client),
    logger:set_primary_config(level, none),
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1"}),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    [#'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{
         queue = Queue, durable = true, arguments = [{<<"x-queue-type">>, longstr, <<"quorum">>}]})
     || Queue <- queues()],
    [begin
         ok = amqp_channel:cast(Channel, #'basic.publish'{routing_key = Queue}, #amqp_msg{payload = <<"x">>}),
         timer:sleep(20)
     end || _ <- lists:seq(1, list_to_integer(atom_to_list(Number))), Queue <- queues()],
    timer:sleep(500),
    halt().

queues() -> [<<"orders">>, <<"audit">>].
