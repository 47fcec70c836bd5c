#!/usr/bin/env escript
%% -*- erlang -*-
%%! +fnu
%%
%% Plays one side of a recorded connection between two Erlang nodes to whatever connects to it,
%% or to what it connects to: a node, a C node, another runtime, a library under test. Written by
%% distsniff (-T replay=FILE); runs with nothing but the escript of OTP 25 to 29:
%%
%%     ./peer.escript --side acceptor     waits for a connection, as the node that was called
%%     ./peer.escript --side initiator    connects, as the node that called
%%     ./peer.escript --list              shows the recording, as terms
%%     ./peer.escript --help              all options
%%
%% The handshake is a real one, made anew: own challenge, own digest, the flags, name and creation
%% of the recording. Then the recorded frames are played in order. Those of the own side are sent
%% as they were recorded, byte for byte, but for what names a party: see "identities" below. Where
%% the other side's turn is, its message is waited for and compared. The first difference is
%% reported as terms, and ends the play.
%%
%% Exit status: 0 all as recorded, 1 something differs, 2 it could not be played: usage, network,
%% cookie, capabilities.
%%
%% What is compared
%%   The control tuple and the payload of each message, as terms: not how they were encoded, cut
%%   into fragments, or which atoms came from the cache. Ticks do not count.
%%   Order: messages of one process come in their order; those of different processes in any.
%%   Identities: pids, ports and references of the live side stand for those of the recorded one,
%%   each always for the same, and carry the creation of its handshake. What the own side says of
%%   them is said of the live ones. The name of the live node stands for the recorded name, and
%%   --node for the own one, wherever they are atoms. Ids of unlink signals are treated alike.
%%   Funs: module, index, arity and environment; not the checksum of their module.
%%   Background: what global and rpc tell each other by themselves when nodes connect holds
%%   counters and clocks. It is played, but not compared; --ignore does the same for others.
%%   --compare exact: no such allowances: the recorded terms, in the recorded order.
%%
%% The recording follows the code, in comments that begin with %@, %# and %=.

-mode(compile).

