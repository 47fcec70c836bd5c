%% ended_callers.erl - callers that give up, and callers that end with their call: their messages
%% on the wire. Some are linked to the server, some are watched by it.
%%
%%   erl ... -run ended_callers serve
%%   erl ... -run ended_callers call OTHER
-module(ended_callers).
-export([serve/0, call/1]).

-define(WAITED, 1000).

serve() ->
    spawn(fun() ->
                  process_flag(trap_exit, true),
                  register(server, self()),
                  loop()
          end).

loop() ->
    receive
        {'$gen_call', From, {link, Pid}} -> link(Pid), gen:reply(From, ok);
        {'$gen_call', From, {watch, Pid}} -> monitor(process, Pid), gen:reply(From, ok);
        _ -> ok % never answered
    end,
    loop().

call([Other]) ->
    Server = {server, list_to_atom(Other)},
    true = net_kernel:connect_node(element(2, Server)),
    [killed(Server, Ties, Reason)
     || {Ties, Reason} <- [{[], kill}, {[link], kill}, {[watch], kill}, {[link, watch], shutdown},
                           {[watch], {shutdown, deploy}}]],
    [gives_up(Server, Ties, How)
     || {Ties, How} <- [{[], fails}, {[link], fails}, {[watch], fails}, {[watch], ends},
                        {[link, watch], ends}, {[watch], goes_on}]],
    init:stop().

killed(Server, Ties, Reason) ->
    Pid = spawn(fun() -> tie(Server, Ties), gen_server:call(Server, {killed, Ties}, infinity) end),
    timer:sleep(?WAITED),
    exit(Pid, Reason),
    timer:sleep(100).

gives_up(Server, Ties, How) ->
    spawn(fun() ->
                  tie(Server, Ties),
                  Ask = fun() -> gen_server:call(Server, {How, Ties}, ?WAITED) end,
                  case How of
                      fails -> Ask();
                      ends -> catch Ask();
                      goes_on -> catch Ask(), Server ! hello, exit(done)
                  end
          end),
    timer:sleep(?WAITED + 200).

tie(Server, Ties) -> [ok = gen_server:call(Server, {Tie, self()}) || Tie <- Ties].
