// The life of one job: running, then perhaps callback, SIGTERM, grace and SIGKILL, and always the
// removal of whatever it left behind before its end is reported.
#include "supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// How often what survives SIGKILL (uninterruptible sleep), or a full disk, is tried again.
#define RETRY_MS 1000
#define FIRST_SWEEP_MS 50

static void record(struct supervisor *self) {
  bool durable = status_write(&self->status, &self->spec);
  self->retry_at = durable ? NEVER : later(boot_ms(), RETRY_MS);
  if (!durable) return;
  control_announce(&self->control, self->status.version);
  self->done = self->status.exit_ms != 0;
}

// Kills whatever is left. Repeated until nothing is: a process may be in uninterruptible sleep.
static void sweep(struct supervisor *self) {
  kill_group(&self->group);
  // With the first process in its namespaces all of a job ends, whatever it forks meanwhile.
  if (self->inside_fd >= 0) syscall(SYS_pidfd_send_signal, self->inside_fd, SIGKILL, NULL, 0);
  else kill_descendants(getpid());
  self->sweep_ms = self->sweep_ms ? self->sweep_ms * 2 : FIRST_SWEEP_MS;
  if (self->sweep_ms > RETRY_MS) self->sweep_ms = RETRY_MS;
  self->phase_at = later(boot_ms(), self->sweep_ms);
}

// SIGKILL for a job that did not end in its grace time.
static void enter_kill(struct supervisor *self) {
  if (self->status.phase == PHASE_KILL) return;
  self->status.phase = PHASE_KILL;
  self->status.kill_ms = wall_ms();
  self->cleaning = true;
  sweep(self);
  record(self);
}

// SIGKILL for the processes of a job that has ended; not a phase of a stop.
static void clean_up(struct supervisor *self) {
  if (self->cleaning) return;
  self->cleaning = true;
  sweep(self);
}

static void enter_term(struct supervisor *self) {
  self->status.phase = PHASE_TERM;
  self->status.term_ms = wall_ms();
  // A child that has not made its session yet takes the signal as soon as it unblocks signals.
  if (kill(-self->status.pid, SIGTERM) != 0) kill(self->status.pid, SIGTERM);
  kill(-self->status.pid, SIGCONT); // a stopped job could not react
  self->phase_at = later(boot_ms(), self->grace_ms);
  record(self);
}

static bool names(const char *entry, const char *variable) {
  size_t length = strcspn(variable, "=") + 1;
  return strncmp(entry, variable, length) == 0;
}

// The job's environment and the variables of callbacks, which the job cannot forge; the entries live
// as long as we do.
static char **callback_env(struct supervisor *self) {
  static char pid_entry[40], reason_entry[60];
  // In namespaces of its own, the job is the second process, after the one that made them.
  int pid = self->inside_fd >= 0 ? 2 : (int)self->status.pid;
  snprintf(pid_entry, sizeof pid_entry, "HEADGATE_JOB_PID=%d", pid);
  snprintf(reason_entry, sizeof reason_entry, "HEADGATE_STOP_REASON=%s", self->status.stop_reason);
  size_t count = 0, kept = 0;
  while (self->spec.env[count]) count++;
  char **env = calloc(count + 3, sizeof *env);
  if (!env) return NULL;
  for (size_t i = 0; i < count; i++) {
    char *entry = self->spec.env[i];
    if (!names(entry, pid_entry) && !names(entry, reason_entry)) env[kept++] = entry;
  }
  env[kept] = pid_entry;
  env[kept + 1] = reason_entry;
  return env;
}

// The callback that the job was submitted with, or the file that replaced it meanwhile. It is only looked at here; it
// runs as the job, which may still remove it.
static char **callback_of(const struct spec *spec) {
  static char *registered[2];
  struct stat file;
  if (spec->callback) return spec->callback;
  if (!spec->on_abort || lstat(spec->on_abort, &file) != 0) return NULL;
  if (!S_ISREG(file.st_mode) || !(file.st_mode & S_IXUSR)) return NULL;
  registered[0] = spec->on_abort;
  return registered;
}

static bool start_callback(struct supervisor *self, char **callback) {
  char **env = callback_env(self);
  if (!env) return false;
  struct launch launch = {.argv = callback,
                          .env = env,
                          .directory = self->spec.directory,
                          .out_fd = self->out.write_fd,
                          .err_fd = self->err.write_fd,
                          .group = &self->group,
                          .walls = &self->spec.walls,
                          .inside_fd = self->inside_fd};
  struct gated_child child;
  bool started = launch_gated(&launch, &child);
  if (started) {
    self->callback_pid = child.pid;
    gate_open(&child);
    close(child.error_fd); // the callback's own log says it too
  }
  free(env);
  return started;
}

static void cut_callback(struct supervisor *self) {
  // Descendants first: once their parent is dead, they no longer descend from it.
  kill_descendants(self->callback_pid);
  kill(-self->callback_pid, SIGKILL);
  kill(self->callback_pid, SIGKILL); // it may not have made its session yet
  if (self->status.main_gone) clean_up(self);
  else enter_term(self);
}

