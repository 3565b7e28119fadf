// A program that uses a GPU as jobs do, for `headgate-agent qualify`. It uses CUDA's driver library only, loaded at
// run time. It can therefore be built and run where the driver is the only part of CUDA installed.
//
//     headgate-probe LIBRARY [alone] fill STEP CAP MARK       allocates steps of so many MiB until one is refused
//                                                             or the cap is reached, and holds the memory
//     headgate-probe LIBRARY [alone] children N STEP CAP MARK does so in N processes
//     headgate-probe LIBRARY [alone] spin SECONDS             computes
//     headgate-probe LIBRARY [alone] fault                    writes to an invalid address
//
// `alone` first removes the environment variables about GPUs. The program prints these lines:
//
//     sees <GPUs>
//     passed <ms of the boot clock>            it now holds more MiB than the mark
//     held <MiB> <why no more>
//     spun <ms of the boot clock> <kernels>    so far, ten times a second
//     faulted <error>
//     failed <function> <error>
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

typedef int status;
typedef struct opaque *handle;
typedef uint64_t address;

static struct {
  status (*cuInit)(unsigned);
  status (*cuGetErrorName)(status, const char **);
  status (*cuDeviceGetCount)(int *);
  status (*cuDeviceGet)(int *, int);
  status (*cuDeviceGetAttribute)(int *, int, int);
  status (*cuCtxCreate_v2)(handle *, unsigned, int);
  status (*cuCtxSynchronize)(void);
  status (*cuMemAlloc_v2)(address *, size_t);
  status (*cuModuleLoadData)(handle *, const void *);
  status (*cuModuleGetFunction)(handle *, handle, const char *);
  status (*cuLaunchKernel)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, handle, void **, void **);
} cuda;

enum {
  MAJOR_CAPABILITY = 75,
  MINOR_CAPABILITY = 76,
  TURING = 75,
  BLOCKS = 4096,
  THREADS = 256,
  TELL_MS = 100
};

// Every thread computes what the next round needs, so that nothing of it can be left out.
static const char kernels[] =
    ".version %s\n.target sm_%d\n.address_size 64\n"
    ".visible .entry spin(.param .u64 out, .param .u32 rounds)\n"
    "{\n"
    ".reg .pred %%more; .reg .u32 %%i, %%n, %%x; .reg .u64 %%to;\n"
    "ld.param.u64 %%to, [out]; ld.param.u32 %%n, [rounds];\n"
    "mov.u32 %%i, 0; mov.u32 %%x, %%tid.x;\n"
    "again:\n"
    "mad.lo.u32 %%x, %%x, 1664525, 1013904223; add.u32 %%i, %%i, 1;\n"
    "setp.lt.u32 %%more, %%i, %%n;\n"
    "@%%more bra again;\n"
    "st.global.u32 [%%to], %%x;\n"
    "ret;\n"
    "}\n"
    ".visible .entry fault()\n"
    "{\n"
    ".reg .u32 %%x; .reg .u64 %%to;\n"
    "mov.u64 %%to, 16; mov.u32 %%x, 1;\n"
    "st.global.u32 [%%to], %%x;\n"
    "ret;\n"
    "}\n";

static const char *name_of(status code) {
  static char number[24];
  const char *name = NULL;
  if (cuda.cuGetErrorName && cuda.cuGetErrorName(code, &name) == 0 && name) return name;
  snprintf(number, sizeof number, "%d", code);
  return number;
}

static void require(const char *function, status code) {
  if (code == 0) return;
  printf("failed %s %s\n", function, name_of(code));
  exit(1);
}

static long long boot_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *function(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    printf("failed dlsym the driver has no %s\n", name);
    exit(1);
  }
  return found;
}

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) {
    const char *why = dlerror();
    printf("failed dlopen %s\n", why ? why : path);
    exit(1);
  }
  // POSIX lets a function be got as an object pointer, which C alone does not.
#define FIND(name) *(void **)&cuda.name = function(library, #name)
  FIND(cuInit);
  FIND(cuGetErrorName);
  FIND(cuDeviceGetCount);
  FIND(cuDeviceGet);
  FIND(cuDeviceGetAttribute);
  FIND(cuCtxCreate_v2);
  FIND(cuCtxSynchronize);
  FIND(cuMemAlloc_v2);
  FIND(cuModuleLoadData);
  FIND(cuModuleGetFunction);
  FIND(cuLaunchKernel);
}

