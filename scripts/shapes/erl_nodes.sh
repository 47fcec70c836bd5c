# erl_nodes.sh - plain Erlang nodes on the hosts of hosts.sh, for scripts/shapes/*. Sourced by the scripts
# beside it, which set file (the capture's), cookie, node (the part before @) and inside (a folder of
# theirs as hosts_root has it, state: as the machine has it).
#
#   nodes_start HOST [ARGUMENT ...]   starts one and waits until it answers
#   at HOST EXPRESSIONS               runs these there, asked from the same host
#   nodes_modules FILE.erl ...        compiles them for the nodes

cat >"$state/ask.escript" <<'ESCRIPT'
#!/usr/bin/env escript
main([Cookie, Node, Text]) ->
    {ok, T, _} = erl_scan:string(Text), {ok, E} = erl_parse:parse_exprs(T),
    {ok, _} = net_kernel:start([list_to_atom("ask" ++ os:getpid()), shortnames]),
    erlang:set_cookie(list_to_atom(Cookie)),
    case rpc:call(list_to_atom(Node), erl_eval, exprs, [E, []], 90000) of {value, V, _} -> io:format("~p~n", [V]); X -> io:format("~p~n", [X]), halt(1) end.
ESCRIPT
nodes_modules() {
    { [ $# = 0 ] || cp "$@" "$state"; } && in_root sh -c "cd $inside && erlc +nowarn_deprecated_catch *.erl"
}
nodes_start() {
    local i host=$1
    on "$host" env -i HOME="$inside" PATH=/usr/bin:/bin LANG=C.UTF-8 ERL_CRASH_DUMP=/dev/null erl -noinput -sname "$node@$host" -setcookie "$cookie" \
        -pa "$inside" -kernel net_ticktime 16 "${@:2}" </dev/null >>"$state/$host.out" 2>&1 &
    for i in $(seq 40); do at "$host" 'ok.' && return; sleep 0.3; done
}
at() {
    on "$1" env -i HOME="$inside" PATH=/usr/bin:/bin timeout 100 escript "$inside/ask.escript" "$cookie" "$node@$1" "$2" >>"$file.tools" 2>&1
}
