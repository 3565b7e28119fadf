// Project quotas: a project is a number that files have, and a file system counts and limits the space of the files of
// each project (ext4 and xfs, mounted with `prjquota`). The directories of an attempt get a project of their own, which
// everything that is made in them inherits. Only the first of these directories says which project an attempt has: no
// other record exists, so none can be lost.
//
// Root may exceed any quota, and the owner of a file may change its project. A job is neither root, nor does its filter
// of system calls let it change a project.
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 1024 // bytes, the unit of limits
#define MAX_DIRECTORIES 8
#define QUOTA(command) ((unsigned)QCMD(command, PRJQUOTA))

// The projects that an agent gives to its attempts.
struct range {
  uint32_t first, count;
};

static bool is_in(const struct range *range, uint32_t project) {
  return project >= range->first && project - range->first < range->count;
}

static int said(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  return EXIT_SYSTEM;
}

static int open_directory(const char *path) {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool get_quota(int directory, uint32_t project, struct if_dqblk *quota) {
  if (syscall(SYS_quotactl_fd, directory, QUOTA(Q_GETQUOTA), project, quota) == 0) return true;
  *quota = (struct if_dqblk){0};
  return errno == ENOENT; // xfs: nothing is known of it yet
}

// 0: no limit.
static bool set_quota(int directory, uint32_t project, uint64_t bytes, uint64_t files) {
  uint64_t blocks = bytes ? bytes / BLOCK + (bytes % BLOCK != 0) : 0;
  struct if_dqblk quota = {.dqb_bhardlimit = blocks,
                           .dqb_bsoftlimit = blocks,
                           .dqb_ihardlimit = files,
                           .dqb_isoftlimit = files,
                           .dqb_valid = QIF_LIMITS};
  return syscall(SYS_quotactl_fd, directory, QUOTA(Q_SETQUOTA), project, &quota) == 0;
}

static bool get_project(int fd, struct fsxattr *attributes) {
  return ioctl(fd, FS_IOC_FSGETXATTR, attributes) == 0;
}

static bool set_project(int fd, uint32_t project, bool is_directory) {
  struct fsxattr attributes;
  if (!get_project(fd, &attributes)) return false;
  attributes.fsx_projid = project;
  attributes.fsx_xflags &= ~(uint32_t)FS_XFLAG_PROJINHERIT;
  if (is_directory && project) attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
  return ioctl(fd, FS_IOC_FSSETXATTR, &attributes) == 0;
}

struct change {
  uint32_t from, to;
};

// Pipes, sockets, devices and links have no space of their own. A file with a second name stays with its project unless
// that is the one that changes: the other name may be another job's.
static bool change_entry(const struct entry *entry, const void *with) {
  const struct change *change = with;
  bool is_directory = S_ISDIR(entry->info->st_mode);
  if (!is_directory && !S_ISREG(entry->info->st_mode)) return true;
  int fd = openat(entry->directory, entry->name,
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (is_directory ? O_DIRECTORY : 0));
  if (fd < 0) return errno == ENOENT || errno == ELOOP;
  struct fsxattr attributes;
  bool good = get_project(fd, &attributes);
  bool is_alone = change->from || is_directory || entry->info->st_nlink == 1;
  bool changes = good && attributes.fsx_projid == change->from && is_alone;
  if (changes) good = set_project(fd, change->to, is_directory);
  int error = errno;
  close(fd);
  errno = error;
  return good;
}

// The root changes last: while it has not, the change counts as unfinished after any crash.
static bool change_tree(int root, uint32_t from, uint32_t to) {
  struct change change = {.from = from, .to = to};
  return each_below(root, change_entry, &change) && set_project(root, to, true);
}

struct directories {
  int fds[MAX_DIRECTORIES];
  size_t count;
};

static bool open_directories(struct directories *directories, char *const *paths) {
  for (; *paths; paths++) {
    int fd = directories->count < MAX_DIRECTORIES ? open_directory(*paths) : -1;
    if (fd < 0) return false;
    directories->fds[directories->count++] = fd;
  }
  return directories->count > 0;
}

static bool read_number(const char *text, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text ? text : "", &end, 10);
  if (text && *text && !*end && errno == 0) return true;
  errno = EINVAL;
  return false;
}

