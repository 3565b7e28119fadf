#include "supervisor.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Rounds of stopping descendants before they are killed; each finds what was forked meanwhile.
#define STOP_ROUNDS 16

extern char **environ;

struct stat_line {
  pid_t pid, parent;
  char state;
  uint64_t start_ticks;
};

static bool read_stat(pid_t pid, struct stat_line *line) {
  char path[32], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return false;
  text[n] = 0;
  // The name before it may hold spaces and parentheses, so fields count from the last one.
  char *after_name = strrchr(text, ')');
  if (!after_name) return false;
  int parent;
  unsigned long long start;
  if (sscanf(after_name + 1,
             " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
             &line->state, &parent, &start) != 3) {
    return false;
  }
  line->pid = pid;
  line->parent = parent;
  line->start_ticks = start;
  return true;
}

uint64_t process_start_ticks(pid_t pid) {
  struct stat_line line;
  return read_stat(pid, &line) ? line.start_ticks : 0;
}

static int open_in(const char *cgroup, const char *name) {
  int directory = open(cgroup, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return -1;
  int fd = openat(directory, name, O_WRONLY | O_CLOEXEC);
  int error = errno;
  close(directory);
  errno = error;
  return fd;
}

bool process_group_open(struct process_group *group, const struct spec *spec) {
  *group = (struct process_group){.procs_fd = -1, .kill_fd = -1};
  if (spec->cgroup) {
    group->procs_fd = open_in(spec->cgroup, "cgroup.procs");
    group->kill_fd = open_in(spec->cgroup, "cgroup.kill");
  }
  for (; group->v1_count < spec->groups.count; group->v1_count++) {
    int fd = open_in(spec->groups.items[group->v1_count], "cgroup.procs");
    if (fd < 0) return false;
    group->v1_fds[group->v1_count] = fd;
  }
  return true;
}

static bool join(int procs_fd, pid_t pid) {
  char text[16];
  int length = snprintf(text, sizeof text, "%d\n", (int)pid);
  return procs_fd >= 0 && write(procs_fd, text, (size_t)length) == length;
}

static char inherited_oom_score[16];

static bool write_oom_score(const char *score) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool written = write(fd, score, strlen(score)) > 0;
  close(fd);
  return written;
}

void protect_from_oom(void) {
  int fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, inherited_oom_score, sizeof inherited_oom_score - 1);
  close(fd);
  // Without the privilege the supervisor is still a poor target: it is small.
  if (n <= 0 || !write_oom_score("-900")) inherited_oom_score[0] = 0;
}

