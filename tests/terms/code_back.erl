%% code_back TERM_TOOL ELIXIR SCRIPT: term_tool writes each of the terms of term_maker as source
%% text of Erlang and Elixir, on one line and folded, and this reads it back: Erlang with
%% file:consult/1, and with erl_eval and the compiler if it has expressions; Elixir with
%% Code.eval_file/1 on a node that runs SCRIPT. The portable copies are read back as well.
-module(code_back).
-export([main/1]).
-import(term_maker, [same/2, clip/1]).

main([Tool, Elixir, Script]) ->
    io:setopts([{encoding, unicode}]),
    rand:seed(exsss, {4, 5, 6}),
    Real = term_maker:readable() ++ term_maker:keyed() ++ term_maker:opaque(),
    Made = term_maker:hand_made() ++ term_maker:records(),
    Encoded = [term_to_binary(T) || T <- Real] ++ [B || {B, _} <- Made],
    Exact = Real ++ [T || {_, T} <- Made],
    Plain = [term_maker:documented(T) || T <- Exact],
    Texts = term_maker:run([Tool, "code"], 7, Encoded),
    [Erl, ErlFolded, ErlExact, Ex, ExFolded, ExExact, Copies] =
        [[lists:nth(N, T) || T <- Texts] || N <- lists:seq(1, 7)],
    Dir = filename:join(os:getenv("TMPDIR", "/tmp"), "code_back." ++ os:getpid()),
    Wrong = [{copy, T, clip(X)} || {T, X} <- lists:zip(Exact, Copies), not same(T, binary_to_term(X))] ++
        consult(Dir, Plain, Erl) ++ consult(Dir, Plain, ErlFolded) ++
        lists:append([eval(T, X) || {T, X} <- lists:zip(Exact, ErlExact)]) ++
        compile(some(Exact, ErlExact)) ++
        elixir(Dir, [Elixir, Script], [{Plain, Ex}, some(Plain, ExFolded), some(Exact, ExExact)]),
    [io:format("~tp~n", [W]) || W <- lists:sublist(Wrong, 20)],
    io:format("~b terms, ~b wrong~n", [length(Encoded), length(Wrong)]),
    halt(case Wrong of [] -> 0; _ -> 1 end).

%% One in four, which takes long enough, and all of the last thousand, which are the unusual ones.
some(Terms, Texts) ->
    Num = length(Terms),
    lists:unzip([{Term, Text} || {N, Term, Text} <- lists:zip3(lists:seq(1, Num), Terms, Texts),
                                 N rem 4 =:= 0 orelse N > Num - 1000]).

consult(Dir, Terms, Texts) ->
    ok = file:write_file(Dir, [[T, ".\n"] || T <- Texts]),
    Result = file:consult(Dir),
    ok = file:delete(Dir),
    case Result of
        {ok, Read} when length(Read) =:= length(Terms) ->
            [{consult, T, clip(X)} || {T, R, X} <- lists:zip3(Terms, Read, Texts), not same(T, R)];
        {ok, _} -> [{consult, number}];
        {error, Why} -> [{consult, Why}]
    end.

%% If file:consult/1 cannot read a text, each of its terms is tried alone, in the form with
%% expressions.
eval(Term, Text) ->
    try
        {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text) ++ "."),
        {ok, Exprs} = erl_parse:parse_exprs(Tokens),
        {value, Value, _} = erl_eval:exprs(Exprs, []),
        [{eval, Term, Value} || not same(Term, Value)]
    catch _:Why -> [{eval, Term, clip(Text), Why}]
    end.

%% As the body of functions, compiled without a warning.
compile({Terms, Texts}) ->
    File = filename:join(os:getenv("TMPDIR", "/tmp"), "code_back." ++ os:getpid() ++ ".erl"),
    Clauses = [[io_lib:format("t(~b) ->~n    ", [N]), Text]
               || {N, Text} <- lists:zip(lists:seq(1, length(Texts)), Texts)],
    ok = file:write_file(File, ["-module(code_back_module).\n-export([t/1]).\n",
                                lists:join(";\n", Clauses), ".\n"]),
    Result = compile:file(File, [binary, return]),
    file:delete(File),
    case Result of
        {ok, Module, Code, []} ->
            {module, Module} = code:load_binary(Module, File, Code),
            [{compiled, T} || {N, T} <- lists:zip(lists:seq(1, length(Terms)), Terms),
                              not same(T, Module:t(N))];
        Other ->
            [{compile, setelement(3, Other, none)}]
    end.

%% The numbers of the lists, and of the terms in them, that Elixir read differently.
elixir(Dir, [Elixir, Script], Lists) ->
    ok = file:make_dir(Dir),
    [begin
         Name = filename:join(Dir, integer_to_list(N)),
         ok = file:write_file(Name ++ ".etf", term_to_binary(Terms)),
         ok = file:write_file(Name ++ ".exs", ["[\n", [[T, ",\n"] || T <- Texts], "]\n"])
     end || {N, {Terms, Texts}} <- lists:zip(lists:seq(1, length(Lists)), Lists)],
    Out = os:cmd(lists:flatten(io_lib:format("~s ~s ~s 2>&1; echo status $?", [Elixir, Script, Dir]))),
    file:del_dir_r(Dir),
    [{elixir, Out} || Out =/= "status 0\n"].
