// The daemon in protocol 3. It has named servers and namespaces, and each namespace has its own socket and its own
// limits. Programs that connect to <server>/<namespace>/control have these limits; programs that connect to control
// itself have none.
//
// Faults (../state.h) of "mps-vanish" strike the creation of a server: the command succeeds, but the server is absent.
// The real daemon does this when the server names a device that the daemon does not have.
#include "mps.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SERVERS = 4, NAMESPACES = 4, CLIENTS = 48, SPACES = SERVERS * NAMESPACES, NAME = 32, ANSWER = 1024 };

static struct server {
  char name[NAME];
  pid_t pid;
} servers[SERVERS];

static struct space {
  char name[NAME];
  struct server *of;
  int fd;
  long mib;
  double percentage;
} spaces[SPACES];

static struct {
  int fd;
  pid_t pid, server;
} clients[CLIENTS];

static bool is_multiuser;

static struct server *server_named(const char *name) {
  for (int i = 0; name && i < SERVERS; i++) {
    if (servers[i].pid > 0 && strcmp(servers[i].name, name) == 0) return &servers[i];
  }
  return NULL;
}

static struct space *space_named(const struct server *of, const char *name) {
  for (int i = 0; name && i < SPACES; i++) {
    if (spaces[i].of == of && strcmp(spaces[i].name, name) == 0) return &spaces[i];
  }
  return NULL;
}

static void path_of(char *path, const struct server *server, const char *space, const char *file) {
  snprintf(path, TEXT, "%s/%s%s%s%s%s", pipe_directory(), server->name, space ? "/" : "", space ? space : "",
           file ? "/" : "", file ? file : "");
}

static void make_open(const char *path) {
  if (mkdir(path, 0755) == 0 && chmod(path, 0755) != 0) perror(path);
}

static bool make_space(struct server *of, const char *name) {
  char path[TEXT];
  struct space *made = NULL;
  for (int i = 0; i < SPACES && !made; i++) {
    if (!spaces[i].of) made = &spaces[i];
  }
  if (!made || space_named(of, name)) return false;
  path_of(path, of, name, NULL);
  make_open(path);
  snprintf(path, sizeof path, "%s/%s/control", of->name, name);
  *made = (struct space){.of = of, .percentage = 100, .fd = listen_on(path, 0666)};
  snprintf(made->name, sizeof made->name, "%s", name);
  return made->fd >= 0;
}

static void remove_space(struct space *space) {
  char path[TEXT];
  path_of(path, space->of, space->name, "control");
  unlink(path);
  path_of(path, space->of, space->name, NULL);
  rmdir(path);
  close(space->fd);
  space->of = NULL;
}

static bool make_server(const char *name, const char *devices) {
  const char *own = getenv("CUDA_VISIBLE_DEVICES");
  // Without a word, as the real one does.
  if (begin("mps-vanish") || (devices && own && strcmp(devices, own) != 0)) return true;
  char path[TEXT];
  for (int i = 0; i < SERVERS; i++) {
    if (servers[i].pid > 0) continue;
    snprintf(servers[i].name, sizeof servers[i].name, "%s", name);
    servers[i].pid = fork_server(-1);
    path_of(path, &servers[i], NULL, NULL);
    make_open(path);
    return servers[i].pid > 0 && make_space(&servers[i], "default");
  }
  return false;
}

static void remove_server(struct server *server) {
  char path[TEXT];
  for (int i = 0; i < SPACES; i++) {
    if (spaces[i].of == server) remove_space(&spaces[i]);
  }
  kill(server->pid, SIGKILL);
  waitpid(server->pid, NULL, 0);
  unshare_memory(server->pid);
  path_of(path, server, NULL, NULL);
  rmdir(path);
  server->pid = 0;
}

static int clients_of(pid_t server) {
  int count = 0;
  for (int i = 0; i < CLIENTS; i++) count += clients[i].fd > 0 && clients[i].server == server;
  return count;
}

