#!/usr/bin/env bash
# make-tls-renewed.sh ROOT: makes tls12-renewed-25.pcap anew, from nodes of the Erlang/OTP installed
# here, and tls-renewed-29.pcap from those of ROOT (scripts/otp-roots), with their .keys. Twice two
# nodes connect over TLS, the second time with the session of the first one, and renew their keys
# while they call each other.
set -euo pipefail
export ERL_CRASH_DUMP_BYTES=0
root=${1:-${ROOT:-}}
export ROOT=$root
. "$(dirname "$0")/making.sh"
on=$PWD/../tests/support/on

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/ca.key" -out "$work/ca.pem" -days 3650 \
    -subj /CN=ca 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/request" -subj /CN=lab 2>/dev/null
echo 'subjectAltName = IP:127.0.0.1, DNS:127.0.0.1' >"$work/extensions"
openssl x509 -req -extfile "$work/extensions" -in "$work/request" -CA "$work/ca.pem" -CAkey "$work/ca.key" -days 3650 \
    -out "$work/cert.pem" 2>/dev/null

# make NAME ROOT SERVER_OPTIONS CLIENT_OPTIONS
make() {
    local name=$1 conf=$work/$1.conf
    echo "[{server, [{certfile, \"$work/cert.pem\"}, {keyfile, \"$work/key.pem\"}, $3]},
           {client, [{verify, verify_peer}, {cacertfile, \"$work/ca.pem\"}, $4]}]." >"$conf"
    tls() { timeout 60 "$on" "$2" erl -noinput +fnu -proto_dist inet_tls -ssl_dist_optfile "$conf" \
        -setcookie secret -name "$1@127.0.0.1" "${@:3}"; }
    capture
    tls bob "$2" -eval 'timer:sleep(14000), halt().' &
    sleep 4
    tls alice "$2" -eval '
        Bob = list_to_atom("bob@127.0.0.1"),
        Ask = fun() ->
            [file:write_file("'"$work/$name.keys"'", [[L, $\n] || L <- Lines], [append])
             || erlang:system_info(otp_release) < "27",
                {_, C, _, _} <- supervisor:which_children(tls_dist_connection_sup),
                {receiver, P, _, _} <- supervisor:which_children(C),
                {ok, [{keylog, Lines}]} <- [ssl:connection_information({sslsocket, nil, [P, P]}, [keylog])]]
        end,
        Call = fun(N) -> [N = erpc:call(Bob, erlang, byte_size, [binary:copy(<<"x">>, N)]) || _ <- lists:seq(1, 30)] end,
        [begin pong = net_adm:ping(Bob), Ask(), Call(100), Ask(), erlang:disconnect_node(Bob), timer:sleep(1500) end
         || _ <- [1, 2]],
        halt().'
    wait %% 2>/dev/null || true
    keep "$name.pcap"
    sort -u "$work/$name.keys" >"$name.keys"
}

if [ -z "$root" ]; then
    make tls12-renewed-25 "" "{keep_secrets, true}" \
        "{keep_secrets, true}, {renegotiate_at, 20}, {reuse_sessions, save}"
else
    keylog="{keep_secrets, {keylog, fun(#{items := Lines}) -> file:write_file(\"$work/tls-renewed-29.keys\", [[L, \$\\n] || L <- Lines], [append]) end}}"
    make tls-renewed-29 "$root" "$keylog, {key_update_at, 2000}" \
        "$keylog, {key_update_at, 2000}"
fi
