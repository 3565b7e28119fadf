// A simulated machine with NVIDIA GPUs, kept as ../state.h says:
//
//     0/ 1/ …             one directory for each GPU
//       name uuid         text
//       memory            "<total> <reserved>" in bytes
//       mig               "0" or "1"; absent: this GPU cannot
//       mig-pending       the mode after the next reset; absent: unchanged
//       activation        the answer to a change of the mode, beside the call's own status; absent: 19 if
//                         the GPU is used, 16 if it is older than Hopper, else 0
//       virtualization    as NVML numbers it; absent: 0, none
//       lacks             id of a size of instances that it does not have
//       capability        major number of its compute capability; absent: 9
//       lost              present: fallen off the bus
//       gi/<id>/info      "<profile id> <start> <size>" of a GPU instance
//       gi/<id>/ci        "<profile id> <uuid>" of its compute instance
//       processes         "<pid> <bytes> compute|graphics|mps <gi or -1>", one a line
//       keeps-instances   present: it says that it removes GPU instances, and does not
//       remains           bytes of memory in use that belong to no process; absent: 0
//       cuda/<pid>        the use of a living program, as ../cuda/fake.c says
//       readings          "<name> <number>", one a line, as fake_health.c names them; a reading without a
//                         line is not supported by the GPU
//       limits/<path>     "<soft> <hard>" for a cgroup; its '/' are written '%'
//     events              "<gpu> <type> <data>", one a line: the next reports of GPUs
//     not-loaded          present: the driver is not loaded
#pragma once

#include "../state.h"
#include "abi.h"

#include <stddef.h>

#define MAX_GPUS 16

// Kinds of handle: a GPU, a GPU instance, a compute instance, a MIG device.
enum kind { GPU, GI, CI, MIG };

struct handle {
  enum kind kind;
  int gpu, gi;
};

// A handle for good; the same arguments give the same one.
handle handle_of(enum kind kind, int gpu, int gi);

// As begin(), for a call about a GPU or a part of it.
status begin_on(const char *function, handle about, enum kind kind);
