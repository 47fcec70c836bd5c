#!/usr/bin/env bash
# make-ended-callers.sh: makes ended-callers.pcap anew, from two nodes of the Erlang/OTP installed
# here. Needs root, for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/ended_callers.erl

capture
node bob -run ended_callers serve &
sleep 2
node alice -run ended_callers call bob@127.0.0.1 || true
keep ended-callers.pcap