static void welcome(const struct space *space, int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  char answer[LINE];
  // A client that connects to no server's socket is served without limits.
  pid_t server = space ? space->of->pid : getpid();
  long mib = space ? space->mib : 0;
  bool permitted = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
                   (is_multiuser || peer.uid == geteuid());
  for (int i = 0; permitted && share_memory(server, mib) && i < CLIENTS; i++) {
    if (clients[i].fd > 0) continue;
    clients[i].fd = fd;
    clients[i].pid = peer.pid;
    clients[i].server = server;
    snprintf(answer, sizeof answer, "%d %ld %.1f\n", server, mib, space ? space->percentage : 100.0);
    if (write(fd, answer, strlen(answer)) < 0) errno = 0;
    return;
  }
  close(fd);
}

// The value of an option (`--server=`) among the words; NULL: it is not there.
static const char *option(char **words, const char *name) {
  for (; *words; words++) {
    if (strncmp(*words, name, strlen(name)) == 0) return *words + strlen(name);
  }
  return NULL;
}

static int fails(char *answer, const char *problem, const char *with) {
  snprintf(answer, ANSWER, "%s: %.99s\n", problem, with ? with : "");
  return 1;
}

static int set(struct space *space, char **words, char *answer) {
  const char *memory = option(words, "--pinned-memory-limit=");
  const char *threads = option(words, "--active-thread-percentage=");
  char unit = 0;
  long number = 0;
  if (memory) {
    if (sscanf(memory, "%ld%c", &number, &unit) != 2 || (unit != 'G' && unit != 'M')) {
      return fails(answer, "Invalid memory limit", memory);
    }
    space->mib = unit == 'G' ? number * 1024 : number;
  }
  if (threads) {
    double part = atof(threads);
    if (part <= 0 || part > 100) return fails(answer, "Invalid percentage", threads);
    space->percentage = part;
  }
  return 0;
}

static int obey(char **words, char *answer) {
  const char *module = words[0], *verb = words[1] ? words[1] : "", *name = words[2];
  size_t used = 0;
  *answer = 0;
  if (strcmp(module, "server") == 0) {
    if (strcmp(verb, "list") == 0) {
      for (int i = 0; i < SERVERS; i++) {
        if (servers[i].pid > 0 && waitpid(servers[i].pid, NULL, WNOHANG) != 0) remove_server(&servers[i]);
        if (servers[i].pid <= 0) continue;
        used += (size_t)snprintf(answer + used, ANSWER - used, "%s,%d,%d\n", servers[i].name, servers[i].pid, geteuid());
      }
      return 0;
    }
    struct server *known = server_named(name);
    if (strcmp(verb, "create") == 0 && name && !known) {
      return make_server(name, option(words, "--allowed-devices=")) ? 0 : fails(answer, "Cannot create server", name);
    }
    if (strcmp(verb, "delete") == 0 && known) {
      remove_server(known);
      return 0;
    }
    return fails(answer, "Invalid server", name);
  }
  if (strcmp(module, "namespace") == 0) {
    struct server *of = server_named(option(words, "--server="));
    if (!of) return fails(answer, "No such server", option(words, "--server="));
    if (strcmp(verb, "list") == 0) {
      for (int i = 0; i < SPACES; i++) {
        if (spaces[i].of == of) used += (size_t)snprintf(answer + used, ANSWER - used, "%s,%s\n", spaces[i].name, of->name);
      }
      return 0;
    }
    struct space *known = space_named(of, name);
    if (strcmp(verb, "create") == 0 && name && !known) {
      return make_space(of, name) ? 0 : fails(answer, "Cannot create namespace", name);
    }
    if (strcmp(verb, "set") == 0 && known) return set(known, words, answer);
    if (strcmp(verb, "delete") == 0 && known) {
      remove_space(known);
      return 0;
    }
    return fails(answer, "Invalid namespace", name);
  }
  if (strcmp(module, "client") == 0 && strcmp(verb, "list") == 0) {
    for (int i = 0; i < CLIENTS; i++) {
      if (clients[i].fd > 0) used += (size_t)snprintf(answer + used, ANSWER - used, "%d\n", clients[i].pid);
    }
    return 0;
  }
  return fails(answer, "Invalid command", module);
}

