// The control socket has one client, the agent. A new connection replaces the old one, so a killed agent never blocks
// its successor. Neither side ever waits for the other: a client that does not read its announcements is dropped and
// reads the status file instead. The agent sends these commands:
//
//     contact <boot ms>                    when the agent last heard from the control plane
//     stop <reason> <callback ms> <grace ms>
//                                          callback, SIGTERM, grace, SIGKILL; a repeated stop changes
//                                          nothing, except that 0 callback ms end a running callback
//     kill <reason>                        SIGKILL now
//     pause                                the job is suspended: its time limit stands still
//     continue                             ends a pause; without a pause it changes nothing
//
// The supervisor sends `changed <version>` whenever the status file has a new version.
#include "supervisor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool control_open(struct control *control, bool root_only) {
  *control = (struct control){.root_only = root_only, .listen_fd = -1, .client_fd = -1};
  // The name is relative, so the length of the attempt directory's path does not matter.
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control"};
  unlink(address.sun_path);
  control->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return control->listen_fd >= 0 &&
         bind(control->listen_fd, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen(control->listen_fd, 4) == 0;
}

static void drop_client(struct control *control) {
  if (control->client_fd >= 0) close(control->client_fd);
  control->client_fd = -1;
  control->length = 0;
}

void control_accept(struct control *control, int epoll_fd) {
  int fd = accept4(control->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  struct ucred peer;
  socklen_t size = sizeof peer;
  bool trusted = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
                 (peer.uid == 0 || (peer.uid == geteuid() && !control->root_only));
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (!trusted || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
    close(fd);
    return;
  }
  drop_client(control);
  control->client_fd = fd;
}

static bool parse(const char *line, struct command *command) {
  char rest;
  long long first, second;
  *command = (struct command){.kind = COMMAND_CONTACT};
  if (sscanf(line, "contact %lld%c", &first, &rest) == 1) {
    command->contact_boot_ms = first;
    return true;
  }
  if (sscanf(line, "stop %23[a-z-] %lld %lld%c", command->reason, &first, &second, &rest) == 3) {
    command->kind = COMMAND_STOP;
    command->callback_ms = first < 0 ? 0 : first > MAX_CALLBACK_MS ? MAX_CALLBACK_MS : first;
    command->grace_ms = second < 0 ? 0 : second;
    return true;
  }
  if (sscanf(line, "kill %23[a-z-]%c", command->reason, &rest) == 1) {
    command->kind = COMMAND_KILL;
    return true;
  }
  if (strcmp(line, "pause") == 0 || strcmp(line, "continue") == 0) {
    command->kind = line[0] == 'p' ? COMMAND_PAUSE : COMMAND_CONTINUE;
    return true;
  }
  return false;
}

void control_read(struct control *control, void (*obey)(const struct command *, void *),
                  void *with) {
  size_t room = sizeof control->buffer - control->length;
  ssize_t n = recv(control->client_fd, control->buffer + control->length, room, MSG_DONTWAIT);
  // The event may be about a client that was replaced in the same turn.
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // A full buffer without a line end cannot become a command any more; zero room reads as closed.
  if (n <= 0) {
    drop_client(control);
    return;
  }
  control->length += (size_t)n;
  char *start = control->buffer, *end;
  while ((end = memchr(start, '\n', control->length - (size_t)(start - control->buffer)))) {
    *end = 0;
    struct command command;
    if (parse(start, &command)) obey(&command, with);
    start = end + 1;
    if (control->client_fd < 0) return; // obeying announced a change to a client that was gone
  }
  control->length -= (size_t)(start - control->buffer);
  memmove(control->buffer, start, control->length);
}

void control_announce(struct control *control, int64_t version) {
  if (control->client_fd < 0) return;
  char line[40];
  int length = snprintf(line, sizeof line, "changed %lld\n", (long long)version);
  if (send(control->client_fd, line, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL) != length) {
    drop_client(control);
  }
}
