%% hostile_terms PROGRAM ELIXIR DIR: what a hostile peer says, and what is made of it with
%% -T erlmod, eunit, exunit, erl, ex and etf: all can be read, by compilers without a warning, and
%% by this node the same; the tests pass as they are made; and what is said to be refused, is.
%% Leaves the tests in DIR, for elixir to run.
-module(hostile_terms).
-export([main/1]).
-import(term_maker, [same/2]).

main([Program, Elixir, Dir]) ->
    rand:seed(exsss, {10, 11, 12}),
    records:main("hostile_terms", fun() -> check(Program, Elixir, Dir, terms()) end).

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

%% message(Sent, Message): what kind of message it is, which what was sent agrees with.
message(Sent, #{external := External} = Message) ->
    Payload = lists:last(External),
    case Message of
        #{fault := {malformed, _, Why}} ->
            %% A node takes any sign but 0 for a minus.
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

%% What this release reads, and another may not.
release_reads({'$ref', _, [], _}) -> true;
release_reads(_) -> false.

reads(Binary) ->
    try binary_to_term(Binary, [used]) of
        {_, Used} -> Used =:= byte_size(Binary)
    catch
        error:_ -> false
    end.

%% What is not known of an old fun is nil in Elixir.
erlang({'$fun', Module, Index, Uniq, nil, Free}) ->
    {'$fun', Module, Index, Uniq, undefined, erlang(Free)};
erlang([Head | Tail]) -> [erlang(Head) | erlang(Tail)];
erlang(Tuple) when is_tuple(Tuple) -> list_to_tuple(erlang(tuple_to_list(Tuple)));
erlang(Map) when is_map(Map) -> maps:map(fun(_, Value) -> erlang(Value) end, Map);
erlang(Term) -> Term.

%% In external format '$damaged' stands for the whole of a damaged term.
compare(What, Maps, Others) ->
    length(Maps) =:= length(Others) orelse records:fail("~s: number", [What]),
    [same(A, B) orelse is_map_key(fault, A) orelse
         records:fail("~s: ~0tP~nnot ~0tP", [What, B, 100, A, 100])
     || {A, B} <- lists:zip(Maps, Others)].
