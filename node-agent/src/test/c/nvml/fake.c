// NVML itself, as far as the agent uses it, on the machine that fake.h describes.
#include "fake.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// MIG of an H100 with 80 GB: sizes, real profile ids and places.
struct profile {
  uint32_t number, id, slices, sms, memory_mib, instances, size;
  const char *name;
  int starts[8];
};

static const struct profile profiles[] = {
    {0, 19, 1, 16, 9984, 7, 1, "MIG 1g.10gb", {0, 1, 2, 3, 4, 5, 6, -1}},
    {1, 14, 2, 32, 20096, 3, 2, "MIG 2g.20gb", {0, 2, 4, -1}},
    {2, 9, 3, 60, 40448, 2, 4, "MIG 3g.40gb", {0, 4, -1}},
    {3, 5, 4, 64, 40448, 1, 4, "MIG 4g.40gb", {0, -1}},
    {4, 0, 7, 132, 81152, 1, 8, "MIG 7g.80gb", {0, -1}},
    {7, 20, 1, 16, 9984, 1, 1, "MIG 1g.10gb+me", {0, 1, 2, 3, 4, 5, 6, -1}},
    {9, 15, 1, 26, 20096, 4, 2, "MIG 1g.20gb", {0, 2, 4, 6, -1}},
};
enum { PROFILES = sizeof profiles / sizeof profiles[0], LAST_PROFILE = 0x11 };

static const struct profile *profile_by_id(uint32_t id) {
  for (int i = 0; i < PROFILES; i++) {
    if (profiles[i].id == id) return &profiles[i];
  }
  return NULL;
}

static int64_t number(const char *format, int gpu, int64_t otherwise) {
  char text[TEXT];
  long long value;
  if (state_read(text, format, gpu) && sscanf(text, "%lld", &value) == 1) return value;
  return otherwise;
}

static status text_of(const char *text, char *buffer, uint32_t size) {
  if (strlen(text) >= size) return INSUFFICIENT_SIZE;
  strcpy(buffer, text);
  return OK;
}

static int mig(const struct handle *device) { return (int)number("%d/mig", device->gpu, -1); }

API status nvmlInitWithFlags(uint32_t flags) {
  status answer = begin(__func__);
  if (answer != OK) return answer;
  if (state_exists("not-loaded")) return DRIVER_NOT_LOADED;
  return flags == 1 || state_exists("0") ? OK : NOT_FOUND;
}

API status nvmlShutdown(void) { return begin(__func__); }

API const char *nvmlErrorString(status code) {
  switch (code) {
    case INVALID_ARGUMENT: return "Invalid Argument";
    case DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case GPU_IS_LOST: return "GPU is lost";
    case RESET_REQUIRED: return "GPU requires reset";
    case IN_USE: return "In use by another client";
    case INSUFFICIENT_RESOURCES: return "Insufficient Resources";
    default: return "Unknown Error";
  }
}

API status nvmlSystemGetDriverVersion(char *version, uint32_t size) {
  status answer = begin(__func__);
#ifdef WITH_MEMORY_LIMITS
  return answer != OK ? answer : text_of("615.71.09", version, size);
#else
  return answer != OK ? answer : text_of("580.95.05", version, size);
#endif
}

API status nvmlDeviceGetCount_v2(uint32_t *count) {
  status answer = begin(__func__);
  for (*count = 0; *count < MAX_GPUS && state_exists("%u", *count);) ++*count;
  return answer;
}

API status nvmlDeviceGetHandleByIndex_v2(uint32_t index, handle *device) {
  status answer = begin(__func__);
  if (answer != OK) return answer;
  if (index >= MAX_GPUS || !state_exists("%u", index)) return INVALID_ARGUMENT;
  *device = handle_of(GPU, (int)index, -1);
  return state_exists("%u/lost", index) ? GPU_IS_LOST : OK;
}

API status nvmlDeviceGetName(handle device, char *name, uint32_t size) {
  status answer = begin_on(__func__, device, GPU);
  char text[TEXT] = "";
  state_read(text, "%d/name", device->gpu);
  return answer != OK ? answer : text_of(text, name, size);
}

