#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

// Linux allows 2 MiB of arguments and environment by default.
#define MAX_FILE_BYTES (4 << 20)

static bool fail(char *why, size_t size, const char *what, const char *detail) {
  snprintf(why, size, "%s: %s", what, detail);
  return false;
}

// Reads a whole small file, NUL-terminated; NULL with errno on error.
static char *read_file(const char *name, size_t *length) {
  int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return NULL;
  struct stat info;
  char *bytes = NULL;
  if (fstat(fd, &info) == 0 && info.st_size <= MAX_FILE_BYTES) {
    bytes = malloc((size_t)info.st_size + 1);
  } else {
    errno = EFBIG;
  }
  size_t got = 0;
  while (bytes && got < (size_t)info.st_size) {
    ssize_t n = read(fd, bytes + got, (size_t)info.st_size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += (size_t)n;
  }
  close(fd);
  if (bytes) bytes[got] = 0;
  *length = got;
  return bytes;
}

// A NULL-terminated list of the NUL-terminated strings in a file. The file's bytes stay allocated.
static char **read_list(const char *name) {
  size_t length;
  char *bytes = read_file(name, &length);
  if (!bytes) return NULL;
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += bytes[i] == 0;
  char **list = calloc(count + 1, sizeof *list);
  if (!list) return NULL;
  char *at = bytes;
  for (size_t i = 0; i < count; i++) {
    list[i] = at;
    at += strlen(at) + 1;
  }
  return list;
}

static bool read_number(const char *text, int64_t *into) {
  if (strcmp(text, "never") == 0) {
    *into = NEVER;
    return true;
  }
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (errno || *end || end == text || number < 0) return false;
  *into = number;
  return true;
}

static bool add_path(struct paths *paths, char *path, size_t room) {
  if (paths->count == room || path[0] != '/') return false;
  paths->items[paths->count++] = path;
  return true;
}

// "195:0 nvidia0": numbers, and the name below /dev.
static bool add_device(struct walls *walls, char *value) {
  if (walls->device_count == MAX_DEVICES) return false;
  struct device *device = &walls->devices[walls->device_count];
  int name = 0;
  if (sscanf(value, "%u:%u %n", &device->major, &device->minor, &name) != 2 || !name) return false;
  device->name = value + name;
  bool leads_out = device->name[0] == '/' || strstr(device->name, "..");
  if (!*device->name || strlen(device->name) > 200 || leads_out) return false;
  walls->device_count++;
  return true;
}

// True: it is a key of the walls; `good` says whether its value is.
static bool read_wall(struct spec *spec, const char *key, char *value, bool *good) {
  struct walls *walls = &spec->walls;
  struct {
    const char *key;
    struct paths *paths;
    size_t room;
  } lists[] = {{"withheld", &walls->withheld, MAX_PATHS},
               {"hidden", &walls->hidden, MAX_PATHS},
               {"lent", &walls->lent, MAX_PATHS},
               {"shown", &walls->shown, MAX_PATHS},
               {"owned", &walls->owned, MAX_PATHS},
               {"group", &spec->groups, MAX_GROUPS}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    if (strcmp(key, lists[i].key) != 0) continue;
    *good = add_path(lists[i].paths, value, lists[i].room);
    return true;
  }
  if (strcmp(key, "namespaces") == 0) {
    walls->own_network = strcmp(value, "own-network") == 0;
    walls->inside = walls->own_network || strcmp(value, "shared-network") == 0;
    *good = walls->inside;
  } else if (strcmp(key, "device") == 0) {
    *good = add_device(walls, value);
  } else if (strcmp(key, "tmp") == 0) {
    walls->tmp = value;
  } else if (strcmp(key, "var_tmp") == 0) {
    walls->var_tmp = value;
  } else if (strcmp(key, "shm") == 0) {
    walls->shm = value;
  } else if (strcmp(key, "root") == 0) {
    walls->root = value;
  } else if (strcmp(key, "syscalls") == 0) {
    *good = walls->filtered = strcmp(value, "filtered") == 0;
  } else if (strcmp(key, "metadata") == 0) {
    *good = walls->fence_metadata = strcmp(value, "fenced") == 0;
  } else if (strcmp(key, "fence") == 0) {
    walls->fence_by_program = strcmp(value, "program") == 0;
    if (!walls->fence_by_program) walls->fence_group = value;
  } else {
    return false;
  }
  return true;
}

static bool read_entry(struct spec *spec, char *key, char *value, char *why, size_t size) {
  int64_t user = -1;
  struct {
    const char *key;
    int64_t *number;
  } numbers[] = {
      {"time_limit_ms", &spec->time_limit_ms},
      {"time_limit_callback_ms", &spec->time_limit_callback_ms},
      {"stop_after_ms", &spec->stop_after_ms},
      {"contact_boot_ms", &spec->contact_boot_ms},
      {"callback_ms", &spec->callback_ms},
      {"grace_ms", &spec->grace_ms},
      {"log_segment_bytes", &spec->log_segment_bytes},
      {"log_segments", &spec->log_segments},
      {"user", &user},
      {"files", &spec->walls.files},
      {"processes", &spec->walls.processes},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(key, numbers[i].key) != 0) continue;
    if (!read_number(value, numbers[i].number)) {
      return fail(why, size, key, "must be a whole number that is not negative, or 'never'");
    }
    if (user < 0) return true;
    if (user == 0 || user >= UINT32_MAX) return fail(why, size, key, "must be a user id other than 0 (root)");
    spec->walls.has_user = true;
    spec->walls.user = (uid_t)user;
    return true;
  }
  bool good = true;
  if (read_wall(spec, key, value, &good)) {
    return good || fail(why, size, key, "cannot be parsed, or is one too many");
  }
  if (strcmp(key, "directory") == 0) spec->directory = value;
  else if (strcmp(key, "cgroup") == 0) spec->cgroup = value;
  else if (strcmp(key, "on_abort") == 0) spec->on_abort = value;
  else if (strcmp(key, "boot_id") == 0) spec->boot_id = value;
  else if (strcmp(key, "note") == 0) spec->note = value;
  else return fail(why, size, key, "is not a key of a spec; use the supervisor of this agent");
  return true;
}

