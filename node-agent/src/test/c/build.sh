#!/bin/sh
# Compiles the fake GPU libraries and programs of the tests into the directory named as the first argument.
set -eu
sources=$(dirname "$0")
out=$1
compiler=${CC:-cc}
mkdir -p "$out"
compile() {
  "$compiler" -std=c11 -O1 -g0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
    -D_GNU_SOURCE "$@"
}
# As drivers before and since 615 are: without and with limits of memory by cgroup.
compile -shared -fPIC -fvisibility=hidden -o "$out/libnvidia-ml-580.so.1" \
  "$sources"/nvml/fake*.c "$sources"/state.c
compile -shared -fPIC -fvisibility=hidden -DWITH_MEMORY_LIMITS \
  -o "$out/libnvidia-ml-615.so.1" "$sources"/nvml/fake*.c "$sources"/state.c
compile -shared -fPIC -fvisibility=hidden -o "$out/librocm_smi64.so" \
  "$sources"/rocm/fake.c "$sources"/state.c
# As before ROCm 6: without modes.
compile -shared -fPIC -fvisibility=hidden -DWITHOUT_MODES -Wno-unused-function \
  -o "$out/librocm_smi64-5.so" "$sources"/rocm/fake.c "$sources"/state.c
# Which calls its own ROCm SMI, whichever else is loaded.
compile -shared -fPIC -fvisibility=hidden -Wl,-Bsymbolic -o "$out/libamd_smi.so" \
  "$sources"/rocm/amdsmi.c "$sources"/rocm/fake.c "$sources"/state.c
compile -o "$out/nvidia-cuda-mps-control" "$sources"/mps/daemon.c \
  "$sources"/mps/v3.c "$sources"/state.c
compile -o "$out/fake-cuda" "$sources"/mps/client.c
compile -o "$out/nvml-layout" "$sources"/nvml/layout.c
compile -shared -fPIC -fvisibility=hidden -o "$out/libcuda.so.1" \
  "$sources"/cuda/fake.c "$sources"/state.c
compile -o "$out/cuda-checkpoint" "$sources"/cuda/checkpoint.c "$sources"/state.c
compile -o "$out/try-calls" "$sources"/calls/try.c
