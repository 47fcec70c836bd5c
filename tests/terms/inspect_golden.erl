%% inspect_golden TERM_TOOL FILE: what term_tool writes of terms as Elixir is what an Elixir wrote, which
%% is in FILE: a line a term, its external format as base64, a blank, its text. inspect.exs made it.
-module(inspect_golden).
-export([main/1]).

main([Tool, File]) ->
    io:setopts([{encoding, unicode}]),
    {ok, Bytes} = file:read_file(File),
    Lines = [binary:split(L, <<" ">>) || L <- binary:split(Bytes, <<"\n">>, [global, trim])],
    Encoded = [base64:decode(E) || [E, _] <- Lines],
    Texts = [T || [T] <- term_maker:run([Tool, "inspect"], 1, Encoded)],
    Wrong = [{Expected, Text} || {[_, Expected], Text} <- lists:zip(Lines, Texts), Expected =/= Text],
    Cut = [binary:part(E, 0, N) || E <- Encoded, byte_size(E) < 200, N <- lists:seq(2, byte_size(E) - 1)],
    Cuts = [T || [T] <- term_maker:run([Tool, "inspect"], 1, Cut)],
    Whole = [{cut, T} || T <- Cuts, binary:longest_common_suffix([T, <<"...">>]) =/= 3],
    [io:format("~p~n", [C]) || C <- lists:sublist(Whole, 20)],
    [io:format("Elixir:    ~ts~ndistsniff: ~ts~n", [E, T]) || {E, T} <- lists:sublist(Wrong, 20)],
    io:format("~b terms, ~b wrong; ~b cut, ~b wrong~n",
              [length(Texts), length(Wrong), length(Cuts), length(Whole)]),
    halt(case Wrong ++ Whole of [] -> 0; _ -> 1 end).
