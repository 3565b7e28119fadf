// Functions that both protocols of the daemon share.
#pragma once

#include "../state.h"

#include <sys/types.h>

enum { LINE = 256 };

const char *pipe_directory(void);

// A socket below the pipe directory; -1: there cannot be one.
int listen_on(const char *name, mode_t mode);

// The memory that a server shares with its programs, there for as long as one of them computes, so that nothing
// stays behind when the daemon is killed.
bool share_memory(pid_t server, long mib);
void unshare_memory(pid_t server);

// A process that stands for a server, as the user (-1: the daemon's own); 0: it did not start.
pid_t fork_server(int user);

// Serves until it is told to quit, or for ever.
void serve_v3(int control, int privileged, bool multiuser);

// Passes the words on to the daemon and says what it answers, which ends with a code.
int order_v3(int count, char **words);

// To the daemon's own socket; -1: there is no daemon.
int connect_to_daemon(void);
