#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESERVED_BYTES (16 * 1024)

struct text {
  char bytes[4096];
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t room = sizeof text->bytes - text->length;
  int n = vsnprintf(text->bytes + text->length, room, format, arguments);
  va_end(arguments);
  // Every value is bounded, so this never cuts; it only keeps a mistake from overrunning.
  if (n > 0) text->length += (size_t)n < room ? (size_t)n : room - 1;
}

static void put_time(struct text *text, const char *key, int64_t ms) {
  if (ms != 0) put(text, "%s=%lld\n", key, (long long)ms);
}

static void put_wait_status(struct text *text, const char *what, int status) {
  if (WIFSIGNALED(status)) put(text, "%s_signal=%d\n", what, WTERMSIG(status));
  else put(text, "%s_code=%d\n", what, WEXITSTATUS(status));
}

static void put_callback(struct text *text, const struct status *status) {
  if (status->callback_started_ms == 0) return;
  put_time(text, "callback_started_ms", status->callback_started_ms);
  if (status->callback_cut) put(text, "callback_cut=%s\n", status->callback_cut);
  if (status->callback_duration_ms < 0) return;
  put(text, "callback_duration_ms=%lld\n", (long long)status->callback_duration_ms);
  put_wait_status(text, "callback", status->callback_status);
}

static void put_exit(struct text *text, const struct status *status) {
  if (status->exit_ms == 0) return;
  put_time(text, "exit_ms", status->exit_ms);
  if (status->start_error[0]) {
    put(text, "exit_reason=start-failed\nerror=%s\n", status->start_error);
    return;
  }
  put(text, "exit_reason=%s\n", status->stop_reason[0] ? status->stop_reason : "exited");
  put_wait_status(text, "exit", status->main_status);
}

void status_reserve(void) {
  int fd = open("reserve", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  // Where the file system cannot set space aside, status_write's repetition has to do.
  if (posix_fallocate(fd, 0, RESERVED_BYTES) != 0) unlink("reserve");
  close(fd);
}

static bool write_durably(const struct text *text) {
  int fd = open("status.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  size_t written = 0;
  while (written < text->length) {
    ssize_t n = write(fd, text->bytes + written, text->length - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += (size_t)n;
  }
  bool good = written == text->length && fdatasync(fd) == 0;
  close(fd);
  if (!good || rename("status.new", "status") != 0) return false;
  int directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  good = directory >= 0 && fsync(directory) == 0;
  if (directory >= 0) close(directory);
  return good;
}

bool status_write(struct status *status, const struct spec *spec) {
  static const char *const phases[] = {
      [PHASE_CALLBACK] = "callback", [PHASE_TERM] = "term", [PHASE_KILL] = "kill"};
  struct text text = {.length = 0};
  const char *state = status->exit_ms ? "exited" : status->phase ? "stopping" : "running";
  put(&text, "version=%lld\nstate=%s\n", (long long)++status->version, state);
  put(&text, "boot_id=%s\n", spec->boot_id);
  put(&text, "supervisor_pid=%d\nsupervisor_start_ticks=%llu\n", (int)getpid(),
      (unsigned long long)process_start_ticks(getpid()));
  put(&text, "pid=%d\npid_start_ticks=%llu\n", (int)status->pid,
      (unsigned long long)status->pid_start_ticks);
  put(&text, "cgroup=%d\n", status->in_cgroup);
  put_time(&text, "started_ms", status->started_ms);
  if (status->stop_reason[0]) put(&text, "stop_reason=%s\n", status->stop_reason);
  put_time(&text, "stop_ms", status->stop_ms);
  if (status->phase) put(&text, "phase=%s\n", phases[status->phase]);
  put_callback(&text, status);
  put_time(&text, "term_ms", status->term_ms);
  put_time(&text, "kill_ms", status->kill_ms);
  put_exit(&text, status);
  if (write_durably(&text)) return true;
  unlink("reserve");
  return write_durably(&text);
}
