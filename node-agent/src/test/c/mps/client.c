// A program that uses CUDA, with its MPS side only. It finds the daemon by its environment, or runs without one, and
// prints its limits. With a number as its argument it allocates that many MiB. It prints:
//
//     mps limit=<MiB> threads=<percentage>    or    alone
//     allocated    or    out of memory
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int alone(long wanted) {
  printf("alone\n");
  if (wanted > 0) printf("allocated\n");
  return 0;
}

int main(int count, char **arguments) {
  long wanted = count > 1 ? atol(arguments[1]) : 0;
  const char *directory = getenv("CUDA_MPS_PIPE_DIRECTORY");
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  snprintf(to.sun_path, sizeof to.sun_path, "%s/control", directory ? directory : "/tmp/nvidia-mps");
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) return alone(wanted);
  char answer[256], path[64];
  ssize_t got = read(fd, answer, sizeof answer - 1);
  int server;
  long mib, shared = -1;
  double percentage;
  answer[got > 0 ? got : 0] = 0;
  if (sscanf(answer, "%d %ld %lf", &server, &mib, &percentage) != 3) {
    printf("refused by the daemon\n");
    return 1;
  }
  snprintf(path, sizeof path, "/dev/shm/nvidia-mps.%d", server);
  FILE *file = fopen(path, "re");
  if (!file || fscanf(file, "%ld", &shared) != 1 || shared != mib) {
    printf("no memory shared with the server\n");
    return 1;
  }
  fclose(file);
  // It is seen out, so that a test knows what is left then.
  shutdown(fd, SHUT_WR);
  if (read(fd, path, sizeof path) < 0) return 1;
  // A program can lower its own limits.
  const char *own = getenv("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");
  long lower;
  if (own && sscanf(own, "0=%ldM", &lower) == 1 && (mib == 0 || lower < mib)) mib = lower;
  own = getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
  if (own && atof(own) < percentage) percentage = atof(own);
  printf("mps limit=%ld threads=%.0f\n", mib, percentage);
  if (wanted > 0) printf(mib == 0 || wanted <= mib ? "allocated\n" : "out of memory\n");
  return 0;
}
