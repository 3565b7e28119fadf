#!/bin/sh
# Compiles the supervisor to the file named as the first argument. It is linked statically, so that
# it needs nothing of the machine it lands on, and ignores loader variables whatever happens. And the
# probe of `qualify` to the second; its source goes along, because what loads a library cannot be static.
set -eu
sources=$(dirname "$0")
supervisor=$1
probe=$2
compiler=${CC:-cc}
if ! command -v "$compiler" >/dev/null 2>&1; then
  echo "No C compiler: install gcc and the C library's headers (Debian: gcc libc6-dev; Fedora: gcc glibc-static)." >&2
  exit 1
fi
mkdir -p "$(dirname "$supervisor")" "$(dirname "$probe")"
compile() {
  "$compiler" "$@" -std=c11 -O2 -g0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
    -D_GNU_SOURCE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
    -Wl,-z,noexecstack -s
}
# A static C library is a package of its own on some systems; without it the system's own is used.
compile -static "$sources"/*.c -o "$supervisor" 2>/dev/null || compile "$sources"/*.c -o "$supervisor"
compile "$sources"/probe/probe.c -ldl -o "$probe"
cp "$sources"/probe/probe.c "$(dirname "$probe")"
