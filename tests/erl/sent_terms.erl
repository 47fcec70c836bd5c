%% sent_terms PROGRAM ELIXIR: thousands of terms that term_maker makes, sent from one node to
%% another as messages, as requests and as replies. What -T erlmod writes of them is a module that
%% compiles without a warning and gives all of them back, with the frames that they came in; so do
%% -T erl, ex and etf.
-module(sent_terms).
-export([main/1]).
-import(term_maker, [same/2]).

-define(TOGETHER, 6). % terms in a message
-define(KEPT, 60000). % bytes of a request that is kept for its record

main([Program, Elixir]) ->
    rand:seed(exsss, {7, 8, 9}),
    records:main("sent_terms", fun() -> check(Program, Elixir, messages(terms())) end).

%% Each with its meaning.
terms() ->
    <<Minus0/float>> = <<1:1, 0:63>>, % as a literal the compiler would make it 0.0
    Real = [Minus0, [0.0 | Minus0]] ++ some(3, term_maker:readable()) ++ term_maker:keyed() ++
        term_maker:opaque(),
    [{term_to_binary(T), T} || T <- Real] ++ term_maker:hand_made() ++ term_maker:records().

%% One in N of the small ones; only a few of the huge ones, as the compiler is slow with them.
some(N, Terms) ->
    {Small, Huge} = lists:partition(fun(T) -> erlang:external_size(T) < 20000 end, Terms),
    every(N, Small) ++ every(5 * N, Huge).

every(N, Terms) -> [T || {I, T} <- lists:zip(lists:seq(1, length(Terms)), Terms), I rem N =:= 0].

%% messages(Terms): a map each: the frame, its sender's side, control and payload as terms; for a
%% reply also the request.
messages(Terms) -> messages(1, Terms).

messages(_, []) -> [];
messages(N, Terms) ->
    {Some, Rest} = lists:split(min(?TOGETHER, length(Terms)), Terms),
    Payload = list(Some),
    {Others, Rest1} = lists:split(min(?TOGETHER, length(Rest)), Rest),
    case N rem 4 =:= 0 andalso size_of(Some) < ?KEPT of
        true -> call(N, Payload, list(Others)) ++ messages(N + 2, Rest1);
        false -> [message(0, reg_send(), Payload) | messages(N + 1, Rest)]
    end.

size_of(Some) -> lists:sum([byte_size(B) || {B, _} <- Some]).

list(Some) ->
    {<<131, 108, (length(Some)):32, (bare(Some))/binary, 106>>, [T || {_, T} <- Some]}.

tuple(Some) ->
    {<<131, 104, (length(Some)), (bare(Some))/binary>>, list_to_tuple([T || {_, T} <- Some])}.

bare(Some) -> iolist_to_binary([B || {<<131, B/binary>>, _} <- Some]).

message(Side, {Control, ControlTerm}, {Payload, Term}) ->
    #{frame => pcap_maker:frame(Control, Payload), side => Side, control => ControlTerm,
      term => Term}.

%% A gen_server call and its answer.
call(N, Request, Reply) ->
    Ref = <<131, 90, 3:16, 119, 10, "alice@made", 77:32, N:32, 1:32, 2:32>>,
    Tag = {Ref, binary_to_term(Ref)},
    Ask = tuple([atom('$gen_call'), tuple([pid(0), Tag]), Request]),
    #{term := {_, _, Asked}} = Asking = message(0, reg_send(), Ask),
    #{term := {_, Answer}} = Answering =
        message(1, tuple([term(22), pid(1), pid(0)]), tuple([Tag, Reply])),
    [Asking, Answering#{call => {Asked, Answer}}].

reg_send() -> tuple([term(6), pid(0), atom(''), atom(server)]).

pid(Side) ->
    Pid = pcap_maker:pid(Side, 90 + Side),
    {Pid, binary_to_term(Pid)}.

atom(Atom) -> term(Atom).
term(Term) -> {term_to_binary(Term), Term}.

check(Program, Elixir, Messages) ->
    Dir = string:trim(os:cmd("mktemp -d")),
    Name = fun(File) -> filename:join(Dir, File) end,
    try
        ok = pcap_maker:write(Name("pcap"), [{S, F} || #{side := S, frame := F} <- Messages]),
        {0, <<>>, _} = records:exec(Program, ["-r", Name("pcap"),
                                              "-T", "erlmod=" ++ Name("sent.erl"),
                                              "-T", "erl=" ++ Name("erl"),
                                              "-T", "ex=" ++ Name("exs"),
                                              "-T", "etf=" ++ Name("etf")]),
        {ok, Module, Code, []} = compile:file(Name("sent.erl"), [binary, return]),
        {module, Module} = code:load_binary(Module, "sent.erl", Code),
        module(Module, Messages),
        maps("etf", Messages, fun(T) -> T end, truth_maps:frames(Name("etf"))),
        {ok, Erl} = file:consult(Name("erl")),
        maps("erl", Messages, fun term_maker:documented/1, Erl),
        maps("ex", Messages, fun term_maker:documented/1, truth_maps:eval(Elixir, Name("exs"))),
        io:format("~b messages, ~b of them in calls~n", [length(Messages), 2 * length(calls(Messages))])
    after
        file:del_dir_r(Dir)
    end.

module(Module, Messages) ->
    Given = Module:messages(),
    equal("messages", length(Messages), length(Given)),
    [begin
         equal({N, control}, Control, maps:get(control, M)),
         equal({N, term}, Term, maps:get(term, M)),
         equal({N, external}, [Control, Term], [binary_to_term(B) || B <- maps:get(external, M)])
     end || {N, #{control := Control, term := Term}, M} <-
                lists:zip3(lists:seq(1, length(Given)), Messages, Given)],
    equal("frames", [{pcap_maker:node(S), F} || #{side := S, frame := F} <- Messages],
          [{Src, B} || #{src := Src, bytes := B, message := _} <- Module:frames()]),
    Whole = pcap_maker:handshake() ++ [{S, F} || #{side := S, frame := F} <- Messages],
    equal("packets", [said(Side, Whole) || Side <- [0, 1]],
          [iolist_to_binary([B || #{src := {_, Port}, bytes := B} <- Module:packets(), Port =:= P])
           || P <- [40000, 9100]]),
    [] =/= calls(Messages) orelse records:fail("no calls", []),
    equal("calls", calls(Messages),
          [{Request, Result} || #{outcome := ok, request := Request, result := Result} <-
                                    Module:calls()]).

said(Side, Frames) -> iolist_to_binary([F || {S, F} <- Frames, S =:= Side]).

calls(Messages) -> [Call || #{call := Call} <- Messages].

maps(What, Messages, Become, Maps) ->
    Given = [M || #{type := message} = M <- Maps],
    equal(What, length(Messages), length(Given)),
    [equal({What, N}, Become(Term), maps:get(term, M))
     || {N, #{term := Term}, M} <- lists:zip3(lists:seq(1, length(Given)), Messages, Given)],
    equal({What, calls}, [{Become(A), Become(B)} || {A, B} <- calls(Messages)],
          [{Request, Result} || #{type := call, request := Request, result := Result} <- Maps]).

equal(What, Sent, Given) ->
    same(Sent, Given) orelse records:fail("~0tp: ~0tP, not ~0tP", [What, Given, 100, Sent, 100]).
