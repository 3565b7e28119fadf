// The command lines of the supervisor. supervisor.h lists the exit codes.
//
//     headgate-supervisor ATTEMPT_DIRECTORY
//
// Starts the attempt whose spec lies in the directory, and returns as soon as the start is durable. A child in a
// session of its own stays as the supervisor.
//
//     headgate-supervisor --first ATTEMPT_DIRECTORY
//
// Stays and is itself the supervisor, as the first process of a container, whose walls the container engine made. It
// runs as the job's user there. It therefore accepts commands from root only and cannot be traced.
//
//     headgate-supervisor --own USER DIRECTORY
//
// Gives the directory and everything in it to the user.
//
//     headgate-supervisor --disk-probe | --disk-room | --disk-limit | --disk-free | --disk-sweep ...
//
// Limits the space of directories; disk.c says how, and by which arguments.
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Before children are reaped: when an init system ends the machine, its SIGTERM hits us and the job at
// once, and the job's end has to count as a part of that. SIGCHLD needs nothing here.
static void take_signals(struct supervisor *self) {
  struct signalfd_siginfo info;
  while (read(self->signal_fd, &info, sizeof info) == sizeof info) {
    // An image names the signal that ends its container. The engine sends it from outside the namespace, so the sender
    // has no pid here. The job itself must not end itself in the machine's name.
    bool outside = info.ssi_code == SI_USER && info.ssi_pid == 0;
    if (self->spec.first ? outside : info.ssi_signo == SIGTERM) on_machine_shutdown(self);
  }
}

static void on_connection(struct supervisor *self) {
  control_accept(&self->control, self->epoll_fd);
  // A change before the accept went unannounced, perhaps after the client had read the status.
  control_announce(&self->control, self->status.version);
}

