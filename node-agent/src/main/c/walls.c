// The namespaces of a job. They are made by a process that stays in them as their first one: the kernel
// ends all others with it, and it with the supervisor, so nothing of a job outlives either. It has no
// privileges by then and does nothing, not even wait for the orphans that it inherits.
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA_ONLY (MS_NOSUID | MS_NODEV)
#define SHM "/dev/shm"

// Records the failed step, for the error message.
static bool failed(const char **what, const char *on) {
  *what = on;
  return false;
}

bool cover(const char *path) {
  return mount("headgate", path, "tmpfs", DATA_ONLY | MS_NOEXEC, "mode=0755,size=1m") == 0;
}

static bool may_pass(const struct walls *walls, const struct stat *directory) {
  bool own = walls->has_user && directory->st_uid == walls->user;
  return directory->st_mode & (own ? S_IXUSR : S_IXOTH);
}

// Leads to a path that is hidden by now, or that only other users may traverse. The job's own directories on the way,
// such as its /tmp, stay its own.
static bool make_way(const struct walls *walls, const char *path) {
  char at[PATH_MAX];
  if (snprintf(at, sizeof at, "%s/", path) >= (int)sizeof at) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    struct stat info;
    bool last = slash[1] == 0;
    if (stat(at, &info) != 0) {
      // Only in a place that was covered can something be missing that was there outside.
      if (errno != ENOENT || mkdir(at, 0755) != 0) return false;
    } else if (!last && !may_pass(walls, &info) && !cover(at)) {
      return false;
    }
    *slash = '/';
  }
  return true;
}

// Holds a file or directory with the mounts below it, even if other mounts cover it later. -1: see
// errno.
static int hold(const char *path, unsigned flags) {
  return (int)syscall(SYS_open_tree, AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);
}

// Puts what was held at its place, and lets go of it.
static bool put(int tree, const char *path, unsigned long flags) {
  struct statvfs info;
  if (tree < 0 || fstatvfs(tree, &info) != 0) return false;
  flags |= DATA_ONLY | (info.f_flag & (ST_RDONLY | ST_NOEXEC)); // the same bits as those of a mount
  bool done = syscall(SYS_move_mount, tree, "", AT_FDCWD, path,
                      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) == 0 &&
              mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | flags, NULL) == 0;
  int error = errno;
  close(tree);
  errno = error;
  return done;
}

static bool make_node(const struct device *device) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "/dev/%s", device->name);
  for (char *slash = strchr(path + 5, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return mknod(path, S_IFCHR | 0666, makedev(device->major, device->minor)) == 0;
}

static bool make_dev(const struct walls *walls, int shm, const char **what) {
  if (mount("headgate", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=1m") != 0) {
    return failed(what, "mount /dev");
  }
  for (size_t i = 0; i < STANDARD_DEVICE_COUNT; i++) {
    if (!make_node(&STANDARD_DEVICES[i])) return failed(what, STANDARD_DEVICES[i].name);
  }
  for (size_t i = 0; i < walls->device_count; i++) {
    if (!make_node(&walls->devices[i])) return failed(what, walls->devices[i].name);
  }
  const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
                                  {"/proc/self/fd/0", "/dev/stdin"},
                                  {"/proc/self/fd/1", "/dev/stdout"},
                                  {"/proc/self/fd/2", "/dev/stderr"},
                                  {"pts/ptmx", "/dev/ptmx"}};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    if (symlink(links[i][0], links[i][1]) != 0) return failed(what, links[i][1]);
  }
  const struct {
    const char *path, *type, *options;
  } mounts[] = {{"/dev/pts", "devpts", "newinstance,ptmxmode=0666,mode=0620"},
                {SHM, "tmpfs", "mode=1777"},
                {"/dev/mqueue", "mqueue", NULL}};
  for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
    unsigned long flags = MS_NOSUID | (strcmp(mounts[i].type, "devpts") ? MS_NODEV : MS_NOEXEC);
    if (mkdir(mounts[i].path, 0755) != 0) return failed(what, mounts[i].path);
    if (shm >= 0 && strcmp(mounts[i].path, SHM) == 0) {
      if (!put(shm, SHM, 0)) return failed(what, SHM);
      continue;
    }
    bool mounted = mount("headgate", mounts[i].path, mounts[i].type, flags, mounts[i].options) == 0;
    // A kernel may be built without message queues.
    if (!mounted && errno != ENODEV) return failed(what, mounts[i].path);
  }
  return true;
}

