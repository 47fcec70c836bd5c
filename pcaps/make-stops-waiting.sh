#!/usr/bin/env bash
# make-stops-waiting.sh: makes stops-waiting.pcap.gz anew, from two nodes of the Erlang/OTP installed here.
# Needs root, for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/stops_waiting.erl

capture
node bob -kernel logger_level critical -run stops_waiting serve "$work/bob.ready" &
until [ -e "$work/bob.ready" ]; do
    sleep 0.1
done
node alice -kernel logger_level critical -run stops_waiting call bob@127.0.0.1
keep stops-waiting.pcap.gz
