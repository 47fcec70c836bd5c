#!/usr/bin/env bash
# make-replay.sh: makes replay.pcap.gz, replay-cnode.pcap.gz and replay-erl_call.pcap.gz anew, from
# nodes of the Erlang/OTP installed here, the C node of build-test, and erl_call. Needs root, for a
# network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/replayed.erl ../tests/live/chatter.erl

capture
node bob -run replayed serve &
sleep 1
node alice -run replayed ask bob@127.0.0.1
keep replay.pcap.gz

capture
node host -run chatter host "$work/one" &
sleep 1
../build-test/tests/cnode host@127.0.0.1 secret "$work/two"
keep replay-cnode.pcap.gz

capture
node bob -run replayed serve &
sleep 1
erl_call -c secret -name bob@127.0.0.1 -a 'lists reverse [[1,2,3]]'
keep replay-erl_call.pcap.gz
erl_call -c secret -name bob@127.0.0.1 -q