bool spec_read(struct spec *spec, char *why, size_t size) {
  size_t length;
  *spec = (struct spec){
      .time_limit_ms = NEVER,
      .stop_after_ms = NEVER,
      .contact_boot_ms = boot_ms(),
      .log_segment_bytes = 4 << 20,
      .log_segments = 4,
  };
  char *text = read_file("spec", &length);
  if (!text) return fail(why, size, "spec", strerror(errno));
  for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
    if (!*line) continue;
    char *value = strchr(line, '=');
    if (!value) return fail(why, size, line, "is not a key=value line of a spec");
    *value++ = 0;
    if (!read_entry(spec, line, value, why, size)) return false;
  }
  spec->argv = read_list("argv");
  if (!spec->argv) return fail(why, size, "argv", strerror(errno));
  if (!spec->argv[0]) return fail(why, size, "argv", "names no program");
  spec->env = read_list("env");
  if (!spec->env) return fail(why, size, "env", strerror(errno));
  spec->callback = read_list("callback");
  if (!spec->callback && errno != ENOENT) return fail(why, size, "callback", strerror(errno));
  if (spec->callback && !spec->callback[0]) return fail(why, size, "callback", "names no program");
  if (!spec->directory) return fail(why, size, "directory", "is missing in the spec");
  if (!spec->boot_id || strlen(spec->boot_id) > 64) {
    return fail(why, size, "boot_id", "must be there and have at most 64 characters");
  }
  if (spec->log_segment_bytes < 1024 || spec->log_segment_bytes == NEVER) {
    return fail(why, size, "log_segment_bytes", "must be at least 1024");
  }
  if (spec->log_segments < 2 || spec->log_segments > 1000) {
    return fail(why, size, "log_segments", "must be 2 to 1000");
  }
  return true;
}

static const char *find_entry(char *const *env, const char *entry) {
  size_t length = strcspn(entry, "=") + 1;
  while (*env && strncmp(*env, entry, length) != 0) env++;
  return *env;
}

// HEADGATE_ variables come from Headgate only, never from an image; the cluster's addresses are not for jobs.
static bool is_for_jobs(const char *entry) {
  static const char *const not_passed[] = {"HEADGATE_", "KUBERNETES_", "TRACEPARENT="};
  for (size_t i = 0; i < sizeof not_passed / sizeof *not_passed; i++) {
    if (strncmp(entry, not_passed[i], strlen(not_passed[i])) == 0) return false;
  }
  return strchr(entry, '=') != NULL;
}

bool spec_complete(struct spec *spec, char *origin) {
  spec->first = true;
  size_t count = 0, outside = 0;
  while (spec->env[count]) count++;
  while (environ[outside]) outside++;
  char **env = calloc(count + outside + 1, sizeof *env);
  if (!env) return false;
  memcpy(env, spec->env, count * sizeof *env);
  for (size_t i = 0; i < outside; i++) {
    if (is_for_jobs(environ[i]) && !find_entry(spec->env, environ[i])) env[count++] = environ[i];
  }
  spec->env = env;
  if (strcmp(spec->directory, ".") != 0) return true;
  const char *home = find_entry(env, "HOME=");
  bool nowhere = !origin || strcmp(origin, "/") == 0;
  spec->directory = nowhere && home ? strdup(home + strlen("HOME=")) : origin;
  return spec->directory != NULL;
}
