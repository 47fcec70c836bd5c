#!/usr/bin/env bash
# make-own-protocol.sh: makes own-protocol.pcap anew, from two nodes of the Erlang/OTP installed
# here. Needs root, for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/labels/own_protocol.erl

capture
node bob -run own_protocol serve &
sleep 1
node alice -run own_protocol talk bob@127.0.0.1
keep own-protocol.pcap
