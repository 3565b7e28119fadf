// A fake of AMD SMI, with the calls that the agent uses, in front of the same machine as ROCm SMI. It delegates to the
// fake of ROCm SMI. Facts that the kernel's files show of a GPU do not come from this library, either. Each partition
// has the address of its GPU, with its number as the PCI function.
#include "../state.h"

#include <stddef.h>
#include <stdint.h>

typedef int status;
typedef void *handle;
enum { OK = 0, INVALID_ARGS = 1, NOT_SUPPORTED = 2, BUSY = 30, INSUFFICIENT_SIZE = 41, UNKNOWN = 0x7fffffff };
enum { MAX_DEVICES = 128, INIT_GPUS = 2, RSMI_INSUFFICIENT_SIZE = 11 };

status rsmi_init(uint64_t flags);
status rsmi_num_monitor_devices(uint32_t *count);
status rsmi_dev_pci_id_get(uint32_t device, uint64_t *id);
status rsmi_dev_memory_total_get(uint32_t device, int type, uint64_t *bytes);
status rsmi_dev_compute_partition_get(uint32_t device, char *mode, uint32_t size);

// Handles are of devices; sockets are their first ones.
static char devices[MAX_DEVICES];

static uint32_t device_of(handle processor) { return (uint32_t)((char *)processor - devices); }

static status own(status answer) {
  switch (answer) {
    case OK: case INVALID_ARGS: case NOT_SUPPORTED: return answer;
    case RSMI_INSUFFICIENT_SIZE: return INSUFFICIENT_SIZE;
    default: return UNKNOWN;
  }
}

static uint64_t address(uint32_t device) {
  uint64_t id = 0;
  rsmi_dev_pci_id_get(device, &id);
  return (id >> 32) << 16 | (id & 0xfff8);
}

API status amdsmi_init(uint64_t flags) {
  status answer = begin(__func__);
  if (answer != OK) return answer;
  return flags == INIT_GPUS ? own(rsmi_init(0)) : INVALID_ARGS;
}

API status amdsmi_shut_down(void) { return begin(__func__); }

API status amdsmi_status_code_to_string(status code, const char **text) {
  *text = code == BUSY ? "AMDSMI_STATUS_BUSY" : code == 10 ? "AMDSMI_STATUS_NO_PERM" : "AMDSMI_STATUS_UNKNOWN_ERROR";
  return OK;
}

// The devices from `from` on that share its address, or only the first device of each address.
static status list(uint32_t from, bool first_ones, uint32_t *count, handle *handles) {
  uint32_t room = *count, all = 0, found = 0;
  rsmi_num_monitor_devices(&all);
  for (uint32_t i = from; i < all; i++) {
    bool follows = i > 0 && address(i) == address(i - 1);
    if (first_ones ? follows : i > from && !follows) {
      if (first_ones) continue;
      break;
    }
    if (handles && found < room) handles[found] = &devices[i];
    found++;
  }
  *count = found;
  return handles && found > room ? INSUFFICIENT_SIZE : OK;
}

API status amdsmi_get_socket_handles(uint32_t *count, handle *sockets) {
  status answer = begin(__func__);
  return answer != OK ? answer : list(0, true, count, sockets);
}

API status amdsmi_get_processor_handles(handle socket, uint32_t *count, handle *processors) {
  status answer = begin(__func__);
  return answer != OK ? answer : list(device_of(socket), false, count, processors);
}

API status amdsmi_get_gpu_device_bdf(handle processor, uint64_t *bdf) {
  uint64_t id = 0;
  status answer = begin(__func__);
  if (answer == OK) answer = own(rsmi_dev_pci_id_get(device_of(processor), &id));
  *bdf = address(device_of(processor)) | (id >> 28 & 7);
  return answer;
}

API status amdsmi_get_gpu_memory_total(handle processor, int type, uint64_t *bytes) {
  status answer = begin(__func__);
  return answer != OK ? answer : own(rsmi_dev_memory_total_get(device_of(processor), type, bytes));
}

API status amdsmi_get_gpu_compute_partition(handle processor, char *mode, uint32_t size) {
  status answer = begin(__func__);
  return answer != OK ? answer : own(rsmi_dev_compute_partition_get(device_of(processor), mode, size));
}
