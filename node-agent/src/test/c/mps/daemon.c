// A fake of NVIDIA's nvidia-cuda-mps-control, with the functions that the agent uses. With -d it is the daemon.
// Otherwise it passes commands to the daemon of CUDA_MPS_PIPE_DIRECTORY: those on its standard input (protocol 2) or,
// after "-p 3", its arguments (v3.c). That directory holds:
//
//     nvidia-cuda-mps-control.pid   the daemon's
//     control                       socket of programs that use the GPU, for everybody
//     control_privileged            socket of commands, for the daemon's own user
//
// A program's connection is answered "<pid of the server> <limit in MiB, 0: none> <thread percentage>". The server is
// a process of the program's user, and there is one at a time. Its limits are those that were set when it started. The
// memory that it shares with its programs lies in /dev/shm.
//
// Faults (../state.h) of "mps-start" and "mps-command" strike this program, those of "mps-v3" strike it in that
// protocol. The daemon dies and hangs by signals, as the real one does.
#include "mps.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CLIENTS = 48, MAX_DEVICES = 8 };

struct limit {
  char device[96];
  long mib;
};
static struct limit limits[MAX_DEVICES];
static double percentage = 100.0;
static struct {
  pid_t pid;
  uid_t user;
  long mib;
  double percentage;
} server;
static struct {
  int fd;
  pid_t pid;
} clients[MAX_CLIENTS];

const char *pipe_directory(void) {
  const char *named = getenv("CUDA_MPS_PIPE_DIRECTORY");
  return named ? named : "/tmp/nvidia-mps";
}

static void path_to(char *path, const char *name) {
  snprintf(path, TEXT, "%s/%s", pipe_directory(), name);
}

static bool address(struct sockaddr_un *to, const char *name) {
  to->sun_family = AF_UNIX;
  int length = snprintf(to->sun_path, sizeof to->sun_path, "%s/%s", pipe_directory(), name);
  return length < (int)sizeof to->sun_path;
}

int listen_on(const char *name, mode_t mode) {
  struct sockaddr_un at = {0};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (!address(&at, name)) return -1;
  unlink(at.sun_path);
  if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || chmod(at.sun_path, mode) != 0) return -1;
  return listen(fd, 16) == 0 ? fd : -1;
}

static struct limit *limit_of(const char *device) {
  for (int i = 0; i < MAX_DEVICES; i++) {
    if (!limits[i].device[0] || strcmp(limits[i].device, device) == 0) {
      snprintf(limits[i].device, sizeof limits[i].device, "%s", device);
      return &limits[i];
    }
  }
  return &limits[0];
}

static void shared_file(char *path, pid_t pid) { snprintf(path, TEXT, "/dev/shm/nvidia-mps.%d", pid); }

bool share_memory(pid_t of, long mib) {
  char path[TEXT];
  shared_file(path, of);
  FILE *file = fopen(path, "we");
  if (!file) return false;
  fprintf(file, "%ld\n", mib);
  fclose(file);
  return chmod(path, 0644) == 0;
}

void unshare_memory(pid_t of) {
  char path[TEXT];
  shared_file(path, of);
  unlink(path);
}

static void end_server(void) {
  if (server.pid <= 0) return;
  kill(server.pid, SIGKILL);
  waitpid(server.pid, NULL, 0);
  unshare_memory(server.pid);
  server.pid = 0;
}

pid_t fork_server(int user) {
  int ready[2];
  if (pipe(ready) != 0) return 0;
  pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_NAME, "nvidia-cuda-mps-server");
    uid_t as = (uid_t)user;
    if (user >= 0 && geteuid() == 0 && (setgid(as) != 0 || setuid(as) != 0)) _exit(1);
    if (write(ready[1], "", 1) != 1) _exit(1);
    // The daemon's sockets and its lock end with the daemon.
    close_range(0, ~0U, 0);
    for (;;) pause();
  }
  close(ready[1]);
  char byte;
  bool up = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  if (up) return pid;
  if (pid > 0) waitpid(pid, NULL, 0);
  return 0;
}

