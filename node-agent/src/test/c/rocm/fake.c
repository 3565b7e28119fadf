// A fake of ROCm SMI, with the calls that the agent uses, on a machine kept as ../state.h says, in the form of the
// kernel's own /sys:
//
//     module/amdgpu/                    the driver is loaded
//     bus/pci/devices/<address>/
//       name                            as its maker calls the GPU
//       unique_id                       16 hexadecimal digits
//       mem_info_vram_total             bytes
//       available_compute_partition     "SPX, DPX, QPX, CPX"; absent: it has no modes
//       current_compute_partition       the mode; writing the file changes it
//       partition_ids                   present: partitions have unique ids of their own
//       lost                            present: fallen off the bus
//     class/kfd/kfd/topology/nodes/<n>/ gpu_id and properties, written anew when the library is opened
//     class/kfd/kfd/proc/<pid>/vram_<gpu_id>  bytes, written by tests
#include "../state.h"

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int status;
enum { OK = 0, INVALID_ARGS = 1, NOT_SUPPORTED = 2, INSUFFICIENT_SIZE = 11, UNKNOWN = -1 };
enum { MAX_GPUS = 16, MAX_DEVICES = 128, ADDRESS = 16, MODES = 4 };

typedef struct {
  uint32_t major, minor, patch;
  const char *build;
} rsmi_version_t;
_Static_assert(sizeof(rsmi_version_t) == 24, "rsmi_version_t");
_Static_assert(offsetof(rsmi_version_t, build) == 16, "rsmi_version_t.build");

static const struct {
  const char *name;
  int partitions;
} modes[MODES] = {{"SPX", 1}, {"DPX", 2}, {"QPX", 4}, {"CPX", 8}};

// The devices that the library found when it was opened: one for each partition of each GPU.
static struct {
  char address[ADDRESS];
  uint64_t location;
  int partition;
} devices[MAX_DEVICES];
static uint32_t device_count;

#define DEVICE "bus/pci/devices/%s"

static int by_name(const void *one, const void *other) { return strcmp(one, other); }

static int addresses(char found[MAX_GPUS][ADDRESS]) {
  char path[TEXT];
  snprintf(path, sizeof path, "%s/bus/pci/devices", state_root());
  DIR *directory = opendir(path);
  int count = 0;
  for (struct dirent *entry; directory && count < MAX_GPUS && (entry = readdir(directory));) {
    if (entry->d_name[0] != '.') snprintf(found[count++], ADDRESS, "%.15s", entry->d_name);
  }
  if (directory) closedir(directory);
  qsort(found, (size_t)count, ADDRESS, by_name);
  return count;
}

static int partitions(const char *address) {
  char text[TEXT];
  if (state_read(text, DEVICE "/current_compute_partition", address)) {
    for (int i = 0; i < MODES; i++) {
      if (strcmp(text, modes[i].name) == 0) return modes[i].partitions;
    }
  }
  return 1;
}

static uint64_t location(const char *address, int partition) {
  unsigned domain, bus, device, function;
  sscanf(address, "%x:%x:%x.%x", &domain, &bus, &device, &function);
  return (uint64_t)domain << 32 | (uint64_t)partition << 28 | bus << 8 | device << 3 | function;
}

static void look(void) {
  char found[MAX_GPUS][ADDRESS];
  int count = addresses(found);
  device_count = 0;
  for (int i = 0; i < count; i++) {
    for (int p = 0; p < partitions(found[i]) && device_count < MAX_DEVICES; p++) {
      memcpy(devices[device_count].address, found[i], ADDRESS);
      devices[device_count].location = location(found[i], p);
      devices[device_count++].partition = p;
    }
  }
}

// Ids of nodes are of a GPU and its partition, and stay while its mode does.
static unsigned node_id(const char *address, int partition) {
  return (unsigned)(location(address, partition) >> 8 & 0xff) * 1000 +
         (unsigned)partitions(address) * 10 + (unsigned)partition;
}