API status nvmlDeviceGetUUID(handle device, char *uuid, uint32_t size) {
  status answer = begin_on(__func__, device, device ? device->kind : GPU);
  if (answer != OK) return answer;
  char text[TEXT] = "", own[TEXT];
  uint32_t profile;
  if (device->kind == GPU) {
    return state_read(own, "%d/uuid", device->gpu) ? text_of(own, uuid, size) : UNKNOWN;
  }
  if (device->kind != MIG || !state_read(text, "%d/gi/%d/ci", device->gpu, device->gi) ||
      sscanf(text, "%u %95s", &profile, own) != 2) {
    return INVALID_ARGUMENT;
  }
  return text_of(own, uuid, size);
}

API status nvmlDeviceGetMinorNumber(handle device, uint32_t *minor) {
  status answer = begin_on(__func__, device, GPU);
  if (answer == OK) *minor = (uint32_t)device->gpu;
  return answer;
}

API status nvmlDeviceGetCudaComputeCapability(handle device, int *major, int *minor) {
  status answer = begin_on(__func__, device, GPU);
  if (answer == OK) *major = (int)number("%d/capability", device->gpu, 9);
  *minor = 0;
  return answer;
}

static void add_programs(const struct handle *device, char *text);

static uint64_t used_by_processes(const struct handle *device) {
  char text[TEXT] = "";
  long long pid, bytes;
  uint64_t used = 0;
  state_read(text, "%d/processes", device->gpu);
  add_programs(device, text);
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    if (sscanf(line, "%lld %lld", &pid, &bytes) == 2 && bytes > 0) used += (uint64_t)bytes;
  }
  return used;
}

API status nvmlDeviceGetMemoryInfo_v2(handle device, nvmlMemory_v2_t *memory) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  if (memory->version != VERSION(nvmlMemory_v2_t, 2)) return INVALID_ARGUMENT;
  char text[TEXT] = "";
  unsigned long long total = 0, reserved = 0;
  state_read(text, "%d/memory", device->gpu);
  sscanf(text, "%llu %llu", &total, &reserved);
  memory->total = total;
  memory->reserved = reserved;
  memory->used = (uint64_t)number("%d/remains", device->gpu, 0) + used_by_processes(device);
  memory->free = total - reserved;
  return OK;
}

API status nvmlDeviceGetMigMode(handle device, uint32_t *current, uint32_t *pending) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  if (mig(device) < 0) return NOT_SUPPORTED;
  *current = (uint32_t)mig(device);
  *pending = (uint32_t)number("%d/mig-pending", device->gpu, mig(device));
  return OK;
}

API status nvmlDeviceGetVirtualizationMode(handle device, uint32_t *mode) {
  status answer = begin_on(__func__, device, GPU);
  if (answer == OK) *mode = (uint32_t)number("%d/virtualization", device->gpu, 0);
  return answer;
}

API status nvmlDeviceGetGpuInstanceProfileInfoV(handle device, uint32_t wanted,
                                                nvmlGpuInstanceProfileInfo_v2_t *info) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  if (wanted > LAST_PROFILE || info->version != VERSION(nvmlGpuInstanceProfileInfo_v2_t, 2)) {
    return INVALID_ARGUMENT;
  }
  for (int i = 0; mig(device) >= 0 && i < PROFILES; i++) {
    const struct profile *each = &profiles[i];
    if (each->number != wanted || number("%d/lacks", device->gpu, -1) == each->id) continue;
    *info = (nvmlGpuInstanceProfileInfo_v2_t){
        .version = info->version,
        .id = each->id,
        .sliceCount = each->slices,
        .instanceCount = each->instances,
        .multiprocessorCount = each->sms,
        .memorySizeMB = each->memory_mib,
    };
    strcpy(info->name, each->name);
    return OK;
  }
  return NOT_SUPPORTED;
}

API status nvmlDeviceGetGpuInstancePossiblePlacements_v2(handle device, uint32_t id,
                                                         nvmlGpuInstancePlacement_t *places,
                                                         uint32_t *count) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  const struct profile *profile = profile_by_id(id);
  if (mig(device) < 0) return NOT_SUPPORTED;
  if (!profile) return INVALID_ARGUMENT;
  uint32_t n = 0;
  for (; n < 8 && profile->starts[n] >= 0; n++) {
    if (places && n < *count) {
      places[n] = (nvmlGpuInstancePlacement_t){(uint32_t)profile->starts[n], profile->size};
    }
  }
  bool enough = !places || n <= *count;
  *count = n;
  return enough ? OK : INSUFFICIENT_SIZE;
}

