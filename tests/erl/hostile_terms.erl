%% hostile_terms PROGRAM ELIXIR DIR: what a hostile peer says, and what is made of it with
%% -T erlmod, eunit, exunit, erl, ex and etf: all can be read, by compilers without a warning, and
%% by this node the same; the tests pass as they are made; and what is said to be refused, is.
%% Leaves the tests in DIR, for elixir to run.
-module(hostile_terms).
-export([main/1]).
-import(term_maker, [same/2]).

main([Program, Elixir, Dir]) ->
    rand:seed(exsss, {10, 11, 12}),
    records:main("hostile_terms", fun() ->
        check(Program, Elixir, Dir, terms()),
        check_controls(Program, Dir)
    end).

%% Whatever is wrong with the control message or its frame, the generated tests pass.
check_controls(Program, Dir) ->
    Name = fun(File) -> filename:join(Dir, File) end,
    <<131, Good/binary>> = Control = term_to_binary({6, binary_to_term(pcap_maker:pid(0, 9)), '',
                                                     server}),
    Sized = fun(Bytes) -> <<(byte_size(Bytes)):32, Bytes/binary>> end,
    Terms = [ok, [], {}, 6, {6}, {6, 1, 2, 3}, {6, a}, {99, a}, {22, self()}, {-1}, {1 bsl 70},
             {2, '', self(), left, over}, {37, 1, self(), self()}, {12, '', self(), {no, token}},
             {3, self(), self(), #{reason => [1 | 2]}}],
    Frames = [pcap_maker:frame(term_to_binary(T)) || T <- Terms] ++
        [pcap_maker:frame(term_to_binary(T), term_to_binary(payload)) || T <- Terms] ++
        [Sized(<<131, 68, 0, (binary:part(Good, 0, Len))/binary>>)
         || Len <- lists:seq(0, byte_size(Good))] ++
        [Sized(<<131, 68, 0, Good/binary, 255>>), Sized(<<131, 68, 5>>), Sized(<<131, 68, 1, 9, 9>>),
         Sized(<<131, 68, 0, 104, 2, 97, 1, 82, 7>>), Sized(<<131, 1, 2, 3>>), Sized(<<9>>),
         Sized(<<112>>), Sized(<<112, 131>>), Sized(<<112, Control/binary, 7>>),
         Sized(<<131, 68, 0, Good/binary, 80, 0, 0, 0, 9, "no zlib">>),
         Sized(<<131, 70, 1:64, 1:64, 1>>), Sized(<<131, 69, 1:64, 2:64, 0, 104>>)],
    ok = pcap_maker:write(Name("controls.pcap"), [{0, F} || F <- Frames]),
    {0, <<>>, _} = records:exec(Program, ["-r", Name("controls.pcap"),
                                          "-T", "erlmod=" ++ Name("controls.erl"),
                                          "-T", "eunit=" ++ Name("controls_tests.erl"),
                                          "-T", "exunit=" ++ Name("controls_test.exs")]),
    Recorded = load(Name("controls.erl")),
    length(Recorded:messages()) >= length(Frames) - 2 orelse
        records:fail("~b messages of ~b", [length(Recorded:messages()), length(Frames)]),
    Tests = load(Name("controls_tests.erl")),
    ok =:= eunit:test(Tests) orelse records:fail("a test of damaged controls fails", []).

terms() ->
    Real = [term_to_binary(T)
            || T <- term_maker:keyed() ++ term_maker:opaque() ++ term_maker:readable()],
    Made = [B || {B, _} <- term_maker:hand_made() ++ term_maker:records() ++ term_maker:shown()],
    Hostile = hostile:made(),
    Small = [B || B <- Made ++ Made ++ Hostile ++ Real, byte_size(B) > 1, byte_size(B) < 400],
    Hostile ++ hostile:mutants(600, Small).

check(Program, Elixir, Dir, Terms) ->
    Name = fun(File) -> filename:join(Dir, File) end,
    Control = term_to_binary({6, binary_to_term(pcap_maker:pid(0, 9)), '', server}),
    ok = pcap_maker:write(Name("pcap"), [{0, pcap_maker:frame(Control, T)} || T <- Terms]),
    {0, <<>>, _} = records:exec(Program, ["-r", Name("pcap"),
                                          "-T", "erlmod=" ++ Name("recorded.erl"),
                                          "-T", "eunit=" ++ Name("recorded_tests.erl"),
                                          "-T", "exunit=" ++ Name("recorded_test.exs"),
                                          "-T", "erl=" ++ Name("erl"), "-T", "ex=" ++ Name("exs"),
                                          "-T", "etf=" ++ Name("etf")]),
    Recorded = load(Name("recorded.erl")),
    Given = Recorded:messages(),
    length(Given) =:= length(Terms) orelse
        records:fail("~b messages of ~b", [length(Given), length(Terms)]),
    Kinds = [message(B, M) || {B, M} <- lists:zip(Terms, Given)],
    [[] =/= [K || K <- Kinds, K =:= Kind] orelse records:fail("none is ~s", [Kind])
     || Kind <- [damaged, refused, translated, as_sent]],
    Etf = truth_maps:frames(Name("etf")),
    {ok, Erl} = file:consult(Name("erl")),
    compare("etf", Erl, [term_maker:documented(M) || M <- Etf]),
    compare("ex", Erl, [erlang(M) || M <- truth_maps:eval(Elixir, Name("exs"))]),
    Tests = load(Name("recorded_tests.erl")),
    ok =:= eunit:test(Tests) orelse records:fail("a test fails", []),
    io:format("~b terms: ~p~n", [length(Terms), [{K, length([X || X <- Kinds, X =:= K])}
                                                 || K <- lists:usort(Kinds)]]).

load(File) ->
    case compile:file(File, [binary, return]) of
        {ok, Module, Code, []} ->
            {module, Module} = code:load_binary(Module, File, Code),
            Module;
        Other ->
            records:fail("~s: ~tP", [File, Other, 60])
    end.

%% message(Sent, Message): the kind of a message, checked against what was sent.
message(Sent, #{external := External} = Message) ->
    Payload = lists:last(External),
    case Message of
        #{fault := {malformed, _, Why}} ->
            %% Any sign but 0 means minus to a node.
            not reads(Sent) orelse binary:match(Why, <<"sign of an integer">>) =/= nomatch orelse
                records:fail("~s: ~0tP", [Why, Sent, 60]),
            damaged;
        #{refused := _} ->
            (Payload =:= Sent andalso not reads(Sent)) orelse
                records:fail("not refused: ~0tP", [Sent, 60]),
            refused;
        #{term := Term} ->
            same(Term, binary_to_term(Payload)) orelse
                records:fail("~0tP is ~0tP, not ~0tP",
                             [Sent, 60, Term, 60, binary_to_term(Payload), 60]),
            case Message of
                #{translated := true} ->
                    not reads(Sent) orelse release_reads(Term) orelse
                        same(binary_to_term(Sent), Term) orelse
                        records:fail("~0tP is translated to ~0tP", [Sent, 60, Term, 60]),
                    translated;
                #{} ->
                    Payload =:= Sent orelse records:fail("~0tP", [Sent, 60]),
                    as_sent
            end
    end.

%% Terms that this release reads, and another may not.
release_reads({'$ref', _, [], _}) -> true;
release_reads(_) -> false.

reads(Binary) ->
    try binary_to_term(Binary, [used]) of
        {_, Used} -> Used =:= byte_size(Binary)
    catch
        error:_ -> false
    end.

%% Unknown parts of an old fun are nil in Elixir.
erlang({'$fun', Module, Index, Uniq, nil, Free}) ->
    {'$fun', Module, Index, Uniq, undefined, erlang(Free)};
erlang([Head | Tail]) -> [erlang(Head) | erlang(Tail)];
erlang(Tuple) when is_tuple(Tuple) -> list_to_tuple(erlang(tuple_to_list(Tuple)));
erlang(Map) when is_map(Map) -> maps:map(fun(_, Value) -> erlang(Value) end, Map);
erlang(Term) -> Term.

%% In external format, '$damaged' replaces the whole of a damaged term.
compare(What, Maps, Others) ->
    length(Maps) =:= length(Others) orelse records:fail("~s: number", [What]),
    [same(A, B) orelse is_map_key(fault, A) orelse
         records:fail("~s: ~0tP~nnot ~0tP", [What, B, 100, A, 100])
     || {A, B} <- lists:zip(Maps, Others)].
