%% The output of distsniff as maps: one per JSON line. Fields that contain terms are decoded with
%% etf, so that they can be compared.
-module(records).
-export([run/2, exec/2, read/1, atom_keys/1, messages/1, signal/1, key/1, fail/2, main/2]).

%% run(Program, Args): the records, and the standard error. The program must end well.
run(Program, Args) ->
    case exec(Program, ["-T", "json", "--etf" | Args]) of
        {0, Out, Err} -> {read(Out), Err};
        {Status, _, Err} -> fail("~s ~p: status ~b~n~s", [Program, Args, Status, Err])
    end.

%% exec(Program, Args): the exit status, standard output and standard error.
exec(Program, Args) ->
    Err = string:trim(os:cmd("mktemp")),
    Quoted = [["'", string:replace(A, "'", "'\\''", all), "' "] || A <- Args],
    Command = unicode:characters_to_list([Program, " ", Quoted, " 2>", Err]),
    Port = open_port({spawn_executable, "/bin/sh"},
                     [{args, ["-c", Command]}, binary, exit_status, use_stdio]),
    {Status, Out} = collect(Port, []),
    {ok, Said} = file:read_file(Err),
    ok = file:delete(Err),
    {Status, Out, Said}.

collect(Port, Acc) ->
    receive
        {Port, {data, Data}} -> collect(Port, [Data | Acc]);
        {Port, {exit_status, Status}} -> {Status, iolist_to_binary(lists:reverse(Acc))}
    end.

%% read(Bin): the records of some JSON lines.
read(Bin) ->
    [json_line:decode(Line) || Line <- binary:split(Bin, <<"\n">>, [global]), Line =/= <<>>].

%% messages(Records): the control messages among them.
messages(Records) ->
    [R || #{<<"type">> := <<"message">>} = R <- Records].

%% signal(Message): op, the elements of the control tuple by their roles, and the payload.
signal(#{<<"op">> := Op, <<"ctl">> := Ctl} = Message) ->
    {tuple, [Code | Elements]} = etf:decode(base64:decode(Ctl)),
    Name = binary_to_atom(Op),
    {Code, Roles} = maps:get(Name, ops()),
    Named = maps:from_list(zip(Roles, Elements)),
    maps:remove(none, maps:merge(Named#{op => Name}, payload(Message))).

payload(#{<<"msg">> := Msg}) -> #{term => etf:decode(base64:decode(Msg))};
payload(#{}) -> #{}.

%% The last roles may be missing: the token of altact_sig_send.
zip([Role | Roles], [Element | Elements]) -> [{Role, Element} | zip(Roles, Elements)];
zip([token], []) -> [];
zip([], []) -> [].

ops() ->
    #{link => {1, [from, to]}, send => {2, [none, to]}, exit => {3, [from, to, term]},
      unlink => {4, [from, to]}, reg_send => {6, [from, none, to]},
      group_leader => {7, [from, to]}, exit2 => {8, [from, to, term]},
      send_tt => {12, [none, to, token]}, exit_tt => {13, [from, to, token, term]},
      reg_send_tt => {16, [from, none, to, token]}, exit2_tt => {18, [from, to, token, term]},
      monitor_p => {19, [from, to, ref]}, demonitor_p => {20, [from, to, ref]},
      monitor_p_exit => {21, [from, to, ref, term]},
      send_sender => {22, [from, to]}, send_sender_tt => {23, [from, to, token]},
      payload_exit => {24, [from, to]}, payload_exit_tt => {25, [from, to, token]},
      payload_exit2 => {26, [from, to]}, payload_exit2_tt => {27, [from, to, token]},
      payload_monitor_p_exit => {28, [from, to, ref]},
      spawn_request => {29, [req, from, group_leader, mfa, opts]},
      spawn_request_tt => {30, [req, from, group_leader, mfa, opts, token]},
      spawn_reply => {31, [req, to, flags, result]},
      spawn_reply_tt => {32, [req, to, flags, result, token]},
      alias_send => {33, [from, to]}, alias_send_tt => {34, [from, to, token]},
      unlink_id => {35, [id, from, to]}, unlink_id_ack => {36, [id, from, to]},
      altact_sig_send => {37, [flags, from, to, token]}}.

%% atom_keys(Map): a decoded map whose keys are atoms, with these as keys.
atom_keys(Map) ->
    maps:fold(fun({atom, Key}, Value, Acc) -> Acc#{binary_to_atom(Key) => Value} end, #{}, Map).

%% key(Record): the direction that it belongs to, by the names of the nodes.
key(#{<<"src">> := #{<<"node">> := Src}, <<"dst">> := #{<<"node">> := Dst}}) -> {Src, Dst};
key(#{<<"conn">> := Conn, <<"src">> := #{<<"port">> := Port}}) -> {conn, Conn, Port}.

fail(Format, Args) ->
    throw({failed, lists:flatten(io_lib:format(Format, Args))}).

%% main(Module, Fun): runs a check as a program of its own: exit 0, or the reason and exit 1.
main(Name, Check) ->
    ok = io:setopts([{encoding, unicode}]),
    try Check() of
        _ -> erlang:halt(0)
    catch
        throw:{failed, Reason} ->
            io:format("~s: ~ts~n", [Name, Reason]),
            erlang:halt(1);
        Class:Reason:Stack ->
            io:format("~s: ~p:~tp~n~tp~n", [Name, Class, Reason, Stack]),
            erlang:halt(1)
    end.
