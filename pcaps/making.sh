# making.sh: the common part of make-*.sh, by `. ./making.sh MODULE.erl ...`: a network namespace of
# their own (that needs root), the modules compiled, epmd, and
#
#   node NAME ARGUMENT ...   a node of the Erlang/OTP installed here, with these arguments of erl
#   capture                  packets are captured from here on
#   keep FILE                no more: the capture is FILE, compressed if it ends in .gz
cd "$(dirname "$(realpath "$0")")"
if [ -z "${MAKE_INSIDE:-}" ]; then
    MAKE_INSIDE=1 exec unshare --net "./$(basename "$0")"
fi
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work
ip link set lo up
[ $# -eq 0 ] || erlc -o "$work" "$@"
epmd &

node() {
    timeout 60 erl -noinput +fnu -pa "$work" -setcookie secret -name "$1@127.0.0.1" "${@:2}"
}

capture() {
    tcpdump -i lo -Z root -B 65536 -U -w "$work/pcap" tcp 2>"$work/said" &
    tcpdump=$!
    sleep 1
}

keep() {
    sleep 1
    kill -INT $tcpdump
    wait $tcpdump || true
    grep '^0 packets dropped' "$work/said"
    case $1 in
    *.gz) gzip -9nc "$work/pcap" >"$1" ;;
    *) mv "$work/pcap" "$1" ;;
    esac
}
