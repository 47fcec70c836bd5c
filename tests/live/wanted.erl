%% Calls for patterns of -m.
%%
%% erl ... -run wanted serve READY       the node that is called
%% erl ... -run wanted ask NODE LOG      the node that calls it, in every way
%%
%% Each call has a number. The log has a line for each: kind, number, what was asked and what
%% came of it, with tabs between.
-module(wanted).
-behaviour(gen_server).
-export([serve/1, ask/1, enter/2, leave/1, init/1, handle_call/3, handle_cast/2]).

-define(NUM, 12).

%% The called node.

serve([Ready]) ->
    {ok, _} = gen_server:start({local, house}, ?MODULE, [], []),
    ok = file:write_file(Ready, <<>>).

init([]) -> {ok, none}.

handle_call({ask, Id, _}, _, State) ->
    {reply, {told, Id}, State};
handle_call(stop, _, State) ->
    {ok, _} = timer:apply_after(500, erlang, halt, [0]),
    {reply, stopped, State}.

handle_cast({note, _, _}, State) -> {noreply, State}.

enter({cat, Id}, _) when Id rem 5 =:= 0 -> error({no_room, Id});
enter({cat, Id}, Town) -> {entered, Id, Town}.

leave({cat, Id}) -> {left, Id}.

%% The calling node.

ask([Name, Log]) ->
    Node = list_to_atom(Name),
    pong = net_adm:ping(Node),
    Lines = [line(Kind, Id, Node)
             || Id <- lists:seq(1, ?NUM),
                Kind <- [rpc, erpc, block, leave, spawned, gen, cast]],
    ok = file:write_file(Log, Lines),
    stopped = gen_server:call({house, Node}, stop),
    erlang:halt(0).

line(Kind, Id, Node) ->
    What = case what(Kind, Id) of
               {Fun, Args} -> [atom_to_list(?MODULE), ":", atom_to_list(Fun), "(",
                               lists:join(",", [io_lib:format("~w", [A]) || A <- Args]), ")"];
               Term -> io_lib:format("~w", [Term])
           end,
    Outcome = try do(Kind, Id, Node), "ok" catch error:_ -> "error" end,
    io_lib:format("~s\t~b\t~s\t~s~n", [Kind, Id, What, Outcome]).

what(rpc, Id) -> {enter, [{cat, Id}, minsk]};
what(erpc, Id) -> {enter, [{cat, Id}, {town, Id}]};
what(block, Id) -> {enter, [{cat, Id}, {town, Id + 1}]};
what(leave, Id) -> {leave, [{cat, Id}]};
what(spawned, Id) -> {leave, [{cat, Id}]};
what(gen, Id) -> {ask, Id, bits(Id)};
what(cast, Id) -> {note, Id, bits(Id)}.

%% Sixteen bits that are the number in two of three, and a name.
bits(Id) -> <<(Id - (Id rem 3) div 2):16, (name(Id))/binary>>.

name(Id) when Id rem 2 =:= 0 -> <<"Tihon">>;
name(_) -> <<"Vasya">>.

do(gen, Id, Node) ->
    {told, Id} = gen_server:call({house, Node}, what(gen, Id));
do(cast, Id, Node) ->
    ok = gen_server:cast({house, Node}, what(cast, Id));
do(Kind, Id, Node) ->
    {Fun, Args} = what(Kind, Id),
    done(call(Kind, Node, Fun, Args)).

call(rpc, Node, Fun, Args) -> rpc:call(Node, ?MODULE, Fun, Args);
call(leave, Node, Fun, Args) -> rpc:call(Node, ?MODULE, Fun, Args);
call(erpc, Node, Fun, Args) -> erpc:call(Node, ?MODULE, Fun, Args);
call(block, Node, Fun, Args) -> rpc:block_call(Node, ?MODULE, Fun, Args);
call(spawned, Node, Fun, Args) ->
    {Pid, Ref} = spawn_monitor(Node, ?MODULE, Fun, Args),
    receive {'DOWN', Ref, process, Pid, Reason} -> {left, Reason} end.

done({entered, _, _}) -> ok;
done({left, _}) -> ok;
done({badrpc, Reason}) -> error(Reason).