static void quit(void) {
  char path[TEXT];
  for (int i = 0; i < SERVERS; i++) {
    if (servers[i].pid > 0) remove_server(&servers[i]);
  }
  unshare_memory(getpid());
  static const char *const own[] = {"control", "control_privileged", "nvidia-cuda-mps-control.pid"};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", pipe_directory(), own[i]);
    unlink(path);
  }
}

// False: the daemon is to end.
static bool serve_command(int fd) {
  char text[TEXT], answer[ANSWER], whole[ANSWER + 16], *words[16] = {NULL}, *rest;
  ssize_t got = read(fd, text, sizeof text - 1);
  text[got > 0 ? got : 0] = 0;
  int count = 0;
  for (char *word = strtok_r(text, " \n", &rest); word && count < 15; word = strtok_r(NULL, " \n", &rest)) {
    words[count++] = word;
  }
  bool on = count == 0 || (strcmp(words[0], "-q") != 0 && strcmp(words[0], "--quit") != 0);
  int code = 0;
  answer[0] = 0;
  if (!on) {
    quit();
  } else if (count > 0) {
    code = obey(words, answer);
  }
  snprintf(whole, sizeof whole, "%d\n%s", code, answer);
  if (write(fd, whole, strlen(whole)) < 0) errno = 0;
  close(fd);
  return on;
}

void serve_v3(int control, int privileged, bool multiuser) {
  is_multiuser = multiuser;
  for (;;) {
    struct pollfd polled[CLIENTS + SPACES + 2] = {{.fd = control, .events = POLLIN}, {.fd = privileged, .events = POLLIN}};
    for (int i = 0; i < SPACES; i++) {
      polled[i + 2] = (struct pollfd){.fd = spaces[i].of ? spaces[i].fd : -1, .events = POLLIN};
    }
    for (int i = 0; i < CLIENTS; i++) {
      polled[i + 2 + SPACES] = (struct pollfd){.fd = clients[i].fd > 0 ? clients[i].fd : -1, .events = POLLIN};
    }
    if (poll(polled, CLIENTS + SPACES + 2, -1) < 0) continue;
    for (int i = 0; i < CLIENTS; i++) {
      char byte;
      if (polled[i + 2 + SPACES].revents && read(clients[i].fd, &byte, 1) <= 0) {
        int fd = clients[i].fd;
        clients[i].fd = 0;
        if (clients_of(clients[i].server) == 0) unshare_memory(clients[i].server);
        close(fd);
      }
    }
    for (int i = 0; i < SPACES; i++) {
      if (polled[i + 2].revents) welcome(&spaces[i], accept4(spaces[i].fd, NULL, NULL, SOCK_CLOEXEC));
    }
    if (polled[0].revents) welcome(NULL, accept4(control, NULL, NULL, SOCK_CLOEXEC));
    if (polled[1].revents && !serve_command(accept4(privileged, NULL, NULL, SOCK_CLOEXEC))) return;
  }
}

int order_v3(int count, char **words) {
  char text[TEXT] = "";
  for (int i = 0; i < count; i++) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", words[i]);
  }
  int fd = connect_to_daemon();
  if (fd < 0) {
    printf("Cannot find MPS control daemon process\n");
    return 1;
  }
  state_note("mps-command %s", text);
  char answer[ANSWER + 16];
  size_t length = 0;
  ssize_t got;
  if (write(fd, text, strlen(text)) < 0) return 1;
  while (length < sizeof answer - 1 && (got = read(fd, answer + length, sizeof answer - 1 - length)) > 0) {
    length += (size_t)got;
  }
  close(fd);
  answer[length] = 0;
  char *said = strchr(answer, '\n');
  if (!said) return 1;
  fputs(said + 1, stdout);
  return atoi(answer);
}