static bool info_of(const struct handle *device, int gi, uint32_t *profile,
                    nvmlGpuInstancePlacement_t *place) {
  char text[TEXT];
  return state_read(text, "%d/gi/%d/info", device->gpu, gi) &&
         sscanf(text, "%u %u %u", profile, &place->start, &place->size) == 3;
}

// The state is locked.
static status create(handle device, const struct profile *profile, uint32_t start, handle *made) {
  int unused = -1, alike = 0;
  for (int gi = 63; gi >= 1; gi--) {
    uint32_t other;
    nvmlGpuInstancePlacement_t place;
    if (!info_of(device, gi, &other, &place)) {
      unused = gi;
      continue;
    }
    alike += other == profile->id;
    if (place.start < start + profile->size && start < place.start + place.size) {
      return INSUFFICIENT_RESOURCES;
    }
  }
  if (alike >= (int)profile->instances) return INSUFFICIENT_RESOURCES;
  char text[TEXT];
  snprintf(text, sizeof text, "%u %u %u", profile->id, start, profile->size);
  state_make("%d/gi", device->gpu);
  state_make("%d/gi/%d", device->gpu, unused);
  state_write(text, "%d/gi/%d/info", device->gpu, unused);
  state_note("create-gi %d %s@%u", device->gpu, profile->name + 4, start);
  *made = handle_of(GI, device->gpu, unused);
  return OK;
}

API status nvmlDeviceCreateGpuInstanceWithPlacement(handle device, uint32_t id,
                                                    const nvmlGpuInstancePlacement_t *place,
                                                    handle *made) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  const struct profile *profile = profile_by_id(id);
  if (mig(device) != 1) return NOT_SUPPORTED;
  bool possible = false;
  for (int i = 0; profile && i < 8 && profile->starts[i] >= 0; i++) {
    possible |= (uint32_t)profile->starts[i] == place->start && profile->size == place->size;
  }
  if (!possible) return INVALID_ARGUMENT;
  state_lock();
  answer = create(device, profile, place->start, made);
  state_unlock();
  return answer;
}

API status nvmlDeviceGetGpuInstances(handle device, uint32_t id, handle *found, uint32_t *count) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  if (mig(device) != 1) return NOT_SUPPORTED;
  *count = 0;
  for (int gi = 1; gi < 64; gi++) {
    uint32_t profile;
    nvmlGpuInstancePlacement_t place;
    if (info_of(device, gi, &profile, &place) && profile == id) {
      found[(*count)++] = handle_of(GI, device->gpu, gi);
    }
  }
  return OK;
}

API status nvmlGpuInstanceGetInfo(handle gi, nvmlGpuInstanceInfo_t *info) {
  status answer = begin_on(__func__, gi, GI);
  if (answer != OK) return answer;
  *info = (nvmlGpuInstanceInfo_t){.device = handle_of(GPU, gi->gpu, -1), .id = (uint32_t)gi->gi};
  return info_of(gi, gi->gi, &info->profileId, &info->placement) ? OK : NOT_FOUND;
}

// Beside those that a test has named, the living ones that use the GPU through cuda/fake.c.
static void add_programs(const struct handle *device, char *text) {
  char path[TEXT];
  snprintf(path, sizeof path, "%s/%d/cuda", state_root(), device->gpu);
  DIR *directory = opendir(path);
  for (struct dirent *each; directory && (each = readdir(directory)) != NULL;) {
    char use[TEXT];
    snprintf(path, sizeof path, "/proc/%s", each->d_name);
    if (each->d_name[0] == '.' || access(path, F_OK) != 0) continue;
    size_t length = strlen(text);
    if (state_read(use, "%d/cuda/%s", device->gpu, each->d_name)) {
      snprintf(text + length, TEXT - length, "%s%s %s", length ? "\n" : "", each->d_name, use);
    }
  }
  if (directory) closedir(directory);
}

// Whether anybody uses the instance.
static bool is_used(const struct handle *gi) {
  char text[TEXT] = "", kind[16];
  state_read(text, "%d/processes", gi->gpu);
  add_programs(gi, text);
  long long pid, bytes;
  int of;
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    if (sscanf(line, "%lld %lld %15s %d", &pid, &bytes, kind, &of) == 4 && of == gi->gi) return true;
  }
  return false;
}

static bool is_gpu_used(const struct handle *device) {
  char text[TEXT] = "";
  state_read(text, "%d/processes", device->gpu);
  add_programs(device, text);
  return text[strspn(text, "\n")] != 0;
}

