#!/usr/bin/env bash
# make-gen-rpc.sh EBIN: makes gen-rpc.pcap.gz here. EBIN has the modules of gen_rpc (github.com/emqx/gen_rpc 3.5), which
# are compiled with a trace.hrl whose macros do nothing. Two nodes on hosts of their own call and cast to each other; a third
# one has another cookie, and falls back to sending it. Needs root.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
ebin=$(realpath "$1")
. "$here/../scripts/shapes/hosts.sh"
dir=$(mktemp -d)
hosts_make 35 ann ben cid
trap 'hosts_done_quietly; rm -rf "$dir"' EXIT

node() { # HOST COOKIE CODE
    mkdir -p "$dir/$1"
    on "$1" env HOME="$dir/$1" timeout 60 erl -noshell -sname "g@$1" -setcookie "$2" -pa "$ebin" -kernel logger_level emergency \
        -gen_rpc insecure_auth_fallback_allowed true -eval "{ok, _} = application:ensure_all_started(gen_rpc), $3"
}
hosts_capture "$dir/all.pcap" 'tcp'
node ben secret_of_ann 'register(counter, spawn(fun F() -> receive _ -> F() end end)), timer:sleep(9000), halt().' &
sleep 2
node ann secret_of_ann '
    N = '"'g@ben'"',
    3 = gen_rpc:call(N, lists, sum, [[1, 2]]),
    {badrpc, _} = gen_rpc:call(N, erlang, error, [oops]),
    {badrpc, _} = gen_rpc:call(N, timer, sleep, [2000], 300),
    [true = gen_rpc:cast(N, lists, seq, [1, I]) || I <- lists:seq(1, 5)],
    true = gen_rpc:ordered_cast({N, 1}, erlang, send, [counter, hello]),
    abcast = gen_rpc:abcast([N], counter, {hello, world}),
    {[N], []} = gen_rpc:sbcast([N], counter, {hello, again}),
    Key = gen_rpc:async_call(N, lists, reverse, [[a, b, c]]),
    [c, b, a] = gen_rpc:yield(Key),
    100000 = byte_size(gen_rpc:call(N, binary, copy, [<<"x">>, 100000])),
    timer:sleep(500), halt().'
node cid another_secret 'R = gen_rpc:call('"'g@ben'"', erlang, node, []), io:format("~p~n", [R]), timer:sleep(500), halt().' || true
sleep 1
hosts_done
gzip -9nc "$dir/all.pcap" >"$here/gen-rpc.pcap.gz"
