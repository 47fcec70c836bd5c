%% bullionroom serve | pay NODE FILE | break_in NODE: nodes whose messages contain a secret of every
%% kind, in every possible place. pay writes the secrets to FILE: a line each, the words of --redact
%% that must hide it, a tab, and the secret in base64. The name of this module is one.
-module(bullionroom).
-export([main/1, serve/1, pay/1, break_in/1, account/2, fail/1]).

main([What | Args]) -> ?MODULE:(list_to_atom(What))(Args).

serve([]) ->
    register(strongbox_attendant, self()),
    loop().

loop() ->
    receive
        {stop, From} -> From ! stopped, timer:sleep(300), erlang:halt(0);
        {'$gen_call', From, Request} -> gen:reply(From, {tresor_reply, Request}), loop();
        {echo, From, Term} -> From ! Term, loop();
        _ -> loop()
    end.

break_in([Node]) ->
    io:format("~p~n", [net_kernel:connect_node(list_to_atom(Node))]),
    erlang:halt(0).

account(Name, Pin) -> {ledgerline, Name, Pin}.

fail(Reason) -> erlang:error(Reason).

pay([Name, File]) ->
    Node = list_to_atom(Name),
    ok = wait(Node, 50),
    {ok, _} = net_adm:names(),
    To = {strongbox_attendant, Node},
    [begin To ! {echo, self(), Term}, receive Term -> ok after 5000 -> error(lost) end end
     || {_, Term} <- terms()],
    %% Calls, functions and their arguments, errors.
    {tresor_reply, _} = gen_server:call(To, {withdraw_request, <<"callargument-Falknerei">>}),
    {ledgerline, _, _} = rpc:call(Node, ?MODULE, account, ["rpcstring-Gralshort", 815123987441]),
    catch erpc:call(Node, ?MODULE, fail, [{failure_aquarell, <<"errorreason-Hortensie">>}]),
    catch erpc:call(Node, fun() -> exit({leaving_aquarell, "exitreason-Isolde-text"}) end),
    {badrpc, _} = rpc:call(Node, ?MODULE, fail, [<<"badrpc-Jagdschloss">>]),
    Self = self(),
    Pid = spawn_monitor(fun() -> spawn_link(Node, timer, sleep, [60000]), Self ! go,
                                 exit({parting_aquarell, <<"linkreason-Kuckucksuhr">>}) end),
    receive go -> ok end,
    receive {'DOWN', _, _, P, _} when P =:= element(1, Pid) -> ok end,
    seq_trace:set_token(label, {<<"tracelabel-Lindwurm">>, marker_aquarell}),
    seq_trace:set_token(send, true),
    To ! {echo, self(), traced},
    receive traced -> ok end,
    seq_trace:set_token([]),
    yes = global:register_name({famous_celebrity, <<"globalname-Mondstein">>}, self()),
    pg:start_link(werkbank_scope),
    _ = rpc:call(Node, pg, start, [werkbank_scope]),
    pg:join(werkbank_scope, <<"pggroup-Nibelungen">>, self()),
    global:sync(),
    To ! {stop, self()},
    receive stopped -> ok end,
    ok = file:write_file(File, [[Words, "\t", base64:encode(Secret), "\n"]
                                || {Words, Secret} <- secrets()]),
    timer:sleep(500),
    erlang:halt(0).

wait(_, 0) -> error(nobody);
wait(Node, N) ->
    case net_adm:ping(Node) of
        pong -> ok;
        pang -> timer:sleep(100), wait(Node, N - 1)
    end.