static void arm(struct supervisor *self) {
  int64_t at = self->time_limit_at;
  if (self->stop_after_at < at) at = self->stop_after_at;
  if (self->phase_at < at) at = self->phase_at;
  if (self->retry_at < at) at = self->retry_at;
  struct itimerspec timer = {0};
  if (at != NEVER) {
    if (at < 1) at = 1; // zero would disarm it
    timer.it_value = (struct timespec){.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
  }
  timerfd_settime(self->timer_fd, TFD_TIMER_ABSTIME, &timer, NULL);
}

static void run(struct supervisor *self) {
  while (!self->done) {
    take_signals(self);
    reap(self);
    if (self->done) break;
    arm(self);
    struct epoll_event events[8];
    int count = epoll_wait(self->epoll_fd, events, 8, -1);
    for (int i = 0; i < count; i++) {
      int fd = events[i].data.fd;
      if (fd == self->timer_fd) on_time(self);
      else if (fd == self->out.read_fd) log_pump(&self->out);
      else if (fd == self->err.read_fd) log_pump(&self->err);
      else if (fd == self->control.listen_fd) on_connection(self);
      else if (fd == self->control.client_fd) control_read(&self->control, on_command, self);
    }
  }
}

static bool watch(struct supervisor *self, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  return fd >= 0 && epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

// The launcher reports to the agent by exit code and one sentence on stderr.
__attribute__((noreturn)) static void refuse(int launcher_fd, int code, const char *why) {
  char message[300];
  if (launcher_fd < 0) {
    fprintf(stderr, "%s%s%s\n", why, errno ? ": " : "", errno ? strerror(errno) : "");
    _exit(code);
  }
  int length = snprintf(message, sizeof message, "%c%s%s%s", code, why, errno ? ": " : "",
                        errno ? strerror(errno) : "");
  if (write(launcher_fd, message, (size_t)length) < 0) _exit(EXIT_SYSTEM);
  _exit(code);
}

// The first process of a container is not launched again. It therefore outwaits an agent that only checks whether the
// lock is held.
#define LOCK_TRIES 40
#define LOCK_WAIT_NS 50000000

static void lock_attempt(int launcher_fd, bool again) {
  int fd = open("lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) refuse(launcher_fd, EXIT_SYSTEM, "cannot open the lock");
  // An open-file-description lock: it conflicts with the agent's own fcntl probe, and ends with us.
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int tries = again ? LOCK_TRIES : 1;
  while (fcntl(fd, F_OFD_SETLK, &whole) != 0) {
    if (--tries > 0) {
      nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
      continue;
    }
    bool held = errno == EAGAIN || errno == EACCES;
    if (held) errno = 0;
    refuse(launcher_fd, held ? EXIT_ALREADY_SUPERVISED : EXIT_SYSTEM, "cannot take the lock");
  }
  // The status is durable before the job runs any code, so without one the job never ran. A launcher
  // that comes late, held up by a slow disk, finds that its attempt was given up meanwhile.
  if (access("status", F_OK) == 0 || access("refused", F_OK) == 0) {
    errno = 0;
    refuse(launcher_fd, EXIT_ALREADY_STARTED, "the attempt was started or refused before");
  }
}

static void set_up(struct supervisor *self, int launcher_fd) {
  sigset_t blocked;
  sigfillset(&blocked);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  sigset_t watched = blocked;
  if (!self->spec.first) {
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGTERM);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  mkdir("logs", 0700);
  int logs = open("logs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  self->signal_fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  self->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (logs < 0 || self->epoll_fd < 0 || !log_open(&self->out, "stdout", logs, &self->spec) ||
      !log_open(&self->err, "stderr", logs, &self->spec) ||
      !control_open(&self->control, self->spec.first) ||
      !watch(self, self->signal_fd) || !watch(self, self->timer_fd) ||
      !watch(self, self->out.read_fd) || !watch(self, self->err.read_fd) ||
      !watch(self, self->control.listen_fd)) {
    refuse(launcher_fd, EXIT_SYSTEM, "cannot set up the supervisor");
  }
  if (self->spec.note) log_note(&self->err, self->spec.note);
  protect_from_oom();
  if (!process_group_open(&self->group, &self->spec)) {
    refuse(launcher_fd, EXIT_SYSTEM, "cannot use the job's cgroups");
  }
  status_reserve();
}

// Before anything of the job runs, and all of it or nothing.
static void raise_walls(struct supervisor *self, int launcher_fd) {
  struct walls *walls = &self->spec.walls;
  for (size_t i = 0; i < walls->owned.count; i++) {
    if (!own_tree(walls->owned.items[i], walls->user)) {
      refuse(launcher_fd, EXIT_REJECTED, "cannot change the owner of the job's directories");
    }
  }
  // Its own output, which a program may open by name (/dev/stderr).
  if (walls->has_user && (fchown(self->out.write_fd, walls->user, walls->user) != 0 ||
                          fchown(self->err.write_fd, walls->user, walls->user) != 0)) {
    refuse(launcher_fd, EXIT_SYSTEM, "cannot change the owner of the job's output");
  }
  if ((walls->fence_by_program && !fence_by_program(self->spec.cgroup, walls)) ||
      (walls->fence_group && !fence_by_group(walls))) {
    refuse(launcher_fd, EXIT_SYSTEM, "cannot fence the devices");
  }
  if (walls->fence_metadata && !fence_metadata(self->spec.cgroup)) {
    refuse(launcher_fd, EXIT_SYSTEM, "cannot keep the job from the metadata service");
  }
  self->inside_fd = -1;
  if (!walls->inside) return;
  char why[256], sentence[300];
  self->inside_pid = walls_raise(walls, why, sizeof why);
  snprintf(sentence, sizeof sentence, "cannot raise the job's walls: %s", why);
  errno = 0;
  if (self->inside_pid < 0) refuse(launcher_fd, EXIT_SYSTEM, sentence);
  self->inside_fd = (int)syscall(SYS_pidfd_open, self->inside_pid, 0);
  if (self->inside_fd < 0) refuse(launcher_fd, EXIT_SYSTEM, "cannot open the job's namespaces");
}

// A pod that was to start before the machine was restarted starts afterwards, when its attempt was given up.
static bool is_of_this_boot(const struct spec *spec) {
  char now[65] = "";
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd < 0 ? -1 : read(fd, now, sizeof now - 1);
  if (fd >= 0) close(fd);
  now[length > 0 ? length : 0] = 0;
  now[strcspn(now, "\n")] = 0;
  return strcmp(now, spec->boot_id) == 0;
}

static void start(struct supervisor *self, int launcher_fd) {
  if (self->spec.first && !is_of_this_boot(&self->spec)) {
    errno = 0;
    refuse(launcher_fd, EXIT_TOO_LATE, "the machine was restarted; the attempt may run elsewhere");
  }
  // A launch may come late: its agent was paused, or recovers an old assignment after an outage.
  self->stop_after_at = later(self->spec.contact_boot_ms, self->spec.stop_after_ms);
  if (self->stop_after_at <= boot_ms()) {
    errno = 0;
    refuse(launcher_fd, EXIT_TOO_LATE, "the control plane was out of contact for too long; the attempt may run elsewhere");
  }
  raise_walls(self, launcher_fd);
  struct launch launch = {.argv = self->spec.argv,
                          .env = self->spec.env,
                          .directory = self->spec.directory,
                          .out_fd = self->out.write_fd,
                          .err_fd = self->err.write_fd,
                          .group = &self->group,
                          .walls = &self->spec.walls,
                          .inside_fd = self->inside_fd};
  struct gated_child child;
  if (!launch_gated(&launch, &child)) refuse(launcher_fd, EXIT_SYSTEM, "cannot fork, or join a cgroup");
  self->error_fd = child.error_fd;
  self->status.pid = child.pid;
  self->status.pid_start_ticks = process_start_ticks(child.pid);
  self->status.in_cgroup = child.in_cgroup;
  self->status.started_ms = wall_ms();
  // Only once this is durable may the job run; if it cannot be, the closed gate ends the child.
  if (!status_write(&self->status, &self->spec)) {
    refuse(launcher_fd, EXIT_SYSTEM, "cannot write the status");
  }
  self->time_limit_at = later(boot_ms(), self->spec.time_limit_ms);
  self->time_left_ms = -1;
  self->phase_at = NEVER;
  self->retry_at = NEVER;
  gate_open(&child);
}

__attribute__((noreturn)) static void supervise(const struct spec *spec, int launcher_fd) {
  static struct supervisor self;
  self.spec = *spec;
  setsid();
  lock_attempt(launcher_fd, self.spec.first);
  set_up(&self, launcher_fd);
  start(&self, launcher_fd);
  if (launcher_fd >= 0) {
    if (write(launcher_fd, "", 1) < 0) errno = 0; // the agent may be gone; the job runs anyway
    close(launcher_fd);
  }
  int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; null_fd >= 0 && fd <= STDERR_FILENO; fd++) dup2(null_fd, fd);
  run(&self);
  int ended = self.status.main_status;
  // The container's exit status is that of the job, for tools that inspect the container.
  _exit(!self.spec.first ? EXIT_SUCCESS : WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended));
}

static int launch_supervisor(const struct spec *spec) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return EXIT_SYSTEM;
  pid_t pid = fork();
  if (pid < 0) return EXIT_SYSTEM;
  if (pid == 0) {
    close(ends[0]);
    supervise(spec, ends[1]);
  }
  close(ends[1]);
  char message[300];
  ssize_t length = read(ends[0], message, sizeof message - 1);
  if (length <= 0) {
    fprintf(stderr, "the supervisor died while it started\n");
    return EXIT_UNKNOWN;
  }
  message[length] = 0;
  if (message[0] != 0) fprintf(stderr, "%s\n", message + 1);
  return message[0];
}

