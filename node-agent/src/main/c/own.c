#include "supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A directory for each level is open at a time.
#define MAX_DEPTH 500

struct change {
  uid_t from, to;
  dev_t device;
};

// A file with several names may belong to another user: an earlier attempt may have linked to it. It changes owner
// only if it belonged to that attempt.
static bool is_theirs(const struct stat *info, const struct change *change) {
  return S_ISDIR(info->st_mode) || info->st_nlink == 1 || info->st_uid == change->from;
}

static bool own_below(int directory, const struct change *change, int depth);

static bool own_entry(int directory, const char *name, const struct change *change, int depth) {
  struct stat info;
  if (fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (info.st_dev != change->device) return true;
  if (S_ISDIR(info.st_mode)) {
    int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) return false;
    bool owned = own_below(below, change, depth + 1);
    int error = errno;
    close(below);
    errno = error;
    if (!owned) return false;
  }
  if (info.st_uid == change->to || !is_theirs(&info, change)) return true;
  return fchownat(directory, name, change->to, change->to, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool own_below(int directory, const struct change *change, int depth) {
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
  bool owned = true;
  for (struct dirent *entry; owned && (entry = readdir(entries)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    owned = own_entry(directory, entry->d_name, change, depth);
  }
  int error = errno;
  closedir(entries);
  errno = error;
  return owned;
}

bool own_tree(const char *path, uid_t user) {
  int root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (root < 0) return false;
  struct stat info;
  bool owned = fstat(root, &info) == 0;
  if (owned && info.st_uid != user) {
    struct change change = {.from = info.st_uid, .to = user, .device = info.st_dev};
    // The root changes last: while it is not the user's, the change counts as unfinished after any crash.
    owned = own_below(root, &change, 0) && fchown(root, user, user) == 0 && fchmod(root, 0700) == 0;
  }
  int error = errno;
  close(root);
  errno = error;
  return owned;
}
