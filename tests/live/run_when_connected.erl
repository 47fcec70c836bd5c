%% run_when_connected start FILE: evaluates the contents of FILE as soon as the node has a
%% connection, as a user would in its shell.
-module(run_when_connected).
-export([start/1]).

start([File]) ->
    {ok, Text} = file:read_file(File),
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text)),
    {ok, Code} = erl_parse:parse_exprs(Tokens),
    spawn(fun() -> wait(Code) end).

wait(Code) ->
    case nodes() of
        [] -> timer:sleep(20), wait(Code);
        _ -> {value, ok, _} = erl_eval:exprs(Code, [])
    end.
