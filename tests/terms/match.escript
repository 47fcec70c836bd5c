#!/usr/bin/env escript
%%! +fnu
%% What -m makes of a pattern with a guard, and what a node makes of the same as the head of a
%% function clause, over the same terms: made at random, half of them so that they nearly match.
%%
%% usage: match.escript MATCH_TOOL [SEED [PATTERNS]]
-mode(compile).

-define(TERMS, 8). % for each pattern

main([Tool | Rest]) ->
    io:setopts([{encoding, unicode}]),
    Seed = case Rest of [S | _] -> list_to_integer(S); [] -> 1 end,
    Num = case Rest of [_, N] -> list_to_integer(N); _ -> 2000 end,
    rand:seed(exsss, {Seed, Seed, Seed}),
    Cases = utf32() ++ [make_case() || _ <- lists:seq(1, Num)],
    Expected = ask_node(Cases),
    Answers = ask_tool(Tool, Cases),
    All = [{P, T, E, A} || {{P, Ts}, Es, As} <- lists:zip3(Cases, Expected, Answers),
                           {T, E, A} <- zip_answers(Ts, Es, As)],
    {Raised, Checks} = lists:partition(fun({_, _, E, _}) -> is_tuple(E) end, All),
    [io:format("~ts~n    on ~0tp~n    raises ~0tp on a node~n", [P, T, E])
     || {P, T, E, _} <- Raised],
    Wrong = [C || {_, _, E, A} = C <- Checks, E =/= A],
    [io:format("~ts~n    on ~0tp~n    is ~p on a node, ~tp here~n", [P, T, E, A])
     || {P, T, E, A} <- lists:sublist(Wrong, 20)],
    Yes = length([C || {_, _, true, _} = C <- Checks]),
    io:format("seed ~b: ~b patterns, ~b pairs, ~b match, ~b wrong~n",
              [Seed, length(Cases), length(Checks), Yes, length(Wrong)]),
    %% A run in which hardly anything matches would prove little.
    halt(case Wrong of [] when Yes > length(Checks) div 20 -> 0; _ -> 1 end).

zip_answers(Ts, Es, {error, Why}) -> [{T, E, Why} || {T, E} <- lists:zip(Ts, Es)];
zip_answers(Ts, Es, As) -> lists:zip3(Ts, Es, As).

%% The node: a function for each pattern, many in a module.

ask_node(Cases) ->
    lists:append([ask_module(C) || C <- chunks(100, Cases)]).

chunks(_, []) -> [];
chunks(N, L) when length(L) =< N -> [L];
chunks(N, L) -> {A, B} = lists:split(N, L), [A | chunks(N, B)].

ask_module(Cases) ->
    Numbered = lists:zip(lists:seq(1, length(Cases)), Cases),
    Name = fun(I) -> "f" ++ integer_to_list(I) end,
    Texts = ["-module(patterns).", "-compile([export_all, nowarn_export_all])."] ++
        [[Name(I), "(", head(P), ")", guard(P), " -> true; ", Name(I), "(_) -> false."]
         || {I, {P, _}} <- Numbered],
    {ok, patterns, Code} = compile:forms([form(T) || T <- Texts], [return_errors]),
    {module, patterns} = code:load_binary(patterns, "patterns", Code),
    [[ask(list_to_atom(Name(I)), T) || T <- Ts] || {I, {_, Ts}} <- Numbered].

%% No guard may raise anything; if the node's compiler has made one that does, it is not counted.
ask(Name, T) ->
    try patterns:Name(T) catch error:Why -> {raised, Why} end.

head(P) -> hd(string:split(P, " when ")).
guard(P) -> case string:split(P, " when ") of [_, G] -> [" when ", G]; _ -> "" end.

form(Text) ->
    Flat = unicode:characters_to_list(Text),
    case erl_scan:string(Flat) of
        {ok, Tokens, _} ->
            case erl_parse:parse_form(Tokens) of
                {ok, Form} -> Form;
                Error -> io:format("~ts~n~tp~n", [Flat, Error]), halt(1)
            end;
        Error -> io:format("~ts~n~tp~n", [Flat, Error]), halt(1)
    end.

%% The tool.

ask_tool(Tool, Cases) ->
    File = filename:join(os:getenv("TMPDIR", "/tmp"), "match." ++ os:getpid() ++ ".cases"),
    ok = file:write_file(File, [encode(C) || C <- Cases]),
    Port = open_port({spawn_executable, "/bin/sh"},
                     [{args, ["-c", "exec \"$0\" < \"$1\"", Tool, File]},
                      binary, exit_status, stream]),
    {Out, Status} = collect(Port, []),
    ok = file:delete(File),
    Status =:= 0 orelse begin io:format("match_tool: exit ~b~n", [Status]), halt(1) end,
    decode(Out, Cases).

