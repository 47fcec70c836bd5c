# hosts.sh - hosts on a network of their own for scripts/shapes/*: a network namespace each and a bridge,
# on which tcpdump sees every packet between them once. Sourced by the scripts beside it.
#
#   hosts_make NUMBER NAME ...   makes 10.66.NUMBER.1 and on; their names are in /etc/hosts of each
#   on NAME COMMAND ...          runs a command on a host; where hosts_root is set, in that system
#   on_outside NAME COMMAND ...  the same, always in the system of the machine
#   in_root COMMAND ...          runs a command in hosts_root, on no host
#   hosts_kill_beam NAME         kills the Erlang nodes of a host
#   hosts_capture FILE [FILTER]  begins a capture; hosts_done ends it, and all that runs on the hosts

hosts_make() {
    hosts_number=$1 hosts_names=("${@:2}") hosts_prefix=sh$1
    hosts_done_quietly
    local i=0 name
    ip netns add "${hosts_prefix}sw"
    ip -n "${hosts_prefix}sw" link add br0 type bridge
    ip -n "${hosts_prefix}sw" link set br0 up
    for name in "${hosts_names[@]}"; do
        i=$((i + 1))
        ip netns add "$hosts_prefix$name"
        ip -n "$hosts_prefix$name" link set lo up
        ip -n "$hosts_prefix$name" link add eth0 type veth peer name "p$i" netns "${hosts_prefix}sw"
        ip -n "${hosts_prefix}sw" link set "p$i" master br0 up
        ip -n "$hosts_prefix$name" addr add "10.66.$1.$i/24" dev eth0
        ip -n "$hosts_prefix$name" link set eth0 up
        ip netns exec "$hosts_prefix$name" ethtool -K eth0 tso off gso off gro off >/dev/null 2>&1 || true
    done
    for name in "${hosts_names[@]}"; do
        mkdir -p "/etc/netns/$hosts_prefix$name"
        hosts_table >"/etc/netns/$hosts_prefix$name/hosts"
    done
}

hosts_table() {
    local i=0 name
    echo "127.0.0.1 localhost"
    for name in "${hosts_names[@]}"; do
        i=$((i + 1))
        echo "10.66.$hosts_number.$i $name"
    done
}

# A host has its own name and mounts, also in hosts_root: a mount ends with the last process of the
# host.
hosts_run='hostname "$1" && root=$2 && shift 2 || exit 1
if [ -n "$root" ]; then
    mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" || exit 1
    touch "$root/etc/hosts" && mount --bind /etc/hosts "$root/etc/hosts" || exit 1
    exec chroot "$root" "$@"
fi
exec "$@"'
on() {
    ip netns exec "$hosts_prefix$1" unshare --uts sh -c "$hosts_run" sh "$1" "${hosts_root:-}" env HOSTNAME="$1" "${@:2}"
}
on_outside() { hosts_root='' on "$@"; }
in_root() { if [ -n "${hosts_root:-}" ]; then chroot "$hosts_root" "$@"; else "$@"; fi; }
hosts_kill_beam() {
    # shellcheck disable=SC2046
    kill -9 $(for p in $(ip netns pids "$hosts_prefix$1"); do grep -lE '^(beam|erl_child)' "/proc/$p/comm" 2>/dev/null | cut -d/ -f3; done)
}

hosts_capture() {
    ip netns exec "${hosts_prefix}sw" tcpdump -i br0 -U -B 65536 -s 0 -w "$1" \
        "${2:-tcp and not tcp port 5672 and not tcp port 15672}" 2>"$1.log" &
    hosts_tcpdump=$!
    until grep -q 'listening on' "$1.log"; do sleep 0.05; done
}

hosts_done_quietly() {
    local name
    for name in "${hosts_names[@]}" sw; do
        [ -e "/run/netns/$hosts_prefix$name" ] || continue
        # shellcheck disable=SC2046
        ip netns pids "$hosts_prefix$name" | xargs -r kill -9 2>/dev/null || true
        ip netns del "$hosts_prefix$name"
        rm -rf "/etc/netns/$hosts_prefix$name"
    done
}

hosts_done() {
    sleep 1
    kill "$hosts_tcpdump" && wait "$hosts_tcpdump" || true
    hosts_done_quietly
}

# hosts_cut A B / hosts_join A B: a partition between two hosts. hosts_slow A MS: delays what A
# sends.
hosts_address() { local i; for i in "${!hosts_names[@]}"; do [ "${hosts_names[i]}" != "$1" ] || echo "10.66.$hosts_number.$((i + 1))"; done; }
hosts_cut() { on "$1" ip route add blackhole "$(hosts_address "$2")/32"; on "$2" ip route add blackhole "$(hosts_address "$1")/32"; }
hosts_join() { on "$1" ip route del blackhole "$(hosts_address "$2")/32"; on "$2" ip route del blackhole "$(hosts_address "$1")/32"; }
hosts_slow() { on "$1" tc qdisc replace dev eth0 root netem delay "$2"ms; }