API status nvmlDeviceSetMigMode(handle device, uint32_t mode, status *activation) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  if (mig(device) < 0) return NOT_SUPPORTED;
  if (mode > 1) return INVALID_ARGUMENT;
  state_lock();
  state_note("mig %d %u", device->gpu, mode);
  status usual = is_gpu_used(device) ? IN_USE
                 : number("%d/capability", device->gpu, 9) < 9 ? RESET_REQUIRED
                                                               : OK;
  *activation = (uint32_t)mig(device) == mode ? OK : (status)number("%d/activation", device->gpu, usual);
  state_write(mode ? "1" : "0", "%d/mig-pending", device->gpu);
  if (*activation == OK) {
    state_write(mode ? "1" : "0", "%d/mig", device->gpu);
    state_remove("%d/mig-pending", device->gpu);
  }
  state_unlock();
  return OK;
}

API status nvmlGpuInstanceDestroy(handle gi) {
  status answer = begin_on(__func__, gi, GI);
  if (answer != OK) return answer;
  if (is_used(gi) || state_exists("%d/gi/%d/ci", gi->gpu, gi->gi)) return IN_USE;
  if (state_exists("%d/keeps-instances", gi->gpu)) return OK;
  state_lock();
  state_remove("%d/gi/%d/info", gi->gpu, gi->gi);
  state_remove("%d/gi/%d", gi->gpu, gi->gi);
  state_note("destroy-gi %d %d", gi->gpu, gi->gi);
  state_unlock();
  return OK;
}

API status nvmlGpuInstanceGetComputeInstanceProfileInfoV(handle gi, uint32_t wanted,
                                                         uint32_t engine,
                                                         nvmlComputeInstanceProfileInfo_v2_t *info) {
  status answer = begin_on(__func__, gi, GI);
  if (answer != OK) return answer;
  if (engine != 0 || info->version != VERSION(nvmlComputeInstanceProfileInfo_v2_t, 2)) {
    return INVALID_ARGUMENT;
  }
  // Sizes with at most as many slices as the whole instance has.
  static const uint32_t slices[] = {1, 2, 3, 4, 7};
  uint32_t profile;
  nvmlGpuInstancePlacement_t place;
  if (wanted > 4 || !info_of(gi, gi->gi, &profile, &place) ||
      slices[wanted] > profile_by_id(profile)->slices) {
    return NOT_SUPPORTED;
  }
  *info = (nvmlComputeInstanceProfileInfo_v2_t){
      .version = info->version, .id = wanted, .sliceCount = slices[wanted], .instanceCount = 1};
  return OK;
}

API status nvmlGpuInstanceCreateComputeInstance(handle gi, uint32_t id, handle *made) {
  status answer = begin_on(__func__, gi, GI);
  if (answer != OK) return answer;
  state_lock();
  if (state_exists("%d/gi/%d/ci", gi->gpu, gi->gi)) {
    answer = INSUFFICIENT_RESOURCES;
  } else {
    char text[TEXT];
    long long last = 0;
    if (state_read(text, "serial")) sscanf(text, "%lld", &last);
    int64_t serial = last + 1;
    snprintf(text, sizeof text, "%lld", (long long)serial);
    state_write(text, "serial");
    snprintf(text, sizeof text, "%u MIG-%08x-%04x-5000-8000-%012llx", id, (unsigned)gi->gpu,
             (unsigned)gi->gi, (long long)serial);
    state_write(text, "%d/gi/%d/ci", gi->gpu, gi->gi);
    state_note("create-ci %d %d", gi->gpu, gi->gi);
    *made = handle_of(CI, gi->gpu, gi->gi);
  }
  state_unlock();
  return answer;
}

API status nvmlGpuInstanceGetComputeInstances(handle gi, uint32_t id, handle *found,
                                              uint32_t *count) {
  status answer = begin_on(__func__, gi, GI);
  if (answer != OK) return answer;
  char text[TEXT];
  uint32_t profile;
  *count = 0;
  if (state_read(text, "%d/gi/%d/ci", gi->gpu, gi->gi) && sscanf(text, "%u", &profile) == 1 &&
      profile == id) {
    found[(*count)++] = handle_of(CI, gi->gpu, gi->gi);
  }
  return OK;
}

API status nvmlComputeInstanceGetInfo_v2(handle ci, nvmlComputeInstanceInfo_t *info) {
  status answer = begin_on(__func__, ci, CI);
  if (answer != OK) return answer;
  *info = (nvmlComputeInstanceInfo_t){
      .device = handle_of(MIG, ci->gpu, ci->gi), .gpuInstance = handle_of(GI, ci->gpu, ci->gi)};
  return OK;
}

