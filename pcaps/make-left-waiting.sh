#!/usr/bin/env bash
# make-left-waiting.sh: makes left-waiting.pcap.gz and its truth anew, from three nodes of the Erlang/OTP
# installed here. Needs root, for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/left_waiting.erl

capture
for name in bob carol; do
    node "$name" -kernel logger_level critical -run left_waiting serve "$work/$name.ready" &
done
until [ -e "$work/bob.ready" ] && [ -e "$work/carol.ready" ]; do
    sleep 0.1
done
node alice -kernel logger_level critical -run left_waiting run "$work/truth" bob@127.0.0.1 carol@127.0.0.1
cp "$work/truth" left-waiting.truth.etf.gz
keep left-waiting.pcap.gz
