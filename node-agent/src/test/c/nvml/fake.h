// A machine with GPUs that do not exist, kept as a directory tree, so that it outlives every process
// that uses it, several processes see the same, and a test can read and change it with any editor:
//
//   0/ 1/ …             one directory for each GPU
//     name uuid         text
//     memory            "<total> <reserved>" in bytes
//     mig               "0" or "1"; absent: this GPU cannot
//     lost              present: fallen off the bus
//     gi/<id>/info      "<profile id> <start> <size>" of a GPU instance
//     gi/<id>/ci        "<profile id> <uuid>" of its compute instance
//     processes         "<pid> <bytes> compute|graphics|mps <gi or -1>", one a line
//     limits/<path>     "<soft> <hard>" for a cgroup; its '/' are written '%'
//   not-loaded          present: the driver is not loaded
//   faults/<function>   "<status> <times>": what its next calls answer; "slow <ms>": each takes that;
//                       "hang": each takes until that is taken back
//   calls               what was changed, one call a line
//
// It lies in gpus/ beside the library, or where FAKE_GPU_STATE says when the library is loaded.
#pragma once

#include "abi.h"

#include <stdbool.h>
#include <stddef.h>

#define API __attribute__((visibility("default")))
#define MAX_GPUS 16
#define TEXT 4096

// Kinds of handle: a GPU, a GPU instance, a compute instance, a MIG device.
enum kind { GPU, GI, CI, MIG };

struct handle {
  enum kind kind;
  int gpu, gi;
};

// A handle for good; the same arguments give the same one.
handle handle_of(enum kind kind, int gpu, int gi);

// The state is this process's alone between the two.
void state_lock(void);
void state_unlock(void);

// Reads a file of the state; false: there is none.
bool state_read(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void state_write(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool state_exists(const char *format, ...) __attribute__((format(printf, 1, 2)));
void state_remove(const char *format, ...) __attribute__((format(printf, 1, 2)));
void state_make(const char *format, ...) __attribute__((format(printf, 1, 2)));
void state_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// What a call has to answer before it does anything; OK: go on. Slow calls are slow in here, and
// hold nobody else up.
status begin(const char *function);
// The same for a call about a GPU or a part of it.
status begin_on(const char *function, handle about, enum kind kind);
