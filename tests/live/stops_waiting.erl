%% stops_waiting.erl - callers that stop waiting: because their call times out, because they
%% paused for so long, as another message came, or as they were killed. What becomes of each stands in
%% its request.
%%
%%   erl ... -run stops_waiting serve READY
%%   erl ... -run stops_waiting call OTHER        ends both
-module(stops_waiting).
-export([serve/1, call/1, hold/0]).

serve([Ready]) ->
    register(deaf, spawn(fun Loop() -> receive never -> ok; _ -> Loop() end end)),
    register(slow, spawn(fun slow/0)),
    ok = file:write_file(Ready, <<>>).

%% It answers, and sends, when it is told to.
slow() ->
    receive
        {'$gen_call', From, {after_ms, Ms, _}} -> erlang:send_after(Ms, self(), {answer, From});
        {poke, To, Ms} -> erlang:send_after(Ms, self(), {hello, To});
        {hello, To} -> To ! hello;
        {answer, From} -> gen:reply(From, ok)
    end,
    slow().

hold() -> receive never -> ok end.

call([Other]) ->
    Bob = list_to_atom(Other),
    pong = net_adm:ping(Bob),
    [begin
         {Pid, Ref} = spawn_monitor(fun() -> does(How, Ms, Bob) end),
         receive {'DOWN', Ref, _, Pid, _} -> timer:sleep(120) end
     end || {How, Ms} <- [{times_out, 5000}, {times_out, 1000}, {times_out, 300},
                          {times_out_and_goes_on, 1000}, {times_out_and_is_watched, 1000},
                          {is_answered_late, 310}, {pauses, 1000}, {pauses, 1360},
                          {gets_a_message, 1000}, {gets_a_message, 5000}, {gets_an_answer, 1000},
                          {is_killed, 1000}, {is_killed_from_afar, 1000}, {watches_a_process, 1000}]],
    rpc:cast(Bob, init, stop, []),
    timer:sleep(300),
    erlang:halt(0).

does(times_out, Ms, Bob) -> call(times_out, Ms, Bob, Ms);
does(times_out_and_goes_on, Ms, Bob) ->
    catch call(times_out_and_goes_on, Ms, Bob, Ms),
    {deaf, Bob} ! goes_on;
does(times_out_and_is_watched, Ms, Bob) ->
    Me = self(),
    spawn(Bob, fun() -> monitor(process, Me), Me ! on, timer:sleep(2 * Ms) end),
    receive on -> ok end,
    call(times_out_and_is_watched, Ms, Bob, Ms);
does(is_answered_late, Ms, Bob) ->
    catch gen_server:call({slow, Bob}, {after_ms, Ms + 60, is_answered_late}, Ms),
    timer:sleep(150);
does(pauses, Ms, Bob) ->
    Monitor = ask(pauses, Ms, Bob),
    timer:sleep(Ms),
    demonitor(Monitor);
does(gets_a_message, Ms, Bob) ->
    {slow, Bob} ! {poke, self(), Ms},
    Monitor = ask(gets_a_message, Ms, Bob),
    receive hello -> demonitor(Monitor) end;
does(gets_an_answer, Ms, Bob) ->
    First = gen_server:send_request({slow, Bob}, {after_ms, Ms, first}),
    Monitor = ask(gets_an_answer, Ms, Bob),
    {reply, ok} = gen_server:wait_response(First, infinity),
    demonitor(Monitor);
does(is_killed, Ms, Bob) ->
    Me = self(),
    spawn(fun() -> timer:sleep(Ms), exit(Me, kill) end),
    call(is_killed, Ms, Bob, infinity);
does(is_killed_from_afar, Ms, Bob) ->
    Me = self(),
    spawn(Bob, fun() -> timer:sleep(Ms), exit(Me, kill) end),
    call(is_killed_from_afar, Ms, Bob, infinity);
does(watches_a_process, Ms, Bob) -> % no call at all
    {Pid, Ref} = spawn_monitor(Bob, ?MODULE, hold, []),
    timer:sleep(Ms),
    demonitor(Ref),
    exit(Pid, kill).

call(How, Ms, Bob, Timeout) -> gen_server:call({deaf, Bob}, {How, Ms}, Timeout).

%% gen_server:send_request, whose caller may stop waiting.
ask(How, Ms, Bob) ->
    Monitor = monitor(process, {deaf, Bob}, [{alias, demonitor}]),
    {deaf, Bob} ! {'$gen_call', {self(), [alias | Monitor]}, {How, Ms}},
    Monitor.
