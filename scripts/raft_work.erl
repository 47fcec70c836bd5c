%% raft_work:main([NUMBER]): publishes so many messages to each of two quorum queues of this host's RabbitMQ.
%% raft_work:main([NUMBER, KIND]): to a queue of that kind: quorum, classic or stream.
-module(raft_work).
-export([main/1]).
-include_lib("amqp_client/include/amqp_client.hrl").

main([Number]) -> publish(Number, quorum, [<<"orders">>, <<"audit">>]);
main([Number, stream]) -> publish(Number, stream, [<<"events">>]);
main([Number, quorum]) -> publish(Number, quorum, [<<"orders">>]);
main([Number, classic]) -> publish(Number, classic, [<<"mails">>]).

publish(Number, Kind, Queues) ->
    {ok, _} = application:ensure_all_started(amqp_client),
    logger:set_primary_config(level, none),
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1"}),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    Type = atom_to_binary(Kind),
    [#'queue.declare_ok'{} = amqp_channel:call(Channel, #'queue.declare'{
         queue = Queue, durable = true, arguments = [{<<"x-queue-type">>, longstr, Type}]})
     || Queue <- Queues],
    [begin
         ok = amqp_channel:cast(Channel, #'basic.publish'{routing_key = Queue}, #amqp_msg{payload = <<"x">>}),
         timer:sleep(20)
     end || _ <- lists:seq(1, list_to_integer(atom_to_list(Number))), Queue <- Queues],
    timer:sleep(500),
    halt().
