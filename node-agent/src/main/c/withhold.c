// Keeps a job from directories whose file systems may be gone, may come back while it runs, or may never answer, such
// as shared storage. A file system that a job has no use for must not keep it from its start.
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MS 5000

// 0: the directory is there. Otherwise an errno; ETIMEDOUT: its file system does not answer. A process of its own
// asks, because a question to a server that is away may wait for ever.
static int look(const char *path) {
  int answer[2];
  if (pipe2(answer, O_CLOEXEC) != 0) return errno;
  pid_t child = fork();
  if (child == 0) {
    struct stat info;
    int found = stat(path, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    _exit(write(answer[1], &found, sizeof found) != sizeof found);
  }
  int problem = child < 0 ? errno : ETIMEDOUT;
  close(answer[1]);
  struct pollfd ready = {.fd = answer[0], .events = POLLIN};
  if (child > 0 && poll(&ready, 1, ANSWER_MS) == 1 &&
      read(answer[0], &problem, sizeof problem) != sizeof problem) {
    problem = EIO;
  }
  close(answer[0]);
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, NULL, problem == ETIMEDOUT ? WNOHANG : 0);
  }
  return problem;
}

// The kernel writes blanks and the like of a path as \040.
static void unescape(char *path) {
  char *to = path;
  for (const char *from = path; *from; to++) {
    if (from[0] == '\\' && from[1] && from[2] && from[3]) {
      *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
      from += 4;
    } else {
      *to = *from++;
    }
  }
  *to = 0;
}

// The mount that a path is on, by the text of both: no file system is asked.
static bool mount_of(const char *path, char place[PATH_MAX]) {
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  if (!mounts) return false;
  strcpy(place, "/");
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, mounts) > 0) {
    char *at = line;
    for (int field = 1; field < 5 && at; field++) at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    if (!at) continue;
    at[strcspn(at, " ")] = 0;
    unescape(at);
    size_t length = strlen(at);
    bool leads = strncmp(path, at, length) == 0 && (path[length] == '/' || path[length] == 0);
    if (leads && length >= strlen(place) && length < PATH_MAX) strcpy(place, at);
  }
  free(line);
  fclose(mounts);
  return true;
}

bool withhold(const char *path) {
  int problem = look(path);
  if (problem == 0) return cover(path);
  char place[PATH_MAX];
  if (!mount_of(path, place)) return false;
  if (problem == ENOENT || problem == ENOTDIR) {
    // The job sees no mount that is made there later. A mount that the machine removes stays for it.
    return mount(NULL, place, NULL, MS_PRIVATE, NULL) == 0;
  }
  // It does not answer, or not to root. It may answer later, and cannot be covered below its mount.
  errno = problem;
  return strcmp(place, "/") != 0 && umount2(place, MNT_DETACH | UMOUNT_NOFOLLOW) == 0 && cover(place);
}
