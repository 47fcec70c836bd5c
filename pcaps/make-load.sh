#!/usr/bin/env bash
# make-load.sh: makes load-before.pcap.gz, load-again.pcap.gz and load-after.pcap.gz anew, from two nodes of the
# Erlang/OTP installed here. Needs root, for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/steady_load.erl

# load NAME SLOW SIZE CRASHES
load() {
    capture
    rm -f "$work/bob.ready"
    node bob -kernel logger_level critical -run steady_load serve "$work/bob.ready" "${@:2}" &
    bob=$!
    until [ -e "$work/bob.ready" ]; do
        sleep 0.1
    done
    node alice -kernel logger_level critical -run steady_load call bob@127.0.0.1 12 8
    wait $bob || true
    keep "load-$1.pcap.gz"
}
load before 20 100 0
load again 20 100 0
load after 60 400 6