static int begin(void) {
  int count = 0, device = 0;
  handle context;
  require("cuInit", cuda.cuInit(0));
  require("cuDeviceGetCount", cuda.cuDeviceGetCount(&count));
  printf("sees %d\n", count);
  require("cuDeviceGet", cuda.cuDeviceGet(&device, 0));
  require("cuCtxCreate", cuda.cuCtxCreate_v2(&context, 0, device));
  return device;
}

__attribute__((noreturn)) static void fill(long step, long cap, long mark) {
  long held = 0;
  const char *why = "cap";
  begin();
  while (held + step <= cap) {
    address memory;
    status code = cuda.cuMemAlloc_v2(&memory, (size_t)step << 20);
    if (code != 0) {
      why = name_of(code);
      break;
    }
    if (held <= mark && held + step > mark) printf("passed %lld\n", boot_ms());
    held += step;
  }
  printf("held %ld %s\n", held, why);
  for (;;) pause();
}

__attribute__((noreturn)) static void children(int count, long step, long cap, long mark) {
  for (int i = 0; i < count; i++) {
    pid_t parent = getpid();
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      fill(step, cap, mark);
    }
  }
  for (;;) pause();
}

static handle kernel(int device, const char *name) {
  char text[sizeof kernels + 64];
  handle module, found;
  int major = 0, minor = 0;
  require("cuDeviceGetAttribute", cuda.cuDeviceGetAttribute(&major, MAJOR_CAPABILITY, device));
  require("cuDeviceGetAttribute", cuda.cuDeviceGetAttribute(&minor, MINOR_CAPABILITY, device));
  // The oldest that newest drivers still translate; what is older than that gets its own.
  bool turing = major * 10 + minor >= TURING;
  snprintf(text, sizeof text, kernels, turing ? "6.3" : "6.0", turing ? TURING : 50);
  require("cuModuleLoadData", cuda.cuModuleLoadData(&module, text));
  require("cuModuleGetFunction", cuda.cuModuleGetFunction(&found, module, name));
  return found;
}

static void spin(long seconds) {
  int device = begin();
  handle spinning = kernel(device, "spin");
  address memory;
  unsigned rounds = 4096;
  require("cuMemAlloc", cuda.cuMemAlloc_v2(&memory, 1 << 20));
  void *arguments[] = {&memory, &rounds};
  long count = 0;
  long long now = boot_ms(), told = now;
  for (long long end = now + seconds * 1000; now < end; now = boot_ms()) {
    require("cuLaunchKernel", cuda.cuLaunchKernel(spinning, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL,
                                                  arguments, NULL));
    require("cuCtxSynchronize", cuda.cuCtxSynchronize());
    count++;
    if (now >= told + TELL_MS) {
      printf("spun %lld %ld\n", now, count);
      told = now;
    }
  }
}

static void fault(void) {
  handle faulty = kernel(begin(), "fault");
  status code = cuda.cuLaunchKernel(faulty, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
  if (code == 0) code = cuda.cuCtxSynchronize();
  printf("faulted %s\n", code == 0 ? "not" : name_of(code));
}

static void forget(void) {
  for (int i = 0; environ[i];) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
    bool ours = strncmp(name, "CUDA_", 5) == 0 || strncmp(name, "NVIDIA_", 7) == 0;
    if (!ours || unsetenv(name) != 0) i++;
  }
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count == 2 && strcmp(words[1], "--runs") == 0) return 0;
  int at = 2;
  if (count > at && strcmp(words[at], "alone") == 0) {
    forget();
    at++;
  }
  int left = count - at - 1;
  const char *what = left < 0 ? "" : words[at];
  char **more = words + at + 1;
  if (left >= 0) load(words[1]);
  if (strcmp(what, "fill") == 0 && left == 3) fill(atol(more[0]), atol(more[1]), atol(more[2]));
  if (strcmp(what, "children") == 0 && left == 4) {
    children(atoi(more[0]), atol(more[1]), atol(more[2]), atol(more[3]));
  }
  if (strcmp(what, "spin") == 0 && left == 1) {
    spin(atol(more[0]));
    return 0;
  }
  if (strcmp(what, "fault") == 0 && left == 0) {
    fault();
    return 0;
  }
  fprintf(stderr, "see the beginning of probe.c\n");
  return 64;
}
