#!/usr/bin/env bash
# make-registries.sh SYN_EBIN CETS_EBIN: makes registries.pcap.gz here, with the compiled modules of syn 3
# (github.com/ostinelli/syn) and CETS (github.com/esl/cets). Two nodes on hosts of their own register names, join
# groups, and share a table. Needs root.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
syn=$(realpath "$1") cets=$(realpath "$2")
. "$here/../scripts/shapes/hosts.sh"
dir=$(mktemp -d)
hosts_make 36 ann ben
trap 'hosts_done_quietly; rm -rf "$dir"' EXIT

node() { # HOST CODE
    mkdir -p "$dir/$1"
    on "$1" env HOME="$dir/$1" timeout 60 erl -noshell -sname "g@$1" -setcookie registries -pa "$syn" -pa "$cets" \
        -kernel logger_level emergency -eval "{ok, _} = application:ensure_all_started(syn), $2"
}
hosts_capture "$dir/all.pcap" 'tcp'
node ben 'syn:add_node_to_scopes([users]), {ok, _} = cets:start(sessions, #{}), timer:sleep(7000), halt().' &
sleep 2
node ann '
    syn:add_node_to_scopes([users]), {ok, Here} = cets:start(sessions, #{}),
    pong = net_adm:ping('"'g@ben'"'), timer:sleep(500),
    P = spawn(fun() -> receive stop -> ok end end),
    ok = syn:register(users, alice, P), ok = syn:join(users, room, P),
    There = rpc:call('"'g@ben'"', erlang, whereis, [sessions]),
    ok = cets_join:join(the_lock, #{}, Here, There),
    ok = cets:insert(sessions, {alice, 1}), ok = cets:delete(sessions, alice),
    ok = syn:leave(users, room, P), ok = syn:unregister(users, alice),
    timer:sleep(500), halt().'
sleep 1
hosts_done
gzip -9nc "$dir/all.pcap" >"$here/registries.pcap.gz"
