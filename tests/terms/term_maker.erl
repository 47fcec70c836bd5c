%% Terms with every boundary of every tag, and bytes that no node would make, for the scripts here:
%% they read back what distsniff writes for these.
-module(term_maker).
-export([readable/0, keyed/0, opaque/0, hand_made/0, shown/0, records/0]).
-export([documented/1, run/3, same/2, clip/1]).

%% run([Tool
%% Args], Num, Encoded): the tool's output for each term, Num pieces. It reads all input from a
%% file: the input of a port cannot be closed alone.
run(Command, Num, Encoded) ->
    File = filename:join(os:getenv("TMPDIR", "/tmp"), "terms." ++ os:getpid()),
    ok = file:write_file(File, [[<<(byte_size(B)):32>>, B] || B <- Encoded]),
    Port = open_port({spawn_executable, "/bin/sh"},
                     [{args, ["-c", "f=$0; exec \"$@\" <\"$f\"", File | Command]},
                      binary, exit_status, stream]),
    {Out, Status} = collect(Port, []),
    ok = file:delete(File),
    Status =:= 0 orelse begin io:format("term_tool: exit ~b~n", [Status]), halt(1) end,
    Results = in_groups(Num, blocks(Out)),
    true = length(Results) =:= length(Encoded),
    Results.

collect(Port, Acc) ->
    receive
        {Port, {data, Data}} -> collect(Port, [Acc, Data]);
        {Port, {exit_status, Status}} -> {iolist_to_binary(Acc), Status}
    end.

blocks(<<N:32, Block:N/binary, Rest/binary>>) -> [Block | blocks(Rest)];
blocks(<<>>) -> [].

in_groups(_, []) -> [];
in_groups(Num, Blocks) ->
    {Group, Rest} = lists:split(Num, Blocks),
    [Group | in_groups(Num, Rest)].

%% =:= does not distinguish 0.0 from -0.0 in this release; the encoding does.
same(A, B) -> A =:= B andalso term_to_binary(A) =:= term_to_binary(B).

clip(Bytes) when byte_size(Bytes) > 300 -> {binary:part(Bytes, 0, 300), byte_size(Bytes)};
clip(Bytes) -> Bytes.

%% Terms whose text reads back.
readable() ->
    Leaves = integers() ++ floats() ++ atoms() ++ binaries() ++ bits(),
    Leaves ++ strings() ++ lists() ++ tuples() ++ maps() ++
        [random_term(Leaves, 5) || _ <- lists:seq(1, 3000)].

integers() ->
    Edges = [0, 1, 9, 10, 99, 100, 127, 128, 255, 256, 65535, 65536] ++
        [(1 bsl B) + D || B <- [16, 24, 27, 28, 31, 32, 59, 60, 63, 64, 127, 128, 255 * 8,
                                256 * 8, 2048 * 8, 2049 * 8, 5000 * 8],
                          D <- [-2, -1, 0, 1]],
    Random = [rand:uniform(1 bsl B) || B <- lists:seq(1, 300)] ++
        [rand:uniform(1 bsl rand:uniform(3000)) || _ <- lists:seq(1, 200)],
    lists:flatmap(fun(N) -> [N, -N] end, Edges ++ Random).

floats() ->
    Edges = [0.0, 1.0, 0.1, 0.2, 0.3, 1.5, 100.0, 1.0e15, 1.0e16, 1.0e17, 1.0e21, 1.0e22,
             1.0e23, 123456.789, 1.0e-4, 1.0e-5, 1.2e-5, 12345678901234567.0, 999999999999999.9,
             5.0e-324, 1.0e-323, 2.2250738585072009e-308, 2.2250738585072014e-308,
             1.7976931348623157e308, 3.141592653589793, 9007199254740991.0,
             9007199254740992.0, 9007199254740994.0, 1.0e100, 6.02214076e23],
    Powers = [math:pow(2, E) || E <- lists:seq(-1074, 1023)],
    Random = [F || _ <- lists:seq(1, 3000),
                   {ok, F} <- [float_of(rand:uniform(1 bsl 64) - 1)]],
    Subnormal = [F || _ <- lists:seq(1, 300),
                      {ok, F} <- [float_of(rand:uniform(1 bsl rand:uniform(52)) - 1)]],
    Short = [rand:uniform(100000) / 100 || _ <- lists:seq(1, 200)],
    lists:flatmap(fun(F) -> [F, -F] end, Edges ++ Powers ++ Random ++ Subnormal ++ Short).

