// The supervisor of one attempt: a small process that is the parent of the job and outlives the agent. Neither the
// agent's end nor its upgrade stops a job or loses its exit code.
//
// It lives in the attempt directory (its working directory) and knows these files there:
//
//     spec, argv, env, callback   the task; written by the agent before the start
//     lock                        held (fcntl, whole file) for as long as the supervisor lives
//     refused                     if present, the attempt ended without a start; the agent made it under the lock
//     control                     unix socket: commands in, "changed" out
//     status                      the recorded state; replaced atomically and durably on every change
//     logs/stdout.<n>, stderr.<n> the job's output in segments of equal size
//
// One thread, one epoll loop, no polling, and no allocation that grows with the job's output or lifetime. All times
// are CLOCK_BOOTTIME, which also counts while the machine sleeps.
#ifndef HEADGATE_SUPERVISOR_H
#define HEADGATE_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
  EXIT_USAGE = 64,              // the spec is wrong
  EXIT_UNKNOWN = 70,            // the supervisor died while it started; its status tells how far it came
  EXIT_SYSTEM = 71,             // the system refused something, and the job did not start
  EXIT_ALREADY_SUPERVISED = 73, // another supervisor holds the lock
  EXIT_ALREADY_STARTED = 74,    // it was started or given up before; it never starts again
  EXIT_TOO_LATE = 75,           // without contact for so long that it may run elsewhere by now
  EXIT_REJECTED = 76,           // a fault of the machine's, and the job did not start: it may run elsewhere
};

#define NEVER INT64_MAX
#define MAX_CALLBACK_MS (1800 * 1000LL)

// clock.c
int64_t boot_ms(void);
int64_t wall_ms(void);
int64_t later(int64_t now, int64_t delay_ms); // now + delay, saturating at NEVER

// The walls between one job and the rest of the machine; zero: none.
enum { START_ERROR_SIZE = 512 };
enum { MAX_PATHS = 64, MAX_DEVICES = 256, MAX_GROUPS = 8 };
struct device {
  char *name; // below /dev
  unsigned major, minor;
};
struct paths {
  char *items[MAX_PATHS];
  size_t count;
};
struct walls {
  bool has_user;
  uid_t user;            // of the job, and its group
  bool inside;           // in namespaces of its own, with a /dev of its own
  bool own_network;      // of which only the loopback is there
  char *tmp, *var_tmp;   // what its /tmp and /var/tmp are; NULL: the machine's
  char *shm;             // what its /dev/shm is; NULL: an empty one of its own
  char *root;            // of its container: a directory that becomes its /, read-only; NULL: the machine's
  struct paths lent;     // files and directories of the machine that it finds where they are, read-only
  struct paths withheld; // directories that it never finds, except for shown paths: there now, later, or not answering
  struct paths hidden;   // directories that it finds empty, except for shown paths
  struct paths shown;    // directories that it finds where they are, whatever is on the way to them
  struct paths owned;    // directories that become its user's with all that is in them
  struct device devices[MAX_DEVICES]; // that it may use beside those that every job has
  size_t device_count;
  bool fence_by_program; // of its cgroup v2, which lets it open those devices only
  bool fence_metadata;   // of its cgroup v2, which lets it reach no cloud's metadata service
  char *fence_group; // a directory of the v1 controller that fences devices; NULL: none
  bool filtered;         // may make only the system calls that jobs have a use for
  int64_t files, processes; // limits of each process and of the user; 0: inherited
};