API status nvmlComputeInstanceDestroy(handle ci) {
  status answer = begin_on(__func__, ci, CI);
  if (answer != OK) return answer;
  if (is_used(ci)) return IN_USE;
  if (!state_exists("%d/gi/%d/ci", ci->gpu, ci->gi)) return NOT_FOUND;
  state_lock();
  state_remove("%d/gi/%d/ci", ci->gpu, ci->gi);
  state_note("destroy-ci %d %d", ci->gpu, ci->gi);
  state_unlock();
  return OK;
}

static status processes(handle device, const char *wanted, uint32_t *count,
                        nvmlProcessInfo_t *infos) {
  char text[TEXT] = "", kind[16];
  long long pid, bytes;
  int gi;
  uint32_t n = 0, room = *count;
  state_read(text, "%d/processes", device->gpu);
  add_programs(device, text);
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    if (sscanf(line, "%lld %lld %15s %d", &pid, &bytes, kind, &gi) != 4 || strcmp(kind, wanted) ||
        (device->kind == MIG && gi != device->gi)) {
      continue;
    }
    if (infos && n < room) {
      infos[n] = (nvmlProcessInfo_t){.pid = (uint32_t)pid,
                                     .usedGpuMemory = (uint64_t)bytes,
                                     .gpuInstanceId = (uint32_t)gi,
                                     .computeInstanceId = 0};
    }
    n++;
  }
  *count = n;
  return n > room ? INSUFFICIENT_SIZE : OK;
}

API status nvmlDeviceGetComputeRunningProcesses_v3(handle device, uint32_t *count,
                                                   nvmlProcessInfo_t *infos) {
  status answer = begin_on(__func__, device, device ? device->kind : GPU);
  return answer != OK ? answer : processes(device, "compute", count, infos);
}

API status nvmlDeviceGetGraphicsRunningProcesses_v3(handle device, uint32_t *count,
                                                    nvmlProcessInfo_t *infos) {
  status answer = begin_on(__func__, device, device ? device->kind : GPU);
  return answer != OK ? answer : processes(device, "graphics", count, infos);
}

API status nvmlDeviceGetMPSComputeRunningProcesses_v3(handle device, uint32_t *count,
                                                      nvmlProcessInfo_t *infos) {
  status answer = begin_on(__func__, device, device ? device->kind : GPU);
  return answer != OK ? answer : processes(device, "mps", count, infos);
}

#ifdef WITH_MEMORY_LIMITS
static void encode(char *encoded, const char *path) {
  snprintf(encoded, TEXT, "%s", path);
  for (char *c = encoded; *c; c++) *c = *c == '/' ? '%' : *c;
}

API status nvmlDeviceSetMemoryLimits_v1(handle device, nvmlSetMemoryLimits_v1_t *limits) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  char name[TEXT], text[TEXT];
  encode(name, limits->nameSpace);
  if (mig(device) == 1) return NOT_SUPPORTED;
  // The driver knows the cgroup by its directory.
  if (access(limits->nameSpace, F_OK) != 0) return NOT_FOUND;
  state_lock();
  state_make("%d/limits", device->gpu);
  snprintf(text, sizeof text, "%llu %llu", (unsigned long long)limits->softLimit,
           (unsigned long long)limits->hardLimit);
  if (limits->softLimit == 0 && limits->hardLimit == UINT64_MAX) {
    state_remove("%d/limits/%s", device->gpu, name);
  } else {
    state_write(text, "%d/limits/%s", device->gpu, name);
  }
  state_note("limit %d %s %s", device->gpu, text, strrchr(limits->nameSpace, '/') + 1);
  state_unlock();
  return OK;
}

API status nvmlDeviceGetMemoryLimits_v1(handle device, nvmlGetMemoryLimits_v1_t *limits) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  char name[TEXT], text[TEXT];
  unsigned long long soft, hard;
  encode(name, limits->nameSpace);
  if (!state_read(text, "%d/limits/%s", device->gpu, name) ||
      sscanf(text, "%llu %llu", &soft, &hard) != 2) {
    return NOT_SUPPORTED; // as a cgroup that never had a limit is answered
  }
  limits->softLimit = soft;
  limits->hardLimit = hard;
  limits->currentUsed = 0;
  return OK;
}
#endif