static bool start_loopback(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  bool up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  if (fd >= 0) close(fd);
  return up;
}

// The parts of the machine's file system that a job may see; in the order of the walls' lists.
struct held {
  int shown[MAX_PATHS], lent[MAX_PATHS];
  int root, tmp, var_tmp, shm, sys;
};

// A path that is missing is reported when it is mounted.
static void hold_all(const struct walls *walls, struct held *held) {
  for (size_t i = 0; i < walls->shown.count; i++) {
    held->shown[i] = hold(walls->shown.items[i], AT_RECURSIVE);
  }
  for (size_t i = 0; i < walls->lent.count; i++) {
    held->lent[i] = hold(walls->lent.items[i], AT_RECURSIVE);
  }
  held->root = walls->root ? hold(walls->root, 0) : -1;
  held->tmp = walls->tmp ? hold(walls->tmp, AT_RECURSIVE) : -1;
  held->var_tmp = walls->var_tmp ? hold(walls->var_tmp, AT_RECURSIVE) : -1;
  held->shm = walls->shm ? hold(walls->shm, AT_RECURSIVE) : -1;
  held->sys = walls->root ? hold("/sys", 0) : -1;
}

// Makes an image's files the job's /, and leaves those of the machine for good: whatever links an image
// has at the places where something is mounted afterwards, they lead nowhere else.
static bool change_root(const char *root, int tree) {
  return put(tree, root, 0) && chdir(root) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
         umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

// A file of the machine in an image, which may have one there, or a link, or nothing.
static bool put_file(const struct walls *walls, const char *path, int tree) {
  struct stat source, there;
  if (fstat(tree, &source) != 0) return false;
  if (S_ISDIR(source.st_mode)) return make_way(walls, path) && put(tree, path, MS_RDONLY);
  char way[PATH_MAX];
  snprintf(way, sizeof way, "%s", path);
  *strrchr(way, '/') = 0;
  if (*way && !make_way(walls, way)) return false;
  if (lstat(path, &there) == 0 && S_ISLNK(there.st_mode) && unlink(path) != 0) return false;
  int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  if (fd >= 0) close(fd);
  return fd >= 0 && put(tree, path, MS_RDONLY);
}

static bool furnish_root(const struct walls *walls, const struct held *held, const char **what) {
  if (!change_root(walls->root, held->root)) return failed(what, walls->root);
  static const char *const places[] = {"/tmp", "/var/tmp", "/dev", "/proc", "/sys"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (!make_way(walls, places[i])) return failed(what, places[i]);
  }
  if (!put(held->sys, "/sys", MS_RDONLY | MS_NOEXEC)) return failed(what, "/sys");
  for (size_t i = 0; i < walls->lent.count; i++) {
    if (!put_file(walls, walls->lent.items[i], held->lent[i])) {
      return failed(what, walls->lent.items[i]);
    }
  }
  return true;
}

static bool build(const struct walls *walls, const char **what) {
  int kinds = CLONE_NEWNS | CLONE_NEWIPC | (walls->own_network ? CLONE_NEWNET : 0);
  if (unshare(kinds) != 0) return failed(what, "make namespaces");
  if (walls->own_network && !start_loopback()) return failed(what, "start the loopback");
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return failed(what, "separate mounts");
  // Every visible path is held open before the first of them is covered.
  struct held held;
  hold_all(walls, &held);
  if (walls->root && !furnish_root(walls, &held, what)) return false;
  // Before a /tmp of its own replaces the places of some.
  for (size_t i = 0; !walls->root && i < walls->withheld.count; i++) {
    if (!withhold(walls->withheld.items[i])) return failed(what, walls->withheld.items[i]);
  }
  if (walls->tmp && !put(held.tmp, "/tmp", 0)) return failed(what, "replace /tmp");
  if (held.var_tmp >= 0 && !put(held.var_tmp, "/var/tmp", 0)) {
    return failed(what, "replace /var/tmp");
  }
  for (size_t i = 0; !walls->root && i < walls->hidden.count; i++) {
    if (!cover(walls->hidden.items[i]) && errno != ENOENT) {
      return failed(what, walls->hidden.items[i]);
    }
  }
  for (size_t i = 0; i < walls->shown.count; i++) {
    if (held.shown[i] < 0) continue; // what is not there is not shown
    if (!make_way(walls, walls->shown.items[i]) || !put(held.shown[i], walls->shown.items[i], 0)) {
      return failed(what, walls->shown.items[i]);
    }
  }
  if (walls->shm && held.shm < 0) return failed(what, walls->shm);
  if (!make_dev(walls, held.shm, what)) return false;
  if (mount("proc", "/proc", "proc", DATA_ONLY | MS_NOEXEC, NULL) != 0) {
    return failed(what, "mount /proc");
  }
  // Last, because until here places were made in it.
  if (walls->root && mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | DATA_ONLY, NULL) != 0) {
    return failed(what, "close the image");
  }
  return true;
}