-record(options, {
    side, list = false, cookie_file, node, listen = {127, 0, 0, 1}, port = 0, epmd = true,
    epmd_port, connect, peer, exact = false, ignore = [], recorded_pace = false,
    timeout = 10000, accept_timeout = infinity, verbose = false
}).
%% party: one of the two nodes, as recorded or as it is now.
-record(party, {name, flags, creation, version = 6, asks_name = false}).
%% frame: one frame of the recording. of: initiator or acceptor. time: microseconds. packet: its
%% number in the capture.
-record(frame, {number, of_side, time, packet, bytes}).
%% part: a frame taken apart. kind: plain, first or further (of a fragmented message), pass.
-record(part, {kind, sequence, fragment, head, refs = [], long = false, body}).
%% message: control is the list of the tuple's elements, payload is a term or none.
-record(message, {control, payload, spots = []}).
%% wire: one direction of a connection, while it is decoded.
-record(wire, {cache = #{}, open = #{}}).
%% names: who stands for whom: recorded => live. Of the own side only name and creation differ.
-record(names, {own, own_live, peer, peer_live, ids = #{}, back = #{}, exact = false}).
-record(play, {
    options, socket, names, odd, wire = #wire{}, pending = [], background = [], missed = [],
    quiet_pids = [], parts = #{}, closed = false, why_closed = "", last_time = 0, num_sent = 0,
    num_compared = 0, num_background = 0
}).

-define(VERSION, 131).
-define(NAME_ME, (1 bsl 33)).
-define(HANDSHAKE_23, (1 bsl 24)).
-define(PUBLISHED, 1).
-define(TICK_MS, 10000).
-define(BACKGROUND_MS, 500).
-define(LINGER_MS, 300).

main(Arguments) ->
    try run(options(Arguments, #options{})) of
        ok -> halt(0)
    catch
        throw:{differs, Text} ->
            io:format("~ts", [Text]),
            halt(1);
        throw:{trouble, Format, Values} ->
            say(Format, Values),
            halt(2);
        error:terminated ->
            halt(2) % nobody reads what is written
    end.

say(Format, Values) ->
    io:format(standard_error, filename:basename(escript:script_name()) ++ ": " ++ Format ++ "~n",
              Values).

-spec trouble(string(), list()) -> no_return().
trouble(Format, Values) ->
    throw({trouble, Format, Values}).

run(#options{list = true}) ->
    list(load());
run(#options{side = undefined}) ->
    trouble("say which side to play: --side acceptor or --side initiator (see --help)", []);
run(Options) ->
    Cookie = cookie(Options),
    Recording = load(),
    {Socket, Names} = connect(Options, Cookie, Recording),
    play(Options, Socket, Names, Recording).

%% --- options ---

usage() ->
    "--side acceptor|initiator   the side to play\n"
    "--cookie-file FILE          the cookie; else that of the environment variable DIST_COOKIE,\n"
    "                            else that of ~/.erlang.cookie\n"
    "--node NAME@HOST            the own name, instead of the recorded one\n"
    "--listen ADDRESS            as acceptor: 127.0.0.1 by default; 0.0.0.0 or :: is any\n"
    "--port PORT                 as acceptor: where to listen; any free port by default\n"
    "--no-epmd                   as acceptor: do not register with EPMD\n"
    "--connect HOST:PORT         as initiator: where to connect; [ADDRESS]:PORT for IPv6\n"
    "--peer NAME@HOST            as initiator: whom to look up in EPMD; the recorded name by\n"
    "                            default\n"
    "--epmd-port PORT            4369, or ERL_EPMD_PORT, by default\n"
    "--compare alike|exact       exact: pids, references, names and order as recorded\n"
    "--ignore NAME,..            do not compare what is sent to these registered names\n"
    "--pace fast|recorded        fast, the default: send as soon as it is the own turn\n"
    "--timeout SECONDS           how long to wait for the other side: 10 by default; but as\n"
    "                            acceptor, for somebody to connect, without end\n"
    "--verbose                   show every message\n"
    "--list                      show the recording and exit\n".

options([], Options) ->
    Options#options{epmd_port = epmd_port(Options#options.epmd_port)};
options(["--side", Side | Rest], O) when Side =:= "acceptor"; Side =:= "initiator" ->
    options(Rest, O#options{side = list_to_atom(Side)});
options(["--cookie-file", File | Rest], O) ->
    options(Rest, O#options{cookie_file = File});
options(["--node", Name | Rest], O) ->
    options(Rest, O#options{node = node_name(Name)});
options(["--listen", Text | Rest], O) ->
    case inet:parse_address(Text) of
        {ok, Address} -> options(Rest, O#options{listen = Address});
        {error, _} -> trouble("--listen takes an IP address, not ~ts", [Text])
    end;
options(["--port", Port | Rest], O) ->
    options(Rest, O#options{port = number("--port", Port, 65535)});
options(["--no-epmd" | Rest], O) ->
    options(Rest, O#options{epmd = false});
options(["--connect", Where | Rest], O) ->
    case string:split(Where, ":", trailing) of
        [Host, Port] ->
            options(Rest, O#options{connect = {host(Host), number("--connect", Port, 65535)}});
        _ -> trouble("--connect takes HOST:PORT, not ~ts", [Where])
    end;
options(["--peer", Name | Rest], O) ->
    options(Rest, O#options{peer = node_name(Name)});
options(["--epmd-port", Port | Rest], O) ->
    options(Rest, O#options{epmd_port = number("--epmd-port", Port, 65535)});
options(["--compare", How | Rest], O) when How =:= "alike"; How =:= "exact" ->
    options(Rest, O#options{exact = How =:= "exact"});
options(["--ignore", Names | Rest], O) ->
    Ignored = [list_to_atom(N) || N <- string:lexemes(Names, ",")],
    options(Rest, O#options{ignore = Ignored ++ O#options.ignore});
options(["--pace", Pace | Rest], O) when Pace =:= "fast"; Pace =:= "recorded" ->
    options(Rest, O#options{recorded_pace = Pace =:= "recorded"});
options(["--timeout", Seconds | Rest], O) ->
    Timeout = 1000 * number("--timeout", Seconds, 1000000),
    options(Rest, O#options{timeout = Timeout, accept_timeout = Timeout});
options(["--verbose" | Rest], O) ->
    options(Rest, O#options{verbose = true});
options(["--list" | Rest], O) ->
    options(Rest, O#options{list = true});
options([Help | _], _) when Help =:= "--help"; Help =:= "-h" ->
    io:put_chars(usage()),
    halt(0);
options([Other | _], _) ->
    trouble("~ts is no option, or what follows it is wrong or missing; the options are:~n~n~ts",
            [Other, usage()]).

number(Option, Text, Max) ->
    case string:to_integer(Text) of
        {N, []} when is_integer(N), N >= 0, N =< Max -> N;
        _ -> trouble("~ts takes a number up to ~b, not ~ts", [Option, Max, Text])
    end.

node_name(Text) ->
    case string:split(Text, "@", all) of
        [[_ | _], [_ | _]] -> unicode:characters_to_binary(Text);
        _ -> trouble("a node's name is NAME@HOST, not ~ts", [Text])
    end.

host(Text) ->
    case inet:parse_address(string:trim(Text, both, "[]")) of
        {ok, Address} -> Address;
        {error, _} -> Text
    end.

epmd_port(undefined) ->
    number("ERL_EPMD_PORT", os:getenv("ERL_EPMD_PORT", "4369"), 65535);
epmd_port(Given) ->
    Given.

cookie(#options{cookie_file = undefined}) ->
    case os:getenv("DIST_COOKIE") of
        false ->
            cookie(#options{cookie_file = filename:join(os:getenv("HOME", "."),
                                                        ".erlang.cookie")});
        "" -> trouble("the environment variable DIST_COOKIE is empty", []);
        Cookie -> unicode:characters_to_binary(Cookie)
    end;
cookie(#options{cookie_file = File}) ->
    case file:read_file(File) of
        {ok, Bytes} ->
            case string:trim(Bytes) of
                <<>> -> trouble("the cookie file ~ts is empty", [File]);
                Cookie -> Cookie
            end;
        {error, Why} ->
            trouble("cannot read the cookie: ~ts: ~ts; name a file with --cookie-file, or put it "
                    "into DIST_COOKIE", [File, file:format_error(Why)])
    end.

%% --- the recording ---

%% load returns {#{initiator => #party{}, acceptor => #party{}}, [#frame{}]}.
load() ->
    File = escript:script_name(),
    {ok, Bytes} = file:read_file(File),
    {Facts, Frames} = lines(binary:split(Bytes, <<"\n">>, [global]), #{}, []),
    case Facts of
        #{initiator := _, acceptor := _, frames := Number} when length(Frames) =:= Number ->
            {Facts, Frames};
        #{} ->
            trouble("~ts holds no recording, or one that was cut short", [File])
    end.

lines([<<"%@ ", Fact/binary>> | Rest], Facts, Frames) ->
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Fact)),
    {ok, {Key, Value}} = erl_parse:parse_term(Tokens),
    lines(Rest, Facts#{Key => fact(Value)}, Frames);
lines([<<"%# ", Line/binary>> | Rest], Facts, Frames) ->
    [Number, Side, Time, Packet | _] = binary:split(Line, <<" ">>, [global]),
    {Bytes, Further} = lists:splitwith(fun(L) -> is_bytes(L) end, Rest),
    Frame = #frame{number = binary_to_integer(Number), of_side = side(Side),
                   time = binary_to_integer(Time), packet = binary_to_integer(Packet),
                   bytes = base64:decode(<< <<B/binary>> || <<"%= ", B/binary>> <- Bytes >>)},
    lines(Further, Facts, [Frame | Frames]);
lines([_ | Rest], Facts, Frames) ->
    lines(Rest, Facts, Frames);
lines([], Facts, Frames) ->
    {Facts, lists:reverse(Frames)}.

is_bytes(<<"%= ", _/binary>>) -> true;
is_bytes(_) -> false.

side(<<">">>) -> initiator;
side(<<"<">>) -> acceptor.

fact(#{name := Name, flags := Flags, creation := Creation, version := Version,
       asks_name := Asks}) ->
    #party{name = atom_to_binary(Name), flags = Flags, creation = Creation, version = Version,
           asks_name = Asks};
fact(Number) ->
    Number.

other_side(initiator) -> acceptor;
other_side(acceptor) -> initiator.

%% messages takes all frames apart. Returns #{Number => {#part{}, Message}}: the message that the
%% frame completes, or none; and #{Number => {[Number], #message{}}}, the frames of each message
%% that a frame begins. What cannot be decoded is a message as well, of its bytes.
messages(Frames) ->
    {Taken, _} = lists:mapfoldl(fun take_recorded/2, #{initiator => #wire{}, acceptor => #wire{}},
                                Frames),
    Completes = maps:from_list([{N, {Part, Message}} || {N, Part, _, Message} <- Taken]),
    Begins = maps:from_list([{hd(Numbers), {Numbers, Message}}
                             || {_, _, Numbers, #message{} = Message} <- Taken]),
    {Completes, Begins}.

take_recorded(#frame{number = Number, of_side = Side, bytes = Bytes}, Wires) ->
    try take_frame(Bytes, Number, maps:get(Side, Wires)) of
        {Part, Numbers, Message, Wire} -> {{Number, Part, Numbers, Message}, Wires#{Side := Wire}}
    catch
        throw:{malformed, Why} ->
            say("frame ~b of the recording cannot be decoded: ~ts", [Number, Why]),
            {{Number, #part{kind = odd, head = Bytes, body = <<>>}, [Number], odd(Bytes)}, Wires}
    end.

odd(Bytes) ->
    #message{control = [undecodable], payload = {opaque, Bytes}}.

list({#{initiator := Initiator, acceptor := Acceptor}, Frames}) ->
    io:format("initiator ~ts, acceptor ~ts, ~b frames~n",
              [shown(Initiator), shown(Acceptor), length(Frames)]),
    {Completes, _} = messages(Frames),
    lists:foreach(fun(#frame{number = N, of_side = Side, time = Time}) ->
        {Part, Message} = maps:get(N, Completes),
        io:format("~b ~ts ~.6f s ~ts~n", [N, Side, Time / 1000000, listed(Part, Message)])
    end, Frames).

listed(#part{sequence = Sequence, fragment = Fragment}, none) ->
    io_lib:format("fragment ~b of sequence ~b", [Fragment, Sequence]);
listed(_, Message) ->
    message_text(Message).

%% --- connecting, and the handshake (erl_dist_protocol, "Distribution Handshake") ---

connect(#options{side = Side} = Options, Cookie, {Facts, _} = Recording) ->
    Own = maps:get(Side, Facts),
    Peer = maps:get(other_side(Side), Facts),
    Mine = case Options#options.node of
        undefined -> Own;
        Name -> Own#party{name = Name}
    end,
    {Socket, OwnLive, PeerLive} = case Side of
        acceptor -> accept(Options, Cookie, Mine, Peer);
        initiator -> initiate(Options, Cookie, Mine, Peer)
    end,
    check_flags(Own, Peer, PeerLive, Side, Recording),
    say("connected with ~ts", [shown(PeerLive)]),
    {Socket, #names{own = Own, own_live = OwnLive, peer = Peer, peer_live = PeerLive,
                    exact = Options#options.exact}}.

accept(#options{listen = Address, port = Port} = Options, Cookie, Mine, Peer) ->
    Family = case Address of
        {_, _, _, _} -> inet;
        _ -> inet6
    end,
    case gen_tcp:listen(Port, [Family, {ip, Address}, {reuseaddr, true} | tcp(Options)]) of
        {ok, Listener} ->
            {ok, Actual} = inet:port(Listener),
            Registered = register_node(Options, Mine, Actual),
            say("~ts listens on port ~b", [shown(Mine), Actual]),
            Socket = case gen_tcp:accept(Listener, Options#options.accept_timeout) of
                {ok, Accepted} -> Accepted;
                {error, Why} -> trouble("nobody connected: ~ts", [why(Why)])
            end,
            Result = answer(Socket, Options#options.timeout, Cookie, Mine, Peer),
            gen_tcp:close(Listener),
            put(epmd, Registered), % as long as that is open the name is registered
            Result;
        {error, Why} ->
            trouble("cannot listen on port ~b: ~ts", [Port, why(Why)])
    end.

%% A side that does not read must not keep the other one waiting.
tcp(#options{timeout = Timeout}) ->
    [binary, {packet, 2}, {active, false}, {nodelay, true}, {send_timeout, Timeout},
     {send_timeout_close, true}].

why(timeout) -> "it took too long (--timeout)";
why(closed) -> "the connection was closed";
why(Why) -> inet:format_error(Why).

%% A name that the other side gives is said, made an atom of, and goes into what is sent.
live_name(Bytes) ->
    Text = unicode:characters_to_list(Bytes),
    is_list(Text) andalso length(Text) =< 255 andalso is_plain(Text) andalso lists:member($@, Text)
        orelse trouble("the other side says ~0tp where the name of a node was expected", [Bytes]),
    Bytes.

shown(#party{name = Name}) ->
    shown(Name);
shown(Name) when is_binary(Name) ->
    case is_plain(unicode:characters_to_list(Name)) of
        true -> Name;
        false -> io_lib:format("~0tp", [Name])
    end;
shown(Name) ->
    shown(atom_to_binary(Name)).

%% What a terminal writes and does not obey.
is_plain(Text) ->
    lists:all(fun(C) -> C >= $\s andalso (C < 127 orelse C > 159) end, Text).

%% answer makes the handshake as the side that was called.
answer(Socket, Timeout, Cookie, Mine, Recorded) ->
    {Peer, Ask} = case receive_step(Socket, Timeout, "a send_name") of
        <<$N, Flags:64, Creation:32, Len:16, Name:Len/binary, _/binary>> ->
            {#party{name = Name, flags = Flags, creation = Creation}, 6};
        <<$n, Version:16, Flags:32, Name/binary>> ->
            {#party{name = Name, flags = Flags, creation = 0, version = Version}, 5};
        Other -> odd_step(Other, "a send_name")
    end,
    Named = case Peer#party.flags band ?NAME_ME of
        0 ->
            send_step(Socket, <<"sok">>),
            Peer;
        _ ->
            #party{name = Given, creation = GivenCreation} = Recorded,
            send_step(Socket, <<"snamed:", (byte_size(Given)):16, Given/binary,
                                GivenCreation:32>>),
            Peer#party{name = Given, creation = GivenCreation}
    end,
    live_name(Named#party.name),
    Challenge = rand:uniform(1 bsl 32) - 1,
    #party{name = Own, flags = OwnFlags, creation = OwnCreation} = Mine,
    IsNew = Ask =:= 6 orelse Peer#party.flags band ?HANDSHAKE_23 =/= 0,
    case IsNew of
        true ->
            send_step(Socket, <<$N, OwnFlags:64, Challenge:32, OwnCreation:32,
                                (byte_size(Own)):16, Own/binary>>);
        false ->
            send_step(Socket, <<$n, 5:16, OwnFlags:32, Challenge:32, Own/binary>>)
    end,
    {Whole, Reply} = case receive_step(Socket, Timeout, "a challenge_reply") of
        <<$c, High:32, NewCreation:32>> ->
            {Named#party{flags = High bsl 32 bor Named#party.flags, creation = NewCreation},
             receive_step(Socket, Timeout, "a challenge_reply")};
        First -> {Named, First}
    end,
    case Reply of
        <<$r, Theirs:32, Digest:16/binary>> ->
            digest(Cookie, Challenge) =:= Digest orelse
                trouble("wrong cookie: ~ts made its digest with another one", [shown(Whole)]),
            send_step(Socket, [$a, digest(Cookie, Theirs)]),
            {Socket, Mine, Whole};
        _ -> odd_step(Reply, "a challenge_reply")
    end.

initiate(#options{connect = undefined} = Options, Cookie, Mine, Peer) ->
    Name = case Options#options.peer of
        undefined -> Peer#party.name;
        Given -> Given
    end,
    [Alive, Host] = string:split(unicode:characters_to_list(Name), "@"),
    initiate(Options#options{connect = {Host, look_up(Options, Alive, Host)}}, Cookie, Mine, Peer);
initiate(#options{connect = {Host, Port}, timeout = Timeout} = Options, Cookie, Mine, _) ->
    case gen_tcp:connect(Host, Port, tcp(Options), Timeout) of
        {ok, Socket} -> call(Socket, Timeout, Cookie, Mine);
        {error, Why} -> trouble("cannot connect to ~ts:~b: ~ts", [host_text(Host), Port, why(Why)])
    end.

host_text({_, _, _, _} = Address) -> inet:ntoa(Address);
host_text(Address) when is_tuple(Address) -> [$[, inet:ntoa(Address), $]];
host_text(Host) -> Host.

%% call makes the handshake as the side that calls.
call(Socket, Timeout, Cookie, #party{flags = Flags, version = Version} = Mine) ->
    case {Version, Mine} of
        {6, #party{asks_name = true, name = Name}} -> % gives its host, and as OTP no creation
            [_, Host] = binary:split(Name, <<"@">>),
            send_step(Socket, <<$N, Flags:64, 0:32, (byte_size(Host)):16, Host/binary>>);
        {6, #party{name = Name, creation = Creation}} ->
            send_step(Socket, <<$N, Flags:64, Creation:32, (byte_size(Name)):16, Name/binary>>);
        {5, #party{name = Name}} ->
            send_step(Socket, <<$n, 5:16, Flags:32, Name/binary>>)
    end,
    Named = case receive_step(Socket, Timeout, "a status") of
        <<"sok">> -> Mine;
        <<"sok_simultaneous">> -> Mine;
        <<"salive">> ->
            send_step(Socket, <<"strue">>),
            Mine;
        <<"snamed:", Len:16, Given:Len/binary, GivenCreation:32>> ->
            Mine#party{name = live_name(Given), creation = GivenCreation};
        <<"s", Status/binary>> ->
            trouble("the other side refuses the connection: ~ts", [printable(Status)]);
        OtherStatus -> odd_step(OtherStatus, "a status")
    end,
    {Challenge, Peer, IsNew} = case receive_step(Socket, Timeout, "a challenge") of
        <<$N, PeerFlags:64, C:32, PeerCreation:32, PeerLen:16, PeerName:PeerLen/binary,
          _/binary>> ->
            {C, #party{name = PeerName, flags = PeerFlags, creation = PeerCreation}, true};
        <<$n, 5:16, PeerFlags:32, C:32, PeerName/binary>> ->
            {C, #party{name = PeerName, flags = PeerFlags, creation = 0, version = 5}, false};
        OtherChallenge -> odd_step(OtherChallenge, "a challenge")
    end,
    live_name(Peer#party.name),
    Version =/= 6 andalso IsNew andalso
        send_step(Socket, <<$c, (Flags bsr 32):32, (Named#party.creation):32>>),
    Own = rand:uniform(1 bsl 32) - 1,
    send_step(Socket, [<<$r, Own:32>>, digest(Cookie, Challenge)]),
    Right = digest(Cookie, Own),
    case gen_tcp:recv(Socket, 0, Timeout) of
        {ok, <<$a, Right:16/binary>>} -> {Socket, Named, Peer};
        {ok, <<$a, _:16/binary>>} ->
            trouble("wrong cookie: ~ts made its digest with another one", [shown(Peer)]);
        {ok, Other} -> odd_step(Other, "a challenge_ack");
        {error, closed} ->
            trouble("wrong cookie, most likely: ~ts closed the connection on the digest",
                    [shown(Peer)]);
        {error, Why} -> trouble("no challenge_ack: ~ts", [why(Why)])
    end.

digest(Cookie, Challenge) ->
    erlang:md5([Cookie, integer_to_binary(Challenge)]).

send_step(Socket, Bytes) ->
    _ = gen_tcp:send(Socket, Bytes). % if that fails, what comes next says why

receive_step(Socket, Timeout, What) ->
    case gen_tcp:recv(Socket, 0, Timeout) of
        {ok, Bytes} -> Bytes;
        {error, closed} ->
            trouble("the other side closed the connection where ~ts was expected", [What]);
        {error, Why} ->
            trouble("~ts did not come: ~ts", [What, why(Why)])
    end.

-spec odd_step(binary(), string()) -> no_return().
odd_step(Bytes, What) ->
    trouble("the other side sent ~tp where ~ts was expected", [Bytes, What]).

%% The flags are the recorded ones. Where the other side's are not, it may speak otherwise, and
%% must understand what will be sent.
check_flags(Own, Peer, PeerLive, Side, {_, Frames}) ->
    Were = Peer#party.flags,
    Are = PeerLive#party.flags,
    flags_said("offers, beyond the recording", PeerLive, Are band bnot Were),
    flags_said("does not offer, unlike in the recording", PeerLive, Were band bnot Are),
    Needed = lists:foldl(fun(#frame{of_side = S} = Frame, Acc) when S =:= Side ->
                                 Acc bor needs(Frame);
                            (_, Acc) -> Acc
                         end, 0, Frames) band Own#party.flags,
    case Needed band bnot Are of
        0 -> ok;
        Missing -> trouble("the recorded frames need ~ts, which ~ts does not offer",
                           [flag_names(Missing), shown(PeerLive)])
    end.

needs(#frame{bytes = <<?VERSION, 68, _/binary>>}) -> 1 bsl 13;
needs(#frame{bytes = <<?VERSION, T, _/binary>>}) when T =:= 69; T =:= 70 ->
    1 bsl 13 bor (1 bsl 23);
needs(_) -> 0.

flags_said(_, _, 0) -> ok;
flags_said(What, Party, Flags) -> say("~ts ~ts: ~ts", [shown(Party), What, flag_names(Flags)]).

flag_names(Flags) ->
    lists:join(" ", [flag_name(Bit) || Bit <- lists:seq(0, 63), Flags band (1 bsl Bit) =/= 0]).

flag_name(Bit) ->
    Names = #{0 => "PUBLISHED", 1 => "ATOM_CACHE", 2 => "EXTENDED_REFERENCES",
              3 => "DIST_MONITOR", 4 => "FUN_TAGS", 5 => "DIST_MONITOR_NAME",
              6 => "HIDDEN_ATOM_CACHE", 7 => "NEW_FUN_TAGS", 8 => "EXTENDED_PIDS_PORTS",
              9 => "EXPORT_PTR_TAG", 10 => "BIT_BINARIES", 11 => "NEW_FLOATS",
              12 => "UNICODE_IO", 13 => "DIST_HDR_ATOM_CACHE", 14 => "SMALL_ATOM_TAGS",
              16 => "UTF8_ATOMS", 17 => "MAP_TAG", 18 => "BIG_CREATION", 19 => "SEND_SENDER",
              20 => "BIG_SEQTRACE_LABELS", 22 => "EXIT_PAYLOAD", 23 => "FRAGMENTS",
              24 => "HANDSHAKE_23", 25 => "UNLINK_ID", 26 => "MANDATORY_25_DIGEST",
              32 => "SPAWN", 33 => "NAME_ME", 34 => "V4_NC", 35 => "ALIAS",
              37 => "ALTACT_SIG", 38 => "NATIVE_RECORDS"},
    maps:get(Bit, Names, "bit " ++ integer_to_list(Bit)).

%% --- EPMD (erl_dist_protocol, "EPMD Protocol") ---

register_node(#options{epmd = false}, _, _) ->
    none;
register_node(#options{epmd_port = EpmdPort}, #party{name = Name, flags = Flags}, Port) ->
    [Alive, _] = binary:split(Name, <<"@">>),
    Type = case Flags band ?PUBLISHED of
        0 -> 72;
        _ -> 77
    end,
    Request = <<120, Port:16, Type, 0, 6:16, 5:16, (byte_size(Alive)):16, Alive/binary, 0:16>>,
    {Socket, Answer} = ask_epmd("127.0.0.1", EpmdPort, Request),
    case Answer of
        <<118, 0, _/binary>> -> Socket;
        <<121, 0, _/binary>> -> Socket;
        _ -> trouble("EPMD does not register ~ts: is a node of that name running? Another name "
                     "with --node, or --no-epmd", [Alive])
    end.

look_up(#options{epmd_port = EpmdPort}, Alive, Host) ->
    Name = unicode:characters_to_binary(Alive),
    {Socket, Answer} = ask_epmd(Host, EpmdPort, <<122, Name/binary>>),
    gen_tcp:close(Socket),
    case Answer of
        <<119, 0, Port:16, _/binary>> -> Port;
        _ -> trouble("EPMD on ~ts knows no node ~ts: name it with --peer, or a port with --connect",
                     [Host, Alive])
    end.

ask_epmd(Host, Port, Request) ->
    Options = [binary, {packet, raw}, {active, false}],
    case gen_tcp:connect(Host, Port, Options, 5000) of
        {ok, Socket} ->
            _ = gen_tcp:send(Socket, [<<(byte_size(Request)):16>>, Request]),
            case gen_tcp:recv(Socket, 0, 5000) of
                {ok, Answer} -> {Socket, Answer};
                {error, _} -> {Socket, none}
            end;
        {error, Why} ->
            trouble("cannot reach EPMD on ~ts:~b: ~ts; start it (epmd -daemon), or do without "
                    "(--no-epmd, --connect)", [Host, Port, why(Why)])
    end.

%% --- the play ---

play(#options{side = Side} = Options, Socket, Names, {_, Frames}) ->
    ok = inet:setopts(Socket, [{packet, 4}, {active, true}]),
    {Completes, Begins} = messages(Frames),
    Steps = [step(Frame, Side, Completes, Begins) || Frame <- Frames],
    Odd = [Message || {_, #message{control = [undecodable]} = Message} <- maps:values(Completes)],
    Begun = #play{options = Options, socket = Socket, names = Names, odd = Odd},
    Play = lists:foldl(fun take_step/2, Begun, lists:append(Steps)),
    End = listen_on(Play),
    gen_tcp:close(Socket),
    no_more(End),
    io:format("as recorded: ~b frames sent, ~b messages of ~ts compared, ~b of the background~n",
              [End#play.num_sent, End#play.num_compared, shown(Names#names.peer_live),
               End#play.num_background]).

%% A step is something to send, or a message to wait for. What is only a part of a message of the
%% other side is no step.
step(#frame{of_side = Side, number = N} = Frame, Side, Completes, Begins) ->
    {Part, _} = maps:get(N, Completes),
    {Numbers, Message} = maps:get(N, Begins, {[], none}),
    Bodies = [(element(1, maps:get(Number, Completes)))#part.body || Number <- Numbers],
    [{send, Frame, Part, Message, Bodies}];
step(#frame{number = N} = Frame, _, Completes, _) ->
    case maps:get(N, Completes) of
        {_, none} -> [];
        {_, Message} -> [{await, Frame, Message}]
    end.

take_step({send, #frame{time = Time} = Frame, Part, Message, Bodies}, Play) ->
    Ready = wait_for_time(Time, Play),
    {Bytes, Sent} = own_bytes(Part, Message, Bodies, Ready),
    show("> ", Message, Sent),
    case gen_tcp:send(Sent#play.socket, Bytes) of
        ok -> ok;
        {error, Why} -> not_sent(Frame, Why)
    end,
    Sent#play{num_sent = Sent#play.num_sent + 1, last_time = Time};
take_step({await, #frame{time = Time} = Frame, Message}, Play) ->
    Deadline = now_ms() + (Play#play.options)#options.timeout,
    {Is, Noted} = background(Message, Play),
    Next = case Is of
        true -> await_background(Message, now_ms() + ?BACKGROUND_MS, Noted);
        false -> await(Frame, Message, Deadline, Noted)
    end,
    Next#play{last_time = Time}.

now_ms() ->
    erlang:monotonic_time(millisecond).

wait_for_time(Time, #play{options = #options{recorded_pace = true}, last_time = Last} = Play)
  when Time > Last ->
    pause(now_ms() + (Time - Last) div 1000, Play);
wait_for_time(_, Play) ->
    Play.

pause(Until, Play) ->
    case now_ms() of
        Now when Now >= Until; Play#play.closed -> Play;
        _ -> pause(Until, listen(Until, Play))
    end.

%% listen takes what the other side sends, until something has come or the time is there. The other
%% side is kept awake meanwhile.
listen(Until, #play{socket = Socket} = Play) ->
    Left = max(0, Until - now_ms()),
    receive
        {tcp, Socket, Bytes} -> came(Bytes, Play);
        {tcp_closed, Socket} -> closed(closed, Play);
        {tcp_error, Socket, Why} -> closed(Why, Play)
    after min(Left, ?TICK_MS) ->
        case Left >= ?TICK_MS of
            true -> _ = gen_tcp:send(Socket, <<>>);
            false -> ok
        end,
        Play
    end.

%% The first reason is the one: after an error the connection is closed.
closed(Why, #play{closed = false} = Play) -> Play#play{closed = true, why_closed = why(Why)};
closed(_, Play) -> Play.

came(<<>>, Play) ->
    Play; % a tick
came(Bytes, #play{wire = Wire} = Play) ->
    try take_frame(Bytes, 0, Wire) of
        {_, _, none, Next} ->
            Play#play{wire = Next};
        {_, _, Message, Next} ->
            show("< ", Message, Play),
            case background(Message, Play) of
                {true, Noted} ->
                    Noted#play{wire = Next, background = Noted#play.background ++ [Message]};
                {false, Noted} ->
                    Noted#play{wire = Next, pending = Noted#play.pending ++ [Message]}
            end
    catch
        throw:{malformed, Why} ->
            lists:member(odd(Bytes), Play#play.odd) orelse
                differs("the other side sent a frame that cannot be decoded: ~ts~n  ~ts~n",
                        [Why, text(Bytes)]),
            Play#play{pending = Play#play.pending ++ [odd(Bytes)]}
    end.

show(_, _, #play{options = #options{verbose = false}}) -> ok;
show(_, none, _) -> ok;
show(Arrow, Message, _) -> io:format(standard_error, "~ts~ts~n", [Arrow, message_text(Message)]).

%% await waits for the message of a frame. The first message of each sender that is still waiting
%% may be it.
await(Frame, Recorded, Deadline, Play) ->
    case find(Recorded, Play) of
        {found, Next} ->
            Next#play{num_compared = Next#play.num_compared + 1};
        {wrong, Came, Where} ->
            report(Frame, Recorded, Came, Where);
        none when Play#play.closed ->
            missing(Frame, Recorded, [Play#play.why_closed, " before it came"], Play);
        none ->
            case now_ms() >= Deadline of
                true -> missing(Frame, Recorded, "it did not come in time (--timeout)", Play);
                false -> await(Frame, Recorded, Deadline, listen(Deadline, Play))
            end
    end.

find(_, #play{pending = []}) ->
    none;
find(Recorded, #play{pending = [Came | Rest], names = #names{exact = true} = Names} = Play) ->
    case same(Recorded, Came, Names) of
        {same, _} -> {found, Play#play{pending = Rest}};
        {differ, Where} -> {wrong, Came, Where}
    end;
find(Recorded, #play{pending = Pending, names = Names} = Play) ->
    case find_first(Recorded, firsts(Pending, []), Names) of
        {found, Came, Next} -> {found, Play#play{pending = lists:delete(Came, Pending),
                                                 names = Next}};
        none -> find_wrong(Recorded, Pending, Names)
    end.

find_first(_, [], _) ->
    none;
find_first(Recorded, [Came | Rest], Names) ->
    case same(Recorded, Came, Names) of
        {same, Next} -> {found, Came, Next};
        {differ, _} -> find_first(Recorded, Rest, Names)
    end.

%% The first message of each sender.

firsts([Message | Rest], Senders) ->
    Sender = sender(Message),
    case lists:member(Sender, Senders) of
        true -> firsts(Rest, Senders);
        false -> [Message | firsts(Rest, [Sender | Senders])]
    end;
firsts([], _) ->
    [].

%% When the sender is known, what it sent in place of the recorded message is wrong. Else the right
%% one may come yet.
find_wrong(Recorded, Pending, Names) ->
    Expected = live_sender(sender(Recorded), Names),
    case [M || M <- Pending, sender(M) =:= Expected] of
        [Came | _] ->
            {differ, Where} = same(Recorded, Came, Names),
            {wrong, Came, Where};
        [] -> none
    end.

%% Who sent a message; if it does not say, whom it is for.
sender(#message{control = [Op | Elements]}) ->
    {_, Roles} = op(Op),
    case {role($f, Roles, Elements), role($t, Roles, Elements)} of
        {none, To} -> {to, To};
        {From, _} -> {from, From}
    end.

live_sender({Way, Id}, #names{ids = Ids} = Names) ->
    case Ids of
        #{Id := Live} -> {Way, Live};
        #{} -> {Way, live_party(Id, Names)}
    end.

role(Letter, [Letter | _], [Element | _]) -> Element;
role(Letter, [_ | Roles], [_ | Elements]) -> role(Letter, Roles, Elements);
role(_, _, _) -> none.

listen_on(Play) ->
    pause(now_ms() + ?LINGER_MS, Play).

no_more(#play{pending = []}) ->
    ok;
no_more(#play{pending = [Message | Rest]}) ->
    differs("after the last frame of the recording the other side sent what is not in it:~n"
            "  ~ts~n~ts", [message_text(Message), more(Rest)]).

more([]) -> "";
more(Rest) -> io_lib:format("  and ~b further messages~n", [length(Rest)]).

-spec differs(string(), list()) -> no_return().
differs(Format, Values) ->
    throw({differs, io_lib:format(Format, Values)}).

-spec not_sent(#frame{}, atom()) -> no_return().
not_sent(#frame{number = Number, packet = Packet}, timeout) ->
    differs("frame ~b (packet ~b of the capture) could not be sent: the other side does not read~n",
            [Number, Packet]);
not_sent(#frame{number = Number, packet = Packet}, _) ->
    differs("the other side closed the connection before frame ~b (packet ~b of the capture) was "
            "sent~n", [Number, Packet]).

report(#frame{number = Number, packet = Packet}, Recorded, Came, {Path, Was, Is}) ->
    differs("frame ~b (packet ~b of the capture) differs~n"
            "  recorded: ~ts~n  came:     ~ts~n  at ~ts~n  recorded: ~ts~n  came:     ~ts~n",
            [Number, Packet, message_text(Recorded), message_text(Came), path_text(Path),
             whole_text(Was), whole_text(Is)]).

whole_text(Term) ->
    case id_node(Term) of
        none -> text(Term);
        _ -> [text(Term), io_lib:format(" of creation ~b", [id_creation(Term)])]
    end.

missing(#frame{number = Number, packet = Packet} = Frame, Recorded, Why,
        #play{pending = Pending, names = Names}) ->
    Op = hd(Recorded#message.control),
    Firsts = firsts(Pending, []),
    case [M || #message{control = [O | _]} = M <- Firsts, O =:= Op] ++ Firsts of
        [Nearest | _] ->
            {differ, Where} = same(Recorded, Nearest, Names),
            report(Frame, Recorded, Nearest, Where);
        [] ->
            differs("frame ~b (packet ~b of the capture) is missing: ~ts~n  recorded: ~ts~n",
                    [Number, Packet, Why, message_text(Recorded)])
    end.

%% --- what the nodes say to each other by themselves ---

%% background says whether a message is such, and notes the processes that show themselves to be
%% global's.
background(_, #play{names = #names{exact = true}} = Play) ->
    {false, Play};
background(#message{control = [Op | Elements], payload = Payload}, Play) ->
    {_, Roles} = op(Op),
    From = role($f, Roles, Elements),
    To = role($t, Roles, Elements),
    Ignored = [global_name_server, global_group | (Play#play.options)#options.ignore],
    Is = lists:member(To, Ignored) orelse lists:member(From, Ignored) orelse
        lists:member(From, Play#play.quiet_pids) orelse is_feature_talk(Payload),
    case head(Payload) of
        ['$gen_cast', init_connect | _] ->
            {Is, Play#play{quiet_pids = pids(Payload, [From | Play#play.quiet_pids])}};
        _ -> {Is, Play}
    end.

is_feature_talk({tuple, [{pid, _, _, _, _}, features_request]}) -> true;
is_feature_talk({tuple, [features_reply, _, _]}) -> true;
is_feature_talk(_) -> false.

pids({pid, _, _, _, _} = Pid, Acc) -> [Pid | Acc];
pids({tuple, Elements}, Acc) -> lists:foldl(fun pids/2, Acc, Elements);
pids(_, Acc) -> Acc.

%% The atoms that a message begins with say what it is about.
head({tuple, [Atom]}) when is_atom(Atom) -> [Atom];
head({tuple, [Atom, Next | _]}) when is_atom(Atom) -> [Atom | head(Next)];
head(_) -> [].

%% await_background waits a short time, once for each kind: other runtimes need not do the same by
%% themselves.
await_background(Recorded, Deadline, #play{background = Came} = Play) ->
    Kind = kind(Recorded),
    case [M || M <- Came, kind(M) =:= Kind] of
        [Message | _] ->
            Names = learn(Recorded, Message, Play#play.names),
            Play#play{background = lists:delete(Message, Came), names = Names,
                      num_background = Play#play.num_background + 1};
        [] ->
            GivenUp = lists:member(Kind, Play#play.missed) orelse Play#play.closed,
            case GivenUp orelse now_ms() >= Deadline of
                true -> Play#play{missed = [Kind | Play#play.missed]};
                false -> await_background(Recorded, Deadline, listen(Deadline, Play))
            end
    end.

kind(#message{control = [Op | Elements], payload = Payload}) ->
    {_, Roles} = op(Op),
    To = case role($t, Roles, Elements) of
        Name when is_atom(Name) -> Name;
        _ -> process
    end,
    {Op, To, head(Payload)}.

%% --- comparing ---

%% same compares a recorded message with one that came: {same, Names}, with what was learned on who
%% stands for whom, or {differ, {Path, Recorded, Came}}: where, and what stands there.
same(#message{control = [Op | Was], payload = Payload}, #message{control = [Op | Is],
                                                                 payload = Came}, Names) ->
    try
        Known = same_control(Op, Was, Is, Names),
        {same, same_term(Payload, Came, [payload], Known)}
    catch
        throw:{differ, Where} -> {differ, Where}
    end;
same(#message{control = Was}, #message{control = Is}, _) ->
    {differ, {[control], {tuple, Was}, {tuple, Is}}}.

same_control(Op, [Id | Was], [Other | Is], #names{exact = false} = Names)
  when Op =:= 35; Op =:= 36 -> % UNLINK_ID, UNLINK_ID_ACK
    same_elements(Was, Is, 3, [control], stand_for({unlink, Id}, {unlink, Other}, Names));
same_control(_, Was, Is, Names) when length(Was) =:= length(Is) ->
    same_elements(Was, Is, 2, [control], Names);
same_control(Op, Was, Is, _) ->
    throw({differ, {[control], {tuple, [Op | Was]}, {tuple, [Op | Is]}}}).

same_term(Same, Same, _, #names{exact = true} = Names) ->
    Names;
same_term(Was, Is, Path, #names{exact = true}) ->
    throw({differ, where(Was, Is, Path)});
same_term(Was, Is, Path, Names) when is_atom(Was) ->
    live_atom(Was, Names) =:= Is orelse throw({differ, {Path, Was, Is}}),
    Names;
same_term({tuple, Was}, {tuple, Is}, Path, Names) when length(Was) =:= length(Is) ->
    same_elements(Was, Is, 1, Path, Names);
same_term([Was | WasTail], [Is | IsTail], Path, Names) ->
    same_list([Was | WasTail], [Is | IsTail], 1, Path, Names);
same_term({map, Was}, {map, Is}, Path, Names) when length(Was) =:= length(Is) ->
    same_pairs(Was, Is, Path, Names);
same_term({record, M, N, F, Was}, {record, M, N, F, Is}, Path, Names)
  when length(Was) =:= length(Is) ->
    same_pairs(Was, Is, Path, Names);
same_term({'fun', M, I, A, _, Was}, {'fun', M, I, A, _, Is}, Path, Names)
  when length(Was) =:= length(Is) ->
    same_elements(Was, Is, 1, [environment | Path], Names);
same_term(Was, Is, Path, Names) ->
    case {id_node(Was), id_node(Is)} of
        {none, _} when Was =:= Is -> Names;
        {_, none} -> throw({differ, {Path, Was, Is}});
        {none, _} -> throw({differ, {Path, Was, Is}});
        {Node, LiveNode} -> same_id(Was, Is, Node, LiveNode, Path, Names)
    end.

same_elements([Was | WasRest], [Is | IsRest], N, Path, Names) ->
    same_elements(WasRest, IsRest, N + 1, Path, same_term(Was, Is, [{element, N} | Path], Names));
same_elements([], [], _, _, Names) ->
    Names.

same_list([Was | WasTail], [Is | IsTail], N, Path, Names) ->
    same_list(WasTail, IsTail, N + 1, Path, same_term(Was, Is, [{item, N} | Path], Names));
same_list(Was, Is, N, Path, Names) ->
    same_term(Was, Is, [{tail, N} | Path], Names).

%% Maps need not come in the same order; keys may be pids.
same_pairs([], [], _, Names) ->
    Names;
same_pairs([{Key, Value} | Rest], Pairs, Path, Names) ->
    case take_key(Key, Pairs, [], Names) of
        {Other, Left, Known} ->
            same_pairs(Rest, Left, Path, same_term(Value, Other, [{key, Key} | Path], Known));
        none ->
            throw({differ, {[{key, Key} | Path], Value, {opaque, <<"no such key">>}}})
    end.

take_key(_, [], _, _) ->
    none;
take_key(Key, [{Other, Value} | Rest], Before, Names) ->
    try same_term(Key, Other, [], Names) of
        Known -> {Value, lists:reverse(Before, Rest), Known}
    catch
        throw:{differ, _} -> take_key(Key, Rest, [{Other, Value} | Before], Names)
    end.

%% where finds the first place at which two terms differ, without allowances.
where({tuple, Was}, {tuple, Is}, Path) when length(Was) =:= length(Is) ->
    where_list(Was, Is, element, 1, Path);
where(Was, Is, Path) when is_list(Was), is_list(Is), length(Was) =:= length(Is) ->
    where_list(Was, Is, item, 1, Path);
where(Was, Is, Path) ->
    {Path, Was, Is}.

where_list([Same | WasRest], [Same | IsRest], What, N, Path) ->
    where_list(WasRest, IsRest, What, N + 1, Path);
where_list([Was | _], [Is | _], What, N, Path) ->
    where(Was, Is, [{What, N} | Path]).

%% --- identities: who stands for whom ---

%% Pids, ports and references of the own side are known; all others are learned.
same_id(Was, Is, Node, Node2, Path, #names{own = #party{name = Own}} = Names) ->
    Expected = live_party(Was, Names),
    Fits = case Names#names.ids of
        #{Was := Live} -> Live =:= Is;
        #{} ->
            element(1, Was) =:= element(1, Is) andalso
                id_node(Expected) =:= Node2 andalso not is_map_key(Is, Names#names.back) andalso
                fits_creation(Was, Is, Names)
    end,
    case atom_text(Node) of
        Own when Expected =:= Is -> Names;
        Own -> throw({differ, {Path, Was, Is}});
        _ when Fits -> stand_for(Was, Is, Names);
        _ -> throw({differ, {Path, Was, Is}})
    end.

%% What carried the creation of the recorded node must carry that of the live one.
fits_creation(Was, Is, #names{peer = #party{name = Name, creation = Recorded},
                              peer_live = #party{creation = Live}}) ->
    atom_text(id_node(Was)) =/= Name orelse id_creation(Was) =/= Recorded orelse Live =:= 0 orelse
        id_creation(Is) =:= Live.

stand_for(Was, Is, #names{ids = Ids, back = Back} = Names) ->
    Names#names{ids = Ids#{Was => Is}, back = Back#{Is => Was}}.

%% learn takes from a message of the background whom and what its identities and numbers stand for,
%% as far as its shape allows.
learn(#message{control = Was, payload = Payload}, #message{control = Is, payload = Came}, Names) ->
    learn_term(Payload, Came, learn_term({tuple, Was}, {tuple, Is}, Names)).

learn_term({tuple, Was}, {tuple, Is}, Names) when length(Was) =:= length(Is) ->
    lists:foldl(fun({W, I}, Acc) -> learn_term(W, I, Acc) end, Names, lists:zip(Was, Is));
learn_term(Was, Is, Names) when is_integer(Was), is_integer(Is), abs(Was) > 16#ffffff ->
    stand_for({number, Was}, {number, Is}, Names); % a counter or a clock
learn_term(Was, Is, Names) ->
    case id_node(Was) of
        none -> Names;
        _ ->
            try same_term(Was, Is, [], Names)
            catch throw:{differ, _} -> Names
            end
    end.

id_node({pid, Node, _, _, _}) -> Node;
id_node({port, Node, _, _}) -> Node;
id_node({ref, Node, _, _}) -> Node;
id_node(_) -> none.

id_creation({pid, _, _, _, Creation}) -> Creation;
id_creation({port, _, _, Creation}) -> Creation;
id_creation({ref, _, Creation, _}) -> Creation.

%% live_party gives an identity its live node, and if it is of the own side its live creation.
live_party({pid, Node, Id, Serial, Creation}, Names) ->
    {pid, live_atom(Node, Names), Id, Serial, live_creation(Node, Creation, Names)};
live_party({port, Node, Id, Creation}, Names) ->
    {port, live_atom(Node, Names), Id, live_creation(Node, Creation, Names)};
live_party({ref, Node, Creation, Words}, Names) ->
    {ref, live_atom(Node, Names), live_creation(Node, Creation, Names), Words};
live_party(Name, _) ->
    Name.

live_creation(Node, Creation, #names{own = #party{name = Name, creation = Creation},
                                     own_live = #party{creation = Live}}) ->
    case atom_text(Node) of
        Name -> Live;
        _ -> Creation
    end;
live_creation(_, Creation, _) ->
    Creation.

live_atom(Atom, Names) ->
    Text = atom_text(Atom),
    case live_text(Text, Names) of
        Text -> Atom;
        Live -> binary_to_atom(Live)
    end.

live_text(Name, #names{own = #party{name = Name}, own_live = #party{name = Live}}) -> Live;
live_text(Name, #names{peer = #party{name = Name}, peer_live = #party{name = Live}}) -> Live;
live_text(Text, _) -> Text.

atom_text(Atom) ->
    atom_to_binary(Atom).

%% live_id returns what a recorded identity, number or id of an unlink stands for.
live_id(Was, #names{ids = Ids} = Names) ->
    case Ids of
        #{Was := Live} -> Live;
        #{} -> live_party(Was, Names)
    end.

%% --- sending: recorded bytes, live identities ---

%% own_bytes returns the bytes of a frame of the own side. What a fragmented message says is said
%% anew at its first fragment; the further ones take their parts.
own_bytes(#part{kind = further, sequence = Sequence, head = Head}, _, _,
          #play{parts = Parts} = Play) when is_map_key(Sequence, Parts) ->
    case maps:get(Sequence, Parts) of
        [Body] -> {[Head, Body], Play#play{parts = maps:remove(Sequence, Parts)}};
        [Body | Rest] -> {[Head, Body], Play#play{parts = Parts#{Sequence := Rest}}}
    end;
own_bytes(#part{head = Head, body = Body}, none, _, Play) ->
    {[Head, Body], Play}; % no message, or one that does not end within the recording
own_bytes(Part, Message, Bodies, #play{names = Names, parts = Parts} = Play) ->
    {Is, Noted} = background(Message, Play),
    Body = iolist_to_binary(Bodies),
    Live = splice(Body, lists:keysort(1, Message#message.spots), Is, Names),
    Head = live_head(Part, Names),
    case Part of
        #part{kind = first, sequence = Sequence} ->
            [First | Rest] = cut(Live, [byte_size(B) || B <- Bodies]),
            {[Head, First], Noted#play{parts = Parts#{Sequence => Rest}}};
        #part{} ->
            {[Head, Live], Noted}
    end.

%% cut makes as many parts as there were, of their lengths as far as possible.
cut(Bytes, [_]) ->
    [Bytes];
cut(Bytes, [Len | Lens]) ->
    Take = max(1, min(Len, byte_size(Bytes) - length(Lens))),
    <<Part:Take/binary, Rest/binary>> = Bytes,
    [Part | cut(Rest, Lens)].

%% splice replaces what stands for something else now. spots: {Position, Length, What}.
splice(Body, Spots, IsBackground, Names) ->
    {Pieces, End} = lists:foldl(fun({At, Len, What}, {Acc, Done}) ->
        case live_bytes(What, IsBackground, Names) of
            same -> {Acc, Done};
            Bytes -> {[Bytes, binary:part(Body, Done, At - Done) | Acc], At + Len}
        end
    end, {[], 0}, Spots),
    iolist_to_binary(lists:reverse([binary:part(Body, End, byte_size(Body) - End) | Pieces])).

live_bytes({atom, Text}, _, Names) ->
    case live_text(Text, Names) of
        Text -> same;
        Live -> atom_bytes(Live)
    end;
live_bytes({number, _} = Number, true, #names{ids = Ids}) ->
    case Ids of
        #{Number := {number, Live}} -> plain_bytes(Live);
        #{} -> same
    end;
live_bytes({number, _}, false, _) ->
    same;
live_bytes({unlink, _} = Id, _, #names{ids = Ids}) ->
    case Ids of
        #{Id := {unlink, Live}} -> plain_bytes(Live);
        #{} -> same
    end;
live_bytes({id, Id, NodeBytes}, _, #names{exact = false} = Names) ->
    case live_id(Id, Names) of
        Id -> same;
        Live -> id_bytes(Live, live_node_bytes(NodeBytes, Names))
    end;
live_bytes({id, _, _}, _, _) ->
    same.

%% A node in the atom cache is renamed there.
live_node_bytes(<<82, _>> = Cached, _) ->
    Cached;
live_node_bytes(Inline, Names) ->
    {Atom, <<>>, _} = term(Inline, {{}, byte_size(Inline), []}),
    atom_bytes(live_text(atom_text(Atom), Names)).

id_bytes({pid, _, Id, Serial, Creation}, Node) ->
    [88, Node, <<Id:32, Serial:32, Creation:32>>];
id_bytes({port, _, Id, Creation}, Node) when Id < 1 bsl 28 ->
    [89, Node, <<Id:32, Creation:32>>];
id_bytes({port, _, Id, Creation}, Node) ->
    [120, Node, <<Id:64, Creation:32>>];
id_bytes({ref, _, Creation, Words}, Node) ->
    [90, <<(length(Words)):16>>, Node, <<Creation:32>>, [<<W:32>> || W <- Words]].

atom_bytes(Text) when byte_size(Text) < 256 -> [119, byte_size(Text), Text];
atom_bytes(Text) -> [118, <<(byte_size(Text)):16>>, Text].

plain_bytes(Term) ->
    <<?VERSION, Bytes/binary>> = term_to_binary(Term),
    Bytes.

%% live_head returns what comes before the body, with nodes renamed among the new atoms.
live_head(#part{refs = Refs, head = Head} = Part, Names) ->
    Renamed = [{Segment, Index, New, live_new(New, Names)} || {Segment, Index, New} <- Refs],
    case [1 || {_, _, New, Live} <- Renamed, New =/= Live] of
        [] -> Head;
        _ ->
            Long = Part#part.long orelse lists:any(fun({_, _, _, Live}) ->
                Live =/= old andalso byte_size(Live) > 255
            end, Renamed),
            [binary:part(Head, 0, head_len(Part)), header([{S, I, L} || {S, I, _, L} <- Renamed],
                                                          Long)]
    end.

live_new(old, _) -> old;
live_new(Text, Names) -> live_text(Text, Names).

head_len(#part{kind = first}) -> 18;
head_len(#part{}) -> 2.

%% --- frames (erl_dist_protocol, "Protocol between Connected Nodes") ---

%% take_frame returns {#part{}, Numbers, Message | none, Wire}: the message that the frame
%% completes, with the numbers of all its frames.
take_frame(Bytes, Number, Wire) ->
    {Part, Cache} = part(Bytes, Wire#wire.cache),
    Next = Wire#wire{cache = Cache},
    case Part of
        #part{kind = pass, body = Body} ->
            {Part, [Number], message(Body, {}, true), Next};
        #part{kind = plain, body = Body} ->
            {Part, [Number], message(Body, atoms(Part, Cache), false), Next};
        #part{kind = first, fragment = 1, body = Body} ->
            {Part, [Number], message(Body, atoms(Part, Cache), false), Next};
        #part{kind = first, fragment = 0} ->
            malformed("a fragment numbered 0");
        #part{kind = first, sequence = Sequence, body = Body} ->
            Begun = {[Number], atoms(Part, Cache), [Body], Part#part.fragment - 1},
            {Part, [], none, Next#wire{open = (Next#wire.open)#{Sequence => Begun}}};
        #part{kind = further, sequence = Sequence} ->
            take_further(Part, maps:find(Sequence, Next#wire.open), Number, Next)
    end.

take_further(#part{fragment = Fragment, sequence = Sequence, body = Body} = Part,
             {ok, {Numbers, Atoms, Bodies, Fragment}}, Number, Wire) ->
    All = {[Number | Numbers], Atoms, [Body | Bodies], Fragment - 1},
    case Fragment of
        1 ->
            {Back, _, BodiesBack, _} = All,
            Message = message(iolist_to_binary(lists:reverse(BodiesBack)), Atoms, false),
            {Part, lists:reverse(Back), Message,
             Wire#wire{open = maps:remove(Sequence, Wire#wire.open)}};
        _ ->
            {Part, [], none, Wire#wire{open = (Wire#wire.open)#{Sequence := All}}}
    end;
take_further(_, {ok, _}, _, _) ->
    malformed("a fragment was left out");
take_further(_, error, _, _) ->
    malformed("a fragment whose first one never came").

-spec malformed(string()) -> no_return().
malformed(Why) ->
    throw({malformed, Why}).

part(<<112, Body/binary>>, Cache) ->
    {#part{kind = pass, head = <<112>>, body = Body}, Cache};
part(<<?VERSION, 68, Rest/binary>> = Bytes, Cache) ->
    headed(#part{kind = plain}, Bytes, Rest, Cache);
part(<<?VERSION, 69, Sequence:64, Fragment:64, Rest/binary>> = Bytes, Cache) ->
    headed(#part{kind = first, sequence = Sequence, fragment = Fragment}, Bytes, Rest, Cache);
part(<<?VERSION, 70, Sequence:64, Fragment:64, Rest/binary>> = Bytes, Cache) ->
    {#part{kind = further, sequence = Sequence, fragment = Fragment,
           head = binary:part(Bytes, 0, 18), body = Rest}, Cache};
part(_, _) ->
    malformed("no frame begins like this").

%% The header: how many atoms, four bits for each (new, and the segment of its slot) and for whether
%% texts have long lengths, then for each the index in the segment and, if new, the text.
headed(Part, Bytes, <<0, Body/binary>>, Cache) ->
    {Part#part{head = head_of(Bytes, Body), body = Body}, Cache};
headed(Part, Bytes, <<Num, Rest/binary>>, Cache) when byte_size(Rest) > Num div 2 ->
    FlagsLen = Num div 2 + 1,
    <<Flags:FlagsLen/binary, Texts/binary>> = Rest,
    Nibbles = lists:append([[B band 15, B bsr 4] || <<B>> <= Flags]),
    Long = lists:nth(Num + 1, Nibbles) band 1 =:= 1,
    {Refs, Body, Next} = header_refs(lists:sublist(Nibbles, Num), Long, Texts, [], Cache),
    {Part#part{head = head_of(Bytes, Body), refs = Refs, long = Long, body = Body}, Next};
headed(_, _, _, _) ->
    malformed("the frame ends within its header").

head_of(Bytes, Body) ->
    binary:part(Bytes, 0, byte_size(Bytes) - byte_size(Body)).

header_refs([], _, Body, Refs, Cache) ->
    {lists:reverse(Refs), Body, Cache};
header_refs([Nibble | Rest], Long, <<Index, Texts/binary>>, Refs, Cache) when Nibble < 8 ->
    header_refs(Rest, Long, Texts, [{Nibble, Index, old} | Refs], Cache);
header_refs([Nibble | Rest], true, <<Index, Len:16, Text:Len/binary, Texts/binary>>, Refs, Cache) ->
    header_new(Nibble - 8, Index, Text, Rest, true, Texts, Refs, Cache);
header_refs([Nibble | Rest], false, <<Index, Len, Text:Len/binary, Texts/binary>>, Refs, Cache) ->
    header_new(Nibble - 8, Index, Text, Rest, false, Texts, Refs, Cache);
header_refs(_, _, _, _, _) ->
    malformed("the frame ends within its header").

header_new(Segment, Index, Text, Rest, Long, Texts, Refs, Cache) ->
    header_refs(Rest, Long, Texts, [{Segment, Index, Text} | Refs],
                Cache#{{Segment, Index} => to_atom(Text)}).

%% atoms returns the atoms that the frame refers to, as a tuple.
atoms(#part{refs = Refs}, Cache) ->
    list_to_tuple([case Cache of
                       #{{Segment, Index} := Atom} -> Atom;
                       #{} -> malformed("an atom of the cache that was never sent")
                   end || {Segment, Index, _} <- Refs]).

%% header is the opposite of header_refs.
header(Refs, Long) ->
    Nibbles = [Segment bor case New of old -> 0; _ -> 8 end || {Segment, _, New} <- Refs]
        ++ [case Long of true -> 1; false -> 0 end],
    [length(Refs), nibbles(Nibbles), [header_ref(Ref, Long) || Ref <- Refs]].

nibbles([Low, High | Rest]) -> [High bsl 4 bor Low | nibbles(Rest)];
nibbles([Low]) -> [Low];
nibbles([]) -> [].

header_ref({_, Index, old}, _) -> [Index];
header_ref({_, Index, Text}, true) -> [Index, <<(byte_size(Text)):16>>, Text];
header_ref({_, Index, Text}, false) -> [Index, byte_size(Text), Text].

%% message decodes a control tuple and what follows it. IsPass: each has a version byte.
message(Body, Atoms, IsPass) ->
    End = byte_size(Body),
    {Control, Rest, Begun} = term(version(Body, IsPass), {Atoms, End, []}),
    {Payload, Left, {_, _, Spots}} = case Rest of
        <<>> -> {none, <<>>, Begun};
        _ -> term(version(Rest, IsPass), Begun)
    end,
    Left =:= <<>> orelse malformed("bytes after the message"),
    case Control of
        {tuple, [Op | _] = Elements} when is_integer(Op) ->
            #message{control = Elements, payload = Payload, spots = unlink_spots(Elements, Spots)};
        _ -> malformed("no control tuple")
    end.

version(<<?VERSION, Rest/binary>>, true) -> Rest;
version(_, true) -> malformed("no version byte");
version(Bytes, false) -> Bytes.

%% In {UNLINK_ID_ACK, Id, From, To} the number repeats that of the other side.
unlink_spots([36, Id | _], Spots) ->
    [case Spot of
         {At, Len, {number, Id}} -> {At, Len, {unlink, Id}};
         _ -> Spot
     end || Spot <- Spots];
unlink_spots(_, Spots) ->
    Spots.

%% --- terms (erl_ext_dist) ---

%% term(Bytes, {Atoms, End, Spots}) -> {Term, Rest, {Atoms, End, Spots}}. Atoms, numbers, floats,
%% binaries and lists become what they are; all else a tuple that says what it is: {tuple, List},
%% {map, Pairs}, {pid, ...}. A spot is where something stands that may have to be replaced.
term(<<82, N, R/binary>>, {Atoms, _, _} = X) when N < tuple_size(Atoms) ->
    {element(N + 1, Atoms), R, X};
term(<<82, _/binary>>, _) -> malformed("an atom that is not in the header");
term(<<97, I, R/binary>> = B, X) -> number(I, R, B, X);
term(<<98, I:32/signed, R/binary>> = B, X) -> number(I, R, B, X);
term(<<110, N, Sign, I:N/little-unit:8, R/binary>> = B, X) -> number(signed(Sign, I), R, B, X);
term(<<111, N:32, Sign, I:N/little-unit:8, R/binary>>, X) -> {signed(Sign, I), R, X};
term(<<70, F/float, R/binary>>, X) -> {F, R, X};
term(<<70, Bits:8/binary, R/binary>>, X) -> {{opaque, Bits}, R, X};
term(<<99, Text:31/binary, R/binary>>, X) -> {{opaque, Text}, R, X};
term(<<119, N, T:N/binary, R/binary>> = B, X) -> {to_atom(T), R, spot({atom, T}, B, R, X)};
term(<<118, N:16, T:N/binary, R/binary>> = B, X) -> {to_atom(T), R, spot({atom, T}, B, R, X)};
term(<<115, N, T:N/binary, R/binary>> = B, X) -> latin1_atom(T, R, B, X);
term(<<100, N:16, T:N/binary, R/binary>> = B, X) -> latin1_atom(T, R, B, X);
term(<<109, N:32, Bytes:N/binary, R/binary>>, X) -> {Bytes, R, X};
term(<<77, N:32, Bits, Bytes:N/binary, R/binary>>, X) -> {{bits, Bytes, Bits}, R, X};
term(<<106, R/binary>>, X) -> {[], R, X};
term(<<107, N:16, Bytes:N/binary, R/binary>>, X) -> {binary_to_list(Bytes), R, X};
term(<<108, N:32, R/binary>>, X) when N =< byte_size(R) ->
    {Items, R1, X1} = terms(N, R, X),
    {Tail, R2, X2} = term(R1, X1),
    {Items ++ Tail, R2, X2};
term(<<104, N, R/binary>>, X) -> tuple(N, R, X);
term(<<105, N:32, R/binary>>, X) when N =< byte_size(R) -> tuple(N, R, X);
term(<<116, N:32, R/binary>>, X) when N =< byte_size(R) ->
    {Items, R1, X1} = terms(2 * N, R, X),
    {{map, pairs(Items)}, R1, X1};
term(<<88, R/binary>> = B, X) -> pid(node_of(R, X), 32, B, X);
term(<<103, R/binary>> = B, X) -> pid(node_of(R, X), 8, B, X);
term(<<89, R/binary>> = B, X) -> port(node_of(R, X), 32, 32, B, X);
term(<<102, R/binary>> = B, X) -> port(node_of(R, X), 32, 8, B, X);
term(<<120, R/binary>> = B, X) -> port(node_of(R, X), 64, 32, B, X);
term(<<90, N:16, R/binary>> = B, X) -> ref(node_of(R, X), N, 32, B, X);
term(<<114, N:16, R/binary>> = B, X) -> ref(node_of(R, X), N, 8, B, X);
term(<<113, R/binary>>, X) ->
    {[M, F, A], R1, X1} = terms(3, R, X),
    {{export, M, F, A}, R1, X1};
term(<<112, _Size:32, Arity, Uniq:16/binary, Index:32, NumFree:32, R/binary>>, X)
  when NumFree =< byte_size(R) ->
    {[M, _OldIndex, _OldUniq, _Pid | Free], R1, X1} = terms(NumFree + 4, R, X),
    {{'fun', M, Index, Arity, Uniq, Free}, R1, X1};
term(<<67, N:32, Flags, R/binary>>, X) when N =< byte_size(R) -> % a native record of OTP 29
    {[M, Name | Rest], R1, X1} = terms(2 * N + 2, R, X),
    {Keys, Values} = lists:split(N, Rest),
    {{record, M, Name, Flags, lists:zip(Keys, Values)}, R1, X1};
term(<<121, R/binary>>, X) -> {{opaque, R}, <<>>, X}; % of another node's own making
term(<<80, R/binary>>, X) -> {{opaque, R}, <<>>, X};
term(<<Tag, _/binary>>, _) ->
    malformed(io_lib:format("a term of tag ~b that ends early, or is none", [Tag]));
term(<<>>, _) -> malformed("the message ends within a term").

terms(N, Rest, X) ->
    terms(N, Rest, X, []).

terms(0, Rest, X, Acc) ->
    {lists:reverse(Acc), Rest, X};
terms(N, Bytes, X, Acc) ->
    {Term, Rest, Next} = term(Bytes, X),
    terms(N - 1, Rest, Next, [Term | Acc]).

tuple(N, Bytes, X) ->
    {Elements, Rest, Next} = terms(N, Bytes, X),
    {{tuple, Elements}, Rest, Next}.

pairs([Key, Value | Rest]) -> [{Key, Value} | pairs(Rest)];
pairs([]) -> [].

signed(0, I) -> I;
signed(_, I) -> -I.

number(I, Rest, Bytes, X) ->
    {I, Rest, spot({number, I}, Bytes, Rest, X)}.

latin1_atom(Text, Rest, Bytes, X) ->
    Utf8 = unicode:characters_to_binary(Text, latin1),
    {to_atom(Utf8), Rest, spot({atom, Utf8}, Bytes, Rest, X)}.

to_atom(Text) ->
    try binary_to_atom(Text)
    catch error:_ -> malformed("an atom that is none")
    end.

spot(What, Bytes, Rest, {Atoms, End, Spots}) ->
    Spot = {End - byte_size(Bytes), byte_size(Bytes) - byte_size(Rest), What},
    {Atoms, End, [Spot | Spots]}.

%% node_of reads the node of an identity: {Atom, its bytes, Rest}.
node_of(Bytes, {Atoms, End, _}) ->
    case term(Bytes, {Atoms, End, []}) of
        {Node, Rest, _} when is_atom(Node) ->
            {Node, binary:part(Bytes, 0, byte_size(Bytes) - byte_size(Rest)), Rest};
        _ -> malformed("a node that is no atom")
    end.

pid({Node, NodeBytes, Rest}, Bits, Bytes, X) ->
    case Rest of
        <<Id:32, Serial:32, Creation:Bits, R/binary>> ->
            id({pid, Node, Id, Serial, Creation}, NodeBytes, R, Bytes, X);
        _ -> malformed("the message ends within a pid")
    end.

port({Node, NodeBytes, Rest}, IdBits, Bits, Bytes, X) ->
    case Rest of
        <<Id:IdBits, Creation:Bits, R/binary>> ->
            id({port, Node, Id, Creation}, NodeBytes, R, Bytes, X);
        _ -> malformed("the message ends within a port")
    end.

ref({Node, NodeBytes, Rest}, N, Bits, Bytes, X) ->
    case Rest of
        <<Creation:Bits, Words:N/binary-unit:32, R/binary>> ->
            id({ref, Node, Creation, [W || <<W:32>> <= Words]}, NodeBytes, R, Bytes, X);
        _ -> malformed("the message ends within a reference")
    end.

id(Id, NodeBytes, Rest, Bytes, X) ->
    {Id, Rest, spot({id, Id, NodeBytes}, Bytes, Rest, X)}.

%% --- text ---

%% The control messages: code => {name, role of each further element}. f: from, t: to.
op(Code) ->
    Ops = #{1 => {"link", "ft"}, 2 => {"send", "_t"}, 3 => {"exit", "ft_"},
            4 => {"unlink", "ft"}, 5 => {"node_link", ""}, 6 => {"reg_send", "f_t"},
            7 => {"group_leader", "_t"}, 8 => {"exit2", "ft_"}, 12 => {"send_tt", "_t_"},
            13 => {"exit_tt", "ft__"}, 16 => {"reg_send_tt", "f_t_"}, 18 => {"exit2_tt", "ft__"},
            19 => {"monitor_p", "ft_"}, 20 => {"demonitor_p", "ft_"},
            21 => {"monitor_p_exit", "ft__"}, 22 => {"send_sender", "ft"},
            23 => {"send_sender_tt", "ft_"}, 24 => {"payload_exit", "ft"},
            25 => {"payload_exit_tt", "ft_"}, 26 => {"payload_exit2", "ft"},
            27 => {"payload_exit2_tt", "ft_"}, 28 => {"payload_monitor_p_exit", "ft_"},
            29 => {"spawn_request", "_f___"}, 30 => {"spawn_request_tt", "_f____"},
            31 => {"spawn_reply", "t___"}, 32 => {"spawn_reply_tt", "t____"},
            33 => {"alias_send", "ft"}, 34 => {"alias_send_tt", "ft_"},
            35 => {"unlink_id", "_ft"}, 36 => {"unlink_id_ack", "_ft"},
            37 => {"altact_sig_send", "_ft_"}},
    case Ops of
        #{Code := Op} -> Op;
        #{} when is_integer(Code) -> {"op_" ++ integer_to_list(Code), ""};
        #{} -> {"frame", ""} % that could not be decoded
    end.

message_text(#message{control = [Op | _] = Control, payload = Payload}) ->
    {Name, _} = op(Op),
    [Name, $\s, text({tuple, Control}), case Payload of
                                            none -> "";
                                            _ -> [" payload ", text(Payload)]
                                        end].

path_text(Path) ->
    lists:join(", ", [place(P) || P <- lists:reverse(Path)]).

place({element, N}) -> io_lib:format("element ~b", [N]);
place({item, N}) -> io_lib:format("item ~b", [N]);
place({tail, N}) -> io_lib:format("the list after ~b items", [N - 1]);
place({key, Key}) -> ["the value of ", text(Key)];
place(Word) -> atom_to_list(Word).

%% text writes a term as distsniff does.
text({tuple, Elements}) -> [${, commas(Elements), $}];
text({map, Pairs}) ->
    ["#{", lists:join(",", [[text(K), " => ", text(V)] || {K, V} <- Pairs]), $}];
text({record, Module, Name, _, Pairs}) ->
    [$#, text(Module), $:, text(Name), ${,
     lists:join(",", [[text(K), " = ", text(V)] || {K, V} <- Pairs]), $}];
text({pid, Node, Id, Serial, _}) -> io_lib:format("<~ts.~b.~b>", [shown(Node), Id, Serial]);
text({port, Node, Id, _}) -> io_lib:format("#Port<~ts.~b>", [shown(Node), Id]);
text({ref, Node, _, Words}) ->
    Numbers = [integer_to_list(W) || W <- lists:reverse(Words)],
    io_lib:format("#Ref<~ts.~ts>", [shown(Node), lists:join(".", Numbers)]);
text({export, M, F, A}) -> io_lib:format("fun ~ts:~ts/~ts", [text(M), text(F), text(A)]);
text({'fun', M, Index, Arity, _, Free}) ->
    io_lib:format("#Fun<~ts.~b/~b with ~ts>", [text(M), Index, Arity, text(Free)]);
text({bits, Bytes, Bits}) -> [text(Bytes), io_lib:format(" (~b bits of the last byte)", [Bits])];
text({opaque, Bytes}) -> text(Bytes);
text(Bytes) when is_binary(Bytes), byte_size(Bytes) > 200 ->
    [text(binary:part(Bytes, 0, 100)),
     io_lib:format(" ... ~b more bytes", [byte_size(Bytes) - 100])];
text([_ | _] = List) ->
    case io_lib:printable_unicode_list(List) of
        true -> io_lib:format("~tp", [List]);
        false -> [$[, items(List), $]]
    end;
text(Plain) -> io_lib:format("~0tp", [Plain]).

commas(Terms) ->
    lists:join(",", [text(T) || T <- Terms]).

items([Last]) -> text(Last);
items([Item | [_ | _] = Rest]) -> [text(Item), $, | items(Rest)];
items([Item | Tail]) -> [text(Item), $|, text(Tail)].

printable(Bytes) ->
    io_lib:format("~0tp", [Bytes]).

