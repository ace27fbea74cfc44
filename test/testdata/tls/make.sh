#!/usr/bin/env bash
# Makes the certificates of the TLS tests, valid for a hundred years:
# an authority, a server, clients by URI, by DNS name and by common name alone, and a stranger.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }
authority() {
  openssl req -x509 -new -key "$2" -subj "/CN=$1" -days 36500 -out "$3" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}
issue() { # name, common name, subject alternative names, use
  key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$2" -out "$work/$1.csr"
  printf 'basicConstraints=CA:FALSE\nextendedKeyUsage=%s\n%s\n' "$4" "${3:+subjectAltName=$3}" >"$work/ext"
  openssl x509 -req -in "$work/$1.csr" -CA ca.pem -CAkey "$work/ca.key" -CAcreateserial -CAserial "$work/serial" \
    -days 36500 -extfile "$work/ext" -out "$1.pem" 2>/dev/null
}
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$work/ca.key" 2>/dev/null
authority "test authority" "$work/ca.key" ca.pem
issue server localhost DNS:localhost,IP:127.0.0.1 serverAuth
issue client-uri "with a URI" URI:spiffe://test/shipper,DNS:shipper.test clientAuth
issue client-dns "with a DNS name" DNS:shipper.test clientAuth
issue client-name shipper-7 "" clientAuth
key stranger
authority stranger stranger.key stranger.pem