int walls_run_with_shm(const char *directory, char *const *argv) {
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0 ||
      !put(hold(directory, AT_RECURSIVE), SHM, 0)) {
    fprintf(stderr, "%s as %s: %s\n", directory, SHM, strerror(errno));
    return EXIT_SYSTEM;
  }
  umask(022);
  execv(argv[0], argv);
  fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
  return EXIT_SYSTEM;
}

static bool give_up_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[2] = {{0}, {0}};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0;
}

__attribute__((noreturn)) static void be_first(const struct walls *walls, int answer_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "headgate-inside");
  umask(0);
  const char *what = "give up privileges";
  char message[256];
  if (!build(walls, &what) || !give_up_capabilities()) {
    int length = snprintf(message, sizeof message, "%.120s: %s", what, strerror(errno));
    _exit(write(answer_fd, message, (size_t)length) < 0 ? 1 : 2);
  }
  // Orphans leave no zombies with a parent that does not care.
  signal(SIGCHLD, SIG_IGN);
  // If the supervisor was killed before we could watch for its death, the pipe has no reader left.
  if (write(answer_fd, "", 1) != 1) _exit(1);
  if (chdir("/") != 0) _exit(1);
  close_range(0, ~0U, 0);
  for (;;) pause();
}

pid_t walls_raise(const struct walls *walls, char *why, size_t why_size) {
  int answer[2];
  if (unshare(CLONE_NEWPID) != 0 || pipe2(answer, O_CLOEXEC) != 0) {
    snprintf(why, why_size, "make a PID namespace: %s", strerror(errno));
    return -1;
  }
  pid_t first = fork();
  if (first == 0) {
    close(answer[0]);
    be_first(walls, answer[1]);
  }
  close(answer[1]);
  char message[256];
  ssize_t length = first < 0 ? -1 : read(answer[0], message, sizeof message - 1);
  close(answer[0]);
  if (length == 1 && message[0] == 0) return first;
  if (length > 0) {
    message[length] = 0;
    snprintf(why, why_size, "%s", message);
  } else {
    snprintf(why, why_size, "start the first process: %s",
             first < 0 ? strerror(errno) : "it died");
  }
  if (first > 0) waitpid(first, NULL, 0);
  return -1;
}

static void probe(const char *name, const struct walls *walls, const char *cgroup) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    char why[256] = "";
    bool good;
    if (cgroup) {
      good = walls->fence_metadata ? fence_metadata(cgroup) : fence_by_program(cgroup, walls);
      if (!good) snprintf(why, sizeof why, "%s", strerror(errno));
    } else if (walls->filtered) {
      good = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_calls();
      if (!good) snprintf(why, sizeof why, "%s", strerror(errno));
    } else if (walls->inside) {
      good = walls_raise(walls, why, sizeof why) > 0;
    } else {
      good = enter_walls(walls, -1);
      if (!good) snprintf(why, sizeof why, "%s", strerror(errno));
    }
    printf("%s=%s\n", name, good ? "" : why);
    fflush(stdout);
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

int walls_probe(const char *cgroup) {
  static struct walls user = {.has_user = true, .user = 65534};
  static struct walls inside = {.inside = true};
  static struct walls network = {.inside = true, .own_network = true};
  static struct walls filtered = {.filtered = true};
  static struct walls none;
  static struct walls metadata = {.fence_metadata = true};
  probe("user", &user, NULL);
  probe("namespaces", &inside, NULL);
  probe("network", &network, NULL);
  probe("syscalls", &filtered, NULL);
  if (cgroup) {
    probe("fence", &none, cgroup);
    probe("metadata", &metadata, cgroup);
  }
  return 0;
}