static bool read_range(char *const *arguments, struct range *range) {
  uint64_t first, count;
  if (!arguments[0] || !read_number(arguments[0], &first) || !read_number(arguments[1], &count)) return false;
  *range = (struct range){(uint32_t)first, (uint32_t)count};
  return first > 0 && count > 0 && first + count <= UINT32_MAX;
}

// A project that has neither a file nor a limit anywhere.
static bool find_unused(const struct directories *directories, const struct range *range, uint32_t start,
                        uint32_t *project) {
  for (uint32_t i = 0; i < range->count; i++) {
    *project = range->first + (start % range->count + i) % range->count;
    bool used = false;
    for (size_t d = 0; d < directories->count; d++) {
      struct if_dqblk quota;
      if (!get_quota(directories->fds[d], *project, &quota)) return false;
      used |= quota.dqb_curspace || quota.dqb_curinodes || quota.dqb_bhardlimit || quota.dqb_ihardlimit;
    }
    if (!used) return true;
  }
  errno = EDQUOT;
  return false;
}

// FIRST COUNT START BYTES FILES DIRECTORY...
//
// Limits the space and the number of files of the directories together, by a project of the range. A search for one
// begins at START.
int disk_limit(char *const *arguments) {
  struct range range;
  struct directories directories = {.count = 0};
  uint64_t start, bytes, files;
  if (!read_range(arguments, &range) || !read_number(arguments[2], &start) || !read_number(arguments[3], &bytes) ||
      !read_number(arguments[4], &files) || !open_directories(&directories, arguments + 5)) {
    return said("arguments");
  }
  struct fsxattr attributes;
  if (!get_project(directories.fds[0], &attributes)) return said("the project of its directory");
  uint32_t project = attributes.fsx_projid;
  if (!is_in(&range, project) && !find_unused(&directories, &range, (uint32_t)start, &project)) {
    return said("a project for its directories");
  }
  for (size_t d = 0; d < directories.count; d++) {
    if (!set_quota(directories.fds[d], project, bytes, files)) return said("the limit of its project");
    if (!get_project(directories.fds[d], &attributes)) return said("the project of its directory");
    // Another worker of the attempt has the checkpoints, or an administrator another plan.
    bool taken = attributes.fsx_projid != 0 && attributes.fsx_projid != project;
    bool done = attributes.fsx_projid == project;
    if (!taken && !done && !change_tree(directories.fds[d], 0, project)) return said("the project of its files");
  }
  return EXIT_SUCCESS;
}

// FIRST COUNT DIRECTORY...
//
// Takes back what disk_limit() did. The first directory changes last, because it says which project it is.
int disk_free(char *const *arguments) {
  struct range range;
  struct directories directories = {.count = 0};
  if (!read_range(arguments, &range) || !open_directories(&directories, arguments + 2)) return said("arguments");
  struct fsxattr attributes;
  if (!get_project(directories.fds[0], &attributes)) return said("the project of its directory");
  uint32_t project = attributes.fsx_projid;
  if (!is_in(&range, project)) return EXIT_SUCCESS;
  for (size_t d = directories.count; d-- > 0;) {
    if (!get_project(directories.fds[d], &attributes)) return said("the project of its directory");
    if (!set_quota(directories.fds[d], project, 0, 0)) return said("the limit of its project");
    if (attributes.fsx_projid == project && !change_tree(directories.fds[d], project, 0)) {
      return said("the project of its files");
    }
  }
  return EXIT_SUCCESS;
}

static bool each_quota(int directory, const struct range *range, bool (*visit)(int, const struct if_nextdqblk *, void *),
                       void *with) {
  for (uint32_t from = range->first; is_in(range, from);) {
    struct if_nextdqblk quota;
    if (syscall(SYS_quotactl_fd, directory, QUOTA(Q_GETNEXTQUOTA), from, &quota) != 0) {
      return errno == ENOENT || errno == ESRCH; // there are no more
    }
    if (!is_in(range, quota.dqb_id)) return true;
    if (!visit(directory, &quota, with)) return false;
    from = quota.dqb_id + 1;
  }
  return true;
}

static bool add_use(int directory, const struct if_nextdqblk *quota, void *with) {
  (void)directory;
  uint64_t *used = with;
  used[0] += quota->dqb_curspace;
  used[1] += quota->dqb_curinodes;
  return true;
}

