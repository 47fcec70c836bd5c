#!/usr/bin/env bash
# make-otp25.sh: makes otp25.pcap anew, from two nodes of the Erlang/OTP installed here. Needs
# root, for a network namespace.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")"

if [ -z "${MAKE_INSIDE:-}" ]; then
    MAKE_INSIDE=1 exec unshare --net "./$(basename "$0")"
fi
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work
ip link set lo up
erlc -o "$work" ../tests/live/chatter.erl
epmd &
tcpdump -i lo -Z root -B 65536 -U -w "$work/pcap" tcp 2>"$work/said" &
tcpdump=$!
sleep 1
node() {
    erl -noinput +fnu -pa "$work" -setcookie secret -name "$1@127.0.0.1" -run chatter "${@:2}"
}
node bob answer "$work/bob" &
node alice small "$work/alice" bob@127.0.0.1
sleep 2
kill -INT $tcpdump
wait $tcpdump || true
grep '^0 packets dropped' "$work/said"
mv "$work/pcap" otp25.pcap