static void stop(struct supervisor *self, const char *reason, int64_t callback_ms,
                 int64_t grace_ms) {
  if (self->status.phase == PHASE_CALLBACK && self->callback_pid && callback_ms == 0) {
    self->status.callback_cut = "skipped";
    self->grace_ms = grace_ms;
    cut_callback(self);
    return;
  }
  if (self->status.stop_reason[0] || self->status.main_gone) return;
  snprintf(self->status.stop_reason, sizeof self->status.stop_reason, "%s", reason);
  self->status.stop_ms = wall_ms();
  self->grace_ms = grace_ms;
  char **callback = callback_ms == 0 ? NULL : callback_of(&self->spec);
  if (!callback || !start_callback(self, callback)) {
    enter_term(self);
    return;
  }
  self->status.phase = PHASE_CALLBACK;
  self->status.callback_started_ms = wall_ms();
  self->status.callback_duration_ms = -1;
  self->callback_boot_ms = boot_ms();
  self->phase_at = later(self->callback_boot_ms, callback_ms);
  record(self);
}

void on_command(const struct command *command, void *supervisor) {
  struct supervisor *self = supervisor;
  int64_t now = boot_ms();
  switch (command->kind) {
    case COMMAND_CONTACT: {
      // The agent names the moment: a command that lay in a buffer must not prolong anything.
      int64_t contact = command->contact_boot_ms < now ? command->contact_boot_ms : now;
      int64_t at = later(contact, self->spec.stop_after_ms);
      if (at > self->stop_after_at) self->stop_after_at = at;
      break;
    }
    case COMMAND_STOP:
      stop(self, command->reason, command->callback_ms, command->grace_ms);
      break;
    case COMMAND_KILL:
      if (self->status.main_gone && !self->status.stop_reason[0]) break;
      if (!self->status.stop_reason[0]) {
        snprintf(self->status.stop_reason, sizeof self->status.stop_reason, "%s", command->reason);
        self->status.stop_ms = wall_ms();
      }
      enter_kill(self);
      break;
    case COMMAND_PAUSE:
      if (self->time_left_ms >= 0) break;
      self->time_left_ms = self->time_limit_at == NEVER ? NEVER : self->time_limit_at - now;
      if (self->time_left_ms < 0) self->time_left_ms = 0;
      self->time_limit_at = NEVER;
      break;
    case COMMAND_CONTINUE:
      if (self->time_left_ms >= 0 && !self->status.main_gone) {
        self->time_limit_at = later(now, self->time_left_ms);
      }
      self->time_left_ms = -1;
      break;
  }
}

static void callback_ended(struct supervisor *self, int wait_status) {
  self->callback_pid = 0;
  self->status.callback_status = wait_status;
  self->status.callback_duration_ms = boot_ms() - self->callback_boot_ms;
  // If the job has ended meanwhile, the clean-up follows; else it is told to end now.
  if (self->status.phase == PHASE_CALLBACK && !self->status.main_gone) enter_term(self);
  else record(self);
}

static void main_ended(struct supervisor *self, int wait_status) {
  struct status *status = &self->status;
  status->main_gone = true;
  status->main_status = wait_status;
  self->time_limit_at = NEVER;
  self->stop_after_at = NEVER;
  ssize_t n = read(self->error_fd, status->start_error, sizeof status->start_error - 1);
  status->start_error[n > 0 ? n : 0] = 0;
  for (char *c = status->start_error; *c; c++) {
    if ((unsigned char)*c < ' ') *c = '?'; // one line of the status file
  }
}

static void finish(struct supervisor *self) {
  log_close(&self->out);
  log_close(&self->err);
  self->status.exit_ms = wall_ms();
  self->phase_at = NEVER;
  record(self);
}

// After SIGTERM all of the job's process group has the grace time, also when the program itself ends
// first: a shell that dies at once must not cost the program below it its last words.
static bool group_has_grace(const struct supervisor *self) {
  bool waits = self->status.phase == PHASE_TERM && !self->cleaning && self->phase_at != NEVER;
  return waits && kill(-self->status.pid, 0) == 0;
}

void reap(struct supervisor *self) {
  pid_t pid;
  int wait_status;
  while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
    if (pid == self->status.pid) main_ended(self, wait_status);
    else if (pid == self->callback_pid) callback_ended(self, wait_status);
  }
  // As a subreaper we inherit every orphan of the job, so "no child" means "nothing left".
  self->all_gone = pid < 0 && errno == ECHILD;
  if (self->all_gone && self->status.exit_ms == 0) finish(self);
  // A callback may still be saving what the job wrote last: it keeps its time.
  else if (self->status.main_gone && !self->callback_pid && !group_has_grace(self)) clean_up(self);
}

static void phase_over(struct supervisor *self) {
  if (self->cleaning) {
    sweep(self);
  } else if (self->status.phase == PHASE_CALLBACK) {
    self->status.callback_cut = "timed-out";
    cut_callback(self);
  } else if (self->status.phase == PHASE_TERM) {
    enter_kill(self);
  }
}

void on_time(struct supervisor *self) {
  uint64_t expirations;
  if (read(self->timer_fd, &expirations, sizeof expirations) < 0) return;
  int64_t now = boot_ms();
  if (now >= self->stop_after_at) {
    self->stop_after_at = NEVER;
    stop(self, "stop-after", self->spec.callback_ms, self->spec.grace_ms);
  }
  if (now >= self->time_limit_at) {
    self->time_limit_at = NEVER;
    stop(self, "time-limit", self->spec.time_limit_callback_ms, self->spec.grace_ms);
  }
  if (now >= self->phase_at) {
    self->phase_at = NEVER;
    phase_over(self);
  }
  if (now >= self->retry_at) record(self);
}

// SIGTERM to the supervisor is how an init system ends the machine: leave time for the callback.
void on_machine_shutdown(struct supervisor *self) {
  // An agent that stops the job has the kubelet end its pod, too; the callback keeps its time.
  if (self->spec.first && self->status.stop_reason[0]) return;
  stop(self, "shutdown", self->spec.callback_ms, self->spec.grace_ms);
}
