#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct change {
  uid_t from, to;
};

static bool own_entry(const struct entry *entry, const void *with) {
  const struct change *change = with;
  const struct stat *info = entry->info;
  // A file with several names may belong to another user: an earlier attempt may have linked to it. It changes owner
  // only if it belonged to that attempt.
  bool theirs = S_ISDIR(info->st_mode) || info->st_nlink == 1 || info->st_uid == change->from;
  if (info->st_uid == change->to || !theirs) return true;
  return fchownat(entry->directory, entry->name, change->to, change->to, AT_SYMLINK_NOFOLLOW) == 0;
}

bool own_tree(const char *path, uid_t user) {
  int root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (root < 0) return false;
  struct stat info;
  bool owned = fstat(root, &info) == 0;
  if (owned && info.st_uid != user) {
    struct change change = {.from = info.st_uid, .to = user};
    // The root changes last: while it is not the user's, the change counts as unfinished after any crash.
    owned = each_below(root, own_entry, &change) && fchown(root, user, user) == 0 && fchmod(root, 0700) == 0;
  }
  int error = errno;
  close(root);
  errno = error;
  return owned;
}