static bool start_server(uid_t user) {
  server.user = user;
  // By its number, as real daemons of all ages understand; 0 is the only device that this one shows.
  server.mib = limit_of("0")->mib;
  server.percentage = percentage;
  server.pid = fork_server((int)user);
  return server.pid > 0;
}

static int client_count(void) {
  int count = 0;
  for (int i = 0; i < MAX_CLIENTS; i++) count += clients[i].fd > 0;
  return count;
}

static void welcome(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  char answer[LINE];
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) goto refuse;
  if (server.pid > 0 && server.user != peer.uid) {
    if (client_count() > 0) goto refuse; // of another user, for as long as that one computes
    end_server();
  }
  if (server.pid <= 0 && !start_server(peer.uid)) goto refuse;
  if (!share_memory(server.pid, server.mib)) goto refuse;
  for (int i = 0; i < MAX_CLIENTS; i++) {
    if (clients[i].fd > 0) continue;
    clients[i].fd = fd;
    clients[i].pid = peer.pid;
    snprintf(answer, sizeof answer, "%d %ld %.1f\n", server.pid, server.mib, server.percentage);
    if (write(fd, answer, strlen(answer)) < 0) errno = 0;
    return;
  }
refuse:
  close(fd);
}

static bool obey(char *command, char *answer) {
  char word[64] = "", device[96] = "", unit = 0;
  long number = 0;
  double part = 0;
  sscanf(command, "%63s", word);
  answer[0] = 0;
  if (strcmp(word, "quit") == 0) return false;
  if (strcmp(word, "get_server_list") == 0) {
    if (server.pid > 0) snprintf(answer, LINE, "%d\n", server.pid);
  } else if (sscanf(command, "get_server_status %ld", &number) == 1) {
    snprintf(answer, LINE, number == server.pid ? "ACTIVE\n" : "Server not found\n");
  } else if (sscanf(command, "start_server -uid %ld", &number) == 1) {
    if (server.pid <= 0) start_server((uid_t)number);
  } else if (sscanf(command, "get_client_list %ld", &number) == 1) {
    for (int i = 0; i < MAX_CLIENTS; i++) {
      size_t used = strlen(answer);
      if (clients[i].fd > 0) snprintf(answer + used, LINE - used, "%d\n", clients[i].pid);
    }
  } else if (sscanf(command, "set_default_active_thread_percentage %lf", &part) == 1) {
    if (part <= 0 || part > 100) {
      snprintf(answer, LINE, "Invalid percentage\n");
    } else {
      percentage = part;
      snprintf(answer, LINE, "%.1f\n", part);
    }
  } else if (strcmp(word, "get_default_active_thread_percentage") == 0) {
    snprintf(answer, LINE, "%.1f\n", percentage);
  } else if (sscanf(command, "set_default_device_pinned_mem_limit %95s %ld%c", device, &number,
                    &unit) == 3 &&
             (unit == 'G' || unit == 'M')) {
    limit_of(device)->mib = unit == 'G' ? number * 1024 : number;
  } else if (sscanf(command, "get_default_device_pinned_mem_limit %95s", device) == 1) {
    long mib = limit_of(device)->mib;
    // As drivers show it: whole gigabytes, rounded down, from one on.
    if (mib >= 1024) snprintf(answer, LINE, "%ldG\n", mib / 1024);
    if (mib > 0 && mib < 1024) snprintf(answer, LINE, "%ldM\n", mib);
  } else {
    snprintf(answer, LINE, "Invalid command: %.99s\n", word);
  }
  return true;
}

// False: the daemon is to end.
static bool serve_command(int fd) {
  char text[TEXT], answer[LINE];
  ssize_t got = read(fd, text, sizeof text - 1);
  bool on = true;
  if (got > 0) {
    text[got] = 0;
    on = obey(text, answer);
    if (write(fd, on ? answer : "", on ? strlen(answer) : 0) < 0) errno = 0;
  }
  if (on) {
    close(fd);
    return true;
  }
  char path[TEXT];
  end_server();
  static const char *const own[] = {"control", "control_privileged", "nvidia-cuda-mps-control.pid"};
  for (int i = 0; i < 3; i++) {
    path_to(path, own[i]);
    unlink(path);
  }
  close(fd);
  return false;
}

