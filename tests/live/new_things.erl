%% new_things.erl - a steady load, and then new things, which files ask for. The time of each is
%% written to a file, in microseconds since 1970.
%%
%%   erl ... -run new_things serve READY       a server, shop
%%   erl ... -run new_things work OTHER DIR    twenty requests a second; does what DIR/go.WHAT asks for, writes DIR/did.WHAT
-module(new_things).
-export([serve/1, work/1, other/0]).

serve([Ready]) ->
    register(shop, spawn(fun() -> shop(1, 10) end)),
    register(till, spawn(fun Till() -> receive _ -> Till() end end)),
    ok = file:write_file(Ready, <<>>).

shop(Delay, Size) ->
    receive
        {'$gen_call', From, {get, _}} ->
            timer:sleep(Delay),
            gen_server:reply(From, {ok, binary:copy(<<"x">>, Size)}),
            shop(Delay, Size);
        slow -> shop(25, Size);
        large -> shop(Delay, 500);
        usual -> shop(1, 10);
        _ -> shop(Delay, Size)
    end.

work([Other, Dir]) ->
    Bob = list_to_atom(Other),
    pong = net_adm:ping(Bob),
    ok = file:write_file(filename:join(Dir, "working"), <<>>),
    [do(What, Bob) || What <- [slow, usual]], % their shapes are not new later
    work(Bob, Dir).

work(Bob, Dir) ->
    {ok, _} = gen_server:call({shop, Bob}, {get, rand:uniform(1000)}),
    {shop, Bob} ! {note, rand:uniform(1000)},
    rpc:call(Bob, lists, seq, [1, 10]),
    timer:sleep(30 + rand:uniform(20)),
    [asked(filename:join(Dir, "go." ++ Name), Bob, Name, Dir) || Name <- ["function", "name", "shape", "slow",
                                                                         "large", "usual", "link", "other"]],
    work(Bob, Dir).

asked(File, Bob, Name, Dir) ->
    case file:delete(File) of
        ok ->
            Now = os:system_time(microsecond),
            do(list_to_atom(Name), Bob),
            ok = file:write_file(filename:join(Dir, "did." ++ Name), integer_to_list(Now));
        {error, enoent} ->
            ok
    end.

other() -> ok.

do(function, Bob) -> rpc:call(Bob, os, getpid, []);
do(other, Bob) -> rpc:call(Bob, ?MODULE, other, []);
do(name, Bob) -> {till, Bob} ! {note, 1};
do(shape, Bob) -> {shop, Bob} ! {order, 1, 2, 3};
do(link, _) -> pong = net_adm:ping(list_to_atom("carol@127.0.0.1"));
do(How, Bob) -> {shop, Bob} ! How.