encode({P, Ts}) ->
    Text = unicode:characters_to_binary(P),
    [<<(byte_size(Text)):32>>, Text, <<(length(Ts)):32>> |
     [begin B = encode_term(T), [<<(byte_size(B)):32>>, B] end || T <- Ts]].

encode_term(T) ->
    term_to_binary(T, case rand:uniform(8) of 1 -> [{minor_version, 0}]; _ -> [] end).

collect(Port, Acc) ->
    receive
        {Port, {data, Data}} -> collect(Port, [Acc, Data]);
        {Port, {exit_status, Status}} -> {iolist_to_binary(Acc), Status}
    end.

decode(<<0:32, Rest/binary>>, [{_, Ts} | Cases]) ->
    {Bytes, More} = split_binary(Rest, length(Ts)),
    [[answer(B) || <<B>> <= Bytes] | decode(More, Cases)];
decode(<<N:32, Why:N/binary, Rest/binary>>, [{_, Ts} | Cases]) ->
    {_, More} = split_binary(Rest, length(Ts)),
    [{error, Why} | decode(More, Cases)];
decode(<<>>, []) -> [].

answer(0) -> false;
answer(1) -> true;
answer(Other) -> {gave_up, Other}.

%% Cases: a pattern made from a term, which it often matches; that term, terms that differ a little,
%% and any terms.

make_case() ->
    case rand:uniform(7) of
        1 -> make_pairs();
        2 -> make_built();
        3 -> make_binary();
        _ -> make_any()
    end.

%% Two terms of the same kind, and their order.
make_pairs() ->
    Guard = ["V0 ", one(["==", "/=", "=:=", "=/=", "<", "=<", ">", ">="]), " V1"],
    {unicode:characters_to_list(["{V0, V1} when ", Guard]),
     [make_pair() || _ <- lists:seq(1, ?TERMS)]}.

make_pair() ->
    case rand:uniform(4) of
        1 -> {identity(), identity()};
        2 -> {leaf(), leaf()};
        _ -> T = term(3), {T, change(T)}
    end.

%% Pids, ports and references of other nodes, some of whose numbers differ.
identity() ->
    Node = <<119, 3, (one("ab")), $@, (one("hi"))>>,
    N = fun() -> one([1, 2, 300]) end,
    binary_to_term(
      case rand:uniform(4) of
          1 -> <<131, 88, Node/binary, (N()):32, (N()):32, (N()):32>>;
          2 -> <<131, 89, Node/binary, (N()):32, (N()):32>>;
          3 -> <<131, 120, Node/binary, (N()):32, (N()):32, (N()):32>>;
          4 -> Words = one([1, 2, 3]),
               <<131, 90, Words:16, Node/binary, (N()):32, << <<(N()):32>> || _ <- lists:seq(1, Words) >>/binary>>
      end).

%% Terms that a guard makes from variables, compared with the same term and others, and their order.
make_built() ->
    Parts = [{"V0", plain(2)}, {"V1", plain(1)}, {"V2", leaf()}],
    {Text, Term} = build(3, Parts),
    Op = one(["==", "==", "=:=", "=:=", "/=", "=/=", "<", "=<", ">", ">="]),
    Test = case rand:uniform(6) of
               1 -> ["{V3, 1} ", Op, " {", Text, ", 1}"];
               2 -> ["hd([", Text, " | V3]) ", Op, " V3"];
               3 -> ["map_get({V2}, #{{V2} => ", Text, "}) ", Op, " V3"];
               4 -> ["V3 ", Op, " element(2, {V3, ", Text, "})"];
               _ -> [Text, " ", Op, " V3"]
           end,
    [_, {_, P1}, {_, P2}] = Parts,
    {unicode:characters_to_list(["{V0, V1, V2, V3} when ", Test]),
     [begin
          {_, P0} = hd(Parts),
          Other = case rand:uniform(3) of 1 -> Term; _ -> change(Term) end,
          case rand:uniform(4) of
              1 -> {change(P0), P1, P2, Other};
              _ -> {P0, P1, P2, Other}
          end
      end || _ <- lists:seq(1, ?TERMS)]}.

%% build returns an expression and its value.
build(0, Parts) ->
    case rand:uniform(3) of
        1 -> T = plain(1), {constant(T), T};
        _ -> one(Parts)
    end;