static void write_topology(void) {
  char found[MAX_GPUS][ADDRESS], text[TEXT];
  int count = addresses(found), node = 0;
  state_write("0", "class/kfd/kfd/topology/nodes/0/gpu_id");
  state_write("cpu_cores_count 64", "class/kfd/kfd/topology/nodes/0/properties");
  for (int i = 0; i < count; i++) {
    for (int p = 0; p < partitions(found[i]); p++) {
      unsigned long long unique = 0, where = location(found[i], p);
      if (state_read(text, DEVICE "/unique_id", found[i])) sscanf(text, "%llx", &unique);
      if (p > 0 && state_exists(DEVICE "/partition_ids", found[i])) unique += (unsigned)p;
      state_make("class/kfd/kfd/topology/nodes/%d", ++node);
      snprintf(text, sizeof text, "%u", node_id(found[i], p));
      state_write(text, "class/kfd/kfd/topology/nodes/%d/gpu_id", node);
      snprintf(text, sizeof text,
               "simd_count 304\nlocation_id %llu\ndomain %llu\ndrm_render_minor %d\nunique_id %llu",
               where & 0xffffffff, where >> 32, 127 + node, unique);
      state_write(text, "class/kfd/kfd/topology/nodes/%d/properties", node);
    }
  }
  while (state_exists("class/kfd/kfd/topology/nodes/%d", ++node)) {
    state_remove("class/kfd/kfd/topology/nodes/%d/gpu_id", node);
    state_remove("class/kfd/kfd/topology/nodes/%d/properties", node);
    state_remove("class/kfd/kfd/topology/nodes/%d", node);
  }
}

static status text_of(const char *text, char *buffer, size_t size) {
  if (strlen(text) >= size) return INSUFFICIENT_SIZE;
  strcpy(buffer, text);
  return OK;
}

static status begin_on(const char *function, uint32_t device) {
  status answer = begin(function);
  if (answer != OK) return answer;
  if (device >= device_count) return INVALID_ARGS;
  return state_exists(DEVICE "/lost", devices[device].address) ? UNKNOWN : OK;
}

static status number_of(const char *what, const char *format, uint32_t device, uint64_t *number) {
  char text[TEXT];
  unsigned long long value;
  if (!state_read(text, DEVICE "/%s", devices[device].address, what)) return NOT_SUPPORTED;
  if (sscanf(text, format, &value) != 1) return UNKNOWN;
  *number = value;
  return OK;
}

API status rsmi_init(uint64_t flags) {
  (void)flags;
  status answer = begin(__func__);
  if (answer != OK) return answer;
  state_lock();
  look();
  write_topology();
  state_unlock();
  return OK;
}

API status rsmi_shut_down(void) { return begin(__func__); }

API status rsmi_status_string(status code, const char **text) {
  *text = code == NOT_SUPPORTED   ? "Not supported"
          : code == 8             ? "Initialization failed"
                                  : "Unknown error";
  return OK;
}

API status rsmi_version_get(rsmi_version_t *version) {
  *version = (rsmi_version_t){.major = 7, .minor = 8, .patch = 0, .build = "fake"};
  return begin(__func__);
}

API status rsmi_num_monitor_devices(uint32_t *count) {
  *count = device_count;
  return begin(__func__);
}

API status rsmi_dev_pci_id_get(uint32_t device, uint64_t *id) {
  status answer = begin(__func__);
  if (answer != OK) return answer;
  if (device >= device_count) return INVALID_ARGS;
  *id = devices[device].location;
  return OK;
}

API status rsmi_dev_name_get(uint32_t device, char *name, size_t size) {
  status answer = begin_on(__func__, device);
  char text[TEXT] = "";
  if (answer != OK) return answer;
  state_read(text, DEVICE "/name", devices[device].address);
  return text_of(text, name, size);
}

API status rsmi_dev_unique_id_get(uint32_t device, uint64_t *id) {
  status answer = begin_on(__func__, device);
  return answer != OK ? answer : number_of("unique_id", "%llx", device, id);
}

API status rsmi_dev_memory_total_get(uint32_t device, int type, uint64_t *bytes) {
  status answer = begin_on(__func__, device);
  if (answer == OK && type != 0) return INVALID_ARGS;
  return answer != OK ? answer : number_of("mem_info_vram_total", "%llu", device, bytes);
}

#ifndef WITHOUT_MODES
API status rsmi_dev_compute_partition_get(uint32_t device, char *mode, uint32_t size) {
  status answer = begin_on(__func__, device);
  char text[TEXT];
  if (answer != OK) return answer;
  if (!state_read(text, DEVICE "/current_compute_partition", devices[device].address)) {
    return NOT_SUPPORTED;
  }
  return text_of(text, mode, size);
}
#endif