static void reset_signals(void) {
  // The raw call, because the C library hides two signals that an ancestor may have ignored.
  struct {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
  } standard = {0};
  for (int signal_number = 1; signal_number < NSIG; signal_number++) {
    syscall(SYS_rt_sigaction, signal_number, &standard, NULL, sizeof standard.mask);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

__attribute__((noreturn)) static void give_up(int error_fd, const char *doing, const char *what) {
  int error = errno;
  char text[256];
  int length =
      snprintf(text, sizeof text, "cannot %s %.120s: %s", doing, what, strerror(error));
  if (write(error_fd, text, (size_t)length) < 0) length = 0;
  dprintf(STDERR_FILENO, "[headgate: %s]\n", text);
  _exit(error == ENOENT ? 127 : 126);
}

// A program that is not there. Its job's PATH and directory are not those of the shell that submitted it, so the text
// says where it was looked for. One that is there lacks the interpreter of its first line.
__attribute__((noreturn)) static void no_program(int error_fd, const char *name, const char *directory) {
  char text[START_ERROR_SIZE];
  const char *path = getenv("PATH");
  int length =
      strchr(name, '/') == NULL
          ? snprintf(text, sizeof text, "program not found: %.120s; searched PATH %.300s", name,
                     path ? path : "(not set)")
      : access(name, F_OK) == 0
          ? snprintf(text, sizeof text, "program not found: the interpreter that %.120s names", name)
          : snprintf(text, sizeof text, "program not found: %.120s%s%.300s", name,
                     name[0] == '/' ? "" : "; searched directory ", name[0] == '/' ? "" : directory);
  if (length >= (int)sizeof text) length = sizeof text - 1;
  for (int i = 0; i < length; i++) {
    if ((unsigned char)text[i] < ' ') text[i] = '?'; // the status has one line for it
  }
  if (write(error_fd, text, (size_t)length) < 0) length = 0;
  dprintf(STDERR_FILENO, "[headgate: %s]\n", text);
  _exit(127);
}

__attribute__((noreturn)) static void run_child(const struct launch *launch, int gate_fd,
                                                int error_fd, pid_t supervisor) {
  setsid();
  // The parent is the supervisor, not the agent. If the supervisor dies, the job must die: otherwise no process would
  // stop it after a lost contact, and its slice could be given away while it still runs.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (launch->inside_fd < 0 && getppid() != supervisor) _exit(126);
  char go;
  while (read(gate_fd, &go, 1) != 1) {
    if (errno != EINTR) _exit(126);
  }
  int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(launch->out_fd, STDOUT_FILENO) < 0 ||
      dup2(launch->err_fd, STDERR_FILENO) < 0) {
    give_up(error_fd, "connect", "the standard streams");
  }
  // Everything else closes at exec; error_fd must stay open until then.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  reset_signals();
  if (inherited_oom_score[0]) write_oom_score(inherited_oom_score);
  umask(022);
  if (!enter_walls(launch->walls, launch->inside_fd)) give_up(error_fd, "wall off", "the job");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(error_fd, "give up", "privileges");
  // A change of user clears the death signal, so it is set again. In namespaces the first process has it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (launch->inside_fd < 0 && getppid() != supervisor) _exit(126);
  if (chdir(launch->directory) != 0) give_up(error_fd, "enter", launch->directory);
  // Last, because it refuses some of the calls made until here.
  if (launch->walls->filtered && !filter_calls()) give_up(error_fd, "filter", "system calls");
  environ = (char **)launch->env;
  execvp(launch->argv[0], launch->argv);
  if (errno == ENOENT) no_program(error_fd, launch->argv[0], launch->directory);
  give_up(error_fd, "run", launch->argv[0]);
}

bool launch_gated(const struct launch *launch, struct gated_child *child) {
  int gate[2], error[2];
  if (pipe2(gate, O_CLOEXEC) != 0) return false;
  if (pipe2(error, O_CLOEXEC | O_NONBLOCK) != 0) {
    close(gate[0]);
    close(gate[1]);
    return false;
  }
  pid_t supervisor = getpid();
  pid_t pid = fork();
  if (pid == 0) {
    close(gate[1]);
    run_child(launch, gate[0], error[1], supervisor);
  }
  close(gate[0]);
  close(error[1]);
  if (pid < 0) {
    close(gate[1]);
    close(error[0]);
    return false;
  }
  // Without a cgroup, killing by descent still reaches everything that the child starts. The limits of v1 and a fence
  // hold only for members of their cgroups.
  bool joined = join(launch->group->procs_fd, pid);
  bool bound = joined || !launch->walls->fence_by_program;
  for (size_t i = 0; bound && i < launch->group->v1_count; i++) {
    bound = join(launch->group->v1_fds[i], pid);
  }
  if (!bound) {
    int cause = errno;
    close(gate[1]); // it ends there
    close(error[0]);
    errno = cause;
    return false;
  }
  *child = (struct gated_child){
      .pid = pid, .gate_fd = gate[1], .error_fd = error[0], .in_cgroup = joined};
  return true;
}

void gate_open(struct gated_child *child) {
  // The child may have been killed already; the write must not kill us (SIGPIPE is blocked).
  if (write(child->gate_fd, "", 1) < 0) errno = 0;
  close(child->gate_fd);
  child->gate_fd = -1;
}

void kill_group(const struct process_group *group) {
  if (group->kill_fd >= 0 && write(group->kill_fd, "1", 1) < 0) errno = 0;
}

// Signals exactly this process: the pid may have been reused since it was read.
static void signal_exactly(const struct stat_line *process, int signal_number) {
  int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  if (fd < 0) return;
  if (process_start_ticks(process->pid) == process->start_ticks) {
    syscall(SYS_pidfd_send_signal, fd, signal_number, NULL, 0);
  }
  close(fd);
}

struct process_list {
  struct stat_line *items;
  size_t count, room;
};

static bool list_processes(struct process_list *list) {
  DIR *proc = opendir("/proc");
  if (!proc) return false;
  list->count = 0;
  for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    if (list->count == list->room) {
      size_t room = list->room ? list->room * 2 : 256;
      struct stat_line *items = realloc(list->items, room * sizeof *items);
      if (!items) break;
      list->items = items;
      list->room = room;
    }
    if (read_stat((pid_t)atoi(entry->d_name), &list->items[list->count])) list->count++;
  }
  closedir(proc);
  return true;
}

// Moves the descendants of `root` to the front and returns their number.
static size_t select_descendants(struct process_list *list, pid_t root) {
  size_t chosen = 0, before;
  do {
    before = chosen;
    for (size_t i = chosen; i < list->count; i++) {
      bool descends = list->items[i].parent == root;
      for (size_t j = 0; !descends && j < chosen; j++) {
        descends = list->items[i].parent == list->items[j].pid;
      }
      if (!descends) continue;
      struct stat_line found = list->items[i];
      list->items[i] = list->items[chosen];
      list->items[chosen++] = found;
    }
  } while (chosen > before);
  return chosen;
}

void kill_descendants(pid_t root) {
  struct process_list list = {NULL, 0, 0};
  size_t chosen = 0;
  bool forked = true;
  for (int round = 0; forked && round < STOP_ROUNDS && list_processes(&list); round++) {
    forked = false;
    chosen = select_descendants(&list, root);
    for (size_t i = 0; i < chosen; i++) {
      if (strchr("TtZX", list.items[i].state)) continue;
      signal_exactly(&list.items[i], SIGSTOP);
      forked = true;
    }
  }
  for (size_t i = 0; i < chosen; i++) signal_exactly(&list.items[i], SIGKILL);
  free(list.items);
}