%% Messages that are sent as they are, and the words of --redact that must hide their secrets.
terms() ->
    put(free, <<"freevariable-Perlmutt">>),
    Free = get(free), % not a literal of the function: it has to be sent
    Compressed = term_to_binary(lists:duplicate(50, <<"compressed-Quecksilber">>), [compressed]),
    [{"binaries", <<"binary-Abendstern">>},
     {"binaries", <<"umlaut-Bärenfänger"/utf8>>},
     {"binaries", <<"latin-Bärenfänger">>},
     {"binaries", <<"bitstring-Chrysolith", 5:3>>},
     {"binaries", <<0, 255, "rawbytes-Dornröschen", 254, 1>>},
     {"binaries", #{<<"mapkey-Eisvogel">> => <<"mapvalue-Edelweiss">>}},
     {"binaries", Compressed},
     {"binaries", [<<"iolist-Feuersalamander">>, $:, ["nested ", <<"inner-Feldspat">>]]},
     {"binaries", [1 | <<"impropertail-Goldregen">>]},
     {"binaries", fun() -> Free end},
     {"strings", "string-Abendrot-Kapelle"},
     {"strings", "umlautstring-Bärenklau"},
     {"strings", unicode:characters_to_list(<<"emoji-Wolkenschaf"/utf8>>) ++ [16#1F40F]},
     {"strings", binary_to_list(<<"utf8bytes-Büffelgras"/utf8>>)},
     {"strings", ["chardata-Christrose", [$\s | "innerstring-Distelfink"]]},
     {"strings", [$c, $h, $a, $r, $s, $-, $E, $b, $e, $r, $e, $s, $c, $h, $e | tail]},
     {"strings", #{"stringkey-Einhorn" => {nested, ["stringvalue-Eisenhut"]}}},
     {"strings", lists:append(lists:duplicate(3300, "longstring-Finsternis"))},
     {"numbers", 982451653123456789},
     {"numbers", -32416190071777},
     {"numbers", 3141592653589793238462643383279502884197169399375105820974944592307816406286},
     {"numbers", 271828.18284590453},
     {"numbers", #{{numberkey, 86028121771} => [-99194853094, 67867967771.25]}},
     {"atoms", atom_abendwind},
     {"atoms", 'Atom mit Bärlauch'},
     {"atoms", #{atomkey_edelstein => atomvalue_efeu}},
     {"atoms", fun lists_of_gold:count_coins/2},
     {"atoms", 'Elixir.Schatzkammer.Inventar'},
     {"atoms", {'EXIT', {recordname_fuchsbau, [{tuplefield_gamsbart, true}]}}},
     {"nodes", 'othernode@silberquelle.example'},
     {"addresses", {10, 211, 37, 199}},
     {"addresses", {16#2a02, 16#908, 7, 6, 5, 4, 3, 16#beef}}].

secrets() ->
    Values = lists:append([[{Words, S} || S <- values(Term)] || {Words, Term} <- terms()]),
    Named = [{"binaries", ["callargument-Falknerei", "errorreason-Hortensie", "badrpc-Jagdschloss",
                           "linkreason-Kuckucksuhr", "tracelabel-Lindwurm", "globalname-Mondstein",
                           "pggroup-Nibelungen", "freevariable-Perlmutt"]},
             {"strings", ["rpcstring-Gralshort", "exitreason-Isolde-text"]},
             {"numbers", ["815123987441"]},
             {"atoms,strings", ["bullionroom"]}, % a stack trace has the name of the file
             {"atoms", ["strongbox_attendant", "tresor_reply", "withdraw_request",
                        "ledgerline", "failure_aquarell", "leaving_aquarell", "parting_aquarell",
                        "marker_aquarell", "famous_celebrity", "werkbank_scope"]},
             {"addresses", ["127.77.66.55"]},
             {"nodes", ["treasurer", "bookkeeper", "pickpocket", "goldvault"]}],
    lists:usort(Values ++ [{W, list_to_binary(S)} || {W, Ss} <- Named, S <- Ss]
                ++ [{"", atom_to_binary(erlang:get_cookie())}]).

%% values(Term): the secrets in a term: values whose text has at least 9 bytes.
values(Term) ->
    Texts = [iolist_to_binary(V) || V <- lists:flatten([text(Term)])],
    [V || V <- Texts, byte_size(V) >= 9, V =/= <<"numberkey">>].

text(B) when is_bitstring(B) ->
    Bytes = bit_size(B) div 8,
    [binary:part(<<B/bits, 0:7>>, 0, Bytes)];
text(A) when is_atom(A) ->
    case binary:split(atom_to_binary(A), <<"@">>) of
        [Name, Host] -> [Name, Host];
        _ -> [iolist_to_binary(string:replace(atom_to_binary(A), "Elixir.", ""))]
    end;
text(I) when is_integer(I) -> [integer_to_binary(abs(I))];
text(F) when is_float(F) -> [float_to_binary(F, [short])];
text(F) when is_function(F) ->
    case erlang:fun_info(F, type) of
        {type, external} -> [text(element(2, erlang:fun_info(F, K))) || K <- [module, name]];
        _ -> []
    end;
text(Ip) when is_integer(element(4, Ip)) ->
    iolist_to_binary(lists:join(",", [integer_to_list(N) || N <- tuple_to_list(Ip)]));
text(T) when is_tuple(T) -> [text(E) || E <- tuple_to_list(T)];
text(M) when is_map(M) -> [text(E) || {K, V} <- maps:to_list(M), E <- [K, V]];
text([]) -> [];
text(L) when is_list(L) -> list(L, []).

%% Consecutive characters are one text.
list([C | Rest], Acc) when is_integer(C), C >= 0, C =< 16#10FFFF -> list(Rest, [C | Acc]);
list(Rest, [_ | _] = Acc) ->
    [unicode:characters_to_binary(part(lists:reverse(Acc))) | list(Rest, [])];
list([E | Rest], []) -> [text(E) | list(Rest, [])];
list([], []) -> [];
list(Tail, []) -> [text(Tail)].

%% Of a long string that repeats itself, the repeated part.
part("longstring" ++ _ = Text) -> lists:sublist(Text, 21);
part(Text) -> Text.