// spec.c
struct spec {
  char **argv;
  char **env;
  char **callback; // NULL: the job was submitted without an abort callback
  char *note;      // a line at the beginning of the error output; NULL: none
  char *on_abort;  // a program that the job may put there while it runs is its callback then; NULL: none
  char *directory; // where the job and its callback run
  char *cgroup;    // a cgroup v2 directory made for this attempt; NULL: none
  struct paths groups; // v1 directories made for it
  struct walls walls;
  char *boot_id;
  int64_t time_limit_ms;          // NEVER: none
  int64_t time_limit_callback_ms; // the callback's time when the time limit stops the job
  int64_t stop_after_ms;          // NEVER: runs on without contact for ever
  int64_t contact_boot_ms;        // the last contact before the start
  int64_t callback_ms;            // the callback's time when the supervisor stops by itself
  int64_t grace_ms;               // between SIGTERM and SIGKILL
  int64_t log_segment_bytes;
  int64_t log_segments; // kept per stream
  bool first; // the supervisor is the first process of a container, and the job's user; not in the file
};
// Reads the spec from the working directory; on error says why in `why` and returns false.
bool spec_read(struct spec *spec, char *why, size_t why_size);
// Makes it that of a container's first process: what the container has in its environment is below the
// job's, and "." is where it started (or HOME, if that is nowhere). False: out of memory.
bool spec_complete(struct spec *spec, char *origin);

// process.c
struct process_group {
  int procs_fd; // cgroup.procs, -1 without a cgroup
  int kill_fd;  // cgroup.kill, -1 without
  int v1_fds[MAX_GROUPS]; // cgroup.procs of each
  size_t v1_count;
};
struct launch {
  char *const *argv;
  char *const *env;
  const char *directory;
  int out_fd, err_fd;
  const struct process_group *group;
  const struct walls *walls;
  int inside_fd; // whose namespaces it joins; -1: none
};
struct gated_child {
  pid_t pid;
  int gate_fd;  // write one byte: run; close: give up
  int error_fd; // says why exec failed; empty when it did not
  bool in_cgroup;
};
// False, with errno: a v1 directory that the spec names cannot be used.
bool process_group_open(struct process_group *group, const struct spec *spec);
// Forks a child in its own session and cgroup that waits at a gate before it runs any of its code.
bool launch_gated(const struct launch *launch, struct gated_child *child);
void gate_open(struct gated_child *child);
// Keeps the kernel from choosing the supervisor when memory runs out; its children are unprotected.
void protect_from_oom(void);
// The start time of a process in clock ticks since boot (with the pid, its identity); 0: gone.
uint64_t process_start_ticks(pid_t pid);
// Sends SIGKILL to every descendant of `root`, stopping them first so that none forks away.
void kill_descendants(pid_t root);
void kill_group(const struct process_group *group);

// walls.c
//
// Makes the namespaces of a job and leaves a first process in them. When that process ends, all processes in the
// namespaces end. Children of the caller are born in the PID namespace from then on. Returns the pid of the first
// process, or -1 and the reason in `why`.
pid_t walls_raise(const struct walls *walls, char *why, size_t why_size);
// Tells which walls can be raised on this machine, one line each.
int walls_probe(const char *cgroup);
// Runs a program that has a directory as its /dev/shm, and all other mounts as the machine has them.
// Returns only if it cannot: an exit code.
int walls_run_with_shm(const char *directory, char *const *argv);

// Covers a directory of the calling process's mounts with an empty one. False: see errno.
bool cover(const char *path);

// withhold.c
// Keeps the calling process's mounts from a directory that may not be there yet, or not answer; a directory that does
// not answer is taken away with all of its file system. Takes some seconds at most. False: see errno.
bool withhold(const char *path);

// enter.c
// Makes the calling process, which is about to be the job, what the job may be. False: see errno.
bool enter_walls(const struct walls *walls, int inside_fd);

// filter.c
// Refuses the calling thread, and all that it starts, the system calls that no job has a use for. It can
// gain no privileges by then. False: see errno.
bool filter_calls(void);

// tree.c
struct stat;
struct entry {
  int directory; // open
  const char *name;
  const struct stat *info; // of the entry itself, also if it is a link
};
// Visits everything below an open directory on its file system, what is in a directory before the directory. Follows
// no link. False with errno: a visit failed, or something could not be read.
bool each_below(int directory, bool (*visit)(const struct entry *, const void *), const void *with);

// own.c
// Gives a directory with all that is in it to a user; links are neither followed nor what they lead to
// given away. False with errno.
bool own_tree(const char *path, uid_t user);

