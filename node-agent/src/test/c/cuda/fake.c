// A fake of CUDA's driver library, with the calls of a program that allocates and computes, on the machine that
// ../nvml/fake.h describes. A process's use is in <gpu>/cuda/<pid>, where NVML's fake lists it for as long as the
// process lives: "<bytes> compute|mps <GPU instance or -1>".
//
// Like the real library it refuses memory beyond an instance, a cgroup's limit, or the limit that an MPS daemon gives
// each process. In the state:
//
//     leaks         present: no memory is refused
//     contended     present: programs that compute slow each other down
//     spills        present: a fault that breaks one process's use of a GPU breaks it for all
#include "../state.h"

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum status { OK, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, ILLEGAL_ADDRESS = 700, FAILED = 719 };
// A kernel takes so long that a busy machine makes no difference.
enum { KERNEL_MS = 10, TURNS = 3, GPUS = 16, INSTANCES = 64 };
enum kernel { SPIN = 1, FAULT };

static int gpu = -1, instance = -1;
static int64_t mine, daemon_limit;
static bool served, faulty;

API int cuGetErrorName(int code, const char **name) {
  switch (code) {
    case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return OK;
    case NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; return OK;
    case ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return OK;
    case FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; return OK;
    default: return INVALID_VALUE;
  }
}

static bool is_instance(int of, int gi, const char *uuid) {
  char text[TEXT], own[TEXT] = "";
  if (!state_read(text, "%d/gi/%d/ci", of, gi) || sscanf(text, "%*u %95s", own) != 1) return false;
  return !uuid || strcmp(own, uuid) == 0;
}

// As the environment names it, else the first that there is.
static bool find(const char *visible) {
  for (gpu = 0; gpu < GPUS && state_exists("%d", gpu); gpu++) {
    char text[TEXT] = "";
    state_read(text, "%d/uuid", gpu);
    if (visible && strcmp(visible, text) == 0) return true;
    bool divided = state_read(text, "%d/mig", gpu) && strcmp(text, "1") == 0;
    if (!visible && !divided) return true;
    for (int gi = 1; divided && gi < INSTANCES; gi++) {
      if (!is_instance(gpu, gi, visible)) continue;
      instance = gi;
      return true;
    }
  }
  return false;
}

// A served client keeps its connection until it ends.
static void find_daemon(void) {
  const char *directory = getenv("CUDA_MPS_PIPE_DIRECTORY");
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  char answer[256];
  int server;
  long mib;
  snprintf(to.sun_path, sizeof to.sun_path, "%s/control", directory ? directory : "/tmp/nvidia-mps");
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) return;
  ssize_t got = read(fd, answer, sizeof answer - 1);
  answer[got > 0 ? got : 0] = 0;
  served = sscanf(answer, "%d %ld", &server, &mib) == 2;
  if (served) daemon_limit = (int64_t)mib << 20;
}

API int cuInit(unsigned flags) {
  int fault = begin(__func__);
  if (fault) return fault;
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (flags != 0 || !find(visible)) return NO_DEVICE;
  find_daemon();
  return OK;
}

API int cuDeviceGetCount(int *count) {
  *count = 1;
  return OK;
}

API int cuDeviceGet(int *device, int number) {
  *device = number;
  return number == 0 ? OK : INVALID_VALUE;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 && device == 0 ? 9 : 0;
  return OK;
}

static void tell(void) {
  char text[TEXT];
  snprintf(text, sizeof text, "%lld %s %d", (long long)mine, served ? "mps" : "compute", instance);
  state_make("%d/cuda", gpu);
  state_write(text, "%d/cuda/%d", gpu, getpid());
}

API int cuCtxCreate_v2(void **context, unsigned flags, int device) {
  static int only;
  *context = &only;
  state_lock();
  tell();
  state_unlock();
  return flags == 0 && device == 0 ? OK : INVALID_VALUE;
}

