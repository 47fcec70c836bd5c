%% JSON of one line, as maps, lists, binaries, numbers and atoms (RFC 8259). OTP has a module of
%% its own from release 27 on.
-module(json_line).
-export([decode/1]).

decode(Bin) ->
    {Value, Rest} = value(skip(Bin)),
    <<>> = skip(Rest),
    Value.

value(<<"{", R/binary>>) -> object(skip(R), []);
value(<<"[", R/binary>>) -> array(skip(R), []);
value(<<"\"", R/binary>>) -> string(R, R, 0, []);
value(<<"true", R/binary>>) -> {true, R};
value(<<"false", R/binary>>) -> {false, R};
value(<<"null", R/binary>>) -> {null, R};
value(Bin) ->
    {match, [{0, Len}]} = re:run(Bin, "^-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?", [{capture, first}]),
    <<Text:Len/binary, R/binary>> = Bin,
    {try binary_to_integer(Text) catch error:badarg -> binary_to_float(Text) end, R}.

object(<<"}", R/binary>>, []) -> {#{}, R};
object(<<"\"", Bin/binary>>, Acc) ->
    {Key, R1} = string(Bin, Bin, 0, []),
    <<":", R2/binary>> = skip(R1),
    {Value, R3} = value(skip(R2)),
    Pairs = [{Key, Value} | Acc],
    case skip(R3) of
        <<",", R/binary>> -> object(skip(R), Pairs);
        <<"}", R/binary>> ->
            Map = maps:from_list(Pairs),
            true = map_size(Map) =:= length(Pairs), % no key twice
            {Map, R}
    end.

array(<<"]", R/binary>>, []) -> {[], R};
array(Bin, Acc) ->
    {Value, R1} = value(Bin),
    case skip(R1) of
        <<",", R/binary>> -> array(skip(R), [Value | Acc]);
        <<"]", R/binary>> -> {lists:reverse([Value | Acc]), R}
    end.

%% From is where the piece began that has no escapes, Len how long it is so far.
string(From, Bin, Len, Acc) ->
    case Bin of
        <<"\"", R/binary>> ->
            <<Piece:Len/binary, _/binary>> = From,
            Text = iolist_to_binary(lists:reverse([Piece | Acc])),
            true = is_list(unicode:characters_to_list(Text)), % valid UTF-8
            {Text, R};
        <<"\\", _/binary>> ->
            <<Piece:Len/binary, _/binary>> = From,
            {Char, R} = escape(Bin),
            string(R, R, 0, [Char, Piece | Acc]);
        <<C, R/binary>> when C >= 32 ->
            string(From, R, Len + 1, Acc)
    end.

escape(<<"\\u", Hex:4/binary, R/binary>>) ->
    case {binary_to_integer(Hex, 16), R} of
        {High, <<"\\u", Hex2:4/binary, R2/binary>>} when High >= 16#D800, High < 16#DC00 ->
            Low = binary_to_integer(Hex2, 16),
            {<<(16#10000 + (High - 16#D800) * 1024 + Low - 16#DC00)/utf8>>, R2};
        {C, _} ->
            {<<C/utf8>>, R}
    end;
escape(<<"\\", C, R/binary>>) ->
    {proplists:get_value(C, [{$", $"}, {$\\, $\\}, {$/, $/}, {$b, 8}, {$f, 12}, {$n, 10},
                             {$r, 13}, {$t, 9}]), R}.

skip(<<C, R/binary>>) when C =:= $\s; C =:= $\t; C =:= $\n; C =:= $\r -> skip(R);
skip(Bin) -> Bin.