// disk.c
//
// Each command is the rest of a command line of main.c, and returns an exit code.
int disk_probe(char *const *arguments);
int disk_room(char *const *arguments);
int disk_limit(char *const *arguments);
int disk_free(char *const *arguments);
int disk_sweep(char *const *arguments);

// fence.c
extern const struct device STANDARD_DEVICES[];
extern const size_t STANDARD_DEVICE_COUNT;
// Lets what is in the cgroup open the standard devices and the walls' own, and no other. False: see errno.
bool fence_by_program(const char *cgroup, const struct walls *walls);
bool fence_metadata(const char *cgroup);
bool fence_by_group(const struct walls *walls);

// log.c
struct log_stream {
  const char *name;
  int read_fd, write_fd; // the pipe; the write end stays open for the callback
  int directory_fd;
  int segment_fd;
  int64_t segment_index, segment_size;
  int64_t lost_bytes; // not yet mentioned in the log
  const struct spec *spec;
};
bool log_open(struct log_stream *log, const char *name, int directory_fd, const struct spec *spec);
bool log_pump(struct log_stream *log); // copies what is there once; false: nothing was there
void log_note(struct log_stream *log, const char *text); // a line of Headgate's own in the stream
void log_close(struct log_stream *log);

// status.c
enum stop_phase { PHASE_NONE, PHASE_CALLBACK, PHASE_TERM, PHASE_KILL };
struct status {
  int64_t version;
  pid_t pid;
  uint64_t pid_start_ticks;
  bool in_cgroup;
  int64_t started_ms;
  char stop_reason[24]; // empty: no stop was asked for
  int64_t stop_ms;
  enum stop_phase phase;
  int64_t callback_started_ms;  // 0: not run
  int64_t callback_duration_ms; // -1: not over yet
  int callback_status;          // as from waitpid
  const char *callback_cut;     // why it was killed; NULL: it was not
  int64_t term_ms, kill_ms; // 0: not sent
  bool main_gone;
  int main_status; // as from waitpid
  char start_error[START_ERROR_SIZE];
  int64_t exit_ms; // 0: something of the job may still live
};
void status_reserve(void); // sets disk space aside for the last words of a job on a full disk
bool status_write(struct status *status, const struct spec *spec);

// control.c
enum command_kind { COMMAND_CONTACT, COMMAND_STOP, COMMAND_KILL, COMMAND_PAUSE, COMMAND_CONTINUE };
struct command {
  enum command_kind kind;
  char reason[24];
  int64_t contact_boot_ms;
  int64_t callback_ms, grace_ms;
};
struct control {
  bool root_only; // false: the supervisor's user has access, too
  int listen_fd, client_fd;
  size_t length;
  char buffer[512];
};
bool control_open(struct control *control, bool root_only);
void control_accept(struct control *control, int epoll_fd);
// Reads from the client and calls `obey` for every whole line.
void control_read(struct control *control, void (*obey)(const struct command *, void *), void *with);
void control_announce(struct control *control, int64_t version);

// sequence.c: what happens to the job, as a reaction to events around it
struct supervisor {
  struct spec spec;
  struct status status;
  struct process_group group;
  struct log_stream out, err;
  struct control control;
  int epoll_fd, signal_fd, timer_fd;
  int error_fd; // why the job could not be started
  int inside_fd;   // the first process of the job's namespaces; -1: it has none
  pid_t inside_pid;
  pid_t callback_pid;
  int64_t callback_boot_ms;
  int64_t grace_ms; // of the stop that goes on
  // Deadlines, in ms of the boot clock.
  int64_t time_limit_at, stop_after_at, phase_at, retry_at;
  int64_t time_left_ms; // until the time limit, while that stands still; -1: it does not
  int64_t sweep_ms;
  bool cleaning, all_gone, done;
};
void on_command(const struct command *command, void *supervisor);
void on_time(struct supervisor *self);
void on_machine_shutdown(struct supervisor *self);
void reap(struct supervisor *self);

#endif
