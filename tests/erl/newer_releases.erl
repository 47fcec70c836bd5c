%% newer_releases PROGRAM CAPTURE...: nothing in the Erlang source that distsniff writes is what
%% OTP 26 to 29 warn of, or read otherwise than OTP 25: words that became reserved, strings of three
%% quotes, sigils, old catches, the operators and and or, patterns on both sides of a match, 0.0 in
%% patterns.
-module(newer_releases).
-export([main/1]).

main([Program | Captures]) ->
    records:main("newer_releases", fun() ->
        finds(),
        Num = lists:sum([check(Program, Capture) || Capture <- Captures]) + terms(Program),
        io:format("~b tokens~n", [Num])
    end).

check(Program, Capture) ->
    in_folder(fun(Name) -> written(Program, Capture, Name) end).

%% Words that may be hard to write: reserved words and texts that begin with quotes, alone and as
%% keys.
terms(Program) ->
    Texts = [lists:duplicate(N, $") || N <- [1, 2, 3, 90, 91, 92, 93, 94, 95, 96, 300]] ++
        ["~s", "~", "'''", ""],
    Words = words() ++ [list_to_atom(T) || T <- Texts, length(T) < 256],
    Terms = [{W, #{W => [W | W]}}
             || W <- [0.0] ++ Words ++ Texts ++ [list_to_binary(T) || T <- Texts]],
    Control = term_to_binary({6, binary_to_term(pcap_maker:pid(0, 9)), '', 'maybe'}),
    in_folder(fun(Name) ->
        ok = pcap_maker:write(Name("pcap"), [{0, pcap_maker:frame(Control, term_to_binary(T))}
                                             || T <- Terms]),
        written(Program, Name("pcap"), Name)
    end).

words() ->
    ['after', 'and', 'andalso', 'band', 'begin', 'bnot', 'bor', 'bsl', 'bsr', 'bxor', 'case',
     'catch', 'cond', 'div', 'else', 'end', 'fun', 'if', 'let', 'maybe', 'not', 'of', 'or',
     'orelse', 'query', 'receive', 'rem', 'try', 'when', 'xor'].

in_folder(Fun) ->
    Dir = string:trim(os:cmd("mktemp -d")),
    try Fun(fun(File) -> filename:join(Dir, File) end)
    after file:del_dir_r(Dir)
    end.

written(Program, Capture, Name) ->
    {0, <<>>, _} = records:exec(Program, ["-r", Capture, "-T", "erlmod=" ++ Name("recorded.erl"),
                                          "-T", "eunit=" ++ Name("recorded_tests.erl"),
                                          "-T", "erl=" ++ Name("erl")]),
    lists:sum([file(Name(File)) || File <- ["recorded.erl", "recorded_tests.erl", "erl"]]).

file(File) ->
    {ok, Bin} = file:read_file(File),
    case source(unicode:characters_to_list(Bin)) of
        {Num, []} -> Num;
        {_, Found} -> records:fail("~s: ~0tP", [filename:basename(File), Found, 60])
    end.

%% source(Text): the number of tokens, and the complaints.
source(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text, {1, 1}, [text, return]),
    {length(Tokens), beside(Tokens) ++ lists:append([token(T) || T <- Tokens]) ++ forms(Tokens)}.

token({Kind, _, Value} = Token) when Kind =:= string; Kind =:= atom ->
    Raw = erl_scan:text(Token),
    [{quotes, Raw} || lists:prefix("\"\"\"", Raw) orelse lists:prefix("'''", Raw)] ++
        [{reserved, Raw} || Kind =:= atom, hd(Raw) =/= $', lists:member(Value, words())];
token({'~', _}) -> [sigil];
token(_) -> [].

%% Adjacent strings are one of three quotes, or an error.
beside([{string, _, _} = A | [{string, _, _} = B | _] = Rest]) -> [{beside, A, B} | beside(Rest)];
beside([_ | Rest]) -> beside(Rest);
beside([]) -> [].

%% Macros of the tests' template stay as names.
forms(Tokens) ->
    Code = [T || T <- Tokens, not lists:member(element(1, T), [white_space, comment, '?'])],
    lists:append([expressions(Form) || [First | _] = Form <- split(Code),
                                       element(1, First) =/= '-']).

split([]) -> [];
split(Code) ->
    {Form, [Dot | Rest]} = lists:splitwith(fun(T) -> element(1, T) =/= dot end, Code),
    [Form ++ [Dot] | split(Rest)].

expressions(Form) ->
    case erl_parse:parse_form(Form) of
        {ok, Parsed} ->
            walk(Parsed);
        {error, _} ->
            {ok, Parsed} = erl_parse:parse_exprs(Form),
            walk(Parsed)
    end.

walk({'catch', _, _} = Old) -> [Old];
walk({op, _, Op, _, _} = Old) when Op =:= 'and'; Op =:= 'or' -> [Old];
walk({clause, _, Heads, _, _} = Clause) -> patterns(Heads) ++ walk(tuple_to_list(Clause));
walk({match, _, Left, _} = Match) -> patterns(Left) ++ walk(tuple_to_list(Match));
walk({generate, _, Left, _} = Generator) -> patterns(Left) ++ walk(tuple_to_list(Generator));
walk(Tuple) when is_tuple(Tuple) -> walk(tuple_to_list(Tuple));
walk([Head | Tail]) -> walk(Head) ++ walk(Tail);
walk(_) -> [].

patterns({match, _, {var, _, _}, Right}) -> patterns(Right);
patterns({match, _, Left, {var, _, _}}) -> patterns(Left);
patterns({match, _, _, _} = Both) -> [Both];
patterns({float, _, Zero} = Float) when Zero == 0 -> [Float];
patterns(Tuple) when is_tuple(Tuple) -> patterns(tuple_to_list(Tuple));
patterns([Head | Tail]) -> patterns(Head) ++ patterns(Tail);
patterns(_) -> [].

%% Each of these is found.
finds() ->
    [begin
         {_, Found} = source(Text),
         [] =/= Found orelse records:fail("not found: ~s", [Text])
     end || Text <- ["f() -> maybe.", "f() -> {g, else}.", "f() -> \"a\"\"b\".",
                     "f() -> catch g().",
                     "f() -> A and B.", "f(A) -> A or true.", "f({a, B} = {C, D}) -> ok.",
                     "f(0.0) -> ok.", "f() -> [X || {0.0, X} <- Y]."]],
    {_, []} = source("f({a, B} = C) -> {0.0, 'maybe', \"a\" \"b\"}.").