build(D, Parts) ->
    Some = fun() -> [build(D - 1, Parts) || _ <- lists:seq(1, rand:uniform(4) - 1)] end,
    case rand:uniform(7) of
        7 -> build_binary(Parts);
        1 -> build(0, Parts);
        N when N =< 3 ->
            {Texts, Terms} = lists:unzip(Some()),
            {["{", comma(Texts), "}"], list_to_tuple(Terms)};
        4 ->
            {Texts, Terms} = lists:unzip(Some()),
            {["[", comma(Texts), "]"], Terms};
        5 ->
            {Texts, Terms} = lists:unzip([build(D - 1, Parts) | Some()]),
            {Text, Tail} = build(D - 1, Parts),
            {["[", comma(Texts), " | ", Text, "]"], Terms ++ Tail};
        6 ->
            Key = fun(1) -> one(Parts);
                     (2) -> K = one([a, b, 1, 1.0, {k}]), {constant(K), K};
                     (3) -> build(D - 1, Parts)
                  end,
            Pairs = [{Key(rand:uniform(3)), V} || V <- Some()],
            Map = lists:foldl(fun({{_, K}, {_, V}}, M) -> M#{K => V} end, #{}, Pairs),
            Text = ["#{", comma([[K, " => ", V] || {{K, _}, {V, _}} <- Pairs]), "}"],
            case {Pairs, rand:uniform(2)} of
                {[{{K, Was}, _} | _], 1} ->
                    {V, Is} = build(0, Parts),
                    {[Text, "#{", K, " := ", V, ", c => ", V, "}"], Map#{Was := Is, c => Is}};
                _ -> {Text, Map}
            end
    end.

%% A binary of anything that a node makes; sometimes one that it cannot make.
build_binary(Parts) ->
    Value = fun(1) -> {V, _} = one(Parts), V;
               (2) -> io_lib:format("~b", [one([0, 1, 5, 255, 300, -1, 1 bsl 65])]);
               (3) -> "(" ++ io_lib:format("~w", [one([1.5, 0.1, 70000.0, -2.0])]) ++ ")";
               (4) -> ["(byte_size(", element(1, one(Parts)), ") + 1)"];
               (5) -> "(<<1, 2:4>>)"
            end,
    Integer = ["", ":4", ":12/little", ":70/signed", "/integer", ":(1 + 2)/unit:3", "/utf8",
               "/utf16-little", "/float", ":32/float-little", ":16/float"],
    Segment = fun(N) when N < 3 -> one(["\"ab\"", "\"a\\x{e5}\"/utf8", "\"ab\":12/little",
                                        "\"\\x{1f600}\"/utf16"]);
                 (N) when N < 5 -> [Value(1), one(["/binary", "/bits", ":1/binary", ":3/bits"])];
                 (5) -> [Value(5), one(["/bits", ":8/bits", ":1/bytes", "/binary"])];
                 (_) -> [Value(rand:uniform(4)), one(Integer)]
              end,
    Text = ["<<", comma([Segment(rand:uniform(9)) || _ <- lists:seq(1, rand:uniform(3))]), ">>"],
    {ok, Tokens, _} = erl_scan:string(lists:flatten(io_lib:format("~ts.", [Text]))),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    Bindings = [{list_to_atom(V), T} || {V, T} <- Parts],
    try {Text, element(2, erl_eval:exprs(Exprs, Bindings))}
    catch error:_ ->
        case rand:uniform(5) of 1 -> {Text, {impossible}}; _ -> build_binary(Parts) end
    end.

%% A binary in segments, made together with matching bits; then bits that differ a little.
make_binary() ->
    put(vars, []),
    put(numbers, []),
    {Texts, Bits} = lists:unzip([segment() || _ <- lists:seq(1, rand:uniform(5))]),
    {End, Rest} = last_segment(),
    Whole = << <<B/bitstring>> || B <- Bits ++ [Rest] >>,
    Binary = ["<<", comma(Texts ++ End), ">>"],
    Vars = get(vars),
    Guard = case {Vars, rand:uniform(4)} of
                {[_ | _], 1} ->
                    [" when ", one(Vars), one([" == ", " =:= ", " < "]), value(Vars, 1)];
                {[_ | _], 2} -> [" when ", guards(Vars)];
                {[_ | _], 3} ->
                    V = one(Vars),
                    [" when {", V, "} =:= {", one(Vars), "}; is_binary(", V, "), byte_size(", V,
                     ") > 0"];
                _ -> ""
            end,
    {Pattern, Wrap} = case rand:uniform(4) of
                          1 -> {["{", variable(), ", ", Binary, "}"], fun(B) -> {small(), B} end};
                          2 -> {[variable_new(), " = ", Binary], fun(B) -> B end};
                          _ -> {Binary, fun(B) -> B end}
                      end,
    {unicode:characters_to_list([Pattern, Guard]),
     [Wrap(Whole) | [Wrap(change_bits(Whole)) || _ <- lists:seq(2, ?TERMS)]]}.

utf32() ->
    Characters = [<<$a/utf32>>, <<16#20ac/utf32>>, <<"ab"/utf32, 1:1>>, <<0, 0, 0>>, <<>>],
    Little = [<<$a/utf32-little>>, <<"b\x{20ac}"/utf32-little, 7>>, <<0, 0>>],
    [{"<<V0/utf32, V1/bits>> when V0 > $a; bit_size(V1) == 33", Characters},
     {"<<\"a\"/utf32, _/bits>>", Characters},
     {"<<_/utf32-little, V0/binary>> when V0 =/= <<>>", Little},
     {"<<V0/utf32-little, V0/utf32-little, _/bits>>", Little},
     {"<<V0:3, \"ab\"/utf32, V1/bits>> when V1 == <<1:1>>; V0 == 2",
      [<<5:3, B/bits>> || B <- Characters]}].

segment() ->
    case rand:uniform(11) of
        1 -> {text("ab"), <<"ab">>};
        2 -> S = one(["a", "\x{e5}\x{20ac}", "\x{1f600}b", ""]),
             {Type, In} = encoding(),
             {[text(S), "/", Type], unicode:characters_to_binary(S, unicode, In)};
        3 -> C = one([$a, 16#e5, 16#20ac, 16#1f600, 16#d7ff, 16#e000, 16#10ffff]),
             {Type, In} = encoding(),
             Value = case rand:uniform(4) of
                         1 -> ["16#", integer_to_list(C, 16)];
                         _ -> bits_variable()
                     end,
             {[Value, "/", Type], unicode:characters_to_binary([C], unicode, In)};
        4 -> float_segment();
        N when N =< 6 -> literal_segment();
        N when N =< 8 -> integer_segment();
        _ -> binary_segment()
    end.

%% Not utf32 of any bits: invalid characters can crash OTP 25. See utf32/0.
encoding() ->
    one([{"utf8", utf8}, {"utf16", {utf16, big}}, {"utf16-big", {utf16, big}},
         {"utf16-little-unsigned", {utf16, little}}]).

%% A name, usually a new one; a value is the same twice only by chance.
bits_variable() -> case rand:uniform(6) of 1 -> "_"; 2 -> variable(); _ -> variable_new() end.

float_segment() ->
    Size = one([16, 32, 64]),
    F = one([0.0, 1.0, 1.5, -2.5, 65504.0, 6.0e-8, 1.0e-5, 1.1, inf]),
    {Text, Little} = one([{"", false}, {"-little", true}]),
    Bits = case {F, Little} of
               {inf, _} -> <<(one([16#7c, 16#fc, 16#7f, 0])), 16#f0, -1:(Size - 16)>>;
               {_, false} -> <<F:Size/float>>;
               {_, true} -> <<F:Size/float-little>>
           end,
    Value = case rand:uniform(3) of 1 when F =/= inf -> io_lib:format("~w", [F]);
                                    2 when F =:= 1.0 -> "1";
                                    _ -> bits_variable() end,
    case Size of
        64 -> {[Value, "/float", Text], Bits};
        _ -> {[Value, one([[":", integer_to_list(Size), "/float"],
                           [":", integer_to_list(Size div 16), "/float-unit:16"]]), Text], Bits}
    end.

flags() -> {one([{"", unsigned}, {"-signed", signed}, {"-unsigned", unsigned}]),
            one([{"", big}, {"-little", little}, {"-big", big}])}.

bits(N, Size, big) -> <<N:Size>>;
bits(N, Size, little) -> <<N:Size/little>>.

literal_segment() ->
    {{Sign, _}, {Order, End}} = flags(),
    Size = one([8, 8, 16, 12, 3, 1, 32, 64, 70, 0]),
    N = one([0, 1, 2, 5, 127, 128, 255, 256, 1000, -1, -2, -128, 1 bsl 69]),
    Text = io_lib:format("~b", [N]),
    case {rand:uniform(3), [{V, X} || {V, X} <- get(numbers), X =< 70]} of
        {1, [_ | _] = Numbers} ->
            {V, X} = one(Numbers),
            {[Text, ":", V, "/integer", Sign, Order], bits(N, X, End)};
        _ when Size =:= 8, Sign =:= "", Order =:= "" -> {Text, <<N>>};
        _ -> {[Text, ":", integer_to_list(Size), "/integer", Sign, Order], bits(N, Size, End)}
    end.

integer_segment() ->
    {{Sign, Signed}, {Order, End}} = flags(),
    Size = one([8, 8, 4, 16, 12, 3, 1, 32, 63, 64, 65, 90, 0]),
    N = one([0, 1, 2, 3, 5, 9, -1, 1 bsl 62, 1 bsl 63, rand:uniform(1 bsl 64)]),
    <<Stored:Size>> = <<N:Size>>,
    case rand:uniform(5) of
        1 -> %% a number that is the length of others
            K = one([0, 1, 2, 3, 8, 9]),
            V = variable_new(),
            put(numbers, [{V, K} | get(numbers)]),
            {V, <<K>>};
        2 when Size rem 4 =:= 0 ->
            {[bits_variable(), ":", integer_to_list(Size div 4), "/unit:4", Sign, Order],
             bits(Stored, Size, End)};
        _ when Size =:= 8, Signed =:= unsigned, Order =:= "" -> {bits_variable(), <<N>>};
        _ -> {[bits_variable(), ":", integer_to_list(Size), "/integer", Sign, Order],
              bits(Stored, Size, End)}
    end.

binary_segment() ->
    {Size, Len} = size(),
    {Type, Unit} = one([{"binary", 8}, {"bytes", 8}, {"bits", 1}, {"bitstring", 1},
                        {"binary-unit:3", 3}, {"binary-unit:16", 16}]),
    N = max(Len, 0) * Unit,
    {[bits_variable(), ":", Size, "/", Type], <<(rand:uniform(1 bsl 64)):N>>}.

%% A size as text, and its value.
size() ->
    case {rand:uniform(4), get(numbers)} of
        {1, [{V, N} | _]} -> one([{["(", V, " - 1)"], N - 1}, {["(", V, " * 2 + 1)"], N * 2 + 1},
                                  {["(length([", V, ", 1]))"], 2}, {["(hd(", V, "))"], 1},
                                  {["(", V, " bsl 1)"], N * 2}]);
        {N, [_ | _] = Numbers} when N < 4 -> one(Numbers);
        _ -> N = one([0, 1, 2, 3]), {integer_to_list(N), N}
    end.

last_segment() ->
    case rand:uniform(6) of
        1 -> {[], <<>>};
        2 -> {[[any(), "/binary"]], one([<<>>, <<"xyz">>, <<1, 2>>])};
        3 -> {[[any(), one(["/bits", "/bitstring"])]], one([<<>>, <<5:3>>, <<"xyz", 1:1>>])};
        4 -> {[[any(), "/binary-unit:16"]], one([<<>>, <<1, 2>>, <<1>>])};
        5 -> {[[any(), "/bytes"]], <<0>>};
        6 -> {[], one([<<>>, <<0:1>>])}
    end.

change_bits(B) ->
    N = bit_size(B),
    case rand:uniform(8) of
        K when K =< 3, N > 0 ->
            I = rand:uniform(N) - 1,
            <<X:I/bits, Bit:1, Y/bits>> = B,
            <<X/bits, (1 - Bit):1, Y/bits>>;
        4 when N > 0 -> I = rand:uniform(N), <<X:I/bits, _/bits>> = B, X;
        5 when N > 7 -> I = rand:uniform(N div 8) * 8, <<X:I/bits, _/bits>> = B, X;
        6 -> <<B/bits, (rand:uniform(256)):(rand:uniform(16))>>;
        7 -> one([<<>>, leaf(), binary_to_list(<< <<1>> || <<_:1>> <= B >>)]);
        _ -> B
    end.

%% plain is a term that can be written as text.
plain(D) ->
    T = term(D),
    case is_plain(T) of true -> T; false -> plain(D) end.

is_plain(T) when is_pid(T); is_reference(T); is_function(T); is_port(T) -> false;
is_plain(T) when is_tuple(T) -> is_plain(tuple_to_list(T));
is_plain(T) when is_map(T) -> is_plain(maps:to_list(T));
is_plain([H | T]) -> is_plain(H) andalso is_plain(T);
is_plain(_) -> true.

make_any() ->
    Term = term(4),
    put(vars, []),
    Pattern = pattern(Term),
    Vars = get(vars),
    Guard = case rand:uniform(4) of 1 -> ""; _ -> [" when ", guards(Vars)] end,
    Terms = [Term | [case I rem 2 of 0 -> change(Term); 1 -> term(4) end
                     || I <- lists:seq(2, ?TERMS)]],
    {unicode:characters_to_list([Pattern, Guard]), Terms}.

one(List) -> lists:nth(rand:uniform(length(List)), List).

integers() ->
    Around = [1 bsl N || N <- [7, 8, 15, 16, 27, 31, 32, 53, 59, 60, 63, 64, 80, 128, 200]],
    lists:usort([0, 1, 2, 3, 5, 7, 10, -1, -2, $a, $b] ++
                    [S * (A + D) || A <- Around, D <- [-1, 0, 1], S <- [1, -1]]).

floats() ->
    [0.0, 1.0, 2.0, -1.0, 0.5, -0.5, 1.5, 3.0, 10.0, 1.0e10, 9007199254740992.0,
     9007199254740994.0, 9.223372036854775807e18, 1.8446744073709552e19, -9.3e18, 1.0e100,
     -1.0e300, 1.7976931348623157e308, 5.0e-324, 2.2e-10, 340282366920938463463374607431768211456.0].

atoms() -> [a, b, c, ok, true, false, error, 'A b', 'it\'s', 'åß', '', undefined, 'when', [], a@b].

small() -> one([0, 1, 2, 3, 5, $a, $b, -1]).

term(0) -> leaf();
term(D) ->
    case rand:uniform(10) of
        N when N =< 3 -> leaf();
        N when N =< 5 -> list_to_tuple(terms(D - 1));
        6 -> terms(D - 1);
        7 -> lists:foldr(fun(X, T) -> [X | T] end, leaf(), terms(D - 1));
        8 -> [small() band 255 || _ <- lists:seq(1, rand:uniform(5))];
        9 -> one(["abc", "ab", "", "a\x{20ac}b", lists:seq(1, 5), [1.0], [1]]);
        10 -> maps:from_list([{key(), term(D - 1)} || _ <- lists:seq(1, rand:uniform(5) - 1)])
    end.

terms(D) -> [term(D) || _ <- lists:seq(1, rand:uniform(5) - 1)].

key() -> one([a, b, c, 1, 1.0, 2, {k}, "k", <<"k">>, [], #{}, #{a => 1}, 1 bsl 70, fun lists:seq/2]).

leaf() ->
    case rand:uniform(10) of
        1 -> one(integers());
        2 -> small();
        3 -> one(floats());
        N when N =< 6 -> one(atoms());
        7 -> one([<<>>, <<"abc">>, <<"ab">>, <<1, 2, 3>>, <<"å"/utf8>>, <<255>>, <<0:64>>]);
        8 -> one([<<1:1>>, <<5:3>>, <<"ab", 3:2>>, <<"ab", 2:2>>, <<0:9>>]);
        9 -> small();
        10 -> one([self(), make_ref(), fun lists:seq/2, fun erlang:abs/1, fun() -> 1 end,
                   fun(X) -> X + rand:uniform() end, hd(erlang:ports())])
    end.

%% change makes another term from one, in one place.
change(T) ->
    case rand:uniform(3) of
        1 -> change_here(T);
        _ -> change_inside(T)
    end.

change_here(T) when is_integer(T) -> one([T + 1, T - 1, -T, float_of(T), T bor 1]);
change_here(T) when is_float(T) -> one([T + 1, -T, round(T)]);
change_here(T) when is_tuple(T) -> one([list_to_tuple(tuple_to_list(T) ++ [a]), tuple_to_list(T)]);
change_here(T) when is_binary(T) -> one([<<T/binary, 0>>, <<T/binary, 1:1>>, binary_to_list(T)]);
change_here(T) when is_map(T) -> one([T#{a => 1}, maps:remove(a, T), maps:to_list(T)]);
change_here([_ | T]) -> one([T, [a | T]]);
change_here(_) -> leaf().

float_of(T) when abs(T) < 1 bsl 900 -> float(T);
float_of(_) -> 0.0.

change_inside(T) when is_tuple(T), tuple_size(T) > 0 ->
    I = rand:uniform(tuple_size(T)),
    setelement(I, T, change(element(I, T)));
change_inside([H | T]) ->
    case rand:uniform(2) of 1 -> [change(H) | T]; 2 -> [H | change(T)] end;
change_inside(T) when is_map(T), map_size(T) > 0 ->
    K = one(maps:keys(T)),
    T#{K := change(maps:get(K, T))};
change_inside(T) -> change_here(T).

%% Patterns as text.

pattern(T) ->
    case rand:uniform(13) of
        13 -> both(T, case rand:uniform(4) of 1 -> change(T); _ -> T end);
        1 -> "_";
        2 -> variable();
        3 -> [variable_new(), " = ", pattern(T)];
        4 -> [pattern_of(T), " = ", variable_new()];
        5 -> pattern_of(change(T));
        _ -> pattern_of(T)
    end.

%% No binary may match two patterns.
both(T, Other) ->
    case has_bits({T, Other}) of
        true -> pattern_of(T);
        false -> [pattern_of(T), " = ", pattern_of(Other)]
    end.

has_bits(T) when is_bitstring(T) -> true;
has_bits(T) when is_tuple(T) -> has_bits(tuple_to_list(T));
has_bits(T) when is_map(T) -> has_bits(maps:to_list(T));
has_bits([H | T]) -> has_bits(H) orelse has_bits(T);
has_bits(_) -> false.

variable() ->
    case {get(vars), rand:uniform(3)} of
        {[_ | _] = Vars, 1} -> one(Vars);
        _ -> variable_new()
    end.

variable_new() ->
    Vars = get(vars),
    V = "V" ++ integer_to_list(length(Vars)),
    put(vars, Vars ++ [V]),
    V.

pattern_of(T) when is_tuple(T) -> ["{", comma([pattern(E) || E <- tuple_to_list(T)]), "}"];
pattern_of(T) when is_map(T) ->
    Some = [K || K <- maps:keys(T), rand:uniform(3) > 1, not is_function(K)],
    ["#{", comma([[constant(K), " := ", pattern(maps:get(K, T))] || K <- Some]), "}"];
pattern_of([H | T] = L) ->
    Printable = io_lib:printable_unicode_list(L),
    case rand:uniform(5) of
        1 when Printable -> text(L);
        2 when Printable -> [text([H]), " ++ ", case rand:uniform(2) of 1 -> any();
                                                                       2 -> pattern_of(T) end];
        3 when is_list(T), length(T) >= 0 -> ["[", comma([pattern(E) || E <- L]), "]"];
        4 when is_list(T), T =/= [], hd(T) =/= x -> ["[", pattern(H), ", ", pattern(hd(T)), " | ",
                                      pattern(tl(T)), "]"];
        _ -> ["[", pattern(H), " | ", pattern(T), "]"]
    end;
pattern_of(<<"ab", _/bitstring>> = B) ->
    case rand:uniform(4) of
        1 -> ["<<\"ab\", ", any(), "/bitstring>>"];
        2 -> ["<<\"ab\", ", any(), "/binary>>"];
        3 -> ["<<97, ", any(), "/bits>>"];
        4 -> constant(B)
    end;
pattern_of(T) when is_pid(T); is_reference(T); is_function(T); is_port(T) ->
    any();
pattern_of(T) -> constant(T).

any() -> case rand:uniform(2) of 1 -> "_"; 2 -> variable_new() end.

comma(Parts) -> lists:join(", ", Parts).

constant(T) when is_integer(T) ->
    case rand:uniform(6) of
        1 when T >= 0 -> ["16#", integer_to_list(T, 16)];
        2 when T > 9999 -> [integer_to_list(T div 1000), "_",
                            io_lib:format("~3..0b", [T rem 1000])];
        3 when T >= $a, T =< $z -> [$$, T];
        _ -> integer_to_list(T)
    end;
constant(T) when is_list(T), T =/= [] ->
    Printable = io_lib:printable_unicode_list(T),
    case rand:uniform(2) of
        1 when Printable -> text(T);
        _ when is_list(tl(T)); T =:= [] -> ["[", constant(hd(T)), " | ", constant(tl(T)), "]"];
        _ -> ["[", constant(hd(T)), " | ", constant(tl(T)), "]"]
    end;
constant(T) when is_tuple(T) -> ["{", comma([constant(E) || E <- tuple_to_list(T)]), "}"];
constant(T) when is_map(T) ->
    ["#{", comma([[constant(K), " => ", constant(V)] || {K, V} <- maps:to_list(T)]), "}"];
constant(T) when is_binary(T) ->
    Printable = T =/= <<>> andalso io_lib:printable_latin1_list(binary_to_list(T)),
    case {rand:uniform(3), Printable} of
        {1, true} -> ["<<", text(binary_to_list(T)), ">>"];
        {2, _} when T =:= <<"å"/utf8>> -> "<<\"å\"/utf8>>";
        {3, _} when byte_size(T) > 0 -> io_lib:format("<<~b:~b>>", [binary:decode_unsigned(T),
                                                                    bit_size(T)]);
        _ -> io_lib:format("~w", [T])
    end;
constant(T) when is_pid(T); is_reference(T); is_function(T); is_port(T) -> "a";
constant(T) -> io_lib:format("~tw", [T]).

text(L) -> [$", [escape(C) || C <- L], $"].

escape(C) when C =:= $"; C =:= $\\ -> [$\\, C];
escape($\n) -> "\\n";
escape(C) when C < 32; C >= 127, C < 160 -> io_lib:format("\\x{~.16b}", [C]);
escape(C) -> C.

%% Guards as text.

guards(Vars) ->
    lists:join("; ", [comma([test(Vars, 3) || _ <- lists:seq(1, rand:uniform(2))])
                      || _ <- lists:seq(1, one([1, 1, 1, 2]))]).

test(Vars, 0) -> compare(Vars, 1);
test(Vars, D) ->
    case rand:uniform(10) of
        1 -> ["(", test(Vars, D - 1), ") ", one(["and", "or", "xor"]), " (", test(Vars, D - 1), ")"];
        2 -> ["not (", test(Vars, D - 1), ")"];
        3 -> [test_type(Vars)];
        4 -> [test_type(Vars), one([" andalso ", " orelse "]), test(Vars, D - 1)];
        5 -> [one(["erlang:", ""]), "is_map_key(", constant(one([a, 1, b])), ", ", value(Vars, 1), ")"];
        6 -> expression(Vars, 2);
        _ -> compare(Vars, 2)
    end.

test_type(Vars) ->
    case rand:uniform(8) of
        1 -> ["is_function(", value(Vars, 0), ", ", one(["0", "1", "2"]), ")"];
        2 -> ["is_record(", value(Vars, 0), ", ", one(["a", "ok"]), one([", 1", ", 2", ", 3"]), ")"];
        _ -> [one(["is_atom", "is_binary", "is_bitstring", "is_boolean", "is_float",
                   "is_function", "is_integer", "is_list", "is_map", "is_number", "is_pid",
                   "is_port", "is_reference", "is_tuple"]), "(", value(Vars, 1), ")"]
    end.

compare(Vars, D) ->
    [expression(Vars, D), " ", one(["==", "/=", "=:=", "=/=", "<", "=<", ">", ">="]), " ",
     expression(Vars, D)].

expression(Vars, 0) -> value(Vars, 0);
expression(Vars, D) ->
    case rand:uniform(8) of
        1 -> [expression(Vars, D - 1), " ", one(["+", "-", "*", "/"]), " ", value(Vars, D - 1)];
        2 -> [value(Vars, D - 1), " ", one(["div", "rem", "band", "bor", "bxor"]), " ",
              value(Vars, D - 1)];
        3 -> [value(Vars, D - 1), " ", one(["bsl", "bsr"]), " ",
              one(["0", "1", "3", "64", "-5", "70"])];
        4 -> ["(", expression(Vars, D - 1), ")"];
        5 -> [one(["- ", "bnot ", "+ "]), value(Vars, D - 1)];
        _ -> value(Vars, D)
    end.

value([_ | _] = Vars, D) when D > 0 ->
    case rand:uniform(7) of
        7 -> built(Vars, D);
        1 -> [one(["length", "hd", "tl", "size", "tuple_size", "map_size", "byte_size",
                   "bit_size", "abs", "round", "trunc", "float", "floor", "ceil", "node"]),
              "(", value(Vars, D - 1), ")"];
        2 -> ["element(", one(["1", "2", "0", "3"]), ", ", value(Vars, D - 1), ")"];
        3 -> ["map_get(", constant(one([a, b, 1, 1.0, {k}])), ", ", value(Vars, D - 1), ")"];
        4 -> ["binary_part(", value(Vars, D - 1), ", ", one(["0, 1", "1, 1", "2, -1", "0, 9"]), ")"];
        _ -> one(Vars)
    end;
value([_ | _] = Vars, 0) ->
    case rand:uniform(3) of
        1 -> constant(term(1));
        2 -> constant(small());
        3 -> one(Vars)
    end;
value([], _) -> constant(term(1)).

%% Any term.
built(Vars, D) ->
    Some = comma([expression(Vars, D - 1) || _ <- lists:seq(1, rand:uniform(3))]),
    case rand:uniform(5) of
        5 -> [one(Vars), "#{", value(Vars, 0), one([" => ", " := "]), value(Vars, 0), "}"];
        1 -> ["{", Some, "}"];
        2 -> ["[", Some, "]"];
        3 -> ["[", Some, " | ", expression(Vars, D - 1), "]"];
        4 -> ["#{", value(Vars, 0), " => ", test(Vars, 0), ", ", constant(one([a, b, 1])), " => ",
              expression(Vars, D - 1), "}"]
    end.
