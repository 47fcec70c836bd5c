#!/usr/bin/env bash
# make-otp25.sh: makes otp25.pcap anew, from two nodes of the Erlang/OTP installed here. Needs
# root, for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/chatter.erl

capture
node bob -run chatter answer "$work/bob" &
node alice -run chatter small "$work/alice" bob@127.0.0.1
sleep 1
keep otp25.pcap
