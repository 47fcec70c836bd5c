%% advice:main(PROGRAM, FINDINGS): commands in the advice of findings work: each Erlang expression
%% evaluates on this node; functions that are named with their arity, or called in advice and pages,
%% are exported; words such as net_ticktime are atoms of Erlang/OTP; erl accepts the flags and
%% distsniff the options. FINDINGS is the folder with findings.def and the detectors.
-module(advice).
-export([main/1]).

main([Program, Dir]) ->
    {ok, _} = net_kernel:start(advice@localhost, #{dist_listen => false, name_domain => shortnames}),
    Rows = texts(filename:join(Dir, "findings.def")),
    Detectors = lists:append([texts(File) || File <- filelib:wildcard(filename:join(Dir, "*.c"))]),
    Expressions = lists:usort(lists:append([expressions(Text) || Text <- Rows ++ Detectors])),
    Arities = matches("[a-z_0-9]+:[a-z_0-9]+/[0-9]+", Rows ++ Detectors),
    Names = matches("(?<![A-Za-z_])[a-z_0-9]+:[a-z_0-9]+(?![a-z_0-9(/])", Rows),
    Words = matches("(?<![a-z0-9:_<.-])[a-z]+(_[a-z0-9]+)+(?![a-z_:])", Rows) -- others(),
    Flags = matches("(?<![a-z-])-[a-z_]{4,}", Rows) -- ["-names"],
    Options = matches("--[a-z-]+", Rows ++ Detectors),
    Emulator = matches("\\+[a-z]+", Rows),
    %% If one of these is empty, its pattern has gone wrong.
    {true, true, true, true, true, true, true} =
        {length(Expressions) >= 6, length(Arities) >= 3, length(Names) >= 3, length(Words) >= 15,
         length(Flags) >= 4, length(Options) >= 5, length(Emulator) >= 1},
    Atoms = atoms(),
    Help = os:cmd(Program ++ " --help"),
    Wrong =
        [{expression, Text, Why} || Text <- Expressions, (Why = evaluate(Text)) =/= ok]
        ++ [{function, F} || F <- Arities, not is_exported(F)]
        ++ [{name, F} || F <- Names, not is_exported(F)]
        ++ [{word, W} || W <- Words, not is_map_key(W, Atoms)]
        ++ [{flag, F} || "-" ++ F <- Flags, not is_map_key(F, Atoms)]
        ++ [{option, O} || O <- Options, string:find(Help, O) =:= nomatch]
        ++ [{emulator, F} || F <- Emulator, not is_taken(F)],
    [io:format("~tp~n", [W]) || W <- Wrong],
    io:format("~b expressions, ~b functions, ~b words, ~b flags, ~b options~n",
              [length(Expressions), length(Arities ++ Names), length(Words), length(Flags ++ Emulator),
               length(Options)]),
    halt(case Wrong of [] -> 0; _ -> 1 end).

%% others are words of that form that are not Erlang/OTP's, such as Linux' rp_filter, or that are
%% not atoms of a beam file: the virtual machine has them in C, or they are the beginning of one.
others() ->
    ["adopt_orphans", "api_key", "busy_dist_port", "connection_closed", "append_entries_reply", "append_entries_rpc", "delete_member",
     "check_partial_partition", "cluster_partition_handling", "cluster_status", "force_boot", "forget_cluster_node",
     "im_running", "inconsistent_database", "inet_tls", "mnesia_info", "node_up",
     "gen_rpc", "gen_rpc_authenticate_connection", "insecure_auth_fallback_allowed", "list_queues", "long_gc", "long_schedule",
     "partial_partition_disconnect", "pause_minority", "phoenix_pubsub", "quorum_status", "rabbit_node_monitor", "rp_filter", "send_table", "set_master", "stream_status",
     "start_app", "stop_app", "sync_register", "transfer_req", "winner_is"].

%% texts are the string literals of a C file, adjacent ones joined.
texts(File) ->
    {ok, Bytes} = file:read_file(File),
    strings(binary_to_list(re:replace(Bytes, "/\\*.*?\\*/", "", [dotall, global, {return, binary}])), none).

strings([$' , $", $' | Rest], Last) -> strings(Rest, Last);
strings([$" | Rest], Last) ->
    {Text, More} = string(Rest, []),
    strings(More, case Last of none -> Text; _ -> Last ++ Text end);
strings([C | Rest], Last) when C =:= $\s; C =:= $\n -> strings(Rest, Last);
strings([_ | Rest], none) -> strings(Rest, none);
strings([_ | Rest], Last) -> [Last | strings(Rest, none)];
strings([], none) -> [];
strings([], Last) -> [Last].

string([$" | Rest], Text) -> {lists:reverse(Text), Rest};
string([$\\, C | Rest], Text) -> string(Rest, [C | Text]);
string([C | Rest], Text) -> string(Rest, [C | Text]).

matches(Pattern, Texts) ->
    Found = [re:run(Text, Pattern, [global, {capture, first, list}]) || Text <- Texts],
    lists:usort([Match || {match, Matches} <- Found, [Match] <- Matches]).

%% expressions are texts that look like a call, up to its closing bracket.
expressions(Text) ->
    case re:run(Text, "(?<![A-Za-z_:])(([A-Z]?[a-z_0-9]+:)[a-z_0-9]+|[a-z]+(_[a-z]+)+)\\(", [{capture, first, index}]) of
        {match, [{At, Len}]} ->
            Rest = lists:nthtail(At + Len, Text),
            End = to_bracket(Rest, 1, 0),
            [lists:sublist(Text, At + 1, Len + End) | expressions(lists:nthtail(End, Rest))];
        nomatch -> []
    end.

to_bracket(_, 0, Len) -> Len;
to_bracket([$( | Rest], Depth, Len) -> to_bracket(Rest, Depth + 1, Len + 1);
to_bracket([$) | Rest], Depth, Len) -> to_bracket(Rest, Depth - 1, Len + 1);
to_bracket([_ | Rest], Depth, Len) -> to_bracket(Rest, Depth, Len + 1);
to_bracket([], _, Len) -> Len.

%% evaluate: the result does not matter.
evaluate(Text) ->
    Bindings = orddict:from_list([{'Pid', spawn(fun() -> receive stop -> ok end end)},
                                  {'Node', node()}, {'Cookie', cookie}, {'Module', lists}, {'Table', schema}]),
    evaluate(erl_scan:string(Text ++ "."), Bindings).

evaluate({ok, Tokens, _}, Bindings) ->
    case erl_parse:parse_exprs(Tokens) of
        {ok, Expressions} ->
            try erl_eval:exprs(Expressions, Bindings) of
                {value, _, _} -> ok
            catch
                Class:Reason -> {Class, Reason}
            end;
        {error, Why} -> Why
    end;
evaluate({error, Why, _}, _) -> Why.

is_exported(Text) ->
    [Module, Rest] = string:split(Text, ":"),
    {module, _} = code:ensure_loaded(list_to_atom(Module)),
    Exports = (list_to_atom(Module)):module_info(exports),
    case string:split(Rest, "/") of
        [Name] -> lists:keymember(list_to_atom(Name), 1, Exports);
        [Name, Arity] -> lists:member({list_to_atom(Name), list_to_integer(Arity)}, Exports)
    end.

%% atoms are those of the parts of Erlang/OTP that connect nodes.
atoms() ->
    Folders = [filename:join(code:lib_dir(App), "ebin") || App <- [kernel, stdlib, ssl]],
    Beams = lists:append([filelib:wildcard(filename:join(Folder, "*.beam")) || Folder <- Folders]),
    maps:from_list([{atom_to_list(Atom), true} || Beam <- Beams, {_, Atom} <- atoms(Beam)]).

atoms(Beam) ->
    {ok, {_, [{atoms, Atoms}]}} = beam_lib:chunks(Beam, [atoms]),
    Atoms.

is_taken(Flag) ->
    Said = os:cmd("erl " ++ Flag ++ " 1024 -noinput -eval 'io:put_chars(\"taken\"), halt()'"),
    Said =:= "taken".
