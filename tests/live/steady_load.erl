%% steady_load.erl - a steady load: five workers that read and write, at random intervals of the same mean, and one
%% that calls functions. A tenth of a minute of it is much like the next one.
%%
%%   erl ... -run steady_load serve READY SLOW SIZE CRASHES   10 in 100 reads take SLOW milliseconds, answers have SIZE
%%                                                            bytes, CRASHES in 100 writes end the server
%%   erl ... -run steady_load call OTHER SECONDS RATE         reads and writes a second, of each worker; ends both
-module(steady_load).
-export([serve/1, call/1]).

serve([Ready | Numbers]) ->
    How = list_to_tuple([list_to_integer(N) || N <- Numbers]),
    spawn(fun() -> keep(How) end),
    ok = file:write_file(Ready, <<>>).

%% keep starts the server again when it has ended.
keep(How) ->
    {Pid, Ref} = spawn_monitor(fun() -> serving(How) end),
    register(db, Pid),
    receive {'DOWN', Ref, _, _, _} -> keep(How) end.

serving({Slow, Size, Crashes} = How) ->
    receive
        {'$gen_call', From, {get, _Key}} ->
            spawn(fun() ->
                          rand:uniform(100) =< 10 andalso timer:sleep(Slow),
                          gen_server:reply(From, {ok, binary:copy(<<"x">>, Size)})
                  end);
        {'$gen_call', From, {put, _Key, _Value}} ->
            rand:uniform(100) =< Crashes andalso exit(crash),
            gen_server:reply(From, ok);
        _ ->
            ok
    end,
    serving(How).

call([Other, Seconds, Rate]) ->
    Bob = list_to_atom(Other),
    pong = net_adm:ping(Bob),
    [spawn(fun() -> works(Bob, list_to_integer(Rate)) end) || _ <- lists:seq(1, 5)],
    spawn(fun() -> calls(Bob) end),
    timer:sleep(1000 * list_to_integer(Seconds)),
    rpc:cast(Bob, init, stop, []),
    timer:sleep(300),
    erlang:halt(0).

works(Bob, Rate) ->
    timer:sleep(round(-math:log(rand:uniform()) * 1000 / Rate)),
    catch gen_server:call({db, Bob}, {get, rand:uniform(1000)}),
    catch gen_server:call({db, Bob}, {put, rand:uniform(1000), value}),
    {db, Bob} ! {note, rand:uniform(1000)},
    works(Bob, Rate).

calls(Bob) ->
    timer:sleep(200 + rand:uniform(100)),
    rpc:call(Bob, lists, seq, [1, 10]),
    rpc:call(Bob, erlang, node, []),
    calls(Bob).
