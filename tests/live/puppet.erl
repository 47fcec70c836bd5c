%% puppet.erl - a node that evaluates each line of its standard input, "N EXPRESSIONS.",
%% concurrently with the others, and then prints "N: RESULT".
-module(puppet).
-export([start/0, ponder/3, glance/3]).

start() ->
    spawn(fun loop/0).

loop() ->
    case io:get_line("") of
        Line when is_list(Line) ->
            {Number, [$\s | Text]} = lists:splitwith(fun(C) -> C =/= $\s end, Line),
            spawn(fun() -> io:format("~s: ~0tp~n", [Number, eval(Text)]) end),
            loop();
        _ ->
            halt()
    end.

eval(Text) ->
    try
        {ok, Tokens, _} = erl_scan:string(Text),
        {ok, Expressions} = erl_parse:parse_exprs(Tokens),
        {value, Value, _} = erl_eval:exprs(Expressions, erl_eval:new_bindings()),
        Value
    catch
        Class:Reason -> {Class, Reason}
    end.

%% ponder verifies a certificate for longer than a handshake may take.
ponder(_Certificate, _Event, State) ->
    timer:sleep(20000),
    {valid, State}.

%% glance verifies it for a second.
glance(_Certificate, valid_peer, State) ->
    timer:sleep(1000),
    {valid, State};
glance(_Certificate, _Event, State) ->
    {valid, State}.