// FIRST COUNT DIRECTORY
//
// Prints how many bytes and files all jobs together may have: those that are free, and those that jobs have.
int disk_room(char *const *arguments) {
  struct range range;
  struct statvfs system;
  uint64_t used[2] = {0, 0};
  if (!read_range(arguments, &range) || !arguments[2]) return said("arguments");
  int directory = open_directory(arguments[2]);
  if (directory < 0 || fstatvfs(directory, &system) != 0) return said(arguments[2]);
  if (!each_quota(directory, &range, add_use, used)) return said("the use of projects");
  printf("%llu %llu\n", (unsigned long long)(system.f_bavail * system.f_frsize + used[0]),
         (unsigned long long)(system.f_favail + used[1]));
  return EXIT_SUCCESS;
}

static bool forget_if_unused(int directory, const struct if_nextdqblk *quota, void *with) {
  (void)with;
  bool limited = quota->dqb_bhardlimit || quota->dqb_ihardlimit;
  // An attempt has at least its directory.
  return !limited || quota->dqb_curinodes || set_quota(directory, quota->dqb_id, 0, 0);
}

// FIRST COUNT DIRECTORY
//
// Removes the limits of projects without a file. An agent that was killed between the limit and the directory leaves
// one, and so does a directory that was deleted.
int disk_sweep(char *const *arguments) {
  struct range range;
  if (!read_range(arguments, &range) || !arguments[2]) return said("arguments");
  int directory = open_directory(arguments[2]);
  if (directory < 0) return said(arguments[2]);
  return each_quota(directory, &range, forget_if_unused, NULL) ? EXIT_SUCCESS : said("limits of projects");
}

// xfs makes room for many files with the first one, so the limit is no smaller.
enum { TRIED_BYTES = 1 << 20, MANY_BYTES = 8 << 20, PIECE_BYTES = 1 << 16, NOBODY = 65534 };

// In a child, because it gives up the rights that let root exceed every quota.
static bool is_refused(int file) {
  pid_t child = fork();
  if (child == 0) {
    static const char piece[PIECE_BYTES] = {1};
    if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0) {
      _exit(2);
    }
    for (size_t written = 0; written < MANY_BYTES; written += sizeof piece) {
      if (write(file, piece, sizeof piece) != (ssize_t)sizeof piece) _exit(0);
    }
    _exit(1);
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char OFF[] = "project quotas are off; mount its file system with prjquota";

static const char *try_quota(int directory, uint32_t project) {
  if (!set_project(directory, project, true)) return "its file system has no project quotas";
  if (!set_quota(directory, project, TRIED_BYTES, 0)) return OFF;
  int file = openat(directory, "file", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return "no file can be made there";
  bool refused = is_refused(file);
  close(file);
  unlinkat(directory, "file", 0);
  errno = 0;
  return refused ? NULL : "its file system counts projects and does not limit them; mount it with prjquota";
}

// FIRST COUNT DIRECTORY
//
// Tries, in a directory made for that, whether a project of the range is limited. Says why not.
int disk_probe(char *const *arguments) {
  struct range range;
  struct directories directories = {.count = 0};
  char path[4096];
  uint32_t project;
  if (!read_range(arguments, &range) || !arguments[2]) return said("arguments");
  int length = snprintf(path, sizeof path, "%s/disk-probe-XXXXXX", arguments[2]);
  if (length >= (int)sizeof path || !mkdtemp(path)) return said(arguments[2]);
  char *const paths[] = {path, NULL};
  const char *problem = "it cannot be opened";
  if (open_directories(&directories, paths)) {
    // A kernel before 5.14 or a file system without quotas knows no use of projects.
    bool found = find_unused(&directories, &range, (uint32_t)getpid(), &project);
    if (found) problem = try_quota(directories.fds[0], project);
    else problem = errno == ESRCH ? OFF : "its file system has no project quotas that work";
    if (problem == OFF) errno = 0;
    int error = errno;
    if (found) set_quota(directories.fds[0], project, 0, 0);
    errno = error;
  }
  if (problem) fprintf(stderr, "%s%s%s\n", problem, errno ? ": " : "", errno ? strerror(errno) : "");
  rmdir(path);
  return problem ? EXIT_SYSTEM : EXIT_SUCCESS;
}
