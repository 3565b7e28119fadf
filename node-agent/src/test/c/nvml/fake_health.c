// NVML's calls about the health of GPUs, and the events that GPUs report by themselves.
#include "fake.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { TIMEOUT = 10, RECOVERY_ACTION = 230 };

// A reading by its name; NOT_SUPPORTED where the state has none.
static status reading(const char *function, handle device, const char *name, int64_t *value) {
  status answer = begin_on(function, device, GPU);
  if (answer != OK) return answer;
  char text[TEXT], known[64];
  long long number;
  if (!state_read(text, "%d/readings", device->gpu)) return NOT_SUPPORTED;
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    if (sscanf(line, "%63s %lld", known, &number) == 2 && strcmp(known, name) == 0) {
      *value = number;
      return OK;
    }
  }
  return NOT_SUPPORTED;
}

static status reading32(const char *function, handle device, const char *name, uint32_t *into) {
  int64_t value;
  status answer = reading(function, device, name, &value);
  if (answer == OK) *into = (uint32_t)value;
  return answer;
}

static status reading64(const char *function, handle device, const char *name, uint64_t *into) {
  int64_t value;
  status answer = reading(function, device, name, &value);
  if (answer == OK) *into = (uint64_t)value;
  return answer;
}

API status nvmlDeviceGetUtilizationRates(handle device, nvmlUtilization_t *rates) {
  rates->memory = 0;
  return reading32(__func__, device, "utilization", &rates->gpu);
}

// The lines of <gpu>/samples are "<pid> <percent> <time>", oldest first.
API status nvmlDeviceGetProcessUtilization(handle device, nvmlProcessUtilizationSample_t *samples, uint32_t *count,
                                           uint64_t last_seen) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  char text[TEXT];
  if (!state_read(text, "%d/samples", device->gpu)) return NOT_SUPPORTED;
  uint32_t pid, percent, found = 0, room = samples ? *count : 0;
  unsigned long long time;
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    if (sscanf(line, "%u %u %llu", &pid, &percent, &time) == 3 && time > last_seen) {
      if (found < room) {
        samples[found] = (nvmlProcessUtilizationSample_t){.pid = pid, .timeStamp = time, .smUtil = percent};
      }
      found++;
    }
  }
  *count = found;
  if (found == 0) return NOT_FOUND;
  return found > room ? INSUFFICIENT_SIZE : OK;
}

API status nvmlDeviceGetTemperature(handle device, uint32_t sensor, uint32_t *celsius) {
  return sensor != 0 ? INVALID_ARGUMENT : reading32(__func__, device, "temperature", celsius);
}

API status nvmlDeviceGetPowerUsage(handle device, uint32_t *milliwatts) {
  return reading32(__func__, device, "power", milliwatts);
}

API status nvmlDeviceGetTotalEnergyConsumption(handle device, uint64_t *millijoules) {
  return reading64(__func__, device, "energy", millijoules);
}

API status nvmlDeviceGetTotalEccErrors(handle device, uint32_t type, uint32_t counter,
                                       uint64_t *errors) {
  if (type > 1 || counter > 1) return INVALID_ARGUMENT;
  return reading64(__func__, device, type ? "ecc-uncorrected" : "ecc-corrected", errors);
}

API status nvmlDeviceGetRemappedRows(handle device, uint32_t *corrected, uint32_t *uncorrected,
                                     uint32_t *pending, uint32_t *failed) {
  *corrected = *uncorrected = *failed = 0;
  status answer = reading32(__func__, device, "rows-pending", pending);
  if (answer == OK && reading32(__func__, device, "rows-failed", failed) != OK) *failed = 0;
  return answer;
}

API status nvmlDeviceGetRetiredPagesPendingStatus(handle device, uint32_t *pending) {
  return reading32(__func__, device, "pages-pending", pending);
}

API status nvmlDeviceGetCurrentClocksThrottleReasons(handle device, uint64_t *reasons) {
  return reading64(__func__, device, "throttle", reasons);
}

API status nvmlDeviceGetFieldValues(handle device, int count, nvmlFieldValue_t *values) {
  status answer = begin_on(__func__, device, GPU);
  for (int i = 0; answer == OK && i < count; i++) {
    int64_t value = 0;
    values[i].nvmlReturn = values[i].fieldId == RECOVERY_ACTION
                               ? reading(__func__, device, "recovery", &value)
                               : NOT_SUPPORTED;
    values[i].value = (uint64_t)value;
  }
  return answer;
}

// Event sets: one is enough.
static uint64_t registered[MAX_GPUS];

API status nvmlEventSetCreate(handle *set) {
  status answer = begin(__func__);
  memset(registered, 0, sizeof registered);
  *set = (handle)registered;
  return answer;
}

API status nvmlEventSetFree(handle set) {
  status answer = begin(__func__);
  return answer != OK ? answer : set == (handle)registered ? OK : INVALID_ARGUMENT;
}

API status nvmlDeviceGetSupportedEventTypes(handle device, uint64_t *types) {
  *types = 0x80f;
  return begin_on(__func__, device, GPU);
}

API status nvmlDeviceRegisterEvents(handle device, uint64_t types, handle set) {
  status answer = begin_on(__func__, device, GPU);
  if (answer != OK) return answer;
  if (set != (handle)registered || (types & ~UINT64_C(0x80f))) return INVALID_ARGUMENT;
  registered[device->gpu] = types;
  return OK;
}

// Takes the first event off the queue, if it is one that was registered for.
static bool take(nvmlEventData_t *event) {
  char text[TEXT];
  unsigned gpu;
  uint64_t type, data;
  bool taken = false;
  state_lock();
  if (state_read(text, "events") &&
      sscanf(text, "%u %" SCNu64 " %" SCNu64, &gpu, &type, &data) == 3 && gpu < MAX_GPUS) {
    const char *rest = strchr(text, '\n');
    if (rest) state_write(rest + 1, "events");
    else state_remove("events");
    taken = (registered[gpu] & type) != 0;
    *event = (nvmlEventData_t){.device = handle_of(GPU, (int)gpu, -1),
                               .eventType = type,
                               .eventData = data,
                               .gpuInstanceId = UINT32_MAX,
                               .computeInstanceId = UINT32_MAX};
  }
  state_unlock();
  return taken;
}

API status nvmlEventSetWait_v2(handle set, nvmlEventData_t *event, uint32_t timeout_ms) {
  status answer = begin(__func__);
  if (answer != OK) return answer;
  if (set != (handle)registered) return INVALID_ARGUMENT;
  // Woken by the file, as by a driver's interrupt: looking again and again would be paid by the
  // agent, which is measured.
  struct pollfd changes = {.fd = inotify_init1(IN_CLOEXEC), .events = POLLIN};
  inotify_add_watch(changes.fd, state_root(), IN_MOVED_TO);
  char names[TEXT];
  bool taken;
  do {
    taken = state_exists("events") && take(event);
  } while (!taken && poll(&changes, 1, (int)timeout_ms) > 0 &&
           read(changes.fd, names, sizeof names) > 0);
  close(changes.fd);
  return taken ? OK : TIMEOUT;
}
