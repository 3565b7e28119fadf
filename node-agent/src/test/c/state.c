#include "state.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[TEXT / 2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int lock_fd = -1;

__attribute__((constructor)) static void find_state(void) {
  const char *named = getenv("FAKE_GPU_STATE");
  Dl_info self;
  if (named) {
    snprintf(root, sizeof root, "%s", named);
  } else if (dladdr(root, &self)) {
    char path[TEXT / 2 - 8];
    snprintf(path, sizeof path, "%s", self.dli_fname);
    snprintf(root, sizeof root, "%s/gpus", dirname(path));
  }
}

void state_find_above(const char *directory) {
  char at[TEXT / 2 - 8], *slash;
  snprintf(at, sizeof at, "%s", directory);
  while ((slash = strrchr(at, '/')) != NULL) {
    *slash = 0;
    snprintf(root, sizeof root, "%s/gpus", at);
    if (access(root, F_OK) == 0) return;
  }
}

const char *state_root(void) { return root; }

static void path_of(char *path, const char *format, va_list arguments) {
  int length = snprintf(path, TEXT, "%s/", root);
  vsnprintf(path + length, (size_t)(TEXT - length), format, arguments);
}

#define PATH(path, format)         \
  char path[TEXT];                 \
  va_list arguments;               \
  va_start(arguments, format);     \
  path_of(path, format, arguments); \
  va_end(arguments)

void state_lock(void) {
  pthread_mutex_lock(&mutex);
  char path[TEXT];
  snprintf(path, sizeof path, "%s/lock", root);
  lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_fd >= 0) flock(lock_fd, LOCK_EX);
}

void state_unlock(void) {
  if (lock_fd >= 0) close(lock_fd);
  pthread_mutex_unlock(&mutex);
}

bool state_read(char *text, const char *format, ...) {
  PATH(path, format);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, text, TEXT - 1);
  close(fd);
  if (n < 0) return false;
  while (n > 0 && text[n - 1] == '\n') n--;
  text[n] = 0;
  return true;
}

void state_write(const char *text, const char *format, ...) {
  PATH(path, format);
  char fresh[TEXT + 8];
  snprintf(fresh, sizeof fresh, "%s.new", path);
  FILE *file = fopen(fresh, "we");
  if (!file) return;
  fprintf(file, "%s\n", text);
  fclose(file);
  rename(fresh, path);
}

bool state_exists(const char *format, ...) {
  PATH(path, format);
  return access(path, F_OK) == 0;
}

void state_remove(const char *format, ...) {
  PATH(path, format);
  remove(path);
}

void state_make(const char *format, ...) {
  PATH(path, format);
  mkdir(path, 0755);
}

void state_note(const char *format, ...) {
  char line[TEXT], path[TEXT];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  line[length] = '\n';
  snprintf(path, sizeof path, "%s/calls", root);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (write(fd, line, (size_t)length + 1) < 0) perror(path);
  close(fd);
}

int begin(const char *function) {
  char text[TEXT];
  int code, times, slow_ms = 0;
  int answer = 0;
  state_lock();
  if (state_read(text, "faults/%s", function)) {
    if (sscanf(text, "slow %d", &slow_ms) != 1 && sscanf(text, "%d %d", &code, &times) == 2 &&
        times > 0) {
      answer = code;
      snprintf(text, sizeof text, "%d %d", code, times - 1);
      state_write(text, "faults/%s", function);
    }
  }
  state_unlock();
  if (slow_ms > 0) usleep((useconds_t)slow_ms * 1000);
  while (state_read(text, "faults/%s", function) && strcmp(text, "hang") == 0) usleep(5000);
  return answer;
}
