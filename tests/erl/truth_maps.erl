%% truth_maps PROGRAM ELIXIR CAPTURE [TRUTH]: what distsniff writes with -T erl, -T ex and -T etf
%% reads back as the same maps, and the messages among them are what the nodes said they sent.
%% truth_maps PROGRAM ELIXIR CAPTURE MANGLE MODE N: the same maps, where mangle (mangle.c) has
%% dropped packets or cut them.
-module(truth_maps).
-export([main/1, frames/1, eval/2]).

main([Program, Elixir, Capture, Mangle, Mode, N]) ->
    records:main("truth_maps", fun() ->
        Variant = string:trim(os:cmd("mktemp")),
        try
            {0, _, _} = records:exec(Mangle, [Mode, N, Capture, Variant]),
            Maps = check(Program, Elixir, Variant, []),
            Marked = [M || M <- Maps, is_map_key(fault, M) orelse is_map_key(unknown_atoms, M)],
            [] =/= Marked orelse records:fail("nothing is missing", []),
            io:format("~b maps with something missing~n", [length(Marked)])
        after
            file:delete(Variant)
        end
    end);
main([Program, Elixir, Capture | Truth]) ->
    records:main("truth_maps", fun() -> check(Program, Elixir, Capture, Truth) end).

check(Program, Elixir, Capture, Truth) ->
    Dir = string:trim(os:cmd("mktemp -d")),
    try
        Erl = filename:join(Dir, "erl"),
        Ex = filename:join(Dir, "exs"),
        Etf = filename:join(Dir, "etf"),
        {0, <<>>, _} = records:exec(Program, ["-v", "-r", Capture, "-T", "erl=" ++ Erl,
                                              "-T", "ex=" ++ Ex, "-T", "etf=" ++ Etf]),
        {ok, Maps} = file:consult(Erl),
        Exact = frames(Etf),
        same("ex", Maps, eval(Elixir, Ex)),
        same("etf", [undamaged(M) || M <- Maps],
             [undamaged(term_maker:documented(M)) || M <- Exact]),
        types(Program, Capture, Maps),
        [told(Maps, T) || T <- Truth],
        io:format("~b maps~n", [length(Maps)]),
        Maps
    after
        file:del_dir_r(Dir)
    end.

%% Each record of JSON is one of the maps, also those of monitors and links.
types(Program, Capture, Maps) ->
    {Records, _} = records:run(Program, ["-v", "--certain", "-r", Capture]),
    same("json", [Type || #{<<"type">> := Type} <- Records],
         [atom_to_binary(Type) || #{type := Type} <- Maps]).

%% frames(File): the output of -T etf, as terms.
frames(File) ->
    {ok, Framed} = file:read_file(File),
    [binary_to_term(Frame) || <<Len:32, Frame:Len/binary>> <= Framed].

%% What Elixir reads, without a word on standard error.
eval(Elixir, File) ->
    Out = File ++ ".etf",
    Code = "{maps, []} = Code.eval_file(hd(System.argv())); "
           "File.write!(hd(System.argv()) <> \".etf\", :erlang.term_to_binary(maps))",
    {0, <<>>, <<>>} = records:exec(Elixir, ["-e", Code, File]),
    {ok, Maps} = file:read_file(Out),
    binary_to_term(Maps).

%% In external format, '$damaged' replaces the whole of a damaged term.
undamaged(Map) ->
    maps:map(fun(_, Value) ->
        case is_damaged(Value) of true -> '$damaged'; false -> Value end
    end, Map).

is_damaged('$damaged') -> true;
is_damaged([Head | Tail]) -> is_damaged(Head) orelse is_damaged(Tail);
is_damaged(Tuple) when is_tuple(Tuple) -> is_damaged(tuple_to_list(Tuple));
is_damaged(Map) when is_map(Map) -> is_damaged(maps:to_list(Map));
is_damaged(_) -> false.

same(What, Maps, Others) ->
    length(Maps) =:= length(Others) orelse
        records:fail("~s: ~b maps, not ~b", [What, length(Others), length(Maps)]),
    [] =/= Maps orelse records:fail("no maps at all", []),
    [records:fail("~s: ~tP~nnot ~tP", [What, B, 60, A, 60])
     || {A, B} <- lists:zip(Maps, Others), not term_maker:same(A, B)].

told(Maps, Truth) ->
    {_, Told, NumBroken} = truth:read(Truth),
    Messages = [M || #{type := message} = M <- Maps],
    Sound = [M || M <- Messages, not is_map_key(fault, M)],
    length(Messages) - length(Sound) =:= NumBroken orelse records:fail("faults", []),
    truth:compare([{{atom_to_binary(Src), atom_to_binary(Dst)}, signal(M)}
                   || #{src := Src, dst := Dst} = M <- Sound],
                  [{Direction, maps:map(fun plain_value/2, Signal)}
                   || {Direction, Signal} <- Told]),
    io:format("~b signals as told~n", [length(Sound)]).

%% signal(Map): a message, with the truth's names for its fields.
signal(#{op := Op} = Map) ->
    Parts = maps:with([op, from, to, ref, mfa, opts, flags, result, reason, term, token], Map),
    %% In other messages mfa comes from the correlation, which reads the payload.
    Named = rename(reason, term, case is_spawn(Op) of
                                     true -> rename(ref, req, Parts);
                                     false -> maps:remove(mfa, Parts)
                                 end),
    case Named of
        #{op := spawn_reply_tt} ->
            maps:remove(token, Named);
        #{token := {_Flags, Label, Serial, From, Prev}} ->
            Named#{token => #{label => Label, serial => Serial, from => From, prev => Prev}};
        #{} ->
            Named
    end.

is_spawn(Op) -> lists:prefix("spawn_", atom_to_list(Op)).

rename(Old, New, Map) when is_map_key(Old, Map) ->
    (maps:remove(Old, Map))#{New => maps:get(Old, Map)};
rename(_, _, Map) ->
    Map.

plain_value(op, Op) -> Op;
plain_value(token, #{label := Label} = Token) ->
    Token#{label => plain(Label), from => plain(maps:get(from, Token)),
           serial => plain(maps:get(serial, Token)), prev => plain(maps:get(prev, Token))};
plain_value(_, Term) -> plain(Term).

%% plain(Term): a term as etf reads it, in the form that distsniff documents.
plain({atom, Text}) -> binary_to_atom(Text);
plain({float, Bits}) -> <<Float:64/float>> = <<Bits:64>>, Float;
plain({tuple, Items}) -> list_to_tuple(plain(Items));
plain({improper, Items, Tail}) -> plain(Items) ++ plain(Tail);
plain({pid, Node, Id, Serial, Creation}) -> {'$pid', plain(Node), Id, Serial, Creation};
plain({ref, Node, Creation, Words}) -> {'$ref', plain(Node), lists:reverse(Words), Creation};
plain({port, Node, Id, Creation}) -> {'$port', plain(Node), Id, Creation};
plain({export, M, F, A}) -> erlang:make_fun(plain(M), plain(F), A);
plain({'fun', M, Arity, _, _, Index, Uniq, _, Free}) ->
    {'$fun', plain(M), Index, Uniq, Arity, plain(Free)};
plain({record, _, M, Name, Fields}) ->
    {'$record', plain(M), plain(Name), [{plain(F), plain(V)} || {F, V} <- Fields]};
plain(List) when is_list(List) -> [plain(T) || T <- List];
plain(Map) when is_map(Map) ->
    maps:from_list([{plain(K), plain(V)} || {K, V} <- maps:to_list(Map)]);
plain(Term) -> Term.
