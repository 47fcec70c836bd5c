%% forged_json PROGRAM DIR: nobody who can open a connection puts a key of his own, a second record
%% or a hidden character into JSON. Names of nodes, names and answers of EPMD, statuses, atoms and
%% strings hold each byte value, and what would end a JSON string; every line of -T json and all of
%% -T perfetto parses, without and with --redact, and has no key that distsniff does not write. What
%% people read, text, diagrams, the page and all reports, has no character that does not show.
-module(forged_json).
-export([main/1, captures/1]).

main([Program, Dir]) ->
    ok = filelib:ensure_path(Dir),
    records:main("forged_json", fun() -> check(Program, Dir) end).

%% captures(Dir): the messages of such peers, in files of that folder.
captures(Dir) ->
    File = fun(Name) -> filename:join(Dir, Name) end,
    ok = pcap_maker:write_said(File("dist.pcap"), 9100, lists:append([dist(N) || N <- names()])),
    ok = pcap_maker:write_said(File("epmd.pcap"), 4369, lists:append([epmd(N) || N <- names()])).

check(Program, Dir) ->
    File = fun(Name) -> filename:join(Dir, Name) end,
    captures(Dir),
    ok = file:write_file(File("cookie"), <<"a\"b\\">>),
    [output(Program, ["-r", File(Capture), "--dist-port", "9100", "--cookie-file",
                     File("cookie") | Options])
     || Capture <- ["dist.pcap", "epmd.pcap"],
        Options <- [["-v"], ["--etf"], ["--redact", "nodes"], ["--redact", "all"],
                    ["--json-syntax", "elixir", "--json-binaries", "base64"]]],
    [read(Program, ["-r", File(Capture), "--dist-port", "9100", "--cookie-file", File("cookie") | How])
     || Capture <- ["dist.pcap", "epmd.pcap"],
        How <- [["-T", "text", "-v"], ["-T", "text", "--syntax", "elixir"], ["-T", "mermaid"],
                ["-T", "plantuml", "--lanes", "process"], ["-T", "html"], reports()]].

reports() ->
    lists:append([["--report", R] || R <- ["calls", "trees", "monitors", "traffic", "latency", "open", "deaths",
                                           "top", "audit", "links", "doctor", "seq_trace"]]).

%% names(): every byte value, and characters that do not show, change the writing direction, or
%% combine with what follows.
names() ->
    [<<"a", C/binary, "\",\"forged\":{\"forged\":1}}\n{\"forged\":\"\\", C/binary>>
     || C <- [<<B>> || B <- lists:seq(0, 255)] ++
             [<<C/utf8>> || C <- lists:seq(16#80, 16#9f) ++ hidden() ++ joining()]].

hidden() ->
    [16#ad, 16#61c, 16#200b, 16#200f, 16#2028, 16#2029, 16#202e, 16#2066, 16#fe0f, 16#feff, 16#1bca0,
     16#e0001, 16#e007f].

%% joining(): by Unicode's rules, the next character is a part of these, even a quote or a
%% backslash.
joining() -> [16#600, 16#d4e, 16#110bd, 16#11f02].

%% dist(Name): connections that are closed at each step of the handshake, and one that gets as far
%% as messages.
dist(Name) ->
    Host = <<Name/binary, "@h">>,
    Flags = 16#d07df7fbd,
    Sized = fun(Bytes) -> <<(byte_size(Bytes)):16, Bytes/binary>> end,
    New = fun(Challenge) ->
        Sized(<<$N, Flags:64, Challenge/binary, 77:32, (Sized(Host))/binary>>)
    end,
    Steps = [{0, New(<<>>)}, {1, Sized(<<"sok">>)}, {1, New(<<1:32>>)},
             {0, Sized(<<$r, 2:32, 0:128>>)}, {1, Sized(<<$a, 0:128>>)}],
    Few = fun(Num) -> lists:sublist(Steps, Num) end,
    [Few(1), [{0, Sized(<<$n, 5:16, 0:32, Host/binary>>)}],
     Few(1) ++ [{1, Sized(<<"snot_allowed">>)}], Few(1) ++ [{1, Sized(<<"s", Name/binary>>)}],
     Few(3), Few(4), Steps ++ [{0, frame(Name, P)} || P <- terms(Name)]].

frame(Name, Payload) ->
    To = <<119, (byte_size(Name)), Name/binary>>,
    Control = <<131, 104, 4, 97, 6, (tail(pcap_maker:pid(0, 9)))/binary, 119, 0, To/binary>>,
    pcap_maker:frame(Control, Payload).

terms(Name) ->
    Atom = <<119, (byte_size(Name)), Name/binary>>,
    Call = term_to_binary({'$gen_call', {self(), make_ref()}, Name}),
    [<<131, Atom/binary>>, <<131, 100, (byte_size(Name)):16, Name/binary>>,
     term_to_binary(Name), term_to_binary(binary_to_list(Name)),
     <<131, 88, Atom/binary, 1:32, 0:32, 1:32>>, Call].

tail(<<131, Rest/binary>>) -> Rest.

epmd(Name) ->
    Sized = fun(Bytes) -> <<(byte_size(Bytes)):16, Bytes/binary>> end,
    Node = <<9100:16, 77, 0, 6:16, 5:16, (Sized(Name))/binary, (Sized(Name))/binary>>,
    [[{0, Sized(<<120, Node/binary>>)}, {1, <<118, 0, 1:32>>}],
     [{0, Sized(<<122, Name/binary>>)}, {1, <<119, 0, Node/binary>>}],
     [{0, Sized(<<110>>)}, {1, <<4369:32, "name ", Name/binary, " at port 9100\n">>}],
     [{0, Sized(<<100>>)},
      {1, <<4369:32, "active name     <", Name/binary, "> at port 9100, fd = 7\n">>}],
     [{0, Sized(<<107>>)}, {1, Name}],
     [{0, Sized(<<115, Name/binary>>)}, {1, <<"STOPPED">>}]].

output(Program, Options) ->
    {0, Json, _} = records:exec(Program, ["-T", "json" | Options]),
    Lines = binary:split(Json, <<"\n">>, [global, trim]),
    [holds(Options, json_line:decode(Line)) || Line <- Lines],
    length(Lines) > 1000 orelse records:fail("~p: ~b records", [Options, length(Lines)]),
    {0, Trace, _} = records:exec(Program, ["-T", "perfetto" | Options -- json_alone()]),
    [holds(Options, Event) || Event <- json_line:decode(Trace)],
    [shows(Options, Bytes) || Bytes <- [Trace | Lines]].

json_alone() -> ["--etf", "--json-syntax", "elixir", "--json-binaries", "base64"].

%% Findings are exit status 3.
read(Program, Options) ->
    {Status, Text, _} = records:exec(Program, Options),
    Status =:= 0 orelse Status =:= 3 orelse records:fail("~p: status ~b", [Options, Status]),
    shows(Options, Text).

holds(Options, Value) ->
    not has_forged(Value) orelse records:fail("~p: ~0tp", [Options, Value]).

shows(Options, Bytes) ->
    Shown = unicode:characters_to_list(Bytes),
    [] =:= [C || C <- Shown, C =/= $\n, C < 32 orelse C >= 127 andalso C < 160 orelse
                             lists:member(C, hidden())] orelse
        records:fail("~p: hidden characters in ~0tp", [Options, Bytes]).

has_forged(#{<<"forged">> := _}) -> true;
has_forged(#{} = Map) -> lists:any(fun has_forged/1, maps:values(Map));
has_forged(List) when is_list(List) -> lists:any(fun has_forged/1, List);
has_forged(_) -> false.
