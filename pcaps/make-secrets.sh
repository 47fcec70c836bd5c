#!/usr/bin/env bash
# make-secrets.sh: makes secrets.pcap.gz and secrets.list anew, from nodes of the Erlang/OTP installed
# here (tests/live/bullionroom.erl). Needs root, for a network namespace.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")"

if [ -z "${MAKE_INSIDE:-}" ]; then
    MAKE_INSIDE=1 exec unshare --net "./$(basename "$0")"
fi
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work ERL_INETRC=$work/inetrc ERL_CRASH_DUMP_BYTES=0
host=goldvault.intern.example
echo "{host, {127,77,66,55}, [\"$host\"]}. {lookup, [file]}." >"$work/inetrc"
ip link set lo up
erlc -o "$work" ../tests/live/bullionroom.erl
epmd &
tcpdump -i lo -Z root -B 65536 -U -w "$work/pcap" tcp 2>"$work/said" &
tcpdump=$!
sleep 1
node() { # NAME COOKIE ARGUMENT ...
    timeout 60 erl -noinput +fnu -pa "$work" -name "$1@$host" -setcookie "$2" \
        -kernel logger_level critical -run bullionroom main "${@:3}"
}
node bookkeeper cookie_of_the_vault serve &
server=$!
sleep 1
node pickpocket cookie_of_a_thief break_in "bookkeeper@$host"
node treasurer cookie_of_the_vault pay "bookkeeper@$host" "$work/list"
wait $server || true
sleep 1
kill -INT $tcpdump
wait $tcpdump || true
grep '^0 packets dropped' "$work/said"
gzip -9nc "$work/pcap" >secrets.pcap.gz
mv "$work/list" secrets.list