float_of(Bits) ->
    case <<Bits:64>> of
        <<F:64/float>> -> {ok, F};
        _ -> none
    end.

atoms() ->
    Reserved = ['after', 'and', 'andalso', 'band', 'begin', 'bnot', 'bor', 'bsl', 'bsr', 'bxor',
                'case', 'catch', 'cond', 'div', 'else', 'end', 'fun', 'if', 'let', 'maybe',
                'not', 'of', 'or', 'orelse', 'query', 'receive', 'rem', 'try', 'when', 'xor'],
    Texts = ["", "a", "A", "_", "_a", "@", "a@b", "alice@host.example", "foo_bar@host", "fooBar",
             "foo bar", "foo'bar", "foo\"bar", "foo\\bar", "foo\nbar", "\e[31m", "1a", "a1",
             "a.b", "a-b", "Elixir.GenServer", "$gen_call", "undefined", "true", "[]", "{}",
             "receive_", "ifx", "i", [0], [127], [128], [133], [159], [160], [173], [255],
             "übung", "straße", [16#3b1, 16#3b2], [16#65e5, 16#672c], [16#1F600],
             [16#202e, $a], [16#200b], [16#feff], [16#e0041], [$a, 16#fe0f], [16#fffd],
             [16#600, $", $,, $a], [16#110bd], [$\\, 16#11f02, $\\, $#, ${, $a, $}],
             lists:duplicate(255, $a), lists:duplicate(255, $A), lists:duplicate(255, 16#e9),
             lists:duplicate(128, 16#e9), lists:duplicate(255, 16#20ac),
             lists:duplicate(255, 16#1F600), lists:duplicate(254, $z)],
    Random = [[char() || _ <- lists:seq(1, rand:uniform(12))] || _ <- lists:seq(1, 500)],
    Reserved ++ [list_to_atom(T) || T <- Texts ++ Random] ++
        [list_to_atom([C]) || C <- lists:seq(0, 255)].

%% A character that Erlang's scanner accepts.
char() ->
    case rand:uniform(6) of
        1 -> rand:uniform(256) - 1;
        2 -> 16#100 + rand:uniform(16#2000);
        3 -> 16#2000 + rand:uniform(16#80);
        4 -> 16#10000 + rand:uniform(16#100000 - 2);
        _ -> 31 + rand:uniform(95)
    end.

binaries() ->
    Texts = [<<>>, <<"a">>, <<"hello world">>, <<"a\"b\\c\n\r\t\b\v\f\e">>, <<0>>, <<7>>, <<127>>,
             <<128>>, <<255>>, <<"a", 0>>, <<"übung"/utf8>>, <<"naïve">>, <<"日本語"/utf8>>,
             <<16#1F600/utf8, "x">>, <<"a", 16#202e/utf8, "b">>, <<16#ad/utf8>>,
             <<16#85/utf8>>, <<16#fffd/utf8>>, <<16#ef, 16#bf, 16#be>>, <<16#ef, 16#bf, 16#bf>>,
             <<16#ed, 16#a0, 16#80>>, <<16#c0, 16#80>>, <<16#f4, 16#90, 16#80, 16#80>>,
             <<16#e2, 16#82>>, <<"ab", 16#e2, 16#82, 16#ac, 16#e2>>, <<16#feff/utf8>>,
             <<16#600/utf8, "\" ++ exit(1) #">>, <<"a", 16#d4e/utf8>>, <<16#113d1/utf8, "#{exit(1)}">>,
             binary:copy(<<"x">>, 65535), binary:copy(<<"x">>, 65536),
             binary:copy(<<1>>, 70000), binary:copy(<<"ö"/utf8>>, 40000)],
    Texts ++ [<<C>> || C <- lists:seq(0, 255)] ++ [<<"a", C>> || C <- lists:seq(0, 255)] ++
        [rand:bytes(N) || N <- lists:seq(1, 40)] ++
        [unicode:characters_to_binary([char() || _ <- lists:seq(1, rand:uniform(9))])
         || _ <- lists:seq(1, 300)].

bits() ->
    [<<V:N>> || N <- lists:seq(1, 40), V <- [0, 1, (1 bsl N) - 1, rand:uniform(1 bsl N) - 1]] ++
        [<<(rand:bytes(300))/binary, 5:3>>, <<"abc", 1:1>>].

strings() ->
    ["", "a", "hello", "a\"b\\c\n\r\t\b\v\f\e", [0], [1, 2, 3], [127], [128], [159], [160], [255],
     "übung", "日本語", [16#1F600], [16#202e, $a], [$a, 16#d7ff], [16#e000], [16#fffd],
     [16#fffe], [16#ffff], [16#10000], [16#10ffff], [16#110000], [16#d800], [$a, -1], [256],
     [$a, 256], [$a, 1.0], [1087, 1088], [$a | $b], [256 | 256], [256 | []],
     lists:duplicate(65534, $a), lists:duplicate(65535, $a), lists:duplicate(65536, $a),
     lists:duplicate(65535, 1), lists:duplicate(65536, 1), lists:duplicate(65536, 1087),
     lists:duplicate(70000, a)] ++
        [[C] || C <- lists:seq(0, 255)] ++ [[C, 1000] || C <- lists:seq(0, 255)] ++
        [[char() || _ <- lists:seq(1, rand:uniform(9))] || _ <- lists:seq(1, 300)].

lists() ->
    [[], [[]], [[[]]], [a | b], [a, b | c], [a | {}], [[a | b] | [c | d]], [a, [b, [c, [d]]]],
     ["", ""], [<<>>, <<>>], [1000, "abc", [1, 2], 2.0 | tail], [[] | <<"x">>], [a | <<1:3>>],
     lists:foldl(fun(_, T) -> [T] end, [], lists:seq(1, 1000)),
     lists:foldl(fun(_, T) -> [a | {T}] end, [], lists:seq(1, 1000))].

tuples() ->
    [{}, {{}}, {a}, {a, b}, {[], {}, #{}}, {-1, -1.0, -(1 bsl 70)},
     list_to_tuple(lists:seq(1, 255)), list_to_tuple(lists:seq(1, 256)),
     list_to_tuple(lists:seq(1, 70000)), {'$gen_call', {x, [alias | y]}, {get, 42}}].

maps() ->
    [#{}, #{a => 1}, #{a => -1, -1 => a}, #{#{} => #{}}, #{"a" => <<"b">>, {1, 2} => [x | y]},
     #{1 => a, 1.0 => b}, #{a => #{b => #{c => []}}},
     maps:from_list([{N, N} || N <- lists:seq(1, 32)]),
     maps:from_list([{N, N} || N <- lists:seq(1, 33)]),
     maps:from_list([{N, {N}} || N <- lists:seq(1, 5000)])].

random_term(Leaves, 0) -> leaf(Leaves);
random_term(Leaves, Depth) ->
    Size = rand:uniform(5) - 1,
    Terms = fun() -> [random_term(Leaves, Depth - 1) || _ <- lists:seq(1, Size)] end,
    case rand:uniform(8) of
        1 -> list_to_tuple(Terms());
        2 -> Terms();
        3 -> lists:foldr(fun(H, T) -> [H | T] end, leaf(Leaves), Terms());
        4 -> maps:from_list(lists:zip(Terms(), Terms()));
        5 -> [rand:uniform(1200) || _ <- lists:seq(1, Size)];
        _ -> leaf(Leaves)
    end.

%% Rarely one of the huge ones.
leaf(Leaves) ->
    Leaf = lists:nth(rand:uniform(length(Leaves)), Leaves),
    case byte_size(term_to_binary(Leaf)) of
        Small when Small < 2000 -> Leaf;
        _ -> small
    end.

%% Terms with keys that languages write specially, and texts that could be code.
keyed() ->
    Names = ['', a, 'A', '_', a@b, 'a?', 'a!', 'a?b', 'a b', nil, true, false, do, 'end', fn, in,
             'and', 'when', 'not', '+', '%', '{}', '%{}', '<<>>', '..', '__MODULE__', '__struct__',
             'Elixir', 'Elixir.Foo', 'Elixir.Foo.Bar', 'Elixir.Elixir', 'Elixir.Elixir.Foo',
             'Elixir.', 'Elixir.foo', 'Elixir.Foo.', 'Elixir.Foo..Bar', 'Elixir.Foo_1', 'Elixir.Foo@b',
             'Elixir.Foo.bar', 'Elixir.Ünder', 'übung', 'a\nb', '\e', '#{x}', '"', '\\',
             '\#{:erlang.halt(7)}', '"; :erlang.halt(7); "', '\'.\nhalt(7).', list_to_atom([0])],
    Texts = ["#{1}", "\\#{1}", "\"#{:erlang.halt(7)}", "a#", "#", "#{", "\\", "\"\"\"", "'",
             "\n", "\r\n", "'; :erlang.halt(7)", "\"). halt(7).", "~c\"", [16#202e | "#{1}"]],
    [Names, Texts, [unicode:characters_to_binary(T) || T <- Texts]] ++ Names ++
        [[{N, N}] || N <- Names] ++ [#{N => N} || N <- Names] ++ [[{N, 1} | N] || N <- Names] ++
        [{N, [{N, 1}, N]} || N <- Names] ++ [[N, {N, 1}] || N <- Names] ++
        [#{N => 1, "N" => N} || N <- Names] ++
        [maps:from_list([{N, N} || N <- Names]), [{N, N} || N <- Names],
         [{T, T} || T <- Texts], maps:from_list([{T, T} || T <- Texts]),
         [{list_to_atom(T), T} || T <- Texts],
         [{a, [{b, [{c, [{1, d}]}]}]}], [{a, 1, 2}], [{a}], [{}], [{a, 1} | b], [[{a, 1}]],
         #{'__struct__' => 'Elixir.No.Such.Module', a => 1, b => [{c, #{}}]},
         #{'__struct__' => 'Elixir.Range', first => 1, last => 2, step => 1},
         #{'__struct__' => 1}, #{'__struct__' => 'Elixir.Date', 1 => 2},
         lists:foldl(fun(N, T) -> [{N, T}] end, [], lists:duplicate(50, deep)),
         lists:foldl(fun(N, T) -> #{N => T} end, #{}, lists:duplicate(50, deep)),
         lists:foldl(fun(N, T) -> #{T => N} end, #{}, lists:duplicate(50, deep)),
         erlang:make_fun(list_to_atom(lists:duplicate(200, 16#e9)), f, 0),
         erlang:make_fun(m, list_to_atom(lists:duplicate(255, 16#1F600)), 3),
         [{list_to_atom(lists:duplicate(130, 16#e9)), 1}],
         #{list_to_atom(lists:duplicate(255, 16#20ac)) => 1, list_to_atom("\\#{" ++ lists:duplicate(200, 16#e9)) => 2},
         fun 'Elixir.Kernel':'if'/2, fun 'Elixir.Kernel':def/2, fun erlang:halt/0,
         fun 'a b':'c#{d}'/3].

%% Native records, as OTP 29 writes them, and opaque terms, and what they become.
records() ->
    Atom = fun(A) -> <<119, (byte_size(A)), A/binary>> end,
    Record = fun(Names, Values) ->
        iolist_to_binary([67, <<(length(Values)):32>>, 1, [Atom(N) || N <- Names], Values])
    end,
    Inner = Record([<<"m">>, <<"Inner r">>, <<"x">>], [<<97, 7>>]),
    [{<<131, R/binary>>, T}
     || {R, T} <- [{Record([<<"m">>, <<"r">>], []), {'$record', m, r, []}},
                   {Inner, {'$record', m, 'Inner r', [{x, 7}]}},
                   {Record([<<"m">>, <<"r">>, <<"a">>, <<"b c">>, <<"z">>],
                           [Inner, <<104, 2, Inner/binary, Inner/binary>>, <<106>>]),
                    {'$record', m, r,
                     [{a, {'$record', m, 'Inner r', [{x, 7}]}},
                      {'b c', {{'$record', m, 'Inner r', [{x, 7}]},
                               {'$record', m, 'Inner r', [{x, 7}]}}},
                      {z, []}]}},
                   {Record([<<"m">>, binary:copy(<<"é"/utf8>>, 100), <<"x">>], [<<106>>]),
                    {'$record', m, list_to_atom(lists:duplicate(100, 16#e9)), [{x, []}]}},
                   {<<104, 2, 121, 1:32, 106, 106>>, {{'$local', <<1:32, 106>>}, []}}]].

%% documented(Term): the documented form of Term where pids and the like cannot be written.
documented(Pid) when is_pid(Pid) ->
    <<131, 88, Rest/binary>> = term_to_binary(Pid),
    {Node, <<Id:32, Serial:32, Creation:32>>} = node_of(Rest),
    {'$pid', Node, Id, Serial, Creation};
documented(Port) when is_port(Port) ->
    case term_to_binary(Port) of
        <<131, 89, Rest/binary>> -> {Node, <<Id:32, Creation:32>>} = node_of(Rest);
        <<131, 120, Rest/binary>> -> {Node, <<Id:64, Creation:32>>} = node_of(Rest)
    end,
    {'$port', Node, Id, Creation};
documented(Ref) when is_reference(Ref) ->
    <<131, 90, _:16, Rest/binary>> = term_to_binary(Ref),
    {Node, <<Creation:32, Words/binary>>} = node_of(Rest),
    {'$ref', Node, lists:reverse([W || <<W:32>> <= Words]), Creation};
documented(Fun) when is_function(Fun) ->
    Info = maps:from_list(erlang:fun_info(Fun)),
    case Info of
        #{type := external, module := M, name := F, arity := A} ->
            case {documented(M), documented(F)} of
                {M, F} -> Fun;
                {DM, DF} -> {'$export', DM, DF, A}
            end;
        #{module := M, index := I, uniq := U, arity := A, env := Free} ->
            {'$fun', M, I, U, A, documented(Free)}
    end;
documented(Atom) when is_atom(Atom) ->
    case [C || C <- atom_to_list(Atom), C =:= 16#fffe orelse C =:= 16#ffff] of
        [] -> Atom;
        _ -> {'$atom', atom_to_binary(Atom)}
    end;
documented([Head | Tail]) -> [documented(Head) | documented(Tail)];
documented(Tuple) when is_tuple(Tuple) -> list_to_tuple(documented(tuple_to_list(Tuple)));
documented(Map) when is_map(Map) -> maps:from_list(documented(maps:to_list(Map)));
documented(Term) -> Term.

node_of(<<100, Len:16, Node:Len/binary, Rest/binary>>) -> {binary_to_atom(Node, latin1), Rest};
node_of(<<119, Len, Node:Len/binary, Rest/binary>>) -> {binary_to_atom(Node), Rest}.

%% Terms that do not read back as text; their copies are the same.
opaque() ->
    Free = lists:seq(1, 300),
    Text = <<"free">>,
    Ref = make_ref(),
    Port = hd(erlang:ports()),
    Fun0 = fun() -> ok end,
    Fun1 = fun(X) -> {X, Free, Text} end,
    Fun2 = fun(X, Y) -> {X, Y, Fun0, Fun1} end,
    Fun3 = lists:foldl(fun(N, F) -> fun() -> {N, F} end end, Fun2, lists:seq(1, 50)),
    [self(), Ref, Port, Fun0, Fun1, Fun2, Fun3, fun lists:map/2, fun 'odd mod':'Odd fun'/255,
     {self(), [Ref | Port], #{Ref => Fun3}}, [Fun3, Fun2, {Fun1}],
     {'$gen_call', {self(), [alias | Ref]}, {get, 42}}] ++
        %% With five words, as nodes after OTP 26 make them; older ones cannot read them.
        [Alias || Alias <- [erlang:monitor(process, self(), [{alias, demonitor}])],
                  <<131, 90, Words:16, _/binary>> <- [term_to_binary(Alias)], Words =< 3].

%% Encodings that nodes do not make any more, and their terms.
hand_made() ->
    Old = fun(Float) ->
                  Text = iolist_to_binary(io_lib:format("~.20e", [Float])),
                  <<131, 99, Text/binary, 0:((31 - byte_size(Text)) * 8)>>
          end,
    [{Old(F), F} || F <- [0.0, 1.0, -1.0, 0.1, 1.5e300, -2.5e-300, 1.7976931348623157e308]] ++
    [{<<131, 99, "1.0", 0:224>>, 1.0}, {<<131, 99, "+1.5e3", 0:200>>, 1500.0},
     {<<131, 100, 0:16>>, ''}, {<<131, 100, 3:16, "foo">>, foo},
     {<<131, 100, 5:16, 16#fc, "bung">>, list_to_atom("übung")},
     {<<131, 100, 3:16, $a, 0, 255>>, list_to_atom([$a, 0, 255])},
     {<<131, 100, 255:16, (binary:copy(<<16#e9>>, 255))/binary>>,
      list_to_atom(lists:duplicate(255, 16#e9))},
     {<<131, 115, 3, "foo">>, foo}, {<<131, 115, 4, "a b", 16#e9>>, list_to_atom("a bé")},
     {<<131, 118, 3:16, "foo">>, foo}, {<<131, 119, 2, 16#c3, 16#a9>>, list_to_atom("é")},
     {<<131, 98, 5:32>>, 5}, {<<131, 110, 1, 0, 5>>, 5}, {<<131, 110, 1, 1, 5>>, -5},
     {<<131, 110, 0, 0>>, 0}, {<<131, 110, 3, 0, 5, 0, 0>>, 5},
     {<<131, 110, 20, 1, 5, 0:152>>, -5}, {<<131, 111, 2:32, 0, 1, 1>>, 257},
     {<<131, 111, 4:32, 1, 0, 0, 0, 16#80>>, -16#80000000}, {<<131, 111, 0:32, 0>>, 0},
     {<<131, 105, 2:32, 97, 1, 97, 2>>, {1, 2}}, {<<131, 105, 0:32>>, {}},
     {<<131, 108, 0:32, 106>>, []}, {<<131, 108, 0:32, 97, 5>>, 5},
     {<<131, 108, 0:32, 108, 0:32, 104, 0>>, {}}, {<<131, 107, 0:16>>, []},
     {<<131, 108, 2:32, 97, $a, 98, $b:32, 106>>, "ab"},
     {<<131, 108, 1:32, 97, 1, 108, 1:32, 97, 2, 106>>, [1, 2]},
     {<<131, 108, 1:32, 97, 1, 107, 1:16, "a">>, [1, $a]},
     {<<131, 77, 0:32, 0>>, <<>>}, {<<131, 77, 2:32, 8, 1, 2>>, <<1, 2>>},
     {<<131, 77, 1:32, 3, 16#ff>>, <<7:3>>}, {<<131, 77, 1:32, 1, 16#80>>, <<1:1>>}].

%% Encodings and our text for them.
shown() ->
    Node = <<119, 3, "a@h">>,
    Full = 16#ffffffff,
    [{<<131, 103, Node/binary, 90:32, 0:32, 1>>, <<"<a@h.90.0>">>},
     {<<131, 88, Node/binary, Full:32, Full:32, Full:32>>, <<"<a@h.4294967295.4294967295>">>},
     {<<131, 88, 115, 3, "a@", 16#e9, 1:32, 2:32, 3:32>>, <<"<a@é.1.2>"/utf8>>},
     {<<131, 88, 118, 6:16, "a@", 27, "[3m", 1:32, 2:32, 3:32>>, <<"<a@\\e[3m.1.2>">>},
     {<<131, 102, Node/binary, Full:32, 1>>, <<"#Port<a@h.4294967295>">>},
     {<<131, 89, Node/binary, 7:32, 1:32>>, <<"#Port<a@h.7>">>},
     {<<131, 120, Node/binary, (1 bsl 64 - 1):64, 1:32>>, <<"#Port<a@h.18446744073709551615>">>},
     {<<131, 101, Node/binary, 5:32, 1>>, <<"#Ref<a@h.5>">>},
     {<<131, 114, 1:16, Node/binary, 1, 5:32>>, <<"#Ref<a@h.5>">>},
     {<<131, 114, 3:16, Node/binary, 1, 1:32, 2:32, Full:32>>, <<"#Ref<a@h.4294967295.2.1>">>},
     {<<131, 90, 3:16, Node/binary, 1:32, 1:32, 2:32, 3:32>>, <<"#Ref<a@h.3.2.1>">>},
     {<<131, 90, 5:16, Node/binary, 1:32, 1:32, 2:32, 3:32, 4:32, 5:32>>,
      <<"#Ref<a@h.5.4.3.2.1>">>},
     {<<131, 113, 119, 5, "lists", 119, 3, "map", 97, 2>>, <<"fun lists:map/2">>},
     {<<131, 113, 119, 1, "L", 119, 3, "end", 97, 255>>, <<"fun 'L':'end'/255">>},
     {<<131, 117, 1:32, 103, Node/binary, 90:32, 0:32, 1, 119, 1, "m", 97, 3, 98, 12345:32,
        119, 4, "free">>, <<"#Fun<m.3.12345>">>},
     {<<131, 112, 60:32, 1, 0:128, 3:32, 1:32, 119, 1, "m", 97, 3, 98, 12345:32, 103,
        Node/binary, 90:32, 0:32, 1, 119, 4, "free">>, <<"#Fun<m.3.12345>">>},
     {<<131, 67, 0:32, 1, 119, 1, "m", 119, 1, "r">>, <<"#m:r{}">>},
     {<<131, 67, 2:32, 0, 119, 1, "m", 119, 3, "rec", 119, 1, "a", 119, 1, "B", 97, 1, 104, 0>>,
      <<"#m:rec{a = 1,'B' = {}}">>},
     {<<131, 104, 2, 67, 1:32, 1, 119, 1, "m", 119, 1, "r", 119, 1, "f", 67, 0:32, 1, 119, 1, "m",
        119, 1, "r", 106>>, <<"{#m:r{f = #m:r{}},[]}">>},
     {<<131, 121, 1, 2, 3, 4, 88, 106, 1:32, 2:32, 3:32>>, <<"#Local<18 bytes>">>}].
