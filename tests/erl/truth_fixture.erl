%% truth_fixture PROGRAM CAPTURE TRUTH: the module that -T erlmod writes of a capture compiles
%% without a warning, and its messages/0 are what the nodes said they sent.
-module(truth_fixture).
-export([main/1, record/1]).

main([Program, Capture, Truth]) ->
    records:main("truth_fixture", fun() -> check(Program, Capture, Truth) end).

check(Program, Capture, Truth) ->
    Dir = string:trim(os:cmd("mktemp -d")),
    try
        File = filename:join(Dir, "recorded.erl"),
        {0, <<>>, _} = records:exec(Program, ["-r", Capture, "-T", "erlmod=" ++ File | keys(Capture)]),
        {ok, Module, Code} = compile:file(File, [binary, warnings_as_errors, return_errors]),
        {module, Module} = code:load_binary(Module, File, Code),
        told(Module, Truth)
    after
        file:del_dir_r(Dir)
    end.

%% Of TLS, the secrets beside the capture.
keys(Capture) ->
    Keys = filename:rootname(Capture) ++ ".keys",
    [Word || filelib:is_file(Keys), Word <- ["--keylog-file", Keys]].

told(Module, Truth) ->
    {_, Told, NumBroken} = truth:read(Truth),
    Messages = Module:messages(),
    Sound = [M || M <- Messages, not is_map_key(fault, M)],
    length(Messages) - length(Sound) =:= NumBroken orelse records:fail("faults", []),
    Messages =:= [Module:message(N) || N <- lists:seq(1, length(Messages))]
        orelse records:fail("message/1", []),
    truth:compare([{{atom_to_binary(Src), atom_to_binary(Dst)}, truth:wire(record(M))}
                   || #{src := Src, dst := Dst} = M <- Sound],
                  [{Direction, maps:map(fun(_, V) -> readable(V) end, Signal)}
                   || {Direction, Signal} <- Told]),
    io:format("~b signals as told~n", [length(Sound)]).

%% A message as records:signal/1 takes it.
record(#{op := Op, control := Control} = Message) ->
    Term = [{<<"msg">>, bytes(T)} || #{term := T} <- [Message]],
    maps:from_list([{<<"op">>, atom_to_binary(Op)}, {<<"ctl">>, bytes(Control)} | Term]).

bytes(Term) ->
    base64:encode(term_to_binary(Term)).

%% Native records are tuples in a module that OTP 25 compiles.
readable({record, _, Module, Name, Fields}) ->
    {tuple, [{atom, <<"$record">>}, Module, Name,
             [{tuple, [F, readable(V)]} || {F, V} <- Fields]]};
readable(Tuple) when is_tuple(Tuple) -> list_to_tuple(readable(tuple_to_list(Tuple)));
readable([Head | Tail]) -> [readable(Head) | readable(Tail)];
readable(Map) when is_map(Map) -> maps:from_list(readable(maps:to_list(Map)));
readable(Term) -> Term.
