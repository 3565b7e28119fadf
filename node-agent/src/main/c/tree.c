#include "supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A directory for each level is open at a time.
#define MAX_DEPTH 500

struct walk {
  bool (*visit)(const struct entry *entry, const void *with);
  const void *with;
  dev_t device;
};

static bool walk_below(int directory, const struct walk *walk, int depth);

static bool walk_entry(int directory, const char *name, const struct walk *walk, int depth) {
  struct stat info;
  if (fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (info.st_dev != walk->device) return true;
  if (S_ISDIR(info.st_mode)) {
    int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) return false;
    bool good = walk_below(below, walk, depth + 1);
    int error = errno;
    close(below);
    errno = error;
    if (!good) return false;
  }
  return walk->visit(&(struct entry){.directory = directory, .name = name, .info = &info}, walk->with);
}

static bool walk_below(int directory, const struct walk *walk, int depth) {
  if (depth > MAX_DEPTH) {
    errno = ELOOP;
    return false;
  }
  int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0);
  DIR *entries = copy < 0 ? NULL : fdopendir(copy);
  if (!entries) {
    if (copy >= 0) close(copy);
    return false;
  }
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir(entries)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    good = walk_entry(directory, entry->d_name, walk, depth);
  }
  int error = errno;
  closedir(entries);
  errno = error;
  return good;
}

bool each_below(int directory, bool (*visit)(const struct entry *, const void *), const void *with) {
  struct stat info;
  if (fstat(directory, &info) != 0) return false;
  struct walk walk = {.visit = visit, .with = with, .device = info.st_dev};
  return walk_below(directory, &walk, 0);
}
