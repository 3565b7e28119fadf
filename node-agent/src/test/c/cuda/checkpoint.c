// A fake of NVIDIA's program cuda-checkpoint, with the calls that suspend a program, on the machine that
// ../nvml/fake.h describes. While a program is checkpointed, its record of GPU use (<gpu>/cuda/<pid>, see fake.c) lies
// in checkpoint/<pid>, where no NVML lists it. Programs that do nothing else are thus suspended, too.
//
//     checkpoint/<pid>   "locked" or "checkpointed", and of each GPU a line "<gpu> <bytes> compute|mps <instance>"
//
// Like the real program it refuses an action that does not follow on the state before, a missing process, and a
// stopped process (the real one needs the help of the process). In faults/ its calls are lock, checkpoint, restore and
// unlock.
#include "../state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GPUS = 16 };

static int fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  return 1;
}

static bool stands_still(int pid) {
  char path[64], line[TEXT], events[TEXT + 64];
  bool frozen = false;
  snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
  FILE *groups = fopen(path, "re");
  while (groups && fgets(line, sizeof line, groups)) {
    if (strncmp(line, "0::", 3) != 0) continue;
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < 2; i++) {
      snprintf(events, sizeof events, "/sys/fs/cgroup%s%s/cgroup.events", i ? "/unified" : "", line + 3);
      FILE *from = fopen(events, "re");
      while (from && fgets(events, sizeof events, from)) frozen |= strcmp(events, "frozen 1\n") == 0;
      if (from) fclose(from);
    }
  }
  if (groups) fclose(groups);
  return frozen;
}

static void checkpoint(int pid) {
  char text[TEXT] = "checkpointed", own[TEXT];
  for (int gpu = 0; gpu < GPUS; gpu++) {
    size_t length = strlen(text);
    if (!state_read(own, "%d/cuda/%d", gpu, pid)) continue;
    snprintf(text + length, sizeof text - length, "\n%d %.64s", gpu, own);
    state_remove("%d/cuda/%d", gpu, pid);
  }
  state_write(text, "checkpoint/%d", pid);
}

static void restore(int pid, char *text) {
  strtok(text, "\n");
  for (char *line = strtok(NULL, "\n"); line; line = strtok(NULL, "\n")) {
    char *own = strchr(line, ' ');
    if (own) state_write(own + 1, "%d/cuda/%d", atoi(line), pid);
  }
  state_write("locked", "checkpoint/%d", pid);
}

static int act(const char *action, int pid) {
  static const struct {
    const char *action, *from;
  } steps[] = {{"lock", "running"}, {"checkpoint", "locked"}, {"restore", "checkpointed"}, {"unlock", "locked"}};
  if (begin(action)) return fail("CUDA_ERROR_NOT_SUPPORTED");
  char text[TEXT] = "running";
  state_lock();
  state_make("checkpoint");
  state_read(text, "checkpoint/%d", pid);
  bool follows = false;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    follows |= strcmp(action, steps[i].action) == 0 && strncmp(text, steps[i].from, strlen(steps[i].from)) == 0;
  }
  if (follows) {
    state_note("cuda-checkpoint %s", action);
    if (strcmp(action, "lock") == 0) state_write("locked", "checkpoint/%d", pid);
    if (strcmp(action, "checkpoint") == 0) checkpoint(pid);
    if (strcmp(action, "restore") == 0) restore(pid, text);
    if (strcmp(action, "unlock") == 0) state_remove("checkpoint/%d", pid);
  }
  state_unlock();
  return follows ? 0 : fail("CUDA_ERROR_ILLEGAL_STATE");
}

int main(int count, char **arguments) {
  const char *action = NULL;
  int pid = 0;
  bool asks = false;
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--get-state") == 0) asks = true;
    else if (i + 1 == count) return fail("an option without its value");
    else if (strcmp(arguments[i], "--action") == 0) action = arguments[++i];
    else if (strcmp(arguments[i], "--pid") == 0) pid = atoi(arguments[++i]);
    else if (strcmp(arguments[i], "--timeout") == 0) i++;
    else return fail("an option that it does not know");
  }
  char path[64], text[TEXT] = "running";
  snprintf(path, sizeof path, "/proc/%d", pid);
  state_find_above(arguments[0]);
  if (access(path, F_OK) != 0) return fail("CUDA_ERROR_INVALID_VALUE");
  if (stands_still(pid)) return fail("CUDA_ERROR_NOT_READY");
  if (!asks) return action ? act(action, pid) : fail("nothing to do");
  state_read(text, "checkpoint/%d", pid);
  puts(strtok(text, "\n"));
  return 0;
}
