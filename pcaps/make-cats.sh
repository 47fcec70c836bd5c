#!/usr/bin/env bash
# make-cats.sh: makes cats.pcap anew, from two nodes of the Erlang/OTP installed here. Needs root,
# for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/cat_traveler.erl

capture
node bob -run cat_traveler serve &
node alice -run cat_traveler travel bob@127.0.0.1
keep cats.pcap
