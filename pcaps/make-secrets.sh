#!/usr/bin/env bash
# make-secrets.sh: makes secrets.pcap.gz and secrets.list anew, from nodes of the Erlang/OTP installed
# here (tests/live/bullionroom.erl). Needs root, for a network namespace.
set -euo pipefail
. "$(dirname "$0")/making.sh" ../tests/live/bullionroom.erl

export ERL_INETRC=$work/inetrc ERL_CRASH_DUMP_BYTES=0
host=goldvault.intern.example
echo "{host, {127,77,66,55}, [\"$host\"]}. {lookup, [file]}." >"$work/inetrc"
member() { # NAME COOKIE ARGUMENT ...
    timeout 60 erl -noinput +fnu -pa "$work" -name "$1@$host" -setcookie "$2" \
        -kernel logger_level critical -run bullionroom main "${@:3}"
}

capture
member bookkeeper cookie_of_the_vault serve &
server=$!
sleep 1
member pickpocket cookie_of_a_thief break_in "bookkeeper@$host"
member treasurer cookie_of_the_vault pay "bookkeeper@$host" "$work/list"
wait $server || true
keep secrets.pcap.gz
mv "$work/list" secrets.list