int main(int count, char **arguments) {
  close_range(STDERR_FILENO + 1, ~0U, 0);
  umask(077);
  if (count > 1 && strcmp(arguments[1], "--probe") == 0) {
    return walls_probe(count > 2 ? arguments[2] : NULL);
  }
  static const struct {
    const char *name;
    int (*run)(char *const *);
  } disk[] = {{"--disk-probe", disk_probe},
              {"--disk-room", disk_room},
              {"--disk-limit", disk_limit},
              {"--disk-free", disk_free},
              {"--disk-sweep", disk_sweep}};
  for (size_t i = 0; count > 4 && i < sizeof disk / sizeof *disk; i++) {
    if (strcmp(arguments[1], disk[i].name) == 0) return disk[i].run(arguments + 2);
  }
  if (count > 3 && strcmp(arguments[1], "--shm") == 0) {
    return walls_run_with_shm(arguments[2], arguments + 3);
  }
  if (count == 4 && strcmp(arguments[1], "--own") == 0) {
    if (own_tree(arguments[3], (uid_t)strtoul(arguments[2], NULL, 10))) return EXIT_SUCCESS;
    fprintf(stderr, "%s: %s\n", arguments[3], strerror(errno));
    return EXIT_SYSTEM;
  }
  bool first = count == 3 && strcmp(arguments[1], "--first") == 0;
  if (count != 2 && !first) {
    fprintf(stderr, "usage: headgate-supervisor [--first] ATTEMPT_DIRECTORY\n");
    return EXIT_USAGE;
  }
  // Where an image has its programs run.
  char *origin = first ? getcwd(NULL, 0) : NULL;
  const char *attempt = arguments[count - 1];
  if (chdir(attempt) != 0) {
    fprintf(stderr, "%s: %s\n", attempt, strerror(errno));
    return EXIT_USAGE;
  }
  struct spec spec;
  char why[300] = "out of memory";
  if (!spec_read(&spec, why, sizeof why) || (first && !spec_complete(&spec, origin))) {
    fprintf(stderr, "%s\n", why);
    return EXIT_USAGE;
  }
  if (!first) return launch_supervisor(&spec);
  // The job is the same user, and not to look into us or to lend us its memory.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  supervise(&spec, -1);
}
