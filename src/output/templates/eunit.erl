%% Tests over a recorded conversation: made by distsniff -T eunit, never written over by it.
-module('@TESTS@').
-include_lib("eunit/include/eunit.hrl").

%% ---- to be edited -------------------------------------------------------------------------

%% The recording: a module that distsniff -T erlmod wrote, and writes anew.
-define(FIXTURE, '@FIXTURE@').

%% The decoder under test: external format, 131 first, to a term.
decode(External) ->
    binary_to_term(External).

%% Who is asked when recorded calls are made again: for the name of the recorded callee, or the
%% label of calls to no name ('erpc:call'), a registered name or pid, which gets a
%% gen_server:call/2, or a fun of the request ({Module, Function, Args} where it names one).
%%     #{calc => calc, kv => fun(Request) -> kv:handle(Request) end}
servers() ->
    #{}.

%% Whether an answer is the recorded one.
same(Recorded, Answer) ->
    Recorded =:= Answer.

%% What runs before the calls, and after: start and stop the servers.
setup() ->
    ok.
cleanup(_) ->
    ok.

%% What the digests of the handshakes are checked with: undefined, a cookie (an atom), or
%% {file, Name}.
cookie() ->
    '@COOKIE@'.

%% ---- not to be edited ---------------------------------------------------------------------

%% What was sent decodes to the recorded terms; what no node reads is refused.
decode_test_() ->
    [case Message of
         #{refused := Why} -> {title("message ~b: ~s", [N, Why]), fun() -> refuses(Message) end};
         #{} -> {title("message ~b", [N]), fun() -> decodes(Message) end}
     end || {N, Message} <- numbered(?FIXTURE:messages()), is_whole(Message)].

is_whole(#{external := External}) -> not lists:member(damaged, External);
is_whole(#{}) -> false.

refuses(#{external := External}) ->
    ?assertError(_, [decode(Binary) || Binary <- External]).

decodes(#{external := External} = Message) ->
    Recorded = [maps:get(Key, Message) || Key <- [control, term], is_map_key(Key, Message)],
    ?assertEqual(Recorded, [decode(Binary) || Binary <- External]).

%% Frames that are messages without fragments and caches hold what is decoded, unless that was
%% translated for all nodes to read, or compressed: the two views of a message agree. All frames
%% have the length that they say.
frame_test_() ->
    [{title("frame ~b", [N]), fun() -> measures(Frame) end}
     || {N, #{bytes := _} = Frame} <- numbered(?FIXTURE:frames()), not is_map_key(fault, Frame)].

measures(#{kind := handshake, bytes := <<Length:16, Rest/binary>>, size := Size}) ->
    ?assertEqual({Length, Size}, {byte_size(Rest), byte_size(Rest) + 2});
measures(#{bytes := <<Length:32, Rest/binary>>, size := Size} = Frame) ->
    ?assertEqual({Length, Size}, {byte_size(Rest), byte_size(Rest) + 4}),
    plain(Frame, Rest).

plain(#{message := N}, <<131, 68, 0, Terms/binary>>) ->
    #{external := [<<131, Control/binary>> | _] = External} = Message = ?FIXTURE:message(N),
    is_map_key(translated, Message) orelse is_map_key(fault, Message) orelse
        is_compressed(Terms, byte_size(Control)) orelse
        ?assertEqual(byte_size(Terms), lists:sum([byte_size(Binary) - 1 || Binary <- External]));
plain(_, _) ->
    ok.

is_compressed(Terms, At) -> At < byte_size(Terms) andalso binary:at(Terms, At) =:= 80.

%% A recorded call, made again, gives the recorded result.
call_test_() ->
    {Asked, Left} = lists:partition(fun is_asked/1, [Call || Call <- ?FIXTURE:calls(), is_ok(Call)]),
    {setup, fun setup/0, fun cleanup/1,
     [{title("call ~b", [N]), fun() -> answers(Call) end} || #{call := N} = Call <- Asked]
     ++ [{title("~b calls are not made again: servers/0 does not name ~tp",
                [length(Left), lists:usort([key(Call) || Call <- Left])]), []}]}.

is_ok(#{outcome := ok, result := _} = Call) -> is_map_key(request, Call) orelse is_map_key(args, Call);
is_ok(#{}) -> false.

is_asked(Call) -> is_map_key(key(Call), servers()).

key(#{callee := #{name := Name}}) -> Name;
key(#{label := Label}) -> Label;
key(#{}) -> undefined.

answers(#{result := Result} = Call) ->
    Answer = ask(maps:get(key(Call), servers()), request(Call)),
    case same(Result, Answer) of
        true -> ok;
        false -> ?assertEqual(Result, Answer)
    end.

request(#{module := M, function := F, args := A}) -> {M, F, A};
request(#{request := Request}) -> Request.

ask(Fun, Request) when is_function(Fun, 1) -> Fun(Request);
ask(Server, Request) -> gen_server:call(Server, Request).

%% The digests of the handshakes: MD5 of the cookie and the other side's challenge.
digest_test_() ->
    case cookie() of
        undefined ->
            {"digests are not checked: cookie/0 names none", []};
        {file, Name} ->
            {ok, Text} = file:read_file(Name),
            digests(hd(string:lexemes(Text, " \t\r\n")));
        Cookie ->
            digests(atom_to_binary(Cookie))
    end.

digests(Cookie) ->
    Steps = [Frame || #{kind := handshake} = Frame <- ?FIXTURE:frames()],
    [{title("~s of connection ~b", [Step, Conn]),
      fun() -> ?assertEqual(digest(Cookie, Challenge), Digest) end}
     || #{step := Step, conn := Conn, dst := To, digest := Digest} <- Steps,
        #{conn := C, src := From, challenge := Challenge} <- Steps, C =:= Conn, From =:= To].

digest(Cookie, Challenge) ->
    erlang:md5([Cookie, integer_to_binary(Challenge)]).

numbered(List) ->
    lists:zip(lists:seq(1, length(List)), List).

title(Format, Args) ->
    unicode:characters_to_binary(io_lib:format(Format, Args)).
