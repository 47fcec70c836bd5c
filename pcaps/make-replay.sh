#!/usr/bin/env bash
# make-replay.sh: makes replay.pcap.gz, replay-cnode.pcap.gz and replay-erl_call.pcap.gz anew, from
# nodes of the Erlang/OTP installed here, the C node of build-test, and erl_call. Needs root, for a network namespace.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")"

if [ -z "${MAKE_INSIDE:-}" ]; then
    MAKE_INSIDE=1 exec unshare --net "./$(basename "$0")"
fi
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work
ip link set lo up
erlc -o "$work" ../tests/live/replayed.erl ../tests/live/chatter.erl
epmd &
node() { # NAME MODULE ARGUMENT ...
    erl -noinput +fnu -pa "$work" -setcookie secret -name "$1@127.0.0.1" -run "${@:2}"
}
capture() {
    tcpdump -i lo -Z root -B 65536 -U -w "$work/pcap" tcp 2>"$work/said" &
    tcpdump=$!
    sleep 1
}
keep() { # NAME
    sleep 1
    kill -INT $tcpdump
    wait $tcpdump || true
    grep '^0 packets dropped' "$work/said"
    gzip -9 -n <"$work/pcap" >"$1"
}
capture
node bob replayed serve &
sleep 1
node alice replayed ask bob@127.0.0.1
keep replay.pcap.gz

capture
node host chatter host "$work/one" &
sleep 1
../build-test/tests/cnode host@127.0.0.1 secret "$work/two"
keep replay-cnode.pcap.gz

capture
node bob replayed serve &
sleep 1
erl_call -c secret -name bob@127.0.0.1 -a 'lists reverse [[1,2,3]]'
keep replay-erl_call.pcap.gz
erl_call -c secret -name bob@127.0.0.1 -q
