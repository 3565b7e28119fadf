#!/bin/sh
# Compiles the supervisor to the file named as the first argument. It is linked statically, so that
# it needs nothing of the machine it lands on, and ignores loader variables whatever happens.
set -eu
sources=$(dirname "$0")
out=$1
compiler=${CC:-cc}
if ! command -v "$compiler" >/dev/null 2>&1; then
  echo "No C compiler: install gcc and the C library's headers (Debian: gcc libc6-dev; Fedora: gcc glibc-static)." >&2
  exit 1
fi
mkdir -p "$(dirname "$out")"
compile() {
  "$compiler" -std=c11 -O2 -g0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
    -D_GNU_SOURCE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 "$@" \
    -Wl,-z,noexecstack -s -o "$out" "$sources"/*.c
}
# A static C library is a package of its own on some systems; without it the system's own is used.
compile -static 2>/dev/null || compile
