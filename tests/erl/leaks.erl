%% leaks none WORDS LIST FILE...: none of the secrets in LIST (tests/live/bullionroom.erl) that
%% these words of --redact hide is in one of the files, in any encoding: plain, hexadecimal,
%% base64 at any offset, lists of integers, escapes of URLs, JSON, Erlang and diagrams; nor are
%% nine bytes of one with letters that follow each other.
%% leaks all WORDS LIST FILE...: each of them is: so what is not found above could be.
-module(leaks).
-export([main/1]).

main([Mode, Words, List | Files]) ->
    records:main("leaks", fun() ->
        Secrets = [S || {Word, S} <- secrets(List), Word =:= "" orelse is_in(Word, Words)],
        [] =/= Secrets orelse records:fail("no secrets", []),
        Texts = [{F, element(2, {ok, _} = file:read_file(F))} || F <- Files],
        io:format("~b secrets, ~b files of ~b bytes~n",
                  [length(Secrets), length(Files), lists:sum([byte_size(T) || {_, T} <- Texts])]),
        check(Mode, Secrets, Texts)
    end).

secrets(File) ->
    {ok, Bin} = file:read_file(File),
    [{binary_to_list(Word), base64:decode(Secret)}
     || Line <- binary:split(Bin, <<"\n">>, [global, trim]),
        [Word, Secret] <- [binary:split(Line, <<"\t">>)]].

is_in(_, "all") -> true;
is_in(Needed, Words) ->
    string:split(Needed, ",", all) -- string:split(Words, ",", all) =:= [].

check("none", Secrets, Texts) ->
    [records:fail("~ts is in ~ts: ~ts", [printable(S), File, around(Text, At)])
     || S <- Secrets, Forms <- [binary:compile_pattern(forms(S) ++ windows(S))],
        {File, Text} <- Texts, {At, _} <- [binary:match(Text, Forms)]];
check("all", Secrets, Texts) ->
    %% No message contains the cookie.
    [records:fail("~ts is nowhere", [printable(S)])
     || S <- Secrets, S =/= <<"cookie_of_the_vault">>,
        Forms <- [binary:compile_pattern(forms(S))],
        not lists:any(fun({_, Text}) -> binary:match(Text, Forms) =/= nomatch end, Texts)].

printable(S) -> io_lib:format("~tp", [S]).

around(Text, At) ->
    From = max(0, At - 100),
    printable(binary:part(Text, From, min(300, byte_size(Text) - From))).

%% forms(Secret): the ways in which it may be written. Its characters are also looked for as
%% latin-1, and a number by its bytes.
forms(S) ->
    Codes = case unicode:characters_to_list(S) of
                L when is_list(L) -> L;
                _ -> binary_to_list(S)
            end,
    Bytes = lists:usort([S] ++ [list_to_binary(Codes) || lists:all(fun(C) -> C < 256 end, Codes)]
                        ++ [N || N <- number(S), byte_size(N) >= 5]),
    lists:usort([F || B <- Bytes, F <- of_bytes(B)] ++ of_codes(Codes)).

number(S) ->
    try binary_to_integer(S) of
        I -> [binary:encode_unsigned(I, big), binary:encode_unsigned(I, little)]
    catch error:badarg ->
        try [<<(binary_to_float(S)):64/float>>] catch error:badarg -> [] end
    end.

of_bytes(B) ->
    Hex = binary:encode_hex(B),
    [B, Hex, string:lowercase(Hex), ints(binary_to_list(B), ","), ints(binary_to_list(B), ", "),
     spaced(string:lowercase(Hex), " "), spaced(Hex, " "), spaced(string:lowercase(Hex), ""),
     each(B, "%~2.16.0B", fun is_plain/1), each(B, "%~2.16.0b", fun is_plain/1),
     each(B, "%~2.16.0B", fun never/1), each(B, "\\x~2.16.0B", fun is_ascii/1),
     each(B, "\\x~2.16.0B", fun never/1), each(B, "\\x~2.16.0b", fun never/1)]
        ++ [base64(B, Offset) || Offset <- [0, 1, 2]].

of_codes(Codes) ->
    [ints(Codes, ","), ints(Codes, ", ")]
        ++ [each(Codes, Format, Stays)
            || Format <- ["\\u~4.16.0b", "\\u~4.16.0B", "\\x{~.16B}", "\\x{~.16b}", "&#~b;", "#~b;",
                          "<U+~4.16.0B>"],
               Stays <- [fun is_ascii/1, fun is_plain/1, fun never/1]].

each(B, Format, Stays) when is_binary(B) -> each(binary_to_list(B), Format, Stays);
each(Codes, Format, Stays) ->
    unicode:characters_to_binary(
      [case Stays(C) of true -> C; false -> io_lib:format(Format, [C]) end || C <- Codes]).

is_ascii(C) -> C >= 32 andalso C < 127.
is_plain(C) -> (C >= $a andalso C =< $z) orelse (C >= $A andalso C =< $Z)
                   orelse (C >= $0 andalso C =< $9) orelse C =:= $_.
never(_) -> false.

ints(List, Between) ->
    iolist_to_binary(lists:join(Between, [integer_to_list(I) || I <- List])).

spaced(Hex, Between) ->
    iolist_to_binary(lists:join(Between, [[A, B] || <<A, B>> <= Hex])).

%% base64(B, Offset): the characters that depend only on B if Offset bytes precede it.
base64(B, Offset) ->
    Text = base64:encode(<<0:Offset/unit:8, B/binary, 0, 0>>),
    From = (8 * Offset + 5) div 6,
    binary:part(Text, From, (8 * (Offset + byte_size(B))) div 6 - From).

%% Parts of numbers and addresses occur by chance in long lists of bytes.
windows(S) ->
    HasLetter = re:run(S, "[A-Za-z]") =/= nomatch,
    [binary:part(S, I, 9) || HasLetter, I <- lists:seq(0, byte_size(S) - 9)].