__attribute__((noreturn)) static void serve(int control, int privileged) {
  for (;;) {
    struct pollfd polled[MAX_CLIENTS + 2] = {{.fd = control, .events = POLLIN},
                                             {.fd = privileged, .events = POLLIN}};
    for (int i = 0; i < MAX_CLIENTS; i++) {
      polled[i + 2] = (struct pollfd){.fd = clients[i].fd > 0 ? clients[i].fd : -1, .events = POLLIN};
    }
    if (poll(polled, MAX_CLIENTS + 2, -1) < 0) continue;
    for (int i = 0; i < MAX_CLIENTS; i++) {
      char byte;
      if (polled[i + 2].revents && read(clients[i].fd, &byte, 1) <= 0) {
        int fd = clients[i].fd;
        clients[i].fd = 0;
        if (client_count() == 0) unshare_memory(server.pid);
        close(fd);
      }
    }
    if (polled[0].revents) welcome(accept4(control, NULL, NULL, SOCK_CLOEXEC));
    if (polled[1].revents && !serve_command(accept4(privileged, NULL, NULL, SOCK_CLOEXEC))) _exit(0);
  }
}

static int start_daemon(bool v3, bool multiuser) {
  char path[TEXT];
  mkdir(pipe_directory(), 0755);
  path_to(path, "control_lock");
  int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
    printf("An instance of this daemon is already running\n");
    return 1;
  }
  int control = listen_on("control", 0666);
  int privileged = listen_on("control_privileged", 0600);
  if (control < 0 || privileged < 0) {
    printf("Cannot create the control sockets in %s\n", pipe_directory());
    return 1;
  }
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0) return 1;
  if (pid == 0) {
    setsid();
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++) dup2(null, fd);
    if (v3) {
      serve_v3(control, privileged, multiuser);
      _exit(0);
    }
    serve(control, privileged);
  }
  path_to(path, "nvidia-cuda-mps-control.pid");
  FILE *file = fopen(path, "we");
  if (!file) return 1;
  fprintf(file, "%d", pid);
  fclose(file);
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  state_note("mps-start %s", visible ? visible : "all");
  return 0;
}

int connect_to_daemon(void) {
  struct sockaddr_un to = {0};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (address(&to, "control_privileged") && connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
  close(fd);
  return -1;
}

static int pass_on(char *command) {
  int fd = connect_to_daemon();
  if (fd < 0) {
    printf("Cannot find MPS control daemon process\n");
    return 1;
  }
  state_note("mps-command %.*s", (int)strcspn(command, "\n"), command);
  char answer[LINE];
  ssize_t got;
  if (write(fd, command, strlen(command)) < 0) return 1;
  while ((got = read(fd, answer, sizeof answer)) > 0) fwrite(answer, 1, (size_t)got, stdout);
  close(fd);
  return 0;
}

int main(int count, char **arguments) {
  bool starts = false, v3 = false, multiuser = false;
  int next = 1;
  for (; next < count; next++) {
    if (strcmp(arguments[next], "-d") == 0) {
      starts = true;
    } else if (strcmp(arguments[next], "-m") == 0) {
      multiuser = true;
    } else if (strcmp(arguments[next], "-p") == 0 && next + 1 < count && strcmp(arguments[next + 1], "3") == 0) {
      v3 = true;
      next++;
    } else {
      break;
    }
  }
  state_find_above(pipe_directory());
  int fault = begin(starts ? "mps-start" : "mps-command");
  if (!fault && v3) fault = begin("mps-v3");
  if (fault) {
    printf("Failed with %d\n", fault);
    return 1;
  }
  if (starts) return start_daemon(v3, multiuser);
  if (v3) return order_v3(count - next, arguments + next);
  char command[LINE];
  while (fgets(command, sizeof command, stdin)) {
    if (pass_on(command) != 0) return 1;
  }
  return 0;
}