static void cgroup_of(char *path, const char *process) {
  char file[TEXT], line[TEXT] = "";
  path[0] = 0;
  snprintf(file, sizeof file, "/proc/%s/cgroup", process);
  FILE *from = fopen(file, "re");
  while (from && fgets(line, sizeof line, from)) {
    if (strncmp(line, "0::", 3) == 0) snprintf(path, TEXT, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
  }
  if (from) fclose(from);
}

// Bytes of the living processes of the GPU or of this one's instance; those of one cgroup, if it is named.
static int64_t used(const char *cgroup, int *processes) {
  char path[TEXT];
  int64_t sum = 0;
  snprintf(path, sizeof path, "%s/%d/cuda", state_root(), gpu);
  DIR *directory = opendir(path);
  for (struct dirent *each; directory && (each = readdir(directory)) != NULL;) {
    char text[TEXT], theirs[TEXT];
    long long bytes;
    int gi;
    snprintf(theirs, sizeof theirs, "/proc/%s", each->d_name);
    if (each->d_name[0] == '.' || access(theirs, F_OK) != 0) continue;
    if (!state_read(text, "%d/cuda/%s", gpu, each->d_name)) continue;
    if (sscanf(text, "%lld %*s %d", &bytes, &gi) != 2) continue;
    if (processes) ++*processes;
    if (gi != instance) continue;
    cgroup_of(theirs, each->d_name);
    if (!cgroup || strcmp(cgroup, theirs) == 0) sum += bytes;
  }
  if (directory) closedir(directory);
  return sum;
}

// The limit that the driver has for this process's cgroup; -1: none.
static int64_t cgroup_limit(const char *cgroup) {
  char path[TEXT], own[TEXT];
  long long hard = -1;
  snprintf(own, sizeof own, "%s", cgroup);
  for (char *c = own; *c; c++) *c = *c == '/' ? '%' : *c;
  snprintf(path, sizeof path, "%s/%d/limits", state_root(), gpu);
  DIR *directory = opendir(path);
  for (struct dirent *each; directory && (each = readdir(directory)) != NULL;) {
    char text[TEXT];
    size_t length = strlen(each->d_name), end = strlen(own);
    if (end == 0 || length < end || strcmp(each->d_name + length - end, own) != 0) continue;
    if (state_read(text, "%d/limits/%s", gpu, each->d_name)) sscanf(text, "%*d %lld", &hard);
  }
  if (directory) closedir(directory);
  return hard;
}

static bool is_too_much(int64_t wanted) {
  char text[TEXT] = "", cgroup[TEXT];
  long long total = 0, reserved = 0;
  cgroup_of(cgroup, "self");
  int64_t limit = cgroup_limit(cgroup);
  if (limit >= 0 && used(cgroup, NULL) + wanted > limit) return true;
  if (daemon_limit > 0 && mine + wanted > daemon_limit) return true;
  if (instance >= 0) {
    // The eighths of the memory that the instance's place covers.
    int size = 0;
    state_read(text, "%d/gi/%d/info", gpu, instance);
    sscanf(text, "%*d %*d %d", &size);
    return used(NULL, NULL) + wanted > (int64_t)size * 9984 * (1 << 20);
  }
  state_read(text, "%d/memory", gpu);
  sscanf(text, "%lld %lld", &total, &reserved);
  return used(NULL, NULL) + wanted > total - reserved;
}

API int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
  int answer = begin(__func__);
  if (answer) return answer;
  state_lock();
  if (!state_exists("leaks") && is_too_much((int64_t)bytes)) {
    answer = OUT_OF_MEMORY;
  } else {
    mine += (int64_t)bytes;
    *memory = (uint64_t)mine;
    tell();
  }
  state_unlock();
  return answer;
}

API int cuModuleLoadData(void **module, const char *text) {
  *module = (void *)&gpu;
  return strncmp(text, ".version", 8) == 0 ? OK : INVALID_VALUE;
}

API int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = (void *)(uintptr_t)(strcmp(name, "fault") == 0 ? FAULT : SPIN);
  return module ? OK : INVALID_VALUE;
}

API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  (void)shared, (void)stream, (void)extra, (void)arguments;
  faulty |= (uintptr_t)function == FAULT;
  return gx && gy && gz && bx && by && bz ? OK : INVALID_VALUE;
}

API int cuCtxSynchronize(void) {
  int sharers = 0;
  if (faulty) {
    if (state_exists("spills")) state_write("", "%d/broken", gpu);
    return ILLEGAL_ADDRESS;
  }
  if (state_exists("%d/broken", gpu)) return FAILED;
  if (state_exists("contended")) used(NULL, &sharers);
  usleep((useconds_t)(KERNEL_MS * 1000 * (sharers > 1 ? TURNS : 1)));
  return OK;
}
