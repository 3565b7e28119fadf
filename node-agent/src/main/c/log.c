// A stream of output is kept in segments of exactly log_segment_bytes, named <stream>.<n>. Byte b of the stream is
// byte b % size of segment b / size. Readers therefore address bytes by their offset in the stream, also across
// rotation. Only the newest log_segments are kept.
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool log_open(struct log_stream *log, const char *name, int directory_fd, const struct spec *spec) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  // Only the read end may be non-blocking: the write end is what the job writes to.
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *log = (struct log_stream){.name = name,
                             .read_fd = ends[0],
                             .write_fd = ends[1],
                             .directory_fd = directory_fd,
                             .segment_fd = -1,
                             .spec = spec};
  return true;
}

static void segment_name(const struct log_stream *log, int64_t index, char *name, size_t size) {
  snprintf(name, size, "%s.%lld", log->name, (long long)index);
}

static bool segment_open(struct log_stream *log) {
  char name[48];
  segment_name(log, log->segment_index, name, sizeof name);
  // A file that is there already is not ours: the job may not choose where its output goes.
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  log->segment_fd = openat(log->directory_fd, name, flags, 0600);
  if (log->segment_fd < 0 && errno == EEXIST) {
    unlinkat(log->directory_fd, name, 0);
    log->segment_fd = openat(log->directory_fd, name, flags, 0600);
  }
  log->segment_size = 0;
  return log->segment_fd >= 0;
}

static void segment_rotate(struct log_stream *log) {
  close(log->segment_fd);
  log->segment_fd = -1;
  log->segment_index++;
  int64_t oldest_kept = log->segment_index - log->spec->log_segments + 1;
  if (oldest_kept > 0) {
    char name[48];
    segment_name(log, oldest_kept - 1, name, sizeof name);
    unlinkat(log->directory_fd, name, 0);
  }
}

// Stores as much as the disk takes and returns how much that was.
static size_t store(struct log_stream *log, const char *bytes, size_t length) {
  size_t stored = 0;
  while (stored < length) {
    if (log->segment_fd < 0 && !segment_open(log)) return stored;
    size_t room = (size_t)(log->spec->log_segment_bytes - log->segment_size);
    size_t part = length - stored < room ? length - stored : room;
    ssize_t n = write(log->segment_fd, bytes + stored, part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return stored;
    stored += (size_t)n;
    log->segment_size += n;
    if (log->segment_size == log->spec->log_segment_bytes) segment_rotate(log);
  }
  return stored;
}

// Says in the log itself what is missing there, once the disk takes bytes again.
static bool mention_loss(struct log_stream *log) {
  if (log->lost_bytes == 0) return true;
  char marker[96];
  int length = snprintf(marker, sizeof marker, "\n[headgate: %lld bytes of output lost, disk full]\n",
                        (long long)log->lost_bytes);
  size_t stored = store(log, marker, (size_t)length);
  // A marker cut in two is not repeated: it would grow the log on a disk that is nearly full.
  if (stored > 0) log->lost_bytes = 0;
  return stored == (size_t)length;
}

void log_note(struct log_stream *log, const char *text) {
  for (const char *const parts[] = {"[headgate: ", text, "]\n"}, *const *part = parts; part < parts + 3; part++) {
    store(log, *part, strlen(*part));
  }
}

bool log_pump(struct log_stream *log) {
  static char buffer[32 * 1024];
  ssize_t n = read(log->read_fd, buffer, sizeof buffer);
  if (n <= 0) return n < 0 && errno == EINTR;
  size_t stored = mention_loss(log) ? store(log, buffer, (size_t)n) : 0;
  // The job must never wait for a full disk, so its output is read on and dropped.
  log->lost_bytes += n - (ssize_t)stored;
  return true;
}

void log_close(struct log_stream *log) {
  // A pipe holds at most 1 MiB. The bound is for a job that handed its end to a stranger.
  for (int turn = 0; turn < 64 && log_pump(log); turn++) continue;
  mention_loss(log);
  close(log->read_fd);
  close(log->write_fd);
  if (log->segment_fd >= 0) close(log->segment_fd);
}
