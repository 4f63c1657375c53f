#!/usr/bin/env bash
# This file is part of cafwire. See the file LICENSE for license terms.

# run.sh SERVER CLIENT...: starts a server, which prints the ports it listens at, and lets the first
# client connect to the first port, the second one to the second, and so on. Fails if one of them does.

set -euo pipefail

coproc server { exec "$1"; }
server_id=$server_PID
exec {to_server}>&"${server[1]}"
shift

read -r -t 30 -u "${server[0]}" -a ports
(($# == ${#ports[@]})) || { echo "$# clients for ${#ports[@]} ports" >&2; exit 1; }
for port in "${ports[@]}"; do
  "$1" "--port=$port"
  shift
done
echo >&"$to_server"
wait "$server_id"
